// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/alias.h>

namespace arenascope::detail {

/// Whether a group takes arena bytes. Bytes of a network input are the caller's where inputs live outside, whatever else is
/// laid over them; the same for a network output, so that an operator writes straight into the caller's memory.
inline bool isInArena(const Graph& graph, const AliasGroup& group, bool inputsInArena, bool outputsInArena)
{
    bool hasOutput = false;
    for (const AliasMember& member : group.members) {
        const Tensor& tensor = graph.tensor(member.tensor);
        if (tensor.role == TensorRole::Input)
            return inputsInArena;
        hasOutput = hasOutput || tensor.isOutput;
    }
    return !hasOutput || outputsInArena;
}

} // namespace arenascope::detail
