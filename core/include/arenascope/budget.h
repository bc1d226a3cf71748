// SPDX-License-Identifier: MIT
// What to do about an arena that is larger than the memory there is: every single change, tried and measured.
#pragma once

#include <arenascope/planner.h>
#include <arenascope/study.h>

#include <string>
#include <vector>

namespace arenascope {

/// One change of options, or a few together, with what it brings. All others stay as they are.
struct FitWay {
    std::string options;        ///< as the command line takes them: "--alias inplace --schedule min-peak"
    std::string needs;          ///< what it asks of the runtime or of the board, one clause of English
    unsigned demands = 0;       ///< the same as a set: a way whose demands hold those of another asks for more
    StudyOptions study;         ///< with the change
    std::string strategy;       ///< that made the plan
    Bytes arenaBytes = 0;       ///< in the memory that has the budget; the lower bound where nothing was planned
    Bytes elsewhereBytes = 0;   ///< in another memory
    bool isPlanned = false;     ///< false: its lower bound is over the budget, so that no plan can fit
    bool isProven = false;      ///< no arena is smaller with these options
    bool fits = false;
};

/// Everything that was tried for one plan, the cheapest change first.
struct BudgetReport {
    Bytes budget = 0;
    Bytes arenaBytes = 0; ///< of several memories the first
    std::vector<FitWay> tried;

    bool fits() const { return arenaBytes <= budget; }
    /// The cheapest that fit, at most `most`; without those that ask for more than a cheaper one and bring no more.
    std::vector<const FitWay*> ways(std::size_t most = 3) const;
    /// Of those over the budget that gain something and put no bytes elsewhere, the one that comes closest; null where there is none.
    const FitWay* closest() const;
};

/// Tries, from the cheapest to the dearest: another strategy; views; another order; a smaller alignment; in-place; parts;
/// these together; a second memory for what does not fit; inputs and outputs elsewhere. A change whose lower bound is over the
/// budget is not planned. Empty where the plan fits. Searches get `options` with at most a second each. Stopped: what was
/// tried so far. A change that cannot be planned (regions with `parallel`) is left out.
BudgetReport findWaysToFit(const PlanOutcome& outcome, Bytes budget, const PlannerOptions& options = {},
                           std::stop_token stop = {});

/// Some lines of English: the budget, what is over, the ways to fit.
std::string budgetText(const BudgetReport& report);
/// A workflow command of GitHub Actions: an error over the budget (or for an invalid plan), else a notice, at the model's
/// file. `report` may be null: then there is no budget. One line.
std::string budgetAnnotation(const PlanOutcome& outcome, const BudgetReport* report, std::string_view path);

/// The same for a model that cannot be planned.
std::string errorAnnotation(std::string_view message, std::string_view path);

} // namespace arenascope
