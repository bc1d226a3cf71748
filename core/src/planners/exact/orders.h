// SPDX-License-Identifier: MIT
#pragma once

#include "core/src/planners/exact/instance.h"

namespace arenascope::planning::exact {

/// Orders in which blocks are tried at equal offsets. Which of them is quick differs from instance to instance, so that a
/// search runs several in turn. All are deterministic; O(n log n) each.
std::vector<std::vector<std::int32_t>> makeOrders(const Instance& instance);

} // namespace arenascope::planning::exact
