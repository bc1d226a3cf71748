// SPDX-License-Identifier: MIT
// Operators that give spatial dimensions another extent: Pad, Resize, crops, grids.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

std::int64_t padded(std::int64_t extent, std::int64_t begin, std::int64_t end)
{
    const auto pads = checkedAdd(begin, end);
    if (!pads)
        failInference("a size does not fit 63 bits");
    if (!isKnown(extent))
        return *pads == 0 ? extent : kUnknownDim;
    const auto sum = checkedAdd(extent, *pads);
    if (!sum || *sum < 0)
        failInference(fmt::format("padding of {} and {} for an extent of {}", begin, end, extent));
    return *sum;
}

/// Axes of an optional operand; all where it is left out, nothing where it is not known.
std::optional<std::vector<std::int64_t>> axesOperand(NodeContext& c, std::size_t i, std::size_t rank)
{
    if (c.hasInput(i))
        return c.integersOf(i);
    std::vector<std::int64_t> all(rank);
    for (std::size_t axis = 0; axis < rank; ++axis)
        all[axis] = static_cast<std::int64_t>(axis);
    return all;
}

bool pad(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    auto pads = c.opset() < 11 ? c.intsAttribute(c.attribute("paddings") ? "paddings" : "pads") : c.integersOf(1);
    const auto axes = axesOperand(c, 3, dims.size());
    if (!pads || !axes) {
        c.setDims(0, Dims(dims.size(), kUnknownDim));
        return true;
    }
    if (pads->size() != 2 * axes->size())
        failInference(fmt::format("{} pads for {} axes", pads->size(), axes->size()));
    axisMask(*axes, dims.size());
    for (std::size_t i = 0; i < axes->size(); ++i) {
        std::int64_t& extent = dims[normalizedAxis((*axes)[i], dims.size())];
        extent = padded(extent, (*pads)[i], (*pads)[axes->size() + i]);
    }
    c.setDims(0, std::move(dims));
    return true;
}

/// floor(extent * factor) in 32-bit arithmetic, as runtimes do it.
std::int64_t scaled(std::int64_t extent, double factor)
{
    if (!isKnown(extent))
        return factor == 1.0 ? extent : kUnknownDim;
    const float result = std::floor(static_cast<float>(extent) * static_cast<float>(factor));
    if (!(result >= 0) || result >= 9.0e18f)
        failInference(fmt::format("an extent of {} scaled by {}", extent, factor));
    return static_cast<std::int64_t>(result);
}

void setScaled(NodeContext& c, const std::vector<double>& scales)
{
    Dims dims = c.dims(0);
    if (scales.size() != dims.size())
        failInference(fmt::format("{} scales for {} dimensions", scales.size(), dims.size()));
    for (std::size_t i = 0; i < dims.size(); ++i)
        dims[i] = scaled(dims[i], scales[i]);
    c.setDims(0, std::move(dims));
}

bool upsample(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    std::optional<std::vector<double>> scales = c.opset() < 9 ? c.floatsAttribute("scales") : c.floatsOf(1);
    if (!scales && c.opset() < 7 && c.attribute("height_scale") && c.rank(0) == 4)
        scales = {1.0, 1.0, c.floatAttribute("height_scale", 1), c.floatAttribute("width_scale", 1)};
    if (scales)
        setScaled(c, *scales);
    else
        c.setDims(0, Dims(c.rank(0), kUnknownDim));
    return true;
}

struct ResizeOperands {
    std::vector<std::int64_t> axes;
    std::optional<std::vector<double>> scales, regions;
    std::optional<std::vector<std::int64_t>> sizes;
};

/// Both axes get the factor that keeps the ratio (opset 18): the smaller or the larger one of those asked for.
void keepRatio(NodeContext& c, ResizeOperands& operands, const Dims& dims)
{
    const std::string_view policy = c.stringAttribute("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch" || !operands.sizes)
        return;
    std::optional<double> factor;
    for (std::size_t i = 0; i < operands.axes.size(); ++i) {
        const std::int64_t extent = dims[normalizedAxis(operands.axes[i], dims.size())];
        if (extent <= 0 || (*operands.sizes)[i] == kUnknownDim) {
            operands.sizes.reset();
            return;
        }
        const double own = static_cast<double>((*operands.sizes)[i]) / static_cast<double>(extent);
        if (!factor || (policy == "not_larger" ? own < *factor : own > *factor))
            factor = own;
    }
    for (std::size_t i = 0; factor && i < operands.axes.size(); ++i) {
        const std::int64_t extent = dims[normalizedAxis(operands.axes[i], dims.size())];
        const double exact = std::floor(*factor * static_cast<double>(extent) + 0.5);
        if (!(exact >= 0 && exact < 9.0e18))
            failInference("a size does not fit 63 bits");
        (*operands.sizes)[i] = static_cast<std::int64_t>(exact);
    }
}

std::int64_t resizedExtent(const ResizeOperands& operands, std::size_t i, std::int64_t extent, bool crop)
{
    if (operands.sizes)
        return (*operands.sizes)[i];
    if (!operands.scales)
        return kUnknownDim;
    double factor = (*operands.scales)[i];
    if (crop) {
        if (!operands.regions || operands.regions->size() != 2 * operands.axes.size())
            return kUnknownDim;
        factor *= (*operands.regions)[operands.axes.size() + i] - (*operands.regions)[i];
    }
    return scaled(extent, factor);
}

bool resize(NodeContext& c)
{
    if (c.opset() < 11)
        return upsample(c);
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    ResizeOperands operands;
    operands.axes = c.intsAttribute("axes").value_or(*axesOperand(c, c.inputCount(), dims.size()));
    axisMask(operands.axes, dims.size());
    operands.scales = c.floatsOf(2);
    operands.regions = c.floatsOf(1);
    // An empty tensor stands for a missing operand where a later one is given (opset 11).
    if (operands.scales && operands.scales->empty())
        operands.scales.reset();
    if (c.hasInput(3) && !operands.scales)
        operands.sizes = c.partialIntegersOf(3);
    if (operands.sizes && operands.sizes->empty())
        operands.sizes.reset();
    const std::size_t given = operands.sizes ? operands.sizes->size()
        : operands.scales                    ? operands.scales->size()
                                             : operands.axes.size();
    if (given != operands.axes.size())
        failInference(fmt::format("{} sizes or scales for {} axes", given, operands.axes.size()));
    if (operands.sizes
        && std::any_of(operands.sizes->begin(), operands.sizes->end(), [](std::int64_t s) { return s < kUnknownDim; }))
        failInference("a negative size");
    keepRatio(c, operands, dims);
    const bool crop = c.stringAttribute("coordinate_transformation_mode", "") == "tf_crop_and_resize";
    for (std::size_t i = 0; i < operands.axes.size(); ++i) {
        std::int64_t& extent = dims[normalizedAxis(operands.axes[i], dims.size())];
        extent = resizedExtent(operands, i, extent, crop);
    }
    c.setDims(0, std::move(dims));
    return true;
}

bool centerCropPad(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    const auto sizes = shapeOperand(c, 1);
    const auto axes = c.intsAttribute("axes").value_or(*axesOperand(c, c.inputCount(), dims.size()));
    if (sizes && sizes->size() != axes.size())
        failInference(fmt::format("{} sizes for {} axes", sizes->size(), axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i)
        dims[normalizedAxis(axes[i], dims.size())] = sizes ? (*sizes)[i] : kUnknownDim;
    c.setDims(0, std::move(dims));
    return true;
}

/// Experimental operator before opset 8: cuts a border off the last two dimensions, or takes `scale` from its corner.
bool crop(NodeContext& c)
{
    c.setType(0, c.type(0));
    const auto border = c.intsAttribute("border"); // left, top, right, bottom
    if (!c.hasShape(0) || c.rank(0) != 4 || !border || border->size() != 4)
        return true;
    Dims dims = c.dims(0);
    const auto scale = c.intsAttribute("scale");
    if (scale && scale->size() == 2 && (*scale)[0] >= 0 && (*scale)[1] >= 0) {
        dims[2] = (*scale)[0];
        dims[3] = (*scale)[1];
    } else {
        for (const std::int64_t width : *border) {
            if (width < 0)
                failInference("a negative border");
        }
        dims[2] = padded(dims[2], -(*border)[1], -(*border)[3]);
        dims[3] = padded(dims[3], -(*border)[0], -(*border)[2]);
    }
    c.setDims(0, std::move(dims));
    return true;
}

bool gridSample(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || c.rank(0) < 2)
        return true;
    Dims dims(c.rank(0), kUnknownDim);
    dims[0] = c.dims(0)[0];
    dims[1] = c.dims(0)[1];
    if (c.hasShape(1)) {
        if (c.rank(1) != c.rank(0))
            failInference("data and grid have different numbers of dimensions");
        std::copy(c.dims(1).begin() + 1, c.dims(1).end() - 1, dims.begin() + 2);
    }
    c.setDims(0, std::move(dims));
    return true;
}

/// size is N, C, then the spatial extents; a point has as many coordinates as there are those.
bool affineGrid(NodeContext& c)
{
    c.setType(0, c.type(0));
    const auto size = shapeOperand(c, 1);
    if (!size)
        return true;
    if (size->size() < 3)
        failInference("a size needs at least 3 elements");
    Dims dims{(*size)[0]};
    dims.insert(dims.end(), size->begin() + 2, size->end());
    dims.push_back(static_cast<std::int64_t>(size->size()) - 2);
    c.setDims(0, std::move(dims));
    return true;
}

bool col2Im(NodeContext& c)
{
    c.setType(0, c.type(0));
    const auto image = shapeOperand(c, 1);
    if (!image)
        return true;
    const auto block = c.integersOf(2);
    Dims dims{c.hasShape(0) && c.rank(0) > 0 ? c.dims(0)[0] : kUnknownDim, kUnknownDim};
    if (c.hasShape(0) && c.rank(0) > 1 && block && allKnown(*block)) {
        const std::int64_t elements = productOf(*block);
        if (elements == 0)
            failInference("a block without elements");
        dims[1] = divideExtents(c.dims(0)[1], elements);
    }
    dims.insert(dims.end(), image->begin(), image->end());
    c.setDims(0, std::move(dims));
    return true;
}

bool imageDecoder(NodeContext& c)
{
    const bool gray = c.stringAttribute("pixel_format", "RGB") == "Grayscale";
    c.set(0, UInt8, {kUnknownDim, kUnknownDim, gray ? 1 : 3});
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    {"Pad", pad},
    {"Upsample", upsample},
    {"Resize", resize},
    {"CenterCropPad", centerCropPad},
    {"Crop", crop},
    {"GridSample", gridSample},
    {"AffineGrid", affineGrid},
    {"Col2Im", col2Im},
    {"ImageDecoder", imageDecoder},
};

} // namespace

std::span<const ShapeRuleEntry> resizingRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
