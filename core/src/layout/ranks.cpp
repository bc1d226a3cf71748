// SPDX-License-Identifier: MIT
#include "core/src/layout/skeleton.h"

#include <algorithm>
#include <limits>

namespace arenascope::layout {

std::vector<std::int32_t> assignRanks(const DrawnGraph& graph, const Lists& in, const Lists& out)
{
    const std::size_t count = graph.nodes.size();
    const auto from
        = [&](std::int32_t edge) { return static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(edge)].from); };
    const auto to
        = [&](std::int32_t edge) { return static_cast<std::size_t>(graph.edges[static_cast<std::size_t>(edge)].to); };
    std::vector<std::int32_t> ranks(count, 0);
    std::vector<bool> loose(count, true); // nothing holds it at the top: a source, or a chain that begins with one
    for (std::size_t node = 0; node < count; ++node) {
        for (const std::int32_t edge : in[node]) {
            const std::size_t above = from(edge);
            ranks[node] = std::max(ranks[node], ranks[above] + 1);
            loose[node] = loose[node] && loose[above] && out[above].size() == 1;
        }
    }
    for (std::size_t node = count; node-- > 0;) {
        if (out[node].empty() || (!loose[node] && out[node].size() <= in[node].size()))
            continue;
        std::int32_t nearest = std::numeric_limits<std::int32_t>::max();
        for (const std::int32_t edge : out[node])
            nearest = std::min(nearest, ranks[to(edge)]);
        ranks[node] = nearest - 1;
    }
    return ranks;
}

} // namespace arenascope::layout
