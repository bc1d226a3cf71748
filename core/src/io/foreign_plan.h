// SPDX-License-Identifier: MIT
// What readers of plans by others share.
#pragma once

#include <arenascope/plan_import.h>

namespace arenascope::io {

/// Of offsets and sums of sizes in a file: sums of a few of them still fit 63 bits, wherever they are added up later.
inline constexpr Bytes kMostPlanBytes = Bytes(1) << 60;

/// Sums up what the placements need, by region where there are several. Errors: TooLarge.
Result<ForeignPlan> summedUp(ForeignPlan plan);
/// Index of the region of that name, which is added where it is not there.
RegionId regionNamed(ForeignPlan& plan, const std::string& name);

} // namespace arenascope::io
