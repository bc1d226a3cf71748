// SPDX-License-Identifier: MIT
// Which operators come before which in every order: the network's partial order.
#pragma once

#include <arenascope/schedule.h>

#include <cstdint>
#include <vector>

namespace arenascope::detail {

/// Operators are laid out on chains, each of which is a path of the partial order; an operator remembers how far along each
/// chain its ancestors reach. Operators times chains entries; networks have few chains.
class Precedence {
public:
    /// What a table may take: 2^25 entries of 4 bytes.
    static constexpr std::size_t kMostEntries = std::size_t(1) << 25;

    /// `schedule` is any order of the operators. Errors: TooLarge. O(edges * chains).
    static Result<Precedence> of(const Graph& graph, const Schedule& schedule);

    /// Whether a path of at least one edge leads from `first` to `then`. O(1).
    bool isBefore(OpId first, OpId then) const;

    std::size_t chainCount() const { return m_chains.size(); }
    /// The operators of a chain, each before the next, in schedule order.
    const std::vector<OpId>& chain(std::size_t index) const { return m_chains[index]; }

private:
    struct Place {
        std::uint32_t chain = 0;
        std::int32_t position = 0;
    };

    void inherit(std::vector<std::int32_t>& reach, OpId from) const;
    std::uint32_t chooseChain(const std::vector<std::int32_t>& reach, const std::vector<OpId>& predecessors);

    std::vector<Place> m_places;                    // by OpId
    std::vector<std::vector<OpId>> m_chains;
    std::vector<std::vector<std::int32_t>> m_reach; // by OpId, by chain: the last ancestor there; -1, or shorter: none
};

} // namespace arenascope::detail
