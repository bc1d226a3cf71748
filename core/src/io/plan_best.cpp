// SPDX-License-Identifier: MIT
#include <arenascope/plan_import.h>

#include <algorithm>

namespace arenascope {

namespace {

/// The buffers of one memory, which `ids` numbers as they were.
PlacementProblem withinRegion(const PlacementProblem& problem, const std::vector<BufferId>& ids, RegionId region)
{
    PlacementProblem part;
    part.name = problem.name;
    part.stepCount = problem.stepCount;
    part.alignment = problem.alignment;
    part.concurrency = problem.concurrency;
    part.conflicts = problem.conflicts.among(ids);
    part.regions = {problem.regions[region.index()]};
    for (const BufferId id : ids)
        part.buffers.push_back(problem.buffer(id));
    return part;
}

} // namespace

Result<Plan> bestPlanFor(const PlanOutcome& outcome, const PlannerOptions& options, std::stop_token stop, const ProgressFn& progress)
{
    const PlacementProblem& problem = outcome.study->problem;
    const Planner& planner = *findPlanner(kDefaultStrategy);
    if (problem.regions.size() < 2)
        return planner.plan(problem, options, stop, progress);
    Plan best;
    best.strategy = best.chosen = kDefaultStrategy;
    best.completion = Completion::Optimal;
    best.placements.resize(problem.buffers.size());
    for (std::size_t r = 0; r < problem.regions.size(); ++r) {
        const RegionId region = RegionId::fromIndex(r);
        std::vector<BufferId> ids;
        for (std::size_t i = 0; i < problem.buffers.size() && i < outcome.plan.placements.size(); ++i) {
            if (outcome.plan.placements[i].region == region)
                ids.push_back(BufferId::fromIndex(i));
        }
        const auto plan = planner.plan(withinRegion(problem, ids, region), options, stop, progress);
        if (!plan)
            return plan.error();
        for (std::size_t i = 0; i < ids.size(); ++i)
            best.placements[ids[i].index()] = {plan->placements[i].offset, region, MemoryId(), PingPongSide::None};
        best.regionSizes.push_back(plan->arenaSize);
        best.arenaSize += plan->arenaSize;
        best.provenBound += plan->provenBound;
        best.completion = plan->completion == Completion::Optimal ? best.completion : plan->completion;
    }
    return best;
}

} // namespace arenascope
