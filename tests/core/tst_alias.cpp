// SPDX-License-Identifier: MIT
#include <arenascope/alias.h>
#include <arenascope/problem.h>

#include "support/names.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

// "x | a+b | c": groups in order, members in order.
QString groupText(const Graph& graph, const AliasGroups& aliases)
{
    QStringList groups;
    for (const AliasGroup& group : aliases.groups) {
        QStringList members;
        for (const AliasMember& member : group.members)
            members << QString::fromStdString(graph.tensor(member.tensor).name);
        groups << members.join('+');
    }
    return groups.join(" | ");
}

} // namespace

class TestAlias : public QObject {
    Q_OBJECT

private slots:
    void groups_data();
    void groups();
    void onlyFollowsBuiltInOperators();
    void trainingBatchNormalizationKeepsItsInput();
    void trainingDropoutIsNoView();
    void namesRoundTrip();
    void everyActivationIsInOneGroup();
    void overwritesOnlyWhatIsDead();
};

void TestAlias::groups_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("none");
    QTest::addColumn<QString>("views");
    QTest::addColumn<QString>("inplace");

    QTest::newRow("a chain of element-wise operators is one buffer")
        << "in: x 8\nx -> Conv -> a 8\na -> Relu -> b 8\nb -> Sigmoid -> c 8\nc -> Conv -> d 8\nout: d"
        << "x | a | b | c | d" << "x | a | b | c | d" << "x | a+b+c | d";
    QTest::newRow("views join at any size and with several readers")
        << "in: x 8\nx -> Conv -> a 8\na -> Reshape -> b 8\na -> Conv -> c 8\nb -> Flatten -> d 8\nc, d -> Concat -> e 16\nout: e"
        << "x | a | b | c | d | e" << "x | a+b+d | c | e" << "x | a+b+d | c | e";
    QTest::newRow("a view of a network input is the input's bytes")
        << "in: x 8\nx -> Reshape -> a 8\na -> Relu -> b 8\nout: b"
        << "x | a | b" << "x+a | b" << "x+a | b"; // nothing writes over a network input
    QTest::newRow("a network output is not written over, but may be written in place")
        << "in: x 8\nx -> Conv -> a 8\na -> Relu -> b 8\nb -> Relu -> c 8\nout: b, c"
        << "x | a | b | c" << "x | a | b | c" << "x | a+b | c";
    QTest::newRow("the operand is read again later")
        << "in: x 8\nx -> Conv -> a 8\na -> Relu -> b 8\na, b -> Concat -> c 16\nout: c"
        << "x | a | b | c" << "x | a | b | c" << "x | a | b | c";
    QTest::newRow("the last of two readers writes in place")
        << "in: x 8\nx -> Conv -> a 8\na -> Conv -> b 8\na -> Relu -> c 8\nb, c -> Concat -> d 16\nout: d"
        << "x | a | b | c | d" << "x | a | b | c | d" << "x | a+c | b | d";
    QTest::newRow("the first operand that is suitable, in operand order")
        << "in: x 8\nx -> Conv -> a 8\nx -> Conv -> b 8\na, b -> Add -> c 8\nout: c"
        << "x | a | b | c" << "x | a | b | c" << "x | a+c | b";
    QTest::newRow("the second operand where the first is still read")
        << "in: x 8\nx -> Conv -> a 8\nx -> Conv -> b 8\na, b -> Add -> c 8\na, c -> Concat -> d 16\nout: d"
        << "x | a | b | c | d" << "x | a | b | c | d" << "x | a | b+c | d";
    QTest::newRow("a broadcast operand is too small")
        << "in: x 8\nx -> Conv -> a 4\nx -> Conv -> b 8\na, b -> Mul -> c 8\nout: c"
        << "x | a | b | c" << "x | a | b | c" << "x | a | b+c";
    QTest::newRow("only operand 0 of PRelu is data")
        << "in: x 8\nx -> Conv -> a 8\nx -> Conv -> b 8\na, b -> PRelu -> c 8\na, c -> Concat -> d 16\nout: d"
        << "x | a | b | c | d" << "x | a | b | c | d" << "x | a | b | c | d";
    QTest::newRow("the same tensor twice")
        << "in: x 8\nx -> Conv -> a 8\na, a -> Mul -> b 8\nout: b"
        << "x | a | b" << "x | a | b" << "x | a+b";
    // b views a; a's own last read is the Reshape, but the group is read through b until the Concat.
    QTest::newRow("the last read of the whole group counts")
        << "in: x 8\nx -> Conv -> a 8\na -> Reshape -> b 8\na -> Relu -> c 8\nb, c -> Concat -> d 16\nout: d"
        << "x | a | b | c | d" << "x | a+b | c | d" << "x | a+b | c | d";
    QTest::newRow("in place over the last view")
        << "in: x 8\nx -> Conv -> a 8\na -> Reshape -> b 8\nb -> Relu -> c 8\nc -> Conv -> d 8\nout: d"
        << "x | a | b | c | d" << "x | a+b | c | d" << "x | a+b+c | d";
    QTest::newRow("captured later: not written over")
        << "in: x 8\nx -> Conv -> a 8\na -> Relu -> b 8\nb | a -> If -> c 8\nout: c"
        << "x | a | b | c" << "x | a | b | c" << "x | a | b | c";
    QTest::newRow("weights are in no group")
        << "in: x 8\nweight: w 8\nx, w -> Conv -> a 8\nw, a -> Add -> b 8\nw -> Identity -> c 8\nout: b, c"
        << "x | a | b | c" << "x | a | b | c" << "x | a+b | c";
    QTest::newRow("kinds that a kernel may not run in place")
        << "in: x 8\nx -> Conv -> a 8\na -> Softmax -> b 8\nb -> Cast -> c 8\nc -> LayerNormalization -> d 8\nout: d"
        << "x | a | b | c | d" << "x | a | b | c | d" << "x | a | b | c | d";
    QTest::newRow("only the first output of a view is one")
        << "in: x 8\nx -> Conv -> a 8\na -> Dropout -> b 8, mask 2\nb -> Conv -> c 8\nout: c"
        << "x | a | b | mask | c" << "x | a+b | mask | c" << "x | a+b | mask | c";
    QTest::newRow("unknown sizes are never written over")
        << "in: x 8\nx -> Conv -> a\na -> Relu -> b\nout: b"
        << "x | a | b" << "x | a | b" << "x | a | b";
    QTest::newRow("the kinds of TensorFlow Lite")
        << "in: x 8\nx -> CONV_2D -> a 8\na -> RESHAPE -> b 8\nb -> LOGISTIC -> c 8\nc -> SOFTMAX -> d 8\nout: d"
        << "x | a | b | c | d" << "x | a+b | c | d" << "x | a+b+c | d";
}

void TestAlias::groups()
{
    QFETCH(QString, picture);
    QFETCH(QString, none);
    QFETCH(QString, views);
    QFETCH(QString, inplace);
    const auto graph = textGraph(picture.toStdString());
    const Schedule order = test::schedule(*graph);
    QCOMPARE(groupText(*graph, makeAliasGroups(*graph, order, AliasMode::None)), none);
    QCOMPARE(groupText(*graph, makeAliasGroups(*graph, order, AliasMode::Views)), views);
    QCOMPARE(groupText(*graph, makeAliasGroups(*graph, order, AliasMode::InPlace)), inplace);
}

void TestAlias::onlyFollowsBuiltInOperators()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(x, 8);
    const TensorId a = builder.addSimple("Conv", {x}, "a", 8);
    Operator custom;
    custom.kind = "Reshape";
    custom.domain = "com.example";
    custom.inputs = {a};
    custom.outputs = {builder.tensor("b")};
    builder.setBytes(custom.outputs.front(), 8);
    builder.addOutput(custom.outputs.front());
    builder.addOperator(std::move(custom));
    const auto graph = std::move(builder).build();
    QVERIFY(graph);
    QCOMPARE(groupText(**graph, makeAliasGroups(**graph, test::schedule(**graph), AliasMode::InPlace)), QString("x | a | b"));
}

void TestAlias::trainingBatchNormalizationKeepsItsInput()
{
    const auto groupsFor = [](std::int64_t training) {
        GraphBuilder builder;
        const TensorId x = builder.addInput("x", ElementType::Undefined, {});
        builder.setBytes(x, 8);
        Operator norm;
        norm.kind = "BatchNormalization";
        norm.inputs = {builder.addSimple("Conv", {x}, "a", 8)};
        norm.outputs = {builder.tensor("b")};
        norm.attributes["training_mode"] = training;
        builder.setBytes(norm.outputs.front(), 8);
        builder.addOutput(norm.outputs.front());
        builder.addOperator(std::move(norm));
        const auto graph = std::move(builder).build();
        return groupText(**graph, makeAliasGroups(**graph, test::schedule(**graph), AliasMode::InPlace));
    };
    QCOMPARE(groupsFor(0), QString("x | a+b"));
    QCOMPARE(groupsFor(1), QString("x | a | b"));
}

void TestAlias::trainingDropoutIsNoView()
{
    const auto groupsFor = [](std::byte training, bool isKnown) {
        GraphBuilder builder;
        const TensorId x = builder.addInput("x", ElementType::Undefined, {});
        builder.setBytes(x, 8);
        const TensorId mode = builder.addWeight("training", ElementType::Bool, Shape::of({}));
        if (isKnown)
            builder.setSource(mode, {{}, 0, 1, {training}});
        Operator drop;
        drop.kind = "Dropout";
        drop.inputs = {builder.addSimple("Conv", {x}, "a", 8), TensorId(), mode};
        drop.outputs = {builder.tensor("b")};
        builder.setBytes(drop.outputs.front(), 8);
        builder.addOperator(std::move(drop));
        const auto graph = std::move(builder).build();
        return groupText(**graph, makeAliasGroups(**graph, test::schedule(**graph), AliasMode::Views));
    };
    QCOMPARE(groupsFor(std::byte(0), true), QString("x | a+b"));
    QCOMPARE(groupsFor(std::byte(1), true), QString("x | a | b"));
    QCOMPARE(groupsFor(std::byte(0), false), QString("x | a | b"));
}

void TestAlias::namesRoundTrip()
{
    for (const AliasMode mode : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All})
        QVERIFY(aliasFromName(aliasName(mode)) == mode);
    QVERIFY(!aliasFromName("some"));
}

void TestAlias::everyActivationIsInOneGroup()
{
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 30, .inputs = 2});
        const Schedule order = test::schedule(*graph, seed % 2 ? ScheduleKind::DepthFirst : ScheduleKind::File);
        for (const AliasMode mode : {AliasMode::None, AliasMode::Views, AliasMode::InPlace}) {
            const AliasGroups aliases = makeAliasGroups(*graph, order, mode);
            std::vector<int> seen(graph->tensors().size(), 0);
            for (std::size_t g = 0; g < aliases.groups.size(); ++g) {
                for (const AliasMember& member : aliases.groups[g].members) {
                    ++seen[member.tensor.index()];
                    QCOMPARE(aliases.groupOf[member.tensor.index()], static_cast<int>(g));
                    QVERIFY(graph->tensor(member.tensor).bytes <= aliases.groups[g].bytes);
                }
                QVERIFY(mode != AliasMode::None || aliases.groups[g].members.size() == 1);
            }
            for (std::size_t t = 0; t < seen.size(); ++t)
                QCOMPARE(seen[t], graph->tensors()[t].isActivation() ? 1 : 0);
        }
    }
}

// Independent of how groups are found: after an operator has written over a buffer, nobody reads what was there before
// (views excepted: they change nothing).
void TestAlias::overwritesOnlyWhatIsDead()
{
    int overwritten = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 30, .viewChance = 0.3, .inPlaceChance = 0.6});
        const Schedule order = test::schedule(*graph);
        const AliasGroups aliases = makeAliasGroups(*graph, order, AliasMode::InPlace);
        const std::vector<LiveRange> ranges = tensorLiveRanges(*graph, order);
        for (const AliasGroup& group : aliases.groups) {
            for (std::size_t i = 0; i < group.members.size(); ++i) {
                if (group.members[i].reason != AliasReason::InPlace)
                    continue;
                ++overwritten;
                const LiveRange written = ranges[group.members[i].tensor.index()];
                for (std::size_t j = 0; j < i; ++j) {
                    const Tensor& before = graph->tensor(group.members[j].tensor);
                    QVERIFY(ranges[group.members[j].tensor.index()].end <= written.begin + 1);
                    QVERIFY(!before.isOutput && before.role != TensorRole::Input);
                    QCOMPARE(before.bytes, graph->tensor(group.members[i].tensor).bytes);
                }
            }
        }
    }
    QVERIFY(overwritten > 3000);
}

QTEST_APPLESS_MAIN(TestAlias)
#include "tst_alias.moc"
