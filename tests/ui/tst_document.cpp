// SPDX-License-Identifier: MIT
#include "ui/document.h"
#include "ui/job_runner.h"
#include "ui/matches.h"
#include "ui/selection.h"

#include "support/ui_graphs.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace arenascope;
using namespace arenascope::ui;

class TestDocument : public QObject {
    Q_OBJECT
private slots:
    void opensAFileThroughAllStages();
    void brokenFileLeavesTheModel();
    void missingFileSaysSo();
    void anotherStrategyPlansAnew();
    void optionsInvalidateOnlyWhatFollows();
    void sameOptionsDoNothing();
    void lastOpenedFileWins();
    void cancelledImportIsNoFailure();
    void closeEmptiesEverything();
    void closeWhileOpening();
    void destructionWhileBusyIsClean();
    void unknownSizesCanStillBeViewed();
    void shapesOfOneFileDoNotReachAnother();
    void playheadStaysWithinTheSchedule();
    void resultsArriveInTheGuiThread();
    void filterFindsAnOperatorWithWhatItWrites();
    void largeNetworksAreSearchedOnAWorker();

private:
    static QString sample(const char* name) { return QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples/") + QLatin1String(name); }
    static bool settle(const Document& document) { return QTest::qWaitFor([&] { return !document.isBusy(); }, 20'000); }
};

void TestDocument::opensAFileThroughAllStages()
{
    Document document;
    QSignalSpy failed(&document, &Document::failed);
    document.open(sample("residual.onnx"));
    QVERIFY(document.isBusy(Stage::Import));
    QVERIFY(settle(document));
    QCOMPARE(failed.size(), 0);
    QCOMPARE(document.path(), sample("residual.onnx"));
    QVERIFY(document.graph() && document.study() && document.outcome() && document.trace() && document.layout());
    QCOMPARE(document.study()->graph, document.graph());
    QCOMPARE(document.outcome()->study, document.study());
    QVERIFY(document.outcome()->isValid());
    QCOMPARE(document.trace()->steps.size(), document.study()->schedule.order.size());
    QCOMPARE(document.layout()->nodes.size(), document.drawnGraph()->nodes.size());
    QVERIFY(document.ladder().size() > 3);
    QCOMPARE(document.selection()->stepCount(), document.study()->schedule.stepCount());
}

void TestDocument::brokenFileLeavesTheModel()
{
    Document document;
    document.open(sample("chain.onnx"));
    QVERIFY(settle(document));
    const auto graph = document.graph();
    const auto outcome = document.outcome();
    QSignalSpy failed(&document, &Document::failed);
    document.open(sample("broken.onnx"));
    QVERIFY(settle(document));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed[0][0].value<Stage>(), Stage::Import);
    QCOMPARE(document.graph(), graph);
    QCOMPARE(document.outcome(), outcome);
    QCOMPARE(document.path(), sample("chain.onnx"));
}

void TestDocument::missingFileSaysSo()
{
    Document document;
    QSignalSpy failed(&document, &Document::failed);
    document.open(QStringLiteral("/nowhere/model.onnx"));
    QVERIFY(settle(document));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed[0][1].value<Error>().code, ErrorCode::FileNotFound);
    QVERIFY(!document.graph());
    QVERIFY(document.path().isEmpty());
}

void TestDocument::anotherStrategyPlansAnew()
{
    Document document;
    document.setStudyOptions(test::unaligned());
    document.setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle(document));
    QCOMPARE(document.outcome()->plan.arenaSize, 3000);
    const auto study = document.study();
    document.setStrategy(QStringLiteral("naive"));
    QVERIFY(settle(document));
    QCOMPARE(document.study(), study);
    QCOMPARE(document.outcome()->plan.strategy, std::string("naive"));
    QCOMPARE(document.outcome()->plan.arenaSize, 3600);
}

void TestDocument::optionsInvalidateOnlyWhatFollows()
{
    Document document;
    document.setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle(document));
    const auto graph = document.graph();
    const auto layout = document.layout();
    const auto study = document.study();
    document.setStudyOptions(test::unaligned());
    QVERIFY(settle(document));
    QCOMPARE(document.graph(), graph);
    QCOMPARE(document.layout(), layout);
    QVERIFY(document.study() != study);
    QCOMPARE(document.outcome()->study, document.study());
    QCOMPARE(document.study()->problem.alignment, 1);
}

void TestDocument::sameOptionsDoNothing()
{
    Document document;
    document.setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle(document));
    QSignalSpy changed(&document, &Document::optionsChanged);
    document.setStudyOptions(document.studyOptions());
    document.setStrategy(document.strategy());
    QVERIFY(!document.isBusy());
    QCOMPARE(changed.size(), 0);
}

void TestDocument::lastOpenedFileWins()
{
    Document document;
    QSignalSpy paths(&document, &Document::pathChanged);
    document.open(sample("chain.onnx"));
    document.open(sample("unet.onnx"));
    document.open(sample("residual.onnx"));
    QVERIFY(settle(document));
    QCOMPARE(document.path(), sample("residual.onnx"));
    QCOMPARE(paths.size(), 1);
}

void TestDocument::cancelledImportIsNoFailure()
{
    Document document;
    QSignalSpy failed(&document, &Document::failed);
    document.open(sample("mobilenet_v2.onnx"));
    document.cancel(Stage::Import);
    QVERIFY(settle(document));
    QCOMPARE(failed.size(), 0);
}

void TestDocument::closeEmptiesEverything()
{
    Document document;
    document.open(sample("chain.onnx"));
    QVERIFY(settle(document));
    document.close();
    QVERIFY(!document.graph() && !document.study() && !document.outcome() && !document.trace() && !document.layout());
    QVERIFY(document.path().isEmpty());
    QVERIFY(document.ladder().empty());
    QCOMPARE(document.selection()->stepCount(), 0);
}

void TestDocument::closeWhileOpening()
{
    Document document;
    document.open(sample("mobilenet_v2.onnx"));
    document.close();
    QVERIFY(!document.isBusy(Stage::Import));
    QVERIFY(settle(document));
    QTest::qWait(50);
    QVERIFY(!document.graph());
}

void TestDocument::destructionWhileBusyIsClean()
{
    for (int pause = 0; pause < 6; ++pause) {
        auto document = std::make_unique<Document>();
        document->setGraph(test::chainGraph(3000), QStringLiteral("chain"));
        QTest::qWait(pause);
        document.reset();
    }
}

void TestDocument::unknownSizesCanStillBeViewed()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape { true, { kUnknownDim, 3 }, { "batch", "" } });
    builder.addOutput(builder.addSimple("Relu", { x }, "y", kUnknownBytes));
    const auto graph = std::move(builder).build();
    QVERIFY(graph.hasValue());
    Document document;
    QSignalSpy failed(&document, &Document::failed);
    document.setGraph(*graph, QStringLiteral("dynamic"));
    QVERIFY(settle(document));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed[0][0].value<Stage>(), Stage::Study);
    QCOMPARE(failed[0][1].value<Error>().code, ErrorCode::UnknownShape);
    QVERIFY(document.graph() && document.layout());
    QVERIFY(!document.outcome());
}

void TestDocument::shapesOfOneFileDoNotReachAnother()
{
    Document document;
    document.open(sample("chain.onnx"));
    QVERIFY(settle(document));
    ImportOptions wrong;
    wrong.dims["no such dimension"] = 4;
    document.setImportOptions(wrong);
    QVERIFY(settle(document));
    QVERIFY(document.importOptions().dims.empty()); // what the file refuses is not taken over
    const Tensor& input = document.graph()->tensor(document.graph()->inputs().front());
    ImportOptions options;
    options.shapes[input.name] = input.shape.dims;
    document.setImportOptions(options);
    QVERIFY(settle(document));
    QCOMPARE(document.importOptions().shapes.size(), 1u);
    QCOMPARE(document.path(), sample("chain.onnx"));
    document.open(sample("residual.onnx"));
    QVERIFY(settle(document));
    QVERIFY(document.importOptions().shapes.empty());
}

void TestDocument::playheadStaysWithinTheSchedule()
{
    Document document;
    document.setGraph(test::chainGraph(50), QStringLiteral("long"));
    QVERIFY(settle(document));
    document.selection()->setPlayhead(49);
    QCOMPARE(document.selection()->playhead(), 49);
    document.setGraph(test::chainGraph(5), QStringLiteral("short"));
    QVERIFY(settle(document));
    QVERIFY(document.selection()->playhead() < 5);
}

void TestDocument::resultsArriveInTheGuiThread()
{
    Document document;
    QList<QThread*> threads;
    for (const auto signal : { &Document::graphChanged, &Document::studyChanged, &Document::outcomeChanged, &Document::layoutChanged })
        connect(&document, signal, this, [&] { threads << QThread::currentThread(); }, Qt::DirectConnection);
    document.open(sample("chain.onnx"));
    QVERIFY(settle(document));
    QVERIFY(threads.size() >= 4);
    for (QThread* each : threads)
        QCOMPARE(each, thread());
}

void TestDocument::filterFindsAnOperatorWithWhatItWrites()
{
    Document document;
    document.setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(!document.matches()->isActive);
    QVERIFY(document.matches()->isLit(OpId(2))); // nothing is searched for: everything
    QSignalSpy changed(&document, &Document::matchesChanged);
    document.selection()->setFilter(QStringLiteral("conv"));
    QCOMPARE(changed.size(), 1);
    const Matches& found = *document.matches();
    const Graph& graph = *document.graph();
    QCOMPARE(found.items, (std::vector<Item> { Item::of(OpId(0)), Item::of(OpId(2)) }));
    QVERIFY(found.isLit(OpId(0)) && !found.isLit(OpId(1)) && found.isLit(OpId(2)));
    QVERIFY(found.isLit(graph.findTensor("a")) && !found.isLit(graph.findTensor("b")) && found.isLit(graph.findTensor("c")));
    document.selection()->setFilter(QStringLiteral("/[/")); // no pattern: as if there were none
    QVERIFY(!document.matches()->isActive);
    document.selection()->setFilter(QStringLiteral("conv"));
    document.setGraph(test::chainGraph(3), QStringLiteral("chain")); // the same text in another network
    QCOMPARE(document.matches()->graph, document.graph());
    QCOMPARE(document.matches()->items, (std::vector<Item> { Item::of(OpId(0)) }));
    QVERIFY(settle(document));
}

void TestDocument::largeNetworksAreSearchedOnAWorker()
{
    Document document;
    document.setGraph(test::chainGraph(3000), QStringLiteral("chain"));
    QVERIFY(settle(document));
    document.selection()->setFilter(QStringLiteral("t1"));
    document.selection()->setFilter(QStringLiteral("/^t2999 /")); // takes the place of the one before
    QVERIFY(document.isBusy());
    QVERIFY(settle(document));
    QCOMPARE(document.matches()->text, QStringLiteral("/^t2999 /"));
    QVERIFY(document.matches()->isLit(OpId(2999)));
    QVERIFY(!document.matches()->isLit(OpId(0)));
    document.selection()->setFilter(QStringLiteral("t2"));
    document.close();
    QVERIFY(settle(document));
    QVERIFY(!document.matches()->isActive);
}

QTEST_MAIN(TestDocument)
#include "tst_document.moc"
