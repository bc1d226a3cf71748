// SPDX-License-Identifier: MIT
// Operators that pick, place, find or sort elements.
#include "core/src/import/onnx/eval_cells.h"
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

bool gather(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || !c.hasShape(1))
        return true;
    Dims dims = c.dims(0);
    const auto axis = static_cast<std::ptrdiff_t>(normalizedAxis(c.intAttribute("axis", 0), dims.size()));
    dims.erase(dims.begin() + axis);
    dims.insert(dims.begin() + axis, c.dims(1).begin(), c.dims(1).end());
    c.setDims(0, std::move(dims));
    return true;
}

bool gatherElements(NodeContext& c)
{
    c.setType(0, c.type(0));
    c.copyDims(1, 0);
    return true;
}

bool gatherNd(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || !c.hasShape(1) || c.rank(1) == 0 || !isKnown(c.dims(1).back()))
        return true;
    const Dims& indices = c.dims(1);
    const std::int64_t batch = c.intAttribute("batch_dims", 0);
    if (batch < 0 || batch >= static_cast<std::int64_t>(indices.size())
        || indices.back() > static_cast<std::int64_t>(c.rank(0)) - batch)
        failInference("indices have more parts than the data has dimensions");
    Dims result(indices.begin(), indices.end() - 1);
    result.insert(result.end(), c.dims(0).begin() + batch + indices.back(), c.dims(0).end());
    c.setDims(0, std::move(result));
    return true;
}

std::int64_t countNonZero(const Cells& cells)
{
    std::int64_t count = 0;
    for (std::size_t i = 0; i < cells.size(); ++i)
        count += isRealType(cells.type) ? cells.real(i) != 0 : cells.bits[i] != 0;
    return count;
}

bool nonZero(NodeContext& c)
{
    c.setType(0, Int64);
    std::int64_t count = kUnknownDim;
    const auto cells = c.hasInput(0) ? cellsOf(*c.input(0)) : std::nullopt;
    if (cells && cells->isAllKnown())
        count = countNonZero(*cells);
    c.setDims(0, {c.hasShape(0) ? static_cast<std::int64_t>(c.rank(0)) : kUnknownDim, count});
    return true;
}

bool compress(NodeContext& c)
{
    c.setType(0, c.type(0));
    std::int64_t count = kUnknownDim;
    const auto condition = c.integersOf(1);
    const bool flat = !c.attribute("axis");
    if (flat && !condition) {
        c.setDims(0, {kUnknownDim});
        return true;
    }
    if (!c.hasShape(0))
        return true;
    Dims dims = flat ? Dims{productOf(c.dims(0))} : c.dims(0);
    const std::size_t axis = flat ? 0 : normalizedAxis(c.intAttribute("axis", 0), dims.size());
    if (condition && isKnown(dims[axis])) {
        // Beyond the condition's end nothing is kept, and beyond the data's end there is nothing to keep.
        const auto used = std::min<std::size_t>(condition->size(), static_cast<std::size_t>(dims[axis]));
        count = static_cast<std::int64_t>(used)
            - std::count(condition->begin(), condition->begin() + static_cast<std::ptrdiff_t>(used), 0);
    }
    dims[axis] = count;
    c.setDims(0, std::move(dims));
    return true;
}

bool topK(NodeContext& c)
{
    c.setType(0, c.type(0));
    c.setType(1, Int64);
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    const std::size_t axis = normalizedAxis(c.intAttribute("axis", -1), dims.size());
    const std::int64_t kept = c.opset() < 10 ? c.intAttribute("k", kUnknownDim) : c.integerOf(1).value_or(kUnknownDim);
    if (kept < kUnknownDim || (isKnown(dims[axis]) && kept > dims[axis]))
        failInference(fmt::format("the {} largest of {} elements", kept, dims[axis]));
    dims[axis] = kept;
    c.setDims(0, dims);
    c.setDims(1, std::move(dims));
    return true;
}

bool unique(NodeContext& c)
{
    c.setType(0, c.type(0));
    for (std::size_t o = 1; o < 4; ++o)
        c.set(o, Int64, {kUnknownDim});
    if (!c.attribute("axis")) {
        c.setDims(0, {kUnknownDim});
        if (c.hasShape(0))
            c.setDims(2, {productOf(c.dims(0))}); // one index an element
        return true;
    }
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    const std::size_t axis = normalizedAxis(c.intAttribute("axis", 0), dims.size());
    c.setDims(2, {dims[axis]});
    dims[axis] = kUnknownDim;
    c.setDims(0, std::move(dims));
    return true;
}

bool nonMaxSuppression(NodeContext& c)
{
    c.set(0, Int64, {kUnknownDim, 3});
    return true;
}


constexpr ShapeRuleEntry kEntries[] = {
    {"Gather", gather},
    {"GatherElements", gatherElements},
    {"GatherND", gatherNd},
    {"Scatter", sameAsFirstInput},
    {"ScatterElements", sameAsFirstInput},
    {"ScatterND", sameAsFirstInput},
    {"TensorScatter", sameAsFirstInput},
    {"ReverseSequence", sameAsFirstInput},
    {"NonZero", nonZero},
    {"Compress", compress},
    {"TopK", topK},
    {"Unique", unique},
    {"NonMaxSuppression", nonMaxSuppression},
};

} // namespace

std::span<const ShapeRuleEntry> indexingRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
