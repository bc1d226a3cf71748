// SPDX-License-Identifier: MIT
// What a run has brought to light, as text and as JSON.
#include "app/cli_run.h"

#include <arenascope/report.h>
#include <arenascope/tensor_file.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace arenascope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRows = 12;
constexpr char kRssHow[] = "most resident memory of this process during each pass, counted anew before each; weights and program are in it";

const Graph& graphOf(const RunAnswer& answer)
{
    return *answer.planned.study->graph;
}

std::string bothSizes(Bytes bytes)
{
    return bytes < 1024 ? formatBytes(bytes) : fmt::format("{} ({} bytes)", formatBytes(bytes), formatExact(bytes));
}

std::string millis(double seconds)
{
    return fmt::format("{:.3f}", seconds * 1e3);
}

std::string row(std::string_view name, const std::string& value)
{
    return fmt::format("  {:<12}{}\n", name, value);
}

std::string identityText(const RunReport& report)
{
    if (!report.violations.empty())
        return "not known: a guard stopped the run";
    if (!report.isCompared)
        return "not compared";
    return report.bitIdentical ? "yes, every tensor bit for bit" : "NO";
}

std::string memoryText(const RunReport& report)
{
    std::string text;
    if (report.peakRssLoaded > 0)
        text = formatBytes(report.peakRssLoaded) + " loaded";
    if (report.peakRssArena > 0)
        text += (text.empty() ? "" : ", ") + formatBytes(report.peakRssArena) + " in the arena";
    if (report.peakRssUnplanned > 0)
        text += (text.empty() ? "" : ", ") + formatBytes(report.peakRssUnplanned) + " unplanned";
    return text.empty() ? "cannot be measured here" : text + " (resident, at most, in this process)";
}

std::string summaryText(const RunAnswer& answer)
{
    const RunReport& report = answer.report;
    const auto operators = static_cast<std::int64_t>(answer.planned.study->schedule.order.size());
    std::string text = printable(graphOf(answer).info().name) + "\n";
    text += row("operators", fmt::format("{} run of {}", formatExact(report.operatorsRun), formatExact(operators)));
    if (report.usedPlan) {
        text += row("arena", fmt::format("{}; {} without a plan", bothSizes(report.arenaBytes), formatBytes(report.unplannedBytes)));
        text += row("strategy", std::string(answer.planned.plan.chosen));
    } else {
        text += row("tensors", bothSizes(report.unplannedBytes));
    }
    if (report.outsideBytes > 0)
        text += row("outside", bothSizes(report.outsideBytes));
    text += row("workspace", bothSizes(report.workspaceBytes));
    text += row("weights", bothSizes(report.weightBytes));
    if (report.usedPlan)
        text += row("identical", identityText(report));
    if (answer.request.run.guard)
        text += row("guard", report.violations.empty() ? "no byte written that was not its own" : "VIOLATED");
    text += row("memory", memoryText(report));
    std::string time = fmt::format("{} ms loading", millis(report.secondsLoading));
    if (report.usedPlan)
        time += fmt::format(", {} ms in the arena", millis(report.secondsArena));
    if (report.secondsUnplanned > 0.0)
        time += fmt::format(", {} ms unplanned", millis(report.secondsUnplanned));
    if (answer.request.run.repeat > 1)
        time += fmt::format(" (median of {})", answer.request.run.repeat);
    return text + row("time", time);
}

double secondsOf(const RunReport& report, const OperatorRun& run)
{
    return report.usedPlan ? run.secondsArena : run.secondsUnplanned;
}

/// All operators in order where they are few or --explain asks for them, else the slowest.
std::string operatorTable(const RunAnswer& answer)
{
    std::vector<const OperatorRun*> rows;
    for (const OperatorRun& run : answer.report.operators)
        rows.push_back(&run);
    const bool isCut = !answer.request.explain && rows.size() > kMostRows;
    if (isCut) {
        std::stable_sort(rows.begin(), rows.end(), [&](const OperatorRun* a, const OperatorRun* b) {
            return secondsOf(answer.report, *a) > secondsOf(answer.report, *b);
        });
        rows.resize(kMostRows);
    }
    std::string text = isCut ? fmt::format("\nSlowest of {} operators (--explain lists all):\n", answer.report.operators.size()) : "\nOperators:\n";
    text += fmt::format("  {:>6}  {:>10}  {:>10}  {:>10}  {:>10}  {}\n", "step", "ms", "read", "written", "workspace", "operator");
    for (const OperatorRun* run : rows) {
        const Operator& op = graphOf(answer).op(run->op);
        text += fmt::format("  {:>6}  {:>10}  {:>10}  {:>10}  {:>10}  {} '{}', {}\n", run->step, millis(secondsOf(answer.report, *run)), formatBytes(run->bytesRead),
                            formatBytes(run->bytesWritten), formatBytes(run->workspace), printable(op.kind), printable(op.name), printable(run->engine));
    }
    return text;
}

std::string outputText(const RunAnswer& answer)
{
    if (answer.report.outputs.empty())
        return {};
    std::string text = "\nOutputs:\n";
    for (const auto& [id, content] : answer.report.outputs) {
        const auto file = answer.files.find(id);
        text += fmt::format("  '{}' {} {}{}\n", printable(graphOf(answer).tensor(id).name), toString(content.shape), elementTypeName(content.type),
                            file == answer.files.end() ? "" : ", written to " + printable(file->second));
        for (const ElementValue& element : largestElements(content, static_cast<std::size_t>(answer.request.run.top)))
            text += fmt::format("    {:>8}  {:.6g}\n", element.index, element.value);
    }
    return text;
}

Json operatorsJson(const RunAnswer& answer)
{
    Json list = Json::array();
    for (const OperatorRun& run : answer.report.operators) {
        const Operator& op = graphOf(answer).op(run.op);
        list.push_back({{"step", run.step},
                        {"operator", op.name},
                        {"kind", op.kind},
                        {"engine", run.engine},
                        {"seconds_arena", run.secondsArena},
                        {"seconds_unplanned", run.secondsUnplanned},
                        {"bytes_read", run.bytesRead},
                        {"bytes_written", run.bytesWritten},
                        {"workspace_bytes", run.workspace}});
    }
    return list;
}

Json outputsJson(const RunAnswer& answer)
{
    Json list = Json::array();
    for (const auto& [id, content] : answer.report.outputs) {
        Json top = Json::array();
        for (const ElementValue& element : largestElements(content, static_cast<std::size_t>(answer.request.run.top)))
            top.push_back({{"index", element.index}, {"value", element.value}});
        const auto file = answer.files.find(id);
        list.push_back({{"name", graphOf(answer).tensor(id).name},
                        {"shape", content.shape.dims},
                        {"type", elementTypeName(content.type)},
                        {"file", file == answer.files.end() ? Json(nullptr) : Json(file->second)},
                        {"top", std::move(top)}});
    }
    return list;
}

Json nameOf(const Graph& graph, TensorId id)
{
    return id.isValid() ? Json(graph.tensor(id).name) : Json(nullptr);
}

Json violationsJson(const RunAnswer& answer)
{
    const Graph& graph = graphOf(answer);
    Json list = Json::array();
    for (const GuardViolation& one : answer.report.violations) {
        list.push_back({{"kind", guardName(one.kind)},
                        {"step", one.step},
                        {"operator", one.op.isValid() ? Json(graph.op(one.op).name) : Json(nullptr)},
                        {"tensor", nameOf(graph, one.tensor)},
                        {"by", nameOf(graph, one.by)},
                        {"begin", one.begin},
                        {"end", one.end},
                        {"message", describe(one, graph)}});
    }
    return list;
}

Json differenceJson(const RunAnswer& answer)
{
    const auto& difference = answer.report.firstDifference;
    if (!difference)
        return nullptr;
    const Graph& graph = graphOf(answer);
    return {{"step", difference->step},
            {"operator", difference->op.isValid() ? Json(graph.op(difference->op).name) : Json(nullptr)},
            {"tensor", nameOf(graph, difference->tensor)}};
}

} // namespace

std::string runText(const RunAnswer& answer)
{
    return summaryText(answer) + operatorTable(answer) + outputText(answer);
}

std::string runJson(const RunAnswer& answer, int indent)
{
    const RunReport& report = answer.report;
    Json json;
    json["model"] = graphOf(answer).info().name;
    json["path"] = graphOf(answer).info().path;
    json["operators"] = answer.planned.study->schedule.order.size();
    json["operators_run"] = report.operatorsRun;
    json["used_plan"] = report.usedPlan;
    json["strategy"] = answer.planned.plan.chosen;
    json["valid"] = answer.planned.isValid();
    json["compared"] = report.isCompared;
    json["bit_identical"] = report.isCompared ? Json(report.bitIdentical) : Json(nullptr);
    json["first_difference"] = differenceJson(answer);
    json["guard"] = answer.request.run.guard;
    json["violations"] = violationsJson(answer);
    json["arena_bytes"] = report.arenaBytes;
    json["unplanned_bytes"] = report.unplannedBytes;
    json["outside_bytes"] = report.outsideBytes;
    json["workspace_bytes"] = report.workspaceBytes;
    json["weight_bytes"] = report.weightBytes;
    json["seconds_loading"] = report.secondsLoading;
    json["seconds_arena"] = report.secondsArena;
    json["seconds_unplanned"] = report.secondsUnplanned;
    json["repeat"] = answer.request.run.repeat;
    json["peak_rss"] = {{"loaded_bytes", report.peakRssLoaded},
                        {"arena_bytes", report.peakRssArena},
                        {"unplanned_bytes", report.peakRssUnplanned},
                        {"how", kRssHow}};
    json["per_operator"] = operatorsJson(answer);
    json["outputs"] = outputsJson(answer);
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace arenascope::cli
