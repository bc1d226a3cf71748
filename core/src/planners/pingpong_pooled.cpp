// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"

namespace arenascope::planning {

namespace {

class PingPongPooled final : public BranchStrategy {
public:
    PlannerInfo info() const override
    {
        return {
            "pingpong-pooled", "Ping-pong, pooled",
            "Branch memories live from their first write to their last read and share bytes with those they do not meet.",
            true};
    }

protected:
    Status addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const override;
    Result<Plan> arrange(MemoryPlan&& plan, const std::stop_token& stop) const override
    {
        return std::move(plan).pack(stop);
    }
};

/// Memories as in `pingpong-tight`, but each is a buffer with a live range, placed by size: a branch takes over the
/// bytes of those that have ended. Cost: that of greedy-by-size over two memories a branch.
Status PingPongPooled::addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const
{
    return plan.addTwoMemories(branch, units, MemorySizing::Parity);
}

} // namespace

const Planner& pingPongPooledPlanner()
{
    static const PingPongPooled kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
