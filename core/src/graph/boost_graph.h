// SPDX-License-Identifier: MIT
// The only door to Boost.Graph: how operators depend on each other, as a compressed graph.
#pragma once

#include <arenascope/graph.h>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/range/iterator_range.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace arenascope::detail {

using Vertex = std::uint32_t;
using Edge = std::pair<Vertex, Vertex>;
/// Vertices are operator indices, an edge leads from a producer to each distinct reader; ascending targets.
using DependencyGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                           boost::no_property, Vertex, Vertex>;

DependencyGraph dependencyGraph(std::span<const Operator> operators, std::span<const Tensor> tensors);
inline DependencyGraph dependencyGraph(const Graph& graph)
{
    return dependencyGraph(graph.operators(), graph.tensors());
}
/// The same edges, turned round: targets are the distinct predecessors, ascending.
DependencyGraph reversed(const DependencyGraph& graph);

inline auto targets(Vertex vertex, const DependencyGraph& graph)
{
    return boost::make_iterator_range(boost::adjacent_vertices(vertex, graph));
}
inline std::size_t vertexCount(const DependencyGraph& graph)
{
    return boost::num_vertices(graph);
}

std::vector<std::uint32_t> inDegrees(const DependencyGraph& graph);

/// The vertices of one cycle in the order of its edges; empty for an acyclic graph. Iterative, O(V + E).
std::vector<Vertex> findCycle(const DependencyGraph& graph);

} // namespace arenascope::detail
