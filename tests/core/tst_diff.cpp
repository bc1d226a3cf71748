// SPDX-License-Identifier: MIT
// Differences between small networks, told by hand.
#include <arenascope/diff.h>

#include "support/planned.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace arenascope;
using test::planned;
using nlohmann::json;

namespace {

// x+a 320, a+b 512 (peak, step 1), b+y 320.
constexpr char kBase[] = R"(
    in: x 64
    x -> Conv one  -> a 256
    a -> Relu two  -> b 256
    b -> Conv three -> y 64
    out: y
)";

PlanDiff diffOf(std::string_view before, std::string_view after)
{
    return diffPlans(planned(before, "greedy-by-size"), planned(after, "greedy-by-size"));
}

/// "-one", "+two", "~three: what": by name.
QStringList operatorsOf(const PlanDiff& diff)
{
    QStringList rows;
    for (const auto& [before, after, what] : diff.operators) {
        const Graph& graph = after.isValid() ? *diff.after->study->graph : *diff.before->study->graph;
        QString row = !after.isValid() ? "-" : !before.isValid() ? "+" : "~";
        row += QString::fromStdString(graph.op(after.isValid() ? after : before).name);
        for (const std::string& text : what)
            row += ": " + QString::fromStdString(text);
        rows << row;
    }
    return rows;
}

QStringList namesOf(const PlanOutcome& outcome, const std::vector<TensorId>& ids)
{
    QStringList names;
    for (const TensorId id : ids)
        names << QString::fromStdString(outcome.study->graph->tensor(id).name);
    return names;
}

} // namespace

class TestDiff : public QObject {
    Q_OBJECT
private slots:
    void sameNetworkSamePlan();
    void addedAndRemovedOperators();
    void tensorThatShrinksChangesThePeak();
    void namesThatAToolNumbersAnewStillPair();
    void shapesAndTypesAreNamed();
    void readerOfAnotherTensorIsTold();
    void twoPlansOfOneNetwork();
    void largestTensorsComeFirst();
    void longListsAreCutUnlessWhole();
    void largeNetworksDoNotTakeTheSquare();
    void jsonSaysTheSame();
};

void TestDiff::sameNetworkSamePlan()
{
    const PlanDiff diff = diffOf(kBase, kBase);
    QVERIFY(diff.isEmpty());
    QVERIFY(diff.isSameNetwork);
    QCOMPARE(diff.arenaGrowth(), Bytes(0));
    QVERIFY(diff.leftPeak.empty() && diff.joinedPeak.empty());
    QVERIFY(QString::fromStdString(diffText(diff)).endsWith("No difference: the same network, planned to the same bytes\n"));
}

void TestDiff::addedAndRemovedOperators()
{
    const PlanDiff diff = diffOf(kBase, R"(
        in: x 64
        x -> Conv one  -> a 256
        a -> Conv three -> y 64
        y -> Softmax four -> z 64
        out: z
    )");
    QCOMPARE(operatorsOf(diff), QStringList({"-two", "~three: reads other tensors", "+four"}));
    QCOMPARE(diff.arenaGrowth(), Bytes(320 - 512));
    QVERIFY(!diff.isSameNetwork);
}

void TestDiff::tensorThatShrinksChangesThePeak()
{
    const PlanDiff diff = diffOf(kBase, R"(
        in: x 64
        x -> Conv one  -> a 256
        a -> Relu two  -> b 64
        b -> Conv three -> y 64
        out: y
    )");
    // Peak before: a + b at step 1; after: x + a at step 0, as large as a + b at step 1.
    QCOMPARE(diff.before->study->profile.peak, Bytes(512));
    QCOMPARE(diff.after->study->profile.peak, Bytes(320));
    QCOMPARE(namesOf(*diff.before, diff.leftPeak), QStringList({"b"}));
    QCOMPARE(namesOf(*diff.after, diff.joinedPeak), QStringList({"x"}));
    QCOMPARE(diff.tensors.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(diff.tensors[0].what.at(0)), QString("size 256 B -> 64 B"));
    QVERIFY(operatorsOf(diff).isEmpty());
}

void TestDiff::namesThatAToolNumbersAnewStillPair()
{
    // One operator more in front, and all names count on: nothing but it is new.
    const PlanDiff diff = diffOf(R"(
        in: x 64
        x  -> Conv n1 -> t1 256
        t1 -> Relu n2 -> t2 256
        t2 -> Conv n3 -> t3 128
        t3 -> Relu n4 -> t4 128
        out: t4
    )", R"(
        in: x 64
        x  -> Cast n1 -> t1 64
        t1 -> Conv n2 -> t2 256
        t2 -> Relu n3 -> t3 256
        t3 -> Conv n4 -> t4 128
        t4 -> Relu n5 -> t5 128
        out: t5
    )");
    QCOMPARE(operatorsOf(diff), QStringList({"~n2: reads other tensors", "+n1"}));
    QCOMPARE(diff.tensors.size(), std::size_t(1));
    QCOMPARE(namesOf(*diff.after, {diff.tensors[0].after}), QStringList({"t1"}));
}

void TestDiff::shapesAndTypesAreNamed()
{
    const auto network = [](ElementType type, std::int64_t width) {
        GraphBuilder builder;
        Operator op;
        op.kind = "Relu";
        op.name = "relu";
        op.inputs = {builder.addInput("x", ElementType::Float32, Shape::of({4}))};
        op.outputs = {builder.tensor("y")};
        builder.describe(op.outputs[0], type, Shape::of({1, width}));
        builder.addOutput(op.outputs[0]);
        builder.addOperator(std::move(op));
        const auto study = makeStudy(*std::move(builder).build(), {});
        return *planStudy(*study, "naive");
    };
    const PlanDiff diff = diffPlans(network(ElementType::Float32, 64), network(ElementType::Int8, 32));
    QCOMPARE(operatorsOf(diff), QStringList({"~relu: type float32 -> int8: shape 1x64 -> 1x32"}));
    QVERIFY(QString::fromStdString(diffText(diff)).contains("~  -224 B  'y'  type float32 -> int8; shape 1x64 -> 1x32\n"));
}

void TestDiff::readerOfAnotherTensorIsTold()
{
    const PlanDiff diff = diffOf("in: x 64\n x -> A a -> p 64\n x -> B b -> q 64\n p -> C c -> y 64\n out: y, q",
                                 "in: x 64\n x -> A a -> p 64\n x -> B b -> q 64\n q -> C c -> y 64\n out: y, q");
    QCOMPARE(operatorsOf(diff), QStringList({"~c: reads other tensors"}));
}

void TestDiff::twoPlansOfOneNetwork()
{
    StudyOptions inPlace;
    inPlace.alias = AliasMode::InPlace;
    const PlanDiff diff = diffPlans(planned(kBase, "greedy-by-size"), planned(kBase, "greedy-by-size", inPlace));
    QVERIFY(diff.isSameNetwork && !diff.isEmpty());
    QCOMPARE(diff.arenaGrowth(), Bytes(320 - 512));
    QVERIFY(operatorsOf(diff).isEmpty()); // same order
    bool isToldThatBMoves = false;
    for (const auto& difference : diff.tensors) {
        if (diff.after->study->graph->tensor(difference.after).name == "b")
            isToldThatBMoves = QString::fromStdString(difference.what.back()) == "live steps [1, 3) -> [0, 3)";
    }
    QVERIFY(isToldThatBMoves);
}

void TestDiff::largestTensorsComeFirst()
{
    const PlanDiff diff = diffOf(kBase, R"(
        in: x 32
        x -> Conv one  -> a 512
        a -> Relu two  -> b 512
        b -> Conv three -> y 60
        out: y
    )");
    QStringList names;
    for (const auto& difference : diff.tensors)
        names << QString::fromStdString(diff.after->study->graph->tensor(difference.after).name);
    QCOMPARE(names, QStringList({"a", "b", "x", "y"}));
}

void TestDiff::longListsAreCutUnlessWhole()
{
    std::string longer = "in: t0 64\n";
    for (int i = 0; i < 30; ++i)
        longer += "t" + std::to_string(i) + " -> Relu r" + std::to_string(i) + " -> t" + std::to_string(i + 1) + " 64\n";
    const PlanDiff diff = diffOf("in: t0 64\n t0 -> Relu r0 -> t1 64\n out: t1", longer + "out: t30");
    QVERIFY(QString::fromStdString(diffText(diff)).contains("and 9 more (--explain lists them)"));
    QVERIFY(!QString::fromStdString(diffText(diff, true)).contains("more (--explain"));
    QVERIFY(QString::fromStdString(diffText(diff, true)).contains("'r29'"));
}

// Nothing pairs: without a limit the table would take 100 MB.
void TestDiff::largeNetworksDoNotTakeTheSquare()
{
    const auto chain = [](const char* kind) {
        std::string picture = "in: t0 64\n";
        for (int i = 0; i < 5000; ++i)
            picture += "t" + std::to_string(i) + " -> " + kind + " " + kind + std::to_string(i) + " -> t" + std::to_string(i + 1) + " 64\n";
        return picture + "out: t5000";
    };
    const PlanDiff diff = diffOf(chain("A"), chain("B"));
    QCOMPARE(diff.operators.size(), std::size_t(10000));
}

void TestDiff::jsonSaysTheSame()
{
    const json all = json::parse(diffJson(diffOf(kBase, R"(
        in: x 64
        x -> Conv one  -> a 256
        a -> Relu two  -> b 64
        b -> Conv new -> c 64
        c -> Conv three -> y 64
        out: y
    )")));
    QCOMPARE(all.at("arena_growth_bytes").get<int>(), 320 - 512);
    QCOMPARE(all.at("equal").get<bool>(), false);
    QCOMPARE(all.at("before").at("arena_bytes").get<int>(), 512);
    QCOMPARE(all.at("operators").at("added").at(0).at("name").get<std::string>(), std::string("new"));
    QCOMPARE(all.at("tensors").at("changed").at(0).at("what").at(0).get<std::string>(), std::string("size 256 B -> 64 B"));
    QCOMPARE(all.at("peak").at("left").at(0).at("name").get<std::string>(), std::string("b"));
}

QTEST_APPLESS_MAIN(TestDiff)
#include "tst_diff.moc"
