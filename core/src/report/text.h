// SPDX-License-Identifier: MIT
// What the text reports share.
#pragma once

#include <arenascope/report.h>

#include <string>
#include <vector>

namespace arenascope::report {

/// printable() in quotes.
std::string inQuotes(std::string_view name);
/// "1 operator", "2 operators".
std::string counted(std::int64_t count, std::string_view noun);
/// "5.74 MiB (6,021,120 bytes)"; sizes below 1 KiB are said once.
std::string bothSizes(Bytes bytes);
/// "1x3x224x224 float32".
std::string typeText(const Tensor& tensor);
/// "Conv 'name'".
std::string operatorText(const Operator& op);
/// "inputs and outputs in the arena", "inputs outside the arena" ...
std::string ioText(const IoPlacement& io);
/// "all", "inputs-outside" ... as the command line takes it.
std::string_view ioName(const IoPlacement& io);
/// "optimal: the arena meets the lower bound", "heuristic" ...
std::string completionText(const PlanOutcome& outcome);
/// Whether a plan of whole objects takes no more bytes than any other such plan must.
bool isBestForSharedObjects(const PlanOutcome& outcome);
/// "valid: checked and replayed, 0 clashes" or what is wrong.
std::string validityText(const PlanOutcome& outcome);
/// Rows of bytes, part, whole and operator for each copy that is left out; empty where there is none.
std::string elisionTable(const Study& study);
/// Id of the strategy that made the placements.
std::string_view chosenStrategy(const Plan& plan);
/// "greedy-by-size, chosen by auto".
std::string strategyText(const Plan& plan);
/// "0.35 ms", "12 ms", "1.50 s".
std::string secondsText(double seconds);

enum class Align { Left, Right };

/// Columns as wide as their widest cell, two blanks apart; the last column ends where its text ends.
class TextTable {
public:
    explicit TextTable(std::vector<Align> columns) : m_columns(std::move(columns)) {}
    void row(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }
    bool isEmpty() const { return m_rows.empty(); }
    /// Lines with `indent` blanks before each.
    std::string text(std::size_t indent) const;

private:
    std::vector<Align> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

} // namespace arenascope::report
