// SPDX-License-Identifier: MIT
// Why a capacity is too small although no single step needs more (for that, see capacity.h).
#pragma once

#include "core/src/planners/exact/minimise.h"

namespace arenascope::planning::exact {

/// Items that cannot fit into `capacity` together.
struct Conflict {
    std::vector<std::size_t> items; ///< ascending
    bool isIrreducible = false;     ///< without any one of them, the others fit: this is known
};

/// Leaves out item after item of what is known not to fit, as long as the rest is proven not to fit either; each trial has
/// `nodesPerTrial`. O(n) trials.
Conflict shrinkConflict(std::span<const Item> items, Bytes capacity, const Limits& limits, std::int64_t nodesPerTrial);

} // namespace arenascope::planning::exact
