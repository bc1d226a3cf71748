// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"

namespace arenascope::planning {

namespace {

class PingPongTight final : public BranchStrategy {
public:
    PlannerInfo info() const override
    {
        return {"pingpong-tight", "Ping-pong, tight",
                "Two private memories a branch, each as large as the largest output that is really written to it.",
                true};
    }

protected:
    Status addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const override;
};

/// The second memory of claim 3 is needed in full only if the second largest unit is at an odd distance from the
/// designated one: sizes 10, 1, 9 need 10 + 1, not 10 + 9. O(n).
Status PingPongTight::addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const
{
    return plan.addTwoMemories(branch, units, MemorySizing::Parity);
}

} // namespace

const Planner& pingPongTightPlanner()
{
    static const PingPongTight kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
