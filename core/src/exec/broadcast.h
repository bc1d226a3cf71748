// SPDX-License-Identifier: MIT
// Multidirectional broadcasting (ONNX specification, "Broadcasting in ONNX") of any number of operands.
#pragma once

#include "core/src/exec/request.h"

#include <array>

namespace arenascope::exec {

/// Output indices in as few loops as the operands allow. Strides are in elements; 0 where an operand is stretched.
struct BroadcastLoops {
    Dims extents;
    std::vector<Dims> strides; ///< by operand

    /// Of an operand within a row.
    std::int64_t rowStride(std::size_t operand) const { return extents.empty() ? 0 : strides[operand].back(); }
};

/// Refuses operands that cannot be stretched to `out`.
BroadcastLoops broadcastLoops(const Request& request, std::span<const Dims> operands, const Dims& out);

/// Calls `row(offset of each operand, output offset, length)` for each innermost row.
template <std::size_t operandCount, class Row>
void forEachRow(const BroadcastLoops& loops, Row&& row)
{
    const std::size_t rank = loops.extents.size();
    std::array<std::int64_t, operandCount> offsets{};
    if (rank == 0)
        return row(offsets, std::int64_t{0}, std::int64_t{1});
    const std::int64_t length = loops.extents[rank - 1];
    const std::span<const std::int64_t> outer = std::span(loops.extents).first(rank - 1);
    Dims index(rank - 1, 0);
    std::int64_t at = 0;
    if (product(loops.extents) == 0)
        return;
    do {
        for (std::size_t k = 0; k < operandCount; ++k) {
            offsets[k] = 0;
            for (std::size_t d = 0; d < outer.size(); ++d)
                offsets[k] += index[d] * loops.strides[k][d];
        }
        row(offsets, at, length);
        at += length;
    } while (nextIndex(index, outer));
}

} // namespace arenascope::exec
