// SPDX-License-Identifier: MIT
#include "core/src/check/file_plan.h"

namespace arenascope::check {

std::vector<bool> placedByFile(const PlacementProblem& problem, const Plan& plan)
{
    std::vector<bool> placed(problem.buffers.size(), false);
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const auto& wanted = problem.buffers[i].fileOffset;
        if (!wanted)
            continue;
        if (i >= plan.placements.size() || plan.placements[i].offset != *wanted)
            return std::vector<bool>(problem.buffers.size(), false);
        placed[i] = true;
    }
    return placed;
}

} // namespace arenascope::check
