// SPDX-License-Identifier: MIT
#include "core/src/planners/strategy.h"

#include <algorithm>
#include <array>

namespace arenascope {

std::span<const Planner* const> planners()
{
    using namespace planning;
    static const std::array<const Planner*, 15> kPlanners = {
        &naivePlanner(),          &pingPongPlanner(),        &pingPongTightPlanner(),
        &pingPongArenaPlanner(),  &pingPongPooledPlanner(),  &pingPongEscapePlanner(),
        &greedyBySizePlanner(),   &greedyByBreadthPlanner(), &greedyByConflictsPlanner(),
        &bestFitPlanner(),        &tflmPlanner(),            &sharedObjectsPlanner(),
        &hillClimbPlanner(),      &exactPlanner(),           &autoPlanner(),
    };
    return kPlanners;
}

const Planner* findPlanner(std::string_view id)
{
    const auto all = planners();
    const auto found
        = std::find_if(all.begin(), all.end(), [id](const Planner* planner) { return planner->info().id == id; });
    return found == all.end() ? nullptr : *found;
}

std::string_view completionName(Completion completion)
{
    switch (completion) {
    case Completion::Heuristic: return "heuristic";
    case Completion::Optimal: return "optimal";
    case Completion::BestKnown: return "best-known";
    case Completion::Interrupted: return "interrupted";
    }
    return "heuristic";
}

std::string_view verdictName(CapacityVerdict verdict)
{
    switch (verdict) {
    case CapacityVerdict::NotAsked: return "not-asked";
    case CapacityVerdict::Fits: return "fits";
    case CapacityVerdict::CannotFit: return "cannot-fit";
    case CapacityVerdict::Unknown: return "unknown";
    }
    return "not-asked";
}

} // namespace arenascope
