// SPDX-License-Identifier: MIT
// Ids, units and overflow-checked size arithmetic.
#pragma once

#include <cassert>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace arenascope {

/// A size in bytes. Negative only as kUnknownBytes.
using Bytes = std::int64_t;
/// A distance in bytes from the start of an arena.
using Offset = std::int64_t;
/// A position in a schedule, counted from 0.
using Step = std::int64_t;

/// The size of a tensor whose shape or element type is not known.
inline constexpr Bytes kUnknownBytes = -1;

/// An index that only fits the table that it was made for.
template <class Tag>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(std::int32_t value) : m_value(value) {}
    static constexpr Id fromIndex(std::size_t index) { return Id(static_cast<std::int32_t>(index)); }

    constexpr bool isValid() const { return m_value >= 0; }
    constexpr std::int32_t value() const { return m_value; }
    /// Position in the table; the id must be valid.
    constexpr std::size_t index() const
    {
        assert(m_value >= 0 && "index() of an invalid id");
        return static_cast<std::size_t>(m_value);
    }
    friend constexpr auto operator<=>(Id, Id) = default;

private:
    std::int32_t m_value = -1;
};

using OpId = Id<struct OpTag>;
using TensorId = Id<struct TensorTag>;
using BufferId = Id<struct BufferTag>;
using BranchId = Id<struct BranchTag>;
using RegionId = Id<struct RegionTag>;
using MemoryId = Id<struct MemoryTag>;

/// Steps in which a buffer must keep its bytes, half-open: [begin, end).
struct LiveRange {
    Step begin = 0;
    Step end = 0;

    constexpr bool contains(Step step) const { return begin <= step && step < end; }
    constexpr bool meets(LiveRange other) const { return begin < other.end && other.begin < end; }
    constexpr Step length() const { return end - begin; }
    friend constexpr bool operator==(LiveRange, LiveRange) = default;
};

/// a + b for non-negative sizes; nothing when it does not fit 63 bits.
constexpr std::optional<Bytes> checkedAdd(Bytes a, Bytes b)
{
    Bytes sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        return std::nullopt;
    return sum;
}

/// a * b for non-negative sizes; nothing when it does not fit 63 bits.
constexpr std::optional<Bytes> checkedMultiply(Bytes a, Bytes b)
{
    Bytes product = 0;
    if (__builtin_mul_overflow(a, b, &product))
        return std::nullopt;
    return product;
}

/// The smallest multiple of alignment (> 0) that is not below size; nothing on overflow.
constexpr std::optional<Bytes> checkedAlignUp(Bytes size, Bytes alignment)
{
    const auto padded = checkedAdd(size, alignment - 1);
    if (!padded)
        return std::nullopt;
    return *padded / alignment * alignment;
}

} // namespace arenascope

template <class Tag>
struct std::hash<arenascope::Id<Tag>> {
    std::size_t operator()(arenascope::Id<Tag> id) const noexcept { return std::hash<std::int32_t>()(id.value()); }
};
