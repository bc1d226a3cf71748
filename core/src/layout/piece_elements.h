// SPDX-License-Identifier: MIT
// From a piece of the drawn graph to elements in ranks.
#pragma once

#include "core/src/layout/layered_piece.h"
#include "core/src/layout/skeleton.h"

#include <string>

namespace arenascope::layout {

struct PieceElements {
    LayeredPiece layered; ///< box i is node i of the piece
    std::vector<std::int32_t>
        firstBend; ///< by position in Piece::edges: its bends are firstBend, firstBend + 1, ... one a rank
};

/// Widths are rounded up to a grid, so that repeated blocks that differ in the length of their labels are laid out
/// once. `localOf` is a table by node, large enough; it holds the positions in piece.nodes afterwards. O(n log n).
PieceElements makeElements(const DrawnGraph& graph, const std::vector<std::int32_t>& ranks, const Piece& piece,
    double nodeGap, std::vector<std::int32_t>& localOf);

/// Equal for pieces that get the same layout.
std::string structureKey(const LayeredPiece& piece);

} // namespace arenascope::layout
