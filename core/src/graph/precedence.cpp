// SPDX-License-Identifier: MIT
// Chains are made on the way: an operator goes on with one whose end is its ancestor, at best one that it reads from.
// Source of the table: Jagadish, "A Compression Technique to Materialize Transitive Closure", 1990.
#include "core/src/graph/precedence.h"

#include <algorithm>

namespace arenascope::detail {

Result<Precedence> Precedence::of(const Graph& graph, const Schedule& schedule)
{
    Precedence made;
    made.m_places.resize(graph.operators().size());
    made.m_reach.resize(graph.operators().size());
    std::size_t entries = 0;
    for (const OpId op : schedule.order) {
        const std::vector<OpId> predecessors = graph.predecessors(op);
        std::vector<std::int32_t> reach(made.m_chains.size(), -1);
        for (const OpId predecessor : predecessors)
            made.inherit(reach, predecessor);
        while (!reach.empty() && reach.back() < 0)
            reach.pop_back();
        entries += reach.size();
        if (entries > kMostEntries)
            return Error{ErrorCode::TooLarge, graph.info().name,
                         {"the table of which operators come before which", std::to_string(kMostEntries) + " entries"}};
        const std::uint32_t chain = made.chooseChain(reach, predecessors);
        made.m_places[op.index()] = {chain, static_cast<std::int32_t>(made.m_chains[chain].size())};
        made.m_chains[chain].push_back(op);
        reach.shrink_to_fit();
        made.m_reach[op.index()] = std::move(reach);
    }
    return made;
}

void Precedence::inherit(std::vector<std::int32_t>& reach, OpId from) const
{
    const std::vector<std::int32_t>& theirs = m_reach[from.index()];
    for (std::size_t chain = 0; chain < theirs.size(); ++chain)
        reach[chain] = std::max(reach[chain], theirs[chain]);
    const Place place = m_places[from.index()];
    reach[place.chain] = std::max(reach[place.chain], place.position);
}

std::uint32_t Precedence::chooseChain(const std::vector<std::int32_t>& reach, const std::vector<OpId>& predecessors)
{
    for (const OpId predecessor : predecessors) {
        const Place place = m_places[predecessor.index()];
        if (m_chains[place.chain].back() == predecessor)
            return place.chain;
    }
    for (std::size_t chain = 0; chain < reach.size(); ++chain) {
        if (reach[chain] + 1 == static_cast<std::int32_t>(m_chains[chain].size()))
            return static_cast<std::uint32_t>(chain);
    }
    m_chains.emplace_back();
    return static_cast<std::uint32_t>(m_chains.size() - 1);
}

bool Precedence::isBefore(OpId first, OpId then) const
{
    const Place place = m_places[first.index()];
    const std::vector<std::int32_t>& reach = m_reach[then.index()];
    return place.chain < reach.size() && reach[place.chain] >= place.position;
}

} // namespace arenascope::detail
