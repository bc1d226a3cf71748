// SPDX-License-Identifier: MIT
#include "core/src/import/ncnn/rules.h"

#include <algorithm>
#include <array>
#include <optional>

namespace arenascope::ncnn {

namespace {

using layered::Dims;
using layered::isKnown;
using layered::openShape;
using layered::unknownShape;

std::vector<Shape> kept(NcnnLayer& layer)
{
    return layer.all(layer.input(0));
}

std::vector<Shape> concat(NcnnLayer& layer)
{
    const Shape& first = layer.input(0);
    if (!first.rankKnown)
        return layer.all(unknownShape());
    const std::size_t axis = layered::axisOf(layer, layer.params.integer(0, 0), first.dims.size());
    layer.op.attributes["axis"] = static_cast<std::int64_t>(axis);
    return layer.all(layered::concatenated(layer, axis));
}

/// Sizes along the axis, of which -233 means an equal share of what is left; or where each piece but the first begins.
std::vector<Shape> slice(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    const std::size_t axis = layered::axisOf(layer, layer.params.integer(1, 0), in.dims.size());
    layer.op.attributes["axis"] = static_cast<std::int64_t>(axis);
    const Dims sizes = layer.params.integers(0);
    const Dims borders = layer.params.integers(2);
    const std::size_t count = layer.outputs.size();
    if (borders.empty() ? sizes.size() != count : borders.size() + 1 != count)
        layer.bad("it makes " + std::to_string(count) + " pieces, and its parameters say " +
                  std::to_string(borders.empty() ? sizes.size() : borders.size() + 1));
    std::vector<Shape> pieces;
    const std::int64_t whole = in.dims[axis];
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t size = kUnknownDim;
        if (!borders.empty() && i + 1 < count)
            size = borders[i] < 0 && isKnown(whole) ? whole + borders[i] - begin : borders[i] - begin;
        else if (borders.empty() && sizes[i] != -233)
            size = sizes[i];
        else if (isKnown(whole))
            size = (whole - begin) / (borders.empty() ? static_cast<std::int64_t>(count - i) : 1);
        if (isKnown(whole) && (size < 0 || size > whole - begin))
            layer.mismatch("its pieces do not fit the " + std::to_string(whole) + " of its input");
        pieces.push_back(in);
        pieces.back().dims[axis] = size < 0 ? kUnknownDim : size;
        begin += std::max<std::int64_t>(size, 0);
    }
    return pieces;
}

std::vector<Shape> shuffled(NcnnLayer& layer)
{
    layered::divided(layer, pictureOf(layer).c, layer.number(0, 1, "group", 1), "channels by groups");
    return layer.all(layer.input(0));
}

/// 0 keeps the extent of the input, -1 takes what is left, -233 means that there is no such dimension.
std::vector<Shape> reshape(NcnnLayer& layer)
{
    constexpr std::array kIds = {0, 1, 11, 2}; // width, height, depth, channels
    const Shape& in = layer.input(0);
    if (!layer.params.has(0)) // sizes by an expression over the inputs
        return layer.all(unknownShape());
    std::array<std::int64_t, 4> wanted{};
    for (std::size_t i = 0; i < kIds.size(); ++i)
        wanted[i] = layer.params.integer(kIds[i], -233);
    const bool hasDepth = wanted[2] != -233;
    const std::size_t rank = wanted[1] == -233 ? 1 : wanted[3] == -233 ? 2 : hasDepth ? 4 : 3;
    // Outermost first: channels, depth, height, width.
    Dims order = rank == 4 ? Dims{3, 2, 1, 0} : rank == 3 ? Dims{3, 1, 0} : rank == 2 ? Dims{1, 0} : Dims{0};
    const std::size_t inRank = in.dims.size();
    const auto ofInput = [&](std::int64_t which) { // the input's width, height, depth or channels
        if (!in.rankKnown || inRank == 0)
            return kUnknownDim;
        if (which == 3)
            return inRank >= 3 ? in.dims.front() : 1;
        const auto fromEnd = static_cast<std::size_t>(which);
        const bool isThere = fromEnd < inRank && !(which == 2 && inRank < 4);
        return isThere ? in.dims[inRank - 1 - fromEnd] : 1;
    };
    const std::int64_t total = in.rankKnown ? product(layer, in, 0, inRank) : kUnknownDim;
    Dims dims;
    std::optional<std::size_t> open;
    for (const std::int64_t which : order) {
        const std::int64_t value = wanted[static_cast<std::size_t>(which)];
        if (value == -1 && open)
            layer.bad("two extents are left open");
        if (value == -1)
            open = dims.size();
        dims.push_back(value == 0 ? ofInput(which) : value == -1 ? 1 : layer.inRange("the new extent", value, 1));
    }
    return layer.all(layered::reshaped(layer, std::move(dims), open, total));
}

std::vector<Shape> flatten(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    return layer.all(Shape::of({in.rankKnown ? product(layer, in, 0, in.dims.size()) : kUnknownDim}));
}

/// Orders in ncnn's numbering; the letters name what becomes width, height, depth and channels, from the innermost on.
std::vector<Shape> permute(NcnnLayer& layer)
{
    constexpr std::array<std::string_view, 2> kTwo = {"wh", "hw"};
    constexpr std::array<std::string_view, 6> kThree = {"whc", "hwc", "wch", "cwh", "hcw", "chw"};
    constexpr std::array<std::string_view, 24> kFour = {"whdc", "hwdc", "wdhc", "dwhc", "hdwc", "dhwc", "whcd", "hwcd",
                                                        "wchd", "cwhd", "hcwd", "chwd", "wdch", "dwch", "wcdh", "cwdh",
                                                        "dcwh", "cdwh", "hdcw", "dhcw", "hcdw", "chdw", "dchw", "cdhw"};
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    const std::size_t rank = in.dims.size();
    const std::int64_t most = rank == 2 ? std::ssize(kTwo) : rank == 3 ? std::ssize(kThree) : rank == 4 ? std::ssize(kFour) : 1;
    const auto order = static_cast<std::size_t>(layer.number(0, 0, "order_type", 0, most - 1));
    if (rank < 2 || rank > 4)
        return layer.all(in);
    const std::string_view letters = rank == 2 ? kTwo[order] : rank == 3 ? kThree[order] : kFour[order];
    const std::string_view plain = rank == 2 ? kTwo[0] : rank == 3 ? kThree[0] : kFour[0];
    Shape out = in;
    for (std::size_t i = 0; i < rank; ++i)
        out.dims[rank - 1 - i] = in.dims[rank - 1 - plain.find(letters[i])];
    return layer.all(out);
}

/// Rows above and below, columns left and right, channels (or depth) in front and behind.
std::vector<Shape> padding(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    if (!in.rankKnown || layer.in.size() > 1) // a second blob says how much
        return layer.all(in.rankKnown ? openShape(in.dims.size()) : unknownShape());
    const auto added = [&](int first, int second) {
        return layer.number(first, 0, "pad") + layer.number(second, 0, "pad");
    };
    const std::array<std::int64_t, 3> extra = {added(2, 3), added(0, 1), added(7, 8)}; // width, height, outermost
    Shape out = in;
    const std::size_t rank = out.dims.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(rank, 3); ++i) {
        std::int64_t& dim = out.dims[rank - 1 - i];
        dim = isKnown(dim) ? dim + extra[i] : dim;
    }
    return layer.all(out);
}

/// Along one dimension: from `offset` on, `wanted` elements, or up to `fromEnd` before the end.
std::int64_t cut(const NcnnLayer& layer, std::int64_t extent, std::int64_t offset, std::int64_t wanted, std::int64_t fromEnd)
{
    if (wanted == -233)
        return layered::mapped(extent, [&](std::int64_t e) {
            return layer.inRange("what the crop leaves", e - offset - fromEnd, 1);
        });
    if (isKnown(extent) && wanted > extent - offset)
        layer.mismatch("it takes " + std::to_string(wanted) + " from " + std::to_string(offset) + " on of only "
                       + std::to_string(extent));
    return layer.inRange("what the crop leaves", wanted, 1);
}

std::vector<Shape> crop(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    Shape out = in;
    const std::size_t rank = in.dims.size();
    if (layer.in.size() > 1) { // as large as the second blob
        const Shape& like = layer.input(1);
        for (std::size_t i = 0; i < rank; ++i) {
            const bool isThere = like.rankKnown && i < like.dims.size();
            if (isThere)
                out.dims[rank - 1 - i] = like.dims[like.dims.size() - 1 - i];
            else if (!like.rankKnown)
                out.dims[rank - 1 - i] = kUnknownDim;
        }
        return layer.all(out);
    }
    if (layer.params.count(9) > 0) {
        const Dims starts = layer.params.integers(9);
        const Dims ends = layer.params.integers(10);
        Dims axes = layer.params.integers(11);
        for (std::size_t i = axes.size(); axes.size() < starts.size(); ++i)
            axes.push_back(static_cast<std::int64_t>(i));
        if (ends.size() != starts.size() || axes.size() != starts.size())
            layer.bad("its starts, ends and axes are not equally many");
        for (std::size_t i = 0; i < starts.size(); ++i) {
            std::int64_t& dim = out.dims[layered::axisOf(layer, axes[i], rank)];
            dim = layered::mapped(dim, [&](std::int64_t e) {
                const std::int64_t begin = starts[i] == -233 ? 0 : starts[i] < 0 ? e + starts[i] : starts[i];
                const std::int64_t end = ends[i] == -233 ? e : ends[i] < 0 ? e + ends[i] : std::min(ends[i], e);
                return layer.inRange("what the crop leaves", end - begin, 1);
            });
        }
        return layer.all(out);
    }
    struct Side { int offset, wanted, fromEnd; };
    constexpr Side kWidth{0, 3, 6}, kHeight{1, 4, 7}, kDepth{13, 14, 15}, kChannels{2, 5, 8};
    const std::vector<Side> sides = rank == 1 ? std::vector{kWidth} : rank == 2 ? std::vector{kWidth, kHeight}
        : rank == 3 ? std::vector{kWidth, kHeight, kChannels} : std::vector{kWidth, kHeight, kDepth, kChannels};
    for (std::size_t i = 0; i < std::min(sides.size(), rank); ++i) {
        std::int64_t& dim = out.dims[rank - 1 - i];
        const std::int64_t wanted = layer.params.integer(sides[i].wanted, 0);
        dim = cut(layer, dim, layer.number(sides[i].offset, 0, "offset"), wanted == 0 ? -233 : wanted,
                  layer.number(sides[i].fromEnd, 0, "offset from the end"));
    }
    return layer.all(out);
}

/// By factors, or to a size; a second blob gives one, too.
std::vector<Shape> interp(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    const std::size_t rank = in.dims.size();
    const bool hasReference = layer.in.size() > 1;
    const auto scaled = [&](std::int64_t extent, int sizeId, int factorId) {
        const std::int64_t size = layer.number(sizeId, 0, "the size of the output");
        if (size > 0 || !isKnown(extent))
            return size > 0 ? size : kUnknownDim;
        const double factor = layer.params.real(factorId, 1.0);
        const double result = static_cast<double>(extent) * factor;
        if (!(result >= 1 && result <= static_cast<double>(layered::kLargestExtent)))
            layer.bad("factor " + std::to_string(factor) + " makes no picture of " + std::to_string(extent));
        return static_cast<std::int64_t>(result);
    };
    const auto wanted = [&](std::size_t fromEnd, int sizeId, int factorId, std::int64_t extent) {
        if (!hasReference)
            return scaled(extent, sizeId, factorId);
        const Shape& like = layer.input(1);
        return like.rankKnown && fromEnd < like.dims.size() ? like.dims[like.dims.size() - 1 - fromEnd] : kUnknownDim;
    };
    if (rank == 2)
        return layer.all(Shape::of({in.dims[0], wanted(0, 4, 2, in.dims[1])}));
    const bool isRow = rank == 1; // each number becomes a channel
    const Dims from = isRow ? Dims{in.dims[0], 1, 1} : in.dims;
    if (from.size() != 3)
        layer.mismatch("it needs channels, height and width, and its input is " + toString(in));
    return layer.all(Shape::of({from[0], wanted(1, 3, 1, from[1]), wanted(0, 4, 2, from[2])}));
}

std::vector<Shape> pixelShuffle(NcnnLayer& layer)
{
    const Picture in = pictureOf(layer);
    const std::int64_t factor = layer.number(0, 1, "upscale_factor", 1, 1 << 15);
    return layer.all(Shape::of({layered::divided(layer, in.c, factor * factor, "channels by the factor's square"),
                                layered::product(layer, Dims{in.h, factor}), layered::product(layer, Dims{in.w, factor})}));
}

std::vector<Shape> reorg(NcnnLayer& layer)
{
    const Picture in = pictureOf(layer);
    const std::int64_t stride = layer.number(0, 1, "stride", 1, 1 << 15);
    const auto shrunk = [stride](std::int64_t extent) { return extent / stride; };
    return layer.all(Shape::of({layered::product(layer, Dims{in.c, stride * stride}), layered::mapped(in.h, shrunk),
                                layered::mapped(in.w, shrunk)}));
}

/// Which axes parameter `listId` names, or the flags of width, height, depth and channels.
std::vector<bool> chosenAxes(const NcnnLayer& layer, std::size_t rank, int listId, bool hasFlags)
{
    std::vector<bool> chosen(rank, false);
    for (const std::int64_t axis : layer.params.integers(listId))
        chosen[layered::axisOf(layer, axis, rank)] = true;
    if (!hasFlags || layer.params.count(listId) > 0)
        return chosen;
    const std::array<int, 4> ids = {0, 1, 11, 2}; // width, height, depth, channels
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t fromEnd = rank - 1 - i;
        const bool isChannel = rank > 2 && i == 0;
        chosen[i] = layer.params.integer(isChannel ? 2 : ids[std::min<std::size_t>(fromEnd, 2)], 0) != 0;
    }
    return chosen;
}

std::vector<Shape> squeeze(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    if (!in.isStatic())
        return layer.all(unknownShape());
    const auto chosen = chosenAxes(layer, in.dims.size(), 3, true);
    Dims dims;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (!chosen[i] || in.dims[i] != 1)
            dims.push_back(in.dims[i]);
    }
    return layer.all(Shape::of(dims.empty() ? Dims{1} : dims));
}

std::vector<Shape> expandDims(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    const Dims axes = layer.params.integers(3);
    if (!in.rankKnown || axes.empty() || axes.size() > 3)
        return layer.all(unknownShape());
    const std::size_t rank = in.dims.size() + axes.size();
    std::vector<bool> isNew(rank, false);
    for (const std::int64_t axis : axes)
        isNew[layered::axisOf(layer, axis, rank)] = true;
    if (static_cast<std::size_t>(std::count(isNew.begin(), isNew.end(), true)) != axes.size())
        layer.bad("an axis is named twice");
    Dims dims;
    std::size_t next = 0;
    for (std::size_t i = 0; i < rank; ++i)
        dims.push_back(isNew[i] ? 1 : in.dims[next++]);
    return layer.all(Shape::of(dims));
}

std::vector<Shape> reduction(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    const std::size_t rank = in.dims.size();
    const bool keeps = layer.number(4, 0, "keepdims", 0, 1) != 0;
    auto chosen = layer.params.integer(1, 1) != 0 ? std::vector<bool>(rank, true) : chosenAxes(layer, rank, 3, false);
    Dims dims;
    for (std::size_t i = 0; i < rank; ++i) {
        if (chosen[i] && keeps)
            dims.push_back(1);
        else if (!chosen[i])
            dims.push_back(in.dims[i]);
    }
    return layer.all(Shape::of(dims.empty() ? Dims{1} : dims));
}

std::vector<Shape> tile(NcnnLayer& layer)
{
    const Shape& in = layer.input(0);
    if (!in.rankKnown)
        return layer.all(unknownShape());
    Shape out = in;
    Dims repeats = layer.params.integers(2);
    if (repeats.empty()) {
        repeats.assign(in.dims.size(), 1);
        if (!repeats.empty())
            repeats[layered::axisOf(layer, layer.params.integer(0, 0), in.dims.size())] = layer.number(1, 1, "tiles", 1);
    }
    while (out.dims.size() < repeats.size() && out.dims.size() < 4)
        out.dims.insert(out.dims.begin(), 1);
    if (repeats.size() > out.dims.size())
        layer.bad("it repeats along more dimensions than there are");
    const std::size_t offset = out.dims.size() - repeats.size();
    for (std::size_t i = 0; i < repeats.size(); ++i)
        out.dims[offset + i] = layered::product(layer, Dims{out.dims[offset + i], layer.inRange("repeats", repeats[i], 1)});
    return layer.all(out);
}

constexpr std::array kRules = {
    RuleEntry{"Concat", concat}, RuleEntry{"Slice", slice}, RuleEntry{"Split", kept}, RuleEntry{"ShuffleChannel", shuffled},
    RuleEntry{"Reshape", reshape}, RuleEntry{"Flatten", flatten}, RuleEntry{"Permute", permute}, RuleEntry{"Padding", padding},
    RuleEntry{"Crop", crop}, RuleEntry{"Interp", interp}, RuleEntry{"PixelShuffle", pixelShuffle}, RuleEntry{"Reorg", reorg},
    RuleEntry{"Squeeze", squeeze}, RuleEntry{"ExpandDims", expandDims}, RuleEntry{"Reduction", reduction}, RuleEntry{"Tile", tile},
};

} // namespace

std::span<const RuleEntry> movementRules()
{
    return kRules;
}

} // namespace arenascope::ncnn
