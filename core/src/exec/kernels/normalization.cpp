// SPDX-License-Identifier: MIT
// Normalisation and softmax: OpenCV's BatchNorm, LRN and Softmax, and one loop for those that OpenCV lacks or has in part.
#include "core/src/exec/layer_kernel.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"

#include <algorithm>
#include <cmath>

namespace arenascope::exec {

namespace {

std::unique_ptr<Kernel> makeBatchNormalization(const Request& request)
{
    for (std::size_t i = 0; i < 5; ++i)
        request.requireFloatInput(i);
    if (request.integer("training_mode", 0) != 0 || request.hasOutput(1))
        request.refuse("it is in training mode");
    if (request.opset() > 0 && request.opset() < 9 && request.integer("spatial", 1) == 0)
        request.refuse("it has statistics for each position");
    const Dims& dims = request.dims(0);
    if (dims.size() < 2)
        request.refuse("it has no channels");
    LayerSpec spec;
    spec.type = "BatchNorm";
    // Planes of one row: what lies where within a plane does not matter.
    const std::vector<int> shape = matShape(Dims{dims[0], dims[1], 1, product(dims, 2, dims.size())});
    spec.operands = {{0, shape}};
    spec.outputs = {shape};
    spec.inPlaceInputs = {0};
    spec.blobInputs = {1, 2, 3, 4};
    for (const std::size_t i : spec.blobInputs) {
        request.requireInputCount(i, dims[1]);
        spec.isDynamic |= !request.isConstant(i);
    }
    request.requireLike(0);
    spec.params.set("eps", request.real("epsilon", 1e-5));
    spec.params.set("has_weight", true);
    spec.params.set("has_bias", true);
    const int channels = shape[1];
    spec.blobs = [channels](const ContentFn& content) {
        std::vector<cv::Mat> blobs;
        for (const std::size_t input : {3, 4, 1, 2}) // mean, variance, scale, bias
            blobs.push_back(matOver(content(input), {1, channels}));
        return blobs;
    };
    return std::make_unique<LayerKernel>(std::move(spec), request.op());
}

std::unique_ptr<Kernel> makeLrn(const Request& request)
{
    request.requireFloatInput(0);
    if (request.rank(0) != 4)
        request.refuse("OpenCV has it for images only");
    const std::int64_t size = request.integer("size", 1);
    if (size < 1 || size % 2 == 0)
        request.refuse("OpenCV has it for odd sizes only");
    LayerSpec spec;
    spec.type = "LRN";
    spec.operands = {{0, matShape(request.dims(0))}};
    spec.outputs = {matShape(request.outputDims())};
    spec.params.set("local_size", static_cast<int>(size));
    spec.params.set("alpha", request.real("alpha", 1e-4));
    spec.params.set("beta", request.real("beta", 0.75));
    spec.params.set("bias", request.real("bias", 1.0));
    spec.params.set("norm_region", "ACROSS_CHANNELS");
    spec.params.set("norm_by_size", true);
    return std::make_unique<LayerKernel>(std::move(spec), request.op());
}

/// Up to opset 12 all dimensions from `axis` (default 1) on are one; later `axis` (default the last) alone.
template <bool isLog>
std::unique_ptr<Kernel> makeSoftmax(const Request& request)
{
    request.requireFloatInput(0);
    request.requireLike(0);
    const Dims& dims = request.dims(0);
    const bool isOld = request.opset() > 0 && request.opset() < 13;
    if (dims.empty())
        request.refuse("it has a scalar operand");
    // In old versions an axis equal to the rank is legal, too, but empty.
    const std::size_t axis = request.axis(request.integer("axis", isOld ? 1 : -1), dims.size());
    const std::size_t end = isOld ? dims.size() : axis + 1;
    LayerSpec spec;
    spec.type = "Softmax";
    const std::vector<int> shape = matShape(
        Dims{product(dims, 0, axis), product(dims, axis, end), product(dims, end, dims.size())});
    spec.operands = {{0, shape}};
    spec.outputs = {shape};
    spec.params.set("axis", 1);
    spec.params.set("log_softmax", isLog);
    return std::make_unique<LayerKernel>(std::move(spec), request.op());
}

/// Runs of elements that are normalised together: mean 0, variance 1 (or the length of the run 1), then scaled and shifted
/// by channel.
class RunNormalizer : public Kernel {
public:
    std::int64_t runs = 0;
    std::int64_t length = 0;
    std::int64_t channels = 1;      ///< of scale and bias, along the runs (perRun) or in each
    std::int64_t perChannel = 1;    ///< elements in a row that have one scale
    double epsilon = 0.0;
    bool isEpsilonOfDeviation = false; ///< added to the deviation instead of the variance
    std::optional<std::size_t> scale;
    std::optional<std::size_t> bias;

    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        const float* gain = scale ? io.in[*scale].as<float>() : nullptr;
        const float* shift = bias ? io.in[*bias].as<float>() : nullptr;
        auto* means = optional(io, 1);
        auto* inverses = optional(io, 2);
        for (std::int64_t r = 0; r < runs; ++r) {
            const float* in = io.in[0].as<float>() + r * length;
            float* out = io.out[0].as<float>() + r * length;
            const double mean = sumOf(length, [&](std::int64_t i) { return double{in[i]}; }) / static_cast<double>(length);
            const double squares = sumOf(length, [&](std::int64_t i) { return (in[i] - mean) * (in[i] - mean); });
            const double variance = squares / static_cast<double>(length);
            const double inverse = isEpsilonOfDeviation ? 1.0 / (std::sqrt(variance) + epsilon)
                                                        : 1.0 / std::sqrt(variance + epsilon);
            const Line line{in, out, static_cast<float>(mean), static_cast<float>(inverse)};
            if (perChannel == 1 && channels == length)
                scaleEach(line, gain, shift);
            else
                scaleByChannel(line, r, gain, shift);
            if (means != nullptr)
                means[r] = static_cast<float>(mean);
            if (inverses != nullptr)
                inverses[r] = static_cast<float>(inverse);
        }
    }

private:
    struct Line {
        const float* in;
        float* out;
        float mean;
        float inverse;
    };

    /// Four sums side by side: the processor need not wait for one addition before it begins the next.
    template <class Value>
    static double sumOf(std::int64_t count, Value&& value)
    {
        double sums[4] = {};
        std::int64_t i = 0;
        for (; i + 4 <= count; i += 4) {
            for (int k = 0; k < 4; ++k)
                sums[k] += value(i + k);
        }
        for (; i < count; ++i)
            sums[0] += value(i);
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    void scaleEach(const Line& line, const float* gain, const float* shift) const
    {
        for (std::int64_t i = 0; i < length; ++i)
            line.out[i] = (line.in[i] - line.mean) * line.inverse * (gain != nullptr ? gain[i] : 1.0F)
                + (shift != nullptr ? shift[i] : 0.0F);
    }

    void scaleByChannel(const Line& line, std::int64_t run, const float* gain, const float* shift) const
    {
        for (std::int64_t i = 0; i < length;) {
            const std::int64_t at = run * length + i;
            const std::int64_t channel = at / perChannel % channels;
            const std::int64_t end = std::min(length, i + perChannel - at % perChannel);
            const float factor = line.inverse * (gain != nullptr ? gain[channel] : 1.0F);
            const float addend = shift != nullptr ? shift[channel] : 0.0F;
            for (; i < end; ++i)
                line.out[i] = (line.in[i] - line.mean) * factor + addend;
        }
    }

    static float* optional(const KernelIo& io, std::size_t i)
    {
        return i < io.out.size() && io.out[i].isGiven() ? io.out[i].as<float>() : nullptr;
    }
};

std::unique_ptr<Kernel> makeInstanceNormalization(const Request& request)
{
    for (std::size_t i = 0; i < 3; ++i)
        request.requireFloatInput(i);
    const Dims& dims = request.dims(0);
    if (dims.size() < 3)
        request.refuse("it has no spatial dimensions");
    request.requireLike(0);
    request.requireInputCount(1, dims[1]);
    request.requireInputCount(2, dims[1]);
    auto kernel = std::make_unique<RunNormalizer>();
    kernel->runs = dims[0] * dims[1];
    kernel->length = kernel->perChannel = product(dims, 2, dims.size());
    kernel->channels = dims[1];
    kernel->epsilon = request.real("epsilon", 1e-5);
    kernel->scale = 1;
    kernel->bias = 2;
    return kernel;
}

std::unique_ptr<Kernel> makeLayerNormalization(const Request& request)
{
    request.requireFloatInput(0);
    request.requireFloatInput(1);
    const Dims& dims = request.dims(0);
    const std::size_t axis = request.axis(request.integer("axis", -1), dims.size());
    auto kernel = std::make_unique<RunNormalizer>();
    kernel->runs = product(dims, 0, axis);
    kernel->length = kernel->channels = product(dims, axis, dims.size());
    kernel->epsilon = request.real("epsilon", 1e-5);
    kernel->scale = 1;
    if (product(request.dims(1)) != kernel->length)
        request.refuse("its scale is stretched");
    if (request.hasInput(2)) {
        request.requireFloatInput(2);
        if (product(request.dims(2)) != kernel->length)
            request.refuse("its bias is stretched");
        kernel->bias = 2;
    }
    request.requireLike(0);
    for (std::size_t i = 1; i < request.outputCount(); ++i) {
        if (!request.hasOutput(i))
            continue;
        request.requireFloatOutput(i);
        request.requireCount(kernel->runs, i);
    }
    return kernel;
}

std::unique_ptr<Kernel> makeGroupNormalization(const Request& request)
{
    for (std::size_t i = 0; i < 3; ++i)
        request.requireFloatInput(i);
    const Dims& dims = request.dims(0);
    const std::int64_t groups = request.integer("num_groups", 1);
    if (dims.size() < 2 || groups < 1 || dims[1] % groups != 0 || product(request.dims(1)) != dims[1])
        request.refuse("its groups do not fit");
    request.requireLike(0);
    request.requireInputCount(2, dims[1]);
    auto kernel = std::make_unique<RunNormalizer>();
    kernel->runs = dims[0] * groups;
    kernel->length = product(dims) / std::max<std::int64_t>(kernel->runs, 1);
    kernel->perChannel = product(dims, 2, dims.size());
    kernel->channels = dims[1];
    kernel->epsilon = request.real("epsilon", 1e-5);
    kernel->scale = 1;
    kernel->bias = 2;
    return kernel;
}

/// Divides lines along one axis by their length (Lp norm of 1 or 2).
class LineNormalizer : public Kernel {
public:
    LineNormalizer(const Lines& lines, bool isL1) : m_lines(lines), m_isL1(isL1) {}
    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        for (std::int64_t line = 0; line < m_lines.count(); ++line) {
            const std::int64_t start = m_lines.start(line);
            const float* in = io.in[0].as<float>() + start;
            float* out = io.out[0].as<float>() + start;
            double sum = 0.0;
            for (std::int64_t i = 0; i < m_lines.length; ++i) {
                const double value = in[i * m_lines.inner];
                sum += m_isL1 ? std::abs(value) : value * value;
            }
            const double norm = m_isL1 ? sum : std::sqrt(sum);
            for (std::int64_t i = 0; i < m_lines.length; ++i)
                out[i * m_lines.inner] = norm == 0.0 ? 0.0F : static_cast<float>(in[i * m_lines.inner] / norm);
        }
    }

private:
    Lines m_lines;
    bool m_isL1;
};

std::unique_ptr<Kernel> makeLpNormalization(const Request& request)
{
    request.requireFloatInput(0);
    const std::int64_t p = request.integer("p", 2);
    if (p != 1 && p != 2)
        request.refuse("p is neither 1 nor 2");
    request.requireLike(0);
    const Dims& dims = request.dims(0);
    const std::size_t axis = request.axis(request.integer("axis", -1), dims.size());
    return std::make_unique<LineNormalizer>(Lines::along(dims, axis), p == 1);
}

/// MeanVarianceNormalization over images: all but the channels (the default), or the spatial dimensions alone.
class MeanVariance : public Kernel {
public:
    MeanVariance(Dims dims, std::vector<bool> isReduced) : m_dims(std::move(dims)), m_isReduced(std::move(isReduced)) {}
    Bytes scratchBytes() const override { return 2 * kept() * static_cast<Bytes>(sizeof(double)); }
    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        double* sums = reinterpret_cast<double*>(io.scratch);
        double* squares = sums + kept();
        std::fill_n(sums, 2 * kept(), 0.0);
        const float* in = io.in[0].as<float>();
        float* out = io.out[0].as<float>();
        const double count = static_cast<double>(product(m_dims) / std::max<std::int64_t>(kept(), 1));
        forEach([&](std::int64_t i, std::int64_t slot) { sums[slot] += in[i] / count; });
        forEach([&](std::int64_t i, std::int64_t slot) {
            const double distance = in[i] - sums[slot];
            squares[slot] += distance * distance / count;
        });
        forEach([&](std::int64_t i, std::int64_t slot) {
            out[i] = static_cast<float>((in[i] - sums[slot]) / (std::sqrt(squares[slot]) + 1e-9));
        });
    }

private:
    std::int64_t kept() const
    {
        std::int64_t count = 1;
        for (std::size_t d = 0; d < m_dims.size(); ++d)
            count *= m_isReduced[d] ? 1 : m_dims[d];
        return count;
    }
    template <class Use>
    void forEach(Use&& use) const
    {
        Dims at(m_dims.size(), 0);
        for (std::int64_t i = 0; i < product(m_dims); ++i) {
            std::int64_t slot = 0;
            for (std::size_t d = 0; d < m_dims.size(); ++d)
                slot = m_isReduced[d] ? slot : slot * m_dims[d] + at[d];
            use(i, slot);
            nextIndex(at, m_dims);
        }
    }
    Dims m_dims;
    std::vector<bool> m_isReduced;
};

std::unique_ptr<Kernel> makeMeanVariance(const Request& request)
{
    request.requireFloatInput(0);
    request.requireLike(0);
    Dims axes = request.integers("axes");
    if (axes.empty())
        axes = {0, 2, 3};
    std::vector<bool> isReduced(request.rank(0));
    for (const std::int64_t axis : axes)
        isReduced[request.axis(axis, request.rank(0))] = true;
    return std::make_unique<MeanVariance>(request.dims(0), std::move(isReduced));
}

constexpr KernelEntry kEntries[] = {
    {"BatchNormalization", makeBatchNormalization},
    {"LRN", makeLrn},
    {"Softmax", makeSoftmax<false>},
    {"LogSoftmax", makeSoftmax<true>},
    {"InstanceNormalization", makeInstanceNormalization},
    {"LayerNormalization", makeLayerNormalization},
    {"GroupNormalization", makeGroupNormalization},
    {"LpNormalization", makeLpNormalization},
    {"MeanVarianceNormalization", makeMeanVariance},
};

} // namespace

std::span<const KernelEntry> normalizationKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
