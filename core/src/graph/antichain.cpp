// SPDX-License-Identifier: MIT
// The heaviest antichain is as heavy as the least flow that sends each thing's weight through it, along the order. What the
// flow can save against one path for each thing is a maximum flow:
//
//     source --weight--> A's end --> B's begin --weight--> sink        wherever A comes before B
//                                    B's begin --> B's end             a path may pass over a thing
//
// What the source still reaches at its end but not at its begin is the set.
#include "core/src/graph/antichain.h"

#include "core/src/graph/flow_network.h"

#include <boost/graph/push_relabel_max_flow.hpp>

namespace arenascope::detail {

namespace {

constexpr Bytes kUnlimited = Bytes(1) << 60;

std::size_t beginOf(std::size_t thing)
{
    return 2 * thing;
}

std::size_t endOf(std::size_t thing)
{
    return 2 * thing + 1;
}

/// By vertex, once the flow is known.
std::vector<bool> reachable(const FlowGraph& graph, std::size_t source)
{
    std::vector<bool> isReached(boost::num_vertices(graph), false);
    std::vector<std::size_t> open{source};
    isReached[source] = true;
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        for (auto [edge, end] = boost::out_edges(at, graph); edge != end; ++edge) {
            const std::size_t to = boost::target(*edge, graph);
            if (isReached[to] || boost::get(boost::edge_residual_capacity, graph, *edge) <= 0)
                continue;
            isReached[to] = true;
            open.push_back(to);
        }
    }
    return isReached;
}

} // namespace

std::vector<std::size_t> heaviestAntichain(const std::vector<Bytes>& weights, const std::vector<std::vector<std::size_t>>& before)
{
    const std::size_t source = 2 * weights.size();
    const std::size_t sink = source + 1;
    FlowGraph graph(sink + 1);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        connect(graph, source, endOf(i), weights[i]);
        connect(graph, beginOf(i), sink, weights[i]);
        connect(graph, beginOf(i), endOf(i), kUnlimited);
        for (const std::size_t next : before[i])
            connect(graph, endOf(i), beginOf(next), kUnlimited);
    }
    boost::push_relabel_max_flow(graph, source, sink);
    const std::vector<bool> isReached = reachable(graph, source);
    std::vector<std::size_t> antichain;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (isReached[endOf(i)] && !isReached[beginOf(i)])
            antichain.push_back(i);
    }
    return antichain;
}

} // namespace arenascope::detail
