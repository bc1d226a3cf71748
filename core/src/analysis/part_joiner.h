// SPDX-License-Identifier: MIT
// Alias mode All: Concat operands and Split, Slice outputs as parts of one buffer.
#pragma once

#include "core/src/graph/precedence.h"

#include <arenascope/alias.h>

namespace arenascope::detail {

/// Joins the groups of mode InPlace where parts allow it, by the rule that alias.h gives for makeAliasGroups(). Groups come
/// back unchanged where nothing can be joined. With a `precedence` (else null) bytes must be safe in every order of the
/// operators; a group then needs all of its bytes all of its life.
AliasGroups joinParts(const Graph& graph, const Schedule& schedule, AliasGroups inPlace, const PeakOptions& options,
                      const Precedence* precedence);

} // namespace arenascope::detail
