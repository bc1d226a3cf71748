// SPDX-License-Identifier: MIT
#include <arenascope/problem.h>

#include "core/src/graph/peak_bound.h"
#include "core/src/graph/segment_search.h"

#include "support/names.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace arenascope;
using namespace arenascope::test;

namespace {

// Peak of live bytes of an order by the code that planners are measured against.
Bytes peakOf(const Graph& graph, const Schedule& order, const PeakOptions& options = {})
{
    const AliasGroups aliases = makeAliasGroups(graph, order, options.joinViews ? AliasMode::Views : AliasMode::None);
    const ProblemOptions problem{.alignment = options.alignment,
                                 .io = {options.inputsInArena, options.outputsInArena},
                                 .countWorkspace = options.countWorkspace};
    return liveProfile(*makeProblem(graph, order, aliases, findBranches(graph, order, aliases), problem)).peak;
}

// The best peak of all topological orders, by going through all of them; small graphs only.
class EveryOrder {
public:
    EveryOrder(const Graph& graph, const PeakOptions& options) : m_graph(graph), m_options(options) {}

    Bytes best()
    {
        extend();
        return m_best;
    }
    int orders() const { return m_orders; }

private:
    void extend()
    {
        const std::size_t count = m_graph.operators().size();
        if (m_order.size() == count) {
            ++m_orders;
            m_best = std::min(m_best, peakOf(m_graph, *scheduleFromOrder(m_graph, m_order), m_options));
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const OpId op = OpId::fromIndex(i);
            const auto hasRun = [this](OpId other) { return std::find(m_order.begin(), m_order.end(), other) != m_order.end(); };
            const auto writers = m_graph.predecessors(op);
            if (hasRun(op) || !std::all_of(writers.begin(), writers.end(), hasRun))
                continue;
            m_order.push_back(op);
            extend();
            m_order.pop_back();
        }
    }

    const Graph& m_graph;
    const PeakOptions& m_options;
    std::vector<OpId> m_order;
    Bytes m_best = std::numeric_limits<Bytes>::max();
    int m_orders = 0;
};

// The same by dynamic programming over sets of operators, straight from the definition of live bytes.
Bytes bestBySets(const Graph& graph)
{
    const std::size_t count = graph.operators().size();
    std::vector<std::uint32_t> writers(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        for (const OpId writer : graph.predecessors(OpId::fromIndex(i)))
            writers[i] |= 1u << writer.index();
    }
    const auto costOf = [&](std::uint32_t ran, std::size_t op) {
        Bytes bytes = 0;
        for (const Tensor& tensor : graph.tensors()) {
            std::uint32_t readers = 0;
            for (const OpId reader : tensor.consumers)
                readers |= 1u << reader.index();
            const bool isWanted = tensor.isOutput || (readers & ~ran) != 0;
            if (tensor.role == TensorRole::Input)
                bytes += isWanted || (readers == 0 && ran == 0) ? tensor.bytes : 0;
            else
                bytes += tensor.producer.index() == op || ((ran >> tensor.producer.index() & 1) && isWanted) ? tensor.bytes : 0;
        }
        return bytes;
    };
    std::map<std::uint32_t, Bytes> level{{0, 0}};
    for (std::size_t size = 0; size < count; ++size) {
        std::map<std::uint32_t, Bytes> next;
        for (const auto& [ran, peak] : level) {
            for (std::size_t op = 0; op < count; ++op) {
                if ((ran >> op & 1) || (writers[op] & ~ran) != 0)
                    continue;
                const Bytes reached = std::max(peak, costOf(ran, op));
                const auto [found, isNew] = next.try_emplace(ran | 1u << op, reached);
                found->second = std::min(found->second, reached);
            }
        }
        level = std::move(next);
    }
    return level.begin()->second;
}

} // namespace

class TestMinPeak : public QObject {
    Q_OBJECT

private slots:
    void pictures_data();
    void pictures();
    void agreesWithEveryOrder();
    void agreesWithSets();
    void cutBoundAgreesWithSets();
    void beamOrdersAreOrders();
    void isHonestOnLargeNetworks();
    void takesLongAndWideNetworks();
    void isDeterministic();
    void stopsOnRequest();
};

void TestMinPeak::pictures_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<qint64>("file");
    QTest::addColumn<qint64>("best");
    QTest::newRow("nothing to choose in a chain")
        << "in: x 1\nx -> C -> a 10\na -> C -> b 5\nb -> C -> c 8\nout: c" << qint64(15) << qint64(15);
    // Two arms that shrink: finishing one before the other begins needs s + a + c, not s + a + b.
    QTest::newRow("arms one after the other")
        << "in: x 1\nx -> C s -> s 1\ns -> C a1 -> a 100\ns -> C b1 -> b 100\na -> C a2 -> c 1\nb -> C b2 -> d 1\nc, d -> Add -> e 1\nout: e"
        << qint64(201) << qint64(102);
    // The arm with the high hill and the low end goes first, however it is written: s + b + c against s + a + b.
    QTest::newRow("the hill before what stays")
        << "in: x 1\nx -> C s -> s 1\ns -> C stay -> a 50\ns -> C hill -> b 100\nb -> C -> c 1\na, c -> Add -> e 1\nout: e"
        << qint64(151) << qint64(102);
    // Written last, it keeps s alive while a and b are.
    QTest::newRow("a dead operator runs early so that its input can go")
        << "in: x 1\nx -> C s -> s 10\ns -> C big -> a 60\na -> C -> b 30\ns -> Dead -> z 50\nb -> C -> e 1\nout: e"
        << qint64(100) << qint64(90);
}

void TestMinPeak::pictures()
{
    QFETCH(QString, picture);
    QFETCH(qint64, file);
    QFETCH(qint64, best);
    const auto graph = textGraph(picture.toStdString());
    QCOMPARE(peakOf(*graph, test::schedule(*graph)), file);
    const Schedule found = test::schedule(*graph, ScheduleKind::MinPeak);
    QVERIFY(isTopological(*graph, found));
    QCOMPARE(peakOf(*graph, found), best);
    QCOMPARE(found.peakBound, best);
    QVERIFY(found.provenMinPeak);
}

void TestMinPeak::agreesWithEveryOrder()
{
    int gained = 0;
    int orders = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 7, .inputs = 1 + static_cast<int>(seed % 3), .nearness = 5,
                                              .viewChance = 0.3, .workspaceChance = 0.2, .shuffled = seed % 2 == 0});
        const PeakOptions options{.alignment = Bytes(1) << (seed % 4), .inputsInArena = seed % 3 != 0,
                                  .outputsInArena = seed % 5 != 0, .countWorkspace = seed % 2 == 0, .joinViews = seed % 4 == 1};
        const auto found = makeSchedule(*graph, ScheduleKind::MinPeak, {}, {}, options);
        QVERIFY(found && isTopological(*graph, *found));
        EveryOrder every(*graph, options);
        const Bytes best = every.best();
        QVERIFY2(peakOf(*graph, *found, options) == best && found->peakBound == best, qPrintable(QString("seed %1: %2, claimed %3, best %4")
                     .arg(seed).arg(peakOf(*graph, *found, options)).arg(found->peakBound).arg(best)));
        QVERIFY(found->provenMinPeak);
        gained += best < peakOf(*graph, test::schedule(*graph), options);
        orders += every.orders();
    }
    QVERIFY2(gained > 100 && orders > 4000, "too little to choose: the test proves nothing");
}

void TestMinPeak::agreesWithSets()
{
    int gained = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 9 + static_cast<int>(seed % 5), .inputs = 1 + static_cast<int>(seed % 2),
                                              .maxFanIn = 2 + static_cast<int>(seed % 3), .nearness = 2 + static_cast<int>(seed % 5),
                                              .multiOutputChance = 0.2});
        const Schedule found = test::schedule(*graph, ScheduleKind::MinPeak);
        QVERIFY(isTopological(*graph, found));
        const Bytes best = bestBySets(*graph);
        QCOMPARE(peakOf(*graph, found), best);
        QCOMPARE(found.peakBound, best);
        QVERIFY(found.provenMinPeak);
        gained += best < peakOf(*graph, test::schedule(*graph));
    }
    QVERIFY(gained > 250);
}

namespace {

// Live bytes after the set `ran` of a segment's operators.
Bytes liveAfter(const detail::PeakSegment& segment, std::uint32_t ran)
{
    Bytes live = segment.startBytes;
    for (std::size_t op = 0; op < segment.size(); ++op)
        live += (ran >> op & 1) ? segment.kept[op] - segment.freed[op] : 0;
    for (std::size_t i = 0; i < segment.shared.size(); ++i) {
        const auto readers = segment.sharedReaders[i];
        const bool isFreed = std::all_of(readers.begin(), readers.end(), [ran](detail::LocalOp op) { return ran >> op & 1; });
        live -= isFreed ? segment.shared[i] : 0;
    }
    return live;
}

std::vector<detail::LocalOp> fileOrder(const detail::PeakSegment& segment)
{
    std::vector<detail::LocalOp> order(segment.size());
    for (detail::LocalOp op = 0; op < order.size(); ++op)
        order[op] = op;
    return order;
}

} // namespace

// The definition, over all sets: what an operator makes on top of the fewest bytes alive from which it can run.
void TestMinPeak::cutBoundAgreesWithSets()
{
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 12, .inputs = 2, .nearness = 5});
        const auto segments = detail::peakSegments(*graph, test::schedule(*graph), {});
        QVERIFY(segments);
        for (const detail::PeakSegment& segment : *segments) {
            std::vector<std::uint32_t> writers(segment.size(), 0);
            for (std::size_t op = 0; op < segment.size(); ++op) {
                for (const detail::LocalOp writer : segment.writers[op])
                    writers[op] |= 1u << writer;
            }
            Bytes bound = 0;
            for (std::size_t op = 0; op < segment.size(); ++op) {
                Bytes least = std::numeric_limits<Bytes>::max();
                for (std::uint32_t ran = 0; ran < 1u << segment.size(); ++ran) {
                    bool isClosed = !(ran >> op & 1) && (writers[op] & ~ran) == 0;
                    for (std::size_t other = 0; isClosed && other < segment.size(); ++other)
                        isClosed = !(ran >> other & 1) || (writers[other] & ~ran) == 0;
                    if (isClosed)
                        least = std::min(least, liveAfter(segment, ran));
                }
                bound = std::max(bound, segment.made[op] + least);
            }
            QCOMPARE(detail::cutBound(segment, fileOrder(segment), 0, {}), bound);
            ++compared;
        }
    }
    QVERIFY(compared >= 400);
}

void TestMinPeak::beamOrdersAreOrders()
{
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 40, .nearness = 10});
        const auto segments = detail::peakSegments(*graph, test::schedule(*graph), {});
        QVERIFY(segments);
        for (const detail::PeakSegment& segment : *segments) {
            detail::SearchBudget budget{1000000};
            const auto found = detail::beamOrder(segment, 0, 1 + seed % 8, budget, {});
            QVERIFY(found);
            std::vector<bool> ran(segment.size(), false);
            for (const detail::LocalOp op : found->order) {
                for (const detail::LocalOp writer : segment.writers[op])
                    QVERIFY(ran[writer]);
                QVERIFY(!ran[op]);
                ran[op] = true;
            }
            QCOMPARE(found->order.size(), segment.size());
            QCOMPARE(found->peak, detail::peakOf(segment, found->order));
            detail::SearchBudget spent{1};
            QVERIFY(segment.size() < 3 || !detail::beamOrder(segment, 0, 4, spent, {}));
        }
    }
}

// Whatever the search has managed: never worse than the file, and the claims agree with the profile.
void TestMinPeak::isHonestOnLargeNetworks()
{
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 120, .nearness = 2 + static_cast<int>(seed) * 3, .maxBytes = 1000});
        const Schedule found = test::schedule(*graph, ScheduleKind::MinPeak);
        QVERIFY(isTopological(*graph, found));
        const Bytes peak = peakOf(*graph, found);
        QVERIFY(peak <= peakOf(*graph, test::schedule(*graph)));
        QVERIFY(peak <= peakOf(*graph, test::schedule(*graph, ScheduleKind::DepthFirst)));
        QVERIFY(found.peakBound > 0 && found.peakBound <= peak);
        QCOMPARE(found.provenMinPeak, found.peakBound == peak);
    }
}

void TestMinPeak::takesLongAndWideNetworks()
{
    const auto chain = chainGraph(50000);
    QVERIFY(test::schedule(*chain, ScheduleKind::MinPeak).provenMinPeak);

    // 20,000 operators that may run in any order.
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(x, 8);
    for (int i = 0; i < 20000; ++i)
        builder.addOutput(builder.addSimple("Conv", {x}, "t" + std::to_string(i), 1 + i % 7));
    const auto wide = std::move(builder).build();
    QVERIFY(wide);
    QVERIFY(isTopological(**wide, test::schedule(**wide, ScheduleKind::MinPeak)));
}

void TestMinPeak::isDeterministic()
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 30, .nearness = 4});
        QVERIFY(test::schedule(*graph, ScheduleKind::MinPeak).order == test::schedule(*graph, ScheduleKind::MinPeak).order);
    }
}

void TestMinPeak::stopsOnRequest()
{
    const auto graph = randomGraph(3, {.operators = 500, .nearness = 30});
    std::stop_source source;
    const auto stopAtOnce = [&source](double, std::string_view) { source.request_stop(); };
    const auto schedule = makeSchedule(*graph, ScheduleKind::MinPeak, source.get_token(), stopAtOnce);
    QVERIFY(schedule ? true : schedule.error().code == ErrorCode::Cancelled);
    source.request_stop();
    const auto never = makeSchedule(*graph, ScheduleKind::MinPeak, source.get_token());
    QVERIFY(!never && never.error().code == ErrorCode::Cancelled);
}

QTEST_APPLESS_MAIN(TestMinPeak)
#include "tst_min_peak.moc"
