// SPDX-License-Identifier: MIT
// Strategies: each turns a PlacementProblem into a Plan.
#pragma once

#include <arenascope/plan.h>
#include <arenascope/progress.h>
#include <arenascope/result.h>

#include <functional>
#include <optional>
#include <span>
#include <stop_token>

namespace arenascope {

struct PlannerInfo {
    std::string_view id;      ///< as users type it: "greedy-by-size"
    std::string_view title;   ///< "Greedy by size"
    std::string_view summary; ///< one sentence
    bool needsBranches = false;
    bool isSearch = false;    ///< may take long; looks at budget and stop token
};

/// Called with every plan that a search finds better than all before it; from a thread of the search, one call at a time.
using IncumbentFn = std::function<void(const Plan& best)>;

/// Only searches look at these.
struct PlannerOptions {
    std::optional<double> timeBudgetSeconds; ///< wall time; without one the planner's own default
    std::optional<std::int64_t> nodeBudget;  ///< positions looked at; the same budget gives the same plan on any machine
    std::optional<Bytes> capacity;           ///< the question is only whether it fits: Plan::verdict answers
    int threads = 0;                         ///< 0: as many as the machine has cores
    IncumbentFn onIncumbent;                 ///< may be empty
};

class Planner {
public:
    virtual ~Planner() = default;
    virtual PlannerInfo info() const = 0;
    /// Same problem, same plan. Errors: StrategyNeedsBranches, Unsupported (fixed offsets, gaps), SizeOverflow, Cancelled
    /// (strategies that are no search; a cancelled search returns its best plan, marked Interrupted).
    virtual Result<Plan> plan(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                              const ProgressFn& progress) const = 0;
};

/// All strategies in the order of the ladder.
std::span<const Planner* const> planners();
/// The strategy of that id, or null.
const Planner* findPlanner(std::string_view id);
/// The strategy used when the user names none.
inline constexpr std::string_view kDefaultStrategy = "auto";

} // namespace arenascope
