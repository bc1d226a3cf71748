// SPDX-License-Identifier: MIT
#include <arenascope/graph_builder.h>

#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

using namespace arenascope;
using arenascope::test::textGraph;
using arenascope::test::tryTextGraph;

namespace {

std::vector<int> values(const std::vector<OpId>& ids)
{
    std::vector<int> result;
    for (const OpId id : ids)
        result.push_back(id.value());
    return result;
}

using Ints = std::vector<int>;

} // namespace

class TestGraphBuilder : public QObject {
    Q_OBJECT

private slots:
    void errors_data();
    void errors();
    void connectsReadersAndWriters();
    void countsCapturesAsReads();
    void givesRoles();
    void marksDeadOperators();
    void namesOperatorsUniquely();
    void worksOutBytes_data();
    void worksOutBytes();
    void reportsBadShapes();
    void findsByName();
    void namesOneCycleOnly();
    void takesDeepGraphs();
};

void TestGraphBuilder::errors_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words"); // that the message must hold

    QTest::newRow("no operators at all") << "in: x 4" << "empty-graph" << "no operators";
    QTest::newRow("two operators write one tensor")
        << "in: x 4\nx -> A first -> a 4\nx -> B second -> a 4" << "duplicate-producer" << "'a' is written by both 'first' and 'second'";
    QTest::newRow("one operator writes a tensor twice")
        << "in: x 4\nx -> A first -> a 4, a 4" << "duplicate-producer" << "'a' is written by both 'first' and 'first'";
    QTest::newRow("an operator writes a network input")
        << "in: x 4\nx -> A first -> x 4" << "duplicate-producer" << "'x' is written by both 'the model file (input)' and 'first'";
    QTest::newRow("an operator writes a weight")
        << "in: x 4\nweight: w 4\nx -> A first -> w 4" << "duplicate-producer" << "'the model file (weight)' and 'first'";
    QTest::newRow("a tensor that nobody makes is read")
        << "in: x 4\nx, y -> A first -> a 4" << "dangling-tensor" << "'y', read by 'first'";
    QTest::newRow("a tensor that nobody makes is captured")
        << "in: x 4\nx | y -> If first -> a 4" << "dangling-tensor" << "'y', read by 'first'";
    QTest::newRow("a tensor that nobody makes is handed out")
        << "in: x 4\nx -> A first -> a 4\nout: a, z" << "dangling-tensor" << "'z', read by 'the network's outputs'";
    QTest::newRow("a network input is named twice")
        << "in: x 4, x 4\nx -> A -> a 4" << "duplicate-name" << "network input 'x'";
    QTest::newRow("a network output is named twice")
        << "in: x 4\nx -> A -> a 4\nout: a, a" << "duplicate-name" << "network output 'a'";
    QTest::newRow("an operator reads its own output")
        << "in: x 4\nx, a -> A loop -> a 4" << "cyclic-graph" << "loop -> loop";
    QTest::newRow("a cycle of three beside a sound part")
        << "in: x 4\nx -> S s -> s 4\ns, c -> A p -> a 4\na -> B q -> b 4\nb -> C r -> c 4\nc -> T t -> t 4"
        << "cyclic-graph" << "p -> q -> r -> p";
    QTest::newRow("a cycle through a capture")
        << "in: x 4\nx | b -> If p -> a 4\na -> B q -> b 4" << "cyclic-graph" << "p -> q -> p";
}

void TestGraphBuilder::errors()
{
    QFETCH(QString, picture);
    QFETCH(QString, code);
    QFETCH(QString, words);
    const auto graph = tryTextGraph(picture.toStdString());
    QVERIFY(!graph);
    const auto name = errorCodeName(graph.error().code);
    QCOMPARE(QString::fromUtf8(name.data(), static_cast<int>(name.size())), code);
    const QString message = QString::fromStdString(describe(graph.error()));
    QVERIFY2(message.contains(words), qPrintable(message));
}

void TestGraphBuilder::connectsReadersAndWriters()
{
    //        +-> B --+
    //  x -> A        +-> D (reads b twice, and a)
    //        +-> C   |
    //        +-------+
    const auto graph = textGraph(R"(
        in: x 8
        x       -> A -> a 4
        a       -> B -> b 4
        a       -> C -> c 4
        b, a, b -> D -> d 4
        out: d
    )");
    QCOMPARE(graph->operators().size(), std::size_t(4));
    QCOMPARE(values(graph->tensor(graph->findTensor("a")).consumers), (Ints{1, 2, 3}));
    QCOMPARE(values(graph->tensor(graph->findTensor("b")).consumers), (Ints{3}));
    QCOMPARE(values(graph->predecessors(OpId(3))), (Ints{0, 1}));
    QCOMPARE(values(graph->predecessors(OpId(0))), Ints{});
    QCOMPARE(values(graph->successors(OpId(0))), (Ints{1, 2, 3}));
    QCOMPARE(values(graph->successors(OpId(2))), Ints{});
    QCOMPARE(graph->tensor(graph->findTensor("c")).producer, OpId(2));
}

void TestGraphBuilder::countsCapturesAsReads()
{
    const auto graph = textGraph(R"(
        in: x 8
        x         -> A  -> a 4
        x         -> B  -> b 4
        b | a     -> If -> c 4
        out: c
    )");
    QCOMPARE(values(graph->tensor(graph->findTensor("a")).consumers), (Ints{2}));
    QCOMPARE(values(graph->predecessors(OpId(2))), (Ints{0, 1}));
    QVERIFY(!graph->op(OpId(0)).isDead);
}

void TestGraphBuilder::givesRoles()
{
    const auto graph = textGraph(R"(
        in: x 8, y 8
        weight: w 16
        x, w -> A -> a 4
        a    -> B -> b 4
        out: b, y
    )");
    const auto roleOf = [&](std::string_view name) { return graph->tensor(graph->findTensor(name)).role; };
    QVERIFY(roleOf("x") == TensorRole::Input);
    QVERIFY(roleOf("y") == TensorRole::Input); // handed through: still an input
    QVERIFY(graph->tensor(graph->findTensor("y")).isOutput);
    QVERIFY(roleOf("w") == TensorRole::Weight);
    QVERIFY(roleOf("a") == TensorRole::Activation);
    QVERIFY(roleOf("b") == TensorRole::Output);
    QVERIFY(!graph->tensor(graph->findTensor("w")).isActivation());
}

void TestGraphBuilder::marksDeadOperators()
{
    const auto graph = textGraph(R"(
        in: x 8
        x -> Live -> a 4
        a -> Dead -> b 4
        b -> Dead -> c 4
        a -> Live -> d 4
        out: d
    )");
    for (const Operator& op : graph->operators())
        QCOMPARE(op.isDead, op.kind == "Dead");
}

void TestGraphBuilder::namesOperatorsUniquely()
{
    const auto graph = textGraph(R"(
        in: x 8
        x -> A      -> a 4
        x -> B A_0  -> b 4
        x -> C same -> c 4
        x -> C same -> d 4
        x -> C same -> e 4
    )");
    QStringList names;
    for (const Operator& op : graph->operators())
        names << QString::fromStdString(op.name);
    QCOMPARE(names, (QStringList{"A_0#2", "A_0", "same", "same#2", "same#3"}));
}

void TestGraphBuilder::worksOutBytes_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QList<qint64>>("dims");
    QTest::addColumn<qint64>("bytes");
    const auto row = [](const char* name, ElementType type, const QList<qint64>& dims, qint64 bytes) {
        QTest::newRow(name) << static_cast<int>(type) << dims << bytes;
    };
    row("a float image", ElementType::Float32, {1, 3, 224, 224}, 602112);
    row("a scalar", ElementType::Float64, {}, 8);
    row("half precision", ElementType::BFloat16, {7}, 14);
    row("4-bit elements are packed", ElementType::Int4, {6}, 3);
    row("an odd 4-bit element takes a byte", ElementType::UInt4, {7}, 4);
    row("booleans take a byte", ElementType::Bool, {5}, 5);
    row("nothing", ElementType::Float32, {4, 0, 2}, 0);
    row("nothing, with huge other extents", ElementType::Float32, {std::numeric_limits<qint64>::max(), 9, 0}, 0);
    row("strings have no size", ElementType::String, {4}, -1);
    row("an unknown extent", ElementType::Float32, {4, -1}, -1);
    row("as large as it gets", ElementType::Int8, {std::numeric_limits<qint64>::max()}, std::numeric_limits<qint64>::max());
    row("4 bits do not overflow early", ElementType::Int4, {std::numeric_limits<qint64>::max()}, qint64(1) << 62);
}

void TestGraphBuilder::worksOutBytes()
{
    QFETCH(int, type);
    QFETCH(QList<qint64>, dims);
    QFETCH(qint64, bytes);
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", static_cast<ElementType>(type), Shape::of({dims.begin(), dims.end()}));
    builder.addSimple("A", {x}, "a", 1);
    const auto graph = std::move(builder).build();
    QVERIFY(graph);
    QCOMPARE((*graph)->tensor(x).bytes, bytes);
}

void TestGraphBuilder::reportsBadShapes()
{
    const auto codeFor = [](Shape shape, ElementType type) {
        GraphBuilder builder;
        builder.addSimple("A", {builder.addInput("x", type, std::move(shape))}, "a", 1);
        const auto graph = std::move(builder).build();
        return graph ? std::string("none") : std::string(errorCodeName(graph.error().code));
    };
    const std::int64_t huge = std::int64_t(1) << 62;
    QCOMPARE(codeFor(Shape::of({huge, 4}), ElementType::Int8), std::string("size-overflow"));
    QCOMPARE(codeFor(Shape::of({huge}), ElementType::Float32), std::string("size-overflow"));
    QCOMPARE(codeFor(Shape::of({2, -3}), ElementType::Float32), std::string("bad-shape"));
    QCOMPARE(codeFor(Shape::of({2, -1}), ElementType::Float32), std::string("none"));
}

void TestGraphBuilder::findsByName()
{
    const auto graph = test::randomGraph(7, {.operators = 50});
    for (std::size_t i = 0; i < graph->operators().size(); ++i)
        QCOMPARE(graph->findOperator(graph->operators()[i].name), OpId::fromIndex(i));
    for (std::size_t i = 0; i < graph->tensors().size(); ++i)
        QCOMPARE(graph->findTensor(graph->tensors()[i].name), TensorId::fromIndex(i));
    QVERIFY(!graph->findOperator("nobody").isValid());
    QVERIFY(!graph->findTensor("").isValid());
}

void TestGraphBuilder::namesOneCycleOnly()
{
    // A cycle of 1,000 operators: the message stays short.
    GraphBuilder builder;
    TensorId last = builder.tensor("t999");
    for (int i = 0; i < 1000; ++i)
        last = builder.addSimple("Op", {last}, "t" + std::to_string(i), 1);
    const auto graph = std::move(builder).build();
    QVERIFY(!graph);
    QVERIFY(graph.error().code == ErrorCode::CyclicGraph);
    QVERIFY(graph.error().args.front().size() < 400);
    QVERIFY(QString::fromStdString(graph.error().args.front()).contains("(988 more)"));
}

void TestGraphBuilder::takesDeepGraphs()
{
    const auto graph = test::chainGraph(300000); // would overflow the stack of anything recursive
    QCOMPARE(graph->operators().size(), std::size_t(300000));
}

QTEST_APPLESS_MAIN(TestGraphBuilder)
#include "tst_graph_builder.moc"
