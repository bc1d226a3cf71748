// SPDX-License-Identifier: MIT
// Contents of operators that make or move elements without computing with them.
#include "core/src/import/onnx/eval.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

void evaluateShape(Evaluation& e)
{
    if (!e.node.hasShape(0))
        return;
    const Dims& dims = e.node.dims(0);
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto clamped = [rank](std::int64_t position) {
        return std::clamp<std::int64_t>(position < 0 ? position + rank : position, 0, rank);
    };
    const std::int64_t start = clamped(e.node.intAttribute("start", 0));
    const std::int64_t end = std::max(start, clamped(e.node.intAttribute("end", rank)));
    Cells cells = zeroCells(ElementType::Int64, {end - start});
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells.bits[i] = dims[static_cast<std::size_t>(start) + i];
        if (!isKnown(cells.bits[i]))
            cells.setUnknown(i);
    }
    e.outputs[0] = std::move(cells);
}

void evaluateSize(Evaluation& e)
{
    if (!e.node.hasShape(0))
        return;
    const std::int64_t count = productOf(e.node.dims(0));
    if (!isKnown(count))
        return;
    Cells cells = zeroCells(ElementType::Int64, {});
    cells.bits[0] = count;
    e.outputs[0] = std::move(cells);
}

/// Identity, Reshape, Squeeze, Unsqueeze, Flatten: the same elements under the output's shape.
void evaluateSameElements(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    if (!e.has(0) || keptCount(dims) != e.in(0).size())
        return;
    Cells cells = e.in(0);
    cells.dims = dims;
    e.outputs[0] = std::move(cells);
}

/// Outside of training it only hands on.
void evaluateDropout(Evaluation& e)
{
    const bool training = e.node.opset() < 7 ? e.node.intAttribute("is_test", 0) == 0
                                             : e.node.hasInput(2) && e.node.integerOf(2) != 0;
    if (!training)
        evaluateSameElements(e);
}

void evaluateTranspose(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const std::size_t rank = dims.size();
    const auto strides = stridesOf(e.in(0).dims);
    const auto order = e.node.intsAttribute("perm");
    std::vector<std::int64_t> moved(rank);
    for (std::size_t axis = 0; axis < rank; ++axis)
        moved[axis] = strides[order ? normalizedAxis((*order)[axis], rank) : rank - 1 - axis];
    e.outputs[0] = stridedCopy(e.in(0), dims, moved, 0);
}

void evaluateExpand(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    e.outputs[0] = broadcastTo(e.in(0), dims);
}

void evaluateTile(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const Cells& source = e.in(0);
    const auto strides = stridesOf(source.dims);
    // Each dimension as a pair: which repetition (goes nowhere in the source), which element.
    Dims pairs;
    std::vector<std::int64_t> pairStrides;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        if (source.dims[axis] == 0)
            break;
        pairs.insert(pairs.end(), {dims[axis] / source.dims[axis], source.dims[axis]});
        pairStrides.insert(pairStrides.end(), {0, strides[axis]});
    }
    Cells tiled = keptCount(dims) == 0u ? zeroCells(source.type, dims) : stridedCopy(source, pairs, pairStrides, 0);
    tiled.dims = dims;
    e.outputs[0] = std::move(tiled);
}

void evaluateConcat(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const std::size_t axis = normalizedAxis(e.node.intAttribute("axis", 1), dims.size());
    Cells result = zeroCells(e.outputType(0), dims);
    const auto outer = static_cast<std::size_t>(productOf(std::span(dims).first(axis)));
    const auto width = result.size() / std::max<std::size_t>(outer, 1);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
        if (!e.has(i))
            return;
        const Cells& part = e.in(i);
        if (part.type != result.type)
            return;
        const std::size_t partWidth = part.size() / std::max<std::size_t>(outer, 1);
        for (std::size_t k = 0; k < part.size(); ++k) {
            const std::size_t to = k / partWidth * width + begin + k % partWidth;
            if (to >= result.size())
                failInference("parts are larger than the whole");
            result.bits[to] = part.bits[k];
            if (!part.isKnownAt(k))
                result.setUnknown(to);
        }
        begin += partWidth;
    }
    e.outputs[0] = std::move(result);
}

void evaluateSplit(Evaluation& e)
{
    const Cells& source = e.in(0);
    const std::size_t axis = normalizedAxis(e.node.intAttribute("axis", 0), source.dims.size());
    const auto strides = stridesOf(source.dims);
    std::int64_t begin = 0;
    for (std::size_t o = 0; o < e.outputs.size(); ++o) {
        const Dims& dims = e.outputDims(o);
        e.outputs[o] = stridedCopy(source, dims, strides, begin * strides[axis]);
        begin += dims[axis];
    }
}

void evaluateConstantOfShape(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    Cells cells = zeroCells(e.outputType(0), dims);
    const auto* filler = e.node.attribute("value");
    if (filler && filler->has_t()) {
        const auto bytes = tensorBytes(filler->t());
        ValueInfo one;
        one.type = elementTypeFromOnnx(filler->t().data_type());
        one.shape = Shape::of({1});
        one.value = bytes;
        const auto element = bytes ? cellsOf(one) : std::nullopt;
        if (!element || element->type != cells.type)
            return;
        std::fill(cells.bits.begin(), cells.bits.end(), element->bits[0]);
    }
    e.outputs[0] = std::move(cells);
}

void evaluateRange(Evaluation& e)
{
    Cells cells = zeroCells(e.outputType(0), e.outputDims(0));
    if (!e.has(0) || !e.has(2) || !e.in(0).isAllKnown() || !e.in(2).isAllKnown())
        return;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (isRealType(cells.type)) {
            cells.setReal(i, e.in(0).real(0) + static_cast<double>(i) * e.in(2).real(0));
        } else {
            cells.bits[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(e.in(0).bits[0])
                                                      + i * static_cast<std::uint64_t>(e.in(2).bits[0]));
        }
        normalize(cells, i);
    }
    e.outputs[0] = std::move(cells);
}

struct SliceOperands {
    std::vector<std::int64_t> starts, axes, steps;
};

std::optional<SliceOperands> sliceOperands(Evaluation& e, std::size_t rank)
{
    SliceOperands operands;
    auto starts = e.node.opset() < 10 ? e.node.intsAttribute("starts") : e.node.integersOf(1);
    auto axes = e.node.opset() < 10 ? e.node.intsAttribute("axes") : e.node.integersOf(3);
    auto steps = e.node.integersOf(4);
    if (!starts || starts->size() > rank || (e.node.hasInput(3) && !axes) || (e.node.hasInput(4) && !steps))
        return std::nullopt;
    operands.starts = std::move(*starts);
    operands.axes = axes.value_or(std::vector<std::int64_t>());
    if (!axes) {
        for (std::size_t i = 0; i < operands.starts.size(); ++i)
            operands.axes.push_back(static_cast<std::int64_t>(i));
    }
    operands.steps = steps.value_or(std::vector<std::int64_t>(operands.starts.size(), 1));
    if (operands.axes.size() != operands.starts.size() || operands.steps.size() != operands.starts.size())
        return std::nullopt;
    return operands;
}

void evaluateSlice(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const Cells& source = e.in(0);
    const auto operands = sliceOperands(e, dims.size());
    if (!operands)
        return;
    auto strides = stridesOf(source.dims);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < operands->starts.size(); ++i) {
        const std::size_t axis = normalizedAxis(operands->axes[i], dims.size());
        const std::int64_t extent = source.dims[axis];
        const std::int64_t step = operands->steps[i];
        std::int64_t start = operands->starts[i];
        start = start < 0 ? start + extent : start;
        start = std::clamp<std::int64_t>(start, 0, std::max<std::int64_t>(step < 0 ? extent - 1 : extent, 0));
        offset += start * strides[axis];
        // With at most one element along the axis its step does not matter, and may be absurd.
        strides[axis] = dims[axis] > 1 ? strides[axis] * step : 0;
    }
    e.outputs[0] = stridedCopy(source, dims, strides, offset);
}

constexpr EvaluatorEntry kEntries[] = {
    {"Shape", evaluateShape},
    {"Size", evaluateSize},
    {"Identity", evaluateSameElements},
    {"Dropout", evaluateDropout},
    {"Reshape", evaluateSameElements},
    {"Flatten", evaluateSameElements},
    {"Squeeze", evaluateSameElements},
    {"Unsqueeze", evaluateSameElements},
    {"Transpose", evaluateTranspose},
    {"Expand", evaluateExpand},
    {"Tile", evaluateTile},
    {"Concat", evaluateConcat},
    {"Split", evaluateSplit},
    {"Slice", evaluateSlice},
    {"ConstantOfShape", evaluateConstantOfShape},
    {"Range", evaluateRange},
};

} // namespace

std::span<const EvaluatorEntry> movementEvaluators()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
