// SPDX-License-Identifier: MIT
// The strategies that need no branches: hand-worked answers, what they refuse, and what must hold on random problems.
#include "support/problems.h"

#include <arenascope/validator.h>

#include <QTest>

#include <map>
#include <stop_token>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::vector<Offset> offsetsOf(const Plan& plan)
{
    std::vector<Offset> offsets;
    for (const Placement& placement : plan.placements)
        offsets.push_back(placement.offset);
    return offsets;
}

/// (size, first, last), closed, as TensorFlow Lite Micro gives them.
PlacementProblem closedProblem(const std::vector<std::array<std::int64_t, 3>>& records)
{
    std::vector<Record> open;
    for (const auto& [size, first, last] : records)
        open.push_back({first, last + 1, size});
    return problemOf(open);
}

QString errorOf(const Result<Plan>& plan)
{
    return plan ? QString("a plan") : QString::fromStdString(describe(plan.error()));
}

/// The smallest arena of all orders in which buffers go to their lowest free offsets; some order gives the optimum. By
/// plain looking at all pairs.
class BruteForce {
public:
    explicit BruteForce(const PlacementProblem& problem) : m_buffers(problem.buffers), m_offsets(m_buffers.size(), -1) { go(0, 0); }
    Bytes best() const { return m_best; }

private:
    bool isFree(std::size_t i, Offset at) const
    {
        for (std::size_t j = 0; j < m_buffers.size(); ++j) {
            if (m_offsets[j] >= 0 && m_buffers[j].live.meets(m_buffers[i].live) && at < m_offsets[j] + m_buffers[j].size
                && m_offsets[j] < at + m_buffers[i].size)
                return false;
        }
        return true;
    }
    Offset lowest(std::size_t i) const
    {
        Offset best = isFree(i, 0) ? 0 : std::numeric_limits<Offset>::max();
        for (std::size_t j = 0; j < m_buffers.size(); ++j) {
            if (m_offsets[j] >= 0 && m_offsets[j] + m_buffers[j].size < best && isFree(i, m_offsets[j] + m_buffers[j].size))
                best = m_offsets[j] + m_buffers[j].size;
        }
        return best;
    }
    void go(std::size_t placed, Bytes arena)
    {
        if (arena >= m_best)
            return;
        if (placed == m_buffers.size()) {
            m_best = arena;
            return;
        }
        for (std::size_t i = 0; i < m_buffers.size(); ++i) {
            if (m_offsets[i] >= 0)
                continue;
            const Offset at = lowest(i);
            m_offsets[i] = at;
            go(placed + 1, std::max(arena, at + m_buffers[i].size));
            m_offsets[i] = -1;
        }
    }

    const std::vector<Buffer>& m_buffers;
    std::vector<Offset> m_offsets;
    Bytes m_best = std::numeric_limits<Bytes>::max();
};

/// The smallest sum of object sizes over all ways to give buffers objects.
class BruteObjects {
public:
    explicit BruteObjects(const PlacementProblem& problem) : m_buffers(problem.buffers) { go(0); }
    Bytes best() const { return m_best; }

private:
    void go(std::size_t i)
    {
        if (i == m_buffers.size()) {
            Bytes sum = 0;
            for (const auto& members : m_objects) {
                Bytes size = 0;
                for (const std::size_t member : members)
                    size = std::max(size, m_buffers[member].size);
                sum += size;
            }
            m_best = std::min(m_best, sum);
            return;
        }
        for (std::size_t object = 0; object < m_objects.size(); ++object) {
            const bool isFree = std::none_of(m_objects[object].begin(), m_objects[object].end(),
                                             [&](std::size_t j) { return m_buffers[i].live.meets(m_buffers[j].live); });
            if (!isFree)
                continue;
            m_objects[object].push_back(i);
            go(i + 1);
            m_objects[object].pop_back();
        }
        m_objects.push_back({i});
        go(i + 1);
        m_objects.pop_back();
    }

    const std::vector<Buffer>& m_buffers;
    std::vector<std::vector<std::size_t>> m_objects;
    Bytes m_best = std::numeric_limits<Bytes>::max();
};

const std::vector<Record> kRecords = {{0, 2, 32}, {1, 5, 28}, {2, 6, 36}, {3, 6, 16}, {4, 6, 8}, {5, 8, 64}, {6, 9, 10}, {7, 9, 40}};

/// A problem on which greedy by size is not optimal, for searches.
PlacementProblem hardProblem(std::uint32_t seed = 1)
{
    for (;; ++seed) {
        PlacementProblem problem = randomProblem(seed, 60);
        if (problem.buffers.size() > 30 && planWith("greedy-by-size", problem)->arenaSize > liveProfile(problem).peak * 11 / 10)
            return problem;
    }
}

/// A problem on which the climb finds a better plan at least twice.
PlacementProblem climbingProblem()
{
    for (std::uint32_t seed = 1;; ++seed) {
        PlacementProblem problem = hardProblem(seed * 1000);
        int found = 0;
        PlannerOptions options = shortSearch(20'000);
        options.onIncumbent = [&found](const Plan&) { ++found; };
        if (planWith("hill-climb", problem, options) && found >= 3)
            return problem;
    }
}

} // namespace

class TestPlannersOffsets : public QObject {
    Q_OBJECT

private slots:
    void recordsReachTheirOptimum_data();
    void recordsReachTheirOptimum();
    void bestFitFillsTheLowestPlace();
    void bestFitTakesTheTightestHole();
    void conflictsDecideTheOrder();
    void tflmGivesKnownOffsets();
    void tflmRoundsSizesUpTo16();
    void tflmTakesLaterOnesFirst();
    void tflmDoesNotCheckFixedOffsets();
    void tflmRefusesWhatItDoesNotKnow();
    void sharedObjectsOfAChain();
    void sharedObjectsOfRecords();
    void sharedObjectsAreListed();
    void sharedObjectsKeepAlignments();
    void sharedObjectsRefuseWhatTheyCannotShare();
    void sharedObjectsOnRandomProblems();
    void sharedObjectsOnTinyProblems();
    void optimalIsOptimal();
    void climbsAboveGreedy();
    void climbIsTheSameEachTime();
    void climbReportsIncumbents();
    void climbKeepsTheBestWhenStopped();
    void climbEndsAtItsBudgets();
    void capacitiesAreAnswered();
    void conflictsAreIrreducible();
};

void TestPlannersOffsets::recordsReachTheirOptimum_data()
{
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<qint64>("arena");
    for (const char* id : {"greedy-by-size", "greedy-by-breadth", "best-fit", "hill-climb", "auto"})
        QTest::newRow(id) << id << qint64(124);
    QTest::newRow("shared-objects") << "shared-objects" << qint64(128);
}

void TestPlannersOffsets::recordsReachTheirOptimum()
{
    QFETCH(QString, strategy);
    QFETCH(qint64, arena);
    const PlacementProblem problem = problemOf(kRecords);
    const auto plan = planWith(strategy.toStdString(), problem);
    QVERIFY(plan);
    QCOMPARE(qint64(plan->arenaSize), arena);
    QVERIFY(validatePlan(problem, *plan).isValid());
    QCOMPARE(plan->completion == Completion::Optimal, arena == 124);
    QCOMPARE(plan->provenBound, Bytes(124));
}

void TestPlannersOffsets::bestFitFillsTheLowestPlace()
{
    // The longest life first: a lies at the bottom, and each of the others fills what is lowest then.
    //
    //   9 |.....d
    //   7 |cc...d
    //   5 |ccbbbd
    //   4 |aaaaaa
    const PlacementProblem problem = problemOf({{0, 6, 4}, {2, 5, 1}, {0, 2, 3}, {5, 6, 5}});
    const auto plan = planWith("best-fit", problem);
    QCOMPARE(offsetsOf(*plan), (std::vector<Offset>{0, 4, 4, 4}));
    QCOMPARE(plan->arenaSize, Bytes(9));
    QCOMPARE(plan->completion, Completion::Optimal);
}

void TestPlannersOffsets::bestFitTakesTheTightestHole()
{
    // Two fixed buffers leave a hole of 10 bytes and above it one of 6. First fit puts the 6 bytes into the lower one, and
    // then there is no place for two times 5; in the tightest holes all have room.
    //
    //  20 |bb          |bb
    //  18 |.... 6      |cccccc
    //  12 |aa     ->   |aa
    //  10 |.... 10     |eeeee
    //   0 |            |ddddd
    PlacementProblem problem = problemOf({{0, 1, 2}, {0, 1, 2}, {0, 1, 6}, {0, 1, 5}, {0, 1, 5}});
    problem.buffers[0].fixedOffset = 10;
    problem.buffers[1].fixedOffset = 18;
    const auto plan = planWith("best-fit", problem);
    QCOMPARE(offsetsOf(*plan), (std::vector<Offset>{10, 18, 12, 0, 5}));
    QCOMPARE(plan->completion, Completion::Optimal);
    QCOMPARE(planWith("greedy-by-size", problem)->arenaSize, Bytes(25));
}

void TestPlannersOffsets::conflictsDecideTheOrder()
{
    // b meets all others, so it lies at the bottom, although it is the smallest.
    const PlacementProblem problem = problemOf({{0, 1, 30}, {0, 3, 1}, {1, 2, 20}, {2, 3, 10}});
    const auto plan = planWith("greedy-by-conflicts", problem);
    QCOMPARE(offsetsOf(*plan), (std::vector<Offset>{1, 0, 1, 1}));
    QCOMPARE(plan->arenaSize, Bytes(31));
}

void TestPlannersOffsets::tflmGivesKnownOffsets()
{
    // Known cases of TensorFlow Lite Micro's own tests; times 16, so that rounding changes nothing.
    const auto scaled = [](PlacementProblem problem) {
        for (Buffer& buffer : problem.buffers)
            buffer.size *= 16;
        return problem;
    };
    const auto small = planWith("tflm", scaled(closedProblem({{10, 0, 1}, {20, 1, 2}, {30, 2, 3}, {40, 3, 4}, {50, 0, 1}})));
    QCOMPARE(offsetsOf(*small), (std::vector<Offset>{50 * 16, 70 * 16, 40 * 16, 0, 0}));
    QCOMPARE(small->arenaSize, Bytes(90 * 16));
    const auto large = planWith("tflm", scaled(closedProblem({{400, 0, 4}, {401, 0, 1}, {10, 1, 2}, {201, 2, 4}, {11, 2, 3},
                                                              {202, 3, 3}, {12, 3, 4}, {200, 4, 4}, {13, 4, 4}})));
    QCOMPARE(offsetsOf(*large), (std::vector<Offset>{401 * 16, 0, 1002 * 16, 801 * 16, 202 * 16, 0, 213 * 16, 0, 200 * 16}));
    QCOMPARE(large->arenaSize, Bytes(1012 * 16));
}

void TestPlannersOffsets::tflmRoundsSizesUpTo16()
{
    const PlacementProblem problem = problemOf({{0, 2, 17}, {0, 2, 1}, {1, 3, 33}});
    const auto plan = planWith("tflm", problem);
    QCOMPARE(offsetsOf(*plan), (std::vector<Offset>{48, 80, 0}));
    QCOMPARE(plan->arenaSize, Bytes(96)); // the last byte lies at 80, and the runtime takes 16 for it
    QVERIFY(validatePlan(problem, *plan).isValid());
    // Coarser alignments of the problem hold as well.
    PlacementProblem coarse = problem;
    coarse.alignment = 64;
    QCOMPARE(offsetsOf(*planWith("tflm", coarse)), (std::vector<Offset>{128, 64, 0}));
}

void TestPlannersOffsets::tflmTakesLaterOnesFirst()
{
    const PlacementProblem problem = problemOf({{0, 2, 16}, {0, 2, 16}, {0, 2, 16}, {2, 3, 0}});
    QCOMPARE(offsetsOf(*planWith("tflm", problem)), (std::vector<Offset>{32, 16, 0, 0}));
}

void TestPlannersOffsets::tflmDoesNotCheckFixedOffsets()
{
    // a and b overlap as given; c goes into the first gap above both.
    PlacementProblem problem = problemOf({{0, 2, 32}, {0, 2, 32}, {0, 2, 16}});
    problem.buffers[0].fixedOffset = 0;
    problem.buffers[1].fixedOffset = 16;
    const auto plan = planWith("tflm", problem);
    QCOMPARE(offsetsOf(*plan), (std::vector<Offset>{0, 16, 48}));
    const Validation found = validatePlan(problem, *plan);
    QCOMPARE(found.clashCount, std::int64_t(1));
    QCOMPARE(plan->completion, Completion::Heuristic); // an arena below the bound proves nothing
    problem.buffers[1].fixedOffset = -16;
    QVERIFY(errorOf(planWith("tflm", problem)).contains("'b1' is negative"));
}

void TestPlannersOffsets::tflmRefusesWhatItDoesNotKnow()
{
    PlacementProblem problem = problemOf({{0, 4, 32}, {0, 2, 32}});
    problem.buffers[0].gaps = {{{1, 2}, 0, 0}};
    QCOMPARE(errorOf(planWith("tflm", problem)), QString("records: A gap (buffer 'b0') with the strategy tflm is not supported. "
                                                         "Choose greedy-by-size, or plan without gaps (networks: --alias inplace)."));
    problem.buffers[0].gaps.clear();
    problem.buffers[1].alignment = 8; // a divisor of 16 is kept anyway
    QVERIFY(planWith("tflm", problem));
}

void TestPlannersOffsets::sharedObjectsOfAChain()
{
    // 10 and 2, 9 and 1 would be 19; 10 and 9 in one, 1 and 2 in two more is 13.
    const PlacementProblem problem = chainProblem({10, 1, 2, 9});
    const auto plan = planWith("shared-objects", problem);
    QCOMPARE(plan->arenaSize, Bytes(13));
    QCOMPARE(plan->memories.size(), std::size_t(3));
    QVERIFY(validatePlan(problem, *plan).isValid());
}

void TestPlannersOffsets::sharedObjectsOfRecords()
{
    const PlacementProblem problem = problemOf(kRecords);
    QCOMPARE(positionalMaxima(problem), (std::vector<Bytes>{64, 40, 16, 8})); // steps 5 and 7, 7, 3 to 5, 4 and 5
    const auto plan = planWith("shared-objects", problem);
    QCOMPARE(plan->arenaSize, Bytes(128));
    QCOMPARE(plan->arenaSize, sharedObjectBound(problem));
    QCOMPARE(plan->completion, Completion::Heuristic); // offsets need 124: nothing is proven for arenas
}

void TestPlannersOffsets::sharedObjectsAreListed()
{
    const PlacementProblem problem = problemOf({{0, 2, 10}, {1, 3, 6}, {2, 4, 8}, {0, 4, 0}});
    const auto plan = planWith("shared-objects", problem);
    QCOMPARE(plan->arenaSize, Bytes(16));
    QCOMPARE(plan->memories.size(), std::size_t(2));
    QVERIFY(!plan->memories[0].branch.isValid());
    QCOMPARE(plan->memories[0].size, Bytes(10));
    QCOMPARE(plan->memories[0].live, (LiveRange{0, 4}));
    QCOMPARE(plan->placements[0].memory, MemoryId(0));
    QCOMPARE(plan->placements[1].memory, MemoryId(1));
    QCOMPARE(plan->placements[2].memory, MemoryId(0));
    QVERIFY(!plan->placements[3].memory.isValid()); // nothing to keep
}

void TestPlannersOffsets::sharedObjectsKeepAlignments()
{
    PlacementProblem problem = problemOf({{0, 2, 10}, {1, 3, 10}, {2, 4, 3}});
    problem.buffers[1].alignment = 8;
    problem.buffers[2].alignment = 32;
    const auto plan = planWith("shared-objects", problem);
    QVERIFY(validatePlan(problem, *plan).isValid());
    QCOMPARE(plan->placements[0].offset, Offset(0)); // shares its object with b2, which is the most aligned
    QCOMPARE(plan->placements[1].offset, Offset(16));
}

void TestPlannersOffsets::sharedObjectsRefuseWhatTheyCannotShare()
{
    PlacementProblem problem = problemOf({{0, 4, 32}, {0, 2, 32}});
    problem.buffers[1].fixedOffset = 0;
    QCOMPARE(errorOf(planWith("shared-objects", problem)),
             QString("records: A fixed offset (buffer 'b1') with the strategy shared-objects is not supported. Choose one of the "
                     "greedy strategies."));
    problem.buffers[1].fixedOffset.reset();
    problem.buffers[0].gaps = {{{1, 2}, 0, 0}};
    QVERIFY(errorOf(planWith("shared-objects", problem)).contains("A gap (buffer 'b0')"));
}

void TestPlannersOffsets::sharedObjectsOnRandomProblems()
{
    int best = 0;
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        const PlacementProblem problem = randomProblem(seed, 60, std::array<Bytes, 2>{1, 16}[seed % 2]);
        const auto plan = planWith("shared-objects", problem);
        QVERIFY(validatePlan(problem, *plan).isValid());
        Bytes sum = 0;
        for (const PlanMemory& object : plan->memories)
            sum += object.size;
        QCOMPARE(plan->arenaSize, sum);
        QVERIFY(sum >= sharedObjectBound(problem));
        best += sum == sharedObjectBound(problem);
        for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
            if (problem.buffers[i].size > 0) // whole objects: each buffer lies at its object's first byte
                QCOMPARE(plan->placements[i].offset, plan->memories[plan->placements[i].memory.index()].offset);
        }
    }
    QVERIFY2(best > 500, qPrintable(QString::number(best)));
}

void TestPlannersOffsets::sharedObjectsOnTinyProblems()
{
    Bytes sum = 0;
    Bytes least = 0;
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        const PlacementProblem problem = randomProblem(seed, 8);
        const Bytes optimum = BruteObjects(problem).best();
        QVERIFY(optimum >= sharedObjectBound(problem));
        const Bytes total = planWith("shared-objects", problem)->arenaSize;
        QVERIFY(total >= optimum);
        sum += total;
        least += optimum;
    }
    QVERIFY2(sum <= least * 102 / 100, qPrintable(QString("%1 %2").arg(sum).arg(least)));
}

void TestPlannersOffsets::optimalIsOptimal()
{
    std::map<std::string_view, int> proven;
    for (std::uint32_t seed = 0; seed < 1500; ++seed) {
        const PlacementProblem problem = randomProblem(seed, 7);
        const Bytes optimum = BruteForce(problem).best();
        for (const Planner* planner : planners()) {
            if (planner->info().needsBranches)
                continue;
            const auto plan = planner->plan(problem, shortSearch(), {}, {});
            const QString place = QString("seed %1, %2").arg(seed).arg(planner->info().id.data());
            QVERIFY2(plan->arenaSize >= optimum, qPrintable(place));
            QVERIFY2(plan->provenBound <= optimum, qPrintable(place));
            if (plan->completion == Completion::Optimal) {
                QVERIFY2(plan->arenaSize == optimum, qPrintable(place));
                ++proven[planner->info().id];
            }
        }
    }
    for (const char* id : {"greedy-by-size", "greedy-by-breadth", "greedy-by-conflicts", "best-fit", "hill-climb"})
        QVERIFY2(proven[id] > 1000, id);
}

void TestPlannersOffsets::climbsAboveGreedy()
{
    int better = 0;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        const PlacementProblem problem = hardProblem(seed * 1000);
        const auto greedy = planWith("greedy-by-size", problem);
        const auto climbed = planWith("hill-climb", problem, shortSearch(100'000));
        QVERIFY(validatePlan(problem, *climbed).isValid());
        QVERIFY(climbed->arenaSize <= greedy->arenaSize);
        better += climbed->arenaSize < greedy->arenaSize;
    }
    QVERIFY2(better >= 18, qPrintable(QString::number(better)));
}

void TestPlannersOffsets::climbIsTheSameEachTime()
{
    const PlacementProblem problem = hardProblem();
    const auto first = planWith("hill-climb", problem, shortSearch(20'000));
    PlannerOptions options = shortSearch(20'000);
    options.threads = 2;
    const auto second = planWith("hill-climb", problem, options);
    QCOMPARE(offsetsOf(*first), offsetsOf(*second));
    QCOMPARE(first->nodes, second->nodes);
    QVERIFY(first->nodes > 100);
}

void TestPlannersOffsets::climbReportsIncumbents()
{
    const PlacementProblem problem = climbingProblem();
    std::vector<Bytes> sizes;
    double lastFraction = 0.0;
    PlannerOptions options = shortSearch(100'000);
    options.onIncumbent = [&](const Plan& plan) {
        QVERIFY(validatePlan(problem, plan).isValid());
        QCOMPARE(plan.strategy, std::string("hill-climb"));
        sizes.push_back(plan.arenaSize);
    };
    const auto plan = findPlanner("hill-climb")->plan(problem, options, {}, [&](double fraction, std::string_view) {
        QVERIFY(fraction >= lastFraction && fraction <= 1.0);
        lastFraction = fraction;
    });
    QVERIFY(sizes.size() >= 2);
    QVERIFY(std::is_sorted(sizes.begin(), sizes.end(), std::greater_equal<>()));
    QCOMPARE(sizes.back(), plan->arenaSize);
    QVERIFY(lastFraction > 0.0);
}

void TestPlannersOffsets::climbKeepsTheBestWhenStopped()
{
    const PlacementProblem problem = climbingProblem();
    std::stop_source source;
    PlannerOptions options;
    options.nodeBudget = std::int64_t(1) << 60;
    int found = 0;
    options.onIncumbent = [&](const Plan&) {
        if (++found == 2)
            source.request_stop();
    };
    const auto plan = findPlanner("hill-climb")->plan(problem, options, source.get_token(), {});
    QVERIFY(plan);
    QCOMPARE(found, 2);
    QCOMPARE(plan->completion, Completion::Interrupted);
    QVERIFY(validatePlan(problem, *plan).isValid());
    QVERIFY(plan->arenaSize < planWith("greedy-by-size", problem)->arenaSize);
}

void TestPlannersOffsets::climbEndsAtItsBudgets()
{
    const PlacementProblem problem = hardProblem();
    PlannerOptions options;
    options.timeBudgetSeconds = 0.02;
    const auto timed = planWith("hill-climb", problem, options);
    QVERIFY(timed->completion == Completion::BestKnown || timed->completion == Completion::Optimal);
    const auto none = planWith("hill-climb", problem, shortSearch(0));
    QVERIFY(none->arenaSize <= planWith("greedy-by-size", problem)->arenaSize);
    // Nothing that could move: one buffer alone above the bound of what is fixed beside it.
    PlacementProblem stuck = problemOf({{0, 2, 8}, {0, 1, 8}});
    stuck.buffers[0].fixedOffset = 4;
    QCOMPARE(planWith("hill-climb", stuck, shortSearch())->arenaSize, Bytes(20));
}

void TestPlannersOffsets::capacitiesAreAnswered()
{
    const PlacementProblem problem = problemOf(kRecords);
    const auto verdict = [&](const char* id, Bytes capacity) {
        PlannerOptions options = shortSearch();
        options.capacity = capacity;
        return planWith(id, problem, options)->verdict;
    };
    for (const char* id : {"naive", "greedy-by-size", "best-fit", "shared-objects", "hill-climb", "auto"}) {
        QCOMPARE(verdict(id, 234), CapacityVerdict::Fits);
        QCOMPARE(verdict(id, 123), CapacityVerdict::CannotFit);
    }
    QCOMPARE(verdict("naive", 124), CapacityVerdict::Unknown);
    QCOMPARE(verdict("greedy-by-size", 124), CapacityVerdict::Fits);
    QCOMPARE(planWith("greedy-by-size", problem)->verdict, CapacityVerdict::NotAsked);
}

void TestPlannersOffsets::conflictsAreIrreducible()
{
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        const PlacementProblem problem = randomProblem(seed, 40, 4);
        const Bytes peak = liveProfile(problem).peak;
        if (peak < 8)
            continue;
        PlannerOptions options;
        options.capacity = peak - 1 - (seed % 4) * (peak / 8);
        const auto plan = planWith("greedy-by-size", problem, options);
        QCOMPARE(plan->verdict, CapacityVerdict::CannotFit);
        QVERIFY(!plan->conflict.empty());
        Bytes sum = 0;
        Bytes smallest = std::numeric_limits<Bytes>::max();
        for (const BufferId id : plan->conflict) {
            for (const BufferId other : plan->conflict)
                QVERIFY(problem.buffer(id).live.meets(problem.buffer(other).live));
            sum += problem.reserved(id);
            smallest = std::min(smallest, problem.reserved(id));
        }
        QVERIFY(sum > *options.capacity);
        QVERIFY(sum - smallest <= *options.capacity);
    }
    // A buffer that is fixed too high is a conflict by itself.
    PlacementProblem problem = problemOf({{0, 2, 8}, {1, 3, 8}});
    problem.buffers[1].fixedOffset = 100;
    PlannerOptions options;
    options.capacity = 107;
    const auto plan = planWith("greedy-by-size", problem, options);
    QCOMPARE(plan->verdict, CapacityVerdict::CannotFit);
    QCOMPARE(plan->conflict, std::vector<BufferId>{BufferId(1)});
    QCOMPARE(plan->completion, Completion::Optimal);
}

QTEST_APPLESS_MAIN(TestPlannersOffsets)
#include "tst_planners_offsets.moc"
