// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"
#include "core/src/planners/strategy.h"

namespace arenascope::planning {

namespace {

class PingPongEscape final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {
            "pingpong-escape", "Ping-pong, escape",
            "As pooled, but the output that leaves a branch gets a buffer of its own instead of holding a whole memory.",
            true};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                       const ProgressFn&) const override;
};

/// Only a branch's last output is read outside of it (or by several, or by nobody): were it parked in a branch memory,
/// that memory would live as long as it does, in its full size. Cost: as pooled.
Result<Plan> PingPongEscape::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
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
        if (units->empty())
            continue;
        plan.addEscaped(units->back());
        units->pop_back();
        assignSides(*units, units->empty() ? PingPongSide::None : units->front().side);
        if (auto added = plan.addTwoMemories(branch.id, *units, MemorySizing::Parity); !added)
            return added.error();
    }
    return std::move(plan).pack(stop);
}

} // namespace

const Planner& pingPongEscapePlanner()
{
    static const PingPongEscape kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
