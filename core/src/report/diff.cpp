// SPDX-License-Identifier: MIT
// Two plans side by side, as text and JSON.
#include <arenascope/diff.h>

#include "core/src/report/json.h"
#include "core/src/report/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace arenascope {

namespace {

using namespace report;

constexpr std::size_t kMaxRows = 20;

std::string signedBytes(Bytes bytes)
{
    return (bytes > 0 ? "+" : "") + formatBytes(bytes);
}

std::string growthText(Bytes before, Bytes after)
{
    if (before == after)
        return "same";
    if (before <= 0)
        return signedBytes(after - before);
    const double part = static_cast<double>(after - before) / static_cast<double>(before);
    return fmt::format("{} ({}{})", signedBytes(after - before), part > 0 ? "+" : "-", formatPercent(std::abs(part)));
}

std::string countText(std::size_t before, std::size_t after)
{
    return before == after ? "same" : fmt::format("{:+}", static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before));
}

std::string figures(const PlanDiff& diff)
{
    const Study& a = *diff.before->study;
    const Study& b = *diff.after->study;
    TextTable table({Align::Left, Align::Right, Align::Right, Align::Left});
    const auto bytes = [&table](const char* what, Bytes before, Bytes after) {
        table.row({what, formatBytes(before), formatBytes(after), growthText(before, after)});
    };
    const auto count = [&table](const char* what, std::size_t before, std::size_t after) {
        table.row({what, formatExact(static_cast<std::int64_t>(before)), formatExact(static_cast<std::int64_t>(after)), countText(before, after)});
    };
    table.row({"", "before", "after", ""});
    bytes("arena", diff.before->plan.arenaSize, diff.after->plan.arenaSize);
    bytes("lower bound", a.lowerBound(), b.lowerBound());
    bytes("naive", a.naive, b.naive);
    bytes("weights", a.graph->info().weightBytes, b.graph->info().weightBytes);
    count("operators", a.graph->operators().size(), b.graph->operators().size());
    count("buffers", a.problem.buffers.size(), b.problem.buffers.size());
    return table.text(2);
}

/// Model, strategy and what else the plan was made with.
std::string sideText(const char* side, const PlanOutcome& outcome)
{
    const StudyOptions& options = outcome.study->options;
    return fmt::format("{:<7}{}: {}, order {}, alias {}, alignment {}, {}\n", side, printable(outcome.study->graph->info().name),
                       strategyText(outcome.plan), scheduleName(options.schedule), aliasName(options.alias),
                       options.problem.alignment, ioText(options.problem.io));
}

std::string peakLine(const char* side, const Study& study)
{
    const PeakReport peak = peakReport(study);
    if (!peak.op.isValid())
        return {};
    return fmt::format("  {:<7}{} live at step {} of {}, {}\n", side, formatBytes(peak.liveBytes), peak.step,
                       study.schedule.stepCount(), operatorText(study.graph->op(peak.op)));
}

/// Rows of which only the first are shown.
class Rows {
public:
    Rows(TextTable table, bool isWhole) : m_table(std::move(table)), m_isWhole(isWhole) {}

    void add(std::vector<std::string> cells)
    {
        if (m_isWhole || m_count < kMaxRows)
            m_table.row(std::move(cells));
        ++m_count;
    }
    std::string text() const
    {
        std::string text = m_table.text(2);
        if (!m_isWhole && m_count > kMaxRows)
            text += fmt::format("  and {} more (--explain lists them)\n", formatExact(static_cast<std::int64_t>(m_count - kMaxRows)));
        return text;
    }

private:
    TextTable m_table;
    bool m_isWhole;
    std::size_t m_count = 0;
};

std::string peaksText(const PlanDiff& diff, bool isWhole)
{
    const Graph& a = *diff.before->study->graph;
    const Graph& b = *diff.after->study->graph;
    std::string text = "Peak\n" + peakLine("before", *diff.before->study) + peakLine("after", *diff.after->study);
    Rows rows(TextTable({Align::Left, Align::Right, Align::Left, Align::Left}), isWhole);
    for (const TensorId id : diff.leftPeak)
        rows.add({"-", formatBytes(a.tensor(id).bytes), inQuotes(a.tensor(id).name), "no longer alive there"});
    for (const TensorId id : diff.joinedPeak)
        rows.add({"+", formatBytes(b.tensor(id).bytes), inQuotes(b.tensor(id).name), "alive there now"});
    return text + rows.text();
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : "; ") + printable(part);
    return text;
}

template <class Id>
std::string counts(const std::vector<Difference<Id>>& differences)
{
    std::size_t added = 0;
    std::size_t removed = 0;
    for (const auto& difference : differences) {
        added += difference.before.isValid() ? 0 : 1;
        removed += difference.after.isValid() ? 0 : 1;
    }
    return fmt::format("{} added, {} removed, {} changed", added, removed, differences.size() - added - removed);
}

/// The name on both sides where it differs.
std::string names(const std::string& before, const std::string& after)
{
    return before == after ? inQuotes(before) : inQuotes(before) + " -> " + inQuotes(after);
}

std::string operatorRows(const PlanDiff& diff, bool isWhole)
{
    const Graph& a = *diff.before->study->graph;
    const Graph& b = *diff.after->study->graph;
    Rows rows(TextTable({Align::Left, Align::Left, Align::Left}), isWhole);
    for (const auto& [before, after, what] : diff.operators) {
        if (!after.isValid())
            rows.add({"-", operatorText(a.op(before)), ""});
        else if (!before.isValid())
            rows.add({"+", operatorText(b.op(after)), ""});
        else
            rows.add({"~", printable(b.op(after).kind) + " " + names(a.op(before).name, b.op(after).name), joined(what)});
    }
    return "Operators: " + counts(diff.operators) + "\n" + rows.text();
}

std::string tensorRows(const PlanDiff& diff, bool isWhole)
{
    const Graph& a = *diff.before->study->graph;
    const Graph& b = *diff.after->study->graph;
    Rows rows(TextTable({Align::Left, Align::Right, Align::Left, Align::Left}), isWhole);
    for (const auto& [before, after, what] : diff.tensors) {
        if (!after.isValid())
            rows.add({"-", signedBytes(-std::max<Bytes>(0, a.tensor(before).bytes)), inQuotes(a.tensor(before).name), typeText(a.tensor(before))});
        else if (!before.isValid())
            rows.add({"+", signedBytes(std::max<Bytes>(0, b.tensor(after).bytes)), inQuotes(b.tensor(after).name), typeText(b.tensor(after))});
        else
            rows.add({"~", diff.isSameNetwork ? formatBytes(b.tensor(after).bytes) : signedBytes(b.tensor(after).bytes - a.tensor(before).bytes),
                      names(a.tensor(before).name, b.tensor(after).name), joined(what)});
    }
    return "Tensors: " + counts(diff.tensors) + "\n" + rows.text();
}

Json sideJson(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    return {{"model", study.graph->info().name},
            {"path", study.graph->info().path},
            {"hash", study.graph->info().hash},
            {"options", optionsJson(study.options)},
            {"strategy", chosenStrategy(outcome.plan)},
            {"arena_bytes", outcome.plan.arenaSize},
            {"lower_bound_bytes", study.lowerBound()},
            {"naive_bytes", study.naive},
            {"weight_bytes", study.graph->info().weightBytes},
            {"valid", outcome.isValid()},
            {"operators", study.graph->operators().size()},
            {"buffers", study.problem.buffers.size()},
            {"peak", peakJson(study)}};
}

/// {added, removed, changed} of operators or tensors; `entry` says what one of a graph is.
template <class Id, class Entry>
Json listsJson(const std::vector<Difference<Id>>& differences, const PlanDiff& diff, Entry entry)
{
    Json added = Json::array();
    Json removed = Json::array();
    Json changed = Json::array();
    for (const auto& [before, after, what] : differences) {
        if (!after.isValid())
            removed.push_back(entry(*diff.before->study->graph, before));
        else if (!before.isValid())
            added.push_back(entry(*diff.after->study->graph, after));
        else
            changed.push_back({{"before", entry(*diff.before->study->graph, before)},
                               {"after", entry(*diff.after->study->graph, after)},
                               {"what", what}});
    }
    return {{"added", std::move(added)}, {"removed", std::move(removed)}, {"changed", std::move(changed)}};
}

Json operatorJson(const Graph& graph, OpId id)
{
    return {{"name", graph.op(id).name}, {"kind", graph.op(id).kind}};
}

Json tensorJson(const Graph& graph, TensorId id)
{
    const Tensor& tensor = graph.tensor(id);
    return {{"name", tensor.name},
            {"bytes", tensor.bytes},
            {"shape", toString(tensor.shape)},
            {"type", elementTypeName(tensor.type)},
            {"role", roleName(tensor.role)}};
}

Json tensorList(const Graph& graph, const std::vector<TensorId>& ids)
{
    Json list = Json::array();
    for (const TensorId id : ids)
        list.push_back(tensorJson(graph, id));
    return list;
}

} // namespace

std::string diffText(const PlanDiff& diff, bool isWhole)
{
    std::string text = sideText("before", *diff.before) + sideText("after", *diff.after) + figures(diff);
    if (diff.isEmpty())
        return text + (diff.isSameNetwork ? "No difference: the same network, planned to the same bytes\n" : "No difference\n");
    text += peaksText(diff, isWhole);
    if (diff.isSameNetwork)
        text += "The networks are the same; what the plans decide:\n";
    return text + operatorRows(diff, isWhole) + tensorRows(diff, isWhole);
}

std::string diffJson(const PlanDiff& diff, int indent)
{
    Json json;
    json["before"] = sideJson(*diff.before);
    json["after"] = sideJson(*diff.after);
    json["arena_growth_bytes"] = diff.arenaGrowth();
    json["same_network"] = diff.isSameNetwork;
    json["equal"] = diff.isEmpty();
    json["peak"] = {{"left", tensorList(*diff.before->study->graph, diff.leftPeak)},
                    {"joined", tensorList(*diff.after->study->graph, diff.joinedPeak)}};
    json["operators"] = listsJson(diff.operators, diff, operatorJson);
    json["tensors"] = listsJson(diff.tensors, diff, tensorJson);
    return dump(json, indent);
}

} // namespace arenascope
