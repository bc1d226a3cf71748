// SPDX-License-Identifier: MIT
#include <arenascope/branch.h>

#include "support/names.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

#include <numeric>

using namespace arenascope;
using namespace arenascope::test;

namespace {

// "a b+c | d": branches, their units, the operators of a unit joined by '+'.
QString branchText(const Graph& graph, const Branches& branches)
{
    QStringList texts;
    for (const Branch& branch : branches.branches) {
        QStringList units;
        for (const BranchUnit& unit : branch.units)
            units << names(graph, unit.operators).replace(' ', '+');
        texts << units.join(' ');
    }
    return texts.join(" | ");
}

Branches branchesOf(const Graph& graph, AliasMode mode = AliasMode::None, const BranchOptions& options = {},
                    ScheduleKind kind = ScheduleKind::File)
{
    const Schedule order = test::schedule(graph, kind);
    return findBranches(graph, order, makeAliasGroups(graph, order, mode), options);
}

std::shared_ptr<const Graph> chainOf(const QList<qint64>& sizes)
{
    GraphBuilder builder;
    TensorId last = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(last, 1);
    for (const qint64 size : sizes)
        last = builder.addSimple("Conv", {last}, "t" + std::to_string(builder.tensor("x").value()) + std::to_string(last.value()), size);
    builder.addOutput(last);
    return *std::move(builder).build();
}

const char* const kResidual = R"(
    in: x 8
    x    -> Conv stem -> s 8
    s    -> Conv a    -> a 8
    a    -> Conv b    -> b 8
    b, s -> Add  join -> j 8
    j    -> Conv tail -> t 8
    out: t
)";

} // namespace

class TestBranch : public QObject {
    Q_OBJECT

private slots:
    void memories_data();
    void memories();
    void pictures_data();
    void pictures();
    void joinRules_data();
    void joinRules();
    void pathFollowsForks();
    void aliasGroupsAreUnits_data();
    void aliasGroupsAreUnits();
    void unitsSumTheirOutputs();
    void chainsAreValidOnRandomGraphs();
    void joinPrefersLongestByBruteForce();
    void chainsAreSafeWhateverTheOrder();
    void pathsClash();
};

void TestBranch::memories_data()
{
    QTest::addColumn<QList<qint64>>("sizes");
    QTest::addColumn<qint64>("first");
    QTest::addColumn<qint64>("second");
    QTest::addColumn<int>("designated");
    QTest::addColumn<QString>("sides");
    QTest::newRow("10 1 9: the large ones share a side") << QList<qint64>{10, 1, 9} << qint64(10) << qint64(9) << 0 << "121";
    QTest::newRow("10 1 10: a tie, in turn") << QList<qint64>{10, 1, 10} << qint64(10) << qint64(10) << -1 << "121";
    QTest::newRow("10 1 2 9") << QList<qint64>{10, 1, 2, 9} << qint64(10) << qint64(9) << 0 << "1212";
    QTest::newRow("4 6 3 5 2: distance counted from the second") << QList<qint64>{4, 6, 3, 5, 2} << qint64(6) << qint64(5) << 1 << "21212";
    QTest::newRow("16 8 64 32 8") << QList<qint64>{16, 8, 64, 32, 8} << qint64(64) << qint64(32) << 2 << "12121";
    QTest::newRow("one unit has no second memory") << QList<qint64>{7} << qint64(7) << qint64(0) << 0 << "1";
    QTest::newRow("all equal") << QList<qint64>{5, 5, 5, 5} << qint64(5) << qint64(5) << -1 << "1212";
    QTest::newRow("nothing at all") << QList<qint64>{0, 0} << qint64(0) << qint64(0) << -1 << "12";
    QTest::newRow("largest at the end") << QList<qint64>{1, 2, 3, 4} << qint64(4) << qint64(3) << 3 << "2121";
}

void TestBranch::memories()
{
    QFETCH(QList<qint64>, sizes);
    QFETCH(qint64, first);
    QFETCH(qint64, second);
    QFETCH(int, designated);
    QFETCH(QString, sides);
    const auto graph = chainOf(sizes);
    const Branches found = branchesOf(*graph);
    QCOMPARE(found.branches.size(), std::size_t(1));
    const Branch& branch = found.branches.front();
    QCOMPARE(branch.firstMemory, first);
    QCOMPARE(branch.secondMemory, second);
    QCOMPARE(branch.designatedUnit, designated);
    QString text;
    for (const BranchUnit& unit : branch.units)
        text += unit.side == PingPongSide::First ? '1' : unit.side == PingPongSide::Second ? '2' : '-';
    QCOMPARE(text, sides);
}

void TestBranch::pictures_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("branches");
    QTest::newRow("a residual block: the fork ends the stem") << kResidual << "stem | a b join tail";
    QTest::newRow("two arms: the longer goes on through the join")
        << "in: x 8\nx -> C stem -> s 8\ns -> C a1 -> a 8\na -> C a2 -> b 8\ns -> C b1 -> c 8\nb, c -> Concat cat -> d 8\nd -> C tail -> e 8\nout: e"
        << "stem | a1 a2 cat tail | b1";
    QTest::newRow("a tie: the arm scheduled later goes on")
        << "in: x 8\nx -> C stem -> s 8\ns -> C a1 -> a 8\ns -> C b1 -> b 8\na, b -> Concat cat -> d 8\nout: d"
        << "stem | a1 | b1 cat";
    QTest::newRow("a skip connection over two blocks")
        << "in: x 8\nx -> C a -> a 8\na -> C b -> b 8\nb -> C c -> c 8\nc -> C d -> d 8\nd, a -> Concat e -> e 8\nout: e"
        << "a | b c d e";
    QTest::newRow("a network output in the middle ends a branch")
        << "in: x 8\nx -> C a -> a 8\na -> C b -> b 8\nout: a, b" << "a | b";
    QTest::newRow("a network input that is read twice is no fork of a branch")
        << "in: x 8\nx -> C a -> a 8\nx, a -> Add b -> b 8\nb -> C c -> c 8\nout: c" << "a b c";
    QTest::newRow("two readers of one tensor, one of them twice, are two consumers")
        << "in: x 8\nx -> C a -> a 8\na, a -> Add b -> b 8\nb -> C c -> c 8\nout: c" << "a b c";
    QTest::newRow("several outputs with one reader go on")
        << "in: x 8\nx -> Split a -> p 4, q 4\np, q -> Add b -> b 4\nout: b" << "a b";
    QTest::newRow("several outputs with different readers are a fork")
        << "in: x 8\nx -> Split a -> p 4, q 4\np -> C b -> b 4\nq -> C c -> c 4\nb, c -> Add d -> d 4\nout: d" << "a | b | c d";
    QTest::newRow("an unread second output does not matter")
        << "in: x 8\nx -> Dropout a -> p 4, mask 4\np -> C b -> b 4\nout: b" << "a b";
    QTest::newRow("nobody reads it: a branch of its own")
        << "in: x 8\nx -> C a -> a 8\na -> C dead -> z 8\na -> C b -> b 8\nout: b" << "a | dead | b";
    QTest::newRow("a capture is a read")
        << "in: x 8\nx -> C a -> a 8\na -> C b -> b 8\nb | a -> If c -> c 8\nout: c" << "a | b c";
    QTest::newRow("a captured tensor may be the only link")
        << "in: x 8\nx -> C a -> a 8\nx | a -> If b -> b 8\nout: b" << "a b";
    QTest::newRow("lengths count through earlier joins")
        << "in: x 8\nx -> C s -> s 8\ns -> C a -> a 8\ns -> C b -> b 8\na, b -> Add j -> j 8\ns -> C c1 -> c 8\nc -> C c2 -> d 8\nc2in -> C z -> z 8\nj, d -> Add k -> k 8\nin: c2in 1\nout: k, z"
        << "s | a | b j | c1 c2 k | z"; // b j and c1 c2 are both two long: the later goes on
}

void TestBranch::pictures()
{
    QFETCH(QString, picture);
    QFETCH(QString, branches);
    const auto graph = textGraph(picture.toStdString());
    QCOMPARE(branchText(*graph, branchesOf(*graph)), branches);
}

void TestBranch::joinRules_data()
{
    QTest::addColumn<int>("rule");
    QTest::addColumn<QString>("branches");
    QTest::newRow("longest") << static_cast<int>(JoinRule::Longest) << "stem | a1 a2 cat tail | b1";
    QTest::newRow("last scheduled") << static_cast<int>(JoinRule::LastScheduled) << "stem | a1 a2 | b1 cat tail";
    QTest::newRow("none") << static_cast<int>(JoinRule::None) << "stem | a1 a2 | b1 | cat tail";
}

void TestBranch::joinRules()
{
    QFETCH(int, rule);
    QFETCH(QString, branches);
    const auto graph = textGraph(R"(
        in: x 8
        x    -> C stem     -> s 8
        s    -> C a1       -> a 8
        a    -> C a2       -> b 8
        s    -> C b1       -> c 8
        b, c -> Concat cat -> d 8
        d    -> C tail     -> e 8
        out: e
    )");
    QCOMPARE(branchText(*graph, branchesOf(*graph, AliasMode::None, {.join = static_cast<JoinRule>(rule)})), branches);
}

void TestBranch::pathFollowsForks()
{
    const auto graph = textGraph(kResidual);
    const BranchOptions path{.style = BranchStyle::Path};
    QCOMPARE(branchText(*graph, branchesOf(*graph, AliasMode::None, path)), QString("stem a b join tail"));
}

void TestBranch::aliasGroupsAreUnits_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<int>("mode");
    QTest::addColumn<QString>("branches");
    QTest::addColumn<QList<qint64>>("bytes"); // of the units in order
    const auto row = [](const char* name, const char* picture, AliasMode mode, const char* branches, const QList<qint64>& bytes) {
        QTest::newRow(name) << QString(picture) << static_cast<int>(mode) << QString(branches) << bytes;
    };
    const char* chain = "in: x 8\nx -> Conv a -> a 8\na -> Relu r -> b 8\nb -> Reshape v -> c 8\nc -> Conv d -> d 4\nout: d";
    row("without aliasing each operator is one", chain, AliasMode::None, "a r v d", {8, 8, 8, 4});
    row("a view belongs to what it views", chain, AliasMode::Views, "a r+v d", {8, 8, 4});
    row("an in-place chain is one unit", chain, AliasMode::InPlace, "a+r+v d", {8, 4});
    row("a chain enters a group by its first operator only",
        // Add writes over a: group {a, add}. Side b is read by Add, which is not the group's first.
        "in: x 8\nx -> Conv a -> a 8\nx -> Conv b -> b 8\na, b -> Add add -> c 8\nc -> Conv d -> d 8\nout: d",
        AliasMode::InPlace, "a+add d | b", {8, 8, 8});
    row("a view of a network input takes no memory of the branch",
        "in: x 8\nx -> Reshape v -> a 8\na -> Conv c -> b 6\nout: b", AliasMode::Views, "v c", {0, 6});
    row("a fork hidden behind a view is a fork",
        "in: x 8\nx -> Conv a -> a 8\na -> Reshape v -> b 8\na -> Conv c -> c 8\nb -> Conv d -> d 8\nc, d -> Add e -> e 8\nout: e",
        AliasMode::Views, "a+v | c | d e", {8, 8, 8, 8});
    // The view runs after the next unit's reader of a: leaving a's memory at c would destroy what the view reads.
    row("a view that runs late holds its unit back",
        "in: x 8\nx -> Conv a -> a 8\na -> Conv b -> b 8\nb -> Conv c -> c 8\na -> Reshape v -> z 8\nout: c",
        AliasMode::Views, "a+v | b c", {8, 8, 8});
}

void TestBranch::aliasGroupsAreUnits()
{
    QFETCH(QString, picture);
    QFETCH(int, mode);
    QFETCH(QString, branches);
    QFETCH(QList<qint64>, bytes);
    const auto graph = textGraph(picture.toStdString());
    const Branches found = branchesOf(*graph, static_cast<AliasMode>(mode));
    QCOMPARE(branchText(*graph, found), branches);
    QList<qint64> sizes;
    for (const Branch& branch : found.branches) {
        for (const BranchUnit& unit : branch.units)
            sizes << unit.bytes;
    }
    QCOMPARE(sizes, bytes);
}

void TestBranch::unitsSumTheirOutputs()
{
    const auto graph = textGraph("in: x 8\nx -> LSTM a -> y 10, h 2, c 3\ny -> Conv b -> b 4\nout: b");
    const Branches found = branchesOf(*graph);
    QCOMPARE(found.branches.front().units.front().bytes, Bytes(15));
    QCOMPARE(names(*graph, found.branches.front().units.front().tensors), QString("y h c"));
    QCOMPARE(found.branches.front().firstMemory, Bytes(15));
    QCOMPARE(found.branches.front().secondMemory, Bytes(4));
}

// What makes two private memories safe: every unit but the last has one consumer outside itself, and that is in the next.
void TestBranch::chainsAreValidOnRandomGraphs()
{
    std::size_t links = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 5 + static_cast<int>(seed % 40), .inputs = 1 + static_cast<int>(seed % 2),
                                              .nearness = 2 + static_cast<int>(seed % 4), .shuffled = seed % 5 == 0});
        const AliasMode mode = static_cast<AliasMode>(seed % 3);
        const BranchOptions options{.join = static_cast<JoinRule>(seed / 3 % 3)};
        const ScheduleKind kind = seed % 2 ? ScheduleKind::DepthFirst : ScheduleKind::File;
        const Schedule order = test::schedule(*graph, kind);
        const Branches found = branchesOf(*graph, mode, options, kind);
        std::vector<int> seen(graph->operators().size(), 0);
        for (std::size_t b = 0; b < found.branches.size(); ++b) {
            const Branch& branch = found.branches[b];
            QCOMPARE(branch.id, BranchId::fromIndex(b));
            for (std::size_t u = 0; u < branch.units.size(); ++u) {
                const BranchUnit& unit = branch.units[u];
                for (const OpId op : unit.operators) {
                    ++seen[op.index()];
                    QCOMPARE(found.branchOf[op.index()], branch.id);
                    QCOMPARE(found.unitOf[op.index()], static_cast<int>(u));
                }
                if (u + 1 == branch.units.size())
                    continue;
                ++links;
                const BranchUnit& next = branch.units[u + 1];
                for (const TensorId tensor : unit.tensors) {
                    QVERIFY(!graph->tensor(tensor).isOutput);
                    for (const OpId consumer : graph->tensor(tensor).consumers) {
                        const bool isInside = std::find(unit.operators.begin(), unit.operators.end(), consumer) != unit.operators.end();
                        QVERIFY(isInside || consumer == next.operators.front());
                    }
                }
                for (const OpId op : unit.operators)
                    QVERIFY(order.stepOf[op.index()] < order.stepOf[next.operators.front().index()]);
            }
            if (b > 0) {
                const OpId before = found.branches[b - 1].units.front().operators.front();
                QVERIFY(order.stepOf[before.index()] < order.stepOf[branch.units.front().operators.front().index()]);
            }
        }
        QVERIFY(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
    }
    QVERIFY(links > 10000);
}

// At each join, worked out again from the finished branches: of all that could go on, none is better than what does.
void TestBranch::joinPrefersLongestByBruteForce()
{
    int joins = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 25, .nearness = 3, .joinChance = 0.5});
        const Schedule order = test::schedule(*graph);
        const Branches found = branchesOf(*graph);
        for (const OpId op : order.order) {
            std::vector<OpId> able;
            for (const OpId writer : graph->predecessors(op)) {
                const auto& outputs = graph->op(writer).outputs;
                const bool isHandedOut = std::any_of(outputs.begin(), outputs.end(), [&](TensorId t) { return graph->tensor(t).isOutput; });
                if (graph->successors(writer) == std::vector<OpId>{op} && !isHandedOut)
                    able.push_back(writer);
            }
            const std::int32_t unit = found.unitOf[op.index()];
            QCOMPARE(unit > 0, !able.empty());
            if (able.empty())
                continue;
            joins += able.size() > 1;
            std::sort(able.begin(), able.end(), [&](OpId a, OpId b) {
                return std::pair(found.unitOf[a.index()], order.stepOf[a.index()]) > std::pair(found.unitOf[b.index()], order.stepOf[b.index()]);
            });
            const Branch& branch = found.branches[found.branchOf[op.index()].index()];
            QCOMPARE(branch.units[static_cast<std::size_t>(unit - 1)].operators.front(), able.front());
        }
    }
    QVERIFY(joins > 500);
}

namespace {

// Runs the network with every branch's two private memories and counts the reads that find another tensor's bytes.
int clashes(const Graph& graph, const Schedule& order, const Branches& branches)
{
    std::vector<std::array<OpId, 2>> memories(branches.branches.size()); // last writer, by branch and parity
    int count = 0;
    for (const OpId op : order.order) {
        for (const OpId writer : graph.predecessors(op)) {
            const auto unit = static_cast<std::size_t>(branches.unitOf[writer.index()]);
            count += memories[branches.branchOf[writer.index()].index()][unit % 2] != writer;
        }
        memories[branches.branchOf[op.index()].index()][static_cast<std::size_t>(branches.unitOf[op.index()]) % 2] = op;
    }
    return count;
}

// A topological order drawn at random.
Schedule randomOrder(const Graph& graph, std::uint64_t seed)
{
    Random random(seed);
    std::vector<std::size_t> missing(graph.operators().size());
    std::vector<OpId> ready;
    std::vector<OpId> order;
    for (std::size_t i = 0; i < missing.size(); ++i) {
        missing[i] = graph.predecessors(OpId::fromIndex(i)).size();
        if (missing[i] == 0)
            ready.push_back(OpId::fromIndex(i));
    }
    while (!ready.empty()) {
        std::swap(ready[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(ready.size())))], ready.back());
        order.push_back(ready.back());
        ready.pop_back();
        for (const OpId reader : graph.successors(order.back())) {
            if (--missing[reader.index()] == 0)
                ready.push_back(reader);
        }
    }
    return *scheduleFromOrder(graph, order);
}

} // namespace

// The branches are found for one order and must be safe for every other.
void TestBranch::chainsAreSafeWhateverTheOrder()
{
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 30, .nearness = 2 + static_cast<int>(seed % 4)});
        QCOMPARE(clashes(*graph, randomOrder(*graph, seed), branchesOf(*graph)), 0);
    }
}

void TestBranch::pathsClash()
{
    int clashing = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 30, .nearness = 3});
        const Branches paths = branchesOf(*graph, AliasMode::None, {.style = BranchStyle::Path});
        clashing += clashes(*graph, randomOrder(*graph, seed), paths) > 0;
    }
    QVERIFY2(clashing > 800, "following forks should destroy data on most graphs");
}

QTEST_APPLESS_MAIN(TestBranch)
#include "tst_branch.moc"
