// SPDX-License-Identifier: MIT
#include "support/problems.h"

#include <arenascope/validator.h>

#include <QTest>

#include <stop_token>

using namespace arenascope;
using namespace arenascope::test;

namespace {

QByteArray errorText(const Error& error)
{
    return QByteArray::fromStdString(describe(error));
}

} // namespace

class TestPlanners : public QObject {
    Q_OBJECT

private slots:
    void theLadderIsInOrder();
    void chains_data();
    void chains();
    void recordsReachTheirOptimum();
    void greedyIsValidWhereSizesAreEqual();
    void branchStrategiesRefuseBareProblems();
    void fixedOffsetsAreKeptOrRefused();
    void clashingFixedOffsetsAreNamed();
    void alignmentsOfBuffersAreKept();
    void unitsWithSeveralBuffersLieTogether();
    void inputsLieBesideTheMemories();
    void gapsAreUsed();
    void theCapacityIsNoReasonToFail();
    void cancelledBeforeItBegins();
    void sizesThatDoNotFitAreRefused();
    void autoNamesTheWinner();
};

void TestPlanners::theLadderIsInOrder()
{
    QStringList ids;
    for (const Planner* planner : planners()) {
        ids << QString::fromUtf8(planner->info().id.data(), static_cast<qsizetype>(planner->info().id.size()));
        QCOMPARE(findPlanner(planner->info().id), planner);
        QVERIFY(!planner->info().title.empty());
        QVERIFY(planner->info().summary.ends_with('.'));
    }
    QCOMPARE(ids.join(' '), QString("naive pingpong pingpong-tight pingpong-arena pingpong-pooled pingpong-escape "
                                    "greedy-by-size greedy-by-breadth greedy-by-conflicts best-fit tflm shared-objects "
                                    "hill-climb exact auto"));
    QVERIFY(!findPlanner("no-such"));
    QVERIFY(!findPlanner(""));
}

void TestPlanners::chains_data()
{
    QTest::addColumn<QList<qint64>>("sizes");
    QTest::addColumn<qint64>("pingpong");
    QTest::addColumn<qint64>("tight");
    QTest::addColumn<qint64>("arena");
    using L = QList<qint64>;
    QTest::newRow("the second largest is on the first memory's side") << L{10, 1, 9} << qint64(19) << qint64(11) << qint64(11);
    QTest::newRow("ties count") << L{10, 1, 10} << qint64(20) << qint64(11) << qint64(11);
    QTest::newRow("far apart: only the two-ended arena gains") << L{10, 1, 2, 9} << qint64(19) << qint64(19) << qint64(11);
    QTest::newRow("parity splits the largest") << L{4, 6, 3, 5, 2} << qint64(11) << qint64(10) << qint64(10);
    QTest::newRow("the two largest are neighbours") << L{16, 8, 64, 32, 8} << qint64(96) << qint64(96) << qint64(96);
    QTest::newRow("one unit has no second memory") << L{7} << qint64(7) << qint64(7) << qint64(7);
    QTest::newRow("two units") << L{3, 5} << qint64(8) << qint64(8) << qint64(8);
    QTest::newRow("equal sizes alternate") << L{5, 5, 5, 5} << qint64(10) << qint64(10) << qint64(10);
    QTest::newRow("empty outputs take nothing") << L{0, 4, 0} << qint64(4) << qint64(4) << qint64(4);
}

void TestPlanners::chains()
{
    QFETCH(QList<qint64>, sizes);
    QFETCH(qint64, pingpong);
    QFETCH(qint64, tight);
    QFETCH(qint64, arena);
    const PlacementProblem problem = chainProblem({sizes.begin(), sizes.end()});
    const qint64 bound = arena; // a chain's two-ended arena is its lower bound
    const std::pair<const char*, qint64> expected[] = {{"pingpong", pingpong}, {"pingpong-tight", tight},
                                                       {"pingpong-arena", arena}, {"pingpong-pooled", -1},
                                                       {"pingpong-escape", -1}, {"auto", bound}};
    for (const auto& [id, size] : expected) {
        const auto plan = planWith(id, problem);
        QVERIFY2(plan, id);
        if (size >= 0)
            QCOMPARE(qint64(plan->arenaSize), size);
        QVERIFY2(validatePlan(problem, *plan).isValid(), id);
        QCOMPARE(plan->completion == Completion::Optimal, qint64(plan->arenaSize) == bound);
        QCOMPARE(plan->strategy, std::string(id));
    }
}

void TestPlanners::recordsReachTheirOptimum()
{
    // Closed ranges in the source: (0,1,32)(1,4,28)(2,5,36)(3,5,16)(4,5,8)(5,7,64)(6,8,10)(7,8,40).
    const PlacementProblem problem = problemOf({{0, 2, 32}, {1, 5, 28}, {2, 6, 36}, {3, 6, 16}, {4, 6, 8}, {5, 8, 64},
                                                {6, 9, 10}, {7, 9, 40}});
    QCOMPARE(naiveBytes(problem), Bytes(234));
    QCOMPARE(liveProfile(problem).peak, Bytes(124));
    QCOMPARE(sharedObjectBound(problem), Bytes(128));
    QCOMPARE(planWith("naive", problem)->arenaSize, Bytes(234));
    const auto plan = planWith("greedy-by-size", problem);
    QCOMPARE(plan->arenaSize, Bytes(124));
    QCOMPARE(plan->completion, Completion::Optimal);
    QCOMPARE(planWith("auto", problem)->arenaSize, Bytes(124));
}

void TestPlanners::greedyIsValidWhereSizesAreEqual()
{
    int different = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        PlacementProblem problem = randomProblem(seed, 20);
        for (Buffer& buffer : problem.buffers)
            buffer.size = buffer.size % 3 + 1;
        const auto plan = planWith("greedy-by-size", problem);
        QVERIFY(plan->arenaSize >= liveProfile(problem).peak);
        QVERIFY(validatePlan(problem, *plan).isValid());
        different += plan->arenaSize > liveProfile(problem).peak;
    }
    QVERIFY(different > 0);
}

void TestPlanners::branchStrategiesRefuseBareProblems()
{
    const PlacementProblem problem = problemOf({{0, 2, 8}, {1, 3, 8}});
    for (const Planner* planner : planners()) {
        const auto plan = planner->plan(problem, {}, {}, {});
        QCOMPARE(plan.hasValue(), !planner->info().needsBranches);
        if (!plan) {
            QCOMPARE(plan.error().code, ErrorCode::StrategyNeedsBranches);
            QCOMPARE(plan.error().args.front(), std::string(planner->info().id));
        }
    }
}

void TestPlanners::fixedOffsetsAreKeptOrRefused()
{
    PlacementProblem problem = chainProblem({8, 8, 8});
    problem.buffers[1].fixedOffset = 4;
    for (const Planner* planner : planners()) {
        const auto plan = planner->plan(problem, {}, {}, {});
        if (planner->info().needsBranches || planner->info().id == "shared-objects") {
            QVERIFY(!plan);
            QCOMPARE(plan.error().code, ErrorCode::Unsupported);
            continue;
        }
        QVERIFY2(plan, planner->info().id.data());
        QCOMPARE(plan->placements[1].offset, Offset(4));
        if (planner->info().id == "tflm")
            continue; // does not look at the room below
        QVERIFY2(validatePlan(problem, *plan).isValid(), planner->info().id.data());
        // Nothing of 8 bytes fits below offset 4, so the arena ends at 12 + 8.
        if (planner->info().id != "naive")
            QCOMPARE(plan->arenaSize, Bytes(20));
    }
}

void TestPlanners::clashingFixedOffsetsAreNamed()
{
    PlacementProblem problem = problemOf({{0, 2, 8}, {1, 3, 8}});
    problem.buffers[0].fixedOffset = 0;
    problem.buffers[1].fixedOffset = 7;
    const auto plan = planWith("greedy-by-size", problem);
    QVERIFY(!plan);
    QCOMPARE(plan.error().code, ErrorCode::InvalidPlan);
    QVERIFY(errorText(plan.error()).contains("'b1'"));
    problem.buffers[1].fixedOffset = -1;
    QVERIFY(errorText(planWith("greedy-by-size", problem).error()).contains("negative"));
    problem.buffers[1].fixedOffset = 9;
    problem.buffers[1].alignment = 4;
    QVERIFY(errorText(planWith("greedy-by-size", problem).error()).contains("multiple"));
}

void TestPlanners::alignmentsOfBuffersAreKept()
{
    PlacementProblem problem = chainProblem({10, 20, 30, 5, 1}, 4);
    problem.buffers[1].alignment = 32;
    problem.buffers[2].alignment = 64;
    problem.buffers[4].alignment = 3;
    problem.regions[0].alignment = 8;
    for (const Planner* planner : planners()) {
        const auto plan = planner->plan(problem, {}, {}, {});
        if (planner->info().id == "tflm") {
            QVERIFY(!plan);
            QCOMPARE(errorText(plan.error()), QByteArray("records: Alignment to 32 (buffer 'b1') with the strategy tflm is not "
                                                         "supported. Choose greedy-by-size, or align all buffers alike."));
            continue;
        }
        QVERIFY2(plan, planner->info().id.data());
        const Validation found = validatePlan(problem, *plan);
        QVERIFY2(found.isValid(), planner->info().id.data());
    }
}

void TestPlanners::unitsWithSeveralBuffersLieTogether()
{
    // One unit writes two buffers; they lie one after the other in its memory, both aligned.
    PlacementProblem problem = problemOf({{0, 2, 10}, {0, 2, 3}, {1, 3, 5}}, 4);
    problem.branches.push_back({BranchId(0), {{{BufferId(0), BufferId(1)}, PingPongSide::None}, {{BufferId(2)}, PingPongSide::None}}});
    for (const char* id : {"pingpong", "pingpong-tight", "pingpong-arena", "pingpong-pooled"}) {
        const auto plan = planWith(id, problem);
        QVERIFY2(plan, id);
        QCOMPARE(plan->placements[1].offset - plan->placements[0].offset, Offset(12));
        QCOMPARE(plan->arenaSize, Bytes(12 + 4 + 8));
        QCOMPARE(plan->placements[0].memory, plan->placements[1].memory);
        QVERIFY(validatePlan(problem, *plan).isValid());
    }
}

void TestPlanners::inputsLieBesideTheMemories()
{
    PlacementProblem problem = chainProblem({10, 1, 9});
    Buffer input;
    input.name = "input";
    input.size = 100;
    input.live = {0, 1};
    problem.buffers.push_back(input);
    const auto literal = planWith("pingpong", problem);
    QCOMPARE(literal->arenaSize, Bytes(119));
    QVERIFY(!literal->placements[3].memory.isValid());
    QCOMPARE(literal->memories.size(), std::size_t(2));
    QCOMPARE(literal->memories[0].live, (LiveRange{0, 3}));
    // Pooled: the input dies before the second memory is needed.
    QCOMPARE(planWith("pingpong-pooled", problem)->arenaSize, Bytes(110));
}

void TestPlanners::gapsAreUsed()
{
    // b is not needed while c lives, and only its upper half while d lives.
    //
    //   8 |bbbb..bb|bb
    //   0 |bbbb.cbb|dd
    PlacementProblem problem = problemOf({{0, 10, 16}, {4, 6, 16}, {8, 10, 8}});
    problem.buffers[0].gaps = {{{8, 10}, 8, 16}, {{4, 6}, 0, 0}};
    for (const char* id : {"greedy-by-size", "greedy-by-breadth", "greedy-by-conflicts", "best-fit", "hill-climb", "auto"}) {
        const auto plan = planWith(id, problem);
        QCOMPARE(plan->arenaSize, Bytes(16));
        QVERIFY2(validatePlan(problem, *plan).isValid(), id);
        QCOMPARE(plan->completion, Completion::Optimal);
    }
}

void TestPlanners::theCapacityIsNoReasonToFail()
{
    PlacementProblem problem = chainProblem({10, 10});
    problem.regions[0].capacity = 15;
    const auto plan = planWith("auto", problem);
    QVERIFY(plan);
    QCOMPARE(plan->arenaSize, Bytes(20));
    const Validation found = validatePlan(problem, *plan);
    QCOMPARE(found.clashCount, std::int64_t(1));
    QCOMPARE(found.clashes.front().kind, ClashKind::BeyondArena);
}

void TestPlanners::cancelledBeforeItBegins()
{
    std::stop_source source;
    source.request_stop();
    const PlacementProblem problem = chainProblem({10, 10});
    for (const Planner* planner : planners()) {
        const auto plan = planner->plan(problem, {}, source.get_token(), {});
        QVERIFY(!plan);
        QCOMPARE(plan.error().code, ErrorCode::Cancelled);
    }
}

void TestPlanners::sizesThatDoNotFitAreRefused()
{
    const Bytes huge = Bytes(1) << 62;
    const PlacementProblem problem = chainProblem({huge, huge, huge});
    for (const Planner* planner : planners()) {
        const auto plan = planner->plan(problem, {}, {}, {});
        QVERIFY2(!plan, planner->info().id.data());
        QCOMPARE(plan.error().code, ErrorCode::SizeOverflow);
    }
}

void TestPlanners::autoNamesTheWinner()
{
    const auto chain = planWith("auto", chainProblem({10, 1, 2, 9}));
    QCOMPARE(chain->strategy, std::string("auto"));
    QCOMPARE(chain->chosen, std::string("pingpong-arena"));
    QCOMPARE(planWith("auto", chainProblem({16, 8, 64, 32, 8}))->chosen, std::string("pingpong"));
    QCOMPARE(planWith("auto", chainProblem({16}))->chosen, std::string("naive"));
    QCOMPARE(planWith("pingpong", chainProblem({1, 2}))->chosen, std::string("pingpong"));
}

QTEST_APPLESS_MAIN(TestPlanners)
#include "tst_planners.moc"
