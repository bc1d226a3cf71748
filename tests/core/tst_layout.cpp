// SPDX-License-Identifier: MIT
#include "tests/bench/generators.h"
#include "tests/support/layout_checks.h"

#include <arenascope/layout.h>

#include <QtTest/QtTest>

#include <filesystem>
#include <limits>
#include <thread>

using namespace arenascope;

namespace {

/// Nodes of 100 x 30, edges by index; each source has one tensor unless told otherwise.
DrawnGraph drawn(int nodes, const std::vector<std::array<int, 2>>& edges)
{
    DrawnGraph graph;
    for (int i = 0; i < nodes; ++i)
        graph.nodes.push_back({ LayoutNode::Kind::Operator, OpId(i), {}, { 100, 30 } });
    for (const auto& [from, to] : edges)
        graph.edges.push_back({ from, to, TensorId(from) });
    return graph;
}

DrawnGraph drawn(const Graph& graph)
{
    const auto schedule = makeSchedule(graph, ScheduleKind::File);
    // Widths differ as labels do.
    return drawnGraph(graph, *schedule, [](const LayoutNode& node) {
        if (node.kind != LayoutNode::Kind::Operator)
            return Size { 60, 24 };
        return Size { 80.0 + 7.0 * (node.op.value() % 5), 30.0 + 6.0 * (node.op.value() % 3) };
    });
}

std::filesystem::path helperPath()
{
    return std::filesystem::path(ARENASCOPE_BIN_DIR) / "arenascope-layout";
}

LayoutOptions with(LayoutEngine engine, LayoutDirection direction = LayoutDirection::Down)
{
    LayoutOptions options;
    options.engine = engine;
    options.direction = direction;
    options.helper = helperPath();
    return options;
}

double centreX(const Rect& box)
{
    return box.x + box.width / 2;
}

bool isSame(const GraphLayout& a, const GraphLayout& b)
{
    const auto sameBox = [](const Rect& p, const Rect& q) {
        return p.x == q.x && p.y == q.y && p.width == q.width && p.height == q.height;
    };
    const auto samePoint = [](Point p, Point q) { return p.x == q.x && p.y == q.y; };
    const auto sameLine
        = [&](const std::vector<Point>& p, const std::vector<Point>& q) { return std::ranges::equal(p, q, samePoint); };
    return sameBox(a.bounds, b.bounds) && std::ranges::equal(a.nodes, b.nodes, sameBox)
        && std::ranges::equal(a.edges, b.edges, sameLine);
}

/// A fork with many branches that are joined again.
DrawnGraph fan(int branches)
{
    std::vector<std::array<int, 2>> edges;
    for (int i = 1; i <= branches; ++i) {
        edges.push_back({ 0, i });
        edges.push_back({ i, branches + 1 });
    }
    return drawn(branches + 2, edges);
}

DrawnGraph disconnected()
{
    //  0 - 1 - 2    3 - 4    5    6 - 7
    //   `-----'
    return drawn(8, { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 3, 4 }, { 6, 7 } });
}

/// Any later node may read any earlier one.
DrawnGraph anyDag(int nodes, double density, std::uint32_t seed)
{
    std::mt19937 engine(seed);
    std::vector<std::array<int, 2>> edges;
    for (int to = 1; to < nodes; ++to) {
        for (int from = 0; from < to; ++from) {
            if (static_cast<double>(engine()) < density * 4294967296.0)
                edges.push_back({ from, to });
        }
    }
    DrawnGraph graph = drawn(nodes, edges);
    for (LayoutEdge& edge : graph.edges)
        edge.tensor = TensorId(edge.from * 2 + static_cast<int>(engine() % 2));
    for (LayoutNode& node : graph.nodes)
        node.size = { 20.0 + static_cast<double>(engine() % 200), 10.0 + static_cast<double>(engine() % 60) };
    return graph;
}

} // namespace

class TestLayout : public QObject {
    Q_OBJECT

private slots:
    void nothingOverlapsOrIsCrossed_data();
    void nothingOverlapsOrIsCrossed();
    void smallRandomGraphsAreClean();
    void edgesGoForward();
    void chainIsStraight();
    void joinStandsBelowItsBranches();
    void longEdgeRunsBesideTheBoxes();
    void readersOfOneTensorShareTheLane();
    void repeatedBlocksLookAlike();
    void sameInputSameOutput();
    void rightIsDownTurned();
    void eachPieceIsReportedOnceAndStays();
    void stopCancels();
    void stopDuringWork();
    void emptyGraphIsEmpty();
    void backwardEdgeIsRefused();
    void strangeSizesAreTamed();
    void drawnGraphHoldsWhatIsDrawn();
};

void TestLayout::nothingOverlapsOrIsCrossed_data()
{
    QTest::addColumn<DrawnGraph>("graph");
    QTest::newRow("one node") << drawn(1, {});
    QTest::newRow("nodes without edges") << drawn(300, {});
    QTest::newRow("two edges of one tensor between two nodes") << drawn(3, { { 0, 1 }, { 0, 1 }, { 1, 2 } });
    DrawnGraph twoTensors = drawn(3, { { 0, 1 }, { 0, 1 }, { 0, 2 }, { 1, 2 } });
    twoTensors.edges[1].tensor = TensorId(7);
    QTest::newRow("two tensors between two nodes") << twoTensors;
    QTest::newRow("disconnected parts") << disconnected();
    QTest::newRow("a fork of 2,000") << fan(2000);
    QTest::newRow("several inputs") << drawn(6, { { 0, 3 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 } });
    QTest::newRow("a dense graph of 120") << anyDag(120, 0.5, 3);
    QTest::newRow("a sparse graph of 1,000") << anyDag(1000, 0.002, 4);
    QTest::newRow("a chain of 100,000") << drawn(*generators::chain(100000));
    QTest::newRow("inception-like") << drawn(*generators::inceptionLike(600));
    QTest::newRow("densenet-like") << drawn(*generators::denseNetLike(600));
    QTest::newRow("u-net-like") << drawn(*generators::uNetLike(600));
    QTest::newRow("residual") << drawn(*generators::residual(600));
    QTest::newRow("random, near readers") << drawn(*generators::random(600, 8, 5));
    QTest::newRow("random, far readers") << drawn(*generators::random(600, 100, 6));
}

void TestLayout::nothingOverlapsOrIsCrossed()
{
    QFETCH(DrawnGraph, graph);
    for (const LayoutEngine engine : { LayoutEngine::Layered, LayoutEngine::Auto, LayoutEngine::Graphviz }) {
        for (const LayoutDirection direction : { LayoutDirection::Down, LayoutDirection::Right }) {
            const bool isLarge = graph.nodes.size() > 1500;
            if (isLarge && engine != LayoutEngine::Auto)
                continue; // minutes of work for dot
            const auto layout = layOut(graph, with(engine, direction));
            QVERIFY(layout.hasValue());
            const auto findings = layout_checks::check(graph, *layout);
            QCOMPARE(findings.overlaps, 0);
            QCOMPARE(findings.crossed, 0);
            QCOMPARE(findings.detached, 0);
            QCOMPARE(findings.invalid, 0);
        }
    }
}

void TestLayout::smallRandomGraphsAreClean()
{
    for (std::uint32_t seed = 0; seed < 700; ++seed) {
        const DrawnGraph graph
            = anyDag(2 + static_cast<int>(seed % 37), 0.02 + 0.01 * static_cast<double>(seed % 29), seed);
        const auto layout = layOut(graph, with(LayoutEngine::Layered));
        QVERIFY(layout.hasValue());
        QVERIFY2(layout_checks::check(graph, *layout).isClean(), qPrintable(QString("seed %1").arg(seed)));
    }
}

void TestLayout::edgesGoForward()
{
    const DrawnGraph graph = drawn(*generators::random(400, 12, 9));
    const auto down = layOut(graph, with(LayoutEngine::Layered));
    const auto right = layOut(graph, with(LayoutEngine::Layered, LayoutDirection::Right));
    for (const LayoutEdge& edge : graph.edges) {
        const auto from = static_cast<std::size_t>(edge.from);
        const auto to = static_cast<std::size_t>(edge.to);
        QVERIFY(down->nodes[from].bottom() < down->nodes[to].y);
        QVERIFY(right->nodes[from].right() < right->nodes[to].x);
    }
}

void TestLayout::chainIsStraight()
{
    const DrawnGraph graph = drawn(*generators::chain(50));
    const auto layout = layOut(graph, with(LayoutEngine::Auto));
    for (const Rect& box : layout->nodes)
        QCOMPARE(centreX(box), centreX(layout->nodes.front()));
    for (const auto& line : layout->edges) {
        QCOMPARE(line.size(), std::size_t(2));
        QCOMPARE(line[0].x, line[1].x);
    }
}

void TestLayout::joinStandsBelowItsBranches()
{
    //      0
    //     / |      the longer branch, fork and join are on one line; the short one stands beside it
    //    1  3
    //    2  |
    //     \ |
    //      4
    const DrawnGraph graph = drawn(5, { { 0, 1 }, { 1, 2 }, { 0, 3 }, { 2, 4 }, { 3, 4 } });
    for (const LayoutEngine engine : { LayoutEngine::Layered, LayoutEngine::Graphviz }) {
        const auto layout = layOut(graph, with(engine));
        for (const int node : { 1, 2, 4 })
            QCOMPARE(centreX(layout->nodes[static_cast<std::size_t>(node)]), centreX(layout->nodes[0]));
        QVERIFY(std::abs(centreX(layout->nodes[3]) - centreX(layout->nodes[0])) >= 124.0 - 1e-6);
        QVERIFY(layout->nodes[4].y > layout->nodes[2].bottom());
        QCOMPARE(layout->nodes[1].y, layout->nodes[3].y);
    }
}

void TestLayout::longEdgeRunsBesideTheBoxes()
{
    std::vector<std::array<int, 2>> edges;
    for (int i = 0; i < 40; ++i)
        edges.push_back({ i, i + 1 });
    edges.push_back({ 2, 38 });
    const DrawnGraph graph = drawn(41, edges);
    const auto layout = layOut(graph, with(LayoutEngine::Auto));
    for (const Rect& box : layout->nodes)
        QCOMPARE(centreX(box), centreX(layout->nodes.front()));
    const auto& line = layout->edges.back();
    QCOMPARE(line.size(), std::size_t(6)); // down, out, down, in, down
    QVERIFY(line[2].x > layout->nodes[10].right());
    QCOMPARE(line[2].x, line[3].x);
    QCOMPARE(line.front().y, layout->nodes[2].bottom());
    QCOMPARE(line.back().y, layout->nodes[38].y);
}

void TestLayout::readersOfOneTensorShareTheLane()
{
    std::vector<std::array<int, 2>> edges;
    for (int i = 0; i < 60; ++i)
        edges.push_back({ i, i + 1 });
    for (const int reader : { 20, 30, 40 })
        edges.push_back({ 0, reader });
    edges.push_back({ 1, 50 });
    const DrawnGraph graph = drawn(61, edges);
    const auto layout = layOut(graph, with(LayoutEngine::Auto));
    const auto lane = [&](std::size_t edge) { return layout->edges[60 + edge][2].x; };
    QCOMPARE(lane(0), lane(1));
    QCOMPARE(lane(1), lane(2));
    QVERIFY(std::abs(lane(3) - lane(0)) > 4);
}

void TestLayout::repeatedBlocksLookAlike()
{
    const DrawnGraph graph = drawn(*generators::inceptionLike(200));
    DrawnGraph equal = graph;
    for (LayoutNode& node : equal.nodes)
        node.size = { 100, 30 };
    const auto layout = layOut(equal, with(LayoutEngine::Auto));
    // Blocks of 16 and of 20 operators alternate behind the input node: every second one is the same, lower down.
    for (std::size_t i = 1; i + 36 < 180; ++i)
        QCOMPARE(layout->nodes[i].x, layout->nodes[i + 36].x);
}

void TestLayout::sameInputSameOutput()
{
    const DrawnGraph graph = drawn(*generators::random(500, 10, 11));
    const auto first = layOut(graph, with(LayoutEngine::Auto));
    std::vector<GraphLayout> others(3);
    std::vector<std::jthread> threads;
    for (GraphLayout& other : others)
        threads.emplace_back([&] { other = *layOut(graph, with(LayoutEngine::Auto)); });
    threads.clear();
    for (const GraphLayout& other : others)
        QVERIFY(isSame(*first, other));
}

void TestLayout::rightIsDownTurned()
{
    const DrawnGraph graph = drawn(*generators::denseNetLike(120));
    DrawnGraph turned = graph;
    for (LayoutNode& node : turned.nodes)
        std::swap(node.size.width, node.size.height);
    const auto down = layOut(graph, with(LayoutEngine::Auto));
    const auto right = layOut(turned, with(LayoutEngine::Auto, LayoutDirection::Right));
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        QCOMPARE(right->nodes[i].x, down->nodes[i].y);
        QCOMPARE(right->nodes[i].y, down->nodes[i].x);
    }
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
        for (std::size_t p = 0; p < down->edges[e].size(); ++p)
            QCOMPARE(right->edges[e][p].x, down->edges[e][p].y);
    }
}

void TestLayout::eachPieceIsReportedOnceAndStays()
{
    for (const DrawnGraph& graph :
        { disconnected(), drawn(*generators::uNetLike(300)), drawn(*generators::random(300, 9, 2)) }) {
        std::vector<int> nodes(graph.nodes.size(), 0);
        std::vector<int> edges(graph.edges.size(), 0);
        GraphLayout seen { std::vector<Rect>(graph.nodes.size()), std::vector<std::vector<Point>>(graph.edges.size()),
            {} };
        const auto layout
            = layOut(graph, with(LayoutEngine::Auto), {}, {}, [&](const GraphLayout& sofar, const LayoutPiece& piece) {
                  for (const std::int32_t node : piece.nodes) {
                      ++nodes[static_cast<std::size_t>(node)];
                      seen.nodes[static_cast<std::size_t>(node)] = sofar.nodes[static_cast<std::size_t>(node)];
                  }
                  for (const std::int32_t edge : piece.edges) {
                      ++edges[static_cast<std::size_t>(edge)];
                      seen.edges[static_cast<std::size_t>(edge)] = sofar.edges[static_cast<std::size_t>(edge)];
                  }
                  seen.bounds = sofar.bounds;
              });
        QVERIFY(std::ranges::all_of(nodes, [](int count) { return count == 1; }));
        QVERIFY(std::ranges::all_of(edges, [](int count) { return count == 1; }));
        QVERIFY(isSame(seen, *layout));
    }
}

void TestLayout::stopCancels()
{
    std::stop_source stop;
    stop.request_stop();
    const auto layout = layOut(drawn(*generators::random(2000, 20, 1)), with(LayoutEngine::Auto), stop.get_token());
    QVERIFY(!layout.hasValue());
    QCOMPARE(layout.error().code, ErrorCode::Cancelled);
}

void TestLayout::stopDuringWork()
{
    // The first of its many pieces is reported at once, so the others are still to be done when the stop comes.
    const DrawnGraph graph = drawn(*generators::inceptionLike(2000));
    std::stop_source stop;
    double last = 0.0;
    const auto layout = layOut(graph, with(LayoutEngine::Auto), stop.get_token(), [&](double fraction, std::string_view) {
        last = fraction;
        stop.request_stop();
    });
    QVERIFY(last > 0.0 && last < 1.0);
    QVERIFY(!layout.hasValue());
    QCOMPARE(layout.error().code, ErrorCode::Cancelled);
}

void TestLayout::emptyGraphIsEmpty()
{
    const auto layout = layOut({}, {});
    QVERIFY(layout.hasValue());
    QVERIFY(layout->nodes.empty());
    QCOMPARE(layout->bounds.width, 0.0);
}

void TestLayout::backwardEdgeIsRefused()
{
    QVERIFY(!layOut(drawn(2, { { 1, 0 } }), {}).hasValue());
    QVERIFY(!layOut(drawn(2, { { 0, 0 } }), {}).hasValue());
    QVERIFY(!layOut(drawn(2, { { 0, 2 } }), {}).hasValue());
    QVERIFY(!layOut(drawn(2, { { -1, 1 } }), {}).hasValue());
}

void TestLayout::strangeSizesAreTamed()
{
    DrawnGraph graph = drawn(5, { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 2, 3 }, { 3, 4 } });
    graph.nodes[0].size = { -5, 0 };
    graph.nodes[1].size = { std::numeric_limits<double>::infinity(), 1e300 };
    graph.nodes[2].size = { std::numeric_limits<double>::quiet_NaN(), 20 };
    LayoutOptions options = with(LayoutEngine::Auto);
    options.nodeGap = std::numeric_limits<double>::quiet_NaN();
    options.rankGap = -40;
    const auto layout = layOut(graph, options);
    QVERIFY(layout.hasValue());
    QVERIFY(layout_checks::check(graph, *layout).isClean());
}

void TestLayout::drawnGraphHoldsWhatIsDrawn()
{
    //  in -> Conv -> a -> Relu -> b -> Add -> out     weights are not drawn; b is handed out, too
    //                 `----------------'
    GraphBuilder builder;
    const TensorId in = builder.addInput("in", ElementType::Float32, Shape::of({ 4 }));
    const TensorId weight = builder.addWeight("w", ElementType::Float32, Shape::of({ 4 }));
    const TensorId a = builder.addSimple("Conv", { in, weight }, "a", 16);
    const TensorId b = builder.addSimple("Relu", { a }, "b", 16);
    const TensorId out = builder.addSimple("Add", { b, a }, "out", 16);
    builder.addOutput(out);
    builder.addOutput(b);
    const auto graph = std::move(builder).build();
    const DrawnGraph drawing = drawn(**graph);
    using Kind = LayoutNode::Kind;
    const std::vector<Kind> kinds
        = { Kind::Input, Kind::Operator, Kind::Operator, Kind::Operator, Kind::Output, Kind::Output };
    QCOMPARE(drawing.nodes.size(), kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i)
        QCOMPARE(drawing.nodes[i].kind, kinds[i]);
    QCOMPARE(drawing.nodes[5].tensor, b);
    std::vector<std::array<int, 3>> edges;
    for (const LayoutEdge& edge : drawing.edges)
        edges.push_back({ edge.from, edge.to, edge.tensor.value() });
    std::ranges::sort(edges);
    const std::vector<std::array<int, 3>> expected = { { 0, 1, in.value() }, { 1, 2, a.value() }, { 1, 3, a.value() },
        { 2, 3, b.value() }, { 2, 5, b.value() }, { 3, 4, out.value() } };
    QCOMPARE(edges, expected);
}

QTEST_GUILESS_MAIN(TestLayout)
#include "tst_layout.moc"
