// SPDX-License-Identifier: MIT
// The network in lists: operators, tensors, branches, cuts.
#include "core/src/report/text.h"

#include <fmt/format.h>

#include <iterator>

namespace arenascope {

namespace {

using namespace report;

std::string_view sideText(PingPongSide side)
{
    switch (side) {
    case PingPongSide::First: return "first";
    case PingPongSide::Second: return "second";
    case PingPongSide::None: break;
    }
    return "";
}

/// "b3.1 first": the unit of its branch and the memory that it writes.
std::string unitText(const Branches& branches, OpId op)
{
    const BranchId id = branches.branchOf[op.index()];
    if (!id.isValid())
        return "-";
    const std::int32_t unit = branches.unitOf[op.index()];
    const Branch& branch = branches.branches[id.index()];
    if (unit < 0)
        return fmt::format("b{}", id.value());
    const std::string_view side = sideText(branch.units[static_cast<std::size_t>(unit)].side);
    return fmt::format("b{}.{}{}{}", id.value(), unit, side.empty() ? "" : " ", side);
}

/// "1x3x224x224 + 1x8 -> 1x32x112x112 float32": activations read and everything written.
std::string flowText(const Graph& graph, const Operator& op)
{
    std::string text;
    const auto addInput = [&](TensorId id) {
        if (id.isValid() && graph.tensor(id).isActivation())
            text += (text.empty() ? "" : " + ") + printable(toString(graph.tensor(id).shape));
    };
    for (const TensorId id : op.inputs)
        addInput(id);
    for (const TensorId id : op.captures)
        addInput(id);
    text += text.empty() ? "->" : " ->";
    std::string_view separator = " ";
    for (const TensorId id : op.outputs) {
        if (!id.isValid())
            continue;
        text += std::string(separator) + typeText(graph.tensor(id));
        separator = ", ";
    }
    return text;
}

Bytes writtenBytes(const Graph& graph, const Operator& op)
{
    Bytes sum = 0;
    for (const TensorId id : op.outputs) {
        if (id.isValid() && graph.tensor(id).isActivation() && graph.tensor(id).bytes > 0)
            sum = checkedAdd(sum, graph.tensor(id).bytes).value_or(sum);
    }
    return sum;
}

std::string operatorTable(const Study& study)
{
    TextTable table({Align::Right, Align::Right, Align::Right, Align::Left, Align::Left, Align::Left});
    table.row({"step", "writes", "live", "branch", "operator", "shapes"});
    for (Step step = 0; step < study.schedule.stepCount(); ++step) {
        const auto at = static_cast<std::size_t>(step);
        const OpId id = study.schedule.order[at];
        const Operator& op = study.graph->op(id);
        std::string live = formatBytes(study.profile.liveBytes[at]);
        if (step == study.profile.peakStep)
            live = "peak " + live;
        table.row({std::to_string(step), formatBytes(writtenBytes(*study.graph, op)), live, unitText(study.branches, id),
                   operatorText(op) + (op.isDead ? " (dead)" : ""), flowText(*study.graph, op)});
    }
    return table.text(2);
}

std::string tensorTable(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    const std::vector<LiveRange> ranges = tensorLiveRanges(*study.graph, study.schedule);
    TextTable table({Align::Right, Align::Left, Align::Right, Align::Right, Align::Right, Align::Left, Align::Left});
    table.row({"bytes", "shape", "steps", "buffer", "offset", "role", "tensor"});
    const auto tensors = study.graph->tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = tensors[i];
        if (!tensor.isActivation())
            continue;
        const auto offset = tensorOffset(study, outcome.plan, TensorId::fromIndex(i));
        const BufferId buffer = study.bufferOf[i];
        table.row({formatExact(tensor.bytes), typeText(tensor), fmt::format("{}..{}", ranges[i].begin, ranges[i].end - 1),
                   buffer.isValid() ? std::to_string(buffer.value()) : "-", offset ? formatExact(*offset) : "outside",
                   std::string(roleName(tensor.role)), inQuotes(tensor.name)});
    }
    return table.text(2);
}

std::string unitName(const Graph& graph, const BranchUnit& unit)
{
    if (unit.operators.empty())
        return "?";
    std::string name = operatorText(graph.op(unit.operators.front()));
    if (unit.operators.size() > 1)
        name += fmt::format(" (+{} sharing its bytes)", unit.operators.size() - 1);
    return name;
}

std::string branchTable(const Study& study)
{
    TextTable table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Left, Align::Left});
    table.row({"branch", "units", "first", "second", "from, to", "designated unit"});
    for (const Branch& branch : study.branches.branches) {
        std::string ends = unitName(*study.graph, branch.units.front());
        if (branch.units.size() > 1)
            ends += " .. " + unitName(*study.graph, branch.units.back());
        const std::string designated = branch.designatedUnit < 0
            ? "none, both memories are equal"
            : unitName(*study.graph, branch.units[static_cast<std::size_t>(branch.designatedUnit)]);
        table.row({fmt::format("b{}", branch.id.value()), std::to_string(branch.units.size()),
                   formatBytes(branch.firstMemory), formatBytes(branch.secondMemory), ends, designated});
    }
    return table.text(2);
}

std::string operatorList(const Graph& graph, std::span<const OpId> operators)
{
    std::string list;
    for (const OpId id : operators)
        list += "  " + operatorText(graph.op(id)) + "\n";
    return list.empty() ? "  none\n" : list;
}

std::string regionTable(const Study& study)
{
    TextTable table({Align::Right, Align::Right, Align::Left, Align::Left});
    table.row({"region", "operators", "form", "begins with"});
    for (std::size_t i = 0; i < study.cuts.regions.size(); ++i) {
        const GraphRegion& region = study.cuts.regions[i];
        const OpId first = region.entry.isValid() || region.operators.empty() ? region.entry : region.operators.front();
        table.row({std::to_string(i), std::to_string(region.operators.size()), region.isChain ? "chain" : "branching",
                   first.isValid() ? operatorText(study.graph->op(first)) : ""});
    }
    return table.text(2);
}

std::string peakLines(const Study& study)
{
    const PeakReport peak = peakReport(study);
    if (!peak.op.isValid())
        return {};
    std::string text = fmt::format("\nPeak: {} live at step {}, {}\n", bothSizes(peak.liveBytes), peak.step,
                                   operatorText(study.graph->op(peak.op)));
    TextTable table({Align::Right, Align::Left, Align::Left});
    for (const TensorId id : peak.tensors) {
        const Tensor& tensor = study.graph->tensor(id);
        table.row({formatExact(tensor.bytes), typeText(tensor), inQuotes(tensor.name)});
    }
    return text + table.text(2);
}

} // namespace

std::string inspectText(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    const Graph& graph = *study.graph;
    const std::string elisions = elisionTable(study);
    return "Operators, in the order of execution:\n" + operatorTable(study) + "\nTensors, placed by "
        + std::string(chosenStrategy(outcome.plan)) + ":\n" + tensorTable(outcome)
        + (elisions.empty() ? "" : "\nNot copied, because the bytes are where they belong:\n" + elisions)
        + "\nBranches and their memories:\n" + branchTable(study)
        + "\nRegions between cut operators:\n" + regionTable(study) + "\nCut operators (on every path):\n"
        + operatorList(graph, study.cuts.cutOperators) + "\nForks (an output with several readers):\n"
        + operatorList(graph, study.cuts.forks) + "\nJoins (several activation inputs):\n"
        + operatorList(graph, study.cuts.joins) + peakLines(study);
}

} // namespace arenascope
