// SPDX-License-Identifier: MIT
#include "core/src/import/darknet/rules.h"

#include <algorithm>
#include <array>

namespace arenascope::darknet {

namespace {

using layered::Dims;
using layered::isKnown;
using layered::Window;

/// What a layer reads as a picture; a row of numbers is one pixel with many channels.
struct Image {
    std::int64_t c = kUnknownDim;
    std::int64_t h = kUnknownDim;
    std::int64_t w = kUnknownDim;
};

Image imageOf(const layered::Layer& layer, std::size_t input = 0)
{
    const Shape& shape = layer.input(input);
    if (!shape.rankKnown)
        return {};
    if (shape.dims.size() == 2)
        return {shape.dims[1], 1, 1};
    return {shape.dims.at(1), shape.dims.at(2), shape.dims.at(3)};
}

Shape image(const DarknetLayer& layer, std::int64_t c, std::int64_t h, std::int64_t w)
{
    return Shape::of({layer.batch, c, h, w});
}

Shape row(const DarknetLayer& layer, std::int64_t count)
{
    return Shape::of({layer.batch, count});
}

/// What a window leaves of a picture, height first.
Shape slid(const DarknetLayer& layer, std::int64_t channels, const Image& in, const Window& y, const Window& x)
{
    const std::int64_t h = layered::slid(layer, in.h, y);
    return image(layer, channels, h, layered::slid(layer, in.w, x));
}

std::int64_t countOf(const layered::Layer& layer)
{
    const Image in = imageOf(layer);
    return layered::product(layer, Dims{in.c, in.h, in.w});
}

void fuse(DarknetLayer& layer, std::string_view usual)
{
    const std::string activation = layer.section.text("activation", usual);
    if (activation != "linear")
        layer.op.fusedActivation = activation;
}

/// Biases, and what batch normalisation adds to them: scales, means and variances.
void addBiases(DarknetLayer& layer, const std::string& prefix, std::int64_t count)
{
    layer.weight(prefix + "biases", {count});
    if (layer.option("batch_normalize", 0) == 0)
        return;
    for (const char* name : {"scales", "rolling_mean", "rolling_variance"})
        layer.weight(prefix + name, {count});
}

/// What convolutions read of their section.
struct Filters {
    std::int64_t count = 1;
    std::int64_t size = 1;
    std::int64_t groups = 1;
    Window x;
    Window y;
};

Filters filtersOf(DarknetLayer& layer, const std::string& countKey = "filters", std::int64_t usualSize = 1)
{
    Filters filters;
    filters.count = layer.option(countKey, 1, 1);
    filters.size = layer.option("size", usualSize, 1);
    filters.groups = layer.option("groups", 1, 1);
    const std::int64_t stride = layer.option("stride", 1, 1);
    // pad=1 means half the kernel; a number of pixels is called padding.
    const std::int64_t pad = layer.option("pad", 0) != 0 ? filters.size / 2 : layer.option("padding", 0);
    // Darknet's formula leaves dilation out: it pads by as much more as the kernel reaches further.
    filters.x = {filters.size, layer.option("stride_x", stride, 1), 1, pad, pad};
    filters.y = {filters.size, layer.option("stride_y", stride, 1), 1, pad, pad};
    return filters;
}

void addKernels(DarknetLayer& layer, const std::string& prefix, const Filters& filters, std::int64_t channels)
{
    const std::int64_t perGroup = layered::divided(layer, channels, filters.groups, "channels by groups");
    layered::divided(layer, filters.count, filters.groups, "filters by groups");
    layer.weight(prefix + "weights", {filters.count, perGroup, filters.size, filters.size});
    addBiases(layer, prefix, filters.count);
}

Shape convolutional(DarknetLayer& layer)
{
    const Image in = imageOf(layer);
    Filters filters = filtersOf(layer);
    fuse(layer, "logistic");
    // A layer with share_index uses the weights of another one.
    if (!layer.section.has("share_index"))
        addKernels(layer, "", filters, in.c);
    const std::int64_t antialiasing = layer.option("antialiasing", 0);
    if (antialiasing == 0)
        return slid(layer, filters.count, in, filters.y, filters.x);
    // The kernels go on by one, a blur that follows by the stride.
    Window blur{antialiasing == 2 ? 2 : 3, filters.x.stride, 1, antialiasing == 2 ? 0 : 1, antialiasing == 2 ? 0 : 1};
    filters.x.stride = filters.y.stride = 1;
    const std::int64_t h = layered::slid(layer, in.h, filters.y);
    const std::int64_t w = layered::slid(layer, in.w, filters.x);
    const std::int64_t inner = layered::product(layer, Dims{layer.batch, filters.count, h, w});
    layer.op.workspace = isKnown(inner) ? checkedMultiply(inner, 4).value_or(0) : 0;
    return slid(layer, filters.count, {filters.count, h, w}, blur, blur);
}

Shape deconvolutional(DarknetLayer& layer)
{
    const Image in = imageOf(layer);
    const Filters filters = filtersOf(layer);
    fuse(layer, "logistic");
    addKernels(layer, "", filters, in.c);
    const std::int64_t h = layered::spread(layer, in.h, filters.y);
    return image(layer, filters.count, h, layered::spread(layer, in.w, filters.x));
}

/// Without pad the picture shrinks by the kernel, not by one less: Darknet's local_out_height() is so.
Shape local(DarknetLayer& layer)
{
    const Image in = imageOf(layer);
    const std::int64_t filters = layer.option("filters", 1, 1);
    const std::int64_t size = layer.option("size", 1, 1);
    const std::int64_t stride = layer.option("stride", 1, 1);
    const std::int64_t lost = layer.option("pad", 0) != 0 ? 1 : size;
    const auto fits = [&](std::int64_t extent) {
        if (extent < lost)
            layer.mismatch("its kernel is larger than its input");
        return (extent - lost) / stride + 1;
    };
    const std::int64_t h = layered::mapped(in.h, fits);
    const std::int64_t w = layered::mapped(in.w, fits);
    fuse(layer, "logistic");
    layer.weight("weights", {h, w, filters, in.c, size, size});
    layer.weight("biases", {filters, h, w});
    return image(layer, filters, h, w);
}

/// `padding` counts both sides together, and is one less than the kernel where it is not given.
Shape pooled(DarknetLayer& layer)
{
    const Image in = imageOf(layer);
    const std::int64_t stride = layer.option("stride", 1, 1);
    const std::int64_t size = layer.option("size", stride, 1);
    const std::int64_t padding = layer.option("padding", size - 1);
    if (layer.option("maxpool_depth", 0) != 0)
        return image(layer, layer.option("out_channels", 1, 1), in.h, in.w);
    const Window x{size, layer.option("stride_x", stride, 1), 1, padding, 0};
    const Window y{size, layer.option("stride_y", stride, 1), 1, padding, 0};
    return slid(layer, in.c, in, y, x);
}

Shape pooledToOne(DarknetLayer& layer)
{
    return image(layer, imageOf(layer).c, 1, 1);
}

Shape route(DarknetLayer& layer)
{
    const std::int64_t groups = layer.option("groups", 1, 1);
    layer.option("group_id", 0, 0, groups - 1);
    layer.op.attributes["axis"] = std::int64_t{1};
    bool areRows = true;
    for (const Shape& shape : layer.in)
        areRows = areRows && shape.rankKnown && shape.dims.size() == 2;
    Image sum{0, kUnknownDim, kUnknownDim};
    for (std::size_t i = 0; i < layer.in.size(); ++i) {
        const Image part = imageOf(layer, i);
        sum.h = layered::agreed(layer, sum.h, part.h);
        sum.w = layered::agreed(layer, sum.w, part.w);
        const std::int64_t c = layered::divided(layer, part.c, groups, "channels by groups");
        sum.c = isKnown(c) && isKnown(sum.c) ? sum.c + c : kUnknownDim;
    }
    return areRows ? row(layer, sum.c) : image(layer, sum.c, sum.h, sum.w);
}

Shape shortcut(DarknetLayer& layer)
{
    layer.input(1);
    fuse(layer, "linear");
    const std::string weights = layer.section.text("weights_type", "none");
    const std::int64_t sources = std::ssize(layer.in);
    if (weights == "per_feature" || weights == "per_layer")
        layer.weight("weights", {sources});
    else if (weights == "per_channel")
        layer.weight("weights", {sources, imageOf(layer).c});
    return layer.input(0);
}

Shape scaleChannels(DarknetLayer& layer)
{
    layer.input(1);
    fuse(layer, "linear");
    const Image scales = imageOf(layer, 0);
    const Image scaled = imageOf(layer, 1);
    if (layer.option("scale_wh", 0) == 0) {
        layered::agreed(layer, scales.c, scaled.c);
    } else {
        layered::agreed(layer, scales.h, scaled.h);
        layered::agreed(layer, scales.w, scaled.w);
    }
    return layer.input(1);
}

Shape attended(DarknetLayer& layer)
{
    const Image weights = imageOf(layer, 0);
    const Image weighted = imageOf(layer, 1);
    fuse(layer, "linear");
    const std::int64_t c = layered::agreed(layer, weights.c, weighted.c);
    const std::int64_t h = layered::agreed(layer, weights.h, weighted.h);
    return image(layer, c, h, layered::agreed(layer, weights.w, weighted.w));
}

/// A negative stride makes the picture smaller.
Shape upsample(DarknetLayer& layer)
{
    const Image in = imageOf(layer);
    const std::int64_t stride = layer.option("stride", 2, -layered::kLargestExtent);
    if (stride == 0)
        layer.bad("stride is 0");
    const auto scaled = [stride](std::int64_t extent) { return stride > 0 ? extent * stride : extent / -stride; };
    return image(layer, in.c, layered::mapped(in.h, scaled), layered::mapped(in.w, scaled));
}

Shape reorg(DarknetLayer& layer)
{
    const Image in = imageOf(layer);
    const std::int64_t stride = layer.option("stride", 1, 1, 1 << 15);
    if (layer.option("reverse", 0) != 0)
        return image(layer, layered::divided(layer, in.c, stride * stride, "channels by the stride's square"),
                     layered::product(layer, Dims{in.h, stride}), layered::product(layer, Dims{in.w, stride}));
    const auto shrunk = [stride](std::int64_t extent) { return extent / stride; };
    return image(layer, layered::product(layer, Dims{in.c, stride * stride}), layered::mapped(in.h, shrunk),
                 layered::mapped(in.w, shrunk));
}

/// Detection heads keep the shape of their input, whose channels they define.
Shape head(DarknetLayer& layer, std::int64_t perBox)
{
    const std::int64_t boxes = layer.section.has("mask") ? std::ssize(layer.section.integers("mask"))
                                                         : layer.option("num", 1, 1);
    const std::int64_t channels = layered::product(layer, Dims{boxes, perBox});
    const Image in = imageOf(layer);
    if (isKnown(in.c) && in.c != channels)
        layer.mismatch("it wants " + std::to_string(channels) + " channels (" + std::to_string(boxes) + " boxes of "
                       + std::to_string(perBox) + " numbers) and gets " + std::to_string(in.c));
    return image(layer, channels, in.h, in.w);
}

Shape yolo(DarknetLayer& layer)
{
    return head(layer, layer.option("classes", 20) + 5);
}

Shape gaussianYolo(DarknetLayer& layer)
{
    return head(layer, layer.option("classes", 20) + 9);
}

Shape region(DarknetLayer& layer)
{
    return head(layer, layer.option("classes", 20) + layer.option("coords", 4) + 1);
}

Shape detection(DarknetLayer& layer)
{
    const std::int64_t perCell = layer.option("num", 1, 1) * (layer.option("coords", 1) + 1) + layer.option("classes", 1);
    const std::int64_t side = layer.option("side", 7, 1);
    const std::int64_t wanted = layered::product(layer, Dims{side, side, perCell});
    const std::int64_t got = countOf(layer);
    if (isKnown(got) && got != wanted)
        layer.mismatch("it wants " + std::to_string(wanted) + " numbers and gets " + std::to_string(got));
    return row(layer, wanted);
}

Shape connected(DarknetLayer& layer)
{
    const std::int64_t count = layer.option("output", 1, 1);
    fuse(layer, "logistic");
    layer.weight("weights", {count, countOf(layer)});
    addBiases(layer, "", count);
    return row(layer, count);
}

Shape kept(DarknetLayer& layer)
{
    return layer.input(0);
}

Shape activated(DarknetLayer& layer)
{
    fuse(layer, "linear");
    return layer.input(0);
}

Shape batchNormalized(DarknetLayer& layer)
{
    for (const char* name : {"biases", "scales", "rolling_mean", "rolling_variance"})
        layer.weight(name, {imageOf(layer).c});
    return layer.input(0);
}

Shape cropped(DarknetLayer& layer)
{
    return image(layer, imageOf(layer).c, layer.option("crop_height", 1, 1), layer.option("crop_width", 1, 1));
}

void addConnected(DarknetLayer& layer, const std::string& name, std::int64_t inputs, std::int64_t outputs)
{
    layer.weight(name + ".weights", {outputs, inputs});
    addBiases(layer, name + ".", outputs);
}

void addState(DarknetLayer& layer, const std::string& name, const Dims& dims)
{
    layer.op.inputs.push_back(layer.net.addVariable(layer.op.name + "." + name, dims));
}

/// Gates that read the input and gates that read the last output.
Shape gated(DarknetLayer& layer, std::initializer_list<const char*> ofInput, std::initializer_list<const char*> ofState)
{
    const std::int64_t outputs = layer.option("output", 1, 1);
    for (const char* gate : ofInput)
        addConnected(layer, gate, countOf(layer), outputs);
    for (const char* gate : ofState)
        addConnected(layer, gate, outputs, outputs);
    addState(layer, "state", {layer.batch, outputs});
    return row(layer, outputs);
}

Shape lstm(DarknetLayer& layer)
{
    const Shape shape = gated(layer, {"uf", "ui", "ug", "uo"}, {"wf", "wi", "wg", "wo"});
    addState(layer, "cell", shape.dims);
    return shape;
}

Shape gru(DarknetLayer& layer)
{
    return gated(layer, {"wz", "wr", "wh"}, {"uz", "ur", "uh"});
}

/// Where `hidden` is missing, the layer is as wide inside as outside (pjreddie's later versions).
Shape rnn(DarknetLayer& layer)
{
    const std::int64_t outputs = layer.option("output", 1, 1);
    const std::int64_t hidden = layer.option("hidden", outputs, 1);
    addConnected(layer, "input", countOf(layer), hidden);
    addConnected(layer, "self", hidden, hidden);
    addConnected(layer, "output", hidden, outputs);
    addState(layer, "state", {layer.batch, hidden});
    return row(layer, outputs);
}

Shape crnn(DarknetLayer& layer)
{
    const Image in = imageOf(layer);
    Filters filters = filtersOf(layer, "output_filters", 3);
    Filters hidden = filters;
    hidden.count = layer.option("hidden_filters", 1, 1);
    addKernels(layer, "input.", hidden, in.c);
    addKernels(layer, "self.", hidden, hidden.count);
    addKernels(layer, "output.", filters, hidden.count);
    fuse(layer, "logistic");
    const std::int64_t h = layered::slid(layer, in.h, filters.y);
    const std::int64_t w = layered::slid(layer, in.w, filters.x);
    addState(layer, "state", {layer.batch, hidden.count, h, w});
    return image(layer, filters.count, h, w);
}

struct Named {
    std::string_view kind;
    Rule rule;
    Wiring wiring = Wiring::Previous;
};

constexpr std::array kRules = {
    Named{"convolutional", convolutional}, Named{"conv", convolutional}, Named{"deconvolutional", deconvolutional},
    Named{"deconv", deconvolutional}, Named{"local", local}, Named{"maxpool", pooled}, Named{"max", pooled},
    Named{"local_avgpool", pooled}, Named{"local_avg", pooled}, Named{"avgpool", pooledToOne}, Named{"avg", pooledToOne},
    Named{"route", route, Wiring::Route}, Named{"shortcut", shortcut, Wiring::PreviousAndFrom},
    Named{"scale_channels", scaleChannels, Wiring::PreviousAndFrom}, Named{"sam", attended, Wiring::PreviousAndFrom},
    Named{"upsample", upsample}, Named{"reorg", reorg}, Named{"reorg3d", reorg}, Named{"yolo", yolo},
    Named{"Gaussian_yolo", gaussianYolo}, Named{"region", region}, Named{"detection", detection}, Named{"connected", connected},
    Named{"conn", connected}, Named{"softmax", kept}, Named{"soft", kept}, Named{"dropout", kept}, Named{"lrn", kept},
    Named{"normalization", kept}, Named{"l2norm", kept}, Named{"logistic", kept}, Named{"logxent", kept}, Named{"empty", kept},
    Named{"silence", kept}, Named{"activation", activated}, Named{"batchnorm", batchNormalized}, Named{"crop", cropped},
    Named{"lstm", lstm}, Named{"gru", gru}, Named{"rnn", rnn}, Named{"crnn", crnn}, Named{"cost", kept, Wiring::Training},
    Named{"implicit_weights", nullptr, Wiring::Nothing},
};

const Named* find(std::string_view kind)
{
    const auto found = std::ranges::find(kRules, kind, &Named::kind);
    return found == kRules.end() ? nullptr : found;
}

} // namespace

Rule findRule(std::string_view kind)
{
    const Named* named = find(kind);
    return named ? named->rule : nullptr;
}

Wiring wiringOf(std::string_view kind)
{
    const Named* named = find(kind);
    return named ? named->wiring : Wiring::Previous;
}

bool isDetection(std::string_view kind)
{
    return kind == "yolo" || kind == "Gaussian_yolo" || kind == "region" || kind == "detection";
}

} // namespace arenascope::darknet
