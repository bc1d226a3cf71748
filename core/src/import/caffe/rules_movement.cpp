// SPDX-License-Identifier: MIT
#include "core/src/import/caffe/rules.h"

#include <algorithm>
#include <array>
#include <optional>

namespace arenascope::caffe {

namespace {

using layered::Dims;
using layered::isKnown;
using layered::unknownShape;

/// Axes in 0 .. rank, which ends a range; from -rank - 1 on they count from the end.
std::size_t borderOf(const CaffeLayer& layer, std::int64_t axis, std::size_t rank)
{
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count - 1 || axis > count)
        layer.bad("axis " + std::to_string(axis) + " is none of a tensor with " + std::to_string(rank) + " dimensions");
    return static_cast<std::size_t>(axis < 0 ? axis + count + 1 : axis);
}

std::vector<Shape> concat(CaffeLayer& layer)
{
    const ConcatParameter& q = layer.p.concat_param();
    const Shape& first = layer.input(0);
    if (!first.rankKnown)
        return layer.all(unknownShape());
    const std::size_t axis = layered::axisOf(layer, q.has_concat_dim() ? q.concat_dim() : q.axis(), first.dims.size());
    layer.op.attributes["axis"] = static_cast<std::int64_t>(axis);
    return layer.all(layered::concatenated(layer, axis));
}

/// At the points, or into equal pieces.
std::vector<Shape> slice(CaffeLayer& layer)
{
    const SliceParameter& q = layer.p.slice_param();
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    const std::size_t axis = layered::axisOf(layer, q.has_slice_dim() ? q.slice_dim() : q.axis(), in.dims.size());
    layer.op.attributes["axis"] = static_cast<std::int64_t>(axis);
    const std::size_t count = layer.outputs.size();
    const std::int64_t whole = in.dims[axis];
    std::vector<Shape> pieces(count, in);
    if (q.slice_point().empty()) {
        const std::int64_t share = layered::divided(layer, whole, static_cast<std::int64_t>(count), "its input by its outputs");
        for (Shape& piece : pieces)
            piece.dims[axis] = share;
        return pieces;
    }
    if (static_cast<std::size_t>(q.slice_point_size()) + 1 != count)
        layer.bad("it has " + std::to_string(q.slice_point_size()) + " points for " + std::to_string(count) + " outputs");
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const bool isLast = i + 1 == count;
        const std::int64_t end = isLast ? whole : q.slice_point(static_cast<int>(i));
        if (isKnown(end) && (end <= begin || (isKnown(whole) && end > whole)))
            layer.mismatch("its points do not rise within the " + toString(Shape::of({whole})) + " of its input");
        pieces[i].dims[axis] = isKnown(end) ? end - begin : kUnknownDim;
        begin = end;
    }
    return pieces;
}

std::vector<Shape> reshape(CaffeLayer& layer)
{
    const ReshapeParameter& q = layer.p.reshape_param();
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    const std::size_t rank = in.dims.size();
    const std::size_t begin = borderOf(layer, q.axis(), rank);
    const std::int64_t last = static_cast<std::int64_t>(rank - begin);
    const std::size_t end = q.num_axes() == -1 ? rank
                                               : begin + static_cast<std::size_t>(layer.inRange("num_axes", q.num_axes(), 0, last));
    Dims dims(in.dims.begin(), in.dims.begin() + static_cast<std::ptrdiff_t>(begin));
    std::optional<std::size_t> open;
    for (int i = 0; i < q.shape().dim_size(); ++i) {
        const std::int64_t value = q.shape().dim(i);
        const std::size_t from = begin + static_cast<std::size_t>(i);
        if (value == -1 && open)
            layer.bad("two dimensions are left open");
        if (value == -1)
            open = dims.size();
        if (value == 0 && from >= rank)
            layer.bad("dimension " + std::to_string(i) + " should be kept, and its input has none there");
        dims.push_back(value == 0 ? in.dims[from] : value == -1 ? 1 : layer.inRange("the new extent", value, 1));
    }
    dims.insert(dims.end(), in.dims.begin() + static_cast<std::ptrdiff_t>(end), in.dims.end());
    const std::int64_t total = product(layer, in, 0, rank);
    return layer.all(layered::reshaped(layer, std::move(dims), open, total));
}

std::vector<Shape> flatten(CaffeLayer& layer)
{
    const FlattenParameter& q = layer.p.flatten_param();
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(layered::openShape(2));
    const std::size_t rank = in.dims.size();
    const std::size_t begin = layered::axisOf(layer, q.axis(), rank);
    const std::size_t end = layered::axisOf(layer, q.end_axis(), rank) + 1;
    if (end <= begin)
        layer.bad("it ends before it begins");
    Dims dims(in.dims.begin(), in.dims.begin() + static_cast<std::ptrdiff_t>(begin));
    dims.push_back(product(layer, in, begin, end));
    dims.insert(dims.end(), in.dims.begin() + static_cast<std::ptrdiff_t>(end), in.dims.end());
    return layer.all(Shape::of(dims));
}

/// What is not named follows in its order.
std::vector<Shape> permute(CaffeLayer& layer)
{
    const Shape in = layer.blob(0);
    const std::size_t rank = in.dims.size();
    std::vector<bool> isTaken(rank, false);
    Dims dims;
    for (const std::int64_t axis : layer.p.permute_param().order()) {
        const std::size_t from = layered::axisOf(layer, layer.inRange("order", axis, 0), rank);
        if (isTaken[from])
            layer.bad("dimension " + std::to_string(axis) + " is named twice");
        isTaken[from] = true;
        dims.push_back(in.dims[from]);
    }
    for (std::size_t i = 0; i < rank; ++i) {
        if (!isTaken[i])
            dims.push_back(in.dims[i]);
    }
    return layer.all(Shape::of(dims));
}

/// As large as the second blob from the axis on.
std::vector<Shape> crop(CaffeLayer& layer)
{
    const Shape& in = layer.input(0);
    const Shape& like = layer.input(1);
    if (!in.rankKnown || !like.rankKnown)
        return layer.all(in.rankKnown ? layered::openShape(in.dims.size()) : unknownShape());
    if (like.dims.size() != in.dims.size())
        layer.mismatch("it crops " + toString(in) + " to " + toString(like));
    Shape out = in;
    for (std::size_t i = layered::axisOf(layer, layer.p.crop_param().axis(), in.dims.size()); i < in.dims.size(); ++i) {
        if (isKnown(in.dims[i]) && isKnown(like.dims[i]) && like.dims[i] > in.dims[i])
            layer.mismatch("it crops " + toString(in) + " to " + toString(like));
        out.dims[i] = like.dims[i];
    }
    return layer.all(out);
}

std::vector<Shape> tile(CaffeLayer& layer)
{
    Shape out = layer.blob(0);
    std::int64_t& extent = out.dims[layered::axisOf(layer, layer.p.tile_param().axis(), out.dims.size())];
    extent = layered::product(layer, Dims{extent, layer.inRange("tiles", layer.p.tile_param().tiles(), 1)});
    return layer.all(out);
}

std::vector<Shape> reorg(CaffeLayer& layer)
{
    Shape out = layer.picture(0);
    const std::int64_t stride = layer.inRange("stride", layer.p.reorg_param().stride(), 1, 1 << 15);
    const bool isReverse = layer.p.reorg_param().reverse();
    out.dims[1] = isReverse ? layered::divided(layer, out.dims[1], stride * stride, "channels by the stride's square")
                            : layered::product(layer, Dims{out.dims[1], stride * stride});
    for (const std::size_t i : {std::size_t{2}, std::size_t{3}})
        out.dims[i] = isReverse ? layered::product(layer, Dims{out.dims[i], stride})
                                : layered::divided(layer, out.dims[i], stride, "its sides by the stride");
    return layer.all(out);
}

std::vector<Shape> batchReindex(CaffeLayer& layer)
{
    Shape out = layer.blob(0);
    const Shape order = layer.blob(1, 1);
    if (out.dims.empty() || order.dims.empty())
        layer.mismatch("it needs a batch, and which of its items to take");
    out.dims[0] = order.dims[0];
    return layer.all(out);
}

/// The items of a batch that a selector keeps: at most all.
std::vector<Shape> filter(CaffeLayer& layer)
{
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) {
        shapes.push_back(layer.input(i));
        if (shapes.back().isStatic() && !shapes.back().dims.empty())
            layer.bounded(i, shapes.back(), 0, "the whole batch");
    }
    return shapes;
}

std::vector<Shape> reduction(CaffeLayer& layer)
{
    const Shape& in = layer.input(0);
    const std::int64_t axis = layer.p.reduction_param().axis();
    if (axis == 0)
        return layer.all(Shape::of({}));
    if (!in.rankKnown)
        return layer.all(unknownShape());
    const std::size_t begin = layered::axisOf(layer, axis, in.dims.size());
    return layer.all(Shape::of(Dims(in.dims.begin(), in.dims.begin() + static_cast<std::ptrdiff_t>(begin))));
}

constexpr std::array kRules = {
    RuleEntry{"Concat", concat}, RuleEntry{"Slice", slice}, RuleEntry{"Reshape", reshape}, RuleEntry{"Flatten", flatten},
    RuleEntry{"Permute", permute}, RuleEntry{"Crop", crop}, RuleEntry{"Tile", tile}, RuleEntry{"Reorg", reorg},
    RuleEntry{"BatchReindex", batchReindex}, RuleEntry{"Filter", filter}, RuleEntry{"Reduction", reduction},
};

} // namespace

std::span<const RuleEntry> movementRules()
{
    return kRules;
}

} // namespace arenascope::caffe
