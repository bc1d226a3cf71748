// SPDX-License-Identifier: MIT
#include "core/src/planners/strategy.h"

#include "core/src/planners/items.h"

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

/// An arena as small as the proven bound is optimal, if the plan is valid at all: branch memories along a path through a
/// fork can be smaller than the bound, or by chance as large.
bool isProven(const PlacementProblem& problem, const Plan& plan, bool mayBeInvalid)
{
    return plan.arenaSize == plan.provenBound && (!mayBeInvalid || validatePlan(problem, plan, 1).isValid());
}

} // namespace

Result<Plan> Strategy::plan(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                            const ProgressFn& progress) const
{
    const auto begin = std::chrono::steady_clock::now();
    const PlannerInfo about = info();
    if (about.needsBranches && problem.branches.empty())
        return Error{ErrorCode::StrategyNeedsBranches, problem.name, {std::string(about.id)}};
    if (stop.stop_requested())
        return cancelled();

    Result<Plan> result = place(problem, options, stop, progress);
    if (!result) {
        Error error = result.error();
        if (error.where.empty())
            error.where = problem.name;
        return error;
    }
    Plan plan = std::move(result).value();
    plan.strategy = about.id;
    if (plan.chosen.empty())
        plan.chosen = about.id;
    const auto size = arenaSizeOf(problem, plan);
    if (!size)
        return Error{ErrorCode::SizeOverflow, problem.name, {"arena"}};
    plan.arenaSize = *size;
    if (const auto items = itemsOf(problem))
        plan.provenBound = std::max(plan.provenBound, lowerBound(*items));
    if (plan.completion == Completion::Heuristic
        && isProven(problem, plan, about.needsBranches || plan.chosen != about.id))
        plan.completion = Completion::Optimal;
    plan.planningSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return plan;
}

} // namespace arenascope::planning
