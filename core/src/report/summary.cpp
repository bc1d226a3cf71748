// SPDX-License-Identifier: MIT
// The screen of text that `plan` prints.
#include "core/src/report/text.h"

#include <arenascope/budget.h>
#include <arenascope/regions.h>
#include <arenascope/runtime.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace arenascope {

namespace {

using namespace report;

constexpr std::size_t kMaxPeakTensors = 12;

std::string modelTitle(const ModelInfo& info)
{
    std::string title = printable(info.name.empty() ? "(unnamed model)" : info.name);
    if (!info.format.empty())
        title += ", " + printable(info.format);
    const auto opset = info.opsets.find("");
    if (opset != info.opsets.end())
        title += fmt::format(" opset {}", opset->second);
    if (!info.producer.empty())
        title += ", by " + printable(info.producer);
    return title;
}

std::string operatorCounts(const Graph& graph)
{
    const auto count = static_cast<std::int64_t>(graph.operators().size());
    std::string text = formatExact(count);
    std::int64_t folded = 0;
    for (const Omission& omission : graph.omissions())
        folded += omission.what == Omission::What::Operator ? 1 : 0;
    if (folded > 0) // only where sub-graphs are listed apart, operators may be left out for another reason
        text += fmt::format("  ({} more {})", formatExact(folded), graph.info().subgraphs > 1 ? "in sub-graphs that are not called" : "folded away");
    const auto dead = std::count_if(graph.operators().begin(), graph.operators().end(),
                                    [](const Operator& op) { return op.isDead; });
    if (dead > 0)
        text += fmt::format("  ({} dead: nothing they make is used)", formatExact(dead));
    return text;
}

std::string tensorCounts(const Study& study, const ByteAccount& account)
{
    const auto inArena = static_cast<std::int64_t>(account.counted.size());
    const auto buffers = static_cast<std::int64_t>(study.problem.buffers.size());
    std::string text = fmt::format("{} in the arena", formatExact(inArena));
    if (buffers != inArena)
        text += fmt::format(" in {}", counted(buffers, "buffer"));
    if (study.graph->info().weightBytes > 0)
        text += fmt::format("; weights of {} outside", formatBytes(study.graph->info().weightBytes));
    return text;
}

std::string branchCounts(const Study& study)
{
    std::size_t longest = 0;
    for (const Branch& branch : study.branches.branches)
        longest = std::max(longest, branch.units.size());
    return fmt::format("{}  (the longest has {})", formatExact(static_cast<std::int64_t>(study.branches.branches.size())),
                       counted(static_cast<std::int64_t>(longest), "unit"));
}

std::string optionsText(const StudyOptions& options)
{
    return fmt::format("order {}, alias {}, alignment {}, {}", scheduleName(options.schedule), aliasName(options.alias),
                       options.problem.alignment, ioText(options.problem.io));
}

/// Parallel: what the arena is safe for, and what that keeps apart.
std::string concurrencyText(const Study& study)
{
    return fmt::format("parallel: safe in every order, also at the same time; {} kept apart beyond this order",
                       counted(static_cast<std::int64_t>(study.problem.conflicts.pairCount()), "pair of buffers"));
}

std::string workspaceText(const Study& study, const ByteAccount& account)
{
    if (study.options.problem.countWorkspace)
        return fmt::format("{} in the arena", formatBytes(account.workspaceBytes));
    if (!account.workspaceOp.isValid())
        return {};
    return fmt::format("{} beside the arena, for {}", bothSizes(account.workspaceApart),
                       operatorText(study.graph->op(account.workspaceOp)));
}

/// What a tensor does at the peak: read or written by the operator there, or kept for a later one.
std::string useAt(const Study& study, TensorId id, const PeakReport& peak)
{
    const Tensor& tensor = study.graph->tensor(id);
    if (tensor.producer == peak.op)
        return "written here";
    if (std::binary_search(tensor.consumers.begin(), tensor.consumers.end(), peak.op))
        return "read here";
    OpId next;
    Step nextStep = study.schedule.stepCount();
    for (const OpId reader : tensor.consumers) {
        const Step step = study.schedule.stepOf[reader.index()];
        if (step <= peak.step || step >= nextStep)
            continue;
        next = reader;
        nextStep = step;
    }
    if (next.isValid())
        return fmt::format("kept for step {}, {}", nextStep, operatorText(study.graph->op(next)));
    return tensor.isOutput ? "kept as network output" : "kept";
}

/// Rows of the peak: tensors, and buffers without any (workspace).
std::string peakTable(const Study& study, const PeakReport& peak)
{
    TextTable table({Align::Right, Align::Left, Align::Left, Align::Left});
    std::size_t rows = 0;
    for (const TensorId id : peak.tensors) {
        if (++rows > kMaxPeakTensors)
            continue;
        const Tensor& tensor = study.graph->tensor(id);
        table.row({formatBytes(tensor.bytes), typeText(tensor), inQuotes(tensor.name), useAt(study, id, peak)});
    }
    for (const BufferId id : peak.buffers) {
        const Buffer& buffer = study.problem.buffer(id);
        if (!buffer.tensors.empty() || ++rows > kMaxPeakTensors)
            continue;
        table.row({formatBytes(buffer.size), "", inQuotes(buffer.name), "workspace"});
    }
    std::string text = table.text(4);
    if (rows > kMaxPeakTensors)
        text += fmt::format("    and {} smaller\n", formatExact(static_cast<std::int64_t>(rows - kMaxPeakTensors)));
    return text;
}

std::string peakText(const Study& study)
{
    const PeakReport peak = peakReport(study);
    if (!peak.op.isValid())
        return {};
    return fmt::format("Peak: {} live at step {} of {}, {}\n{}", formatBytes(peak.liveBytes), peak.step,
                       study.schedule.stepCount(), operatorText(study.graph->op(peak.op)), peakTable(study, peak));
}

std::string spillReason(const PlanOutcome& outcome, const Spill& spill)
{
    const Study& study = *outcome.study;
    const std::string name = printable(study.problem.regions[spill.from.index()].name);
    if (spill.step < 0)
        return fmt::format("no placement in {} was found, {} too high", name, formatBytes(spill.excess));
    const OpId op = study.schedule.order[static_cast<std::size_t>(spill.step)];
    return fmt::format("{} is {} short at step {}, {}", name, formatBytes(spill.excess), spill.step,
                       operatorText(study.graph->op(op)));
}

std::string spillText(const PlanOutcome& outcome)
{
    if (outcome.plan.spills.empty())
        return {};
    TextTable table({Align::Right, Align::Left, Align::Left, Align::Left});
    const std::size_t shown = std::min(outcome.plan.spills.size(), kMaxPeakTensors);
    for (std::size_t i = 0; i < shown; ++i) {
        const Spill& spill = outcome.plan.spills[i];
        const Buffer& buffer = outcome.study->problem.buffer(spill.buffer);
        table.row({formatBytes(buffer.size), inQuotes(buffer.name), fmt::format("{} in {}", counted(buffer.uses, "use"),
                   counted(buffer.live.length(), "step")), spillReason(outcome, spill)});
    }
    std::string text = fmt::format("Spilled: {}\n{}", counted(static_cast<std::int64_t>(outcome.plan.spills.size()), "buffer"),
                                   table.text(4));
    if (shown < outcome.plan.spills.size())
        text += fmt::format("    and {} more\n", outcome.plan.spills.size() - shown);
    return text + "\n";
}

std::string elisionText(const ByteAccount& account)
{
    return fmt::format("{} in place, {} not copied", counted(account.elidedParts, "part"), bothSizes(account.elidedBytes));
}

std::string arenaTable(const PlanOutcome& outcome, const ByteAccount& account)
{
    const Study& study = *outcome.study;
    const double ofNaive = study.naive > 0 ? static_cast<double>(outcome.plan.arenaSize) / static_cast<double>(study.naive)
                                           : 0.0;
    TextTable table({Align::Left, Align::Left});
    table.row({"arena", bothSizes(outcome.plan.arenaSize)});
    table.row({"lower bound", bothSizes(study.lowerBound())});
    table.row({"gap", formatPercent(outcome.optimalityGap())});
    table.row({"naive", fmt::format("{}; the arena is {} of it", bothSizes(study.naive), formatPercent(ofNaive))});
    if (const std::string workspace = workspaceText(study, account); !workspace.empty())
        table.row({"workspace", workspace});
    if (study.options.alias == AliasMode::All)
        table.row({"parts", elisionText(account)});
    table.row({"strategy", strategyText(outcome.plan)});
    table.row({"completion", completionText(outcome)});
    table.row({"proof", validityText(outcome)});
    return table.text(2);
}

/// Several regions: what each holds of its capacity, and what the cheaper ones had no room for.
std::string regionText(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    const Plan& plan = outcome.plan;
    if (plan.regionSizes.empty())
        return {};
    TextTable table({Align::Left, Align::Right, Align::Left});
    for (std::size_t i = 0; i < plan.regionSizes.size(); ++i) {
        const MemoryRegion& region = study.problem.regions[i];
        const auto buffers = std::count_if(plan.placements.begin(), plan.placements.end(), [i](const Placement& placement) {
            return placement.region == RegionId::fromIndex(i);
        });
        std::string room = counted(buffers, "buffer");
        if (region.capacity && plan.regionSizes[i] > *region.capacity)
            room += fmt::format("; {} above its capacity of {}", counted(plan.regionSizes[i] - *region.capacity, "byte"),
                                formatBytes(*region.capacity));
        else if (region.capacity)
            room += fmt::format(" of {}", formatBytes(*region.capacity));
        table.row({printable(region.name), formatBytes(plan.regionSizes[i]), room});
    }
    return "Regions\n" + table.text(4) + "\n" + spillText(outcome);
}

std::string networkTable(const Study& study, const ByteAccount& account)
{
    TextTable table({Align::Left, Align::Left});
    table.row({"operators", operatorCounts(*study.graph)});
    table.row({"tensors", tensorCounts(study, account)});
    table.row({"branches", branchCounts(study)});
    table.row({"options", optionsText(study.options)});
    if (study.problem.concurrency == Concurrency::Parallel)
        table.row({"concurrency", concurrencyText(study)});
    return table.text(2);
}

/// What the network's own runtime makes of it, and what the model file itself has placed over each other.
std::string runtimeText(const PlanOutcome& outcome)
{
    std::string text;
    const auto overlaps = static_cast<std::int64_t>(fileOverlaps(outcome.study->problem, outcome.plan).size());
    if (overlaps > 0)
        text += fmt::format("{} share bytes because the file has placed them so; this is its own plan, and not checked.\n",
                            counted(overlaps, "pair of buffers"));
    const auto report = tflmReport(outcome.study->graph);
    if (report && *report)
        text += tflmText(**report);
    return text;
}

std::string timeText(const PlanOutcome& outcome, const ReportContext& context)
{
    const std::string planning = "Planned in " + secondsText(outcome.plan.planningSeconds);
    return context.seconds < 0.0 ? planning + "\n" : planning + ", " + secondsText(context.seconds) + " in all\n";
}

} // namespace

std::string budgetText(const PlanOutcome& outcome, Bytes budget)
{
    const Bytes over = firstMemoryBytes(outcome.plan) - budget;
    if (over <= 0)
        return {};
    const Study& study = *outcome.study;
    const PeakReport peak = peakReport(study);
    std::string text = fmt::format("over the budget of {} by {}: the arena needs {}", formatBytes(budget),
                                   counted(over, "byte"), formatExact(firstMemoryBytes(outcome.plan)));
    if (!peak.op.isValid())
        return text;
    text += fmt::format("; peak at step {}, {}, with {} live:", peak.step, operatorText(study.graph->op(peak.op)),
                        formatBytes(peak.liveBytes));
    std::string_view separator = " ";
    for (std::size_t i = 0; i < std::min<std::size_t>(peak.tensors.size(), 3); ++i) {
        const Tensor& tensor = study.graph->tensor(peak.tensors[i]);
        text += fmt::format("{}{} {}", separator, inQuotes(tensor.name), formatBytes(tensor.bytes));
        separator = ", ";
    }
    if (peak.tensors.size() > 3)
        text += fmt::format(" and {} more", peak.tensors.size() - 3);
    return text;
}

std::string summaryText(const PlanOutcome& outcome, const ReportContext& context)
{
    const Study& study = *outcome.study;
    const ByteAccount account = accountBytes(study);
    std::string text = modelTitle(study.graph->info()) + "\n" + networkTable(study, account) + "\n"
        + arenaTable(outcome, account) + "\n" + regionText(outcome) + peakText(study);
    text += runtimeText(outcome);
    if (context.budget)
        text += budgetText(context.ways ? *context.ways : BudgetReport{*context.budget, firstMemoryBytes(outcome.plan), {}});
    return text + timeText(outcome, context);
}

} // namespace arenascope
