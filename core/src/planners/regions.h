// SPDX-License-Identifier: MIT
// Several memories: which buffers go where.
#pragma once

#include <arenascope/planner.h>

namespace arenascope::planning {

/// Fills the regions from the cheapest on (equal costs: in their order); the last takes what is left, whatever its capacity.
///
/// A region keeps what is used most for the steps it lives (reads and writes a step; of equals the smaller): while more
/// bytes are live at some step than the region has, the one of that step that is used least is spilled to the next region.
/// What is kept is placed by `planner`; what does not fit then, although its live bytes would, is spilled as well, and
/// tried again, most used first, a bounded number of times. O(n * spilled) and a few dozen placements.
/// Errors: Unsupported (strategies of branches), and those of `planner`.
Result<Plan> planInRegions(const PlacementProblem& problem, const Planner& planner, const PlannerOptions& options,
                           const std::stop_token& stop, const ProgressFn& progress);

} // namespace arenascope::planning
