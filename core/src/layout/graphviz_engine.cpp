// SPDX-License-Identifier: MIT
// The only file that includes Graphviz. Elements keep their ranks: every segment is one rank long, so no other ranking
// has shorter edges. What is asked of dot is the order in the ranks and the x; no splines, no labels, so no fonts
// either.
#include "core/src/layout/graphviz_engine.h"

#include <gvc.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

namespace arenascope::layout {
namespace {

/// Graphviz takes texts that it does not change, but not as const.
class Text {
public:
    Text(std::string text)
        : m_text(std::move(text))
    {
    }
    Text(const char* text)
        : m_text(text)
    {
    }
    operator char*() { return m_text.data(); }

private:
    std::string m_text;
};

struct CloseGraph {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};
using GraphPtr = std::unique_ptr<Agraph_t, CloseGraph>;

/// The context loads its plug-ins once; it lives as long as the process.
GVC_t* context()
{
    static GVC_t* const instance = gvContext();
    return instance;
}

GraphPtr makeGraph()
{
    GraphPtr graph(agopen(Text("piece"), Agstrictdirected, nullptr));
    const auto set = [&](int kind, const char* name, Text value) { agattr(graph.get(), kind, Text(name), value); };
    set(AGRAPH, "phase", "2"); // ranks and order, then stop
    set(AGNODE, "shape", "box");
    set(AGNODE, "label", "");
    set(AGNODE, "fixedsize", "true");
    set(AGNODE, "order", "");
    set(AGEDGE, "weight", "1");
    set(AGEDGE, "dir", "none");
    return graph;
}

std::vector<Agnode_t*> addNodes(Agraph_t* graph, std::size_t count)
{
    std::vector<Agnode_t*> nodes;
    nodes.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        nodes.push_back(agnode(graph, Text(std::to_string(i)), 1));
    return nodes;
}

/// Crossings between bends are the worst to look at.
void addEdges(Agraph_t* graph, const LayeredPiece& piece, const std::vector<Agnode_t*>& nodes)
{
    static const char* const kWeights[] = { "1", "2", "4" };
    for (const Segment& segment : piece.segments) {
        Agedge_t* edge = agedge(graph, nodes[static_cast<std::size_t>(segment.upper)],
            nodes[static_cast<std::size_t>(segment.lower)], nullptr, 1);
        const int bends = (piece.isBend(segment.upper) ? 1 : 0) + (piece.isBend(segment.lower) ? 1 : 0);
        agset(edge, Text("weight"), Text(kWeights[bends]));
    }
}

/// What dot has written into the nodes; empty if it has left one out.
std::vector<std::int32_t> positionsOf(const std::vector<Agnode_t*>& nodes)
{
    std::vector<std::int32_t> positions;
    positions.reserve(nodes.size());
    for (Agnode_t* node : nodes) {
        const char* text = agget(node, Text("order"));
        std::int32_t position = -1;
        if (text == nullptr || std::from_chars(text, text + std::strlen(text), position).ec != std::errc())
            return {};
        positions.push_back(position);
    }
    return positions;
}

} // namespace

std::vector<std::int32_t> orderByGraphviz(const LayeredPiece& piece)
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    GVC_t* const gvc = context();
    const GraphPtr graph = makeGraph();
    if (gvc == nullptr || graph == nullptr)
        return {};
    const std::vector<Agnode_t*> nodes = addNodes(graph.get(), piece.size());
    addEdges(graph.get(), piece, nodes);
    if (gvLayout(gvc, graph.get(), "dot") != 0)
        return {};
    std::vector<std::int32_t> positions = positionsOf(nodes);
    gvFreeLayout(gvc, graph.get());
    return positions;
}

} // namespace arenascope::layout
