// SPDX-License-Identifier: MIT
// Lowering a packing that is too large for one search, a stretch of time after the other.
#pragma once

#include "core/src/planners/exact/minimise.h"

namespace arenascope::planning::exact {

/// Takes the blocks that lie too high, frees what is alive with them, keeps all else where it is as obstacles, and searches
/// for a packing of that part below the target. A packing stays valid after every step, and never gets larger.
///
/// A window reaches from what is too high to seams on both sides: moments that few bytes cross, as between the stages of a
/// network. Targets go from the bound towards the top; narrower windows are tried where one finds no packing, and each round has twice
/// the nodes for each of them.
/// This is a large neighbourhood search: it proves nothing but by meeting the bound. O(n log n) a pass and the searches.
class WindowImprover {
public:
    /// Lowers the items of large instances; the others are none of its business.
    /// `offsets`, by item, is a valid packing and is changed in place; both must outlive this.
    WindowImprover(std::span<const Item> items, std::span<const Instance> instances, std::vector<Offset>& offsets);

    /// Looks for a packing whose top is `floor`, else for one as low as can be found below the present top, in one round (each
    /// round takes twice the nodes of the last). Returns whether the top came down.
    bool improve(Bytes floor, const Limits& limits);
    /// One round for one target only. Whether the top is at most `target` now.
    bool lowerTo(Bytes target, const Limits& limits);

    /// The last round found nothing to search in: more rounds are of no use.
    bool isExhausted() const { return m_isExhausted; }
    std::int64_t nodes() const { return m_nodes; }

private:
    struct Seam {
        Step step = 0;
        Bytes crossing = 0; ///< sizes of what is alive before and after
    };
    void findSeams();
    std::size_t countIn(LiveRange steps) const;
    LiveRange toSeams(LiveRange steps, std::size_t most) const;
    std::vector<std::size_t> itemsAbove(Bytes target) const;
    std::vector<std::size_t> freeIn(LiveRange window, Bytes target) const;
    std::vector<Item> partOf(std::span<const std::size_t> free, Bytes target) const;
    bool solve(std::span<const std::size_t> free, Bytes target, const Limits& limits);
    bool pass(Bytes target, const Limits& limits);
    bool isOver(const Limits& limits) const;
    void measure();
    template <class Work>
    bool runRound(const Limits& limits, Work work);

    std::span<const Item> m_items;
    std::vector<Offset>& m_offsets;
    std::vector<std::size_t> m_byBegin; ///< items of large instances and fixed ones, by the step at which their life begins
    std::vector<Step> m_begins;         ///< of the same, sorted
    std::vector<Step> m_ends;           ///< of the same, sorted
    std::vector<Seam> m_seams;          ///< every moment at which something begins or ends, in order
    Bytes m_top = 0;
    int m_round = 0;
    std::int64_t m_nodes = 0;
    std::int64_t m_lastNode = 0; ///< where the present round ends
    bool m_isExhausted = false;
};

} // namespace arenascope::planning::exact
