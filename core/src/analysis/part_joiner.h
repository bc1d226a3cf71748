// SPDX-License-Identifier: MIT
// Alias mode All: Concat operands and Split, Slice outputs as parts of one buffer.
#pragma once

#include <arenascope/alias.h>

namespace arenascope::detail {

/// Joins the groups of mode InPlace where parts allow it, by the rule that alias.h gives for makeAliasGroups(). Groups come
/// back unchanged where nothing can be joined.
AliasGroups joinParts(const Graph& graph, const Schedule& schedule, AliasGroups inPlace, const PeakOptions& options);

} // namespace arenascope::detail
