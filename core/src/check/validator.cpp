// SPDX-License-Identifier: MIT
// Checks of single placements, and a sweep over time for pairs. Nothing here comes from the planners.
#include <arenascope/validator.h>

#include "core/src/check/active_ranges.h"
#include "core/src/check/file_plan.h"

#include <algorithm>
#include <tuple>

namespace arenascope {

namespace {

/// Bytes [begin, end) of one buffer, needed during `steps`. A buffer with gaps has several.
struct Extent {
    BufferId buffer;
    LiveRange steps;
    Offset begin = 0;
    Offset end = 0;
};

class Checker {
public:
    Checker(const PlacementProblem& problem, const Plan& plan, std::size_t maxClashes)
        : m_problem(problem)
        , m_plan(plan)
        , m_maxClashes(maxClashes)
        , m_isPlacedByFile(check::placedByFile(problem, plan))
    {
    }

    Validation run()
    {
        for (std::size_t i = 0; i < m_problem.buffers.size(); ++i)
            checkPlacement(BufferId::fromIndex(i));
        for (const PlanMemory& memory : m_plan.memories)
            checkMemory(memory);
        sweep();
        checkConflicts();
        return std::move(m_result);
    }

private:
    void report(Clash clash)
    {
        ++m_result.clashCount;
        if (m_result.clashes.size() < m_maxClashes)
            m_result.clashes.push_back(clash);
    }

    void checkPlacement(BufferId id);
    void checkAlignment(BufferId id, const Placement& placement);
    void checkMembers(BufferId id, const Placement& placement);
    void checkBounds(BufferId id, const Placement& placement, Offset end);
    void checkMemory(const PlanMemory& memory);
    void addExtents(BufferId id, const Placement& placement);
    void addExtent(BufferId id, const Placement& placement, LiveRange steps, Bytes low, Bytes high);
    void sweep();
    void checkConflicts();
    void sweepRegion(const std::vector<Extent>& extents);
    void reportOverlaps(const std::vector<Extent>& extents, const Extent& born, const std::vector<std::size_t>& others);

    const PlacementProblem& m_problem;
    const Plan& m_plan;
    std::size_t m_maxClashes;
    std::vector<bool> m_isPlacedByFile;         // by buffer
    std::vector<std::vector<Extent>> m_extents; // by region
    Validation m_result;
};

void Checker::checkPlacement(BufferId id)
{
    const bool isPlaced = id.index() < m_plan.placements.size();
    const Placement placement = isPlaced ? m_plan.placements[id.index()] : Placement{};
    const bool hasRegion = placement.region.isValid() && placement.region.index() < m_problem.regions.size();
    if (!isPlaced || !hasRegion) {
        report({.kind = ClashKind::Missing, .first = id});
        return;
    }
    const Bytes size = m_problem.reserved(id);
    if (placement.offset < 0) {
        report({.kind = ClashKind::Negative, .first = id, .begin = placement.offset, .end = placement.offset + size});
        return;
    }
    const auto end = checkedAdd(placement.offset, size);
    if (!end) {
        report({.kind = ClashKind::BeyondArena, .first = id, .begin = placement.offset, .end = placement.offset});
        return;
    }
    checkAlignment(id, placement);
    checkMembers(id, placement);
    checkBounds(id, placement, *end);
    const auto& fixed = m_problem.buffer(id).fixedOffset;
    if (fixed && *fixed != placement.offset)
        report({.kind = ClashKind::FixedMoved, .first = id, .begin = placement.offset, .end = *end});
    addExtents(id, placement);
}

void Checker::checkAlignment(BufferId id, const Placement& placement)
{
    const Bytes own = m_problem.alignmentOf(id);
    const Bytes region = m_problem.regions[placement.region.index()].alignment;
    const bool fitsOwn = own <= 1 || placement.offset % own == 0;
    const bool fitsRegion = region <= 1 || placement.offset % region == 0;
    if (!fitsOwn || !fitsRegion)
        report({.kind = ClashKind::Misaligned, .first = id, .begin = placement.offset,
                .end = placement.offset + m_problem.reserved(id)});
}

/// Parts of a buffer are tensors like others: each begins at a multiple of the problem's alignment, within the buffer.
void Checker::checkMembers(BufferId id, const Placement& placement)
{
    const Buffer& buffer = m_problem.buffer(id);
    for (const AliasMember& member : buffer.tensors) {
        const Offset begin = placement.offset + std::clamp<Offset>(member.offset, 0, buffer.size);
        if (member.offset < 0 || member.offset > buffer.size)
            report({.kind = ClashKind::BeyondMemory, .first = id, .begin = begin, .end = begin});
        else if (m_problem.alignment > 1 && member.offset % m_problem.alignment != 0)
            report({.kind = ClashKind::Misaligned, .first = id, .begin = begin, .end = placement.offset + buffer.size});
    }
}

void Checker::checkBounds(BufferId id, const Placement& placement, Offset end)
{
    const auto& capacity = m_problem.regions[placement.region.index()].capacity;
    if (end > m_plan.arenaSize || (capacity && end > *capacity))
        report({.kind = ClashKind::BeyondArena, .first = id, .begin = placement.offset, .end = end});
    if (!placement.memory.isValid())
        return;
    const bool exists = placement.memory.index() < m_plan.memories.size();
    const PlanMemory memory = exists ? m_plan.memories[placement.memory.index()] : PlanMemory{};
    const bool isInside
        = exists && memory.offset >= 0 && placement.offset >= memory.offset && end - memory.offset <= memory.size;
    if (!isInside)
        report({.kind = ClashKind::BeyondMemory, .first = id, .begin = placement.offset, .end = end});
}

void Checker::checkMemory(const PlanMemory& memory)
{
    const auto end = checkedAdd(memory.offset, memory.size);
    if (memory.offset < 0 || memory.size < 0 || !end || *end > m_plan.arenaSize)
        report({.kind = ClashKind::BeyondArena, .begin = memory.offset, .end = end.value_or(memory.offset)});
}

/// Cuts the live range at the buffer's gaps.
void Checker::addExtents(BufferId id, const Placement& placement)
{
    const Buffer& buffer = m_problem.buffer(id);
    const Bytes size = m_problem.reserved(id);
    std::vector<BufferGap> gaps = buffer.gaps;
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const BufferGap& a, const BufferGap& b) { return a.steps.begin < b.steps.begin; });
    Step from = buffer.live.begin;
    for (const BufferGap& gap : gaps) {
        const Step begin = std::clamp(gap.steps.begin, from, std::max(from, buffer.live.end));
        const Step end = std::clamp(gap.steps.end, begin, std::max(begin, buffer.live.end));
        addExtent(id, placement, {from, begin}, 0, size);
        addExtent(id, placement, {begin, end}, std::max<Bytes>(gap.low, 0), std::min(gap.high, size));
        from = end;
    }
    addExtent(id, placement, {from, buffer.live.end}, 0, size);
}

void Checker::addExtent(BufferId id, const Placement& placement, LiveRange steps, Bytes low, Bytes high)
{
    if (steps.begin >= steps.end || low >= high)
        return;
    m_extents.resize(std::max(m_extents.size(), placement.region.index() + 1));
    m_extents[placement.region.index()].push_back({id, steps, placement.offset + low, placement.offset + high});
}

void Checker::sweep()
{
    for (const auto& extents : m_extents)
        sweepRegion(extents);
}

/// Walks over births and deaths in time; what is born is compared with what is alive and shares bytes with it. What the model
/// file itself has placed is not compared with each other: nobody checks that on the device, and some tools mean it so.
void Checker::sweepRegion(const std::vector<Extent>& extents)
{
    std::vector<std::pair<Offset, Offset>> ranges;
    std::vector<std::tuple<Step, bool, std::size_t>> changes; // (step, is birth, extent): deaths come first at a step
    for (std::size_t i = 0; i < extents.size(); ++i) {
        ranges.emplace_back(extents[i].begin, extents[i].end);
        changes.emplace_back(extents[i].steps.begin, true, i);
        changes.emplace_back(extents[i].steps.end, false, i);
    }
    std::sort(changes.begin(), changes.end());
    check::ActiveRanges active(ranges);       // all others
    check::ActiveRanges activeOfFile(ranges); // placed by the file
    for (const auto& [step, isBirth, i] : changes) {
        const bool isPlacedByFile = m_isPlacedByFile[extents[i].buffer.index()];
        check::ActiveRanges& own = isPlacedByFile ? activeOfFile : active;
        if (!isBirth) {
            own.erase(i);
            continue;
        }
        for (const check::ActiveRanges* others : {&active, &activeOfFile}) {
            const std::int64_t count = isPlacedByFile && others == &activeOfFile ? 0 : others->countOverlaps(i);
            if (count == 0)
                continue;
            const std::size_t room = m_maxClashes - m_result.clashes.size();
            reportOverlaps(extents, extents[i], others->overlaps(i, room));
            m_result.clashCount += count;
        }
        own.insert(i);
    }
}

/// Buffers that never meet here but may do so in another order of the operators. Gaps are times of this order: they do not
/// count.
void Checker::checkConflicts()
{
    const std::size_t count = std::min(m_problem.buffers.size(), m_plan.placements.size());
    for (std::size_t i = 0; i < count; ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const Placement& mine = m_plan.placements[i];
        const Offset end = checkedAdd(mine.offset, m_problem.reserved(id)).value_or(mine.offset);
        for (const BufferId other : m_problem.conflicts.of(id)) {
            if (other <= id || other.index() >= count)
                continue;
            const Placement& theirs = m_plan.placements[other.index()];
            const Offset theirEnd = checkedAdd(theirs.offset, m_problem.reserved(other)).value_or(theirs.offset);
            const Offset from = std::max(mine.offset, theirs.offset);
            if (mine.region == theirs.region && from < std::min(end, theirEnd))
                report({.kind = ClashKind::Unordered, .first = id, .second = other, .begin = from, .end = std::min(end, theirEnd)});
        }
    }
}

/// Lists overlaps; the caller counts them.
void Checker::reportOverlaps(const std::vector<Extent>& extents, const Extent& born,
                             const std::vector<std::size_t>& others)
{
    for (const std::size_t i : others) {
        const Extent& other = extents[i];
        m_result.clashes.push_back({.kind = ClashKind::Overlap,
                                    .first = std::min(other.buffer, born.buffer),
                                    .second = std::max(other.buffer, born.buffer),
                                    .step = born.steps.begin,
                                    .begin = std::max(other.begin, born.begin),
                                    .end = std::min(other.end, born.end)});
    }
}

} // namespace

Validation validatePlan(const PlacementProblem& problem, const Plan& plan, std::size_t maxClashes)
{
    return Checker(problem, plan, maxClashes).run();
}

} // namespace arenascope
