// SPDX-License-Identifier: MIT
// Operators that only move elements, of any type.
#include "core/src/exec/elements.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"
#include "core/src/exec/strided.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace arenascope::exec {

namespace {

void requireWholeBytes(const Request& request)
{
    if (request.input(0).type != request.output(0).type)
        request.refuse("its output is of another type than its input");
    if (elementBytes(request.output(0).type) == 0)
        request.refuse("'" + request.output(0).name + "' is " + std::string(elementTypeName(request.output(0).type)));
}

/// The same bytes under another shape: nothing to do where a plan lets them share.
class CopyKernel : public Kernel {
public:
    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        if (io.out[0].data != io.in[0].data)
            std::memmove(io.out[0].data, io.in[0].data, static_cast<std::size_t>(io.out[0].bytes));
        // What inference does not need: everything is kept.
        if (io.out.size() > 1 && io.out[1].isGiven()) {
            withNumber(io.out[1].type, [&](auto number) {
                std::fill_n(io.out[1].as<decltype(number)>(), io.out[1].count, static_cast<decltype(number)>(1));
            });
        }
    }
};

std::unique_ptr<Kernel> makeCopy(const Request& request)
{
    if (request.input(0).bytes != request.output(0).bytes || request.input(0).type != request.output(0).type)
        request.refuse("its output does not hold as many bytes as its input");
    return std::make_unique<CopyKernel>();
}

std::unique_ptr<Kernel> makeDropout(const Request& request)
{
    if (request.hasInput(2) && (!request.isConstant(2) || request.constantIntegers(2).at(0) != 0))
        request.refuse("it is in training mode");
    if (request.opset() > 0 && request.opset() < 7 && request.integer("is_test", 1) == 0 && request.has("is_test"))
        request.refuse("it is in training mode");
    if (request.hasOutput(1) && !isNumber(request.output(1).type)) // up to opset 9 of the data's type
        request.refuse("its mask is " + std::string(elementTypeName(request.output(1).type)));
    return makeCopy(request);
}

/// One strided copy.
class StridedKernel : public Kernel {
public:
    Dims dims;
    Dims targetStrides;
    Dims sourceStrides;
    std::int64_t sourceStart = 0;
    bool isPart = false; ///< the source's elements may already be in their places

    bool runsOverParts() const override { return isPart; }
    void run(const KernelIo& io) override
    {
        const std::byte* source = io.in[0].data + sourceStart * elementBytes(io.in[0].type);
        copyStrided(io.out[0].type, dims, io.out[0].data, targetStrides, source, sourceStrides);
    }
};

std::unique_ptr<StridedKernel> stridedTo(const Dims& out)
{
    auto kernel = std::make_unique<StridedKernel>();
    kernel->dims = out;
    kernel->targetStrides = stridesOf(out);
    return kernel;
}

std::unique_ptr<Kernel> makeTranspose(const Request& request)
{
    requireWholeBytes(request);
    Dims order = request.integers("perm");
    const std::size_t rank = request.rank(0);
    if (order.empty()) {
        order.resize(rank);
        std::iota(order.rbegin(), order.rend(), 0);
    }
    auto kernel = stridedTo(request.outputDims());
    const Dims strides = stridesOf(request.dims(0));
    if (order.size() != rank || kernel->dims.size() != rank)
        request.refuse("its permutation does not fit " + std::to_string(rank) + " dimensions");
    for (const std::int64_t from : order) {
        const std::size_t axis = request.axis(from, rank);
        if (kernel->dims[kernel->sourceStrides.size()] != request.dims(0)[axis])
            request.refuse("its output does not fit");
        kernel->sourceStrides.push_back(strides[axis]);
    }
    return kernel;
}

std::unique_ptr<Kernel> makeExpand(const Request& request)
{
    requireWholeBytes(request);
    auto kernel = stridedTo(request.outputDims());
    const Dims& in = request.dims(0);
    const Dims strides = stridesOf(in);
    if (in.size() > kernel->dims.size())
        request.refuse("its output has fewer dimensions than its input");
    kernel->sourceStrides.assign(kernel->dims.size(), 0);
    for (std::size_t d = 0; d < in.size(); ++d) {
        const std::size_t to = kernel->dims.size() - in.size() + d;
        if (in[d] != 1 && in[d] != kernel->dims[to])
            request.refuse("its output does not fit");
        kernel->sourceStrides[to] = in[d] == 1 ? 0 : strides[d];
    }
    return kernel;
}

std::unique_ptr<Kernel> makeTile(const Request& request)
{
    requireWholeBytes(request);
    const Dims& in = request.dims(0);
    const Dims& out = request.outputDims();
    if (in.size() != out.size())
        request.refuse("its repeats do not fit");
    auto kernel = std::make_unique<StridedKernel>();
    const Dims inStrides = stridesOf(in);
    const Dims outStrides = stridesOf(out);
    for (std::size_t d = 0; d < in.size(); ++d) { // each dimension becomes two: repeats and extent
        kernel->dims.push_back(in[d] == 0 ? 0 : out[d] / in[d]);
        kernel->targetStrides.push_back(outStrides[d] * in[d]);
        kernel->sourceStrides.push_back(0);
        kernel->dims.push_back(in[d]);
        kernel->targetStrides.push_back(outStrides[d]);
        kernel->sourceStrides.push_back(inStrides[d]);
    }
    return kernel;
}

/// Up to opset 9 starts and ends are attributes, then inputs (ONNX Slice).
std::unique_ptr<Kernel> makeSlice(const Request& request)
{
    requireWholeBytes(request);
    const bool isOld = request.has("starts");
    const Dims starts = isOld ? request.integers("starts") : request.constantIntegers(1);
    Dims axes = isOld ? request.integers("axes") : request.hasInput(3) ? request.constantIntegers(3) : Dims();
    Dims steps = !isOld && request.hasInput(4) ? request.constantIntegers(4) : Dims(starts.size(), 1);
    if (axes.empty()) {
        axes.resize(starts.size());
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (axes.size() != starts.size() || steps.size() != starts.size())
        request.refuse("its starts, axes and steps do not fit");
    const Dims& in = request.dims(0);
    auto kernel = stridedTo(request.outputDims());
    kernel->sourceStrides = stridesOf(in);
    kernel->isPart = true;
    const Dims strides = kernel->sourceStrides;
    if (kernel->dims.size() != in.size())
        request.refuse("its output does not fit");
    std::vector<bool> isCut(in.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t axis = request.axis(axes[i], in.size());
        const std::int64_t step = steps[i];
        std::int64_t start = starts[i] < 0 ? starts[i] + in[axis] : starts[i];
        start = std::clamp<std::int64_t>(start, 0, step < 0 ? std::max<std::int64_t>(in[axis] - 1, 0) : in[axis]);
        const std::int64_t last = start + (kernel->dims[axis] - 1) * step;
        if (isCut[axis] || (kernel->dims[axis] > 0 && (last < 0 || last >= in[axis])))
            request.refuse("its output does not fit");
        isCut[axis] = true;
        kernel->sourceStart += start * strides[axis];
        kernel->sourceStrides[axis] = strides[axis] * step;
    }
    for (std::size_t d = 0; d < in.size(); ++d) {
        if (!isCut[d] && kernel->dims[d] != in[d])
            request.refuse("its output does not fit");
    }
    return kernel;
}

/// Borders cut off an image: left, top, right, bottom (experimental operator of ONNX 1.0 to 1.4).
std::unique_ptr<Kernel> makeCrop(const Request& request)
{
    requireWholeBytes(request);
    const Dims border = request.integers("border");
    if (request.rank(0) != 4 || border.size() != 4 || request.outputDims().size() != 4
        || request.outputDims()[0] != request.dims(0)[0] || request.outputDims()[1] != request.dims(0)[1])
        request.refuse("its border does not fit");
    auto kernel = stridedTo(request.outputDims());
    kernel->sourceStrides = stridesOf(request.dims(0));
    kernel->sourceStart = border[1] * kernel->sourceStrides[2] + border[0];
    for (std::size_t d = 2; d < 4; ++d) {
        const std::int64_t first = border[3 - d];
        if (first < 0 || kernel->dims[d] + first > request.dims(0)[d])
            request.refuse("its border does not fit");
    }
    return kernel;
}

class ConcatKernel : public Kernel {
public:
    ConcatKernel(const Request& request, std::size_t axis) : m_strides(stridesOf(request.outputDims()))
    {
        std::int64_t at = 0;
        for (std::size_t i = 0; i < request.inputCount(); ++i) {
            m_parts.push_back({at * m_strides[axis], request.dims(i), stridesOf(request.dims(i))});
            at += request.dims(i)[axis];
        }
    }
    bool runsOverParts() const override { return true; }
    void run(const KernelIo& io) override
    {
        const std::int64_t size = elementBytes(io.out[0].type);
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            const Part& part = m_parts[i];
            copyStrided(io.out[0].type, part.dims, io.out[0].data + part.start * size, m_strides, io.in[i].data, part.strides);
        }
    }

private:
    struct Part {
        std::int64_t start;
        Dims dims;
        Dims strides;
    };
    Dims m_strides;
    std::vector<Part> m_parts;
};

/// Refuses unless both have the same extents along all dimensions but `axis`.
void requireAlikeBut(const Request& request, std::size_t axis, const Dims& a, const Dims& b)
{
    for (std::size_t d = 0; d < a.size(); ++d) {
        if (a.size() != b.size() || (d != axis && a[d] != b[d]))
            request.refuse("its operands do not fit");
    }
}

std::unique_ptr<Kernel> makeConcat(const Request& request)
{
    requireWholeBytes(request);
    const std::size_t rank = request.outputDims().size();
    for (std::size_t i = 0; i < request.inputCount(); ++i) {
        if (request.rank(i) != rank || request.input(i).type != request.output(0).type)
            request.refuse("its operands do not fit");
    }
    const std::size_t axis = request.axis(request.integer("axis", 1), rank);
    std::int64_t extent = 0;
    for (std::size_t i = 0; i < request.inputCount(); ++i) {
        requireAlikeBut(request, axis, request.dims(i), request.outputDims());
        extent += request.dims(i)[axis];
    }
    if (extent != request.outputDims()[axis])
        request.refuse("its operands do not fit");
    return std::make_unique<ConcatKernel>(request, axis);
}

class SplitKernel : public Kernel {
public:
    SplitKernel(const Request& request, std::size_t axis) : m_strides(stridesOf(request.dims(0)))
    {
        std::int64_t at = 0;
        for (std::size_t i = 0; i < request.outputCount(); ++i) {
            const bool isLeftOut = !request.hasOutput(i);
            if (isLeftOut)
                request.refuse("one of its outputs is left out");
            m_starts.push_back(at * m_strides[axis]);
            at += request.outputDims(i)[axis];
        }
    }
    bool runsOverParts() const override { return true; }
    void run(const KernelIo& io) override
    {
        for (std::size_t i = 0; i < m_starts.size(); ++i) {
            const View& out = io.out[i];
            copyStrided(out.type, out.dims, out.data, stridesOf(out.dims),
                        io.in[0].data + m_starts[i] * elementBytes(out.type), m_strides);
        }
    }

private:
    Dims m_strides;
    Dims m_starts;
};

std::unique_ptr<Kernel> makeSplit(const Request& request)
{
    requireWholeBytes(request);
    const std::size_t axis = request.axis(request.integer("axis", 0), request.rank(0));
    std::int64_t extent = 0;
    for (std::size_t i = 0; i < request.outputCount(); ++i) {
        requireAlikeBut(request, axis, request.outputDims(i), request.dims(0));
        if (request.output(i).type != request.input(0).type)
            request.refuse("its outputs are of another type");
        extent += request.outputDims(i).at(axis);
    }
    if (extent > request.dims(0)[axis])
        request.refuse("its outputs do not fit");
    return std::make_unique<SplitKernel>(request, axis);
}

/// Blocks of depth into space and back: a transposition between two views of six dimensions (ONNX, opset 11 and 13).
std::unique_ptr<Kernel> makeDepthToSpace(const Request& request)
{
    requireWholeBytes(request);
    request.requireLike(0);
    const std::int64_t b = request.integer("blocksize", 0);
    if (request.rank(0) != 4 || b < 1 || b > 65536 || request.dims(0)[1] % (b * b) != 0)
        request.refuse("its block does not fit");
    const Dims& in = request.dims(0);
    const std::int64_t depth = in[1] / (b * b);
    const bool isCrd = request.text("mode", "DCR") == "CRD";
    auto kernel = stridedTo({in[0], depth, in[2], b, in[3], b});
    const std::int64_t plane = in[2] * in[3];
    const std::int64_t perDepth = isCrd ? b * b * plane : plane;
    const std::int64_t perRow = isCrd ? b * plane : b * depth * plane;
    const std::int64_t perColumn = isCrd ? plane : depth * plane;
    kernel->sourceStrides = {in[1] * plane, perDepth, in[3], perRow, 1, perColumn};
    return kernel;
}

std::unique_ptr<Kernel> makeSpaceToDepth(const Request& request)
{
    requireWholeBytes(request);
    request.requireLike(0);
    const std::int64_t b = request.integer("blocksize", 0);
    if (request.rank(0) != 4 || b < 1 || request.dims(0)[2] % b != 0 || request.dims(0)[3] % b != 0)
        request.refuse("its block does not fit");
    const Dims& in = request.dims(0);
    auto kernel = stridedTo({in[0], b, b, in[1], in[2] / b, in[3] / b});
    kernel->sourceStrides = {in[1] * in[2] * in[3], in[3], 1, in[2] * in[3], b * in[3], b};
    return kernel;
}

enum class PadMode { Constant, Reflect, Edge, Wrap };

class PadKernel : public Kernel {
public:
    Dims in;
    Dims out;
    Dims begin;
    PadMode mode = PadMode::Constant;
    std::size_t valueInput = 2;
    double value = 0.0; ///< where no input gives it

    void run(const KernelIo& io) override
    {
        const std::int64_t size = elementBytes(io.out[0].type);
        if (mode == PadMode::Constant) {
            fill(io);
            return copyInner(io);
        }
        const Dims strides = stridesOf(in);
        Dims at(out.size(), 0);
        if (product(out) == 0)
            return;
        std::byte* target = io.out[0].data;
        do {
            std::int64_t from = 0;
            for (std::size_t d = 0; d < at.size(); ++d)
                from += source(at[d] - begin[d], in[d]) * strides[d];
            std::memcpy(target, io.in[0].data + from * size, static_cast<std::size_t>(size));
            target += size;
        } while (nextIndex(at, out));
    }

private:
    void fill(const KernelIo& io) const
    {
        const std::int64_t size = elementBytes(io.out[0].type);
        if (valueInput < io.in.size() && io.in[valueInput].isGiven())
            return fillElements(io.out[0].data, io.out[0].count, io.in[valueInput].data, size);
        if (value == 0.0) {
            std::memset(io.out[0].data, 0, static_cast<std::size_t>(io.out[0].bytes));
            return;
        }
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            std::fill_n(io.out[0].as<T>(), io.out[0].count, static_cast<T>(value));
        });
    }

    /// Negative pads cut off.
    void copyInner(const KernelIo& io) const
    {
        const Dims inStrides = stridesOf(in);
        const Dims outStrides = stridesOf(out);
        Dims kept(in.size());
        std::int64_t from = 0;
        std::int64_t to = 0;
        for (std::size_t d = 0; d < in.size(); ++d) {
            const std::int64_t first = std::max<std::int64_t>(-begin[d], 0);
            const std::int64_t target = std::max<std::int64_t>(begin[d], 0);
            kept[d] = std::max<std::int64_t>(std::min(in[d] - first, out[d] - target), 0);
            from += first * inStrides[d];
            to += target * outStrides[d];
        }
        const std::int64_t size = elementBytes(io.out[0].type);
        copyStrided(io.out[0].type, kept, io.out[0].data + to * size, outStrides, io.in[0].data + from * size, inStrides);
    }

    std::int64_t source(std::int64_t i, std::int64_t extent) const
    {
        if (mode == PadMode::Edge)
            return std::clamp<std::int64_t>(i, 0, extent - 1);
        if (mode == PadMode::Wrap)
            return ((i % extent) + extent) % extent;
        if (extent == 1)
            return 0;
        const std::int64_t period = 2 * (extent - 1);
        const std::int64_t rest = ((i % period) + period) % period;
        return rest < extent ? rest : period - rest;
    }
};

std::unique_ptr<Kernel> makePad(const Request& request)
{
    requireWholeBytes(request);
    auto kernel = std::make_unique<PadKernel>();
    kernel->in = request.dims(0);
    kernel->out = request.outputDims();
    const std::size_t rank = kernel->in.size();
    const bool isOld = request.has("pads") || request.has("paddings");
    const Dims pads = request.has("pads") ? request.integers("pads")
        : isOld                           ? request.integers("paddings")
                                          : request.constantIntegers(1);
    kernel->begin.assign(rank, 0);
    Dims axes = request.hasInput(3) ? request.constantIntegers(3) : Dims();
    if (axes.empty()) {
        axes.resize(rank);
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (pads.size() != 2 * axes.size() || kernel->out.size() != rank)
        request.refuse("its pads do not fit");
    for (std::size_t i = 0; i < axes.size(); ++i)
        kernel->begin[request.axis(axes[i], rank)] = pads[i];
    const std::string mode = request.text("mode", "constant");
    kernel->mode = mode == "reflect" ? PadMode::Reflect : mode == "edge" ? PadMode::Edge
        : mode == "wrap"             ? PadMode::Wrap
                                     : PadMode::Constant;
    if (kernel->mode != PadMode::Constant && product(kernel->in) == 0)
        request.refuse("there is nothing to pad with");
    if (!isOld && request.hasInput(2) && (request.input(2).type != request.output(0).type || request.input(2).bytes == 0))
        request.refuse("the value that it pads with is of another type");
    kernel->valueInput = isOld ? kernel->in.size() + 1000 : 2;
    kernel->value = request.real("value", 0.0);
    return kernel;
}

constexpr KernelEntry kEntries[] = {
    {"Identity", makeCopy},
    {"Reshape", makeCopy},
    {"Flatten", makeCopy},
    {"Squeeze", makeCopy},
    {"Unsqueeze", makeCopy},
    {"Dropout", makeDropout},
    {"Transpose", makeTranspose},
    {"Expand", makeExpand},
    {"Tile", makeTile},
    {"Slice", makeSlice},
    {"Crop", makeCrop},
    {"Concat", makeConcat},
    {"Split", makeSplit},
    {"DepthToSpace", makeDepthToSpace},
    {"SpaceToDepth", makeSpaceToDepth},
    {"Pad", makePad},
};

} // namespace

std::span<const KernelEntry> movementKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
