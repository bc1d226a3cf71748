// SPDX-License-Identifier: MIT
#include "core/src/import/ncnn/rules.h"

#include <algorithm>
#include <array>

namespace arenascope::ncnn {

namespace {

using layered::Dims;
using layered::isKnown;
using layered::Window;

constexpr std::int64_t kSameUpper = -233; // as a pad: as many as needed for extent / stride, the odd one at the end
constexpr std::int64_t kSameLower = -234; // the odd one in front

/// Numbers of the parameters of one dimension's window; 0: there is none of its own.
struct Ids {
    int kernel, dilation, stride, begin, end;
};
constexpr Ids kWidth{1, 2, 3, 4, 15};
constexpr Ids kHeight{11, 12, 13, 14, 16};
constexpr Ids kDepth{21, 22, 23, 24, 17};

/// A window, and whether its pads follow from the extent.
struct Slide {
    Window window;
    bool isSame = false;
};

Slide slideOf(const NcnnLayer& layer, const Ids& ids, const Slide* usual = nullptr)
{
    Slide slide;
    const Window base = usual ? usual->window : Window{0, 1, 1, 0, 0};
    Window& w = slide.window;
    w.kernel = layer.number(ids.kernel, base.kernel, "the kernel's size", 1);
    w.dilation = layer.number(ids.dilation, base.dilation, "dilation", 1);
    w.stride = layer.number(ids.stride, base.stride, "stride", 1);
    // The height's pads are those of the width, the end's that of the begin, unless they are given.
    std::int64_t begin = layer.params.integer(ids.begin, 0);
    if (usual && !layer.params.has(ids.begin))
        begin = usual->isSame ? kSameUpper : usual->window.padBegin;
    slide.isSame = begin == kSameUpper || begin == kSameLower;
    if (slide.isSame)
        return slide;
    w.padBegin = layer.inRange("pad", begin, 0);
    w.padEnd = layer.number(ids.end, w.padBegin, "pad");
    return slide;
}

std::int64_t slid(const NcnnLayer& layer, std::int64_t extent, const Slide& slide)
{
    if (!slide.isSame)
        return layered::slid(layer, extent, slide.window);
    check(layer, slide.window);
    return layered::mapped(extent, [&](std::int64_t e) {
        if (e < 1)
            layer.mismatch("its input is empty");
        return (e - 1) / slide.window.stride + 1;
    });
}

struct Filters {
    std::int64_t count = 0;
    std::int64_t groups = 1;
    std::int64_t weights = 0;
    bool hasBias = false;
};

Filters filtersOf(const NcnnLayer& layer)
{
    Filters filters;
    filters.count = layer.number(0, 0, "num_output", 1);
    filters.hasBias = layer.number(5, 0, "bias_term", 0, 1) != 0;
    filters.weights = layer.number(6, 0, "weight_data_size");
    const bool isGrouped = layer.op.kind.find("DepthWise") != std::string::npos;
    filters.groups = isGrouped ? layer.number(7, 1, "group", 1) : 1;
    return filters;
}

/// Kernels of `area` elements; the channels follow from the size of the weights where they are not known.
std::int64_t addKernels(NcnnLayer& layer, const Filters& filters, std::int64_t channels, const Dims& kernel)
{
    if (layer.params.integer(19, 0) != 0) // dynamic_weight: they are blobs
        return channels;
    const std::int64_t area = layered::product(layer, kernel);
    const std::int64_t perChannel = layered::product(layer, Dims{area, filters.count});
    if (filters.weights % perChannel != 0)
        layer.bad("weight_data_size " + std::to_string(filters.weights) + " is no multiple of its kernels' "
                  + std::to_string(perChannel) + " elements");
    const std::int64_t found = layered::product(layer, Dims{filters.weights / perChannel, filters.groups});
    if (isKnown(channels) && channels != found)
        layer.mismatch("its weights are for " + std::to_string(found) + " channels, and its input has " + std::to_string(channels));
    Dims dims{filters.count, filters.weights / perChannel};
    dims.insert(dims.end(), kernel.begin(), kernel.end());
    const bool isInt8 = layer.params.integer(8, 0) != 0;
    layer.weight("weight", dims, isInt8 ? ElementType::Int8 : ElementType::Float32);
    if (filters.hasBias)
        layer.weight("bias", {filters.count});
    return found;
}

void fuse(NcnnLayer& layer, int id = 9)
{
    constexpr std::array<std::string_view, 7> kNames = {"", "ReLU", "LeakyReLU", "Clip", "Sigmoid", "Mish", "HardSwish"};
    const std::int64_t type = layer.number(id, 0, "activation_type");
    layer.op.fusedActivation = type < std::ssize(kNames) ? std::string(kNames[static_cast<std::size_t>(type)])
                                                         : "activation " + std::to_string(type);
}

std::vector<Shape> convolution(NcnnLayer& layer)
{
    const Filters filters = filtersOf(layer);
    const Slide x = slideOf(layer, kWidth);
    const Slide y = slideOf(layer, kHeight, &x);
    fuse(layer);
    // A row of numbers under a kernel of 1 x 1 is multiplied as by InnerProduct.
    const Shape& in = layer.input(0);
    if (in.rankKnown && in.dims.size() == 1 && x.window.kernel == 1 && y.window.kernel == 1) {
        addKernels(layer, filters, in.dims[0], {1, 1});
        return layer.all(Shape::of({filters.count}));
    }
    const Picture picture = pictureOf(layer);
    addKernels(layer, filters, picture.c, {y.window.kernel, x.window.kernel});
    const std::int64_t h = slid(layer, picture.h, y);
    return layer.all(Shape::of({filters.count, h, slid(layer, picture.w, x)}));
}

std::vector<Shape> convolution1d(NcnnLayer& layer)
{
    const Filters filters = filtersOf(layer);
    const Slide x = slideOf(layer, kWidth);
    const Shape in = layer.input(0).rankKnown ? layer.input(0) : layered::openShape(2);
    if (in.dims.size() != 2)
        layer.mismatch("it needs two dimensions, and its input is " + toString(in));
    fuse(layer);
    addKernels(layer, filters, in.dims[0], {x.window.kernel});
    return layer.all(Shape::of({filters.count, slid(layer, in.dims[1], x)}));
}

std::vector<Shape> convolution3d(NcnnLayer& layer)
{
    const Filters filters = filtersOf(layer);
    const Slide x = slideOf(layer, kWidth);
    const Slide y = slideOf(layer, kHeight, &x);
    const Slide z = slideOf(layer, kDepth, &x);
    const Shape in = layer.input(0).rankKnown ? layer.input(0) : layered::openShape(4);
    if (in.dims.size() != 4)
        layer.mismatch("it needs four dimensions, and its input is " + toString(in));
    fuse(layer);
    addKernels(layer, filters, in.dims[0], {z.window.kernel, y.window.kernel, x.window.kernel});
    return layer.all(Shape::of({filters.count, slid(layer, in.dims[1], z), slid(layer, in.dims[2], y), slid(layer, in.dims[3], x)}));
}

/// `extra` more at the end, then the pads are cut off; or a size that is said outright.
std::int64_t spread(const NcnnLayer& layer, std::int64_t extent, const Slide& slide, std::int64_t extra, std::int64_t wanted)
{
    if (wanted > 0)
        return wanted;
    const std::int64_t size = layered::spread(layer, extent, slide.window);
    return isKnown(size) ? size + extra : size;
}

std::vector<Shape> deconvolution(NcnnLayer& layer)
{
    const Filters filters = filtersOf(layer);
    const Slide x = slideOf(layer, kWidth);
    const Slide y = slideOf(layer, kHeight, &x);
    const std::int64_t right = layer.number(18, 0, "output_pad_right");
    const std::int64_t bottom = layer.number(19, right, "output_pad_bottom");
    const std::int64_t width = layer.number(20, 0, "output_w");
    const std::int64_t height = layer.number(21, width, "output_h");
    const Picture picture = pictureOf(layer);
    fuse(layer);
    const std::int64_t area = layered::product(layer, Dims{x.window.kernel, y.window.kernel, filters.count});
    if (filters.weights % area != 0)
        layer.bad("weight_data_size " + std::to_string(filters.weights) + " is no multiple of its kernels' " + std::to_string(area)
                  + " elements");
    layer.weight("weight", {filters.count, filters.weights / area, y.window.kernel, x.window.kernel});
    if (filters.hasBias)
        layer.weight("bias", {filters.count});
    return layer.all(Shape::of({filters.count, spread(layer, picture.h, y, bottom, height), spread(layer, picture.w, x, right, width)}));
}

// ---- Pooling

enum class PadMode { Full, Valid, SameUpper, SameLower };

constexpr Ids kPoolWidth{1, 0, 2, 3, 14};
constexpr Ids kPoolHeight{11, 0, 12, 13, 15};

std::int64_t pooled(const NcnnLayer& layer, std::int64_t extent, const Window& window, PadMode mode)
{
    if (mode == PadMode::Full)
        return layered::slidUp(layer, extent, window);
    if (mode == PadMode::Valid)
        return layered::slid(layer, extent, window);
    return slid(layer, extent, {window, true});
}

Window poolWindow(const NcnnLayer& layer, const Ids& ids, const Window& usual)
{
    Window window;
    window.kernel = layer.number(ids.kernel, usual.kernel, "the kernel's size", 1);
    window.stride = layer.number(ids.stride, usual.stride, "stride", 1);
    window.padBegin = layer.number(ids.begin, usual.padBegin, "pad");
    // The right pad follows the left one, the bottom the top.
    window.padEnd = layer.number(ids.end, window.padBegin, "pad");
    return window;
}

std::vector<Shape> pooling(NcnnLayer& layer)
{
    const Picture in = pictureOf(layer);
    if (layer.number(4, 0, "global_pooling", 0, 1) != 0)
        return layer.all(Shape::of({in.c}));
    if (layer.number(7, 0, "adaptive_pooling", 0, 1) != 0) {
        const std::int64_t width = layer.params.integer(8, 0);
        const std::int64_t height = layer.params.integer(18, width);
        const auto wanted = [&](std::int64_t size, std::int64_t extent) {
            return size == -233 ? extent : layer.inRange("the size of the output", size, 1);
        };
        return layer.all(Shape::of({in.c, wanted(height, in.h), wanted(width, in.w)}));
    }
    const Window x = poolWindow(layer, kPoolWidth, {0, 1, 1, 0, 0});
    const Window y = poolWindow(layer, kPoolHeight, x);
    const auto mode = static_cast<PadMode>(layer.number(5, 0, "pad_mode", 0, 3));
    return layer.all(Shape::of({in.c, pooled(layer, in.h, y, mode), pooled(layer, in.w, x, mode)}));
}

std::vector<Shape> pooling1d(NcnnLayer& layer)
{
    const Shape in = layer.input(0).rankKnown ? layer.input(0) : layered::openShape(2);
    if (in.dims.size() != 2)
        layer.mismatch("it needs two dimensions, and its input is " + toString(in));
    if (layer.number(4, 0, "global_pooling", 0, 1) != 0)
        return layer.all(Shape::of({in.dims[0]}));
    if (layer.number(7, 0, "adaptive_pooling", 0, 1) != 0)
        return layer.all(Shape::of({in.dims[0], layer.number(8, 0, "the size of the output", 1)}));
    const Window x = poolWindow(layer, kPoolWidth, {0, 1, 1, 0, 0});
    const auto mode = static_cast<PadMode>(layer.number(5, 0, "pad_mode", 0, 3));
    return layer.all(Shape::of({in.dims[0], pooled(layer, in.dims[1], x, mode)}));
}

/// Squares of 1, 2, 4 ... a side.
std::vector<Shape> pyramid(NcnnLayer& layer)
{
    const std::int64_t height = layer.number(1, 1, "pyramid_height", 1, 15);
    const std::int64_t bins = ((std::int64_t{1} << 2 * height) - 1) / 3;
    return layer.all(Shape::of({layered::product(layer, Dims{pictureOf(layer).c, bins})}));
}

constexpr std::array kRules = {
    RuleEntry{"Convolution", convolution}, RuleEntry{"ConvolutionDepthWise", convolution},
    RuleEntry{"Convolution1D", convolution1d}, RuleEntry{"ConvolutionDepthWise1D", convolution1d},
    RuleEntry{"Convolution3D", convolution3d}, RuleEntry{"ConvolutionDepthWise3D", convolution3d},
    RuleEntry{"Deconvolution", deconvolution}, RuleEntry{"DeconvolutionDepthWise", deconvolution},
    RuleEntry{"Pooling", pooling}, RuleEntry{"Pooling1D", pooling1d}, RuleEntry{"SPP", pyramid},
};

} // namespace

std::span<const RuleEntry> windowRules()
{
    return kRules;
}

} // namespace arenascope::ncnn
