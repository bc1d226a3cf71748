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
    All,     ///< also Concat inputs and Split/Slice outputs as parts of one buffer; not grouped yet, makeStudy() refuses it
};
std::string_view aliasName(AliasMode mode); ///< "none", "views", "inplace", "all"
std::optional<AliasMode> aliasFromName(std::string_view name);

/// Why a tensor is in the group of another.
enum class AliasReason { Alone, View, InPlace, ConcatPart, SplitPart };

struct AliasMember {
    TensorId tensor;
    Offset offset = 0; ///< of the tensor's bytes in the group's buffer
    AliasReason reason = AliasReason::Alone;
    TensorId sharesWith; ///< the tensor that it joined; invalid for the first member
};

/// Tensors that live in one buffer; the first member is the one written first.
struct AliasGroup {
    std::vector<AliasMember> members;
    Bytes bytes = 0; ///< raw size of the buffer
};

struct AliasGroups {
    AliasMode mode = AliasMode::None;
    std::vector<AliasGroup> groups;        ///< ordered by first write, then by tensor id
    std::vector<std::int32_t> groupOf;     ///< by TensorId; -1: takes no arena bytes (weights, constants, variables)
};

/// Groups all activations. `views` join unconditionally; the in-place rule is the one of DESIGN.md ("In-place, exactly").
/// Linear in tensors and reads. Mode All groups as InPlace does.
AliasGroups makeAliasGroups(const Graph& graph, const Schedule& schedule, AliasMode mode);

/// Whether an operator of this kind (ONNX or TensorFlow Lite name) only renames its input's bytes.
bool isViewKind(std::string_view kind);
/// Whether an operator of this kind may write its first output over an operand.
bool isInPlaceKind(std::string_view kind);

} // namespace arenascope
