// SPDX-License-Identifier: MIT
#include "core/src/import/layered/layer.h"

#include "core/src/import/layered/failure.h"

#include <algorithm>

namespace arenascope::layered {

void Layer::bad(const std::string& what) const
{
    fail(ErrorCode::FileCorrupt, where, {what});
}

void Layer::mismatch(const std::string& what) const
{
    fail(ErrorCode::ShapeMismatch, where, {op.name.empty() ? op.kind : op.name, what});
}

void Layer::bounded(std::size_t output, const Shape& shape, std::size_t axis, const std::string& parameter)
{
    isBounded = true;
    if (output >= outputs.size() || net.isGiven(outputs[output]))
        return;
    const std::string& name = outputs[output];
    std::string pattern;
    for (std::size_t i = 0; i < shape.dims.size(); ++i)
        pattern += (i == 0 ? "" : "x") + (i == axis ? std::string("N") : std::to_string(shape.dims[i]));
    net.findings().add(Severity::Note, {ErrorCode::AssumedDim, where,
                                        {std::to_string(axis) + " of '" + name + "', which hangs on the data,",
                                         std::to_string(shape.dims[axis]) + " (" + parameter + ")",
                                         "--shape " + name + "=" + pattern}});
}

void Layer::unknownKind()
{
    net.findings().add(Severity::Warning, {ErrorCode::Unsupported, where,
                                           {"Layer kind '" + op.kind + "'", "The shapes of what it makes are not known; give them with --shape."}});
}

const Shape& Layer::input(std::size_t i) const
{
    if (i >= in.size())
        mismatch("it reads " + std::to_string(in.size()) + " blobs and needs " + std::to_string(i + 1));
    return in[i];
}

void Layer::weight(const std::string& suffix, const Dims& dims, ElementType type)
{
    op.inputs.push_back(net.addWeight(op.name + "." + suffix, dims, type));
}

std::int64_t Layer::inRange(const std::string& name, std::int64_t value, std::int64_t low, std::int64_t high) const
{
    if (value < low || value > high)
        bad(name + " is " + std::to_string(value) + ", not from " + std::to_string(low) + " to " + std::to_string(high));
    return value;
}

bool isKnown(std::int64_t dim)
{
    return dim != kUnknownDim;
}

Shape unknownShape()
{
    return {};
}

Shape openShape(std::size_t rank)
{
    return Shape::of(Dims(rank, kUnknownDim));
}

std::int64_t product(const Layer& layer, const Dims& dims)
{
    std::int64_t result = 1;
    for (const std::int64_t dim : dims) {
        if (!isKnown(dim))
            return kUnknownDim;
        const auto next = checkedMultiply(result, dim);
        if (!next)
            layer.mismatch("the number of its elements does not fit 63 bits");
        result = *next;
    }
    return result;
}

std::int64_t product(const Layer& layer, const Shape& shape, std::size_t begin, std::size_t end)
{
    return product(layer, Dims(shape.dims.begin() + static_cast<std::ptrdiff_t>(begin),
                               shape.dims.begin() + static_cast<std::ptrdiff_t>(end)));
}

std::int64_t mapped(std::int64_t dim, const std::function<std::int64_t(std::int64_t)>& f)
{
    return isKnown(dim) ? f(dim) : kUnknownDim;
}

std::int64_t agreed(const Layer& layer, std::int64_t a, std::int64_t b)
{
    if (isKnown(a) && isKnown(b) && a != b)
        layer.mismatch("extents of " + std::to_string(a) + " and " + std::to_string(b) + " should be equal");
    return isKnown(a) ? a : b;
}

std::int64_t divided(const Layer& layer, std::int64_t dim, std::int64_t divisor, const std::string& what)
{
    if (!isKnown(dim))
        return kUnknownDim;
    if (divisor < 1 || dim % divisor != 0)
        layer.mismatch(what + ": " + std::to_string(dim) + " cannot be divided by " + std::to_string(divisor));
    return dim / divisor;
}

std::size_t axisOf(const Layer& layer, std::int64_t axis, std::size_t rank)
{
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count)
        layer.bad("axis " + std::to_string(axis) + " is none of a tensor with " + std::to_string(rank) + " dimensions");
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

void check(const Layer& layer, const Window& window)
{
    layer.inRange("the kernel's size", window.kernel, 1);
    layer.inRange("the stride", window.stride, 1);
    layer.inRange("the dilation", window.dilation, 1);
    layer.inRange("the padding", window.padBegin, 0);
    layer.inRange("the padding", window.padEnd, 0);
    layer.inRange("what the kernel reaches over", window.reach(), 1);
}

namespace {

std::int64_t slackOf(const Layer& layer, std::int64_t extent, const Window& window)
{
    check(layer, window);
    const std::int64_t padded = extent + window.padBegin + window.padEnd;
    if (padded < window.reach())
        layer.mismatch("its kernel reaches over " + std::to_string(window.reach()) + " of only " + std::to_string(padded)
                       + " (padding included)");
    return padded - window.reach();
}

} // namespace

std::int64_t slid(const Layer& layer, std::int64_t extent, const Window& window)
{
    return mapped(extent, [&](std::int64_t e) { return slackOf(layer, e, window) / window.stride + 1; });
}

std::int64_t slidUp(const Layer& layer, std::int64_t extent, const Window& window)
{
    return mapped(extent, [&](std::int64_t e) {
        return (slackOf(layer, e, window) + window.stride - 1) / window.stride + 1;
    });
}

std::int64_t spread(const Layer& layer, std::int64_t extent, const Window& window)
{
    check(layer, window);
    return mapped(extent, [&](std::int64_t e) {
        const std::int64_t size = window.stride * (e - 1) + window.reach() - window.padBegin - window.padEnd;
        if (size < 1)
            layer.mismatch("its padding takes away all that it makes");
        return size;
    });
}

Shape reshaped(const Layer& layer, Dims dims, std::optional<std::size_t> open, std::int64_t total)
{
    const std::int64_t rest = product(layer, dims);
    const bool areKnown = isKnown(total) && isKnown(rest);
    if (open)
        dims[*open] = areKnown ? divided(layer, total, rest, "elements by the other extents") : kUnknownDim;
    else if (areKnown && total != rest)
        layer.mismatch("it makes " + std::to_string(rest) + " elements of " + std::to_string(total));
    return Shape::of(std::move(dims));
}

Shape concatenated(const Layer& layer, std::size_t axis)
{
    Shape whole = layer.input(0);
    for (std::size_t i = 1; i < layer.in.size(); ++i) {
        const Shape& next = layer.in[i];
        if (!whole.rankKnown || !next.rankKnown)
            return unknownShape();
        if (next.dims.size() != whole.dims.size())
            layer.mismatch("it joins " + toString(whole) + " and " + toString(next));
        for (std::size_t d = 0; d < whole.dims.size(); ++d) {
            const bool isKnownSum = isKnown(whole.dims[d]) && isKnown(next.dims[d]);
            if (d == axis)
                whole.dims[d] = isKnownSum ? whole.dims[d] + next.dims[d] : kUnknownDim;
            else if (isKnownSum && whole.dims[d] != next.dims[d])
                layer.mismatch("it joins " + toString(whole) + " and " + toString(next) + " along dimension "
                               + std::to_string(axis));
            else
                whole.dims[d] = agreed(layer, whole.dims[d], next.dims[d]);
        }
    }
    return whole;
}

Result<ImportedModel> readLayered(const std::function<ImportedModel()>& read)
{
    try {
        return read();
    } catch (const Failure& failure) {
        return failure.error;
    }
}

} // namespace arenascope::layered
