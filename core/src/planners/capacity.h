// SPDX-License-Identifier: MIT
// What the bound and a plan say about a capacity.
#pragma once

#include "core/src/planners/items.h"

#include <vector>

namespace arenascope::planning {

/// Buffers that need more than `capacity` at one step, or lie above it by their fixed offset; without any of them the
/// rest would not. Empty where the bound does not exceed the capacity. O(n log n).
std::vector<BufferId> crowdBeyond(std::span<const Item> items, Bytes capacity);

} // namespace arenascope::planning
