// SPDX-License-Identifier: MIT
// What must hold for every strategy on thousands of random networks.
#include "support/problems.h"
#include "support/random_graph.h"

#include <arenascope/study.h>

#include <QTest>

#include <map>

using namespace arenascope;
using namespace arenascope::test;

namespace {

RandomGraphOptions graphOptions(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.operators = 3 + static_cast<int>(seed % 37);
    options.inputs = 1 + static_cast<int>(seed % 3);
    options.shuffled = seed % 5 == 0;
    options.workspaceChance = seed % 4 == 0 ? 0.3 : 0.0;
    options.joinChance = seed % 7 == 0 ? 0.0 : 0.3;
    options.farChance = seed % 11 == 0 ? 0.5 : 0.1;
    options.maxBytes = seed % 2 == 0 ? 100 : 5; // few different sizes: ties
    return options;
}

StudyOptions studyOptions(std::uint64_t seed)
{
    static constexpr Bytes kAlignments[] = {1, 16, 64};
    StudyOptions options;
    options.alias = std::array{AliasMode::None, AliasMode::Views, AliasMode::InPlace}[seed % 3];
    options.schedule = seed % 2 == 0 ? ScheduleKind::File : ScheduleKind::DepthFirst;
    options.problem.alignment = kAlignments[seed / 3 % 3];
    options.problem.io.inputsInArena = seed / 9 % 2 == 0;
    options.problem.io.outputsInArena = seed / 18 % 2 == 0;
    options.problem.countWorkspace = seed % 4 == 0;
    options.branches.join = std::array{JoinRule::Longest, JoinRule::LastScheduled, JoinRule::None}[seed / 5 % 3];
    return options;
}

bool hasSamePlaces(const Plan& a, const Plan& b)
{
    if (a.placements.size() != b.placements.size() || a.memories.size() != b.memories.size() || a.arenaSize != b.arenaSize)
        return false;
    for (std::size_t i = 0; i < a.placements.size(); ++i) {
        const Placement& x = a.placements[i];
        const Placement& y = b.placements[i];
        if (x.offset != y.offset || x.region != y.region || x.memory != y.memory || x.side != y.side)
            return false;
    }
    return a.completion == b.completion && a.chosen == b.chosen;
}

std::string firstClash(const PlanOutcome& outcome)
{
    for (const Validation* found : {&outcome.placement, &outcome.replay}) {
        if (!found->clashes.empty())
            return describe(found->clashes.front(), outcome.study->problem, outcome.study->graph.get());
    }
    return "valid";
}

} // namespace

class TestProperties : public QObject {
    Q_OBJECT

private slots:
    void everyStrategyOnRandomNetworks();
    void theLadderOnlyGoesDown();
    void pathBranchesAreCaughtByReplay();
    void brokenPlansAreCaught();
    void everyOffsetStrategyOnRandomProblems();
    void fixedOffsetsAndGapsOnRandomProblems();
    void firstFitIsTheLowestFreeOffset();
};

void TestProperties::everyStrategyOnRandomNetworks()
{
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const auto graph = randomGraph(seed, graphOptions(seed));
        const auto study = makeStudy(graph, studyOptions(seed));
        QVERIFY2(study, qPrintable(QString("seed %1").arg(seed)));
        for (const Planner* planner : planners()) {
            const auto outcome = planStudy(*study, planner->info().id, shortSearch());
            const QString place = QString("seed %1, %2").arg(seed).arg(planner->info().id.data());
            QVERIFY2(outcome, qPrintable(place));
            const Plan& plan = (*outcome)->plan;
            QVERIFY2((*outcome)->isValid(), qPrintable(place + ": " + QString::fromStdString(firstClash(**outcome))));
            QVERIFY2(plan.arenaSize >= (*study)->profile.peak, qPrintable(place));
            QVERIFY2(plan.arenaSize <= (*study)->naive || planner->info().needsBranches || planner->info().id == "tflm",
                     qPrintable(place)); // tflm rounds sizes up to 16
            QVERIFY2((plan.completion == Completion::Optimal) == (plan.arenaSize == (*study)->profile.peak), qPrintable(place));
            if (seed % 10 == 0)
                QVERIFY2(hasSamePlaces(plan, (*planStudy(*study, planner->info().id, shortSearch()))->plan), qPrintable(place));
        }
    }
}

void TestProperties::theLadderOnlyGoesDown()
{
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const auto study = *makeStudy(randomGraph(seed, graphOptions(seed)), studyOptions(seed));
        std::map<std::string_view, Plan> plans;
        for (const Planner* planner : planners())
            plans[planner->info().id] = *planner->plan(study->problem, shortSearch(), {}, {});
        QVERIFY(plans["pingpong-tight"].arenaSize <= plans["pingpong"].arenaSize);
        QVERIFY(plans["pingpong-arena"].arenaSize <= plans["pingpong-tight"].arenaSize);
        for (const auto& [id, plan] : plans) {
            if (!findPlanner(id)->info().isSearch) // a longer search may find more
                QVERIFY2(plans["auto"].arenaSize <= plan.arenaSize, id.data());
        }

        // The same branch by branch.
        std::map<BranchId, std::array<Bytes, 3>> memory;
        const std::array<std::string_view, 3> ids = {"pingpong", "pingpong-tight", "pingpong-arena"};
        for (std::size_t i = 0; i < ids.size(); ++i) {
            for (const PlanMemory& m : plans[ids[i]].memories)
                memory[m.branch][i] += m.size;
        }
        for (const auto& [branch, sizes] : memory) {
            QVERIFY(sizes[1] <= sizes[0]);
            QVERIFY(sizes[2] <= sizes[1]);
        }
    }
}

void TestProperties::pathBranchesAreCaughtByReplay()
{
    int unsafe = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        StudyOptions options = studyOptions(seed);
        options.alias = AliasMode::None;
        options.branches.style = BranchStyle::Path;
        const auto study = *makeStudy(randomGraph(seed, graphOptions(seed)), options);
        const auto outcome = *planStudy(study, "pingpong");
        unsafe += !outcome->replay.isValid();
        // What replay finds, the live ranges show as well; the other way round a clash may hit an output nobody reads.
        QVERIFY(outcome->replay.isValid() || !outcome->placement.isValid());
        QVERIFY((*planStudy(study, "auto"))->isValid());
    }
    QVERIFY2(unsafe > 300, qPrintable(QString::number(unsafe)));
}

void TestProperties::brokenPlansAreCaught()
{
    // A plan is broken in one place; both checkers must agree with a plain look at all pairs.
    int broken = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        StudyOptions options = studyOptions(seed);
        options.alias = AliasMode::None;
        const auto study = *makeStudy(randomGraph(seed, graphOptions(seed)), options);
        Plan plan = (*planStudy(study, "greedy-by-size"))->plan;
        if (plan.placements.empty())
            continue;
        Random random(seed);
        const auto moved = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(plan.placements.size())));
        const Bytes size = study->problem.reserved(BufferId::fromIndex(moved));
        const Bytes alignment = study->problem.alignment;
        plan.placements[moved].offset = random.below(std::max<Bytes>(plan.arenaSize - size, 0) + 1) / alignment * alignment;

        // An input that nobody reads is alive at step 0 and may be overwritten there without any read going wrong.
        const auto isUnreadInput = [&study](std::size_t buffer) {
            const auto& members = study->problem.buffers[buffer].tensors;
            if (members.empty())
                return false;
            const Tensor& tensor = study->graph->tensor(members.front().tensor);
            return tensor.role == TensorRole::Input && tensor.consumers.empty() && !tensor.isOutput;
        };
        bool overlaps = false;
        bool harmsReads = false;
        for (std::size_t i = 0; i < plan.placements.size(); ++i) {
            const Offset begin = std::max(plan.placements[i].offset, plan.placements[moved].offset);
            const Offset end = std::min(plan.placements[i].offset + study->problem.reserved(BufferId::fromIndex(i)),
                                        plan.placements[moved].offset + size);
            if (i == moved || begin >= end || !study->problem.buffers[i].live.meets(study->problem.buffers[moved].live))
                continue;
            overlaps = true;
            harmsReads = harmsReads || (!isUnreadInput(i) && !isUnreadInput(moved));
        }
        QCOMPARE(validatePlan(study->problem, plan).isValid(), !overlaps);
        const bool replays = replayPlan(*study->graph, study->schedule, study->problem, plan).isValid();
        if (!overlaps)
            QVERIFY(replays);
        // Raw bytes may miss each other where only the padding of sizes overlaps.
        if (harmsReads && alignment == 1)
            QVERIFY2(!replays, qPrintable(QString::number(seed)));
        broken += overlaps;

        Plan shrunk = (*planStudy(study, "greedy-by-size"))->plan;
        shrunk.arenaSize -= alignment;
        QVERIFY(shrunk.arenaSize < 0 || !validatePlan(study->problem, shrunk).isValid());
        QVERIFY(shrunk.arenaSize < 0 || !replayPlan(*study->graph, study->schedule, study->problem, shrunk).isValid());
    }
    QVERIFY2(broken > 300, qPrintable(QString::number(broken)));
}

void TestProperties::everyOffsetStrategyOnRandomProblems()
{
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        const PlacementProblem problem = randomProblem(seed, 60, std::array<Bytes, 3>{1, 8, 64}[seed % 3]);
        const Bytes bound = liveProfile(problem).peak;
        for (const char* id : {"naive", "greedy-by-size", "greedy-by-breadth", "greedy-by-conflicts", "best-fit",
                               "shared-objects", "hill-climb", "auto"}) {
            const auto plan = planWith(id, problem, shortSearch());
            const QString place = QString("seed %1, %2").arg(seed).arg(id);
            QVERIFY2(plan, qPrintable(place));
            QVERIFY2(validatePlan(problem, *plan).isValid(), qPrintable(place));
            QVERIFY2(plan->arenaSize >= bound && plan->arenaSize <= naiveBytes(problem), qPrintable(place));
        }
    }
}

void TestProperties::fixedOffsetsAndGapsOnRandomProblems()
{
    int planned = 0;
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        PlacementProblem problem = randomProblem(seed, 30, 4);
        Random random(seed);
        for (Buffer& buffer : problem.buffers) {
            const Step length = buffer.live.length();
            if (length >= 3 && random.chance(0.5)) {
                const Step begin = buffer.live.begin + random.below(length - 1);
                const Bytes low = random.below(buffer.size + 1);
                buffer.gaps.push_back({{begin, begin + 1}, low, low + random.below(buffer.size - low + 1)});
            }
            if (random.chance(0.1))
                buffer.fixedOffset = random.below(1000) * 4;
        }
        for (const char* id : {"greedy-by-size", "greedy-by-breadth", "greedy-by-conflicts", "best-fit", "hill-climb"}) {
            const auto plan = planWith(id, problem, shortSearch());
            if (!plan) {
                QCOMPARE(plan.error().code, ErrorCode::InvalidPlan); // two fixed offsets clash
                continue;
            }
            ++planned;
            QVERIFY2(validatePlan(problem, *plan).isValid(), qPrintable(QString("seed %1, %2").arg(seed).arg(id)));
            QVERIFY(plan->arenaSize >= liveProfile(problem).peak);
        }
    }
    QVERIFY(planned > 1000);
}

void TestProperties::firstFitIsTheLowestFreeOffset()
{
    // The plain way: from large to small (earlier birth first), try 0 and the end of every buffer met, lowest first.
    const auto plain = [](const PlacementProblem& problem, bool laterFirst) {
        std::vector<std::size_t> order(problem.buffers.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const Buffer& x = problem.buffers[a];
            const Buffer& y = problem.buffers[b];
            if (x.size != y.size)
                return x.size > y.size;
            if (x.live.begin != y.live.begin)
                return (x.live.begin < y.live.begin) != laterFirst;
            return x.name < y.name;
        });
        std::vector<Offset> offsets(order.size(), -1);
        Bytes arena = 0;
        for (const std::size_t i : order) {
            std::vector<Offset> candidates{0};
            std::vector<std::size_t> met;
            for (std::size_t j = 0; j < offsets.size(); ++j) {
                if (offsets[j] >= 0 && problem.buffers[j].live.meets(problem.buffers[i].live)) {
                    met.push_back(j);
                    candidates.push_back(offsets[j] + problem.buffers[j].size);
                }
            }
            std::sort(candidates.begin(), candidates.end());
            for (const Offset at : candidates) {
                const bool isFree = std::all_of(met.begin(), met.end(), [&](std::size_t j) {
                    return at + problem.buffers[i].size <= offsets[j] || offsets[j] + problem.buffers[j].size <= at
                        || problem.buffers[j].size == 0;
                });
                if (isFree || problem.buffers[i].size == 0) {
                    offsets[i] = at;
                    break;
                }
            }
            arena = std::max(arena, offsets[i] + problem.buffers[i].size);
        }
        return arena;
    };
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        PlacementProblem problem = randomProblem(seed, 60);
        if (seed % 2 == 0) {
            for (Buffer& buffer : problem.buffers)
                buffer.size = buffer.size % 4;
        }
        QCOMPARE(planWith("greedy-by-size", problem)->arenaSize, std::min(plain(problem, false), plain(problem, true)));
    }
}

QTEST_APPLESS_MAIN(TestProperties)
#include "tst_properties.moc"
