// SPDX-License-Identifier: MIT
#include <arenascope/problem.h>

#include <algorithm>

namespace arenascope {

namespace {

// DESIGN.md, "Steps": inputs and scratch live from step 0 to their last read, what nobody reads in its own step, outputs to
// the end. Scratch that nobody reads either is not needed at all.
LiveRange rangeOf(const Tensor& tensor, const Schedule& schedule)
{
    if (!tensor.isActivation())
        return {};
    const bool isUsed = !tensor.consumers.empty() || tensor.isOutput;
    const bool isGiven = tensor.role == TensorRole::Input || (tensor.role == TensorRole::Scratch && isUsed);
    if (!isGiven && !tensor.producer.isValid())
        return {};
    LiveRange live;
    live.begin = isGiven ? 0 : schedule.stepOf[tensor.producer.index()];
    live.end = live.begin + 1;
    for (const OpId consumer : tensor.consumers)
        live.end = std::max(live.end, schedule.stepOf[consumer.index()] + 1);
    if (tensor.isOutput)
        live.end = schedule.stepCount();
    return live;
}

} // namespace

std::vector<LiveRange> tensorLiveRanges(const Graph& graph, const Schedule& schedule)
{
    std::vector<LiveRange> ranges;
    ranges.reserve(graph.tensors().size());
    for (const Tensor& tensor : graph.tensors())
        ranges.push_back(rangeOf(tensor, schedule));
    return ranges;
}

} // namespace arenascope
