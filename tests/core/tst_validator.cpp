// SPDX-License-Identifier: MIT
#include "support/problems.h"

#include <arenascope/validator.h>

#include <QTest>

#include <limits>

using namespace arenascope;
using namespace arenascope::test;

namespace {

Plan planAt(const std::vector<Offset>& offsets, Bytes arena)
{
    Plan plan;
    for (const Offset offset : offsets)
        plan.placements.push_back({offset, RegionId(0), {}, {}});
    plan.arenaSize = arena;
    return plan;
}

struct Found {
    std::string clashes;
    std::int64_t count;
};

/// "overlap 0 1 @1 [4,8)" for each clash, joined by "; ".
Found found(const PlacementProblem& problem, const Plan& plan, std::size_t most = 1000)
{
    const Validation result = validatePlan(problem, plan, most);
    std::string text;
    for (const Clash& clash : result.clashes) {
        text += (text.empty() ? "" : "; ") + std::string(clashName(clash.kind)) + " " + std::to_string(clash.first.value());
        if (clash.second.isValid())
            text += " " + std::to_string(clash.second.value());
        if (clash.step >= 0)
            text += " @" + std::to_string(clash.step);
        if (clash.end > clash.begin)
            text += " [" + std::to_string(clash.begin) + "," + std::to_string(clash.end) + ")";
    }
    return {text, result.clashCount};
}

/// Every pair against every pair: slow, and plain enough to be believed.
std::int64_t bruteForceOverlaps(const PlacementProblem& problem, const Plan& plan)
{
    std::int64_t count = 0;
    for (std::size_t a = 0; a < problem.buffers.size(); ++a) {
        for (std::size_t b = a + 1; b < problem.buffers.size(); ++b) {
            const Bytes sizeA = problem.reserved(BufferId::fromIndex(a));
            const Bytes sizeB = problem.reserved(BufferId::fromIndex(b));
            const Offset atA = plan.placements[a].offset;
            const Offset atB = plan.placements[b].offset;
            const bool inTime = problem.buffers[a].live.meets(problem.buffers[b].live);
            count += inTime && std::max(atA, atB) < std::min(atA + sizeA, atB + sizeB);
        }
    }
    return count;
}

} // namespace

class TestValidator : public QObject {
    Q_OBJECT

private slots:
    void neighboursInTimeAndSpaceDoNotClash();
    void brokenPlans_data();
    void brokenPlans();
    void regionsAreApart();
    void capacitiesAndRegionAlignmentsHold();
    void memoriesMustHoldTheirBuffers();
    void gapsMayBeFilled();
    void zeroSizesAndEmptyLivesShareBytes();
    void countsAllButListsFew();
    void agreesWithBruteForce();
    void hostileNumbersAreReported();
    void theOrderIsStable();
    void sentencesNameBoth();
};

// a [0,2) 8 bytes, b [1,3) 8 bytes, c [2,4) 8 bytes.
static PlacementProblem threeBuffers()
{
    return problemOf({{0, 2, 8}, {1, 3, 8}, {2, 4, 8}});
}

void TestValidator::neighboursInTimeAndSpaceDoNotClash()
{
    //  8 |.bb.|    a and c share bytes and touch in time, b touches both in space
    //  0 |aacc|
    QCOMPARE(found(threeBuffers(), planAt({0, 8, 0}, 16)).clashes, std::string());
}

void TestValidator::brokenPlans_data()
{
    QTest::addColumn<QList<qint64>>("offsets");
    QTest::addColumn<qint64>("arena");
    QTest::addColumn<QString>("clashes");
    using L = QList<qint64>;
    QTest::newRow("one byte shared") << L{0, 7, 0} << qint64(16) << "overlap 0 1 @1 [7,8); overlap 1 2 @2 [7,8)";
    QTest::newRow("one buffer moved onto another") << L{0, 8, 12} << qint64(20) << "overlap 1 2 @2 [12,16)";
    QTest::newRow("inside of another") << L{0, 0, 8} << qint64(16) << "overlap 0 1 @1 [0,8)";
    QTest::newRow("arena shrunk by a byte") << L{0, 8, 0} << qint64(15) << "beyond-arena 1 [8,16)";
    QTest::newRow("negative offset") << L{0, 8, -1} << qint64(16) << "negative-offset 2 [-1,7)";
    QTest::newRow("a buffer dropped") << L{0, 8} << qint64(16) << "missing 2";
    QTest::newRow("no placement at all") << L{} << qint64(0) << "missing 0; missing 1; missing 2";
}

void TestValidator::brokenPlans()
{
    QFETCH(QList<qint64>, offsets);
    QFETCH(qint64, arena);
    QFETCH(QString, clashes);
    const Found result = found(threeBuffers(), planAt({offsets.begin(), offsets.end()}, arena));
    QCOMPARE(QString::fromStdString(result.clashes), clashes);
    QCOMPARE(result.count, clashes.count(';') + 1);
}

void TestValidator::regionsAreApart()
{
    PlacementProblem problem = threeBuffers();
    problem.regions.push_back({"second", {}, 0, 0.0});
    Plan plan = planAt({0, 0, 0}, 8);
    plan.placements[1].region = RegionId(1);
    QCOMPARE(found(problem, plan).clashes, std::string());
    plan.placements[1].region = RegionId(2);
    QCOMPARE(found(problem, plan).clashes, std::string("missing 1"));
    plan.placements[1].region = RegionId();
    QCOMPARE(found(problem, plan).clashes, std::string("missing 1"));
}

void TestValidator::capacitiesAndRegionAlignmentsHold()
{
    PlacementProblem problem = threeBuffers();
    problem.regions[0].capacity = 12;
    QCOMPARE(found(problem, planAt({0, 8, 0}, 16)).clashes, std::string("beyond-arena 1 [8,16)"));
    problem.regions[0] = {"arena", {}, 16, 0.0};
    QCOMPARE(found(problem, planAt({0, 8, 0}, 16)).clashes, std::string("misaligned 1 [8,16)"));
    problem.regions[0].alignment = 0;
    problem.buffers[1].alignment = 3;
    QCOMPARE(found(problem, planAt({0, 8, 0}, 16)).clashes, std::string("misaligned 1 [8,16)"));
    problem.buffers[1].alignment = 0;
    problem.buffers[1].fixedOffset = 9;
    QCOMPARE(found(problem, planAt({0, 8, 0}, 16)).clashes, std::string("fixed-moved 1 [8,16)"));
    problem.alignment = 4; // sizes are rounded up to it: 5 bytes reserve 8
    problem.buffers[1].fixedOffset.reset();
    problem.buffers[0].size = 5;
    QCOMPARE(found(problem, planAt({0, 6, 0}, 16)).clashes,
             std::string("misaligned 1 [6,14); overlap 0 1 @1 [6,8); overlap 1 2 @2 [6,8)"));
}

void TestValidator::memoriesMustHoldTheirBuffers()
{
    Plan plan = planAt({0, 8, 0}, 16);
    plan.memories.push_back({BranchId(0), PingPongSide::First, 0, 8, {0, 4}});
    for (const std::size_t i : {0, 2})
        plan.placements[i].memory = MemoryId(0);
    QCOMPARE(found(threeBuffers(), plan).clashes, std::string());
    plan.placements[1].memory = MemoryId(0);
    QCOMPARE(found(threeBuffers(), plan).clashes, std::string("beyond-memory 1 [8,16)"));
    plan.placements[1].memory = MemoryId(7);
    QCOMPARE(found(threeBuffers(), plan).clashes, std::string("beyond-memory 1 [8,16)"));
    plan.placements[1].memory = MemoryId();
    plan.memories[0].size = 17;
    QCOMPARE(found(threeBuffers(), plan).clashes, std::string("beyond-arena -1 [0,17)"));
}

void TestValidator::gapsMayBeFilled()
{
    // a lives through, but not in [2,4), and in [6,8) only its bytes [4,8).
    PlacementProblem problem = problemOf({{0, 10, 8}, {2, 4, 8}, {6, 8, 4}});
    problem.buffers[0].gaps = {{{6, 8}, 4, 8}, {{2, 4}, 0, 0}};
    QCOMPARE(found(problem, planAt({0, 0, 0}, 8)).clashes, std::string());
    QCOMPARE(found(problem, planAt({0, 0, 1}, 8)).clashes, std::string("overlap 0 2 @6 [4,5)"));
    problem.buffers[1].live.end = 5;
    QCOMPARE(found(problem, planAt({0, 0, 0}, 8)).clashes, std::string("overlap 0 1 @4 [0,8)"));
}

void TestValidator::zeroSizesAndEmptyLivesShareBytes()
{
    const PlacementProblem problem = problemOf({{0, 4, 8}, {0, 4, 0}, {2, 2, 8}});
    QCOMPARE(found(problem, planAt({0, 4, 0}, 8)).clashes, std::string());
}

void TestValidator::countsAllButListsFew()
{
    std::vector<Record> records(100, Record{0, 1, 8});
    const PlacementProblem problem = problemOf(records);
    const Plan plan = planAt(std::vector<Offset>(100, 0), 8);
    const Validation result = validatePlan(problem, plan, 7);
    QCOMPARE(result.clashCount, std::int64_t(100 * 99 / 2));
    QCOMPARE(result.clashes.size(), std::size_t(7));
    QVERIFY(!result.isValid());
    QCOMPARE(validatePlan(problem, plan, 0).clashCount, std::int64_t(100 * 99 / 2));
}

void TestValidator::agreesWithBruteForce()
{
    std::int64_t clashes = 0;
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        const PlacementProblem problem = randomProblem(seed, 30, seed % 3 == 0 ? 8 : 1);
        std::mt19937 random(seed);
        Plan plan = planAt(std::vector<Offset>(problem.buffers.size()), Bytes(1) << 40);
        for (Placement& placement : plan.placements)
            placement.offset = static_cast<Offset>(random() % 4000) / problem.alignment * problem.alignment;
        const std::int64_t expected = bruteForceOverlaps(problem, plan);
        const Validation result = validatePlan(problem, plan, 100000);
        QCOMPARE(result.clashCount, expected);
        QCOMPARE(static_cast<std::int64_t>(result.clashes.size()), expected);
        clashes += expected;
    }
    QVERIFY(clashes > 1000);
}

void TestValidator::hostileNumbersAreReported()
{
    constexpr Offset kMost = std::numeric_limits<Offset>::max();
    constexpr Offset kLeast = std::numeric_limits<Offset>::min();
    QCOMPARE(found(threeBuffers(), planAt({kMost, 8, 0}, kMost)).count, std::int64_t(1));
    QCOMPARE(found(threeBuffers(), planAt({kLeast, 8, 0}, 16)).count, std::int64_t(1));
    Plan plan = planAt({0, 8, 0}, 16);
    plan.memories.push_back({BranchId(0), PingPongSide::First, kLeast, kMost, {}});
    plan.memories.push_back({BranchId(0), PingPongSide::First, kMost, kMost, {}});
    plan.placements[0].memory = MemoryId(0);
    QCOMPARE(found(threeBuffers(), plan).clashes.substr(0, 21), std::string("beyond-memory 0 [0,8)"));
    QCOMPARE(found(threeBuffers(), plan).count, std::int64_t(3));
}

void TestValidator::theOrderIsStable()
{
    const PlacementProblem problem = problemOf({{0, 5, 8}, {3, 5, 8}, {1, 5, 8}, {1, 5, 8}});
    const Plan plan = planAt({4, 0, 0, 9}, 20);
    const Found first = found(problem, plan);
    QCOMPARE(first.clashes, std::string("overlap 0 2 @1 [4,8); overlap 0 3 @1 [9,12); overlap 1 2 @3 [0,8); overlap 0 1 @3 [4,8)"));
    QCOMPARE(found(problem, plan).clashes, first.clashes);
    QCOMPARE(found(problem, plan, 2).clashes, std::string("overlap 0 2 @1 [4,8); overlap 0 3 @1 [9,12)"));
}

void TestValidator::sentencesNameBoth()
{
    const PlacementProblem problem = threeBuffers();
    const Validation result = validatePlan(problem, planAt({0, 4, 40}, 16));
    QCOMPARE(describe(result.clashes.at(0), problem, nullptr),
             std::string("The bytes [40, 48) of 'b2' do not fit the arena or the capacity."));
    QCOMPARE(describe(result.clashes.at(1), problem, nullptr),
             std::string("Buffers 'b0' and 'b1' are both alive from step 1 and share bytes [4, 8)."));
}

QTEST_APPLESS_MAIN(TestValidator)
#include "tst_validator.moc"
