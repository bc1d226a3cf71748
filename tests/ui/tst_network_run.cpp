// SPDX-License-Identifier: MIT
#include "tests/support/tiny_plan.h"
#include "ui/buffer_colours.h"
#include "ui/models/run_model.h"
#include "ui/network_run.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

using namespace arenascope;
using namespace arenascope::ui;

// The chain of tiny_plan.h: first (Conv), a Relu whose name the text gives, last (Gemm).
class TestNetworkRun : public QObject {
    Q_OBJECT
private slots:
    void stepsAreFollowed();
    void reportIsRead();
    void strangeLinesAreLeftOut_data();
    void strangeLinesAreLeftOut();
    void endsAreTold();
    void tableHasARowAStep();
    void aCrashNamesTheOperator();
    void anErrorIsPassedOn();
    void stopKillsAtOnce();
    void withoutARunner();
    void heatGetsDarker();

private:
    static QString second() { return QString::fromStdString(test::tinyOutcome()->study->graph->operators()[1].name); }
    static RunReader reader() { return RunReader(test::tinyOutcome(), {}); }
    QString script(const QByteArray& lines);
    static RunRecord run(const QString& runner, std::stop_token stop = {})
    {
        return runNetworkApart(test::tinyOutcome(), {}, {}, runner, stop, {});
    }
    QTemporaryDir m_folder;
};

namespace {

const QByteArray kStart = R"({"event":"start","model":"m","operators":3,"passes":["arena","unplanned"]})";

QByteArray begin(const char* pass, int number, const QString& name)
{
    return QStringLiteral(R"({"event":"begin","pass":"%1","step":%2,"operator":"%3"})").arg(QLatin1String(pass)).arg(number).arg(name).toUtf8();
}

QByteArray end(const char* pass, int number, const QString& name, const char* more = "")
{
    return QStringLiteral(R"({"event":"end","pass":"%1","step":%2,"operator":"%3","seconds":0.25%4})")
        .arg(QLatin1String(pass)).arg(number).arg(name, QLatin1String(more)).toUtf8();
}

} // namespace

QString TestNetworkRun::script(const QByteArray& lines)
{
    QFile file(m_folder.filePath(QStringLiteral("runner%1").arg(QDir(m_folder.path()).count())));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write("#!/bin/sh\n" + lines + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return file.fileName();
}

void TestNetworkRun::stepsAreFollowed()
{
    RunReader reader = this->reader();
    QCOMPARE(reader.progress(), 0.0);
    QVERIFY(!reader.running().isValid());
    reader.take(kStart);
    QVERIFY(!reader.running().isValid()); // it still reads weights
    reader.take(begin("arena", 0, QStringLiteral("first")));
    QCOMPARE(reader.runningName(), QStringLiteral("first"));
    QCOMPARE(reader.progress(), 0.0);
    reader.take(end("arena", 0, QStringLiteral("first")));
    QCOMPARE(reader.progress(), 1.0 / 6.0);
    reader.take(begin("unplanned", 1, second()));
    QCOMPARE(reader.runningName(), second());
    QCOMPARE(reader.progress(), 4.0 / 6.0);
    reader.take(end("unplanned", 1, second()));
    QCOMPARE(reader.progress(), 5.0 / 6.0);
}

void TestNetworkRun::reportIsRead()
{
    RunReader reader = this->reader();
    reader.take(kStart);
    // Two pixels: red, blue.
    reader.take(end("arena", 0, QStringLiteral("first"), R"(,"pictures":[{"tensor":"a","width":2,"height":1,"rgb":"/wAAAAD/"}])"));
    reader.take(R"({"event":"report","report":{"operators_run":2,"bit_identical":false,"arena_bytes":320,"workspace_bytes":64,
        "seconds_arena":0.5,"peak_rss":{"loaded_bytes":1000,"arena_bytes":1400,"unplanned_bytes":2000},"first_difference":{"step":1,"operator":"first","tensor":"a"},
        "violations":[{"kind":"overwritten","step":1,"operator":"last","tensor":"a","by":"y","message":"words"}],
        "per_operator":[{"step":0,"operator":"first","seconds_arena":0.125,"bytes_read":64,"bytes_written":128,"engine":"Convolution"}]}})");
    const RunRecord record = reader.finish(1, {});
    QCOMPARE(record.end, RunRecord::End::Finished);
    const Graph& graph = *record.outcome->study->graph;
    const OpId first = graph.findOperator("first");
    QCOMPARE(record.operators[first.index()].arena, 0.125); // the median of the report, not that of the step
    QCOMPARE(record.operators[first.index()].engine, QStringLiteral("Convolution"));
    QCOMPARE(record.longest(), 0.125);
    QCOMPARE(record.operatorsRun, 2);
    QCOMPARE(record.isIdentical, std::optional(false));
    QCOMPARE(record.firstDifference, QStringLiteral("a"));
    QCOMPARE(record.differsAt, first);
    QCOMPARE(record.arena, 320);
    QCOMPARE(record.workspace, 64);
    QCOMPARE(record.peakLoaded, 1000);
    QCOMPARE(record.peakArena, 1400);
    QCOMPARE(record.peakUnplanned, 2000);
    QCOMPARE(record.violations.size(), std::size_t(1));
    QCOMPARE(record.violations[0].tensor, graph.findTensor("a"));
    QCOMPARE(record.violations[0].by, graph.findTensor("y"));
    const QImage& picture = record.pictures[graph.findTensor("a").index()];
    QCOMPARE(picture.size(), QSize(2, 1));
    QCOMPARE(picture.pixelColor(0, 0), QColor(Qt::red));
    QCOMPARE(picture.pixelColor(1, 0), QColor(Qt::blue));
}

void TestNetworkRun::strangeLinesAreLeftOut_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("no JSON") << QByteArray("[ INFO:0] a library says hello");
    QTest::newRow("an operator that is not there") << end("arena", 0, QStringLiteral("nobody"));
    QTest::newRow("a step far away") << end("arena", 2'000'000'000, QStringLiteral("first"));
    QTest::newRow("a negative step") << end("arena", -7, QStringLiteral("first"));
    QTest::newRow("a picture of too few bytes")
        << end("arena", 0, QStringLiteral("first"), R"(,"pictures":[{"tensor":"a","width":2000,"height":2000,"rgb":"/wAAAAD/"}])");
    QTest::newRow("a picture of nothing")
        << end("arena", 0, QStringLiteral("first"), R"(,"pictures":[{"tensor":"gone","width":-1,"height":0,"rgb":7}])");
    QTest::newRow("an event of a later version") << QByteArray(R"({"event":"weather"})");
}

void TestNetworkRun::strangeLinesAreLeftOut()
{
    QFETCH(QByteArray, line);
    RunReader reader = this->reader();
    reader.take(kStart);
    reader.take(line);
    reader.runningName();
    QVERIFY(reader.progress() <= 1.0);
    reader.take(R"({"event":"report","report":{"operators_run":3,"bit_identical":true}})");
    const RunRecord record = reader.finish(0, {});
    QCOMPARE(record.end, RunRecord::End::Finished);
    QCOMPARE(record.isIdentical, std::optional(true));
    for (const QImage& picture : record.pictures)
        QVERIFY(picture.isNull());
}

void TestNetworkRun::endsAreTold()
{
    {
        RunReader reader = this->reader();
        reader.take(R"({"event":"error","message":"operator 'x' cannot run"})");
        const RunRecord record = reader.finish(2, QStringLiteral("arenascope-cli: something longer"));
        QCOMPARE(record.end, RunRecord::End::Failed);
        QCOMPARE(record.message, QStringLiteral("operator 'x' cannot run"));
        QVERIFY(!record.hasTimes());
    }
    const RunRecord silent = reader().finish(2, {});
    QCOMPARE(silent.end, RunRecord::End::Failed);
    QVERIFY(silent.message.contains(QLatin1String("code 2")));
    const RunRecord early = reader().finish(-1, {});
    QCOMPARE(early.end, RunRecord::End::Crashed);
    QVERIFY(!early.crashedAt.isValid());
    QVERIFY(!early.message.isEmpty());
}

void TestNetworkRun::tableHasARowAStep()
{
    RunReader reader = this->reader();
    reader.take(R"({"event":"report","report":{"bit_identical":true,"per_operator":[
        {"operator":"first","seconds_arena":0.3,"bytes_written":128},{"operator":"last","seconds_arena":0.1}]}})");
    const auto record = std::make_shared<const RunRecord>(reader.finish(0, {}));
    RunModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRun(record);
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.raw(0, RunModel::TimeColumn).toDouble(), 0.3);
    QCOMPARE(model.raw(0, RunModel::ShareColumn).toDouble(), 0.75);
    QCOMPARE(model.raw(0, RunModel::WrittenColumn).toLongLong(), 128);
    QVERIFY(!model.raw(1, RunModel::TimeColumn).isValid()); // did not run
    QCOMPARE(model.rowOf(Item::of(record->outcome->study->graph->findOperator("last"))), 2);
    QCOMPARE(model.itemAt(2), Item::of(record->outcome->study->graph->findOperator("last")));
    model.setRun(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void TestNetworkRun::aCrashNamesTheOperator()
{
    const RunRecord record = run(script("echo '" + kStart + "'\necho '" + begin("arena", 1, second()) + "'\nkill -SEGV $$"));
    QCOMPARE(record.end, RunRecord::End::Crashed);
    QCOMPARE(record.crashedAt, test::tinyOutcome()->study->graph->findOperator(second().toStdString()));
    QVERIFY2(record.message.contains(second()), qPrintable(record.message));
}

void TestNetworkRun::anErrorIsPassedOn()
{
    const RunRecord record = run(script("echo 'first line' >&2\necho 'no memory for this' >&2\nexit 2"));
    QCOMPARE(record.end, RunRecord::End::Failed);
    QCOMPARE(record.message, QStringLiteral("no memory for this"));
}

void TestNetworkRun::stopKillsAtOnce()
{
    std::stop_source stop;
    const QString runner = script("echo '" + kStart + "'\nexec sleep 60");
    QElapsedTimer clock;
    clock.start();
    const std::unique_ptr<QThread> thread(QThread::create([&stop] {
        QThread::msleep(300);
        stop.request_stop();
    }));
    thread->start();
    const RunRecord record = run(runner, stop.get_token());
    QVERIFY(thread->wait());
    QCOMPARE(record.end, RunRecord::End::Cancelled);
    QVERIFY2(clock.elapsed() < 30'000, qPrintable(QString::number(clock.elapsed()))); // not a minute
}

void TestNetworkRun::withoutARunner()
{
    QCOMPARE(run(QString()).end, RunRecord::End::Failed);
    const RunRecord gone = run(m_folder.filePath(QStringLiteral("gone")));
    QCOMPARE(gone.end, RunRecord::End::Failed);
    QVERIFY2(gone.message.contains(QLatin1String("gone")), qPrintable(gone.message));
}

void TestNetworkRun::heatGetsDarker()
{
    for (const Theme* theme : { &Theme::light(), &Theme::darkTheme() }) {
        double last = 0.0;
        for (int level = 0; level < kHeatLevels; ++level) {
            const double root = static_cast<double>(level) / (kHeatLevels - 1);
            const double contrast = contrastRatio(colourOf(heatKey(root * root), *theme), theme->canvas);
            QVERIFY2(contrast > last, qPrintable(QStringLiteral("%1: %2 after %3").arg(level).arg(contrast).arg(last)));
            last = contrast;
        }
    }
    QCOMPARE(heatKey(-1.0), heatKey(0.0));
    QCOMPARE(heatKey(5.0), heatKey(1.0));
}

QTEST_MAIN(TestNetworkRun)
#include "tst_network_run.moc"
