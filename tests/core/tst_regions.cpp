// SPDX-License-Identifier: MIT
#include <arenascope/planner.h>
#include <arenascope/validator.h>

#include <QTest>

#include <algorithm>
#include <random>

using namespace arenascope;

namespace {

Buffer buffer(std::string name, Bytes size, LiveRange live, std::int64_t uses)
{
    Buffer made;
    made.name = std::move(name);
    made.size = size;
    made.live = live;
    made.uses = uses;
    return made;
}

MemoryRegion region(std::string name, std::optional<Bytes> capacity, double cost)
{
    MemoryRegion made;
    made.name = std::move(name);
    made.capacity = capacity;
    made.cost = cost;
    return made;
}

Plan planned(const PlacementProblem& problem, std::string_view strategy = "greedy-by-size")
{
    const auto plan = findPlanner(strategy)->plan(problem, {}, {}, {});
    if (!plan)
        qFatal("%s", describe(plan.error()).c_str());
    return *plan;
}

/// a is alive all the time and used seldom, b and c come one after the other and are used much.
PlacementProblem smallProblem()
{
    PlacementProblem problem;
    problem.stepCount = 4;
    problem.buffers = {buffer("a", 6, {0, 4}, 2), buffer("b", 5, {0, 2}, 6), buffer("c", 4, {2, 4}, 6)};
    return problem;
}

} // namespace

class TestRegions : public QObject {
    Q_OBJECT

private slots:
    void whatIsUsedLeastIsSpilled();
    void everythingStaysWhereThereIsRoom();
    void theCheapestIsFilledFirst();
    void aShapeThatDoesNotFitIsSpilledAndSaid();
    void theLastRegionMayOverflow();
    void strategiesOfBranchesRefuse();
    void sharedObjectsKeepTheirObjects();
    void randomProblemsStayWithinTheirRegions();
};

void TestRegions::whatIsUsedLeastIsSpilled()
{
    PlacementProblem problem = smallProblem();
    problem.regions = {region("sram", 8, 0), region("psram", std::nullopt, 1)};
    const Plan plan = planned(problem);
    QVERIFY(validatePlan(problem, plan).isValid());
    // 11 bytes at once are 3 too many; a is used half a time a step, b and c three times.
    QCOMPARE(plan.spills.size(), std::size_t(1));
    QCOMPARE(plan.spills[0].buffer, BufferId(0));
    QCOMPARE(plan.spills[0].from, RegionId(0));
    QCOMPARE(plan.spills[0].step, Step(0));
    QCOMPARE(plan.spills[0].excess, Bytes(3));
    QCOMPARE(plan.placements[0].region, RegionId(1));
    QCOMPARE(plan.placements[1].region, RegionId(0));
    QCOMPARE(plan.placements[2].region, RegionId(0));
    QCOMPARE(plan.regionSizes, (std::vector<Bytes>{5, 6}));
    QCOMPARE(plan.arenaSize, Bytes(11));
}

void TestRegions::everythingStaysWhereThereIsRoom()
{
    PlacementProblem problem = smallProblem();
    problem.regions = {region("sram", 11, 0), region("psram", std::nullopt, 1)};
    const Plan plan = planned(problem);
    QVERIFY(validatePlan(problem, plan).isValid());
    QVERIFY(plan.spills.empty());
    QCOMPARE(plan.regionSizes, (std::vector<Bytes>{11, 0}));
    QCOMPARE(plan.completion, Completion::Optimal);
}

void TestRegions::theCheapestIsFilledFirst()
{
    PlacementProblem problem = smallProblem();
    problem.regions = {region("psram", std::nullopt, 5), region("sram", 8, 1)};
    const Plan plan = planned(problem);
    QVERIFY(validatePlan(problem, plan).isValid());
    QCOMPARE(plan.regionSizes, (std::vector<Bytes>{6, 5}));
}

void TestRegions::aShapeThatDoesNotFitIsSpilledAndSaid()
{
    // Only 4 bytes are live at once, but `naive` needs the sum.
    PlacementProblem problem;
    problem.stepCount = 3;
    problem.buffers = {buffer("a", 4, {0, 1}, 2), buffer("b", 4, {1, 2}, 2), buffer("c", 4, {2, 3}, 2)};
    problem.regions = {region("sram", 9, 0), region("psram", std::nullopt, 1)};
    const Plan plan = planned(problem, "naive");
    QVERIFY(validatePlan(problem, plan).isValid());
    QCOMPARE(plan.spills.size(), std::size_t(1));
    QCOMPARE(plan.spills[0].step, Step(-1));
    QCOMPARE(plan.spills[0].excess, Bytes(3));
    QCOMPARE(plan.regionSizes, (std::vector<Bytes>{8, 4}));
}

void TestRegions::theLastRegionMayOverflow()
{
    PlacementProblem problem = smallProblem();
    problem.regions = {region("sram", 5, 0), region("psram", 4, 1)};
    const Plan plan = planned(problem);
    const Validation found = validatePlan(problem, plan);
    QCOMPARE(found.clashCount, std::int64_t(1));
    QCOMPARE(found.clashes[0].kind, ClashKind::BeyondArena);
    QCOMPARE(found.clashes[0].first, BufferId(0));
}

void TestRegions::strategiesOfBranchesRefuse()
{
    PlacementProblem problem = smallProblem();
    problem.branches.push_back({BranchId(0), {{{BufferId(0)}, PingPongSide::First}}});
    problem.regions = {region("sram", 5, 0), region("psram", 4, 1)};
    const auto plan = findPlanner("pingpong")->plan(problem, {}, {}, {});
    QVERIFY(!plan);
    QCOMPARE(plan.error().code, ErrorCode::Unsupported);
    QVERIFY(describe(plan.error()).find("memory regions") != std::string::npos);
}

void TestRegions::sharedObjectsKeepTheirObjects()
{
    PlacementProblem problem = smallProblem();
    problem.regions = {region("sram", 8, 0), region("psram", std::nullopt, 1)};
    const auto plan = findPlanner("shared-objects")->plan(problem, {}, {}, {});
    QVERIFY(plan);
    const Validation validation = validatePlan(problem, *plan);
    QVERIFY2(validation.isValid(), validation.clashes.empty() ? "" : describe(validation.clashes.front(), problem, nullptr).c_str());
    QVERIFY(!plan->memories.empty());
    for (const Placement& placement : plan->placements) {
        QVERIFY(placement.memory.isValid());
        QCOMPARE(plan->memories[placement.memory.index()].offset, placement.offset);
    }
}

void TestRegions::randomProblemsStayWithinTheirRegions()
{
    int spilled = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        PlacementProblem problem;
        problem.stepCount = 12;
        problem.alignment = 4;
        for (int i = 0; i < 25; ++i) {
            const auto begin = static_cast<Step>(random() % 11);
            problem.buffers.push_back(buffer("b" + std::to_string(i), 1 + static_cast<Bytes>(random() % 60),
                                             {begin, std::min<Step>(12, begin + 1 + static_cast<Step>(random() % 6))},
                                             static_cast<std::int64_t>(random() % 5)));
        }
        problem.regions = {region("first", static_cast<Bytes>(random() % 200), 0), region("second", 150, 1),
                           region("last", std::nullopt, 2)};
        for (const char* strategy : {"naive", "greedy-by-size", "best-fit", "auto"}) {
            PlannerOptions options;
            options.nodeBudget = 5000;
            const auto plan = findPlanner(strategy)->plan(problem, options, {}, {});
            QVERIFY(plan);
            QVERIFY(validatePlan(problem, *plan).isValid());
            QVERIFY(plan->regionSizes[0] <= *problem.regions[0].capacity);
            QVERIFY(plan->regionSizes[1] <= 150);
            QCOMPARE(plan->arenaSize, plan->regionSizes[0] + plan->regionSizes[1] + plan->regionSizes[2]);
            // What is outside the first region is there because it was spilled.
            for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
                const auto spills = std::count_if(plan->spills.begin(), plan->spills.end(), [i](const Spill& spill) {
                    return spill.buffer == BufferId::fromIndex(i);
                });
                QCOMPARE(spills, std::ptrdiff_t(plan->placements[i].region.value()));
            }
            spilled += plan->spills.empty() ? 0 : 1;
            const auto again = findPlanner(strategy)->plan(problem, options, {}, {});
            for (std::size_t i = 0; i < problem.buffers.size(); ++i)
                QVERIFY(again->placements[i].region == plan->placements[i].region
                        && again->placements[i].offset == plan->placements[i].offset);
        }
    }
    QVERIFY(spilled > 500);
}

QTEST_GUILESS_MAIN(TestRegions)
#include "tst_regions.moc"
