// SPDX-License-Identifier: MIT
// The pipeline in one place: graph -> schedule -> aliases, branches -> problem -> plan -> proof.
// CLI and GUI both go through here, so that they cannot disagree.
#pragma once

#include <arenascope/alias.h>
#include <arenascope/branch.h>
#include <arenascope/cut.h>
#include <arenascope/graph.h>
#include <arenascope/plan.h>
#include <arenascope/planner.h>
#include <arenascope/problem.h>
#include <arenascope/schedule.h>
#include <arenascope/trace.h>
#include <arenascope/validator.h>

#include <algorithm>
#include <memory>

namespace arenascope {

/// Everything that the user can choose between a graph and a plan.
struct StudyOptions {
    ScheduleKind schedule = ScheduleKind::File;
    AliasMode alias = AliasMode::None;
    BranchOptions branches{};
    ProblemOptions problem{};
    friend bool operator==(const StudyOptions&, const StudyOptions&);
};

/// A network that is ready to be planned. Immutable; shared between threads.
struct Study {
    std::shared_ptr<const Graph> graph;
    StudyOptions options;
    Schedule schedule;
    AliasGroups aliases;
    Branches branches;
    CutAnalysis cuts;
    PlacementProblem problem;
    LiveProfile profile;
    Bytes naive = 0;
    std::vector<BufferId> bufferOf; ///< by TensorId; invalid for what takes no arena bytes

    /// No arena is smaller: the live peak, or what may not share bytes in any order of the operators.
    Bytes lowerBound() const { return std::max(profile.peak, problem.crowdBytes); }
};

/// Errors: UnknownShape, SizeOverflow, BadOption (alignment), Cancelled. With AliasMode::InPlace and All the min-peak schedule
/// is the best of several, without proof: min-peak for views and for no aliases, depth-first, and the file's order. Each is
/// judged by its lower bound under the chosen option.
Result<std::shared_ptr<const Study>> makeStudy(std::shared_ptr<const Graph> graph, const StudyOptions& options,
                                               std::stop_token stop = {}, const ProgressFn& progress = {});

/// A plan with its proof.
struct PlanOutcome {
    std::shared_ptr<const Study> study;
    Plan plan;
    Validation placement; ///< validatePlan()
    Validation replay;    ///< replayPlan()
    bool isValid() const { return placement.isValid() && replay.isValid(); }
    /// arena size / lower bound - 1; 0 where the bound is 0.
    double optimalityGap() const;
};

/// Plans and proves. Errors: UnknownName (strategy), and those of Planner::plan().
Result<std::shared_ptr<const PlanOutcome>> planStudy(std::shared_ptr<const Study> study, std::string_view strategy,
                                                     const PlannerOptions& options = {}, std::stop_token stop = {},
                                                     const ProgressFn& progress = {});

/// Arena offset of a tensor in a plan; nothing for what takes no arena bytes.
std::optional<Offset> tensorOffset(const Study& study, const Plan& plan, TensorId tensor);

} // namespace arenascope
