// SPDX-License-Identifier: MIT
#include "ui/item_lookup.h"
#include "ui/models/branches_model.h"
#include "ui/models/buffers_model.h"
#include "ui/models/ladder_model.h"
#include "ui/models/operators_model.h"
#include "ui/models/peak_model.h"
#include "ui/models/row_proxy.h"
#include "ui/models/tensors_model.h"

#include "support/ui_graphs.h"

#include <arenascope/report.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace arenascope;
using namespace arenascope::ui;

class TestModels : public QObject {
    Q_OBJECT
private slots:
    void init() { m_outcome = test::planned(test::residualGraph()); }
    void operatorsTellTheirBytes();
    void operatorsWithoutAStudyStillTellTheGraph();
    void tensorsTellWhereTheyLive();
    void weightsAreShownOnRequest();
    void buffersTellTheirPlace();
    void branchesTellTheirMemories();
    void peakTellsWhy();
    void peakBeyondTheScheduleIsEmpty();
    void ladderComparesStrategies();
    void ladderMarksTheCurrentOne();
    void sizesSortByBytesNotByWords();
    void missingNumbersComeFirst();
    void filterKeepsMatchingRows();
    void proxyFindsRowsOfItems();
    void sortFollowsNewContent();
    void twentyThousandRowsSortAndFilter();
    void counterparts();
    void stepsOfItems();

private:
    const Graph& graph() const { return *m_outcome->study->graph; }
    QVariant cell(const QAbstractItemModel& model, int row, int column, int role = Qt::DisplayRole) const
    {
        return model.index(row, column).data(role);
    }
    std::shared_ptr<const PlanOutcome> m_outcome;
};

namespace {

constexpr auto kMode = QAbstractItemModelTester::FailureReportingMode::QtTest;

} // namespace

void TestModels::operatorsTellTheirBytes()
{
    OperatorsModel model;
    QAbstractItemModelTester tester(&model, kMode);
    QCOMPARE(model.rowCount(), 0);
    model.setContent(m_outcome->study->graph, m_outcome->study);
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(cell(model, 3, OperatorsModel::KindColumn).toString(), QStringLiteral("Add"));
    QCOMPARE(cell(model, 3, OperatorsModel::StepColumn, RawRole).toLongLong(), 3);
    QCOMPARE(cell(model, 3, OperatorsModel::WritesColumn, RawRole).toLongLong(), 1000);
    QCOMPARE(cell(model, 3, OperatorsModel::ReadsColumn, RawRole).toLongLong(), 2000);
    QCOMPARE(cell(model, 3, OperatorsModel::LiveColumn, RawRole).toLongLong(), 3000);
    QCOMPARE(cell(model, 0, OperatorsModel::LiveColumn, RawRole).toLongLong(), 1100);
    QCOMPARE(cell(model, 3, OperatorsModel::LiveColumn, Qt::ToolTipRole).toString(), QStringLiteral("3,000 bytes"));
    QCOMPARE(cell(model, 3, 0, ItemRole).value<Item>(), Item::of(OpId(3)));
    QCOMPARE(model.rowOf(Item::of(OpId(2))), 2);
    QCOMPARE(model.rowOf(Item::of(TensorId(2))), -1);
    const auto alignment = cell(model, 3, OperatorsModel::LiveColumn, Qt::TextAlignmentRole).toInt();
    QVERIFY(alignment & Qt::AlignRight);
}

void TestModels::operatorsWithoutAStudyStillTellTheGraph()
{
    OperatorsModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setContent(m_outcome->study->graph, nullptr);
    QCOMPARE(model.rowCount(), 4);
    QVERIFY(!cell(model, 0, OperatorsModel::StepColumn, RawRole).isValid());
    QCOMPARE(cell(model, 1, OperatorsModel::KindColumn).toString(), QStringLiteral("Relu"));
}

void TestModels::tensorsTellWhereTheyLive()
{
    TensorsModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setContent(m_outcome->study->graph, m_outcome);
    QCOMPARE(model.rowCount(), 5);
    const int row = model.rowOf(Item::of(graph().findTensor("a")));
    QVERIFY(row >= 0);
    QCOMPARE(cell(model, row, TensorsModel::SizeColumn, RawRole).toLongLong(), 1000);
    QCOMPARE(cell(model, row, TensorsModel::FirstColumn, RawRole).toLongLong(), 0);
    QCOMPARE(cell(model, row, TensorsModel::LastColumn, RawRole).toLongLong(), 3);
    QCOMPARE(cell(model, row, TensorsModel::ReadersColumn, RawRole).toLongLong(), 2);
    const auto offset = tensorOffset(*m_outcome->study, m_outcome->plan, graph().findTensor("a"));
    QCOMPARE(cell(model, row, TensorsModel::OffsetColumn, RawRole).toLongLong(), *offset);

    // A plan of another graph says nothing about this one.
    model.setContent(test::residualGraph(), m_outcome);
    QVERIFY(!cell(model, row, TensorsModel::OffsetColumn, RawRole).isValid());
}

void TestModels::weightsAreShownOnRequest()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape::of({ 4 }));
    const TensorId w = builder.addWeight("w", ElementType::Float32, Shape::of({ 1000 }));
    builder.addOutput(builder.addSimple("Conv", { x, w }, "y", 16));
    const auto built = std::move(builder).build();
    QVERIFY(built.hasValue());
    TensorsModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setContent(*built, nullptr);
    QCOMPARE(model.rowCount(), 2);
    model.setShowsWeights(true);
    QCOMPARE(model.rowCount(), 3);
    const int row = model.rowOf(Item::of((*built)->findTensor("w")));
    QCOMPARE(cell(model, row, TensorsModel::SizeColumn, RawRole).toLongLong(), 4000);
    model.setShowsWeights(false);
    QCOMPARE(model.rowOf(Item::of((*built)->findTensor("w"))), -1);
}

void TestModels::buffersTellTheirPlace()
{
    BuffersModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setOutcome(m_outcome);
    QCOMPARE(model.rowCount(), 5);
    for (int row = 0; row < model.rowCount(); ++row) {
        const auto offset = cell(model, row, BuffersModel::OffsetColumn, RawRole).toLongLong();
        const auto reserved = cell(model, row, BuffersModel::ReservedColumn, RawRole).toLongLong();
        const auto end = cell(model, row, BuffersModel::EndColumn, RawRole).toLongLong();
        QCOMPARE(offset + reserved, end);
        QVERIFY(end <= m_outcome->plan.arenaSize);
        const auto first = cell(model, row, BuffersModel::FirstColumn, RawRole).toLongLong();
        const auto last = cell(model, row, BuffersModel::LastColumn, RawRole).toLongLong();
        QCOMPARE(cell(model, row, BuffersModel::StepsColumn, RawRole).toLongLong(), last - first + 1);
    }
}

void TestModels::branchesTellTheirMemories()
{
    BranchesModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setStudy(m_outcome->study);
    const auto& branches = m_outcome->study->branches.branches;
    QCOMPARE(model.rowCount(), static_cast<int>(branches.size()));
    QVERIFY(model.rowCount() >= 2); // a fork ends a branch
    qlonglong operators = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        operators += cell(model, row, BranchesModel::OperatorsColumn, RawRole).toLongLong();
        QVERIFY(cell(model, row, BranchesModel::FirstColumn, RawRole).toLongLong()
            >= cell(model, row, BranchesModel::SecondColumn, RawRole).toLongLong());
        QVERIFY(!cell(model, row, BranchesModel::FromColumn).toString().isEmpty());
    }
    QCOMPARE(operators, 4);
}

void TestModels::peakTellsWhy()
{
    PeakModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setContent(m_outcome->study, m_outcome->study->profile.peakStep);
    QCOMPARE(m_outcome->study->profile.peakStep, 3);
    QCOMPARE(model.rowCount(), 3);
    double share = 0;
    for (int row = 0; row < 3; ++row) {
        QCOMPARE(cell(model, row, PeakModel::SizeColumn, RawRole).toLongLong(), 1000);
        share += cell(model, row, PeakModel::ShareColumn, RawRole).toDouble();
    }
    QVERIFY(qFuzzyCompare(share, 1.0));
    const auto whyOf = [&](const char* tensor) {
        const BufferId buffer = m_outcome->study->bufferOf[graph().findTensor(tensor).index()];
        return cell(model, model.rowOf(Item::of(buffer)), PeakModel::WhyColumn).toString();
    };
    QCOMPARE(whyOf("d"), QStringLiteral("written here"));
    QCOMPARE(whyOf("c"), QStringLiteral("read here"));
    model.setContent(m_outcome->study, 2);
    QVERIFY2(whyOf("a").startsWith(QLatin1String("kept for")), qPrintable(whyOf("a")));
    QVERIFY2(whyOf("a").contains(QLatin1String("step 3")), qPrintable(whyOf("a")));
}

void TestModels::peakBeyondTheScheduleIsEmpty()
{
    PeakModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setContent(m_outcome->study, 4);
    QCOMPARE(model.rowCount(), 0);
    model.setContent(m_outcome->study, -1);
    QCOMPARE(model.rowCount(), 0);
    model.setContent(nullptr, 0);
    QCOMPARE(model.rowCount(), 0);
}

void TestModels::ladderComparesStrategies()
{
    LadderModel model;
    QAbstractItemModelTester tester(&model, kMode);
    model.setRungs(climbLadder(m_outcome->study));
    QVERIFY(model.rowCount() >= 6);
    const int naive = model.rowOfStrategy(QStringLiteral("naive"));
    const int greedy = model.rowOfStrategy(QStringLiteral("greedy-by-size"));
    QVERIFY(naive >= 0 && greedy >= 0);
    QCOMPARE(cell(model, naive, LadderModel::ArenaColumn, RawRole).toLongLong(), 3600);
    QCOMPARE(cell(model, naive, LadderModel::GapColumn, RawRole).toDouble(), 0.2);
    QCOMPARE(cell(model, naive, LadderModel::NaiveColumn, RawRole).toDouble(), 0.0);
    QCOMPARE(cell(model, greedy, LadderModel::ArenaColumn, RawRole).toLongLong(), 3000);
    QVERIFY(cell(model, greedy, LadderModel::StateColumn).toString().contains(QLatin1String("bound")));
    // The same rungs again are no reset.
    const auto rungs = climbLadder(m_outcome->study);
    model.setRungs(rungs);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setRungs(rungs);
    QVERIFY(reset.isEmpty());
}

void TestModels::ladderMarksTheCurrentOne()
{
    LadderModel model;
    model.setRungs(climbLadder(m_outcome->study));
    const int row = model.rowOfStrategy(QStringLiteral("pingpong"));
    QVERIFY(!cell(model, row, 0, Qt::FontRole).value<QFont>().bold());
    model.setCurrent(QStringLiteral("pingpong"), {});
    QVERIFY(cell(model, row, 0, Qt::FontRole).value<QFont>().bold());
    QVERIFY(cell(model, row, 0).toString() != cell(model, row, 0, RawRole).toString()); // not by weight alone
}

void TestModels::sizesSortByBytesNotByWords()
{
    // "1000 B" < "500 B" as words.
    auto* model = new TensorsModel(this);
    model->setContent(m_outcome->study->graph, m_outcome);
    RowProxy proxy(model);
    QAbstractItemModelTester tester(&proxy, kMode);
    proxy.sort(TensorsModel::SizeColumn, Qt::AscendingOrder);
    QList<qlonglong> sizes;
    for (int row = 0; row < proxy.rowCount(); ++row)
        sizes << proxy.index(row, TensorsModel::SizeColumn).data(RawRole).toLongLong();
    QCOMPARE(sizes, (QList<qlonglong> { 100, 500, 1000, 1000, 1000 }));
    proxy.sort(TensorsModel::SizeColumn, Qt::DescendingOrder);
    QCOMPARE(proxy.index(4, TensorsModel::SizeColumn).data(RawRole).toLongLong(), 100);
}

void TestModels::missingNumbersComeFirst()
{
    auto* model = new TensorsModel(this);
    StudyOptions options = test::unaligned();
    options.problem.io = { false, false };
    const auto outcome = test::planned(test::residualGraph(), options);
    model->setContent(outcome->study->graph, outcome);
    RowProxy proxy(model);
    proxy.sort(TensorsModel::OffsetColumn, Qt::AscendingOrder);
    QVERIFY(!proxy.index(0, TensorsModel::OffsetColumn).data(RawRole).isValid());
    QVERIFY(proxy.index(proxy.rowCount() - 1, TensorsModel::OffsetColumn).data(RawRole).isValid());
}

void TestModels::filterKeepsMatchingRows()
{
    auto* model = new OperatorsModel(this);
    model->setContent(m_outcome->study->graph, m_outcome->study);
    RowProxy proxy(model);
    QAbstractItemModelTester tester(&proxy, kMode);
    proxy.setMatcher(TextMatcher(QStringLiteral("conv")));
    QCOMPARE(proxy.rowCount(), 2);
    proxy.setMatcher(TextMatcher(QStringLiteral("/^.*(Add|Relu)/")));
    QCOMPARE(proxy.rowCount(), 2);
    proxy.setMatcher(TextMatcher(QStringLiteral("nothing")));
    QCOMPARE(proxy.rowCount(), 0);
    proxy.setMatcher(TextMatcher());
    QCOMPARE(proxy.rowCount(), 4);
}

void TestModels::proxyFindsRowsOfItems()
{
    auto* model = new OperatorsModel(this);
    model->setContent(m_outcome->study->graph, m_outcome->study);
    RowProxy proxy(model);
    proxy.sort(OperatorsModel::StepColumn, Qt::DescendingOrder);
    QCOMPARE(proxy.rowOf(Item::of(OpId(3))), 0);
    QCOMPARE(proxy.itemAt(0), Item::of(OpId(3)));
    proxy.setMatcher(TextMatcher(QStringLiteral("conv")));
    QCOMPARE(proxy.rowOf(Item::of(OpId(3))), -1);
    QCOMPARE(proxy.rowOf(Item::of(BranchId(0))), -1);
    QVERIFY(proxy.itemAt(99).isNone());
}

void TestModels::sortFollowsNewContent()
{
    auto* model = new OperatorsModel(this);
    model->setContent(m_outcome->study->graph, m_outcome->study);
    RowProxy proxy(model);
    QAbstractItemModelTester tester(&proxy, kMode);
    proxy.sort(OperatorsModel::WritesColumn, Qt::AscendingOrder);
    const auto chain = test::planned(test::chainGraph(9));
    model->setContent(chain->study->graph, chain->study);
    QCOMPARE(proxy.rowCount(), 9);
    for (int row = 1; row < 9; ++row) {
        QVERIFY(proxy.index(row - 1, OperatorsModel::WritesColumn).data(RawRole).toLongLong()
            <= proxy.index(row, OperatorsModel::WritesColumn).data(RawRole).toLongLong());
    }
}

void TestModels::twentyThousandRowsSortAndFilter()
{
    constexpr int kRows = 20'000;
    const auto outcome = test::planned(test::chainGraph(kRows));
    auto* model = new OperatorsModel(this);
    model->setContent(outcome->study->graph, outcome->study);
    RowProxy proxy(model);
    QAbstractItemModelTester tester(&proxy, kMode);
    QCOMPARE(proxy.rowCount(), kRows); // as they come, until they are in order
    proxy.sort(OperatorsModel::NameColumn, Qt::DescendingOrder);
    proxy.sort(OperatorsModel::LiveColumn, Qt::AscendingOrder);
    const QPersistentModelIndex first = proxy.mapFromSource(model->index(0, 0));
    QVERIFY(proxy.isBusy());
    QTRY_VERIFY(!proxy.isBusy());
    QCOMPARE(proxy.rowCount(), kRows);
    QCOMPARE(proxy.itemAt(first.row()), Item::of(OpId(0)));
    for (int row = 1; row < kRows; ++row) {
        QVERIFY(proxy.index(row - 1, OperatorsModel::LiveColumn).data(RawRole).toLongLong()
            <= proxy.index(row, OperatorsModel::LiveColumn).data(RawRole).toLongLong());
    }
    proxy.setMatcher(TextMatcher(QStringLiteral("nothing")));
    proxy.setMatcher(TextMatcher(QStringLiteral("Conv"))); // takes the place of the one before
    QTRY_COMPARE(proxy.rowCount(), 6667); // every third, the first among them
    const auto small = test::planned(test::chainGraph(9));
    proxy.setMatcher(TextMatcher(QStringLiteral("Relu")));
    model->setContent(small->study->graph, small->study); // while the large one is still arranged
    const int left = proxy.rowCount();
    QTest::qWait(50);
    QCOMPARE(proxy.rowCount(), left);
    QVERIFY(left > 0 && left < 9);
}

void TestModels::counterparts()
{
    const Study& study = *m_outcome->study;
    const TensorId a = graph().findTensor("a");
    const BufferId buffer = study.bufferOf[a.index()];
    using Kind = Item::Kind;
    QCOMPARE(counterpart(graph(), &study, Item::of(OpId(0)), Kind::Tensor), Item::of(a));
    QCOMPARE(counterpart(graph(), &study, Item::of(a), Kind::Operator), Item::of(OpId(0)));
    QCOMPARE(counterpart(graph(), &study, Item::of(a), Kind::Buffer), Item::of(buffer));
    QCOMPARE(counterpart(graph(), &study, Item::of(buffer), Kind::Tensor), Item::of(a));
    QCOMPARE(counterpart(graph(), &study, Item::of(OpId(0)), Kind::Branch), Item::of(study.branches.branchOf[0]));
    QVERIFY(counterpart(graph(), &study, Item::of(graph().findTensor("x")), Kind::Branch).isNone());
    QVERIFY(counterpart(graph(), nullptr, Item::of(a), Kind::Buffer).isNone());
    QVERIFY(counterpart(graph(), &study, Item(), Kind::Operator).isNone());
}

void TestModels::stepsOfItems()
{
    const Study& study = *m_outcome->study;
    QCOMPARE(stepOf(graph(), study, Item::of(OpId(2))), 2);
    QCOMPARE(stepOf(graph(), study, Item::of(graph().findTensor("d"))), 3);
    QCOMPARE(stepOf(graph(), study, Item::of(graph().findTensor("x"))), 0);
    QCOMPARE(stepOf(graph(), study, Item()), -1);
}

QTEST_MAIN(TestModels)
#include "tst_item_models.moc"
