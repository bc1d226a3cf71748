// SPDX-License-Identifier: MIT
// Which tensors lie in one piece inside of another: geometry only, whoever may use it.
#pragma once

#include <arenascope/alias.h>

#include <vector>

namespace arenascope::detail {

/// `part` as one run of bytes in `whole`.
struct OperatorPart {
    TensorId part;  ///< may be a weight or a constant, which the operator has to copy
    TensorId whole;
    Offset offset = 0;
    AliasReason reason = AliasReason::ConcatPart;
};

/// Concat, CONCATENATION, PACK: every operand with its place in the output, in order. Split, SPLIT, SPLIT_V, UNPACK, Slice,
/// SLICE, STRIDED_SLICE: every named output with its place in the first operand. Empty for all other operators and where
/// bytes are not contiguous (a dimension larger than 1 before the axis, a step other than 1), not whole (odd counts of 4-bit
/// elements), not merely moved (another type or quantisation, a fused activation), or not known. O(operands + outputs + rank).
std::vector<OperatorPart> partsOf(const Graph& graph, const Operator& op);

} // namespace arenascope::detail
