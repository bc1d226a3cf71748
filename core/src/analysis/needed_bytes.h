// SPDX-License-Identifier: MIT
// Which bytes of a shared buffer are needed when.
#pragma once

#include <arenascope/buffer_pieces.h>

#include <vector>

namespace arenascope::detail {

/// From the lowest to the highest byte of what is alive, step by step, rounded outwards to multiples of the alignment:
///
///     high |    ...bb|    a lies at the bottom and lives until b has died, b at the top: while only a is alive, the bytes
///          |    ...bb|    above it are not needed
///      low |aaaaaaaaa|    -> step
///
/// No offset is negative. Disjoint in time and in order; equal neighbours are one; steps at which nothing is alive are in none. O(n log n).
std::vector<BufferPiece> neededBytes(std::vector<BufferPiece> tensors, Bytes alignment);

} // namespace arenascope::detail
