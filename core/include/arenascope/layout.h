// SPDX-License-Identifier: MIT
// Positions of operators and routes of edges, for drawing.
#pragma once

#include <arenascope/cut.h>
#include <arenascope/graph.h>
#include <arenascope/progress.h>
#include <arenascope/result.h>
#include <arenascope/schedule.h>

#include <filesystem>
#include <functional>
#include <stop_token>

namespace arenascope {

struct Point {
    double x = 0;
    double y = 0;
};
struct Size {
    double width = 0;
    double height = 0;
};
struct Rect {
    double x = 0; ///< left
    double y = 0; ///< top
    double width = 0;
    double height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
};

enum class LayoutDirection { Down, Right };
enum class LayoutEngine {
    Auto,     ///< the own layered layout; Graphviz improves the order of small pieces that it leaves with crossings
    Graphviz, ///< every piece that is no chain is ordered by Graphviz, however long that takes
    Layered,  ///< no Graphviz at all
};

struct LayoutOptions {
    LayoutDirection direction = LayoutDirection::Down;
    LayoutEngine engine = LayoutEngine::Auto;
    double nodeGap = 24;   ///< between boxes of a rank
    double rankGap = 40;   ///< between ranks
    /// The helper program that runs Graphviz apart; empty: the environment variable ARENASCOPE_LAYOUT_HELPER, beside this
    /// program, ../libexec/arenascope. Without it the own layout does everything.
    std::filesystem::path helper;
};

/// A drawn node: an operator, or a network input or output.
struct LayoutNode {
    enum class Kind : std::uint8_t { Operator, Input, Output } kind = Kind::Operator;
    OpId op;         ///< Operator
    TensorId tensor; ///< Input, Output
    Size size;
};

/// A drawn edge: one tensor from its producer (or input node) to one reader (or output node).
struct LayoutEdge {
    std::int32_t from = -1; ///< index into nodes
    std::int32_t to = -1;
    TensorId tensor;
};

/// What to lay out, made by drawnGraph().
struct DrawnGraph {
    std::vector<LayoutNode> nodes; ///< in schedule order, inputs before and outputs after
    std::vector<LayoutEdge> edges;
};

struct GraphLayout {
    std::vector<Rect> nodes;               ///< by index into DrawnGraph::nodes
    std::vector<std::vector<Point>> edges; ///< polylines by index into DrawnGraph::edges, from source border to target border
    Rect bounds;
};

/// A finished part of a layout: node and edge indices with their geometry, final positions.
struct LayoutPiece {
    std::vector<std::int32_t> nodes;
    std::vector<std::int32_t> edges;
};

/// Nodes and edges to draw; sizes come from `nodeSize` (called once a node).
DrawnGraph drawnGraph(const Graph& graph, const Schedule& schedule,
                      const std::function<Size(const LayoutNode&)>& nodeSize);

/// Withholds long edges, cuts the rest at cut operators, stacks the pieces. Boxes overlap none, edges touch their own.
/// Deterministic. `pieceDone`: from this thread, each node and edge once, in its final place; what is not done is empty.
/// Errors: Cancelled; Internal if an edge does not go forward in the list of nodes. A failing helper costs only crossings.
Result<GraphLayout> layOut(const DrawnGraph& graph, const LayoutOptions& options, std::stop_token stop = {},
                           const ProgressFn& progress = {},
                           const std::function<void(const GraphLayout&, const LayoutPiece&)>& pieceDone = {});

/// Entry point of the helper program: reads pieces from `in`, runs Graphviz, writes positions to `out`, until `in` ends.
/// Returns the exit code: 0, or 2 for input that is not of this protocol.
int runLayoutHelper(int in, int out);

} // namespace arenascope
