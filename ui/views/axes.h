// SPDX-License-Identifier: MIT
// Time <-> x and address <-> y, in one place, with their exact inverses; and round values for ticks.
#pragma once

#include <arenascope/types.h>

#include <QRectF>

#include <vector>

namespace arenascope::ui {

/// Steps to x. Step s covers [x(s), x(s + 1)), so a live range [begin, end) is drawn from x(begin) to x(end).
struct TimeMap {
    double left = 0.0;  ///< x of `first`
    double width = 1.0;
    double first = 0.0; ///< steps; may be fractions while zooming
    double last = 1.0;

    double x(double step) const { return left + (step - first) * (width / (last - first)); }
    double step(double px) const { return first + (px - left) * ((last - first) / width); }
    /// The step whose column holds `px`; clamped to [0, stepCount).
    Step stepAt(double px, Step stepCount) const;
    double stepWidth() const { return width / (last - first); }
};

/// Addresses to y, growing upwards: `low` is at the bottom.
struct OffsetMap {
    double top = 0.0;
    double height = 1.0;
    double low = 0.0; ///< bytes
    double high = 1.0;

    double y(double offset) const { return top + (high - offset) * (height / (high - low)); }
    double offset(double py) const { return high - (py - top) * ((high - low) / height); }
};

TimeMap timeMapFor(const QRectF& plot, double first, double last);
OffsetMap offsetMapFor(const QRectF& plot, double low, double high);

/// Multiples of 1, 2 or 5 times a power of ten in [low, high], whole numbers only, at most `most` of them (at least one
/// interval apart when the range is shorter than that).
std::vector<double> niceTicks(double low, double high, int most);
/// The same in powers of two, for sizes in bytes.
std::vector<double> niceByteTicks(double low, double high, int most);

} // namespace arenascope::ui
