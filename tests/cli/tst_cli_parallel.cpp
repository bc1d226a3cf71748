// SPDX-License-Identifier: MIT
// --concurrency on the network of two branches of cli_run.h.
#include "cli/cli_run.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

class TestCliParallel : public QObject {
    Q_OBJECT
private slots:
    void init();
    void theArenaIsLarger_data();
    void theArenaIsLarger();
    void textSaysSo();
    void planFilesKeepIt();
    void whatCannotBeDone();

private:
    CliRun run(const QStringList& arguments) const { return runCli(arguments, m_folder->path()); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCliParallel::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(writeModel(branchedModel("Relu", "Relu", "Relu", "Relu"), m_folder->filePath("two.onnx")));
}

void TestCliParallel::theArenaIsLarger_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("arena");
    QTest::newRow("as scheduled when nothing is said") << QStringList{} << 192;
    QTest::newRow("as scheduled") << QStringList{"--concurrency", "sequential"} << 192;
    QTest::newRow("in any order") << QStringList{"--concurrency", "parallel"} << 320;
    QTest::newRow("in any order, the schedule does not matter") << QStringList{"--concurrency", "parallel", "--schedule", "min-peak"} << 320;
    // b over a, d over c, e over b; c waits for nobody, and x may not be written over
    QTest::newRow("in any order, in place") << QStringList{"--concurrency", "parallel", "--alias", "inplace"} << 192;
}

void TestCliParallel::theArenaIsLarger()
{
    QFETCH(QStringList, options);
    const CliRun plan = run(QStringList{"plan", "two.onnx", "--json", "-"} + options);
    QCOMPARE(plan.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(plan.out).object();
    QTEST(json["arena_bytes"].toInt(), "arena");
    QCOMPARE(json["lower_bound_bytes"].toInt(), json["arena_bytes"].toInt());
    QCOMPARE(json["completion"].toString(), QString("optimal"));
    QCOMPARE(json["options"]["concurrency"].toString(), options.contains("parallel") ? QString("parallel") : QString("sequential"));
}

void TestCliParallel::textSaysSo()
{
    const CliRun parallel = run({"plan", "two.onnx", "--concurrency", "parallel", "--explain"});
    QVERIFY(parallel.out.contains("parallel: safe in every order, also at the same time; 3 pairs of buffers kept apart"));
    QVERIFY(parallel.out.contains("what may be alive at once in some order of the operators"));
    QVERIFY(!run({"plan", "two.onnx", "--explain"}).out.contains("parallel"));
    const CliRun ladder = run({"compare", "two.onnx", "--concurrency", "parallel"});
    QCOMPARE(ladder.code, 0);
    QVERIFY(ladder.out.contains("320 B"));
}

void TestCliParallel::planFilesKeepIt()
{
    QCOMPARE(run({"plan", "two.onnx", "--concurrency", "parallel", "--strategy", "naive", "--export", "plan.json"}).code, 0);
    QCOMPARE(run({"check", "plan.json"}).code, 0);
    // c over a, which are not alive at once in the file's order.
    QFile file(m_folder->filePath("plan.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject plan = QJsonDocument::fromJson(file.readAll()).object();
    QJsonArray buffers = plan["buffers"].toArray();
    QJsonObject c = buffers[3].toObject();
    QCOMPARE(c["name"].toString(), QString("c"));
    c["offset"] = buffers[1].toObject()["offset"];
    buffers[3] = c;
    plan["buffers"] = buffers;
    file.close();
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(plan).toJson());
    file.close();
    const CliRun check = run({"check", "plan.json"});
    QCOMPARE(check.code, 1);
    const QByteArray all = check.out + check.err;
    QVERIFY2(all.contains("nothing in the network makes one come after the other"), all.constData());
    QVERIFY2(all.contains("no path of the network orders them"), all.constData());
}

void TestCliParallel::whatCannotBeDone()
{
    const CliRun wrong = run({"plan", "two.onnx", "--concurrency", "both"});
    QCOMPARE(wrong.code, 2);
    QVERIFY(wrong.err.contains("--concurrency") && wrong.err.contains("sequential, parallel"));
    for (const char* strategy : {"exact", "tflm", "shared-objects"}) {
        const CliRun refused = run({"plan", "two.onnx", "--concurrency", "parallel", "--strategy", strategy});
        QCOMPARE(refused.code, 2);
        QCOMPARE(refused.complaints().size(), 1);
        QVERIFY2(refused.err.contains("Choose auto"), refused.err.constData());
    }
}

QTEST_GUILESS_MAIN(TestCliParallel)
#include "tst_cli_parallel.moc"
