// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"
#include "core/src/planners/strategy.h"

namespace arenascope::planning {

namespace {

class PingPongTight final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {"pingpong-tight", "Ping-pong, tight",
                "Two private memories a branch, each as large as the largest output that is really written to it.",
                true};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                       const ProgressFn&) const override;
};

/// The second memory of claim 3 is needed in full only if the second largest unit is at an odd distance from the
/// designated one: sizes 10, 1, 9 need 10 + 1, not 10 + 9. O(n).
Result<Plan> PingPongTight::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
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
    return std::move(plan).stack();
}

} // namespace

const Planner& pingPongTightPlanner()
{
    static const PingPongTight kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
