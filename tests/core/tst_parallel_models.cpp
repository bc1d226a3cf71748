// SPDX-License-Identifier: MIT
// Plans for any order of the operators of real model files (models/onnx.tsv beside the checkout): proven smallest, and safe in
// orders by chance.
#include "support/interleave.h"
#include "support/problems.h"

#include <arenascope/importer.h>

#include <QFile>
#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

QString modelPath(const QString& relative)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + relative;
}

/// "a[1, 3]:f32; b[]:i64" -> shapes by name.
ImportOptions optionsFrom(const QString& inputs)
{
    ImportOptions options;
    for (const QString& input : inputs.split("; ", Qt::SkipEmptyParts)) {
        const qsizetype open = input.lastIndexOf('[');
        std::vector<std::int64_t> dims;
        for (const QString& dim : input.mid(open + 1, input.lastIndexOf(']') - open - 1).split(',', Qt::SkipEmptyParts))
            dims.push_back(dim.trimmed().toLongLong());
        options.shapes[input.left(open).toStdString()] = std::move(dims);
    }
    return options;
}

} // namespace

class TestParallelModels : public QObject {
    Q_OBJECT

private slots:
    void areProven_data();
    void areProven();
};

void TestParallelModels::areProven_data()
{
    QTest::addColumn<QString>("inputs");
    QFile table(modelPath("onnx.tsv"));
    if (!table.open(QIODevice::ReadOnly))
        QSKIP("models/onnx.tsv is missing (set ARENASCOPE_SHARED_DIR)");
    const QStringList columns = QString::fromUtf8(table.readLine()).trimmed().split('\t');
    while (!table.atEnd()) {
        const QStringList cells = QString::fromUtf8(table.readLine()).split('\t');
        QTest::newRow(qPrintable(cells[0])) << cells[columns.indexOf("inputs")];
    }
}

void TestParallelModels::areProven()
{
    QFETCH(QString, inputs);
    const auto model = importModel(modelPath(QTest::currentDataTag()).toStdString(), optionsFrom(inputs));
    if (!model)
        QSKIP("the file is one that does not open");
    if (!model->graph->tensorsOfUnknownSize().empty())
        QSKIP("sizes depend on the content of an input");
    Bytes before = 0;
    for (const AliasMode alias : {AliasMode::All, AliasMode::InPlace, AliasMode::Views, AliasMode::None}) {
        StudyOptions options{.alias = alias};
        const auto sequential = makeStudy(model->graph, options);
        options.problem.concurrency = Concurrency::Parallel;
        const auto study = makeStudy(model->graph, options);
        QVERIFY(sequential && study);
        QVERIFY((*study)->lowerBound() >= (*sequential)->lowerBound());
        QVERIFY((*study)->lowerBound() >= before); // the less may be shared, the more is needed
        before = (*study)->lowerBound();
        const auto outcome = planStudy(*study, "auto", shortSearch(100'000));
        QVERIFY(outcome && (*outcome)->isValid());
        QCOMPARE((*outcome)->plan.completion, Completion::Optimal);
        PlacementProblem problem = (*study)->problem;
        problem.concurrency = Concurrency::Sequential; // only look whether anything is written over
        for (std::uint64_t seed = 1; seed <= 3; ++seed)
            QVERIFY(replayPlan(*model->graph, randomOrder(*model->graph, seed), problem, (*outcome)->plan).isValid());
    }
}

QTEST_APPLESS_MAIN(TestParallelModels)
#include "tst_parallel_models.moc"
