// SPDX-License-Identifier: MIT
// Orders for first-fit placement.
#pragma once

#include "core/src/planners/first_fit.h"

namespace arenascope::planning {

/// Offsets by item, and the arena that they need.
struct Packing {
    std::vector<Offset> offsets;
    Bytes size = 0;
};

/// Places fixed items, then the others in the given order, each at its lowest free offset. Cost: see FirstFit.
/// Errors: Cancelled, SizeOverflow, InvalidPlan (fixed offsets).
Result<Packing> packInOrder(FirstFit& fit, std::span<const Item> items, std::span<const std::size_t> order,
                            const std::stop_token& stop);

/// From the largest to the smallest; equal sizes once by earlier and once by later birth (then by name), the smaller
/// arena wins. Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020,
/// section 5.2.
Result<Packing> packBySize(std::span<const Item> items, const std::stop_token& stop);

} // namespace arenascope::planning
