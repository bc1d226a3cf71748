// SPDX-License-Identifier: MIT
// Copies between arrays whose neighbours lie any distance apart: what moving operators come down to.
#pragma once

#include "core/src/exec/view.h"

namespace arenascope::exec {

/// target[i . targetStrides] = source[i . sourceStrides] for every index i below `dims`; strides in elements, also 0 and
/// negative ones. Where a run of elements is already in its place nothing is done, and runs may overlap themselves.
void copyStrided(ElementType type, std::span<const std::int64_t> dims, std::byte* target,
                 std::span<const std::int64_t> targetStrides, const std::byte* source,
                 std::span<const std::int64_t> sourceStrides);

/// Fills `count` elements of `elementSize` bytes with one.
void fillElements(std::byte* target, std::int64_t count, const std::byte* element, std::int64_t elementSize);

} // namespace arenascope::exec
