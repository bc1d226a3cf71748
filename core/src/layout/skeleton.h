// SPDX-License-Identifier: MIT
// What is decided before any x is known: ranks, which edges run along the side, and the pieces to lay out.
#pragma once

#include "core/src/layout/adjacency.h"

#include <arenascope/layout.h>

#include <cstdint>
#include <stop_token>
#include <vector>

namespace arenascope::layout {

/// Ranks firstRank to lastRank of a component. Neighbouring pieces share the one node between them: it is the last of
/// the upper and the first of the lower piece.
///
///        |             piece 1: chain (a, b)
///       [a]
///       [b]  <- cut    piece 2: b is its entry, e its exit
///       / \   .
///     [c] [d]
///       \ /
///       [e]  <- cut    piece 3: chain (e, ...)
struct Piece {
    std::vector<std::int32_t> nodes; ///< ascending, entry and exit included
    std::vector<std::int32_t> edges; ///< ascending, without the withheld ones
    std::int32_t firstRank = 0;
    std::int32_t lastRank = 0;
    std::int32_t entry = -1; ///< node that it shares with the piece above
    std::int32_t exit = -1; ///< node that it shares with the piece below
    bool isChain = false; ///< one node a rank, and no edge jumps over one
};

/// A part of the graph without any edge to another part.
struct Component {
    std::vector<std::int32_t> nodes; ///< ascending
    std::vector<std::int32_t> withheld; ///< edges that run along the side, ascending
    std::vector<Piece> pieces; ///< from top to bottom
    std::int32_t rankCount = 0;
};

struct Skeleton {
    std::vector<std::int32_t> ranks; ///< by node, from 0 in its component; every edge goes to a larger rank
    std::vector<Component> components; ///< largest first, then by their first node
};

/// Edges must go forward in the list of nodes. O((V + E) log V).
Skeleton makeSkeleton(const DrawnGraph& graph, const std::stop_token& stop);

/// Longest-path ranks from 0 in each component. Nodes that nothing holds at the top are moved down to their readers:
/// network inputs that are read late, chains that hang on them, nodes with more readers than inputs. Linear.
std::vector<std::int32_t> assignRanks(const DrawnGraph& graph, const Lists& in, const Lists& out);

} // namespace arenascope::layout
