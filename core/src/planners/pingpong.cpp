// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"
#include "core/src/planners/strategy.h"

namespace arenascope::planning {

namespace {

class PingPong final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {"pingpong", "Ping-pong",
                "Two private memories a branch, as large as its largest and second largest output, written in turn.",
                true};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                       const ProgressFn&) const override;
};

/// The method of CN108304265B to the letter. Claim 2: unitBlocks() sizes every unit's output memory. Claim 3: the first
/// memory is the largest of them, the second the second largest. Claim 1: assignSides() says which unit writes which.
/// Claim 4: the output memory of a unit is the input memory of the next one, which follows from a chain's units
/// alternating. Network inputs have bytes of their own beside the memories. O(n).
Result<Plan> PingPong::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
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
        if (auto added = plan.addTwoMemories(branch.id, *units, MemorySizing::TopTwo); !added)
            return added.error();
    }
    return std::move(plan).stack();
}

} // namespace

const Planner& pingPongPlanner()
{
    static const PingPong kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
