// SPDX-License-Identifier: MIT
#include "core/src/graph/boost_graph.h"

#include <boost/graph/depth_first_search.hpp>

#include <algorithm>

namespace arenascope::detail {

namespace {

// Remembers how each vertex was reached; an edge back to a vertex still open closes a cycle.
class CycleFinder : public boost::default_dfs_visitor {
public:
    CycleFinder(std::vector<Vertex>& parent, std::vector<Vertex>& cycle) : m_parent(&parent), m_cycle(&cycle) {}

    template <class E>
    void tree_edge(const E& edge, const DependencyGraph& graph)
    {
        (*m_parent)[boost::target(edge, graph)] = boost::source(edge, graph);
    }

    template <class E>
    void back_edge(const E& edge, const DependencyGraph& graph)
    {
        if (!m_cycle->empty())
            return;
        const Vertex first = boost::target(edge, graph);
        for (Vertex v = boost::source(edge, graph); v != first; v = (*m_parent)[v])
            m_cycle->push_back(v);
        m_cycle->push_back(first);
        std::reverse(m_cycle->begin(), m_cycle->end());
    }

private:
    std::vector<Vertex>* m_parent;
    std::vector<Vertex>* m_cycle;
};

} // namespace

DependencyGraph dependencyGraph(std::span<const Operator> operators, std::span<const Tensor> tensors)
{
    std::vector<Edge> edges;
    std::vector<Vertex> readers;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        readers.clear();
        for (const TensorId output : operators[i].outputs) {
            if (!output.isValid())
                continue;
            for (const OpId consumer : tensors[output.index()].consumers)
                readers.push_back(static_cast<Vertex>(consumer.index()));
        }
        for (const OpId later : operators[i].runsBefore)
            readers.push_back(static_cast<Vertex>(later.index()));
        std::sort(readers.begin(), readers.end());
        readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
        for (const Vertex reader : readers)
            edges.emplace_back(static_cast<Vertex>(i), reader);
    }
    return DependencyGraph(boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<Vertex>(operators.size()));
}

DependencyGraph reversed(const DependencyGraph& graph)
{
    const auto count = static_cast<Vertex>(vertexCount(graph));
    std::vector<std::size_t> begin(count + 1, 0);
    for (Vertex v = 0; v < count; ++v) {
        for (const Vertex to : targets(v, graph))
            ++begin[to + 1];
    }
    for (Vertex v = 0; v < count; ++v)
        begin[v + 1] += begin[v];
    std::vector<Edge> edges(boost::num_edges(graph));
    for (Vertex v = 0; v < count; ++v) {
        for (const Vertex to : targets(v, graph))
            edges[begin[to]++] = {to, v};
    }
    return DependencyGraph(boost::edges_are_sorted, edges.begin(), edges.end(), count);
}

std::vector<std::uint32_t> inDegrees(const DependencyGraph& graph)
{
    std::vector<std::uint32_t> degrees(vertexCount(graph), 0);
    for (Vertex v = 0; v < degrees.size(); ++v) {
        for (const Vertex to : targets(v, graph))
            ++degrees[to];
    }
    return degrees;
}

std::vector<Vertex> findCycle(const DependencyGraph& graph)
{
    std::vector<Vertex> parent(vertexCount(graph), 0);
    std::vector<Vertex> cycle;
    std::vector<boost::default_color_type> colors(vertexCount(graph), boost::white_color);
    const auto colorMap = boost::make_iterator_property_map(colors.begin(), boost::get(boost::vertex_index, graph));
    boost::depth_first_search(graph, boost::visitor(CycleFinder(parent, cycle)).color_map(colorMap));
    return cycle;
}

} // namespace arenascope::detail
