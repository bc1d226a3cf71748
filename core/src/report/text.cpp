// SPDX-License-Identifier: MIT
#include "core/src/report/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace arenascope::report {

namespace {

/// Code points, which is what a terminal needs to keep columns for most names; `text` is valid UTF-8.
std::size_t width(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

} // namespace

std::string inQuotes(std::string_view name)
{
    return "'" + printable(name) + "'";
}

std::string counted(std::int64_t count, std::string_view noun)
{
    const std::string text = formatExact(count) + " " + std::string(noun);
    if (count == 1)
        return text;
    if (const auto of = noun.find(" of "); of != std::string_view::npos)
        return formatExact(count) + " " + std::string(noun.substr(0, of)) + "s" + std::string(noun.substr(of));
    return noun.ends_with("ch") ? text + "es" : text + "s";
}

std::string bothSizes(Bytes bytes)
{
    if (bytes < 1024)
        return formatBytes(bytes);
    return fmt::format("{} ({} bytes)", formatBytes(bytes), formatExact(bytes));
}

std::string typeText(const Tensor& tensor)
{
    return fmt::format("{} {}", printable(toString(tensor.shape)), elementTypeName(tensor.type));
}

std::string operatorText(const Operator& op)
{
    return fmt::format("{} {}", printable(op.kind), inQuotes(op.name));
}

std::string ioText(const IoPlacement& io)
{
    if (io.inputsInArena && io.outputsInArena)
        return "inputs and outputs in the arena";
    if (io.inputsInArena)
        return "inputs in the arena, outputs outside";
    return io.outputsInArena ? "inputs outside, outputs in the arena" : "inputs and outputs outside the arena";
}

std::string_view ioName(const IoPlacement& io)
{
    if (io.inputsInArena)
        return io.outputsInArena ? "arena" : "outputs-outside";
    return io.outputsInArena ? "inputs-outside" : "outside";
}

std::string completionText(const PlanOutcome& outcome)
{
    switch (provenCompletion(outcome)) {
    case Completion::Optimal:
        if (outcome.study->problem.concurrency == Concurrency::Parallel)
            return "optimal, no smaller arena exists for these options";
        return "optimal, no smaller arena exists for this order and these options";
    case Completion::BestKnown: return "best known, the search ended at its budget";
    case Completion::Interrupted: return "interrupted, the best plan so far";
    case Completion::Heuristic: break;
    }
    if (isBestForSharedObjects(outcome))
        return "best for shared objects; offsets may do with less";
    return "heuristic, a smaller arena may exist";
}

bool isBestForSharedObjects(const PlanOutcome& outcome)
{
    return chosenStrategy(outcome.plan) == "shared-objects"
        && outcome.plan.arenaSize == sharedObjectBound(outcome.study->problem);
}

std::string validityText(const PlanOutcome& outcome)
{
    if (outcome.isValid())
        return "valid by checker and by replay";
    return fmt::format("INVALID: the checker found {}, the replay {}",
                       counted(outcome.placement.clashCount, "clash"), counted(outcome.replay.clashCount, "clash"));
}

std::string elisionTable(const Study& study)
{
    TextTable table({Align::Right, Align::Left, Align::Right, Align::Left, Align::Left});
    for (const Elision& elision : study.problem.elisions) {
        if (table.isEmpty())
            table.row({"bytes", "part", "at", "of", "by"});
        table.row({formatExact(elision.bytes), inQuotes(study.graph->tensor(elision.part).name), formatExact(elision.offset),
                   inQuotes(study.graph->tensor(elision.whole).name), operatorText(study.graph->op(elision.op))});
    }
    return table.isEmpty() ? std::string() : table.text(2);
}

std::string_view chosenStrategy(const Plan& plan)
{
    return plan.chosen.empty() ? plan.strategy : plan.chosen;
}

std::string strategyText(const Plan& plan)
{
    const std::string_view chosen = chosenStrategy(plan);
    return chosen == plan.strategy ? plan.strategy : fmt::format("{}, chosen by {}", chosen, plan.strategy);
}

std::string secondsText(double seconds)
{
    if (seconds < 0.00995)
        return fmt::format("{:.2f} ms", seconds * 1e3);
    return seconds < 0.9995 ? fmt::format("{:.0f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::string TextTable::text(std::size_t indent) const
{
    std::vector<std::size_t> widths(m_columns.size(), 0);
    for (const auto& row : m_rows) {
        for (std::size_t c = 0; c < row.size(); ++c)
            widths[c] = std::max(widths[c], width(row[c]));
    }
    std::string lines;
    for (const auto& row : m_rows) {
        std::string line(indent, ' ');
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string fill(widths[c] - width(row[c]), ' ');
            line += m_columns[c] == Align::Right ? fill + row[c] : row[c] + fill;
            line += "  ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines += line + "\n";
    }
    return lines;
}

} // namespace arenascope::report
