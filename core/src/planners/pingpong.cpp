// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"

namespace arenascope::planning {

namespace {

class PingPong final : public BranchStrategy {
public:
    PlannerInfo info() const override
    {
        return {"pingpong", "Ping-pong",
                "Two private memories a branch, as large as its largest and second largest output, written in turn.",
                true};
    }

protected:
    Status addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const override;
};

/// The method of CN108304265B to the letter. Claim 2: unitBlocks() sizes every unit's output memory. Claim 3: the first
/// memory is the largest of them, the second the second largest. Claim 1: assignSides() says which unit writes which.
/// Claim 4: the output memory of a unit is the input memory of the next one, which follows from a chain's units
/// alternating. Network inputs have bytes of their own beside the memories. O(n).
Status PingPong::addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const
{
    return plan.addTwoMemories(branch, units, MemorySizing::TopTwo);
}

} // namespace

const Planner& pingPongPlanner()
{
    static const PingPong kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
