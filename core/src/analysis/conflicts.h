// SPDX-License-Identifier: MIT
// Who may meet whom where the schedule is only one order of many.
#pragma once

#include "core/src/graph/precedence.h"

#include <arenascope/problem.h>

namespace arenascope::detail {

/// The most pairs that are kept: 128 MiB.
inline constexpr std::size_t kMostConflicts = std::size_t(1) << 24;

/// Pairs of buffers with live ranges that do not meet, of which not all operators that use the one come before all that use the
/// other. `bufferOf` is by TensorId. Errors: TooLarge. O(buffers * chains * log operators + conflicts).
Result<Conflicts> findConflicts(const Graph& graph, const Schedule& schedule, const Precedence& precedence,
                                std::span<const Buffer> buffers);

/// Buffers of which no two may share bytes, with the most bytes of all such sets: the heaviest antichain of "is done before
/// the other begins". Of more than 4,096 buffers only those are looked at together that are born near each other. Empty where
/// live ranges alone say as much. Source: Dilworth's theorem with weights, as a minimum flow.
std::vector<BufferId> heaviestCrowd(const PlacementProblem& problem);

} // namespace arenascope::detail
