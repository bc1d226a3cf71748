// SPDX-License-Identifier: MIT
// Polylines of the edges of a piece.
#pragma once

#include "core/src/layout/piece_elements.h"
#include "core/src/layout/rows.h"

namespace arenascope::layout {

/// What the router needs to know.
struct RoutedPiece {
    const DrawnGraph& graph;
    const Piece& piece;
    const std::vector<std::int32_t>& ranks; ///< by node
    const std::vector<std::int32_t>& localOf; ///< by node: position in piece.nodes
    const std::vector<std::int32_t>& firstBend; ///< by position in piece.edges
    const std::vector<double>& x; ///< by element: centre
    const Rows& rows;
};

/// One polyline an edge of the piece, from border to border, in the order of piece.edges; widens the contour by them.
/// Edges of different tensors start, and all edges end, at places of their own along the borders. O(E log E + points).
std::vector<std::vector<Point>> routePiece(const RoutedPiece& routed, Contour& contour);

/// Drops points that do not change the line.
void simplify(std::vector<Point>& line);

} // namespace arenascope::layout
