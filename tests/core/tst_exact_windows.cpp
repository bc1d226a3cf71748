// SPDX-License-Identifier: MIT
// Lowering a packing window by window, on packings whose optimum is known because they were cut out of a full arena.
#include "core/src/planners/exact/windows.h"
#include "core/src/planners/greedy.h"

#include <QTest>

#include <random>

using namespace arenascope;
using namespace arenascope::planning;
using namespace arenascope::planning::exact;

namespace {

constexpr Bytes kHeight = 64;

Item item(Bytes size, LiveRange live)
{
    Item made;
    made.size = size;
    made.live = live;
    return made;
}

/// Cuts a rectangle of time and bytes into items without waste: the arena of all of them is the rectangle's height.
class Cutter {
public:
    explicit Cutter(unsigned seed) : m_random(seed) {}

    std::vector<Item> cut(Step steps, int depth)
    {
        m_items.clear();
        split({0, steps}, kHeight, depth);
        std::shuffle(m_items.begin(), m_items.end(), m_random);
        return m_items;
    }

private:
    void split(LiveRange steps, Bytes bytes, int depth)
    {
        const bool isTall = std::uniform_int_distribution(0, 1)(m_random) == 0;
        if (depth > 0 && isTall && bytes >= 4) {
            const Bytes part = std::uniform_int_distribution<Bytes>(1, bytes - 1)(m_random);
            split(steps, part, depth - 1);
            split(steps, bytes - part, depth - 1);
        } else if (depth > 0 && steps.length() >= 4) {
            const Step at = steps.begin + std::uniform_int_distribution<Step>(1, steps.length() - 1)(m_random);
            split({steps.begin, at}, bytes, depth - 1);
            split({at, steps.end}, bytes, depth - 1);
        } else {
            m_items.push_back(item(bytes, steps));
        }
    }

    std::mt19937 m_random;
    std::vector<Item> m_items;
};

/// The instances as if they had too many pairs for one search.
std::vector<Instance> tooLarge(std::span<const Item> items)
{
    std::vector<Instance> instances = makeInstances(items);
    for (Instance& instance : instances) {
        instance.neighbourBegin.clear();
        instance.neighbours.clear();
    }
    return instances;
}

Bytes topOf(std::span<const Item> items, std::span<const Offset> offsets)
{
    Bytes top = 0;
    for (std::size_t i = 0; i < items.size(); ++i)
        top = std::max(top, offsets[i] + items[i].size);
    return top;
}

bool isPacking(std::span<const Item> items, std::span<const Offset> offsets)
{
    for (std::size_t a = 0; a < items.size(); ++a) {
        if (offsets[a] < 0 || (items[a].fixedOffset && *items[a].fixedOffset != offsets[a]))
            return false;
        for (std::size_t b = 0; b < a; ++b) {
            const bool meetInBytes = offsets[a] < offsets[b] + items[b].size && offsets[b] < offsets[a] + items[a].size;
            if (items[a].live.meets(items[b].live) && meetInBytes)
                return false;
        }
    }
    return true;
}

Limits nodes(std::int64_t count)
{
    Limits limits;
    limits.nodes = count;
    return limits;
}

} // namespace

class TestExactWindows : public QObject {
    Q_OBJECT
private slots:
    void packingsStayValidAndComeDown();
    void fixedItemsStay();
    void sameRoundsSamePacking();
    void searchableInstancesAreLeftAlone();
    void withoutNodesNothingMoves();
    void exhaustedWhereNothingCanBeSearched();
    void oneTargetIsDecided();
};

void TestExactWindows::packingsStayValidAndComeDown()
{
    int cameDown = 0;
    int atTheBound = 0;
    int tooHigh = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        const std::vector<Item> items = Cutter(seed).cut(400, 9);
        std::vector<Offset> offsets = packBySize(items, {})->offsets;
        const Bytes before = topOf(items, offsets);
        if (before == kHeight)
            continue;
        ++tooHigh;
        const auto instances = tooLarge(items);
        WindowImprover improver(items, instances, offsets);
        Bytes last = before;
        for (int round = 0; round < 3; ++round) {
            const bool isBetter = improver.improve(kHeight, nodes(20'000));
            const Bytes now = topOf(items, offsets);
            QVERIFY2(isPacking(items, offsets), qPrintable(QString("seed %1").arg(seed)));
            QVERIFY(now >= kHeight && now <= last);
            QCOMPARE(isBetter, now < last);
            last = now;
        }
        cameDown += last < before;
        atTheBound += last == kHeight;
    }
    QCOMPARE(tooHigh, 12);
    // Without windows all of them would stay as they are.
    QVERIFY2(cameDown >= 5, qPrintable(QString::number(cameDown)));
    QVERIFY2(atTheBound >= 2, qPrintable(QString::number(atTheBound)));
}

void TestExactWindows::fixedItemsStay()
{
    for (unsigned seed = 100; seed < 105; ++seed) {
        std::vector<Item> items = Cutter(seed).cut(200, 8);
        items.push_back(item(8, {0, 200}));
        items.back().fixedOffset = 16;
        std::vector<Offset> offsets = packBySize(items, {})->offsets;
        const Bytes before = topOf(items, offsets);
        const auto instances = tooLarge(items);
        WindowImprover improver(items, instances, offsets);
        improver.improve(kHeight + 8, nodes(20'000));
        QVERIFY(isPacking(items, offsets));
        QVERIFY(topOf(items, offsets) <= before);
        QCOMPARE(offsets.back(), Offset(16));
    }
}

void TestExactWindows::sameRoundsSamePacking()
{
    const std::vector<Item> items = Cutter(3).cut(400, 9);
    const auto instances = tooLarge(items);
    const auto improved = [&](int threads) {
        std::vector<Offset> offsets = packBySize(items, {})->offsets;
        WindowImprover improver(items, instances, offsets);
        Limits limits = nodes(20'000);
        limits.threads = threads;
        improver.improve(kHeight, limits);
        improver.improve(kHeight, limits);
        return offsets;
    };
    QCOMPARE(improved(1), improved(2));
}

void TestExactWindows::searchableInstancesAreLeftAlone()
{
    const std::vector<Item> items = Cutter(3).cut(400, 9);
    const auto instances = makeInstances(items);
    std::vector<Offset> offsets = packBySize(items, {})->offsets;
    const std::vector<Offset> before = offsets;
    WindowImprover improver(items, instances, offsets);
    QVERIFY(!improver.improve(kHeight, nodes(20'000)));
    QCOMPARE(offsets, before);
}

void TestExactWindows::withoutNodesNothingMoves()
{
    const std::vector<Item> items = Cutter(3).cut(400, 9);
    const auto instances = tooLarge(items);
    std::vector<Offset> offsets = packBySize(items, {})->offsets;
    const std::vector<Offset> before = offsets;
    WindowImprover improver(items, instances, offsets);
    QVERIFY(!improver.improve(kHeight, nodes(0)));
    QCOMPARE(offsets, before);
}

void TestExactWindows::exhaustedWhereNothingCanBeSearched()
{
    // Two items that always live: 16 bytes are the bound, so that nothing fits below, and no search is begun.
    const std::vector<Item> items{item(8, {0, 4}), item(8, {0, 4})};
    const auto instances = tooLarge(items);
    std::vector<Offset> offsets{0, 8};
    WindowImprover improver(items, instances, offsets);
    QVERIFY(!improver.isExhausted());
    QVERIFY(!improver.improve(12, nodes(1000)));
    QVERIFY(improver.isExhausted());
}

void TestExactWindows::oneTargetIsDecided()
{
    const std::vector<Item> items{item(8, {0, 4}), item(8, {0, 2}), item(8, {2, 4})};
    const auto instances = tooLarge(items);
    std::vector<Offset> offsets{0, 8, 16};
    WindowImprover improver(items, instances, offsets);
    QVERIFY(improver.lowerTo(16, nodes(1000)));
    QCOMPARE(topOf(items, offsets), Bytes(16));
    QVERIFY(!improver.lowerTo(15, nodes(1000)));
}

QTEST_APPLESS_MAIN(TestExactWindows)
#include "tst_exact_windows.moc"
