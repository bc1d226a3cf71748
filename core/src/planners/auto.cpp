// SPDX-License-Identifier: MIT
// The smallest valid plan of the strategies that take no time worth speaking of.
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
        return {kDefaultStrategy, "Automatic", "Tries the quick strategies and keeps the smallest valid plan."};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                       const ProgressFn& progress) const override;
};

/// Climbs the ladder. Of equal arenas the plan of the lowest rung wins, and a proven optimum ends the climb: what is
/// simple is preferred where nothing can be gained. An invalid plan (memories along a path, an arena above the
/// capacity) wins only where there is no valid one, so that the checker can say what is wrong with it.
Result<Plan> Auto::place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                         const ProgressFn& progress) const
{
    std::optional<Plan> best;
    bool bestIsValid = false;
    std::optional<Error> firstError;
    double rung = 0.0;
    for (const Planner* planner : planners()) {
        const PlannerInfo about = planner->info();
        if (planner == this || about.isSearch || (about.needsBranches && problem.branches.empty()))
            continue;
        if (progress)
            progress(rung++ / static_cast<double>(planners().size()), about.title);
        auto plan = planner->plan(problem, options, stop, {});
        if (!plan) {
            if (plan.error().code == ErrorCode::Cancelled)
                return plan;
            if (!firstError)
                firstError = plan.error();
            continue;
        }
        const bool isValid = validatePlan(problem, *plan, 1).isValid();
        if (best && ((bestIsValid && !isValid) || (bestIsValid == isValid && best->arenaSize <= plan->arenaSize)))
            continue;
        best = std::move(plan).value();
        bestIsValid = isValid;
        if (best->completion == Completion::Optimal && isValid)
            break;
    }
    if (!best)
        return firstError.value_or(Error{ErrorCode::Internal, {}, {"no strategy could be tried"}});
    return std::move(*best);
}

} // namespace

const Planner& autoPlanner()
{
    static const Auto kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
