// SPDX-License-Identifier: MIT
#include <arenascope/cut.h>

#include "support/names.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

// Reachability by brute force, O(V * E).
class Reach {
public:
    explicit Reach(const Graph& graph) : m_count(graph.operators().size()), m_reaches(m_count * m_count, false)
    {
        const Schedule order = test::schedule(graph);
        for (std::size_t i = m_count; i-- > 0;) {
            const OpId op = order.order[i];
            for (const OpId reader : graph.successors(op)) {
                at(op, reader) = true;
                for (std::size_t other = 0; other < m_count; ++other) {
                    if (at(reader, OpId::fromIndex(other)))
                        at(op, OpId::fromIndex(other)) = true;
                }
            }
        }
    }

    bool isComparable(OpId a) const
    {
        for (std::size_t i = 0; i < m_count; ++i) {
            const OpId b = OpId::fromIndex(i);
            if (a != b && !m_reaches[a.index() * m_count + i] && !m_reaches[i * m_count + a.index()])
                return false;
        }
        return true;
    }

private:
    std::vector<bool>::reference at(OpId a, OpId b) { return m_reaches[a.index() * m_count + b.index()]; }

    std::size_t m_count;
    std::vector<bool> m_reaches;
};

// Whether some path from a source to a sink avoids `avoided`.
bool pathAvoids(const Graph& graph, const Schedule& schedule, OpId avoided)
{
    std::vector<bool> reached(graph.operators().size(), false);
    for (const OpId op : schedule.order) {
        if (op == avoided)
            continue;
        const auto writers = graph.predecessors(op);
        reached[op.index()] = writers.empty()
            || std::any_of(writers.begin(), writers.end(), [&](OpId writer) { return reached[writer.index()]; });
        if (reached[op.index()] && graph.successors(op).empty())
            return true;
    }
    return false;
}

QString regionText(const Graph& graph, const GraphRegion& region)
{
    return names(graph, region.operators) + (region.entry.isValid() ? "" : " (no entry)") + (region.isChain ? " (chain)" : "");
}

} // namespace

class TestCut : public QObject {
    Q_OBJECT

private slots:
    void pictures_data();
    void pictures();
    void agreesWithReachability();
    void isTheSameForEverySchedule();
    void regionsPartitionTheOperators();
};

void TestCut::pictures_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("cuts");
    QTest::addColumn<QString>("comparable");
    QTest::addColumn<QStringList>("regions");
    QTest::addColumn<QString>("forks");
    QTest::addColumn<QString>("joins");

    QTest::newRow("a chain is one region")
        << "in: x 1\nx -> O a -> a 1\na -> O b -> b 1\nb -> O c -> c 1\nout: c"
        << "a b c" << "a b c" << QStringList{"a b c (chain)"} << "" << "";
    // a -> b -> c -> d, and a -> d: nothing is incomparable, but the skip leads past b and c.
    QTest::newRow("a residual block")
        << "in: x 1\nx -> O s -> s 1\ns -> O a -> a 1\na -> O b -> b 1\nb -> O c -> c 1\nc, a -> Add d -> d 1\nd -> O e -> e 1\nout: e"
        << "s a d e" << "s a b c d e" << QStringList{"s (chain)", "a b c (chain)", "d e (chain)"} << "a" << "d";
    QTest::newRow("a diamond")
        << "in: x 1\nx -> O a -> a 1\na -> O b -> b 1\na -> O c -> c 1\nb, c -> Add d -> d 1\nout: d"
        << "a d" << "a d" << QStringList{"a b c", "d (chain)"} << "a" << "d";
    QTest::newRow("two sources of one sink")
        << "in: x 1\nx -> O a -> a 1\nx -> O b -> b 1\na, b -> Add c -> c 1\nc -> O d -> d 1\nout: d"
        << "c d" << "c d" << QStringList{"a b (no entry) (chain)", "c d (chain)"} << "" << "c";
    QTest::newRow("a fork with two sinks")
        << "in: x 1\nx -> O a -> a 1\na -> O b -> b 1\na -> O c -> c 1\nout: b, c"
        << "a" << "a" << QStringList{"a b c"} << "a" << "";
    QTest::newRow("nothing is common")
        << "in: x 1\nx -> O a -> a 1\nx -> O b -> b 1\nout: a, b"
        << "" << "" << QStringList{"a b (no entry) (chain)"} << "" << "";
    QTest::newRow("two outputs with one reader each are no fork")
        << "in: x 1\nx -> Split a -> a 1, b 1\na -> O c -> c 1\nb -> O d -> d 1\nc, d -> Add e -> e 1\nout: e"
        << "a e" << "a e" << QStringList{"a c d", "e (chain)"} << "" << "e";
    QTest::newRow("reading one operator twice is no join")
        << "in: x 1\nx -> Split a -> a 1, b 1\na, b -> Add c -> c 1\nout: c"
        << "a c" << "a c" << QStringList{"a c (chain)"} << "" << "";
    QTest::newRow("one operator")
        << "in: x 1\nx -> O a -> a 1\nout: a"
        << "a" << "a" << QStringList{"a (chain)"} << "" << "";
    QTest::newRow("an unread side output ends nothing but is a sink")
        << "in: x 1\nx -> O a -> a 1\na -> O b -> b 1\na -> O dead -> z 1\nb -> O c -> c 1\nout: c"
        << "a" << "a" << QStringList{"a b dead c"} << "a" << "";
}

void TestCut::pictures()
{
    QFETCH(QString, picture);
    QFETCH(QString, cuts);
    QFETCH(QString, comparable);
    QFETCH(QStringList, regions);
    QFETCH(QString, forks);
    QFETCH(QString, joins);
    const auto graph = textGraph(picture.toStdString());
    const CutAnalysis found = findCuts(*graph, test::schedule(*graph));
    QCOMPARE(names(*graph, found.cutOperators), cuts);
    QCOMPARE(names(*graph, found.comparable), comparable);
    QStringList texts;
    for (const GraphRegion& region : found.regions)
        texts << regionText(*graph, region);
    QCOMPARE(texts, regions);
    QCOMPARE(names(*graph, found.forks), forks);
    QCOMPARE(names(*graph, found.joins), joins);
}

void TestCut::agreesWithReachability()
{
    int cuts = 0;
    int onlyComparable = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        const RandomGraphOptions options{.operators = 3 + static_cast<int>(seed % 20), .nearness = 1 + static_cast<int>(seed % 3),
                                         .joinChance = 0.5, .farChance = 0.05, .shuffled = seed % 2 == 1};
        const auto graph = randomGraph(seed, options);
        const Schedule order = test::schedule(*graph, seed % 3 == 0 ? ScheduleKind::DepthFirst : ScheduleKind::File);
        const CutAnalysis found = findCuts(*graph, order);
        const Reach reach(*graph);
        std::vector<OpId> comparable;
        std::vector<OpId> onEveryPath;
        for (const OpId op : order.order) {
            if (reach.isComparable(op))
                comparable.push_back(op);
            if (!pathAvoids(*graph, order, op))
                onEveryPath.push_back(op);
        }
        QCOMPARE(names(*graph, found.comparable), names(*graph, comparable));
        QCOMPARE(names(*graph, found.cutOperators), names(*graph, onEveryPath));
        cuts += static_cast<int>(onEveryPath.size());
        onlyComparable += static_cast<int>(comparable.size() - onEveryPath.size());
    }
    QVERIFY2(cuts > 500 && onlyComparable > 500, "the random graphs are too wild to test anything");
}

void TestCut::isTheSameForEverySchedule()
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 25, .nearness = 2});
        const CutAnalysis a = findCuts(*graph, test::schedule(*graph));
        const CutAnalysis b = findCuts(*graph, test::schedule(*graph, ScheduleKind::DepthFirst));
        QVERIFY(a.cutOperators == b.cutOperators);
        QVERIFY(a.comparable == b.comparable);
        QCOMPARE(a.regions.size(), b.regions.size());
    }
}

void TestCut::regionsPartitionTheOperators()
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 40, .inputs = 1 + static_cast<int>(seed % 2), .nearness = 2});
        const Schedule order = test::schedule(*graph);
        const CutAnalysis found = findCuts(*graph, order);
        std::vector<OpId> all;
        for (const GraphRegion& region : found.regions) {
            QVERIFY(!region.operators.empty());
            QVERIFY(!region.entry.isValid() || region.entry == region.operators.front());
            all.insert(all.end(), region.operators.begin(), region.operators.end());
        }
        QVERIFY(all == order.order);
    }
}

QTEST_APPLESS_MAIN(TestCut)
#include "tst_cut.moc"
