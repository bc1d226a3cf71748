// SPDX-License-Identifier: MIT
// Operators that look elements up by indices that are tensors themselves. An index outside of its dimension ends the run
// with its value: it must not read what lies beside.
#include "core/src/exec/elements.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"
#include "core/src/exec/strided.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace arenascope::exec {

namespace {

std::int64_t checkedIndex(std::int64_t index, std::int64_t extent)
{
    const std::int64_t at = index < 0 ? index + extent : index;
    if (at < 0 || at >= extent)
        throw std::runtime_error("index " + std::to_string(index) + " is outside of " + std::to_string(extent) + " elements");
    return at;
}

std::int64_t indexAt(const View& indices, std::int64_t i)
{
    return indices.type == ElementType::Int32 ? indices.as<std::int32_t>()[i] : indices.as<std::int64_t>()[i];
}

void requireIndices(const Request& request, std::size_t i)
{
    const ElementType type = request.input(i).type;
    if (type != ElementType::Int32 && type != ElementType::Int64)
        request.refuse("its indices are " + std::string(elementTypeName(type)));
}

void requireWholeBytes(const Request& request)
{
    if (request.op().kind != "OneHot" && request.input(0).type != request.output(0).type)
        request.refuse("its output is of another type than its input");
    if (elementBytes(request.output(0).type) == 0)
        request.refuse("'" + request.output(0).name + "' is " + std::string(elementTypeName(request.output(0).type)));
}

class GatherKernel : public Kernel {
public:
    GatherKernel(const Dims& data, std::size_t axis)
        : m_outer(product(data, 0, axis)), m_extent(data[axis]), m_inner(product(data, axis + 1, data.size()))
    {
    }
    void run(const KernelIo& io) override
    {
        const std::int64_t size = elementBytes(io.out[0].type) * m_inner;
        std::byte* out = io.out[0].data;
        for (std::int64_t o = 0; o < m_outer; ++o) {
            for (std::int64_t i = 0; i < io.in[1].count; ++i, out += size) {
                const std::int64_t from = o * m_extent + checkedIndex(indexAt(io.in[1], i), m_extent);
                std::memcpy(out, io.in[0].data + from * size, static_cast<std::size_t>(size));
            }
        }
    }

private:
    std::int64_t m_outer;
    std::int64_t m_extent;
    std::int64_t m_inner;
};

std::unique_ptr<Kernel> makeGather(const Request& request)
{
    requireWholeBytes(request);
    requireIndices(request, 1);
    const Dims& data = request.dims(0);
    const std::size_t axis = request.axis(request.integer("axis", 0), data.size());
    request.requireCount(product(data, 0, axis) * product(request.dims(1)) * product(data, axis + 1, data.size()));
    return std::make_unique<GatherKernel>(data, axis);
}

class GatherElementsKernel : public Kernel {
public:
    GatherElementsKernel(Dims data, Dims indices, std::size_t axis)
        : m_data(std::move(data)), m_indices(std::move(indices)), m_strides(stridesOf(m_data)), m_axis(axis)
    {
    }
    void run(const KernelIo& io) override
    {
        withSize(io.out[0].type, [&](auto element) {
            using T = decltype(element);
            Dims at(m_indices.size(), 0);
            for (std::int64_t i = 0; i < io.out[0].count; ++i) {
                std::int64_t from = checkedIndex(indexAt(io.in[1], i), m_data[m_axis]) * m_strides[m_axis];
                for (std::size_t d = 0; d < at.size(); ++d)
                    from += d == m_axis ? 0 : at[d] * m_strides[d];
                io.out[0].as<T>()[i] = io.in[0].as<T>()[from];
                nextIndex(at, m_indices);
            }
        });
    }

private:
    Dims m_data;
    Dims m_indices;
    Dims m_strides;
    std::size_t m_axis;
};

/// The axis along which indices pick; along all others they must not reach beyond the data.
std::size_t elementAxis(const Request& request)
{
    const Dims& data = request.dims(0);
    const Dims& indices = request.dims(1);
    const std::size_t axis = request.axis(request.integer("axis", 0), data.size());
    for (std::size_t d = 0; d < data.size(); ++d) {
        if (data.size() != indices.size() || (d != axis && indices[d] > data[d]))
            request.refuse("its indices do not fit");
    }
    return axis;
}

std::unique_ptr<Kernel> makeGatherElements(const Request& request)
{
    requireWholeBytes(request);
    requireIndices(request, 1);
    const std::size_t axis = elementAxis(request);
    request.requireCount(product(request.dims(1)));
    return std::make_unique<GatherElementsKernel>(request.dims(0), request.dims(1), axis);
}

/// Where slices of the last dimension's indices begin, for GatherND and ScatterND.
class SliceIndex {
public:
    SliceIndex(const Dims& data, std::int64_t depth, std::size_t batch)
        : m_extents(data.begin() + static_cast<std::ptrdiff_t>(batch),
                    data.begin() + static_cast<std::ptrdiff_t>(batch) + depth),
          m_slice(product(data, batch + static_cast<std::size_t>(depth), data.size()))
    {
    }
    std::int64_t slice() const { return m_slice; } ///< elements
    std::int64_t depth() const { return std::ssize(m_extents); }
    std::int64_t perBatch() const { return product(m_extents) * m_slice; }
    std::int64_t startOf(const View& indices, std::int64_t row) const
    {
        std::int64_t start = 0;
        for (std::int64_t d = 0; d < depth(); ++d) {
            const std::int64_t extent = m_extents[static_cast<std::size_t>(d)];
            start = start * extent + checkedIndex(indexAt(indices, row * depth() + d), extent);
        }
        return start * m_slice;
    }

private:
    Dims m_extents;
    std::int64_t m_slice;
};

class GatherNdKernel : public Kernel {
public:
    GatherNdKernel(SliceIndex index, std::int64_t rowsPerBatch) : m_index(std::move(index)), m_rowsPerBatch(rowsPerBatch) {}
    void run(const KernelIo& io) override
    {
        const std::int64_t size = elementBytes(io.out[0].type);
        const std::int64_t rows = io.in[1].count / std::max<std::int64_t>(m_index.depth(), 1);
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t from = row / m_rowsPerBatch * m_index.perBatch() + m_index.startOf(io.in[1], row);
            std::memcpy(io.out[0].data + row * m_index.slice() * size, io.in[0].data + from * size,
                        static_cast<std::size_t>(m_index.slice() * size));
        }
    }

private:
    SliceIndex m_index;
    std::int64_t m_rowsPerBatch;
};

std::unique_ptr<Kernel> makeGatherNd(const Request& request)
{
    requireWholeBytes(request);
    requireIndices(request, 1);
    const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(request.integer("batch_dims", 0), 0));
    const Dims& indices = request.dims(1);
    if (indices.empty() || indices.back() < 1 || batch + static_cast<std::size_t>(indices.back()) > request.rank(0)
        || batch >= indices.size())
        request.refuse("its indices do not fit");
    for (std::size_t d = 0; d < batch; ++d) {
        if (indices[d] != request.dims(0)[d])
            request.refuse("its indices do not fit");
    }
    const SliceIndex index(request.dims(0), indices.back(), batch);
    request.requireCount(product(indices, 0, indices.size() - 1) * index.slice());
    return std::make_unique<GatherNdKernel>(index,
                                            std::max<std::int64_t>(product(indices, batch, indices.size() - 1), 1));
}

enum class Combine { Replace, Add, Multiply, Max, Min };

Combine combineOf(const Request& request)
{
    const std::string mode = request.text("reduction", "none");
    const std::pair<std::string_view, Combine> known[] = {
        {"none", Combine::Replace}, {"add", Combine::Add}, {"mul", Combine::Multiply}, {"max", Combine::Max}, {"min", Combine::Min}};
    for (const auto& [name, combine] : known) {
        if (mode == name)
            return combine;
    }
    request.refuse("reduction '" + mode + "' is not known");
}

template <class T>
T combined(Combine how, T old, T value)
{
    switch (how) {
    case Combine::Add: return static_cast<T>(old + value);
    case Combine::Multiply: return static_cast<T>(old * value);
    case Combine::Max: return std::max(old, value);
    case Combine::Min: return std::min(old, value);
    default: return value;
    }
}

class ScatterNdKernel : public Kernel {
public:
    ScatterNdKernel(SliceIndex index, Combine how) : m_index(std::move(index)), m_how(how) {}
    void run(const KernelIo& io) override
    {
        if (io.out[0].data != io.in[0].data)
            std::memmove(io.out[0].data, io.in[0].data, static_cast<std::size_t>(io.out[0].bytes));
        const std::int64_t rows = io.in[1].count / std::max<std::int64_t>(m_index.depth(), 1);
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            for (std::int64_t row = 0; row < rows; ++row) {
                T* to = io.out[0].as<T>() + m_index.startOf(io.in[1], row);
                const T* from = io.in[2].as<T>() + row * m_index.slice();
                for (std::int64_t i = 0; i < m_index.slice(); ++i)
                    to[i] = combined(m_how, to[i], from[i]);
            }
        });
    }

private:
    SliceIndex m_index;
    Combine m_how;
};

std::unique_ptr<Kernel> makeScatterNd(const Request& request)
{
    requireIndices(request, 1);
    const Dims& indices = request.dims(1);
    if (!isNumber(request.output(0).type) || indices.empty() || indices.back() < 1
        || static_cast<std::size_t>(indices.back()) > request.rank(0))
        request.refuse("its indices do not fit");
    const SliceIndex index(request.dims(0), indices.back(), 0);
    request.requireLike(0);
    request.requireInputCount(2, product(indices, 0, indices.size() - 1) * index.slice());
    if (request.input(2).type != request.output(0).type)
        request.refuse("its updates are of another type");
    return std::make_unique<ScatterNdKernel>(index, combineOf(request));
}

class ScatterElementsKernel : public Kernel {
public:
    ScatterElementsKernel(Dims data, Dims indices, std::size_t axis, Combine how)
        : m_data(std::move(data)), m_indices(std::move(indices)), m_strides(stridesOf(m_data)), m_axis(axis), m_how(how)
    {
    }
    void run(const KernelIo& io) override
    {
        if (io.out[0].data != io.in[0].data)
            std::memmove(io.out[0].data, io.in[0].data, static_cast<std::size_t>(io.out[0].bytes));
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            Dims at(m_indices.size(), 0);
            for (std::int64_t i = 0; i < io.in[1].count; ++i) {
                std::int64_t to = checkedIndex(indexAt(io.in[1], i), m_data[m_axis]) * m_strides[m_axis];
                for (std::size_t d = 0; d < at.size(); ++d)
                    to += d == m_axis ? 0 : at[d] * m_strides[d];
                T& element = io.out[0].as<T>()[to];
                element = combined(m_how, element, io.in[2].as<T>()[i]);
                nextIndex(at, m_indices);
            }
        });
    }

private:
    Dims m_data;
    Dims m_indices;
    Dims m_strides;
    std::size_t m_axis;
    Combine m_how;
};

std::unique_ptr<Kernel> makeScatterElements(const Request& request)
{
    requireIndices(request, 1);
    const std::size_t axis = elementAxis(request);
    request.requireLike(0);
    request.requireInputCount(2, product(request.dims(1)));
    if (!isNumber(request.output(0).type) || request.input(2).type != request.output(0).type)
        request.refuse("its updates are of another type");
    return std::make_unique<ScatterElementsKernel>(request.dims(0), request.dims(1), axis, combineOf(request));
}

class OneHotKernel : public Kernel {
public:
    OneHotKernel(std::int64_t outer, std::int64_t depth, std::int64_t inner) : m_outer(outer), m_depth(depth), m_inner(inner) {}
    void run(const KernelIo& io) override
    {
        const std::int64_t size = elementBytes(io.out[0].type);
        fillElements(io.out[0].data, io.out[0].count, io.in[2].data, size);
        const std::vector<std::int64_t> indices = integersOf(io.in[0]);
        for (std::int64_t i = 0; i < std::ssize(indices); ++i) {
            const std::int64_t index = indices[static_cast<std::size_t>(i)];
            const std::int64_t at = index < 0 ? index + m_depth : index;
            if (at < 0 || at >= m_depth)
                continue; // by definition: a row without a hot element
            const std::int64_t to = (i / m_inner * m_depth + at) * m_inner + i % m_inner;
            std::memcpy(io.out[0].data + to * size, io.in[2].data + size, static_cast<std::size_t>(size));
        }
    }

private:
    std::int64_t m_outer;
    std::int64_t m_depth;
    std::int64_t m_inner;
};

std::unique_ptr<Kernel> makeOneHot(const Request& request)
{
    requireWholeBytes(request);
    const Dims& out = request.outputDims();
    if (!isNumber(request.input(0).type) || request.input(2).bytes < 2 * elementBytes(request.output(0).type) || out.empty())
        request.refuse("its operands do not fit");
    const std::size_t axis = request.axis(request.integer("axis", -1), out.size());
    request.requireCount(product(request.dims(0)) * out[axis]);
    if (request.input(2).type != request.output(0).type)
        request.refuse("its values are of another type");
    return std::make_unique<OneHotKernel>(product(out, 0, axis), out[axis], std::max<std::int64_t>(product(out, axis + 1, out.size()), 1));
}

class TopKKernel : public Kernel {
public:
    TopKKernel(const Dims& dims, std::size_t axis, std::int64_t k, bool isLargest)
        : m_outer(product(dims, 0, axis)), m_length(dims[axis]), m_inner(product(dims, axis + 1, dims.size())), m_k(k),
          m_isLargest(isLargest)
    {
    }
    void run(const KernelIo& io) override
    {
        withNumber(io.in[0].type, [&](auto number) {
            using T = decltype(number);
            std::vector<std::int64_t> order(static_cast<std::size_t>(m_length));
            for (std::int64_t line = 0; line < m_outer * m_inner; ++line) {
                const T* in = io.in[0].as<T>() + line / m_inner * m_length * m_inner + line % m_inner;
                const auto before = [&](std::int64_t a, std::int64_t b) {
                    const T x = in[a * m_inner];
                    const T y = in[b * m_inner];
                    return x == y ? a < b : m_isLargest ? x > y : x < y;
                };
                std::iota(order.begin(), order.end(), 0);
                std::partial_sort(order.begin(), order.begin() + m_k, order.end(), before);
                const std::int64_t to = line / m_inner * m_k * m_inner + line % m_inner;
                for (std::int64_t i = 0; i < m_k; ++i) {
                    const std::int64_t from = order[static_cast<std::size_t>(i)];
                    if (io.out[0].isGiven())
                        io.out[0].as<T>()[to + i * m_inner] = in[from * m_inner];
                    if (io.out.size() > 1 && io.out[1].isGiven())
                        io.out[1].as<std::int64_t>()[to + i * m_inner] = from;
                }
            }
        });
    }

private:
    std::int64_t m_outer;
    std::int64_t m_length;
    std::int64_t m_inner;
    std::int64_t m_k;
    bool m_isLargest;
};

std::unique_ptr<Kernel> makeTopK(const Request& request)
{
    const Dims& dims = request.dims(0);
    const std::size_t axis = request.axis(request.integer("axis", -1), dims.size());
    const std::int64_t k = request.output(request.hasOutput(0) ? 0 : 1).shape.dims.at(axis);
    if (!isNumber(request.input(0).type) || k > dims[axis])
        request.refuse("its k does not fit");
    for (std::size_t o = 0; o < 2; ++o) {
        if (request.hasOutput(o))
            request.requireCount(product(dims, 0, axis) * k * product(dims, axis + 1, dims.size()), o);
        if (request.hasOutput(o) && request.output(o).type != (o == 0 ? request.input(0).type : ElementType::Int64))
            request.refuse("its outputs are of other types");
    }
    return std::make_unique<TopKKernel>(dims, axis, k, request.integer("largest", 1) != 0);
}

class TriluKernel : public Kernel {
public:
    TriluKernel(std::int64_t rows, std::int64_t columns, std::int64_t k, bool isUpper)
        : m_rows(rows), m_columns(columns), m_k(k), m_isUpper(isUpper)
    {
    }
    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        withSize(io.out[0].type, [&](auto element) {
            using T = decltype(element);
            for (std::int64_t i = 0; i < io.out[0].count; ++i) {
                const std::int64_t column = i % m_columns;
                const std::int64_t row = i / m_columns % m_rows;
                const bool isKept = m_isUpper ? column - row >= m_k : column - row <= m_k;
                io.out[0].as<T>()[i] = isKept ? io.in[0].as<T>()[i] : T(0);
            }
        });
    }

private:
    std::int64_t m_rows;
    std::int64_t m_columns;
    std::int64_t m_k;
    bool m_isUpper;
};

std::unique_ptr<Kernel> makeTrilu(const Request& request)
{
    requireWholeBytes(request);
    const Dims& dims = request.dims(0);
    if (dims.size() < 2)
        request.refuse("its operand is no matrix");
    request.requireLike(0);
    const std::int64_t k = request.hasInput(1) ? request.constantIntegers(1).at(0) : 0;
    return std::make_unique<TriluKernel>(dims[dims.size() - 2], dims.back(), k, request.integer("upper", 1) != 0);
}

class ReverseSequenceKernel : public Kernel {
public:
    ReverseSequenceKernel(Dims dims, std::size_t batchAxis, std::size_t timeAxis)
        : m_dims(std::move(dims)), m_strides(stridesOf(m_dims)), m_batchAxis(batchAxis), m_timeAxis(timeAxis)
    {
    }
    void run(const KernelIo& io) override
    {
        withSize(io.out[0].type, [&](auto element) {
            using T = decltype(element);
            Dims at(m_dims.size(), 0);
            for (std::int64_t i = 0; i < io.out[0].count; ++i) {
                const std::int64_t length = std::clamp<std::int64_t>(indexAt(io.in[1], at[m_batchAxis]), 0, m_dims[m_timeAxis]);
                const std::int64_t time = at[m_timeAxis];
                const std::int64_t from = time < length ? length - 1 - time : time;
                io.out[0].as<T>()[i] = io.in[0].as<T>()[i + (from - time) * m_strides[m_timeAxis]];
                nextIndex(at, m_dims);
            }
        });
    }

private:
    Dims m_dims;
    Dims m_strides;
    std::size_t m_batchAxis;
    std::size_t m_timeAxis;
};

std::unique_ptr<Kernel> makeReverseSequence(const Request& request)
{
    requireWholeBytes(request);
    requireIndices(request, 1);
    const std::size_t batch = request.axis(request.integer("batch_axis", 1), request.rank(0));
    const std::size_t time = request.axis(request.integer("time_axis", 0), request.rank(0));
    request.requireInputCount(1, request.dims(0)[batch]);
    request.requireLike(0);
    return std::make_unique<ReverseSequenceKernel>(request.dims(0), batch, time);
}

class RangeKernel : public Kernel {
public:
    void run(const KernelIo& io) override
    {
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            const T start = *io.in[0].as<T>();
            const T delta = *io.in[2].as<T>();
            for (std::int64_t i = 0; i < io.out[0].count; ++i)
                io.out[0].as<T>()[i] = static_cast<T>(start + static_cast<T>(i) * delta);
        });
    }
};

std::unique_ptr<Kernel> makeRange(const Request& request)
{
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
        if (!isNumber(request.output(0).type) || request.input(i).type != request.output(0).type)
            request.refuse("its operands are no numbers of one type");
        request.requireInputCount(i, 1);
    }
    return std::make_unique<RangeKernel>();
}

class EyeKernel : public Kernel {
public:
    EyeKernel(std::int64_t columns, std::int64_t k) : m_columns(columns), m_k(k) {}
    void run(const KernelIo& io) override
    {
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            for (std::int64_t i = 0; i < io.out[0].count; ++i)
                io.out[0].as<T>()[i] = i % m_columns - i / m_columns == m_k ? T(1) : T(0);
        });
    }

private:
    std::int64_t m_columns;
    std::int64_t m_k;
};

std::unique_ptr<Kernel> makeEyeLike(const Request& request)
{
    if (!isNumber(request.output(0).type) || request.outputDims().size() != 2)
        request.refuse("its output is no matrix of numbers");
    return std::make_unique<EyeKernel>(request.outputDims()[1], request.integer("k", 0));
}

constexpr KernelEntry kEntries[] = {
    {"Gather", makeGather},
    {"GatherElements", makeGatherElements},
    {"GatherND", makeGatherNd},
    {"Scatter", makeScatterElements},
    {"ScatterElements", makeScatterElements},
    {"ScatterND", makeScatterNd},
    {"OneHot", makeOneHot},
    {"TopK", makeTopK},
    {"Trilu", makeTrilu},
    {"ReverseSequence", makeReverseSequence},
    {"Range", makeRange},
    {"EyeLike", makeEyeLike},
};

} // namespace

std::span<const KernelEntry> indexingKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
