// SPDX-License-Identifier: MIT
#pragma once

#include "core/src/graph/peak_model.h"

#include <span>
#include <stop_token>

namespace arenascope::detail {

/// A peak below which no order of the segment can be: the largest, over its operators w, of what w makes plus the fewest
/// live bytes from which w can run. The latter is a minimum of a submodular function over down-sets, found as a minimum cut.
/// `order` (any topological one) tells which operators cannot raise the bound above `known`; they cost nothing, the others
/// one maximum flow each. Returns `known` or more; for segments of sizes that do not fit the flow's arithmetic, `known`.
Bytes cutBound(const PeakSegment& segment, std::span<const LocalOp> order, Bytes known, const std::stop_token& stop);

} // namespace arenascope::detail
