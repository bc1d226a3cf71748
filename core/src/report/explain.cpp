// SPDX-License-Identifier: MIT
// Every byte accounted for.
#include "core/src/report/text.h"

#include <fmt/format.h>

namespace arenascope {

namespace {

using namespace report;

std::string_view reasonText(AliasReason reason)
{
    switch (reason) {
    case AliasReason::View: return "is a view of";
    case AliasReason::InPlace: return "is written over";
    case AliasReason::ConcatPart: return "is written as a part of";
    case AliasReason::SplitPart: return "is a part of";
    case AliasReason::Alone: break;
    }
    return "shares with";
}

/// "1*3*224*224 float32 of 4 bytes", the product that gives the tensor's bytes.
std::string productText(const Tensor& tensor)
{
    const int bits = bitsPerElement(tensor.type);
    if (!tensor.shape.isStatic() || bits == 0)
        return "size given by the file";
    std::string product;
    for (const std::int64_t dim : tensor.shape.dims)
        product += (product.empty() ? "" : "*") + std::to_string(dim);
    if (product.empty())
        product = "1";
    const std::string unit = bits % 8 == 0 ? counted(bits / 8, "byte") : counted(bits, "bit");
    return fmt::format("{} {} of {}", product, elementTypeName(tensor.type), unit);
}

std::string countedNote(const Study& study, const ByteAccount::Entry& entry)
{
    if (!entry.sharesWith.isValid())
        return std::string(roleName(study.graph->tensor(entry.tensor).role));
    return fmt::format("{} {}", reasonText(entry.reason), inQuotes(study.graph->tensor(entry.sharesWith).name));
}

std::string countedTable(const Study& study, const ByteAccount& account)
{
    TextTable table({Align::Right, Align::Right, Align::Left, Align::Left, Align::Left});
    table.row({"buffer", "bytes", "elements", "tensor", "role"});
    for (const ByteAccount::Entry& entry : account.counted) {
        const Tensor& tensor = study.graph->tensor(entry.tensor);
        table.row({std::to_string(entry.buffer.value()), formatExact(tensor.bytes), productText(tensor),
                   inQuotes(tensor.name), countedNote(study, entry)});
    }
    for (std::size_t i = 0; i < study.problem.buffers.size(); ++i) {
        const Buffer& buffer = study.problem.buffers[i];
        if (buffer.kind == BufferKind::Workspace)
            table.row({std::to_string(i), formatExact(buffer.size), "", inQuotes(buffer.name), "workspace"});
    }
    return table.text(2);
}

std::string sumTable(const Study& study, const ByteAccount& account)
{
    TextTable table({Align::Right, Align::Left});
    table.row({formatExact(account.tensorBytes),
               fmt::format("sizes of {}", counted(static_cast<std::int64_t>(account.counted.size()), "tensor"))});
    table.row({"- " + formatExact(account.sharedBytes),
               fmt::format("shared on purpose (alias {})", aliasName(study.aliases.mode))});
    if (study.options.problem.countWorkspace)
        table.row({"+ " + formatExact(account.workspaceBytes), "workspace of operators"});
    table.row({"+ " + formatExact(account.paddingBytes),
               fmt::format("rounding {} up to {}",
                           counted(static_cast<std::int64_t>(study.problem.buffers.size()), "buffer"),
                           counted(study.problem.alignment, "byte"))});
    table.row({"= " + formatExact(account.naive), "naive"});
    return table.text(2);
}

std::string_view whyLeftOut(const Tensor& tensor)
{
    switch (tensor.role) {
    case TensorRole::Weight: return "weight, read-only";
    case TensorRole::Constant: return "constant, worked out while reading the file";
    case TensorRole::Variable: return "variable, persistent";
    case TensorRole::Input: return "network input, kept outside (--io)";
    case TensorRole::Output: return "network output, kept outside (--io)";
    case TensorRole::Scratch: return "scratch or of a sub-graph that never runs";
    case TensorRole::Activation: break;
    }
    return tensor.isOutput ? "network output, kept outside (--io)" : "takes no arena bytes";
}

std::string leftOutTable(const Study& study, const ByteAccount& account)
{
    TextTable table({Align::Right, Align::Left, Align::Left, Align::Left});
    for (const ByteAccount::Entry& entry : account.leftOut) {
        const Tensor& tensor = study.graph->tensor(entry.tensor);
        table.row({formatExact(tensor.bytes), typeText(tensor), inQuotes(tensor.name), std::string(whyLeftOut(tensor))});
    }
    return table.isEmpty() ? "  nothing\n" : table.text(2);
}

std::string foldedTable(const Graph& graph)
{
    TextTable table({Align::Left, Align::Left, Align::Right, Align::Left});
    for (const Omission& omission : graph.omissions()) {
        const bool isTensor = omission.what == Omission::What::Tensor;
        table.row({printable(omission.kind), inQuotes(omission.name), isTensor ? formatExact(omission.bytes) : "",
                   printable(omission.reason)});
    }
    return table.isEmpty() ? "  nothing\n" : table.text(2);
}

/// Whether what may meet in some order needs more than what meets in this one.
bool isCrowdLarger(const Study& study)
{
    return study.problem.crowdBytes > study.profile.peak;
}

std::string arenaFormula(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    const PeakReport peak = peakReport(study);
    const std::vector<BufferId>& buffers = isCrowdLarger(study) ? study.problem.crowd : peak.buffers;
    TextTable table({Align::Right, Align::Left});
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Buffer& buffer = study.problem.buffer(buffers[i]);
        const Bytes reserved = study.problem.reserved(buffers[i]);
        const Bytes needed = isCrowdLarger(study) ? reserved : neededAt(study.problem, buffers[i], peak.step);
        table.row({(i == 0 ? "" : "+ ") + formatExact(needed),
                   fmt::format("buffer {}, {}{}", buffers[i].value(), inQuotes(buffer.name), needed < reserved ? ", in part" : "")});
    }
    table.row({"= " + formatExact(study.lowerBound()), "lower bound"});
    table.row({"+ " + formatExact(outcome.plan.arenaSize - study.lowerBound()),
               fmt::format("lost to fragmentation by {}", chosenStrategy(outcome.plan))});
    table.row({"= " + formatExact(outcome.plan.arenaSize), "arena"});
    return table.text(2);
}

} // namespace

std::string explainText(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    const ByteAccount account = accountBytes(study);
    const PeakReport peak = peakReport(study);
    const std::string elisions = elisionTable(study);
    return "Counted, by buffer:\n" + countedTable(study, account)
        + "\nnaive = sum of the buffers, each rounded up to the alignment:\n" + sumTable(study, account)
        + (isCrowdLarger(study) ? std::string("\narena = what may be alive at once in some order of the operators (sizes rounded up), and "
                                              "what no plan could use:\n")
                                : fmt::format("\narena = what is alive at step {} (sizes rounded up), and what no plan could use:\n", peak.step))
        + arenaFormula(outcome)
        + (elisions.empty() ? "" : "\nNot copied, because the bytes are where they belong:\n" + elisions) + "\nLeft out of the arena:\n" + leftOutTable(study, account)
        + "\nIn the file, but not in the network:\n" + foldedTable(*study.graph);
}

} // namespace arenascope
