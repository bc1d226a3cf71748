// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/minimise.h"
#include "core/src/planners/exact/orders.h"
#include "support/brute_pack.h"

#include <arenascope/planner.h>
#include <arenascope/problem_io.h>
#include <arenascope/plan_io.h>
#include <arenascope/validator.h>

#include <QTest>

#include <filesystem>

using namespace arenascope;
using namespace arenascope::planning;
using namespace arenascope::planning::exact;
using namespace arenascope::test;

namespace {

constexpr std::int64_t kPlenty = 1'000'000;
constexpr unsigned kRuleSets = 1U << 7;

Rules rulesOf(unsigned bits)
{
    const auto has = [bits](unsigned bit) { return (bits >> bit & 1U) != 0; };
    return {has(0), has(1), has(2), has(3), has(4), has(5), has(6)};
}

Plan exactPlan(const PlacementProblem& problem, PlannerOptions options)
{
    const auto plan = findPlanner("exact")->plan(problem, options, {}, {});
    if (!plan)
        qFatal("%s", describe(plan.error()).c_str());
    return *plan;
}

PlannerOptions nodeBudget(std::int64_t nodes, int threads = 1)
{
    PlannerOptions options;
    options.nodeBudget = nodes;
    options.threads = threads;
    return options;
}

PlacementProblem without(const PlacementProblem& problem, BufferId left)
{
    PlacementProblem rest = problem;
    rest.buffers.erase(rest.buffers.begin() + left.value());
    return rest;
}

PlacementProblem only(const PlacementProblem& problem, std::span<const BufferId> ids)
{
    PlacementProblem some = problem;
    some.buffers.clear();
    for (const BufferId id : ids)
        some.buffers.push_back(problem.buffer(id));
    return some;
}

/// Without order or orders: the smallest packing that one search finds, counting up from the bound.
Bytes smallestBySearch(const PlacementProblem& problem, const Rules& rules, std::size_t orderIndex)
{
    const auto items = itemsOf(problem);
    Bytes arena = lowerBound(*items);
    for (const Item& item : *items) {
        if (item.fixedOffset)
            arena = std::max(arena, *item.fixedOffset + item.size);
    }
    for (const Instance& instance : makeInstances(*items)) {
        const auto orders = makeOrders(instance);
        Search search(instance, orders[orderIndex % orders.size()], rules);
        Units target = std::max(instance.bound, arena / instance.unit);
        Answer answer = search.run(target, kPlenty);
        while (answer == Answer::CannotFit)
            answer = search.run(++target, kPlenty);
        if (answer != Answer::Fits)
            return -1;
        arena = std::max(arena, target * instance.unit);
    }
    return arena;
}

} // namespace

class TestExact : public QObject {
    Q_OBJECT

private slots:
    void everyRuleKeepsTheOptimum_data();
    void everyRuleKeepsTheOptimum();
    void planAgreesWithTryingAllOffsets_data();
    void planAgreesWithTryingAllOffsets();
    void partlyNeededBytesProveNothingButTheBound();
    void capacityIsDecided();
    void conflictsAreIrreducible();
    void conflictBeyondThePeak();
    void threadsDoNotChangeThePlan();
    void incumbentsOnlyImprove();
    void cancelKeepsTheBestPlan();
    void publicProblems_data();
    void publicProblems();
};

void TestExact::everyRuleKeepsTheOptimum_data()
{
    QTest::addColumn<bool>("alignments");
    QTest::addColumn<bool>("fixed");
    QTest::addColumn<bool>("gaps");
    QTest::addRow("whole lives") << false << false << false;
    QTest::addRow("own alignments") << true << false << false;
    QTest::addRow("one fixed offset") << false << true << false;
    QTest::addRow("gaps") << false << false << true;
    QTest::addRow("all at once") << true << true << true;
}

void TestExact::everyRuleKeepsTheOptimum()
{
    QFETCH(bool, alignments);
    QFETCH(bool, fixed);
    QFETCH(bool, gaps);
    int aboveTheBound = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const PlacementProblem problem = tinyProblem(seed, {alignments, fixed, gaps});
        const Bytes best = smallestArena(problem);
        aboveTheBound += best > liveProfile(problem).peak ? 1 : 0;
        for (unsigned bits = 0; bits < kRuleSets; ++bits) {
            const Bytes found = smallestBySearch(problem, rulesOf(bits), bits);
            QVERIFY2(found == best,
                     qPrintable(QString("seed %1, rules %2: %3 instead of %4").arg(seed).arg(bits).arg(found).arg(best)));
        }
    }
    QVERIFY2(aboveTheBound > 0, "no problem needs a proof");
}

void TestExact::planAgreesWithTryingAllOffsets_data()
{
    everyRuleKeepsTheOptimum_data();
}

void TestExact::planAgreesWithTryingAllOffsets()
{
    QFETCH(bool, alignments);
    QFETCH(bool, fixed);
    QFETCH(bool, gaps);
    for (std::uint32_t seed = 1000; seed < 1300; ++seed) {
        const PlacementProblem problem = tinyProblem(seed, {alignments, fixed, gaps});
        const Plan plan = exactPlan(problem, nodeBudget(kPlenty, 2));
        const QByteArray where = QByteArray::number(seed);
        QVERIFY2(validatePlan(problem, plan).isValid(), where);
        QVERIFY2(plan.completion == Completion::Optimal, where);
        QVERIFY2(plan.arenaSize == smallestArena(problem), where);
        QVERIFY2(plan.provenBound == plan.arenaSize, where);
    }
}

void TestExact::partlyNeededBytesProveNothingButTheBound()
{
    // Only the upper byte of `a` is needed at step 1: room below it is beyond the search, which must not call that a proof.
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        PlacementProblem problem = tinyProblem(seed, {false, false, true});
        for (Buffer& buffer : problem.buffers) {
            for (BufferGap& gap : buffer.gaps)
                gap = {gap.steps, gap.high == 0 ? 0 : gap.high, buffer.size};
        }
        const Plan plan = exactPlan(problem, nodeBudget(kPlenty));
        QVERIFY(validatePlan(problem, plan).isValid());
        const Bytes best = smallestArena(problem);
        QVERIFY(plan.arenaSize >= best);
        QVERIFY(plan.provenBound <= best);
        if (plan.completion == Completion::Optimal)
            QCOMPARE(plan.arenaSize, best);
    }
}

void TestExact::capacityIsDecided()
{
    for (std::uint32_t seed = 2000; seed < 2200; ++seed) {
        const PlacementProblem problem = tinyProblem(seed);
        const Bytes best = smallestArena(problem);
        for (const Bytes capacity : {best - 1, best, best + 1}) {
            PlannerOptions options = nodeBudget(kPlenty);
            options.capacity = capacity;
            const Plan plan = exactPlan(problem, options);
            QCOMPARE(plan.verdict, capacity < best ? CapacityVerdict::CannotFit : CapacityVerdict::Fits);
            QVERIFY(validatePlan(problem, plan).isValid());
            QVERIFY(capacity < best || plan.arenaSize <= capacity);
            QCOMPARE(plan.conflict.empty(), capacity >= best);
        }
    }
}

void TestExact::conflictsAreIrreducible()
{
    for (std::uint32_t seed = 2000; seed < 2200; ++seed) {
        const PlacementProblem problem = tinyProblem(seed);
        PlannerOptions options = nodeBudget(kPlenty);
        options.capacity = smallestArena(problem) - 1;
        const Plan plan = exactPlan(problem, options);
        QVERIFY(plan.isConflictIrreducible);
        const PlacementProblem conflict = only(problem, plan.conflict);
        QVERIFY(smallestArena(conflict) > *options.capacity);
        for (std::size_t i = 0; i < conflict.buffers.size(); ++i)
            QVERIFY(smallestArena(without(conflict, BufferId::fromIndex(i))) <= *options.capacity);
    }
}

/// Where the live bytes would fit and the shape of the lives is the reason, the conflict is more than one step's buffers.
void TestExact::conflictBeyondThePeak()
{
    int found = 0;
    for (std::uint32_t seed = 0; seed < 2000 && found == 0; ++seed) {
        const PlacementProblem problem = tinyProblem(seed);
        const Bytes best = smallestArena(problem);
        if (best == liveProfile(problem).peak)
            continue;
        ++found;
        PlannerOptions options = nodeBudget(kPlenty);
        options.capacity = best - 1;
        const Plan plan = exactPlan(problem, options);
        QCOMPARE(plan.verdict, CapacityVerdict::CannotFit);
        QVERIFY(liveProfile(only(problem, plan.conflict)).peak <= *options.capacity);
    }
    QVERIFY(found > 0);
}

/// Forty buffers of many sizes: large enough to take several rounds.
static PlacementProblem crowdedProblem(std::uint32_t seed)
{
    std::mt19937 random(seed);
    PlacementProblem problem;
    problem.stepCount = 30;
    for (int i = 0; i < 60; ++i) {
        Buffer buffer;
        buffer.name = "b" + std::to_string(i);
        buffer.size = 1 + static_cast<Bytes>(random() % 97);
        buffer.live.begin = static_cast<Step>(random() % 28);
        buffer.live.end = std::min<Step>(buffer.live.begin + 1 + static_cast<Step>(random() % 12), 30);
        problem.buffers.push_back(buffer);
    }
    return problem;
}

void TestExact::threadsDoNotChangeThePlan()
{
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const PlacementProblem problem = crowdedProblem(seed);
        const Plan one = exactPlan(problem, nodeBudget(60'000, 1));
        const Plan two = exactPlan(problem, nodeBudget(60'000, 2));
        const Plan again = exactPlan(problem, nodeBudget(60'000, 3));
        for (const Plan* other : {&two, &again}) {
            QCOMPARE(other->arenaSize, one.arenaSize);
            QCOMPARE(other->nodes, one.nodes);
            QCOMPARE(other->provenBound, one.provenBound);
            for (std::size_t i = 0; i < one.placements.size(); ++i)
                QCOMPARE(other->placements[i].offset, one.placements[i].offset);
        }
    }
}

void TestExact::incumbentsOnlyImprove()
{
    const PlacementProblem problem = crowdedProblem(3);
    std::vector<Plan> seen;
    PlannerOptions options = nodeBudget(200'000);
    options.onIncumbent = [&seen](const Plan& plan) { seen.push_back(plan); };
    const Plan last = exactPlan(problem, options);
    QVERIFY(!seen.empty());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        QVERIFY(validatePlan(problem, seen[i]).isValid());
        QVERIFY(i == 0 || seen[i].arenaSize < seen[i - 1].arenaSize);
    }
    QCOMPARE(seen.back().arenaSize, last.arenaSize);
}

void TestExact::cancelKeepsTheBestPlan()
{
    // No bound can be reached here: three buffers that meet in pairs only.
    const PlacementProblem problem = crowdedProblem(1);
    std::stop_source stop;
    PlannerOptions options;
    options.timeBudgetSeconds = 1000.0;
    options.onIncumbent = [&stop](const Plan&) { stop.request_stop(); };
    const auto plan = findPlanner("exact")->plan(problem, options, stop.get_token(), {});
    QVERIFY(plan);
    QVERIFY(validatePlan(problem, *plan).isValid());
    QVERIFY(plan->completion == Completion::Interrupted || plan->arenaSize == liveProfile(problem).peak);
}

void TestExact::publicProblems_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<qint64>("optimum");
    QTest::addColumn<qint64>("nodes");
    QTest::addRow("challenging A") << "challenging/A.1048576.csv" << qint64(1048576) << qint64(200'000);
    QTest::addRow("challenging B") << "challenging/B.1048576.csv" << qint64(1048576) << qint64(200'000);
    QTest::addRow("challenging C") << "challenging/C.1048576.csv" << qint64(1039360) << qint64(200'000);
    QTest::addRow("challenging F") << "challenging/F.1048576.csv" << qint64(1048576) << qint64(200'000);
    QTest::addRow("challenging G") << "challenging/G.1048576.csv" << qint64(1048576) << qint64(200'000);
    QTest::addRow("challenging K") << "challenging/K.1048576.csv" << qint64(1048576) << qint64(200'000);
    QTest::addRow("ResNet-50 in training") << "large/resnet50.csv" << qint64(1515472556) << qint64(200'000);
    QTest::addRow("G_1") << "large/G_1.csv" << qint64(3030937746) << qint64(200'000);
    QTest::addRow("alloc_max") << "intervals/alloc_max.csv" << qint64(67600) << qint64(10'000);
    QTest::addRow("simple") << "intervals/simple.csv" << qint64(216096) << qint64(10'000);
    QTest::addRow("Deep Speech") << "intervals/deep_speech.csv" << qint64(100352) << qint64(10'000);
    QTest::addRow("five") << "intervals/five.csv" << qint64(176923) << qint64(10'000);
    for (const auto& [name, optimum] : {std::pair("a.6", 6), {"b.6", 6}, {"c.8", 8}, {"d.9", 9}, {"e.12", 12}, {"f.14", 14}, {"g.7", 7}})
        QTest::addRow("intervals %s", name) << QString("intervals/%1.csv").arg(name) << qint64(optimum) << qint64(10'000);
}

void TestExact::publicProblems()
{
    QFETCH(QString, file);
    QFETCH(qint64, optimum);
    QFETCH(qint64, nodes);
    const std::filesystem::path path = std::filesystem::path(ARENASCOPE_SHARED_DIR) / "problems" / file.toStdString();
    if (!std::filesystem::exists(path))
        QSKIP(qPrintable("no placement problems at " ARENASCOPE_SHARED_DIR "/problems"));
    const auto text = readTextFile(path);
    QVERIFY(text);
    const auto problem = problemFromCsv(*text, path.string());
    QVERIFY(problem);
    const Plan plan = exactPlan(*problem, nodeBudget(nodes, 2));
    QVERIFY(validatePlan(*problem, plan).isValid());
    QCOMPARE(qint64(plan.arenaSize), optimum);
    QCOMPARE(plan.completion, Completion::Optimal);
}

QTEST_GUILESS_MAIN(TestExact)
#include "tst_exact.moc"
