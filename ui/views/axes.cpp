// SPDX-License-Identifier: MIT
#include "ui/views/axes.h"

#include <algorithm>
#include <cmath>

namespace arenascope::ui {

namespace {

std::vector<double> multiplesIn(double low, double high, double interval)
{
    std::vector<double> ticks;
    for (double k = std::ceil(low / interval); k * interval <= high; ++k)
        ticks.push_back(k * interval + 0.0); // + 0.0: no negative zero
    return ticks;
}

} // namespace

Step TimeMap::stepAt(double px, Step stepCount) const
{
    // The division of step() may round to the wrong side of a border; x() decides, so that stepAt(x(s)) == s exactly.
    double at = std::floor(step(px));
    if (x(at + 1.0) <= px)
        at += 1.0;
    else if (x(at) > px)
        at -= 1.0;
    return static_cast<Step>(std::clamp(at, 0.0, static_cast<double>(std::max<Step>(0, stepCount - 1))));
}

TimeMap timeMapFor(const QRectF& plot, double first, double last)
{
    return {plot.left(), std::max(1.0, plot.width()), first, std::max(last, first + 1e-9)};
}

OffsetMap offsetMapFor(const QRectF& plot, double low, double high)
{
    return {plot.top(), std::max(1.0, plot.height()), low, std::max(high, low + 1.0)};
}

std::vector<double> niceTicks(double low, double high, int most)
{
    if (!(high >= low) || most < 1)
        return {};
    const double wanted = std::max(1.0, (high - low) / most);
    const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
        auto ticks = multiplesIn(low, high, factor * decade);
        if (static_cast<int>(ticks.size()) <= most)
            return ticks;
    }
    return {};
}

std::vector<double> niceByteTicks(double low, double high, int most)
{
    if (!(high >= low) || most < 1)
        return {};
    double interval = std::exp2(std::floor(std::log2(std::max(1.0, (high - low) / most))));
    for (int tries = 0; tries < 8; ++tries, interval *= 2) {
        auto ticks = multiplesIn(low, high, interval);
        if (static_cast<int>(ticks.size()) <= most)
            return ticks;
    }
    return {};
}

} // namespace arenascope::ui
