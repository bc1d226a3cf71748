// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"
#include "core/src/planners/strategy.h"

namespace arenascope::planning {

namespace {

class PingPongPooled final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {
            "pingpong-pooled", "Ping-pong, pooled",
            "Branch memories live from their first write to their last read and share bytes with those they do not meet.",
            true};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                       const ProgressFn&) const override;
};

/// Memories as in `pingpong-tight`, but each is a buffer with a live range, placed by size: a branch takes over the
/// bytes of those that have ended. Cost: that of greedy-by-size over two memories a branch.
Result<Plan> PingPongPooled::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                          const ProgressFn&) const
{
    if (auto fixed = refuseFixedOffsets(problem); !fixed)
        return fixed.error();
    MemoryPlan plan(problem);
    for (const ProblemBranch& branch : problem.branches) {
        if (stop.stop_requested())
            return cancelled();
        auto units = unitBlocks(problem, branch);
        if (!units)
            return units.error();
        if (auto added = plan.addTwoMemories(branch.id, *units, MemorySizing::Parity); !added)
            return added.error();
    }
    return std::move(plan).pack(stop);
}

} // namespace

const Planner& pingPongPooledPlanner()
{
    static const PingPongPooled kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
