// SPDX-License-Identifier: MIT
// Operators that give the same elements another shape or order: Reshape, Transpose, Concat, Split, Slice and kin.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

/// Extents that Reshape asks for: 0 copies (unless allowZero), -1 is worked out.
Dims reshaped(const Dims& from, const std::vector<std::int64_t>& wanted, bool allowZero, bool exact)
{
    Dims result(wanted.size());
    Dims rest = from; // what of the input is not copied to the same place
    Dims given;
    std::optional<std::size_t> open;
    std::size_t openCount = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        result[i] = wanted[i];
        if (wanted[i] == 0 && !allowZero) {
            if (i >= from.size())
                failInference("an extent is copied from a dimension that the input has not");
            result[i] = from[i];
            rest[i] = 1;
            continue;
        }
        if (wanted[i] == kUnknownDim) {
            open = i;
            ++openCount;
            continue;
        }
        if (wanted[i] < 0)
            failInference(fmt::format("extent {} in a shape", wanted[i]));
        given.push_back(wanted[i]);
    }
    if (exact && openCount > 1)
        failInference("more than one extent of -1 in a shape");
    const std::int64_t total = productOf(rest);
    const std::int64_t known = productOf(given);
    if (openCount == 0 && isKnown(total) && total != known)
        failInference(fmt::format("{} elements cannot take a shape of {}", total, known));
    if (openCount == 1 && isKnown(total) && known > 0)
        result[*open] = divideExtents(total, known);
    return result;
}

bool reshape(NodeContext& c)
{
    c.setType(0, c.type(0));
    auto wanted = c.opset() < 5 ? c.intsAttribute("shape") : c.partialIntegersOf(1);
    if (!wanted)
        return true;
    const bool exact = c.opset() < 5 || c.integersOf(1).has_value();
    const bool allowZero = c.intAttribute("allowzero", 0) != 0;
    if (c.hasShape(0)) {
        c.setDims(0, reshaped(c.dims(0), *wanted, allowZero, exact));
        return true;
    }
    for (std::int64_t& extent : *wanted)
        extent = extent < 0 || (extent == 0 && !allowZero) ? kUnknownDim : extent;
    c.setDims(0, std::move(*wanted));
    return true;
}

bool flatten(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0)) {
        c.setDims(0, {kUnknownDim, kUnknownDim});
        return true;
    }
    const auto rank = static_cast<std::int64_t>(c.rank(0));
    std::int64_t axis = c.intAttribute("axis", 1);
    if (axis < -rank || axis > rank)
        failInference(fmt::format("axis {} is outside a tensor with {} dimensions", axis, rank));
    axis += axis < 0 ? rank : 0;
    const std::span<const std::int64_t> dims = c.dims(0);
    c.setDims(0, {productOf(dims.first(static_cast<std::size_t>(axis))),
                  productOf(dims.subspan(static_cast<std::size_t>(axis)))});
    return true;
}

/// Axes from the attribute (before opset 13) or the second input.
std::optional<std::vector<std::int64_t>> axesOf(NodeContext& c)
{
    if (auto axes = c.intsAttribute("axes"))
        return axes;
    return c.integersOf(1);
}

bool squeeze(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    const Dims& dims = c.dims(0);
    const auto axes = axesOf(c);
    Dims result;
    if (!axes && c.hasInput(1)) {
        if (c.hasShape(1) && c.rank(1) == 1 && isKnown(c.dims(1)[0])
            && c.dims(1)[0] <= static_cast<std::int64_t>(dims.size()))
            c.setDims(0, Dims(dims.size() - static_cast<std::size_t>(c.dims(1)[0]), kUnknownDim));
        return true;
    }
    if (!axes && !allKnown(dims))
        return true; // which extents are 1 is not known
    const std::vector<bool> mask = axes ? axisMask(*axes, dims.size()) : std::vector<bool>();
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const bool removed = axes ? mask[i] : dims[i] == 1;
        if (removed && isKnown(dims[i]) && dims[i] != 1)
            failInference(fmt::format("a dimension of extent {} cannot be removed", dims[i]));
        if (!removed)
            result.push_back(dims[i]);
    }
    c.setDims(0, std::move(result));
    return true;
}

bool unsqueeze(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    const auto axes = axesOf(c);
    if (!axes) {
        const auto added = c.partialIntegersOf(1);
        if (added && added->size() + c.rank(0) <= kMaxRank)
            c.setDims(0, Dims(added->size() + c.rank(0), kUnknownDim));
        return true;
    }
    if (axes->size() + c.rank(0) > kMaxRank)
        failInference("too many dimensions");
    const std::vector<bool> added = axisMask(*axes, c.rank(0) + axes->size());
    Dims result;
    std::size_t next = 0;
    for (const bool isNew : added)
        result.push_back(isNew ? 1 : c.dims(0)[next++]);
    c.setDims(0, std::move(result));
    return true;
}

bool transpose(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    const Dims& dims = c.dims(0);
    const auto order = c.intsAttribute("perm");
    if (!order) {
        c.setDims(0, Dims(dims.rbegin(), dims.rend()));
        return true;
    }
    if (order->size() != dims.size())
        failInference(fmt::format("an order of {} axes for a tensor with {} dimensions", order->size(), dims.size()));
    axisMask(*order, dims.size()); // each once
    Dims result;
    for (const std::int64_t axis : *order)
        result.push_back(dims[normalizedAxis(axis, dims.size())]);
    c.setDims(0, std::move(result));
    return true;
}

bool concat(NodeContext& c)
{
    c.setType(0, c.type(0));
    concatInputs(c, 0, c.intAttribute("axis", 1), 1);
    return true;
}

/// Sizes of the parts along the axis, kUnknownDim where not known.
Dims splitSizes(NodeContext& c, std::int64_t extent)
{
    const std::size_t count = c.outputCount();
    auto sizes = c.intsAttribute("split");
    if (!sizes && c.hasInput(1)) {
        sizes = c.partialIntegersOf(1);
        if (!sizes)
            return Dims(count, kUnknownDim);
    }
    if (sizes) {
        if (sizes->size() != count)
            failInference(fmt::format("{} sizes for {} outputs", sizes->size(), count));
        if (std::any_of(sizes->begin(), sizes->end(), [](std::int64_t size) { return size < kUnknownDim; }))
            failInference("a negative size");
        if (allKnown(*sizes))
            mergeExtents(extent, std::accumulate(sizes->begin(), sizes->end(), std::int64_t{0}, addExtents));
        return *sizes;
    }
    if (!isKnown(extent) || count == 0)
        return Dims(count, kUnknownDim);
    const auto parts = static_cast<std::int64_t>(count);
    const bool mayBeUneven = c.attribute("num_outputs") != nullptr;
    if (!mayBeUneven && extent % parts != 0)
        failInference(fmt::format("{} elements cannot be split into {} equal parts", extent, parts));
    const std::int64_t part = extent / parts + (extent % parts != 0);
    Dims result(count, part);
    for (std::size_t i = 0; i < count; ++i)
        result[i] = std::clamp<std::int64_t>(extent - static_cast<std::int64_t>(i) * part, 0, part);
    return result;
}

bool split(NodeContext& c)
{
    for (std::size_t o = 0; o < c.outputCount(); ++o)
        c.setType(o, c.type(0));
    if (!c.hasShape(0))
        return true;
    const std::size_t axis = normalizedAxis(c.intAttribute("axis", 0), c.rank(0));
    const Dims sizes = splitSizes(c, c.dims(0)[axis]);
    for (std::size_t o = 0; o < c.outputCount(); ++o) {
        Dims dims = c.dims(0);
        dims[axis] = sizes[o];
        c.setDims(o, std::move(dims));
    }
    return true;
}

/// An operand of Slice, element by element: nothing where an element is not known.
using SliceOperand = std::vector<std::optional<std::int64_t>>;

std::optional<SliceOperand> sliceOperand(NodeContext& c, std::size_t i, std::string_view name)
{
    std::optional<std::vector<std::int64_t>> exact = c.opset() < 10 ? c.intsAttribute(name) : c.integersOf(i);
    if (exact)
        return SliceOperand(exact->begin(), exact->end());
    const auto partial = c.opset() < 10 ? std::nullopt : c.partialIntegersOf(i);
    if (!partial)
        return std::nullopt;
    SliceOperand operand;
    for (const std::int64_t element : *partial)
        operand.push_back(element == kUnknownDim ? std::nullopt : std::optional(element));
    return operand;
}

std::int64_t slicedExtent(std::int64_t extent, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                          std::int64_t step)
{
    if (step == 0)
        failInference("a slice with a step of 0");
    // From the first element to beyond any real end: all of it, even where the extent is not known.
    if (!isKnown(extent))
        return start == 0 && end && *end >= std::numeric_limits<std::int32_t>::max() && step == 1 ? extent
                                                                                                  : kUnknownDim;
    if (extent == 0)
        return 0;
    if (!start || !end)
        return kUnknownDim;
    const std::int64_t first = *start < 0 ? *start + extent : *start;
    const std::int64_t last = *end < 0 ? *end + extent : *end;
    if (step > 0) {
        const std::int64_t from = std::clamp<std::int64_t>(first, 0, extent);
        const std::int64_t to = std::clamp<std::int64_t>(last, 0, extent);
        return to <= from ? 0 : (to - from - 1) / step + 1;
    }
    const std::int64_t from = std::clamp<std::int64_t>(first, 0, extent - 1);
    const std::int64_t to = std::clamp<std::int64_t>(last, -1, extent - 1);
    return to >= from ? 0 : (from - to - 1) / (step == std::numeric_limits<std::int64_t>::min() ? extent : -step) + 1;
}

bool slice(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    const auto starts = sliceOperand(c, 1, "starts");
    const auto ends = sliceOperand(c, 2, "ends");
    auto axes = c.opset() < 10 ? c.intsAttribute("axes") : c.integersOf(3);
    const auto steps = sliceOperand(c, 4, "steps");
    if (c.hasInput(3) && !axes) {
        c.setDims(0, Dims(dims.size(), kUnknownDim)); // any axis may be cut
        return true;
    }
    if (!axes) {
        const std::size_t count = starts ? starts->size() : ends ? ends->size() : dims.size();
        axes.emplace();
        for (std::size_t i = 0; i < count; ++i)
            axes->push_back(static_cast<std::int64_t>(i));
    }
    const auto wrongSize = [&](const auto& operand) { return operand && operand->size() != axes->size(); };
    if (wrongSize(starts) || wrongSize(ends) || wrongSize(steps))
        failInference("starts, ends, axes and steps of different length");
    axisMask(*axes, dims.size());
    for (std::size_t i = 0; i < axes->size(); ++i) {
        std::int64_t& extent = dims[normalizedAxis((*axes)[i], dims.size())];
        const auto step = steps
            ? (*steps)[i]
            : std::optional<std::int64_t>(c.hasInput(4) ? std::nullopt : std::optional<std::int64_t>(1));
        if (!step || !starts || !ends)
            extent = kUnknownDim;
        else
            extent = slicedExtent(extent, (*starts)[i], (*ends)[i], *step);
    }
    c.setDims(0, std::move(dims));
    return true;
}

bool expand(NodeContext& c)
{
    c.setType(0, c.type(0));
    const auto wanted = shapeOperand(c, 1);
    if (wanted && c.hasShape(0))
        c.setDims(0, broadcastDims(c.dims(0), *wanted));
    return true;
}

bool tile(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    std::vector<std::int64_t> repeats(dims.size(), 1);
    if (c.opset() < 6) {
        const auto axis = c.integerOf(2);
        if (!axis)
            return true;
        repeats[normalizedAxis(*axis, dims.size())] = c.integerOf(1).value_or(kUnknownDim);
    } else {
        const auto given = shapeOperand(c, 1);
        if (given && given->size() != dims.size())
            failInference("another number of repeats than dimensions");
        repeats = given.value_or(std::vector<std::int64_t>(dims.size(), kUnknownDim));
    }
    for (std::size_t i = 0; i < dims.size(); ++i)
        dims[i] = multiplyExtents(dims[i], std::max(repeats[i], kUnknownDim));
    c.setDims(0, std::move(dims));
    return true;
}

std::int64_t positiveAttribute(NodeContext& c, std::string_view name)
{
    const std::int64_t value = c.intAttribute(name, 0);
    if (value <= 0 || value > std::numeric_limits<std::int32_t>::max())
        failInference(fmt::format("{} must be above 0", name));
    return value;
}

bool depthToSpace(NodeContext& c)
{
    c.setType(0, c.type(0));
    const std::int64_t block = positiveAttribute(c, "blocksize");
    if (!c.hasShape(0) || c.rank(0) != 4)
        return true;
    const Dims& in = c.dims(0);
    c.setDims(0,
        { in[0], divideExtents(in[1], block * block), multiplyExtents(in[2], block), multiplyExtents(in[3], block) });
    return true;
}

bool spaceToDepth(NodeContext& c)
{
    c.setType(0, c.type(0));
    const std::int64_t block = positiveAttribute(c, "blocksize");
    if (!c.hasShape(0) || c.rank(0) != 4)
        return true;
    const Dims& in = c.dims(0);
    c.setDims(
        0, { in[0], multiplyExtents(in[1], block * block), divideExtents(in[2], block), divideExtents(in[3], block) });
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    {"Reshape", reshape},
    {"Flatten", flatten},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
    {"Transpose", transpose},
    {"Concat", concat},
    {"Split", split},
    {"Slice", slice},
    {"Expand", expand},
    {"Tile", tile},
    {"DepthToSpace", depthToSpace},
    {"SpaceToDepth", spaceToDepth},
};

} // namespace

void concatInputs(NodeContext& c, std::size_t first, std::int64_t axis, std::size_t step)
{
    std::optional<Dims> result;
    std::size_t position = 0;
    bool rankUnknown = false;
    for (std::size_t i = first; i < c.inputCount(); i += step) {
        if (!c.hasShape(i)) {
            rankUnknown = true;
            continue;
        }
        const Dims& dims = c.dims(i);
        if (!result) {
            position = normalizedAxis(axis, dims.size());
            result = dims;
            continue;
        }
        if (dims.size() != result->size())
            failInference("tensors with different numbers of dimensions cannot be concatenated");
        for (std::size_t d = 0; d < dims.size(); ++d)
            (*result)[d] = d == position ? addExtents((*result)[d], dims[d]) : mergeExtents((*result)[d], dims[d]);
    }
    if (!result)
        return;
    if (rankUnknown)
        (*result)[position] = kUnknownDim;
    c.setDims(0, std::move(*result));
}

std::span<const ShapeRuleEntry> movementRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
