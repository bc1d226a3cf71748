// SPDX-License-Identifier: MIT
#include "core/src/planners/pingpong.h"

#include "core/src/planners/greedy.h"

#include <algorithm>

namespace arenascope::planning {

namespace {

constexpr PingPongSide otherSide(PingPongSide side)
{
    return side == PingPongSide::First ? PingPongSide::Second : PingPongSide::First;
}

void widen(LiveRange& range, LiveRange by)
{
    if (by.length() <= 0)
        return;
    range = range.length() <= 0 ? by : LiveRange{std::min(range.begin, by.begin), std::max(range.end, by.end)};
}

Status refuseFixedOffsets(const PlacementProblem& problem)
{
    for (const Buffer& buffer : problem.buffers) {
        if (buffer.fixedOffset)
            return Error{ErrorCode::Unsupported, problem.name,
                         {"A fixed offset ('" + buffer.name + "') beside branch memories",
                          "Choose naive or one of the greedy strategies."}};
    }
    return Ok{};
}

Result<UnitBlock> unitBlock(const PlacementProblem& problem, const ProblemBranch::Unit& unit)
{
    UnitBlock block;
    block.buffers = unit.buffers;
    for (const BufferId id : unit.buffers) {
        const auto alignment = commonAlignment(problem, id);
        if (!alignment)
            return alignment.error();
        const auto offset = checkedAlignUp(block.size, *alignment);
        const auto end = offset ? checkedAdd(*offset, problem.reserved(id)) : std::nullopt;
        const auto common = leastCommonMultiple(block.alignment, *alignment);
        if (!end || !common)
            return sizeOverflow(problem.buffer(id).name);
        block.offsets.push_back(*offset);
        block.size = *end;
        block.alignment = *common;
        widen(block.live, problem.buffer(id).live);
    }
    return block;
}

} // namespace

Result<std::vector<UnitBlock>> unitBlocks(const PlacementProblem& problem, const ProblemBranch& branch)
{
    std::vector<UnitBlock> blocks;
    blocks.reserve(branch.units.size());
    for (const ProblemBranch::Unit& unit : branch.units) {
        auto block = unitBlock(problem, unit);
        if (!block)
            return block.error();
        blocks.push_back(std::move(block).value());
    }
    assignSides(blocks, branch.units.empty() ? PingPongSide::None : branch.units.front().side);
    return blocks;
}

TopTwo topTwo(std::span<const UnitBlock> units)
{
    TopTwo top;
    for (const UnitBlock& unit : units) {
        top.second = std::max(top.second, std::min(top.first, unit.size));
        top.first = std::max(top.first, unit.size);
    }
    return top;
}

void assignSides(std::span<UnitBlock> units, PingPongSide preferred)
{
    const TopTwo top = topTwo(units);
    PingPongSide side = preferred == PingPongSide::None ? PingPongSide::First : preferred;
    if (top.first > top.second) {
        const auto designated
            = std::find_if(units.begin(), units.end(), [&](const UnitBlock& u) { return u.size == top.first; });
        side = (designated - units.begin()) % 2 == 0 ? PingPongSide::First : PingPongSide::Second;
    }
    for (UnitBlock& unit : units) {
        unit.side = side;
        side = otherSide(side);
    }
}

MemoryPlan::MemoryPlan(const PlacementProblem& problem)
    : m_problem(problem)
{
    m_plan.placements.resize(problem.buffers.size());
}

MemoryId MemoryPlan::addMemory(BranchId branch, PingPongSide side, Bytes size, Bytes alignment)
{
    const MemoryId id = MemoryId::fromIndex(m_plan.memories.size());
    m_plan.memories.push_back({branch, side, 0, size, {}});
    m_alignments.push_back(alignment);
    return id;
}

void MemoryPlan::addUnit(MemoryId memory, const UnitBlock& unit, Offset offset)
{
    for (std::size_t i = 0; i < unit.buffers.size(); ++i)
        m_plan.placements[unit.buffers[i].index()] = {offset + unit.offsets[i], RegionId(0), memory, unit.side};
    widen(m_plan.memories[memory.index()].live, unit.live);
}

void MemoryPlan::addEscaped(const UnitBlock& unit)
{
    for (const BufferId id : unit.buffers)
        m_plan.placements[id.index()].side = unit.side;
}

Status MemoryPlan::addTwoMemories(BranchId branch, std::span<const UnitBlock> units, MemorySizing sizing)
{
    const TopTwo top = topTwo(units);
    for (const PingPongSide side : {PingPongSide::First, PingPongSide::Second}) {
        Bytes size = sizing == MemorySizing::Parity ? 0 : side == PingPongSide::First ? top.first : top.second;
        std::optional<Bytes> alignment = 1;
        bool isUsed = false;
        for (const UnitBlock& unit : units) {
            if (unit.side != side || unit.buffers.empty())
                continue;
            isUsed = true;
            size = std::max(size, unit.size);
            alignment = leastCommonMultiple(*alignment, unit.alignment);
            if (!alignment)
                return sizeOverflow("alignment of a branch memory");
        }
        if (!isUsed)
            continue;
        const MemoryId memory = addMemory(branch, side, size, *alignment);
        for (const UnitBlock& unit : units) {
            if (unit.side == side)
                addUnit(memory, unit, 0);
        }
    }
    return Ok{};
}

Result<std::vector<Item>> MemoryPlan::items() const
{
    std::vector<Item> items;
    items.reserve(m_plan.memories.size() + m_plan.placements.size());
    for (std::size_t i = 0; i < m_plan.memories.size(); ++i)
        items.push_back({m_plan.memories[i].size, m_alignments[i], m_plan.memories[i].live, {}, {}, {}});
    for (std::size_t i = 0; i < m_plan.placements.size(); ++i) {
        if (m_plan.placements[i].memory.isValid())
            continue;
        const BufferId id = BufferId::fromIndex(i);
        const auto alignment = commonAlignment(m_problem, id);
        if (!alignment)
            return alignment.error();
        const Buffer& buffer = m_problem.buffer(id);
        items.push_back({m_problem.reserved(id), *alignment, buffer.live, {}, buffer.gaps, buffer.name});
    }
    return items;
}

Status MemoryPlan::checkMemories() const
{
    for (std::size_t i = 0; i < m_plan.placements.size(); ++i) {
        const Placement& mine = m_plan.placements[i];
        const Offset end = mine.offset + m_problem.reserved(BufferId::fromIndex(i));
        for (const BufferId other : m_problem.conflicts.of(BufferId::fromIndex(i))) {
            const Placement& theirs = m_plan.placements[other.index()];
            if (!mine.memory.isValid() || mine.memory != theirs.memory || mine.offset >= theirs.offset + m_problem.reserved(other)
                || theirs.offset >= end)
                continue;
            return Error{ErrorCode::Unsupported, m_problem.name,
                         {"A branch memory for '" + m_problem.buffers[i].name + "' and '" + m_problem.buffer(other).name
                              + "', which may meet when operators run in parallel,",
                          "Choose auto or one of the greedy strategies, or --alias none."}};
        }
    }
    return Ok{};
}

/// Memories first, then the buffers outside them, as items() has them.
Conflicts MemoryPlan::conflictsOfItems() const
{
    if (m_problem.conflicts.isEmpty())
        return {};
    std::vector<BufferId> itemOf;
    std::size_t next = m_plan.memories.size();
    for (const Placement& placement : m_plan.placements)
        itemOf.push_back(BufferId::fromIndex(placement.memory.isValid() ? placement.memory.index() : next++));
    std::vector<Conflicts::Pair> pairs;
    for (std::size_t i = 0; i < itemOf.size(); ++i) {
        for (const BufferId other : m_problem.conflicts.of(BufferId::fromIndex(i))) {
            if (itemOf[i] < itemOf[other.index()])
                pairs.emplace_back(itemOf[i], itemOf[other.index()]);
        }
    }
    return Conflicts(next, pairs);
}

Result<Plan> MemoryPlan::stack() &&
{
    const auto all = items();
    if (!all)
        return all.error();
    std::vector<Offset> offsets;
    Offset top = 0;
    for (const Item& item : *all) {
        const auto offset = checkedAlignUp(top, item.alignment);
        const auto end = offset ? checkedAdd(*offset, item.size) : std::nullopt;
        if (!end)
            return sizeOverflow("arena");
        offsets.push_back(*offset);
        top = *end;
    }
    for (PlanMemory& memory : m_plan.memories)
        memory.live = {0, m_problem.stepCount};
    return std::move(*this).finish(offsets);
}

Result<Plan> MemoryPlan::pack(const std::stop_token& stop) &&
{
    auto all = items();
    if (!all)
        return all.error();
    const Conflicts conflicts = conflictsOfItems();
    for (std::size_t i = 0; i < all->size(); ++i)
        (*all)[i].apart = conflicts.of(BufferId::fromIndex(i));
    const auto packing = packBySize(*all, stop);
    if (!packing)
        return packing.error();
    return std::move(*this).finish(packing->offsets);
}

/// Memories come first in `offsets`, then the buffers outside them: moves everything to its place in the arena.
Plan MemoryPlan::finish(std::span<const Offset> offsets) &&
{
    std::size_t next = 0;
    for (PlanMemory& memory : m_plan.memories)
        memory.offset = offsets[next++];
    for (Placement& placement : m_plan.placements) {
        if (placement.memory.isValid())
            placement.offset += m_plan.memories[placement.memory.index()].offset;
        else
            placement.offset = offsets[next++];
    }
    return std::move(m_plan);
}

Result<Plan> BranchStrategy::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
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
        if (auto added = addBranch(plan, branch.id, *units); !added)
            return added.error();
    }
    if (auto kept = plan.checkMemories(); !kept)
        return kept.error();
    return arrange(std::move(plan), stop);
}

Result<Plan> BranchStrategy::arrange(MemoryPlan&& plan, const std::stop_token&) const
{
    return std::move(plan).stack();
}

} // namespace arenascope::planning
