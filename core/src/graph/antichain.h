// SPDX-License-Identifier: MIT
// The heaviest antichain of a partial order.
#pragma once

#include <arenascope/types.h>

#include <cstddef>
#include <vector>

namespace arenascope::detail {

/// Things with weights (not negative, in all below 2^60), and by thing the later ones that it comes before: at least those
/// with nothing in between. Returns a set of things of which none comes before another, with the largest sum of weights,
/// ascending. Source: Dilworth's theorem with weights, as a minimum flow.
std::vector<std::size_t> heaviestAntichain(const std::vector<Bytes>& weights, const std::vector<std::vector<std::size_t>>& before);

} // namespace arenascope::detail
