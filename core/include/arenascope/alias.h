// SPDX-License-Identifier: MIT
// Tensors that share bytes on purpose.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/schedule.h>

namespace arenascope {

enum class AliasMode {
    None,    ///< every tensor its own bytes
    Views,   ///< Reshape, Flatten, Squeeze, Unsqueeze, Identity, inference Dropout share their input's bytes
    InPlace, ///< views, and element-wise operators write over an input of the same size whose last use it is
    All,     ///< also Concat operands and Split, Slice outputs as parts of one buffer, where that copies nothing
};
std::string_view aliasName(AliasMode mode); ///< "none", "views", "inplace", "all"
std::optional<AliasMode> aliasFromName(std::string_view name);

/// Why a tensor is in the group of another.
enum class AliasReason {
    Alone,
    View,       ///< the same bytes under another shape
    InPlace,    ///< written over an operand
    ConcatPart, ///< it, or what it shares its bytes with, is written straight into its place in a Concat's output
    SplitPart,  ///< it, or what it shares its bytes with, is read where it lies in the input of a Split or Slice
};

struct AliasMember {
    TensorId tensor;
    Offset offset = 0; ///< of the tensor's bytes in the group's buffer
    AliasReason reason = AliasReason::Alone;
    TensorId sharesWith; ///< the tensor that it joined; invalid for one member of each group, the one that all others joined
};

/// Tensors that live in one buffer, the one written first in front. Offset 0 is the lowest byte of any of them.
struct AliasGroup {
    std::vector<AliasMember> members;
    Bytes bytes = 0; ///< raw size of the buffer
};

/// A copy that an operator need not make, because the bytes are already where they belong.
struct Elision {
    OpId op;
    AliasReason reason = AliasReason::ConcatPart; ///< ConcatPart: `part` is an operand of `op`; SplitPart: an output
    TensorId part;
    TensorId whole;    ///< the output of a Concat, the input of a Split or Slice
    Offset offset = 0; ///< of the part in the whole
    Bytes bytes = 0;   ///< of the part: what is not copied
};

struct AliasGroups {
    AliasMode mode = AliasMode::None;
    std::vector<AliasGroup> groups;    ///< ordered by first write, then by tensor id
    std::vector<std::int32_t> groupOf; ///< by TensorId; -1: takes no arena bytes (weights, constants, variables)
    std::vector<Elision> elisions;     ///< mode All: by step, then by position among the operands or outputs
};

/// Groups all activations. Views join unconditionally; the in-place rule is the one of DESIGN.md ("In-place, exactly").
/// Linear in tensors and reads.
///
/// Mode All then joins the groups of Concat operands with that of the output, and those of Split and Slice outputs with that
/// of the input, where the part is one run of whole bytes at a multiple of `options.alignment` and no operator writes over
/// bytes of the joined group that somebody needs. Operators are tried in the order of the bytes that they copy, the largest
/// first; each with all of its parts at once and, where that would raise the live bytes of some step above the lower bound
/// that InPlace has, part by part, the largest first. What still would is copied. Once the bound has come down, all is tried
/// again below the new one, at most four times, and the best is kept: never a larger lower bound than InPlace has.
/// With Concurrency::Parallel what one operator writes over must be done with on paths of the network, not only by schedule.
/// `options` say what counts as live bytes (joinViews is not looked at). Buffers of parts are only partly used at first:
/// see Buffer::gaps. Groups grow to 512 tensors at most, which makes it O(512 n log n) at worst, for n tensors and reads.
AliasGroups makeAliasGroups(const Graph& graph, const Schedule& schedule, AliasMode mode, const PeakOptions& options = {},
                            Concurrency concurrency = Concurrency::Sequential);

/// Whether an operator of this kind (ONNX or TensorFlow Lite name) only renames its input's bytes.
bool isViewKind(std::string_view kind);
/// Whether an operator of this kind may write its first output over an operand.
bool isInPlaceKind(std::string_view kind);

} // namespace arenascope
