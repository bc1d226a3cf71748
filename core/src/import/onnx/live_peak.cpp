// SPDX-License-Identifier: MIT
// What a body of an operator needs at its peak.
#include "core/src/import/onnx/graph_run.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

/// A tensor in a body counts at most this much, so that the sum over all tensors that fit into a file cannot overflow.
constexpr Bytes kMaxCounted = Bytes{1} << 40;

/// Position of every node among those that run; -1 for those that are folded away.
std::vector<Step> stepsOf(const GraphRun& run)
{
    std::vector<Step> stepOf(run.nodes.size(), -1);
    Step steps = 0;
    for (const std::int32_t node : run.scope->order) {
        if (run.nodes[static_cast<std::size_t>(node)].fate == Fate::Runs)
            stepOf[static_cast<std::size_t>(node)] = steps++;
    }
    return stepOf;
}

/// Last step in which each value is read, outputs to the end; -1 where nobody reads it.
std::vector<Step> lastUses(const Scope& scope, const std::vector<Step>& stepOf, Step lastStep)
{
    std::vector<Step> lastUse(scope.slots.size(), -1);
    for (std::size_t i = 0; i < scope.nodes.size(); ++i) {
        const auto read = [&](std::int32_t slot) {
            if (slot >= 0)
                lastUse[static_cast<std::size_t>(slot)] = std::max(lastUse[static_cast<std::size_t>(slot)], stepOf[i]);
        };
        std::ranges::for_each(scope.nodes[i].inputs, read);
        std::ranges::for_each(scope.nodes[i].captures, read);
    }
    for (const std::int32_t output : scope.outputs)
        lastUse[static_cast<std::size_t>(output)] = lastStep;
    return lastUse;
}

} // namespace

std::optional<Bytes> byteSize(const ValueInfo& value)
{
    if (!value.otherKind.empty() || value.type == ElementType::String)
        return Bytes{0};
    const int bits = bitsPerElement(value.type);
    const auto count = value.shape.elementCount();
    if (bits == 0 || !count)
        return std::nullopt;
    const auto total = checkedMultiply(*count, bits);
    if (!total)
        return std::nullopt;
    return (*total + 7) / 8;
}

Bytes livePeak(const GraphRun& run)
{
    const Scope& scope = *run.scope;
    const std::vector<Step> stepOf = stepsOf(run);
    const Step steps = stepOf.empty() ? 0 : std::ranges::max(stepOf) + 1;
    const std::vector<Step> lastUse = lastUses(scope, stepOf, std::max<Step>(steps - 1, 0));

    std::vector<Bytes> change(static_cast<std::size_t>(steps) + 2, 0); // live bytes rise and fall at these steps
    const auto live = [&](Step begin, Step last, Bytes bytes) {
        change[static_cast<std::size_t>(begin)] += std::min(bytes, kMaxCounted);
        change[static_cast<std::size_t>(std::max(begin, last)) + 1] -= std::min(bytes, kMaxCounted);
    };
    for (std::size_t i = 0; i < scope.slots.size(); ++i) {
        const auto slot = static_cast<std::int32_t>(i);
        if (!run.isActivation(slot))
            continue;
        const std::int32_t producer = scope.slots[i].producer;
        live(producer < 0 ? 0 : stepOf[static_cast<std::size_t>(producer)], lastUse[i],
             byteSize(run.value(slot)).value_or(0));
    }
    for (std::size_t i = 0; i < scope.nodes.size(); ++i) {
        if (stepOf[i] >= 0)
            live(stepOf[i], stepOf[i], run.nodes[i].workspace);
    }
    Bytes now = 0;
    Bytes peak = 0;
    for (const Bytes step : change) {
        now += step;
        peak = std::max(peak, now);
    }
    return peak;
}

} // namespace arenascope::onnx_import
