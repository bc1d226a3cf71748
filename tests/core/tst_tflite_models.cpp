// SPDX-License-Identifier: MIT
// Real .tflite files against figures of independent code, and against what TensorFlow Lite Micro's own allocator does.
#include <arenascope/importer.h>
#include <arenascope/study.h>

#include "tests/support/tflite_table.h"

#include <QtTest>

using namespace arenascope;
using test::TfliteRow;

namespace {

class Checker {
public:
    explicit Checker(const TfliteRow& row) : m_row(row) {}

    void equal(const QString& column, qint64 ours)
    {
        if (!m_row.value(column).isEmpty() && m_row.value(column).toLongLong() != ours)
            problem(QStringLiteral("%1: %2, table %3").arg(column).arg(ours).arg(m_row.value(column)));
    }
    void problem(const QString& text) { m_problems.append(text); }
    QString text() const { return m_problems.join(QStringLiteral("\n    ")); }

private:
    const TfliteRow& m_row;
    QStringList m_problems;
};

std::shared_ptr<const Study> study(const std::shared_ptr<const Graph>& graph, AliasMode alias, Bytes alignment,
                                   Checker& checker, ScheduleKind schedule = ScheduleKind::File)
{
    StudyOptions options;
    options.alias = alias;
    options.schedule = schedule;
    options.problem.alignment = alignment;
    const auto made = makeStudy(graph, options);
    if (made)
        return *made;
    checker.problem(QString::fromStdString(describe(made.error())));
    return nullptr;
}

/// Reserved bytes of what nothing touches: in none of our plans, but in that runtime's figures.
Bytes idleBytes(const Study& study)
{
    Bytes sum = 0;
    for (const Buffer& buffer : study.problem.idle)
        sum += (buffer.size + study.problem.alignment - 1) / study.problem.alignment * study.problem.alignment;
    return sum;
}

qint64 rawBytes(const Study& study)
{
    qint64 sum = 0;
    for (const Buffer& buffer : study.problem.buffers)
        sum += buffer.size;
    for (const Buffer& buffer : study.problem.idle)
        sum += buffer.size;
    return sum;
}

qint64 largestBuffer(const Study& study)
{
    qint64 largest = 0;
    for (std::size_t i = 0; i < study.problem.buffers.size(); ++i)
        largest = std::max<qint64>(largest, study.problem.reserved(BufferId::fromIndex(i)));
    return largest;
}

qint64 inputBytes(const Study& study)
{
    qint64 sum = 0;
    for (const TensorId input : study.graph->inputs())
        sum += study.problem.reserved(study.bufferOf[input.index()]);
    return sum;
}

void checkGraph(const Graph& graph, Checker& checker)
{
    const auto isMain = [](const auto& item) { return item.subgraph == 0; };
    checker.equal("subgraphs", graph.info().subgraphs);
    checker.equal("ops_all", graph.info().operatorsInFile);
    checker.equal("ops_main", std::ranges::count_if(graph.operators(), isMain));
    checker.equal("tensors_all", std::ssize(graph.tensors()));
    checker.equal("tensors_main", std::ranges::count_if(graph.tensors(), isMain));
    checker.equal("activation_tensors", std::ranges::count_if(graph.tensors(), [](const Tensor& tensor) {
        return tensor.isActivation() && tensor.bytes != 0;
    }));
    checker.equal("variables", std::ranges::count(graph.tensors(), TensorRole::Variable, &Tensor::role));
}

void checkBounds(const std::shared_ptr<const Graph>& graph, Checker& checker)
{
    const auto plain = study(graph, AliasMode::None, 16, checker);
    const auto inplace = study(graph, AliasMode::InPlace, 16, checker);
    const auto best = study(graph, AliasMode::None, 16, checker, ScheduleKind::MinPeak);
    if (!plain || !inplace || !best)
        return;
    const Bytes idle = idleBytes(*plain);
    checker.equal("raw_bytes", rawBytes(*plain));
    checker.equal("naive_rounded16", plain->naive + idle);
    checker.equal("bound", std::max(plain->profile.peak, idle));
    // Operators run from 1 on there; idle tensors are before everything.
    checker.equal("bound_at_step", idle > plain->profile.peak ? -1 : plain->profile.peakStep + 1);
    checker.equal("last_step", plain->schedule.stepCount());
    checker.equal("largest_buffer", largestBuffer(*plain));
    checker.equal("input_bytes_step0", inputBytes(*plain));
    checker.equal("min_peak", std::max(best->profile.peak, idle));
    if (!best->schedule.provenMinPeak)
        checker.problem("the best order is not proven");
    checker.equal("naive_inplace", inplace->naive); // the table leaves idle tensors out here
    checker.equal("bound_inplace", std::max(inplace->profile.peak, idle));
}

/// Offsets by position in the file's list of all tensors.
QHash<qint64, qint64> offsetsOf(const PlanOutcome& outcome)
{
    QHash<qint64, qint64> offsets;
    const PlacementProblem& problem = outcome.study->problem;
    const auto add = [&](const Buffer& buffer, Offset offset) {
        if (buffer.size > 0)
            offsets.insert(buffer.tensors.front().tensor.value(), offset);
    };
    for (std::size_t i = 0; i < problem.buffers.size(); ++i)
        add(problem.buffers[i], outcome.plan.placements[i].offset);
    for (std::size_t i = 0; i < problem.idle.size(); ++i)
        add(problem.idle[i], outcome.plan.idleOffsets[i]);
    return offsets;
}

} // namespace

class TestTfliteModels : public QObject {
    Q_OBJECT

private slots:
    void figures_data() { addFiles(); }
    void figures();
    void offsets_data() { addFiles(); }
    void offsets();
    void autoMeetsTheBound_data() { addFiles(); }
    void autoMeetsTheBound();
    void brokenFileHasOneMessage();

private:
    static void addFiles();
    static TfliteRow rowOf(const QString& file);
    static std::shared_ptr<const Graph> graphOf(const QString& file);
};

void TestTfliteModels::addFiles()
{
    QTest::addColumn<QString>("file");
    const QList<TfliteRow> rows = test::tfliteRows();
    if (rows.isEmpty())
        QSKIP("models/tflite.tsv is missing (set ARENASCOPE_SHARED_DIR)");
    for (const TfliteRow& row : rows)
        QTest::newRow(qPrintable(row.value("file"))) << row.value("file");
}

TfliteRow TestTfliteModels::rowOf(const QString& file)
{
    for (const TfliteRow& row : test::tfliteRows()) {
        if (row.value("file") == file)
            return row;
    }
    return {};
}

std::shared_ptr<const Graph> TestTfliteModels::graphOf(const QString& file)
{
    const auto model = importModel(test::modelPath(file).toStdString());
    if (!model)
        qWarning("%s", describe(model.error()).c_str());
    return model ? model->graph : nullptr;
}

void TestTfliteModels::figures()
{
    QFETCH(QString, file);
    const auto graph = graphOf(file);
    QVERIFY(graph);
    const TfliteRow row = rowOf(file);
    Checker checker(row);
    checkGraph(*graph, checker);
    checkBounds(graph, checker);
    QVERIFY2(checker.text().isEmpty(), qPrintable(checker.text()));
}

void TestTfliteModels::offsets()
{
    QFETCH(QString, file);
    const auto graph = graphOf(file);
    QVERIFY(graph);
    const TfliteRow row = rowOf(file);
    Checker checker(row);
    const auto made = study(graph, AliasMode::None, 16, checker);
    QVERIFY2(made, qPrintable(checker.text()));
    const auto outcome = planStudy(made, "tflm");
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    QVERIFY((*outcome)->isValid());
    checker.equal("tflm_head", (*outcome)->plan.arenaSize);

    const QJsonArray buffers = test::tflmPlanOf(file).value("buffers").toArray();
    QVERIFY(!buffers.isEmpty());
    const QHash<qint64, qint64> ours = offsetsOf(**outcome);
    if (ours.size() != buffers.size())
        checker.problem(QString("%1 tensors are placed, %2 by the runtime").arg(ours.size()).arg(buffers.size()));
    for (const QJsonValue& buffer : buffers) {
        const qint64 tensor = buffer["tensor"].toInteger();
        if (ours.value(tensor, -1) != buffer["offset"].toInteger())
            checker.problem(QString("tensor %1 at %2, by the runtime at %3")
                                .arg(tensor).arg(ours.value(tensor, -1)).arg(buffer["offset"].toInteger()));
    }
    QVERIFY2(checker.text().isEmpty(), qPrintable(checker.text()));
}

void TestTfliteModels::autoMeetsTheBound()
{
    QFETCH(QString, file);
    const auto graph = graphOf(file);
    QVERIFY(graph);
    const TfliteRow row = rowOf(file);
    Checker checker(row);
    const auto made = study(graph, AliasMode::None, 16, checker);
    QVERIFY2(made, qPrintable(checker.text()));
    const auto outcome = planStudy(made, "auto");
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    QVERIFY((*outcome)->isValid());
    QCOMPARE((*outcome)->plan.arenaSize, made->profile.peak); // the bound is the optimum on all of them
    QCOMPARE((*outcome)->plan.completion, Completion::Optimal);
}

void TestTfliteModels::brokenFileHasOneMessage()
{
    const QString path = test::modelPath("broken/coral_invalid.tflite");
    if (!QFile::exists(path))
        QSKIP("models/broken is missing (set ARENASCOPE_SHARED_DIR)");
    const auto model = importModel(path.toStdString());
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(describe(model.error())),
             path + ", subgraph 0, tensor 0: The file is damaged: its content is buffer 0, and the file has 0 buffers. Copy, "
                    "download or export it again.");
}

QTEST_GUILESS_MAIN(TestTfliteModels)
#include "tst_tflite_models.moc"
