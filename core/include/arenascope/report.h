// SPDX-License-Identifier: MIT
// Answers as text and JSON, for programs without a window and for everything a window says in the same words.
#pragma once

#include <arenascope/plan_io.h>
#include <arenascope/study.h>

#include <string>

namespace arenascope {

/// "5.74 MiB", "512 B", "-1.50 KiB"; binary units, three significant digits (four between 1000 and 1023), rounded half up.
/// "unknown" for kUnknownBytes.
std::string formatBytes(Bytes bytes);
/// "6,021,120": every byte, in groups of three.
std::string formatExact(Bytes bytes);
/// "0 %", "12.3 %"; "<0.1 %" for what is not 0 but would round to it.
std::string formatPercent(double fraction);
/// "256K", "1.5M", "8MiB", "2 GB", "1000" -> bytes. K, M, G and T (alone, with B or with iB, in either case) are binary;
/// a fraction of a byte is dropped. Errors: BadOption (`where` empty, args {"size", text, accepted forms}).
Result<Bytes> parseBytes(std::string_view text);

/// `text` safe for a terminal and for one line of text: control characters, direction overrides, line separators and bytes
/// that are no UTF-8 become escapes such as \x1b, \n or \u202e. Names come from files, and files may be hostile.
std::string printable(std::string_view text);

/// The tensors alive at the peak, with the operator running there.
struct PeakReport {
    Step step = 0;
    OpId op;                       ///< invalid only for a network without operators
    Bytes liveBytes = 0;           ///< sizes rounded up to the alignment
    std::vector<BufferId> buffers; ///< largest first
    std::vector<TensorId> tensors; ///< their members that are alive then, in the same order
};
PeakReport peakReport(const Study& study);

/// Where every byte of `naive` comes from:
///     naive = tensorBytes - sharedBytes + workspaceBytes + paddingBytes, exactly.
struct ByteAccount {
    struct Entry {
        TensorId tensor;
        BufferId buffer;                         ///< invalid where it takes no arena bytes
        AliasReason reason = AliasReason::Alone; ///< why it shares the bytes of another
        TensorId sharesWith;                     ///< whose bytes it shares; invalid for those with bytes of their own
    };
    std::vector<Entry> counted; ///< in the order of first write, then by buffer and tensor
    std::vector<Entry> leftOut; ///< by TensorId: weights, constants, variables, inputs and outputs kept outside
    Bytes tensorBytes = 0;      ///< raw sizes of the counted tensors
    Bytes sharedBytes = 0;      ///< what members of alias groups save: sum of their sizes - size of the group
    Bytes workspaceBytes = 0;   ///< raw sizes of workspace buffers (only where the options count them)
    Bytes paddingBytes = 0;     ///< what rounding up to the alignment adds
    Bytes naive = 0;            ///< what the strategy `naive` needs
    Bytes workspaceApart = 0;   ///< largest workspace of one operator where the options do not count it
    OpId workspaceOp;           ///< whose that is; invalid for none
    std::int64_t elidedParts = 0; ///< operands and outputs that are not copied (PlacementProblem::elisions)
    Bytes elidedBytes = 0;        ///< their sizes
};
ByteAccount accountBytes(const Study& study);

/// How a plan ended, with what the bound proves: a plan that meets the lower bound is optimal whatever made it.
Completion provenCompletion(const PlanOutcome& outcome);

struct BudgetReport;

/// What a report takes besides the outcome.
struct ReportContext {
    std::optional<Bytes> budget;             ///< the arena should not be larger
    const BudgetReport* ways = nullptr;      ///< what to do about the budget (budget.h); null: only whether it fits
    std::span<const Diagnostic> diagnostics; ///< of the import
    double seconds = -1.0;                   ///< wall time of everything, import to proof; negative: not reported
    int indent = 2;                          ///< of JSON; negative: one line
};

/// Object with at least: model, operators, tensors, branches, strategy, arena_bytes, lower_bound_bytes, naive_bytes,
/// optimality_gap, completion, valid, peak {step, operator, live_bytes, tensors}, planning_seconds. No newline at the end.
/// Always valid UTF-8, whatever the names are.
std::string summaryJson(const PlanOutcome& outcome, const ReportContext& context = {});
/// A screen of English.
std::string summaryText(const PlanOutcome& outcome, const ReportContext& context = {});
/// Titles of the columns of summaryLine().
std::string summaryHeader();
/// One line for tables of several models.
std::string summaryLine(const PlanOutcome& outcome, const ReportContext& context = {});
/// One line that says by how many bytes an arena is over the budget and where the peak is; empty where it fits.
std::string budgetText(const PlanOutcome& outcome, Bytes budget);
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
/// One row a rung, with a header: model,strategy,arena_bytes,lower_bound_bytes,optimality_gap,naive_bytes,of_naive,
/// completion,valid,planning_seconds,error.
std::string ladderCsv(const Study& study, std::span<const LadderRung> rungs, bool header = true);

std::string inspectText(const PlanOutcome& outcome);
std::string inspectJson(const PlanOutcome& outcome, const ReportContext& context = {});

} // namespace arenascope
