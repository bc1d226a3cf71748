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
#include <span>

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
    explicit GatherKernel(const Lines& lines) : m_lines(lines) {}
    void run(const KernelIo& io) override
    {
        const std::int64_t size = elementBytes(io.out[0].type) * m_lines.inner;
        std::byte* out = io.out[0].data;
        for (std::int64_t o = 0; o < m_lines.outer; ++o) {
            for (std::int64_t i = 0; i < io.in[1].count; ++i, out += size) {
                const std::int64_t from = o * m_lines.length + checkedIndex(indexAt(io.in[1], i), m_lines.length);
                std::memcpy(out, io.in[0].data + from * size, static_cast<std::size_t>(size));
            }
        }
    }

private:
    Lines m_lines;
};

std::unique_ptr<Kernel> makeGather(const Request& request)
{
    requireWholeBytes(request);
    requireIndices(request, 1);
    const Dims& data = request.dims(0);
    const Lines lines = Lines::along(data, request.axis(request.integer("axis", 0), data.size()));
    request.requireCount(lines.count() * product(request.dims(1)));
    return std::make_unique<GatherKernel>(lines);
}

/// For GatherElements and ScatterElements: each index picks along one axis, and stays where it is along the others.
class ElementIndex {
public:
    explicit ElementIndex(const Request& request)
        : m_indices(request.dims(1)), m_strides(stridesOf(request.dims(0))),
          m_axis(request.axis(request.integer("axis", 0), request.rank(0)))
    {
        requireIndices(request, 1);
        const Dims& data = request.dims(0);
        for (std::size_t d = 0; d < data.size(); ++d) {
            if (data.size() != m_indices.size() || (d != m_axis && m_indices[d] > data[d]))
                request.refuse("its indices do not fit");
        }
        m_extent = data[m_axis];
    }
    std::int64_t count() const { return product(m_indices); }

    /// Calls `use(place of the index, element of the data)` for each index.
    template <class Use>
    void forEach(const View& indices, Use&& use) const
    {
        Dims at(m_indices.size(), 0);
        for (std::int64_t i = 0; i < indices.count; ++i) {
            std::int64_t element = checkedIndex(indexAt(indices, i), m_extent) * m_strides[m_axis];
            for (std::size_t d = 0; d < at.size(); ++d)
                element += d == m_axis ? 0 : at[d] * m_strides[d];
            use(i, element);
            nextIndex(at, m_indices);
        }
    }

private:
    Dims m_indices;
    Dims m_strides; ///< of the data
    std::size_t m_axis;
    std::int64_t m_extent = 0;
};

class GatherElementsKernel : public Kernel {
public:
    explicit GatherElementsKernel(ElementIndex index) : m_index(std::move(index)) {}
    void run(const KernelIo& io) override
    {
        withSize(io.out[0].type, [&](auto element) {
            using T = decltype(element);
            m_index.forEach(io.in[1], [&](std::int64_t i, std::int64_t from) { io.out[0].as<T>()[i] = io.in[0].as<T>()[from]; });
        });
    }

private:
    ElementIndex m_index;
};

std::unique_ptr<Kernel> makeGatherElements(const Request& request)
{
    requireWholeBytes(request);
    ElementIndex index(request);
    request.requireCount(index.count());
    return std::make_unique<GatherElementsKernel>(std::move(index));
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
    ScatterElementsKernel(ElementIndex index, Combine how) : m_index(std::move(index)), m_how(how) {}
    void run(const KernelIo& io) override
    {
        if (io.out[0].data != io.in[0].data)
            std::memmove(io.out[0].data, io.in[0].data, static_cast<std::size_t>(io.out[0].bytes));
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            m_index.forEach(io.in[1], [&](std::int64_t i, std::int64_t to) {
                T& element = io.out[0].as<T>()[to];
                element = combined(m_how, element, io.in[2].as<T>()[i]);
            });
        });
    }

private:
    ElementIndex m_index;
    Combine m_how;
};

std::unique_ptr<Kernel> makeScatterElements(const Request& request)
{
    ElementIndex index(request);
    request.requireLike(0);
    request.requireInputCount(2, index.count());
    if (!isNumber(request.output(0).type) || request.input(2).type != request.output(0).type)
        request.refuse("its updates are of another type");
    return std::make_unique<ScatterElementsKernel>(std::move(index), combineOf(request));
}

class OneHotKernel : public Kernel {
public:
    explicit OneHotKernel(const Lines& lines) : m_lines(lines) {}
    Bytes scratchBytes() const override { return simdAligned(m_lines.count() * static_cast<Bytes>(sizeof(std::int64_t))); }
    void run(const KernelIo& io) override
    {
        const std::int64_t size = elementBytes(io.out[0].type);
        fillElements(io.out[0].data, io.out[0].count, io.in[2].data, size);
        auto* indices = reinterpret_cast<std::int64_t*>(io.scratch);
        copyIntegers(io.in[0], indices);
        for (std::int64_t i = 0; i < io.in[0].count; ++i) {
            const std::int64_t index = indices[i];
            const std::int64_t at = index < 0 ? index + m_lines.length : index;
            if (at < 0 || at >= m_lines.length)
                continue; // by definition: a row without a hot element
            const std::int64_t to = m_lines.start(i) + at * m_lines.inner;
            std::memcpy(io.out[0].data + to * size, io.in[2].data + size, static_cast<std::size_t>(size));
        }
    }

private:
    Lines m_lines; ///< of the output, one an index
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
    return std::make_unique<OneHotKernel>(Lines::along(out, axis));
}

class TopKKernel : public Kernel {
public:
    TopKKernel(const Lines& lines, std::int64_t k, bool isLargest)
        : m_in(lines), m_out{lines.outer, k, lines.inner}, m_isLargest(isLargest)
    {
    }
    Bytes scratchBytes() const override { return simdAligned(m_in.length * static_cast<Bytes>(sizeof(std::int64_t))); }
    void run(const KernelIo& io) override
    {
        const std::span order(reinterpret_cast<std::int64_t*>(io.scratch), static_cast<std::size_t>(m_in.length));
        withNumber(io.in[0].type, [&](auto number) {
            using T = decltype(number);
            for (std::int64_t line = 0; line < m_in.count(); ++line) {
                const T* in = io.in[0].as<T>() + m_in.start(line);
                const auto before = [&](std::int64_t a, std::int64_t b) {
                    const T x = in[a * m_in.inner];
                    const T y = in[b * m_in.inner];
                    return x == y ? a < b : m_isLargest ? x > y : x < y;
                };
                std::iota(order.begin(), order.end(), 0);
                std::partial_sort(order.begin(), order.begin() + m_out.length, order.end(), before);
                for (std::int64_t i = 0; i < m_out.length; ++i) {
                    const std::int64_t from = order[static_cast<std::size_t>(i)];
                    const std::int64_t to = m_out.start(line) + i * m_out.inner;
                    if (io.out[0].isGiven())
                        io.out[0].as<T>()[to] = in[from * m_in.inner];
                    if (io.out.size() > 1 && io.out[1].isGiven())
                        io.out[1].as<std::int64_t>()[to] = from;
                }
            }
        });
    }

private:
    Lines m_in;
    Lines m_out;
    bool m_isLargest;
};

std::unique_ptr<Kernel> makeTopK(const Request& request)
{
    const Dims& dims = request.dims(0);
    const std::size_t axis = request.axis(request.integer("axis", -1), dims.size());
    const std::int64_t k = request.output(request.hasOutput(0) ? 0 : 1).shape.dims.at(axis);
    const Lines lines = Lines::along(dims, axis);
    if (!isNumber(request.input(0).type) || k > lines.length)
        request.refuse("its k does not fit");
    for (std::size_t o = 0; o < 2; ++o) {
        if (request.hasOutput(o))
            request.requireCount(lines.count() * k, o);
        if (request.hasOutput(o) && request.output(o).type != (o == 0 ? request.input(0).type : ElementType::Int64))
            request.refuse("its outputs are of other types");
    }
    return std::make_unique<TopKKernel>(lines, k, request.integer("largest", 1) != 0);
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
};

} // namespace

std::span<const KernelEntry> indexingKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
