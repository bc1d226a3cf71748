// SPDX-License-Identifier: MIT
// What all strategies share: checks before, arena size, proof and time after. And the list of them.
#pragma once

#include <arenascope/planner.h>

namespace arenascope::planning {

/// Base of the strategies: place() gives placements and memories, plan() does the rest.
class Strategy : public Planner {
public:
    Result<Plan> plan(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                      const ProgressFn& progress) const final;

protected:
    /// Whether place() keeps apart what PlacementProblem::conflicts names; where it does not, such problems are refused.
    virtual bool keepsApart() const { return false; }
    virtual Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                               const ProgressFn& progress) const = 0;
};

/// A plan with these offsets, buffer by buffer.
Plan planOf(std::span<const Offset> offsets);
/// "gaps (buffer 'x') with the strategy tflm is not supported", and what to do about it.
Error unsupported(std::string_view strategy, std::string_view option, std::string_view buffer, std::string_view remedy);

// One a file; the registry lists them.
const Planner& naivePlanner();
const Planner& pingPongPlanner();
const Planner& pingPongTightPlanner();
const Planner& pingPongArenaPlanner();
const Planner& pingPongPooledPlanner();
const Planner& pingPongEscapePlanner();
const Planner& greedyBySizePlanner();
const Planner& greedyByBreadthPlanner();
const Planner& greedyByConflictsPlanner();
const Planner& bestFitPlanner();
const Planner& tflmPlanner();
const Planner& sharedObjectsPlanner();
const Planner& hillClimbPlanner();
const Planner& exactPlanner();
const Planner& autoPlanner();

} // namespace arenascope::planning
