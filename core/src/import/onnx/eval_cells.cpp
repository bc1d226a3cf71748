// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/eval_cells.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

/// Calls back with a value of the C++ type that stores an element; false where there is none.
template <class Visitor>
bool visitStored(ElementType type, Visitor&& visit)
{
    switch (type) {
    case Float32: visit(float()); return true;
    case Float64: visit(double()); return true;
    case Int64: visit(std::int64_t()); return true;
    case UInt64: visit(std::uint64_t()); return true;
    case Int32: visit(std::int32_t()); return true;
    case UInt32: visit(std::uint32_t()); return true;
    case Int16: visit(std::int16_t()); return true;
    case UInt16:
    case Float16:
    case BFloat16: visit(std::uint16_t()); return true;
    case Int8: visit(std::int8_t()); return true;
    case UInt8:
    case Bool: visit(std::uint8_t()); return true;
    default: return false;
    }
}

template <class Stored>
void decode(const std::vector<std::byte>& bytes, Cells& cells)
{
    for (std::size_t i = 0; i < cells.size(); ++i) {
        Stored element;
        std::memcpy(&element, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        if constexpr (std::is_floating_point_v<Stored>)
            cells.setReal(i, static_cast<double>(element));
        else
            cells.bits[i] = static_cast<std::int64_t>(element);
    }
}

template <class Stored>
std::vector<std::byte> encode(const Cells& cells)
{
    std::vector<std::byte> bytes(cells.size() * sizeof(Stored));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        Stored element;
        if constexpr (std::is_floating_point_v<Stored>)
            element = static_cast<Stored>(cells.real(i));
        else
            element = static_cast<Stored>(cells.bits[i]);
        std::memcpy(bytes.data() + i * sizeof(Stored), &element, sizeof(Stored));
    }
    return bytes;
}

} // namespace

bool Cells::isAllKnown() const
{
    return std::find(known.begin(), known.end(), false) == known.end();
}

void Cells::setUnknown(std::size_t i)
{
    if (known.empty())
        known.assign(size(), true);
    known[i] = false;
}

std::optional<std::vector<std::int64_t>> Cells::integers() const
{
    if (!isIntegerType(type) || !isAllKnown())
        return std::nullopt;
    return bits;
}

bool isIntegerType(ElementType type)
{
    switch (type) {
    case Int8:
    case UInt8:
    case Int16:
    case UInt16:
    case Int32:
    case UInt32:
    case Int64:
    case UInt64:
    case Bool: return true;
    default: return false;
    }
}

bool isRealType(ElementType type)
{
    return type == Float32 || type == Float64;
}

bool canKeep(ElementType type, std::int64_t count)
{
    if (isIntegerType(type))
        return count <= kMaxKeptElements;
    return count <= kMaxKeptFloats && (isRealType(type) || type == Float16 || type == BFloat16);
}

std::optional<std::size_t> keptCount(std::span<const std::int64_t> dims)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : dims) {
        if (extent < 0)
            return std::nullopt;
        if (extent == 0)
            return 0;
    }
    for (const std::int64_t extent : dims) {
        if (extent > kMaxKeptElements / count)
            return std::nullopt;
        count *= extent;
    }
    return static_cast<std::size_t>(count);
}

Cells zeroCells(ElementType type, const Dims& dims)
{
    const auto count = keptCount(dims);
    if (!count)
        failInference("a constant is too large to be worked out");
    Cells cells{type, dims, std::vector<std::int64_t>(*count, 0), {}};
    return cells;
}

std::optional<Cells> cellsOf(const ValueInfo& value)
{
    if (!value.otherKind.empty() || !value.shape.isStatic())
        return std::nullopt;
    const auto count = keptCount(value.shape.dims);
    if (!count)
        return std::nullopt;
    if (value.value) {
        Cells cells{value.type, value.shape.dims, std::vector<std::int64_t>(*count), {}};
        const std::vector<std::byte>& bytes = *value.value;
        bool fits = false;
        visitStored(value.type, [&](auto stored) {
            fits = bytes.size() == *count * sizeof(stored);
            if (fits)
                decode<decltype(stored)>(bytes, cells);
        });
        return fits ? std::optional(std::move(cells)) : std::nullopt;
    }
    if (value.partialValue.empty() || value.partialValue.size() != *count || !isIntegerType(value.type))
        return std::nullopt;
    Cells cells{value.type, value.shape.dims, value.partialValue, {}};
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells.bits[i] == kUnknownDim)
            cells.setUnknown(i);
    }
    return cells;
}

void normalize(Cells& cells, std::size_t i)
{
    if (cells.type == Bool) {
        cells.bits[i] = cells.bits[i] != 0;
        return;
    }
    visitStored(cells.type, [&](auto stored) {
        using Stored = decltype(stored);
        if constexpr (std::is_floating_point_v<Stored>)
            cells.setReal(i, static_cast<double>(static_cast<Stored>(cells.real(i))));
        else
            cells.bits[i] = static_cast<std::int64_t>(static_cast<Stored>(cells.bits[i]));
    });
}

void storeCells(const Cells& cells, bool constant, ValueInfo& into)
{
    if (cells.isAllKnown() && constant) {
        if (!canKeep(cells.type, static_cast<std::int64_t>(cells.size())))
            return;
        visitStored(cells.type, [&](auto stored) {
            into.value = std::make_shared<const std::vector<std::byte>>(encode<decltype(stored)>(cells));
        });
        return;
    }
    if (!isIntegerType(cells.type) || cells.dims.size() > 1 || cells.size() > kMaxRank)
        return;
    std::vector<std::int64_t> partial(cells.size(), kUnknownDim);
    bool any = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        // A known -1 cannot be told from an unknown element: it is given up.
        if (!cells.isKnownAt(i) || cells.bits[i] == kUnknownDim)
            continue;
        partial[i] = cells.bits[i];
        any = true;
    }
    if (any)
        into.partialValue = std::move(partial);
}

std::vector<std::int64_t> stridesOf(std::span<const std::int64_t> dims)
{
    std::vector<std::int64_t> strides(dims.size(), 1);
    // Without elements nothing is ever addressed, and the other extents may be too large to multiply.
    if (std::find(dims.begin(), dims.end(), 0) != dims.end())
        return std::vector<std::int64_t>(dims.size(), 0);
    for (std::size_t axis = dims.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * dims[axis];
    return strides;
}

Cells stridedCopy(const Cells& source, const Dims& dims, std::span<const std::int64_t> strides, std::int64_t offset)
{
    Cells result = zeroCells(source.type, dims);
    if (!source.known.empty())
        result.known.assign(result.size(), true);
    std::vector<std::int64_t> index(dims.size(), 0);
    std::int64_t position = offset;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto from = static_cast<std::size_t>(position);
        if (position < 0 || from >= source.size())
            failInference("an index is outside its tensor");
        result.bits[i] = source.bits[from];
        if (!source.known.empty())
            result.known[i] = source.known[from];
        for (std::size_t axis = dims.size(); axis-- > 0;) {
            position += strides[axis];
            if (++index[axis] < dims[axis])
                break;
            position -= strides[axis] * dims[axis];
            index[axis] = 0;
        }
    }
    return result;
}

Cells broadcastTo(const Cells& source, const Dims& dims)
{
    if (source.dims == dims)
        return source;
    if (source.dims.size() > dims.size())
        failInference("a tensor cannot be broadcast to fewer dimensions");
    const auto own = stridesOf(source.dims);
    const std::size_t shift = dims.size() - source.dims.size();
    std::vector<std::int64_t> strides(dims.size(), 0);
    for (std::size_t axis = 0; axis < source.dims.size(); ++axis) {
        if (source.dims[axis] != 1 && source.dims[axis] != dims[shift + axis])
            failInference("a tensor cannot be broadcast to that shape");
        strides[shift + axis] = source.dims[axis] == 1 ? 0 : own[axis];
    }
    return stridedCopy(source, dims, strides, 0);
}

} // namespace arenascope::onnx_import
