// SPDX-License-Identifier: MIT
// Pools: OpenCV's Pooling where it does what ONNX wants, a loop where it does not (dilation, unequal pads, indices, Lp,
// three dimensions with odd windows).
#include "core/src/exec/layer_kernel.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"
#include "core/src/exec/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::exec {

namespace {

enum class PoolKind { Max, Average, Norm };

struct PoolShape {
    Window window;
    Dims in;  ///< planes and spatial extents
    Dims out;
    std::int64_t planes = 0;
    bool countPads = false;
    std::int64_t norm = 2;
    bool isColumnMajor = false; ///< of the indices
};

/// Walks the output elements of one plane; `use(out index, first input index along each dimension)`.
class PoolLoop : public Kernel {
public:
    PoolLoop(PoolKind kind, PoolShape shape) : m_kind(kind), m_shape(std::move(shape)), m_inStrides(stridesOf(m_shape.in)) {}

    void run(const KernelIo& io) override
    {
        const std::int64_t inSize = product(m_shape.in);
        const std::int64_t outSize = product(m_shape.out);
        auto* indices = io.out.size() > 1 && io.out[1].isGiven() ? io.out[1].as<std::int64_t>() : nullptr;
        for (std::int64_t plane = 0; plane < m_shape.planes; ++plane) {
            const float* in = io.in[0].as<float>() + plane * inSize;
            float* out = io.out[0].as<float>() + plane * outSize;
            Dims at(m_shape.out.size(), 0);
            for (std::int64_t i = 0; i < outSize; ++i) {
                std::int64_t best = 0;
                out[i] = poolAt(in, at, best);
                if (indices != nullptr)
                    indices[plane * outSize + i] = plane * inSize + indexOf(best);
                nextIndex(at, m_shape.out);
            }
        }
    }

private:
    /// The part of the window along dimension d that lies in the input, as [first, last) of the kernel's taps.
    std::pair<std::int64_t, std::int64_t> taps(std::size_t d, std::int64_t start) const
    {
        const std::int64_t step = m_shape.window.dilations[d];
        const std::int64_t first = start < 0 ? (-start + step - 1) / step : 0;
        const std::int64_t room = m_shape.in[d] - start;
        const std::int64_t last = room <= 0 ? 0 : std::min(m_shape.window.kernel[d], (room + step - 1) / step);
        return {first, std::max(first, last)};
    }

    float poolAt(const float* in, const Dims& at, std::int64_t& best) const
    {
        const std::size_t rank = at.size();
        Dims first(rank), counts(rank), start(rank);
        std::int64_t padded = 1;
        for (std::size_t d = 0; d < rank; ++d) {
            start[d] = at[d] * m_shape.window.strides[d] - m_shape.window.padsBegin[d];
            const auto [from, to] = taps(d, start[d]);
            first[d] = from;
            counts[d] = to - from;
            // Where pads count, those beyond the end that rounding up added do not.
            const std::int64_t limit = m_shape.in[d] + m_shape.window.padsEnd[d] - start[d];
            const std::int64_t step = m_shape.window.dilations[d];
            padded *= std::min(m_shape.window.kernel[d], (limit + step - 1) / step);
        }
        if (std::ranges::any_of(counts, [](std::int64_t count) { return count <= 0; }))
            return m_kind == PoolKind::Max ? -std::numeric_limits<float>::infinity() : 0.0F;
        float top = -std::numeric_limits<float>::infinity();
        double sum = 0.0;
        Dims tap(rank, 0);
        best = -1;
        do {
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < rank; ++d)
                offset += (start[d] + (first[d] + tap[d]) * m_shape.window.dilations[d]) * m_inStrides[d];
            const float value = in[offset];
            if (best < 0 || value > top || std::isnan(value)) {
                top = value;
                best = offset;
            }
            sum += m_kind == PoolKind::Norm ? std::pow(std::abs(static_cast<double>(value)), static_cast<double>(m_shape.norm))
                                            : static_cast<double>(value);
        } while (nextIndex(tap, counts));
        if (m_kind == PoolKind::Max)
            return top;
        if (m_kind == PoolKind::Norm)
            return static_cast<float>(std::pow(sum, 1.0 / static_cast<double>(m_shape.norm)));
        return static_cast<float>(sum / static_cast<double>(m_shape.countPads ? padded : product(counts)));
    }

    std::int64_t indexOf(std::int64_t offset) const
    {
        if (!m_shape.isColumnMajor)
            return offset;
        std::int64_t index = 0;
        std::int64_t stride = 1;
        for (std::size_t d = 0; d < m_shape.in.size(); ++d) {
            index += offset / m_inStrides[d] % m_shape.in[d] * stride;
            stride *= m_shape.in[d];
        }
        return index;
    }

    PoolKind m_kind;
    PoolShape m_shape;
    Dims m_inStrides;
};

PoolShape shapeOf(const Request& request, bool isGlobal)
{
    request.requireFloatInput(0);
    request.requireFloatOutput();
    if (request.rank(0) < 3)
        request.refuse("it has no spatial dimensions");
    const Dims& in = request.dims(0);
    PoolShape shape;
    shape.in.assign(in.begin() + 2, in.end());
    if (request.outputDims().size() != in.size())
        request.refuse("its output does not fit");
    shape.out.assign(request.outputDims().begin() + 2, request.outputDims().end());
    shape.planes = in[0] * in[1];
    request.requireCount(shape.planes * product(shape.out));
    if (request.hasOutput(1))
        request.requireCount(shape.planes * product(shape.out), 1);
    if (isGlobal) {
        const std::size_t rank = shape.in.size();
        shape.window = {shape.in, Dims(rank, 1), Dims(rank, 1), Dims(rank, 0), Dims(rank, 0)};
    } else {
        shape.window = windowOf(request, {}, shape.in);
    }
    shape.countPads = request.integer("count_include_pad", 0) != 0;
    shape.norm = request.integer("p", 2);
    shape.isColumnMajor = request.integer("storage_order", 0) != 0;
    return shape;
}

/// Whether the layer's rounding gives the same windows: none may begin in the pads behind the input, and where pads count,
/// none may reach behind them.
bool suitsLayer(const Request& request, const PoolShape& shape)
{
    const Window& w = shape.window;
    if (shape.in.size() > 2 || !w.isSymmetric() || request.hasOutput(1))
        return false;
    for (std::size_t i = 0; i < w.rank(); ++i) {
        const std::int64_t end = (shape.out[i] - 1) * w.strides[i] + w.kernel[i] - w.padsBegin[i];
        if (w.dilations[i] != 1 || w.padsBegin[i] >= w.kernel[i])
            return false;
        if (shape.countPads && end > shape.in[i] + w.padsEnd[i])
            return false;
    }
    return true;
}

void setList(cv::dnn::LayerParams& params, const char* name, Dims list, std::int64_t extra)
{
    if (list.size() == 1)
        list.insert(list.begin(), extra);
    const std::vector<int> values(list.begin(), list.end());
    params.set(name, cv::dnn::DictValue::arrayInt(values.data(), static_cast<int>(values.size())));
}

std::unique_ptr<Kernel> layerPool(const Request& request, PoolKind kind, const PoolShape& shape, bool isCeil)
{
    LayerSpec spec;
    spec.type = "Pooling";
    Dims in = request.dims(0);
    Dims out = request.outputDims();
    if (in.size() == 3) {
        in.insert(in.begin() + 2, 1);
        out.insert(out.begin() + 2, 1);
    }
    spec.operands = {{0, matShape(in)}};
    spec.outputs = {matShape(out)};
    spec.params.set("pool", kind == PoolKind::Max ? "MAX" : "AVE");
    spec.params.set("ceil_mode", isCeil);
    spec.params.set("ave_pool_padded_area", shape.countPads);
    setList(spec.params, "kernel_size", shape.window.kernel, 1);
    setList(spec.params, "stride", shape.window.strides, 1);
    setList(spec.params, "pad", shape.window.padsBegin, 0);
    return std::make_unique<LayerKernel>(std::move(spec), request.op());
}

/// Asks OpenCV itself whether it comes to the same output extents.
bool givesSameShape(const LayerSpec& spec)
{
    cv::dnn::LayerParams params = spec.params;
    params.type = spec.type;
    const auto layer = cv::dnn::LayerFactory::createLayerInstance(spec.type, params);
    std::vector<std::vector<int>> out, internals;
    if (layer == nullptr)
        return false;
    layer->getMemoryShapes({spec.operands[0].shape}, 1, out, internals);
    return !out.empty() && out[0] == spec.outputs[0];
}

template <PoolKind kind, bool isGlobal>
std::unique_ptr<Kernel> makePool(const Request& request)
{
    PoolShape shape = shapeOf(request, isGlobal);
    if (kind != PoolKind::Norm && suitsLayer(request, shape) && product(shape.out) * shape.planes > 0) {
        for (const bool isCeil : {false, true}) {
            auto layer = layerPool(request, kind, shape, isCeil);
            if (givesSameShape(static_cast<const LayerKernel&>(*layer).spec()))
                return layer;
        }
    }
    if (request.hasOutput(1) && request.output(1).type != ElementType::Int64)
        request.refuse("its indices are not int64");
    return std::make_unique<PoolLoop>(kind, std::move(shape));
}

constexpr KernelEntry kEntries[] = {
    {"MaxPool", makePool<PoolKind::Max, false>},
    {"AveragePool", makePool<PoolKind::Average, false>},
    {"LpPool", makePool<PoolKind::Norm, false>},
    {"GlobalMaxPool", makePool<PoolKind::Max, true>},
    {"GlobalAveragePool", makePool<PoolKind::Average, true>},
    {"GlobalLpPool", makePool<PoolKind::Norm, true>},
};

} // namespace

std::span<const KernelEntry> poolingKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
