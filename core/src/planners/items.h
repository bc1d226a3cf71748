// SPDX-License-Identifier: MIT
// What offset planners place: buffers, or whole branch memories, as plain rectangles of time and bytes.
#pragma once

#include <arenascope/problem.h>
#include <arenascope/result.h>

#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace arenascope::planning {

/// One thing to place. Views point into the problem, which must outlive it.
struct Item {
    Bytes size = 0;      ///< rounded up
    Bytes alignment = 1; ///< of the offset, > 0
    LiveRange live;
    std::optional<Offset> fixedOffset;
    std::span<const BufferGap> gaps;
    std::string_view name;
    std::span<const BufferId> apart{}; ///< items, numbered as here, that it may not share bytes with whenever they live
};

/// The part [low, high) of an item's bytes that is needed during `steps`. Items without gaps have exactly one.
struct Piece {
    LiveRange steps;
    Bytes low = 0;
    Bytes high = 0;
};

/// Cuts an item with gaps; pieces are disjoint in time, in order, and never empty. O(gaps log gaps).
std::vector<Piece> piecesOf(const Item& item);

/// Calls visit(piece) for each piece; without gaps there is at most one, and nothing is allocated.
template <class Visit>
void forEachPiece(const Item& item, Visit&& visit)
{
    if (item.gaps.empty()) {
        if (item.live.length() > 0 && item.size > 0)
            visit(Piece{item.live, 0, item.size});
        return;
    }
    for (const Piece& piece : piecesOf(item))
        visit(piece);
}

/// One item a buffer of the problem. Errors: SizeOverflow for alignments without a common multiple below 2^63.
Result<std::vector<Item>> itemsOf(const PlacementProblem& problem);
/// Offset granularity of one buffer: its own and its region's. Errors: SizeOverflow.
Result<Bytes> commonAlignment(const PlacementProblem& problem, BufferId id);
/// Whether two items may not share bytes although they never meet. O(log).
bool areApart(std::span<const Item> items, std::size_t a, std::size_t b);
/// Least common multiple of positive numbers; nothing when it does not fit 63 bits.
std::optional<Bytes> leastCommonMultiple(Bytes a, Bytes b);

/// The largest number of bytes needed at once, or the highest end of a fixed buffer: no arena can be smaller. O(n log n), whatever the number of steps.
Bytes lowerBound(std::span<const Item> items);

Error cancelled();
Error sizeOverflow(std::string_view what);

} // namespace arenascope::planning
