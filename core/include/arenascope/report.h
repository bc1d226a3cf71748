// SPDX-License-Identifier: MIT
// Answers as text and JSON for programs without a window.
#pragma once

#include <arenascope/plan_io.h>
#include <arenascope/study.h>

#include <string>

namespace arenascope {

/// "5.74 MiB", "512 B"; binary units, three significant digits.
std::string formatBytes(Bytes bytes);
/// "256K", "1.5M", "8MiB", "1000" -> bytes. K, M, G are binary. Errors: BadOption.
Result<Bytes> parseBytes(std::string_view text);

/// The tensors alive at the peak, with the operator running there.
struct PeakReport {
    Step step = 0;
    OpId op;
    Bytes liveBytes = 0;
    std::vector<BufferId> buffers; ///< largest first
    std::vector<TensorId> tensors; ///< their members that are alive then, in the same order
};
PeakReport peakReport(const Study& study);

/// Object with at least: model, operators, tensors, branches, strategy, arena_bytes, lower_bound_bytes, naive_bytes,
/// optimality_gap, completion, valid, peak {step, operator, live_bytes, tensors}, planning_seconds. No newline at the end.
std::string summaryJson(const PlanOutcome& outcome, std::optional<Bytes> budget = {}, int indent = 2);
/// A screen of English.
std::string summaryText(const PlanOutcome& outcome, std::optional<Bytes> budget = {});
/// One line for tables of several models.
std::string summaryLine(const PlanOutcome& outcome);
/// Every byte accounted for: the formula, each tensor counted, folded away or left out.
std::string explainText(const PlanOutcome& outcome);

/// One rung of the ladder; `outcome` is null where the strategy failed with `error`.
struct LadderRung {
    std::string_view strategy;
    std::shared_ptr<const PlanOutcome> outcome;
    std::optional<Error> error;
};
/// All strategies that are not `auto`, in order. Cancelled: the rungs so far.
std::vector<LadderRung> climbLadder(std::shared_ptr<const Study> study, const PlannerOptions& options = {},
                                    std::stop_token stop = {},
                                    const std::function<void(const LadderRung&)>& rungDone = {});
std::string ladderText(const Study& study, std::span<const LadderRung> rungs);
std::string ladderJson(const Study& study, std::span<const LadderRung> rungs, int indent = 2);
std::string inspectText(const PlanOutcome& outcome);
std::string inspectJson(const PlanOutcome& outcome, int indent = 2);

} // namespace arenascope
