// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"

namespace arenascope::planning {

namespace {

class PingPongEscape final : public BranchStrategy {
public:
    PlannerInfo info() const override
    {
        return {
            "pingpong-escape", "Ping-pong, escape",
            "As pooled, but the output that leaves a branch gets a buffer of its own instead of holding a whole memory.",
            true};
    }

protected:
    Status addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const override;
    Result<Plan> arrange(MemoryPlan&& plan, const std::stop_token& stop) const override
    {
        return std::move(plan).pack(stop);
    }
};

/// Only a branch's last output is read outside of it (or by several, or by nobody): were it parked in a branch memory,
/// that memory would live as long as it does, in its full size. Cost: as pooled.
Status PingPongEscape::addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const
{
    if (units.empty())
        return Ok{};
    plan.addEscaped(units.back());
    units.pop_back();
    assignSides(units, units.empty() ? PingPongSide::None : units.front().side);
    return plan.addTwoMemories(branch, units, MemorySizing::Parity);
}

} // namespace

const Planner& pingPongEscapePlanner()
{
    static const PingPongEscape kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
