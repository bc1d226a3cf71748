// SPDX-License-Identifier: MIT
// Networks of capacities, as Boost's maximum flows take them.
#pragma once

#include <arenascope/types.h>

#include <boost/graph/adjacency_list.hpp>

namespace arenascope::detail {

using FlowTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using FlowEdge = FlowTraits::edge_descriptor;
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, Bytes,
                    boost::property<boost::edge_residual_capacity_t, Bytes, boost::property<boost::edge_reverse_t, FlowEdge>>>>;

inline void setCapacity(FlowGraph& graph, FlowEdge edge, Bytes capacity)
{
    boost::put(boost::edge_capacity, graph, edge, capacity);
}

/// Adds an edge, and the one back that flows need.
inline FlowEdge connect(FlowGraph& graph, std::size_t from, std::size_t to, Bytes capacity)
{
    const FlowEdge edge = boost::add_edge(from, to, graph).first;
    const FlowEdge back = boost::add_edge(to, from, graph).first;
    setCapacity(graph, edge, capacity);
    setCapacity(graph, back, 0);
    boost::put(boost::edge_reverse, graph, edge, back);
    boost::put(boost::edge_reverse, graph, back, edge);
    return edge;
}

} // namespace arenascope::detail
