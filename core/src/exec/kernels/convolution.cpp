// SPDX-License-Identifier: MIT
// Conv and ConvTranspose (ONNX operators, opset 1 to 11) on OpenCV's Convolution and Deconvolution.
#include "core/src/exec/layer_kernel.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"
#include "core/src/exec/strided.h"
#include "core/src/exec/window.h"

#include <algorithm>

namespace arenascope::exec {

namespace {

void setList(cv::dnn::LayerParams& params, const char* name, const Dims& list)
{
    const std::vector<int> values(list.begin(), list.end());
    params.set(name, cv::dnn::DictValue::arrayInt(values.data(), static_cast<int>(values.size())));
}

/// OpenCV wants two spatial dimensions at least: a signal is an image of height 1.
void widen(Dims& dims, std::size_t at, std::int64_t extent)
{
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), extent);
}

void widen(Window& window)
{
    for (Dims* list : {&window.kernel, &window.strides, &window.dilations})
        widen(*list, 0, 1);
    for (Dims* list : {&window.padsBegin, &window.padsEnd})
        widen(*list, 0, 0);
}

struct Geometry {
    Window window;
    Dims in;
    Dims weight;
    Dims out;
};

Geometry geometryOf(const Request& request)
{
    request.requireFloatInput(0);
    request.requireFloatInput(1);
    request.requireFloatOutput();
    if (request.rank(0) < 3 || request.rank(0) > 5)
        request.refuse("it has " + std::to_string(request.rank(0)) + " dimensions instead of 3 to 5");
    Geometry g{{}, request.dims(0), request.dims(1), request.outputDims()};
    if (g.weight.size() != g.in.size() || g.out.size() != g.in.size())
        request.refuse("input, weight and output differ in their number of dimensions");
    g.window = windowOf(request, Dims(g.weight.begin() + 2, g.weight.end()), std::span(g.in).subspan(2));
    if (g.in.size() == 3) {
        widen(g.window);
        for (Dims* dims : {&g.in, &g.weight, &g.out})
            widen(*dims, 2, 1);
    }
    return g;
}

/// Weight and bias as blobs, copied by nobody: the views outlive the layer.
std::function<std::vector<cv::Mat>(const ContentFn&)> weightAndBias(const Dims& weight, bool hasBias)
{
    return [shape = matShape(weight), hasBias](const ContentFn& content) {
        std::vector<cv::Mat> blobs{matOver(content(1), shape)};
        if (hasBias) {
            const View bias = content(2);
            blobs.push_back(matOver(bias, {1, static_cast<int>(bias.count)}));
        }
        return blobs;
    };
}

LayerSpec specOf(const Request& request, const char* type, const Geometry& g)
{
    LayerSpec spec;
    spec.type = type;
    spec.operands = {{0, matShape(g.in)}};
    spec.outputs = {matShape(g.out)};
    spec.blobInputs = {1};
    const bool hasBias = request.hasInput(2);
    if (hasBias) {
        request.requireFloatInput(2);
        request.requireInputCount(2, g.out[1]);
        spec.blobInputs.push_back(2);
    }
    spec.isDynamic = !request.isConstant(1) || (hasBias && !request.isConstant(2));
    spec.blobs = weightAndBias(g.weight, hasBias);
    spec.params.set("bias_term", hasBias);
    spec.params.set("group", static_cast<int>(request.integer("group", 1)));
    setList(spec.params, "kernel_size", g.window.kernel);
    setList(spec.params, "stride", g.window.strides);
    setList(spec.params, "dilation", g.window.dilations);
    return spec;
}

Dims withoutChannels(const Dims& spatial)
{
    Dims all{0, 0};
    all.insert(all.end(), spatial.begin(), spatial.end());
    return all;
}

std::unique_ptr<Kernel> makeConv(const Request& request)
{
    Geometry g = geometryOf(request);
    const Dims unpadded = g.in;
    const Dims begin = withoutChannels(g.window.padsBegin);
    const Dims end = withoutChannels(g.window.padsEnd);
    const bool mustPad = !g.window.isSymmetric();
    if (mustPad) { // OpenCV's convolution pads both sides alike
        for (std::size_t i = 0; i < g.in.size(); ++i)
            g.in[i] += begin[i] + end[i];
        std::ranges::fill(g.window.padsBegin, 0);
    }
    LayerSpec spec = specOf(request, "Convolution", g);
    spec.params.set("num_output", static_cast<int>(g.weight[0]));
    setList(spec.params, "pad", g.window.padsBegin);
    auto layer = std::make_unique<LayerKernel>(std::move(spec), request.op());
    if (!mustPad)
        return layer;
    return withPaddedInput(std::move(layer), unpadded, begin, end, 0.0F);
}

/// Computes the whole result in scratch memory and keeps the part that the pads leave.
class CroppedKernel : public Kernel {
public:
    CroppedKernel(std::unique_ptr<Kernel> kernel, Dims whole, Dims begin)
        : m_kernel(std::move(kernel)), m_whole(std::move(whole)), m_begin(std::move(begin)),
          m_wholeBytes(simdAligned(product(m_whole) * static_cast<Bytes>(sizeof(float))))
    {
    }
    void load(ConstantStore& constants) override { m_kernel->load(constants); }
    bool keepsInput(std::size_t i) const override { return m_kernel->keepsInput(i); }
    Bytes scratchBytes() const override { return m_wholeBytes + m_kernel->scratchBytes(); }
    std::string engine() const override { return m_kernel->engine(); }
    void bind(const KernelIo& io) override
    {
        const View whole = wholeIn(io);
        m_kernel->bind({io.in, {&whole, 1}, io.scratch + m_wholeBytes});
    }
    void run(const KernelIo& io) override
    {
        const View whole = wholeIn(io);
        m_kernel->run({io.in, {&whole, 1}, io.scratch + m_wholeBytes});
        const Dims strides = stridesOf(m_whole);
        std::int64_t corner = 0;
        for (std::size_t i = 0; i < strides.size(); ++i)
            corner += strides[i] * m_begin[i];
        Dims kept(io.out[0].dims.begin(), io.out[0].dims.end());
        if (kept.size() < m_whole.size())
            widen(kept, 2, 1);
        copyStrided(ElementType::Float32, kept, io.out[0].data, stridesOf(kept),
                    reinterpret_cast<const std::byte*>(whole.as<float>() + corner), strides);
    }

private:
    View wholeIn(const KernelIo& io) const
    {
        const std::int64_t count = product(m_whole);
        return {io.scratch, ElementType::Float32, m_whole, count, count * static_cast<Bytes>(sizeof(float))};
    }
    std::unique_ptr<Kernel> m_kernel;
    Dims m_whole;
    Dims m_begin;
    Bytes m_wholeBytes;
};

/// Where the result begins in the result without pads. The output's extents say what the pads come to in sum, also where
/// output_shape or auto_pad gives them (ConvTranspose, opset 11).
Dims cropOf(const Request& request, const Geometry& g, const Dims& whole)
{
    const std::string mode = request.text("auto_pad", "NOTSET");
    const bool isGiven = mode == "NOTSET" && !request.has("output_shape");
    Dims begin(g.out.size(), 0);
    for (std::size_t i = 2; i < begin.size(); ++i) {
        const std::int64_t total = whole[i] - g.out[i];
        begin[i] = isGiven ? g.window.padsBegin[i - 2] : mode == "SAME_UPPER" ? total / 2 : total - total / 2;
        if (mode == "VALID")
            begin[i] = 0;
    }
    return begin;
}

std::unique_ptr<Kernel> makeConvTranspose(const Request& request)
{
    Geometry g = geometryOf(request);
    if (g.in.size() != 4)
        request.refuse("OpenCV has it for one or two spatial dimensions only");
    if (std::ranges::any_of(g.window.dilations, [](std::int64_t d) { return d != 1; }))
        request.refuse("OpenCV has it without dilation only");
    Dims extra = request.integers("output_padding");
    if (request.rank(0) == 3 && !extra.empty())
        widen(extra, 0, 0);
    extra.resize(2, 0);
    const auto group = request.integer("group", 1);
    Dims whole{g.in[0], g.weight[1] * group};
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t extent = (g.in[i + 2] - 1) * g.window.strides[i] + g.window.reach(i) + extra[i];
        whole.push_back(std::max(extent, g.out[i + 2])); // output_shape may ask for more than there is
        extra[i] += whole.back() - extent;
    }
    const Dims begin = cropOf(request, g, whole);
    const bool mustCrop = whole != g.out;
    const Dims out = g.out;
    if (mustCrop)
        g.out = whole;
    LayerSpec spec = specOf(request, "Deconvolution", g);
    spec.params.set("num_output", static_cast<int>(whole[1]));
    spec.params.set("adj_h", static_cast<int>(extra[0]));
    spec.params.set("adj_w", static_cast<int>(extra[1]));
    auto layer = std::make_unique<LayerKernel>(std::move(spec), request.op());
    if (!mustCrop)
        return layer;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (begin[i] < 0 || begin[i] + out[i] > whole[i])
            request.refuse("its pads do not fit");
    }
    return std::make_unique<CroppedKernel>(std::move(layer), whole, begin);
}

constexpr KernelEntry kEntries[] = {
    {"Conv", makeConv},
    {"ConvTranspose", makeConvTranspose},
};

} // namespace

std::span<const KernelEntry> convolutionKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
