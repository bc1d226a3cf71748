// SPDX-License-Identifier: MIT
#include "core/src/planners/strategy.h"

#include "core/src/planners/capacity.h"
#include "core/src/planners/regions.h"

#include <arenascope/validator.h>

#include <algorithm>
#include <chrono>

namespace arenascope::planning {

namespace {

/// max(offset + reserved size) over buffers and memories; nothing on overflow.
std::optional<Bytes> arenaSizeOf(const PlacementProblem& problem, const Plan& plan)
{
    Bytes size = 0;
    const auto include = [&size](Offset offset, Bytes bytes) {
        const auto end = checkedAdd(offset, bytes);
        if (end)
            size = std::max(size, *end);
        return end.has_value();
    };
    for (std::size_t i = 0; i < plan.placements.size(); ++i) {
        if (!include(plan.placements[i].offset, problem.reserved(BufferId::fromIndex(i))))
            return std::nullopt;
    }
    for (const PlanMemory& memory : plan.memories) {
        if (!include(memory.offset, memory.size))
            return std::nullopt;
    }
    return size;
}

/// Branch memories along a path through a fork, and fixed offsets that nobody has checked, can make an arena smaller than
/// any valid one.
bool isTrusted(const PlacementProblem& problem, const Plan& plan, const PlannerInfo& about)
{
    const auto hasOffset = [](const Buffer& b) { return b.fixedOffset.has_value() || b.fileOffset.has_value(); };
    const bool mayBeInvalid = about.needsBranches || plan.chosen != about.id || std::ranges::any_of(problem.buffers, hasOffset);
    return !mayBeInvalid || validatePlan(problem, plan, 1).isValid();
}

CapacityVerdict verdictOf(const PlacementProblem& problem, const PlannerInfo& about, Bytes capacity, const Plan& plan)
{
    if (plan.provenBound > capacity)
        return CapacityVerdict::CannotFit;
    const bool fits = plan.arenaSize <= capacity && isTrusted(problem, plan, about);
    return fits ? CapacityVerdict::Fits : CapacityVerdict::Unknown;
}

/// What the proven bound says of a plan and of the capacity that was asked for, where the strategy has not said more.
void judge(const PlacementProblem& problem, const PlannerInfo& about, const PlannerOptions& options, Plan& plan)
{
    const auto items = itemsOf(problem);
    if (items)
        plan.provenBound = std::max({plan.provenBound, lowerBound(*items), problem.crowdBytes});
    if (plan.completion == Completion::Heuristic && plan.arenaSize == plan.provenBound && isTrusted(problem, plan, about))
        plan.completion = Completion::Optimal;
    if (!options.capacity)
        return;
    if (plan.verdict == CapacityVerdict::NotAsked)
        plan.verdict = verdictOf(problem, about, *options.capacity, plan);
    if (plan.verdict != CapacityVerdict::CannotFit || !plan.conflict.empty() || !items)
        return;
    if (problem.crowdBytes > *options.capacity) {
        plan.conflict = problem.crowd;
        return;
    }
    Crowd crowd = crowdBeyond(*items, *options.capacity);
    plan.conflict = std::move(crowd.buffers);
    plan.isConflictIrreducible = crowd.isIrreducible;
}

Error located(const PlacementProblem& problem, Error error)
{
    if (error.where.empty())
        error.where = problem.name;
    return error;
}

} // namespace

Plan planOf(std::span<const Offset> offsets)
{
    Plan plan;
    plan.placements.resize(offsets.size());
    for (std::size_t i = 0; i < offsets.size(); ++i)
        plan.placements[i].offset = offsets[i];
    return plan;
}

Error unsupported(std::string_view strategy, std::string_view option, std::string_view buffer, std::string_view remedy)
{
    const std::string what
        = std::string(option) + " (buffer '" + std::string(buffer) + "') with the strategy " + std::string(strategy);
    return {ErrorCode::Unsupported, {}, {what, std::string(remedy)}};
}

Result<Plan> Strategy::plan(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                            const ProgressFn& progress) const
{
    const auto begin = std::chrono::steady_clock::now();
    const PlannerInfo about = info();
    if (about.needsBranches && problem.branches.empty())
        return Error{ErrorCode::StrategyNeedsBranches, problem.name, {std::string(about.id)}};
    if (stop.stop_requested())
        return cancelled();
    if (!keepsApart() && !problem.conflicts.isEmpty())
        return Error{ErrorCode::Unsupported, problem.name,
                     {"Concurrency parallel with the strategy " + std::string(about.id),
                      "Choose auto, hill-climb or one of the greedy strategies, or plan with --concurrency sequential."}};

    if (problem.regions.size() > 1) {
        auto shared = planInRegions(problem, *this, options, stop, progress);
        if (!shared)
            return located(problem, shared.error());
        shared->strategy = about.id;
        shared->planningSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return shared;
    }
    Result<Plan> result = place(problem, options, stop, progress);
    if (!result)
        return located(problem, result.error());
    Plan plan = std::move(result).value();
    plan.strategy = about.id;
    if (plan.chosen.empty())
        plan.chosen = about.id;
    const auto size = arenaSizeOf(problem, plan);
    if (!size)
        return Error{ErrorCode::SizeOverflow, problem.name, {"arena"}};
    plan.arenaSize = std::max(plan.arenaSize, *size);
    judge(problem, about, options, plan);
    plan.planningSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return plan;
}

} // namespace arenascope::planning
