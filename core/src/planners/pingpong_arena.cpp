// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"

#include <algorithm>

namespace arenascope::planning {

namespace {

/// One memory with the units of the first side at its bottom and those of the second at its top.
Status addTwoEnded(MemoryPlan& plan, BranchId branch, std::span<const UnitBlock> units)
{
    Bytes alignment = 1;
    bool isUsed = false;
    for (const UnitBlock& unit : units) {
        const auto common = leastCommonMultiple(alignment, unit.alignment);
        if (!common)
            return sizeOverflow("branch memory");
        alignment = *common;
        isUsed = isUsed || !unit.buffers.empty();
    }
    if (!isUsed)
        return Ok{};

    // What a unit at the top takes from there down to its first byte.
    const auto reach = [](const UnitBlock& unit) { return checkedAlignUp(unit.size, unit.alignment).value_or(-1); };
    Bytes size = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        const bool isTop = units[i].side == PingPongSide::Second;
        const Bytes mine = isTop ? reach(units[i]) : units[i].size;
        const Bytes next = i + 1 == units.size() ? 0 : isTop ? units[i + 1].size : reach(units[i + 1]);
        const auto both = mine < 0 || next < 0 ? std::nullopt : checkedAdd(mine, next);
        if (!both)
            return sizeOverflow("branch memory");
        size = std::max(size, *both);
    }
    const auto whole = checkedAlignUp(size, alignment);
    if (!whole)
        return sizeOverflow("branch memory");

    const MemoryId memory = plan.addMemory(branch, PingPongSide::None, *whole, alignment);
    for (const UnitBlock& unit : units)
        plan.addUnit(memory, unit, unit.side == PingPongSide::Second ? *whole - reach(unit) : 0);
    return Ok{};
}

class PingPongArena final : public BranchStrategy {
public:
    PlannerInfo info() const override
    {
        return {
            "pingpong-arena", "Ping-pong, two-ended",
            "One arena a branch: units write to its bottom and its top in turn, so it is as large as the largest two neighbours.",
            true};
    }

protected:
    Status addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const override;
};

/// Two neighbours are alive at once, others never: max(s[i] + s[i + 1]) is the lower bound of a chain and is reached.
/// Offsets from the top stay aligned because the arena and the blocks there are multiples of the alignment. O(n).
Status PingPongArena::addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const
{
    return addTwoEnded(plan, branch, units);
}

} // namespace

const Planner& pingPongArenaPlanner()
{
    static const PingPongArena kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
