// SPDX-License-Identifier: MIT
// Which bytes of a shared buffer are needed when.
#pragma once

#include <arenascope/problem.h>

#include <vector>

namespace arenascope::detail {

/// Bytes [low, high) of a buffer during some steps.
struct ByteNeed {
    LiveRange steps;
    Offset low = 0;
    Offset high = 0;
};

/// From the lowest to the highest byte of what is alive, step by step, rounded outwards to multiples of the alignment:
///
///     high |    ...bb|    a lies at the bottom and lives until b has died, b at the top: while only a is alive, the bytes
///          |    ...bb|    above it are not needed
///      low |aaaaaaaaa|    -> step
///
/// No offset is negative. Disjoint in time and in order; equal neighbours are one; steps at which nothing is alive are in none. O(n log n).
std::vector<ByteNeed> neededBytes(std::vector<ByteNeed> tensors, Bytes alignment);

/// A buffer's live range cut at its gaps: all of its reserved bytes but where a gap says less. Disjoint in time, in order, none
/// empty. O(gaps log gaps).
std::vector<ByteNeed> needsOf(const Buffer& buffer, Bytes reserved);

} // namespace arenascope::detail
