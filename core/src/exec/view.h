// SPDX-License-Identifier: MIT
// Memory seen as a tensor.
#pragma once

#include <arenascope/graph.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace arenascope::exec {

using Dims = std::vector<std::int64_t>;

/// Elements of one type, row-major without gaps, in memory that somebody else owns.
struct View {
    std::byte* data = nullptr; ///< null: left out, or a constant that the operator has taken over
    ElementType type = ElementType::Undefined;
    std::span<const std::int64_t> dims;
    std::int64_t count = 0;
    Bytes bytes = 0;

    bool isGiven() const { return data != nullptr; }
    template <class T>
    T* as() const
    {
        return reinterpret_cast<T*>(data);
    }
};

/// Product of the extents [from, to).
inline std::int64_t product(std::span<const std::int64_t> dims, std::size_t from, std::size_t to)
{
    std::int64_t count = 1;
    for (std::size_t i = from; i < to; ++i)
        count *= dims[i];
    return count;
}
inline std::int64_t product(std::span<const std::int64_t> dims)
{
    return product(dims, 0, dims.size());
}

/// The lines of a tensor along one axis: `length` elements each, `inner` elements apart.
struct Lines {
    std::int64_t outer = 0;
    std::int64_t length = 0;
    std::int64_t inner = 0;

    static Lines along(std::span<const std::int64_t> dims, std::size_t axis)
    {
        return {product(dims, 0, axis), dims[axis], product(dims, axis + 1, dims.size())};
    }
    std::int64_t count() const { return outer * inner; }
    /// Where a line's first element lies.
    std::int64_t start(std::int64_t line) const { return line / inner * length * inner + line % inner; }
};

/// Distance in elements between neighbours along each dimension.
inline Dims stridesOf(std::span<const std::int64_t> dims)
{
    Dims strides(dims.size(), 1);
    for (std::size_t i = dims.size(); i-- > 1;)
        strides[i - 1] = strides[i] * dims[i];
    return strides;
}

/// Counts through a block of indices, the last fastest. Gives false after the last one.
inline bool nextIndex(Dims& index, std::span<const std::int64_t> dims)
{
    for (std::size_t i = dims.size(); i-- > 0;) {
        if (++index[i] < dims[i])
            return true;
        index[i] = 0;
    }
    return false;
}

} // namespace arenascope::exec
