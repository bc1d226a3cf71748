// SPDX-License-Identifier: MIT
#include "core/src/import/caffe/rules.h"

#include <algorithm>
#include <array>

namespace arenascope::caffe {

namespace {

using layered::Dims;
using layered::isKnown;
using layered::Window;

/// The i-th of numbers that may be one for all.
std::int64_t nth(const CaffeLayer& layer, const google::protobuf::RepeatedField<std::int64_t>& values, std::size_t i,
                 std::size_t count, std::int64_t usual, const char* name)
{
    const auto size = static_cast<std::size_t>(values.size());
    if (size > 1 && size != count)
        layer.bad("it has " + std::to_string(size) + " values of " + name + " for " + std::to_string(count) + " dimensions");
    return size == 0 ? usual : values.Get(size == 1 ? 0 : static_cast<int>(i));
}

/// The windows of all spatial dimensions, outermost first.
std::vector<Window> windowsOf(const CaffeLayer& layer, const ConvolutionParameter& c, std::size_t count)
{
    std::vector<Window> windows;
    for (std::size_t i = 0; i < count; ++i) {
        Window w;
        w.kernel = nth(layer, c.kernel_size(), i, count, 0, "kernel_size");
        w.stride = nth(layer, c.stride(), i, count, 1, "stride");
        w.dilation = nth(layer, c.dilation(), i, count, 1, "dilation");
        w.padBegin = nth(layer, c.pad(), i, count, 0, "pad");
        windows.push_back(w);
    }
    if (count == 2) {
        Window& y = windows[0];
        Window& x = windows[1];
        y.kernel = c.has_kernel_h() ? c.kernel_h() : y.kernel;
        x.kernel = c.has_kernel_w() ? c.kernel_w() : x.kernel;
        y.stride = c.has_stride_h() ? c.stride_h() : y.stride;
        x.stride = c.has_stride_w() ? c.stride_w() : x.stride;
        y.padBegin = c.has_pad_h() ? c.pad_h() : y.padBegin;
        x.padBegin = c.has_pad_w() ? c.pad_w() : x.padBegin;
    }
    for (Window& w : windows) {
        w.padEnd = w.padBegin;
        layered::check(layer, w);
    }
    return windows;
}

/// How layers with kernels differ: transposed ones spread, depth-wise ones have a group for each channel.
struct Style {
    bool isTransposed = false;
    bool isDepthwise = false;
};

std::vector<Shape> convolvedBy(CaffeLayer& layer, Style style)
{
    const ConvolutionParameter& c = layer.p.convolution_param();
    const Shape in = layer.blob(0);
    const std::size_t axis = layered::axisOf(layer, c.axis(), in.dims.size());
    const std::size_t spatial = in.dims.size() - axis - 1;
    const std::vector<Window> windows = windowsOf(layer, c, spatial);
    const std::int64_t channels = in.dims[axis];
    const std::int64_t filters = layer.inRange("num_output", c.num_output(), 1);
    const std::int64_t groups = style.isDepthwise && isKnown(channels) ? std::max<std::int64_t>(channels, 1)
                                                                       : layer.inRange("group", c.group(), 1);
    const std::int64_t perGroup = layered::divided(layer, channels, groups, "channels by groups");
    const std::int64_t filtersPerGroup = layered::divided(layer, filters, groups, "num_output by groups");
    Dims kernel = style.isTransposed ? Dims{channels, filtersPerGroup} : Dims{filters, perGroup};
    for (const Window& w : windows)
        kernel.push_back(w.kernel);
    layer.nextWeight("weight", kernel);
    if (c.bias_term())
        layer.nextWeight("bias", {filters});
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i < layer.outputs.size(); ++i) { // each output goes with an input
        Shape out = i < layer.in.size() ? layer.blob(i, in.dims.size()) : in;
        if (out.dims.size() != in.dims.size())
            layer.mismatch("its inputs have " + toString(in) + " and " + toString(out));
        out.dims[axis] = filters;
        for (std::size_t d = 0; d < spatial; ++d) {
            std::int64_t& extent = out.dims[axis + 1 + d];
            extent = style.isTransposed ? layered::spread(layer, extent, windows[d]) : layered::slid(layer, extent, windows[d]);
        }
        shapes.push_back(out);
    }
    return shapes;
}

std::vector<Shape> convolution(CaffeLayer& layer)
{
    return convolvedBy(layer, {});
}

std::vector<Shape> depthwise(CaffeLayer& layer)
{
    return convolvedBy(layer, {false, true});
}

std::vector<Shape> deconvolution(CaffeLayer& layer)
{
    return convolvedBy(layer, {true, false});
}

/// Rounded up, but a window that would begin in the padding behind is left out.
std::int64_t pooledExtent(const CaffeLayer& layer, std::int64_t extent, const Window& window, bool roundsUp)
{
    if (!roundsUp)
        return layered::slid(layer, extent, window);
    const std::int64_t count = layered::slidUp(layer, extent, window);
    if (!isKnown(count) || window.padBegin == 0)
        return count;
    return (count - 1) * window.stride >= extent + window.padBegin ? count - 1 : count;
}

std::vector<Shape> pooling(CaffeLayer& layer)
{
    const PoolingParameter& q = layer.p.pooling_param();
    Shape out = layer.picture(0);
    if (q.global_pooling()) {
        out.dims[2] = out.dims[3] = 1;
        return layer.all(out);
    }
    const bool roundsUp = q.round_mode() == PoolingParameter::CEIL && q.ceil_mode();
    const Window y{q.has_kernel_h() ? q.kernel_h() : q.kernel_size(), q.has_stride_h() ? q.stride_h() : q.stride(), 1,
                   q.has_pad_h() ? q.pad_h() : q.pad(), q.has_pad_h() ? q.pad_h() : q.pad()};
    const Window x{q.has_kernel_w() ? q.kernel_w() : q.kernel_size(), q.has_stride_w() ? q.stride_w() : q.stride(), 1,
                   q.has_pad_w() ? q.pad_w() : q.pad(), q.has_pad_w() ? q.pad_w() : q.pad()};
    layered::check(layer, y);
    layered::check(layer, x);
    if (y.padBegin >= y.kernel || x.padBegin >= x.kernel)
        layer.bad("its padding is not smaller than its kernel");
    out.dims[2] = pooledExtent(layer, out.dims[2], y, roundsUp);
    out.dims[3] = pooledExtent(layer, out.dims[3], x, roundsUp);
    return layer.all(out);
}

/// Squares of 1, 2, 4 ... a side.
std::vector<Shape> pyramid(CaffeLayer& layer)
{
    const Shape in = layer.picture(0);
    const std::int64_t height = layer.inRange("pyramid_height", layer.p.spp_param().pyramid_height(), 1, 15);
    const std::int64_t bins = ((std::int64_t{1} << 2 * height) - 1) / 3;
    return layer.all(Shape::of({in.dims[0], layered::product(layer, Dims{in.dims[1], bins})}));
}

std::int64_t interpolated(const CaffeLayer& layer, std::int64_t extent, std::int64_t wanted)
{
    const InterpParameter& q = layer.p.interp_param();
    if (wanted > 0)
        return layer.inRange("the size of the output", wanted, 1);
    const std::int64_t zoom = layer.inRange("zoom_factor", q.zoom_factor(), 1);
    const std::int64_t shrink = layer.inRange("shrink_factor", q.shrink_factor(), 1);
    return layered::mapped(extent, [&](std::int64_t e) {
        // The paddings are zero or negative: they cut off.
        const std::int64_t cut = e + layer.inRange("pad_beg", q.pad_beg(), -layered::kLargestExtent, 0)
            + layer.inRange("pad_end", q.pad_end(), -layered::kLargestExtent, 0);
        layer.inRange("what the padding leaves", cut, 1);
        const std::int64_t shrunk = (cut - 1) / shrink + 1;
        return shrunk + (shrunk - 1) * (zoom - 1);
    });
}

std::vector<Shape> interp(CaffeLayer& layer)
{
    const InterpParameter& q = layer.p.interp_param();
    Shape out = layer.picture(0);
    if (layer.in.size() > 1) { // as large as the second blob
        const Shape like = layer.blob(1);
        if (like.dims.size() == 4)
            std::copy(like.dims.begin() + 2, like.dims.end(), out.dims.begin() + 2);
        return layer.all(out);
    }
    out.dims[2] = interpolated(layer, out.dims[2], q.height());
    out.dims[3] = interpolated(layer, out.dims[3], q.width());
    return layer.all(out);
}

std::vector<Shape> upsample(CaffeLayer& layer)
{
    const UpsampleParameter& q = layer.p.upsample_param();
    Shape out = layer.picture(0);
    const auto wanted = [&](std::int64_t extent, std::int64_t size, std::int64_t scale, bool isLess) {
        if (size > 0)
            return layer.inRange("the size of the output", size, 1);
        layer.inRange("scale", scale, 1);
        return layered::mapped(extent, [&](std::int64_t e) { return e * scale - (isLess ? 1 : 0); });
    };
    out.dims[2] = wanted(out.dims[2], q.upsample_h(), q.has_scale_h() ? q.scale_h() : q.scale(), q.pad_out_h());
    out.dims[3] = wanted(out.dims[3], q.upsample_w(), q.has_scale_w() ? q.scale_w() : q.scale(), q.pad_out_w());
    return layer.all(out);
}

constexpr std::array kRules = {
    RuleEntry{"Convolution", convolution}, RuleEntry{"ConvolutionDepthwise", depthwise}, RuleEntry{"DepthwiseConvolution", depthwise},
    RuleEntry{"Deconvolution", deconvolution}, RuleEntry{"Pooling", pooling}, RuleEntry{"SPP", pyramid}, RuleEntry{"Interp", interp},
    RuleEntry{"Upsample", upsample},
};

} // namespace

std::span<const RuleEntry> windowRules()
{
    return kRules;
}

} // namespace arenascope::caffe
