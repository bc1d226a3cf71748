// SPDX-License-Identifier: MIT
// Placing items one by one at the lowest offset that is free for their whole life.
#pragma once

#include "core/src/planners/items.h"

namespace arenascope::planning {

/// Remembers what has been placed and finds the lowest free offset for the next item.
///
/// Which placed pieces meet a new one in time is answered by a tournament tree over all pieces in order of their begin,
/// holding the latest end among the placed ones: O((k + 1) log n) for k answers. The lowest gap among them comes
/// from a heap that is emptied only up to the gap: O(k). Placing everything is O(sum of k log n): near-linear
/// where few buffers are alive at once, quadratic where all are.
class FirstFit {
public:
    explicit FirstFit(std::span<const Item> items);

    /// Forgets all placements, keeps the index.
    void clear();
    /// Places everything with a fixed offset. Errors: InvalidPlan naming the item whose offset is negative, misaligned or taken.
    Status placeFixed();
    /// Places an item at its lowest free offset. False if the offset or its end does not fit 63 bits.
    bool place(std::size_t item);

    const std::vector<Offset>& offsets() const { return m_offsets; }
    /// max(offset + size) over what has been placed.
    Offset top() const { return m_top; }

private:
    /// Offsets x with low < x < high are not free for the item at hand.
    struct Forbidden {
        Offset low;
        Offset high;
    };

    void collectForbidden(std::size_t index);
    void addForbiddenBy(const Piece& mine);
    bool isFree(Offset offset) const;
    void insert(std::size_t item, Offset offset);
    std::size_t piecesBornBefore(Step step) const;

    std::span<const Item> m_items;
    std::vector<Piece> m_pieces;            // in order of begin, then item
    std::vector<std::size_t> m_itemOfPiece;
    std::vector<std::size_t> m_firstRank;   // by item: its ranks lie at [m_firstRank[i], m_firstRank[i + 1]) of m_ranks
    std::vector<std::size_t> m_ranks;
    std::size_t m_leaves = 1;
    std::vector<Step> m_latestEnd;          // tournament tree, root at 1
    std::vector<Offset> m_offsets;          // by item, -1: not placed
    Offset m_top = 0;
    std::vector<Forbidden> m_forbidden;     // scratch
    std::vector<std::size_t> m_stack;       // scratch
};

} // namespace arenascope::planning
