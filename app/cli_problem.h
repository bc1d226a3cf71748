// SPDX-License-Identifier: MIT
// Bare placement problems on the command line: what `solve` and `compare` share.
#pragma once

#include "app/cli_request.h"

#include <arenascope/problem.h>
#include <arenascope/validator.h>

#include <vector>

namespace arenascope::cli {

/// Whether a file holds a placement problem and no model: by its suffix .csv, or by its first line.
bool looksLikeProblem(const std::string& path);

/// Reads a problem and gives it the alignment that was asked for (1 where none was).
Result<PlacementProblem> loadProblem(const std::string& path, const Request& request);

/// A plan of a problem, checked.
struct Solved {
    Plan plan;
    Validation found;

    /// arena / proven bound - 1; 0 where the bound is 0.
    double gap() const;
};

/// Errors: those of Planner::plan().
Result<Solved> solveProblem(const PlacementProblem& problem, std::string_view strategy, const PlannerOptions& options);

/// "optimal", "heuristic", "best known" ...; "best for shared objects" where these cannot do with less.
std::string completionText(const PlacementProblem& problem, const Plan& plan);

/// All strategies that need no branches, but not `auto`.
struct ProblemRung {
    std::string_view strategy;
    Result<Solved> solved;
};
std::vector<ProblemRung> climbProblemLadder(const PlacementProblem& problem, const PlannerOptions& options);
std::string problemLadderText(const PlacementProblem& problem, const std::vector<ProblemRung>& rungs);
std::string problemLadderJson(const PlacementProblem& problem, const std::vector<ProblemRung>& rungs);
/// The columns of ladderCsv().
std::string problemLadderCsv(const PlacementProblem& problem, const std::vector<ProblemRung>& rungs, bool header);

} // namespace arenascope::cli
