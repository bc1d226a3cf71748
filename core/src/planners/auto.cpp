// SPDX-License-Identifier: MIT
// The smallest valid plan: the quick strategies at once, then the exact search for as long as is given; hill climbing where
// operators may run in parallel.
#include "core/src/planners/items.h"
#include "core/src/planners/strategy.h"

#include <arenascope/validator.h>

#include <optional>

namespace arenascope::planning {

namespace {

class Auto final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {kDefaultStrategy, "Automatic",
                "Tries the quick strategies, then searches for the smallest arena there is; keeps the smallest valid plan.", false, true};
    }

protected:
    bool keepsApart() const override { return true; }
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                       const ProgressFn& progress) const override;
};

constexpr double kDefaultSearchSeconds = 2.0;

/// The best plan so far, and whether the checker accepts it.
struct Best {
    std::optional<Plan> plan;
    bool isValid = false;
    std::optional<Error> firstError;

    /// Of equal arenas the one that came first stays. An invalid plan (memories along a path, an arena above the capacity)
    /// stays only until there is a valid one, so that the checker can say what is wrong with it.
    bool offer(const PlacementProblem& problem, Plan fresh)
    {
        const bool isFreshValid = validatePlan(problem, fresh, 1).isValid();
        if (plan && ((isValid && !isFreshValid) || (isValid == isFreshValid && plan->arenaSize <= fresh.arenaSize)))
            return false;
        plan = std::move(fresh);
        isValid = isFreshValid;
        return true;
    }

    bool isEnough(const PlannerOptions& options) const
    {
        return plan && isValid
            && (plan->completion == Completion::Optimal || (options.capacity && plan->arenaSize <= *options.capacity));
    }
};

/// Strategies that answer another question than "how small can the arena be": their plans are valid, but never smaller.
bool answersOtherwise(std::string_view id)
{
    return id == "shared-objects" || id == "tflm";
}

/// Climbs the ladder: what is simple is preferred where nothing can be gained. A plan that is proven ends the climb.
std::optional<Error> climb(const PlacementProblem& problem, const PlannerOptions& options, const std::stop_token& stop,
                           Best& best)
{
    for (const Planner* planner : planners()) {
        const PlannerInfo about = planner->info();
        if (about.isSearch || answersOtherwise(about.id) || (about.needsBranches && problem.branches.empty()))
            continue;
        auto plan = planner->plan(problem, options, stop, {});
        if (!plan) {
            if (plan.error().code == ErrorCode::Cancelled)
                return best.plan ? std::nullopt : std::optional(plan.error());
            if (!best.firstError)
                best.firstError = plan.error();
            continue;
        }
        if (best.offer(problem, std::move(plan).value()) && options.onIncumbent && best.isValid)
            options.onIncumbent(*best.plan);
        if (best.isEnough(options))
            break;
    }
    return std::nullopt;
}

/// The exact search, where it can be used.
const Planner& searcherFor(const PlacementProblem& problem)
{
    return problem.conflicts.isEmpty() ? exactPlanner() : hillClimbPlanner();
}

/// Goes on where the climb ended. Also where its plan stays the best, what the search has proven is kept.
void search(const PlacementProblem& problem, const PlannerOptions& options, const std::stop_token& stop,
            const ProgressFn& progress, Best& best)
{
    PlannerOptions own = options;
    if (!own.timeBudgetSeconds && !own.nodeBudget)
        own.timeBudgetSeconds = kDefaultSearchSeconds;
    if (options.onIncumbent) {
        own.onIncumbent = [&](const Plan& plan) {
            if (!best.isValid || plan.arenaSize < best.plan->arenaSize)
                options.onIncumbent(plan);
        };
    }
    auto found = searcherFor(problem).plan(problem, own, stop, progress);
    if (!found)
        return;
    const Plan answer = *found;
    best.offer(problem, std::move(found).value());
    if (!best.isValid)
        return;
    best.plan->provenBound = answer.provenBound;
    best.plan->verdict = options.capacity && best.plan->arenaSize <= *options.capacity ? CapacityVerdict::Fits : answer.verdict;
    best.plan->conflict = answer.conflict;
    best.plan->isConflictIrreducible = answer.isConflictIrreducible;
    best.plan->nodes = answer.nodes;
    best.plan->completion = best.plan->arenaSize == answer.provenBound ? Completion::Optimal : answer.completion;
}

Result<Plan> Auto::place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                         const ProgressFn& progress) const
{
    Best best;
    if (auto cancelledError = climb(problem, options, stop, best))
        return *cancelledError;
    if (!best.isEnough(options) && !stop.stop_requested())
        search(problem, options, stop, progress, best);
    if (!best.plan)
        return best.firstError.value_or(Error{ErrorCode::Internal, {}, {"no strategy could be tried"}});
    if (stop.stop_requested() && best.plan->completion != Completion::Optimal)
        best.plan->completion = Completion::Interrupted;
    return std::move(*best.plan);
}

} // namespace

const Planner& autoPlanner()
{
    static const Auto kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
