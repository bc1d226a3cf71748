// SPDX-License-Identifier: MIT
// Memory that begins where SIMD loops like it.
#pragma once

#include <arenascope/types.h>

#include <cstddef>
#include <memory>
#include <new>

namespace arenascope::exec {

inline constexpr Bytes kSimdAlignment = 64;

constexpr Bytes simdAligned(Bytes bytes)
{
    return (bytes + kSimdAlignment - 1) / kSimdAlignment * kSimdAlignment;
}

struct AlignedDelete {
    void operator()(std::byte* data) const { ::operator delete[](data, std::align_val_t(kSimdAlignment)); }
};
using AlignedMemory = std::unique_ptr<std::byte[], AlignedDelete>;

/// At least one byte, without content. Throws std::bad_alloc.
inline AlignedMemory allocateAligned(Bytes bytes)
{
    const auto size = static_cast<std::size_t>(bytes > 0 ? bytes : 1);
    return AlignedMemory(new (std::align_val_t(kSimdAlignment)) std::byte[size]);
}

} // namespace arenascope::exec
