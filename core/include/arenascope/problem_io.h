// SPDX-License-Identifier: MIT
// Bare placement problems in and out, as MiniMalloc's CSV.
#pragma once

#include <arenascope/plan.h>
#include <arenascope/problem.h>
#include <arenascope/result.h>

#include <string>
#include <string_view>

namespace arenascope {

/// Reads a MiniMalloc CSV: a header with the columns in any order (`id|buffer|buffer_id`, `lower|start|begin`, `upper`
/// (exclusive) or `end` (inclusive), `size`, optionally `alignment`, `gaps`, `offset`; others are ignored), no quoting, CRLF and
/// a byte-order mark accepted. Times are moved so that the first is step 0; `offset` becomes Buffer::fixedOffset.
/// Errors: FileCorrupt naming line and column of the first thing that is wrong, DuplicateName, SizeOverflow, TooLarge.
Result<PlacementProblem> problemFromCsv(std::string_view text, const std::string& where);

/// Writes `id,lower,upper,size` and, where any buffer has them, `alignment` and `gaps`; with a plan also `offset`.
/// Ends with a newline. Reading it again gives the same problem (up to the first step).
std::string problemToCsv(const PlacementProblem& problem, const Plan* plan = nullptr);

} // namespace arenascope
