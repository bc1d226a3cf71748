// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/minimise.h"
#include "core/src/planners/exact/orders.h"
#include "support/brute_pack.h"

#include <arenascope/plan_io.h>
#include <arenascope/planner.h>
#include <arenascope/problem_io.h>
#include <arenascope/validator.h>

#include <QTest>

#include <array>
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

/// The smallest packing that one search finds, counting up from the bound; -1 where it gives up.
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

constexpr const char* kNoProblems = "no placement problems at " ARENASCOPE_SHARED_DIR "/problems";

/// Nothing where the problems are not at hand.
std::optional<PlacementProblem> publicProblem(const QString& file)
{
    const std::filesystem::path path = std::filesystem::path(ARENASCOPE_SHARED_DIR) / "problems" / file.toStdString();
    if (!std::filesystem::exists(path))
        return std::nullopt;
    const auto text = readTextFile(path);
    auto problem = text ? problemFromCsv(*text, path.string()) : Result<PlacementProblem>(text.error());
    if (!problem)
        qFatal("%s", describe(problem.error()).c_str());
    return std::move(problem).value();
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
    void noRuleLosesAProof();
    void proofsAgreeWithTryingAllOffsets();
    void conflictBeyondThePeak();
    void threadsDoNotChangeThePlan();
    void incumbentsOnlyImprove();
    void cancelKeepsTheBestPlan();
    void publicProblems_data();
    void publicProblems();
    void bestKnownPlanOfD();
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
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const PlacementProblem problem = tinyProblem(seed, {alignments, fixed, gaps});
        const Bytes best = smallestArena(problem);
        for (unsigned bits = 0; bits < kRuleSets; ++bits) {
            const Bytes found = smallestBySearch(problem, rulesOf(bits), bits);
            QVERIFY2(found == best,
                     qPrintable(QString("seed %1, rules %2: %3 instead of %4").arg(seed).arg(bits).arg(found).arg(best)));
        }
    }
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

void TestExact::noRuleLosesAProof()
{
    // No packing of these has their bound of 24 bytes, 25 is enough.
    for (const std::uint32_t seed : {0U, 46U, 96U}) {
        const PlacementProblem problem = fullProblem(seed);
        const auto items = itemsOf(problem);
        const Instance instance = makeInstances(*items).front();
        for (unsigned bits = 0; bits < kRuleSets; ++bits) {
            for (const auto& order : makeOrders(instance)) {
                Search search(instance, order, rulesOf(bits));
                const Answer atBound = search.run(24, 20'000);
                QVERIFY(atBound == Answer::CannotFit || atBound == Answer::Unknown);
                QVERIFY(search.run(25, 20'000) != Answer::CannotFit);
            }
        }
        Search search(instance, makeOrders(instance).front());
        QCOMPARE(search.run(24, kPlenty), Answer::CannotFit);
        QCOMPARE(search.run(25, kPlenty), Answer::Fits);
    }
}

void TestExact::proofsAgreeWithTryingAllOffsets()
{
    int aboveTheBound = 0;
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const PlacementProblem problem = fullProblem(seed);
        const Plan plan = exactPlan(problem, nodeBudget(kPlenty));
        QCOMPARE(plan.completion, Completion::Optimal);
        QCOMPARE(liveProfile(problem).peak, Bytes(24));
        QCOMPARE(BrutePacker(problem, 24).fits(), plan.arenaSize == 24);
        aboveTheBound += plan.arenaSize > 24 ? 1 : 0;
    }
    QVERIFY2(aboveTheBound >= 2, "no problem needs a proof");
}

/// Where the live bytes would fit and the shape of the lives is the reason, the conflict is more than one step's buffers.
void TestExact::conflictBeyondThePeak()
{
    const PlacementProblem problem = fullProblem(0);
    PlannerOptions options = nodeBudget(kPlenty);
    options.capacity = 24;
    const Plan plan = exactPlan(problem, options);
    QCOMPARE(plan.verdict, CapacityVerdict::CannotFit);
    QVERIFY(plan.isConflictIrreducible);
    const PlacementProblem conflict = only(problem, plan.conflict);
    QVERIFY(liveProfile(conflict).peak <= 24);
    QVERIFY(!BrutePacker(conflict, 24).fits());
    for (std::size_t i = 0; i < conflict.buffers.size(); ++i) {
        const PlacementProblem rest = without(conflict, BufferId::fromIndex(i));
        const Plan fitting = exactPlan(rest, options);
        QCOMPARE(fitting.verdict, CapacityVerdict::Fits);
        QVERIFY(fitting.arenaSize <= 24 && validatePlan(rest, fitting).isValid());
    }
}

/// Sixty buffers of many sizes: large enough to take several rounds.
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
    const auto problem = publicProblem(file);
    if (!problem)
        QSKIP(kNoProblems);
    const Plan plan = exactPlan(*problem, nodeBudget(nodes, 2));
    QVERIFY(validatePlan(*problem, plan).isValid());
    QCOMPARE(qint64(plan.arenaSize), optimum);
    QCOMPARE(plan.completion, Completion::Optimal);
}

/// The best plan known of challenging/D, found by `exact` in about a minute; 1,031,168 was the best before. Offsets in KiB, in
/// the order of the file. Nothing between the bound, 986,112, and this is proven.
constexpr std::array<Offset, 213> kBestPlanOfD = {
    874, 190, 46, 688, 459, 617, 370, 740, 12, 684, 918, 12, 111, 722, 457, 12, 442, 626, 354, 191, 801, 557, 638,
    932, 812, 972, 821, 874, 12, 616, 12, 699, 758, 974, 317, 888, 281, 284, 892, 167, 221, 611, 980, 174, 245, 0,
    303, 46, 479, 702, 952, 781, 383, 304, 664, 775, 504, 918, 60, 406, 244, 956, 894, 322, 900, 200, 540, 611, 960,
    470, 375, 599, 770, 896, 124, 495, 78, 124, 383, 978, 259, 308, 124, 629, 455, 94, 443, 758, 699, 937, 263, 97,
    293, 796, 524, 354, 897, 388, 191, 484, 842, 557, 963, 284, 0, 284, 942, 788, 111, 789, 552, 745, 428, 557, 322,
    709, 504, 36, 180, 646, 842, 104, 745, 346, 966, 322, 124, 522, 259, 432, 383, 346, 492, 383, 194, 866, 976, 659,
    582, 969, 947, 842, 550, 676, 727, 406, 124, 0, 111, 406, 245, 629, 190, 684, 874, 638, 470, 67, 124, 485, 837,
    821, 334, 124, 484, 124, 79, 899, 263, 979, 600, 638, 906, 12, 765, 659, 821, 209, 78, 85, 363, 562, 308, 308,
    250, 591, 646, 329, 112, 114, 562, 836, 846, 221, 124, 112, 111, 912, 899, 887, 346, 346, 752, 803, 36, 12, 524,
    230, 927, 200, 898, 124, 812,
};

void TestExact::bestKnownPlanOfD()
{
    const auto problem = publicProblem("challenging/D.1048576.csv");
    if (!problem)
        QSKIP(kNoProblems);
    QCOMPARE(problem->buffers.size(), kBestPlanOfD.size());
    Plan plan;
    plan.placements.resize(kBestPlanOfD.size());
    for (std::size_t i = 0; i < kBestPlanOfD.size(); ++i)
        plan.placements[i].offset = kBestPlanOfD[i] * 1024;
    plan.arenaSize = 1'004'544;
    QVERIFY(validatePlan(*problem, plan).isValid());
    QCOMPARE(liveProfile(*problem).peak, Bytes(986'112));
    // A million nodes reach less than the best known of before.
    QVERIFY(exactPlan(*problem, nodeBudget(1'000'000, 2)).arenaSize <= 1'031'168);
}

QTEST_GUILESS_MAIN(TestExact)
#include "tst_exact.moc"
