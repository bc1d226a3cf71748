// SPDX-License-Identifier: MIT
#include <arenascope/validator.h>

#include <fmt/format.h>

namespace arenascope {

std::string_view clashName(ClashKind kind)
{
    switch (kind) {
    case ClashKind::Overlap: return "overlap";
    case ClashKind::Misaligned: return "misaligned";
    case ClashKind::Negative: return "negative-offset";
    case ClashKind::BeyondArena: return "beyond-arena";
    case ClashKind::FixedMoved: return "fixed-moved";
    case ClashKind::Missing: return "missing";
    case ClashKind::BeyondMemory: return "beyond-memory";
    case ClashKind::OverwrittenRead: return "overwritten-read";
    case ClashKind::Unordered: return "unordered";
    }
    return "unknown";
}

namespace {

std::string bufferName(const PlacementProblem& problem, BufferId id)
{
    if (!id.isValid() || id.index() >= problem.buffers.size())
        return "a branch memory";
    return "'" + problem.buffer(id).name + "'";
}

/// A tensor, or the buffer (a workspace) where there is none.
std::string contentName(const PlacementProblem& problem, const Graph* graph, TensorId tensor, BufferId buffer)
{
    if (!tensor.isValid())
        return buffer.isValid() ? bufferName(problem, buffer) : "bytes that were never written";
    if (!graph || tensor.index() >= graph->tensors().size())
        return fmt::format("tensor {}", tensor.value());
    return "'" + graph->tensor(tensor).name + "'";
}

std::string operatorName(const Graph* graph, OpId id)
{
    if (!graph || !id.isValid() || id.index() >= graph->operators().size())
        return fmt::format("operator {}", id.value());
    return "operator '" + graph->op(id).name + "'";
}

std::string readerName(const Graph* graph, OpId id)
{
    if (!id.isValid())
        return "The end of the run";
    std::string name = operatorName(graph, id);
    name.front() = 'O';
    return name;
}

} // namespace

std::string describe(const Clash& clash, const PlacementProblem& problem, const Graph* graph)
{
    const std::string first = bufferName(problem, clash.first);
    const std::string range = fmt::format("bytes [{}, {})", clash.begin, clash.end);
    switch (clash.kind) {
    case ClashKind::Overlap:
        return fmt::format("Buffers {} and {} are both alive from step {} and share {}.", first,
                           bufferName(problem, clash.second), clash.step, range);
    case ClashKind::Misaligned:
        return fmt::format("Buffer {} begins at {}, which is no multiple of its alignment, {}.", first, clash.begin,
                           clash.first.isValid() ? problem.alignmentOf(clash.first) : problem.alignment);
    case ClashKind::Negative:
        return fmt::format("Buffer {} begins at the negative offset {}.", first, clash.begin);
    case ClashKind::BeyondArena:
        return fmt::format("The {} of {} do not fit the arena or the capacity.", range, first);
    case ClashKind::FixedMoved:
        return fmt::format("Buffer {} is at {} instead of its fixed offset.", first, clash.begin);
    case ClashKind::Missing:
        return fmt::format("Buffer {} has no place.", first);
    case ClashKind::BeyondMemory:
        return fmt::format("The {} of {} lie outside the branch memory that it is said to be in.", range, first);
    case ClashKind::OverwrittenRead:
        return fmt::format("{} at step {} wants {} but finds {} in {}.", readerName(graph, clash.op), clash.step,
                           contentName(problem, graph, clash.reads, clash.first),
                           contentName(problem, graph, clash.found, clash.second), range);
    case ClashKind::Unordered:
        if (!clash.op.isValid())
            return fmt::format("Buffers {} and {} share {}, but nothing in the network makes one come after the other.", first,
                               bufferName(problem, clash.second), range);
        return fmt::format("{} may write {} over {} in {} before {} is done: no path of the network orders them.",
                           readerName(graph, clash.op), contentName(problem, graph, clash.found, clash.second),
                           contentName(problem, graph, clash.reads, clash.first), range, operatorName(graph, clash.other));
    }
    return {};
}

} // namespace arenascope
