// SPDX-License-Identifier: MIT
// What the bound and a plan say about a capacity.
#pragma once

#include "core/src/planners/items.h"

#include <vector>

namespace arenascope::planning {

/// Buffers that cannot fit into a capacity together.
struct Crowd {
    std::vector<BufferId> buffers; ///< the largest first
    bool isIrreducible = false;    ///< without any one of them, the others fit; not claimed beside gaps and fixed offsets
};

/// Buffers that need more than `capacity` at one step, or one that lies above it by its fixed offset; without any of them
/// the rest would not. Empty where the bound does not exceed the capacity. O(n log n).
Crowd crowdBeyond(std::span<const Item> items, Bytes capacity);

} // namespace arenascope::planning
