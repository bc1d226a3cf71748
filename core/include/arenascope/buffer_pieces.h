// SPDX-License-Identifier: MIT
// Which bytes of a buffer are needed when, as rectangles.
//
//     byte                       needed: [0, 64) in steps 0 and 1, all in 2 and 3, [64, 128) afterwards
//     128 |..bbcc|
//      64 |aabb..|    three pieces of one buffer; dots are free for others
//         +--------> step
#pragma once

#include <arenascope/problem.h>

#include <optional>
#include <vector>

namespace arenascope {

/// Bytes [low, high) of a buffer, from its own first byte, that are needed at every step of `steps`. Neither is empty.
struct BufferPiece {
    LiveRange steps;
    Bytes low = 0;
    Bytes high = 0;
    friend bool operator==(const BufferPiece&, const BufferPiece&) = default;
};

/// What is needed of a buffer, by step: all reserved bytes, but where a gap says which. Equal needs of steps in a row are one
/// piece, so that a buffer without gaps is one. O(g log g) for g gaps.
std::vector<BufferPiece> bufferPieces(const PlacementProblem& problem, BufferId id);
/// The piece at one step; nothing where no byte is needed. O(g).
std::optional<BufferPiece> bufferPieceAt(const PlacementProblem& problem, BufferId id, Step step);

} // namespace arenascope
