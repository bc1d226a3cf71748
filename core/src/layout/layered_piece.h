// SPDX-License-Identifier: MIT
// A part of a graph whose ranks are decided: what is left to find is the x of everything in it.
#pragma once

#include "core/src/layout/adjacency.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace arenascope::layout {

/// A connection from one rank to the next.
struct Segment {
    std::int32_t upper = -1;
    std::int32_t lower = -1;
    friend auto operator<=>(const Segment&, const Segment&) = default;
};

/// Boxes in ranks, and bends: an edge that jumps over ranks has one bend in each of them. All edges of one tensor share
/// their bends, so that a tensor with many readers is one line with branches:
///
///     rank 0    [x]            element 0 = x, 1 = conv, 2 = add, 3 = bend
///               / \            segments 0-1, 0-3, 1-2, 3-2
///     rank 1 [conv] |
///               \ /
///     rank 2   [add]
struct LayeredPiece {
    std::vector<double> widths; ///< of boxes, then of bends (0)
    std::vector<std::int32_t> ranks; ///< from 0
    std::vector<Segment> segments; ///< sorted, distinct; each from a rank to the next
    std::int32_t boxCount = 0;
    std::int32_t rankCount = 0;
    std::int32_t entry = -1; ///< the only element of the first rank, if the piece hangs on one
    std::int32_t exit = -1; ///< the only element of the last rank, if another piece hangs on it
    double nodeGap = 0; ///< free space between two boxes of a rank

    std::size_t size() const { return widths.size(); }
    bool isBend(std::int32_t element) const { return element >= boxCount; }
    double width(std::int32_t element) const { return widths[static_cast<std::size_t>(element)]; }
    std::int32_t rank(std::int32_t element) const { return ranks[static_cast<std::size_t>(element)]; }
};

/// Segments by their lower (`up`) and by their upper (`down`) element.
struct Links {
    Lists up;
    Lists down;
};
Links linksOf(const LayeredPiece& piece);

/// Smallest allowed distance of the centres of two neighbours in a rank. Lines may run closer together than boxes.
double separation(const LayeredPiece& piece, std::int32_t left, std::int32_t right);

/// Elements, from top to bottom, that should stand on one vertical line: the path with the most boxes from the entry to
/// the exit (from any source, to any end, where it has none), the middle one of several. Linear.
std::vector<std::int32_t> findSpine(const LayeredPiece& piece, const Links& links);

/// Order of the elements in each rank.
struct RankOrder {
    std::vector<std::vector<std::int32_t>> ranks;
    std::vector<std::int32_t> position; ///< by element
    std::int64_t crossings = 0; ///< pairs of segments that cross
};

/// Few crossings: depth-first order, then barycentre sweeps while they help. O(sweeps (V + E) log V).
RankOrder orderRanks(const LayeredPiece& piece, const Links& links, std::stop_token stop);

/// The elements of each rank by `key`, then by number, with their crossings.
RankOrder orderByKey(const LayeredPiece& piece, const Links& links, const std::vector<std::int32_t>& key);

/// x of the centre of each element, the spine at 0 and straight; entry and exit stand on it. O((V + E) log V) at most.
/// What it returns after a stop is of no use.
std::vector<double> placeInRanks(
    const LayeredPiece& piece, const Links& links, const RankOrder& order, std::stop_token stop);

/// Moves runs of elements within the free room beside them, so that more connections are straight; the spine stays.
/// Distances are kept. O(V + E log E) for each of a few rounds.
void straighten(const LayeredPiece& piece, const Links& links, const RankOrder& order,
    const std::vector<std::int32_t>& spine, std::vector<double>& x, const std::stop_token& stop);

} // namespace arenascope::layout
