// SPDX-License-Identifier: MIT
// The y of everything: rows of boxes and the gaps between them.
#pragma once

#include <cstddef>
#include <vector>

namespace arenascope::layout {

/// Rows of a component and the gaps around them; gap r lies above row r, the last gap below the last row.
/// Boxes stand in rows only; edges lean in gaps only and pass rows upright, so no edge can cut a foreign box.
///
///     gap 0 | row 0 | gap 1 | row 1 | gap 2        slots 0 1 2 3 4
struct Rows {
    std::vector<double> top; ///< by rank
    std::vector<double> bottom; ///< by rank
    double end = 0; ///< lower border of the last gap

    std::size_t count() const { return top.size(); }
    double gapTop(std::size_t gap) const { return gap == 0 ? 0 : bottom[gap - 1]; }
    double gapBottom(std::size_t gap) const { return gap == count() ? end : top[gap]; }
};

/// Leftmost and rightmost x in use, by slot: 2 r is gap r, 2 r + 1 is row r.
struct Contour {
    std::vector<double> left;
    std::vector<double> right;

    explicit Contour(std::size_t rowCount)
        : left(2 * rowCount + 1, 0.0)
        , right(2 * rowCount + 1, 0.0)
    {
    }
    void widen(std::size_t slot, double from, double to)
    {
        if (from < left[slot])
            left[slot] = from;
        if (to > right[slot])
            right[slot] = to;
    }
    static std::size_t gapSlot(std::size_t gap) { return 2 * gap; }
    static std::size_t rowSlot(std::size_t row) { return 2 * row + 1; }
};

} // namespace arenascope::layout
