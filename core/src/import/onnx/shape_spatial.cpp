// SPDX-License-Identifier: MIT
// Operators that slide a window over spatial dimensions (N x C x D1 x D2 ...): convolutions and poolings.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

enum class Padding { Explicit, Same, Valid };

/// The window's attributes, one element a spatial dimension; pads are all begins, then all ends.
struct Window {
    Dims kernel; ///< kUnknownDim where only the weights' shape could tell
    std::vector<std::int64_t> strides, dilations, pads;
    Padding padding = Padding::Explicit;
    bool roundUp = false;
};

std::vector<std::int64_t> listOf(NodeContext& c, std::string_view name, std::size_t count, std::int64_t fallback,
                                 std::int64_t lowest)
{
    auto list = c.intsAttribute(name);
    if (!list || list->empty())
        return std::vector<std::int64_t>(count, fallback);
    if (list->size() != count)
        failInference(fmt::format("{} has {} elements instead of {}", name, list->size(), count));
    for (const std::int64_t element : *list) {
        if (element < lowest || element > std::numeric_limits<std::int32_t>::max())
            failInference(fmt::format("{} of {}", name, element));
    }
    return *list;
}

/// `weights`: input whose spatial extents are the kernel where the attribute is missing; none: it must be there.
Window windowOf(NodeContext& c, std::size_t spatialRank, std::optional<std::size_t> weights)
{
    Window window;
    if (c.attribute("kernel_shape"))
        window.kernel = listOf(c, "kernel_shape", spatialRank, 1, 1);
    else if (weights && c.hasShape(*weights) && c.rank(*weights) == spatialRank + 2)
        window.kernel.assign(c.dims(*weights).begin() + 2, c.dims(*weights).end());
    else if (weights)
        window.kernel.assign(spatialRank, kUnknownDim);
    else
        failInference("kernel_shape is missing");
    window.strides = listOf(c, "strides", spatialRank, 1, 1);
    window.dilations = listOf(c, "dilations", spatialRank, 1, 1);
    window.pads = listOf(c, "pads", 2 * spatialRank, 0, -std::numeric_limits<std::int32_t>::max());
    const std::string_view mode = c.stringAttribute("auto_pad", "NOTSET");
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER")
        window.padding = Padding::Same;
    else if (mode == "VALID")
        window.padding = Padding::Valid;
    window.roundUp = c.intAttribute("ceil_mode", 0) != 0;
    return window;
}

/// What the kernel spans with its holes; kernel and dilation are below 2^31, so it cannot overflow for attributes.
std::int64_t spanOf(std::int64_t kernel, std::int64_t dilation)
{
    if (!isKnown(kernel))
        return kUnknownDim;
    if (kernel == 0)
        failInference("a kernel without elements");
    return addExtents(multiplyExtents(kernel - 1, dilation), 1);
}

/// Number of positions of the window along spatial dimension d of extent `in`.
std::int64_t positionsOf(const Window& window, std::size_t d, std::int64_t in)
{
    const std::int64_t stride = window.strides[d];
    if (!isKnown(in))
        return kUnknownDim;
    if (window.padding == Padding::Same)
        return in / stride + (in % stride != 0);
    const std::int64_t span = spanOf(window.kernel[d], window.dilations[d]);
    if (!isKnown(span))
        return kUnknownDim;
    const bool padded = window.padding == Padding::Explicit;
    const std::int64_t begin = padded ? window.pads[d] : 0;
    const std::int64_t end = padded ? window.pads[window.strides.size() + d] : 0;
    const auto whole = checkedAdd(in, begin + end);
    if (!whole)
        failInference("a size does not fit 63 bits");
    if (*whole < span)
        failInference(fmt::format("a window of {} does not fit an extent of {}", span, *whole));
    const std::int64_t room = *whole - span;
    std::int64_t positions = room / stride + 1;
    // Rounding up may add a last window, but not one that begins in the padding at the end.
    if (window.roundUp && room % stride != 0 && positions * stride < in + begin)
        ++positions;
    return positions;
}

} // namespace

Dims slideWindow(NodeContext& c, const Dims& in, std::int64_t channels, std::optional<std::size_t> weights)
{
    const Window window = windowOf(c, in.size() - 2, weights);
    Dims out{in[0], channels};
    for (std::size_t d = 0; d + 2 < in.size(); ++d)
        out.push_back(positionsOf(window, d, in[d + 2]));
    return out;
}

namespace {

/// Shape of a convolution of input x with weights w (M x C/group x kernel).
void convolve(NodeContext& c, std::size_t x, std::size_t w)
{
    if (!c.hasShape(x)) {
        // The weights' rank is the output's.
        if (c.hasShape(w) && c.rank(w) >= 2) {
            Dims dims(c.rank(w), kUnknownDim);
            dims[1] = c.dims(w)[0];
            c.setDims(0, std::move(dims));
        }
        return;
    }
    const Dims& in = c.dims(x);
    if (in.size() < 2)
        failInference("a convolution needs at least 2 dimensions");
    if (c.hasShape(w) && c.rank(w) != in.size())
        failInference("data and weights have different numbers of dimensions");
    if (c.hasShape(w) && isKnown(in[1]) && isKnown(c.dims(w)[1])) {
        const std::int64_t group = c.intAttribute("group", 1);
        if (group <= 0 || multiplyExtents(c.dims(w)[1], group) != in[1])
            failInference(
                fmt::format("{} channels do not fit weights for {} in {} groups", in[1], c.dims(w)[1], group));
    }
    c.setDims(0, slideWindow(c, in, c.hasShape(w) ? c.dims(w)[0] : kUnknownDim, w));
}

bool convInteger(NodeContext& c)
{
    c.setType(0, Int32);
    convolve(c, 0, 1);
    return true;
}

bool qLinearConv(NodeContext& c)
{
    c.setType(0, c.type(7) != Undefined ? c.type(7) : c.type(0));
    convolve(c, 0, 3);
    return true;
}

/// Spatial extents asked for by ConvTranspose's output_shape (some exporters write batch and channels, too).
std::optional<std::vector<std::int64_t>> wantedSpatial(NodeContext& c, std::size_t spatialRank)
{
    auto wanted = c.intsAttribute("output_shape");
    if (!wanted || wanted->empty())
        return std::nullopt;
    if (wanted->size() == spatialRank + 2)
        wanted->erase(wanted->begin(), wanted->begin() + 2);
    if (wanted->size() != spatialRank || !allKnown(*wanted))
        failInference("output_shape does not fit the data");
    return wanted;
}

bool convTranspose(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || c.rank(0) < 2)
        return true;
    const Dims& in = c.dims(0);
    const std::size_t spatial = in.size() - 2;
    if (c.hasShape(1) && c.rank(1) != in.size())
        failInference("data and weights have different numbers of dimensions");
    const Window window = windowOf(c, spatial, 1);
    const auto extra = listOf(c, "output_padding", spatial, 0, 0);
    const auto wanted = wantedSpatial(c, spatial);
    const std::int64_t group = c.intAttribute("group", 1);
    if (group <= 0)
        failInference("a group count below 1");
    Dims out{in[0], c.hasShape(1) ? multiplyExtents(c.dims(1)[1], group) : kUnknownDim};
    for (std::size_t d = 0; d < spatial; ++d) {
        const std::int64_t extent = in[d + 2];
        const std::int64_t span = spanOf(window.kernel[d], window.dilations[d]);
        if (wanted) {
            out.push_back((*wanted)[d]);
        } else if (!isKnown(extent) || !isKnown(span) || extent == 0) {
            out.push_back(isKnown(extent) && isKnown(span) ? 0 : kUnknownDim);
        } else if (window.padding == Padding::Same) {
            out.push_back(multiplyExtents(extent, window.strides[d]));
        } else {
            const bool padded = window.padding == Padding::Explicit;
            const std::int64_t pads = padded ? window.pads[d] + window.pads[spatial + d] : 0;
            const std::int64_t full
                = addExtents(multiplyExtents(extent - 1, window.strides[d]), addExtents(extra[d], span));
            const auto cropped = checkedAdd(full, -pads);
            if (!cropped || *cropped < 0)
                failInference("the padding is larger than the output");
            out.push_back(*cropped);
        }
    }
    c.setDims(0, std::move(out));
    return true;
}

/// Shape of a pooling of input 0, for output o.
void pool(NodeContext& c, std::size_t o)
{
    if (!c.hasShape(0))
        return;
    const Dims& in = c.dims(0);
    if (in.size() < 2)
        failInference("a pooling needs at least 2 dimensions");
    c.setDims(o, slideWindow(c, in, in[1], std::nullopt));
}

bool poolRule(NodeContext& c)
{
    c.setType(0, c.type(0));
    pool(c, 0);
    return true;
}

bool maxPool(NodeContext& c)
{
    c.setType(0, c.type(0));
    c.setType(1, Int64);
    pool(c, 0);
    pool(c, 1);
    return true;
}

bool globalPool(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    for (std::size_t d = 2; d < dims.size(); ++d)
        dims[d] = 1;
    c.setDims(0, std::move(dims));
    return true;
}

bool maxUnpool(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (c.hasInput(2)) {
        if (auto wanted = shapeOperand(c, 2))
            c.setDims(0, std::move(*wanted));
        return true;
    }
    if (!c.hasShape(0) || c.rank(0) < 2)
        return true;
    const Dims& in = c.dims(0);
    const Window window = windowOf(c, in.size() - 2, std::nullopt);
    Dims out{in[0], in[1]};
    for (std::size_t d = 0; d + 2 < in.size(); ++d) {
        if (!isKnown(in[d + 2]) || in[d + 2] == 0) {
            out.push_back(in[d + 2] == 0 ? 0 : kUnknownDim);
            continue;
        }
        const std::int64_t full = addExtents(multiplyExtents(in[d + 2] - 1, window.strides[d]), window.kernel[d]);
        const auto cropped = checkedAdd(full, -(window.pads[d] + window.pads[window.strides.size() + d]));
        if (!cropped || *cropped < 0)
            failInference("the padding is larger than the output");
        out.push_back(*cropped);
    }
    c.setDims(0, std::move(out));
    return true;
}

/// Regions x channels x height x width.
void setRegions(NodeContext& c, std::int64_t height, std::int64_t width)
{
    if (height < 0 || width < 0)
        failInference("a negative extent");
    const std::int64_t regions = c.hasShape(1) && c.rank(1) > 0 ? c.dims(1)[0] : kUnknownDim;
    const std::int64_t channels = c.hasShape(0) && c.rank(0) > 1 ? c.dims(0)[1] : kUnknownDim;
    c.set(0, c.type(0), {regions, channels, height, width});
}

bool roiAlign(NodeContext& c)
{
    setRegions(c, c.intAttribute("output_height", 1), c.intAttribute("output_width", 1));
    return true;
}

bool maxRoiPool(NodeContext& c)
{
    const auto extents = c.intsAttribute("pooled_shape");
    if (!extents || extents->size() != 2)
        failInference("pooled_shape needs 2 elements");
    setRegions(c, (*extents)[0], (*extents)[1]);
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    {"Conv", convRule},
    {"DeformConv", convRule},
    {"ConvInteger", convInteger},
    {"QLinearConv", qLinearConv},
    {"ConvTranspose", convTranspose},
    {"AveragePool", poolRule},
    {"LpPool", poolRule},
    {"MaxPool", maxPool},
    {"GlobalAveragePool", globalPool},
    {"GlobalMaxPool", globalPool},
    {"GlobalLpPool", globalPool},
    {"MaxUnpool", maxUnpool},
    {"RoiAlign", roiAlign},
    {"MaxRoiPool", maxRoiPool},
};

} // namespace

bool convRule(NodeContext& c)
{
    c.setType(0, c.type(0));
    convolve(c, 0, 1);
    return true;
}

std::span<const ShapeRuleEntry> spatialRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
