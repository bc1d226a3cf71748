// SPDX-License-Identifier: MIT
// Best-fit orders: the skyline of what has been stacked is kept, and always its lowest place is filled.
//
// The lowest segment is filled with the best of the items whose lives lie wholly within it, and where there is none, it is
// raised to the lower of its neighbours. Source: Burke, Kendall and Whitwell, "A New Placement Heuristic for the Orthogonal
// Stock-Cutting Problem", 2004, with time in place of width, as Sekiyama et al., "Profile-guided memory optimization for
// deep neural networks", 2018, do it; they take the longest life first.
#pragma once

#include "core/src/planners/items.h"

#include <functional>

namespace arenascope::planning {

/// Calls visit(order) for each meaning of "the best": longest life, largest size, largest area, until it returns false;
/// returns whether it never did. An order holds all items; those of no bytes or no life, and fixed ones, come last. When
/// stopped, the rest is in no particular order. O(n log n) and what overlaps need, see Waiting::bestWithin().
bool forEachSkylineOrder(std::span<const Item> items, const std::stop_token& stop,
                         const std::function<bool(const std::vector<std::size_t>&)>& visit);

} // namespace arenascope::planning
