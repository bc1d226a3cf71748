// SPDX-License-Identifier: MIT
// Plans for any order of the operators of real model files (models/onnx.tsv beside the checkout): proven smallest, and safe in
// orders by chance.
#include "support/interleave.h"
#include "support/model_table.h"
#include "support/problems.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

class TestParallelModels : public QObject {
    Q_OBJECT

private slots:
    void areProven_data();
    void areProven();
};

void TestParallelModels::areProven_data()
{
    QTest::addColumn<QString>("inputs");
    forEachModel({}, [](const QString& model, const QString& inputs, const QString&) { QTest::newRow(qPrintable(model)) << inputs; });
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
