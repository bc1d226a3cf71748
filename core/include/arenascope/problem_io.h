// SPDX-License-Identifier: MIT
// Bare placement problems in and out, as MiniMalloc's CSV.
#pragma once

#include <arenascope/plan.h>
#include <arenascope/problem.h>
#include <arenascope/result.h>

#include <string>
#include <string_view>

namespace arenascope {

/// Steps are kept one by one in profiles: 128 MiB at most.
inline constexpr Step kMaxProblemSteps = Step(1) << 24;

/// Reads a MiniMalloc CSV: a header with the columns in any order (`id|buffer|buffer_id`, `lower|start|begin`, `upper`
/// (exclusive) or `end` (inclusive), `size`, optionally `alignment`, `gaps`, `offset`; others are ignored), no quoting, CRLF and
/// a byte-order mark accepted. An empty optional field is one that is not there; `offset` becomes Buffer::fixedOffset.
/// Gaps are separated by spaces: `7-8` (not needed in [7,8)), `9-10@1:17` (only bytes [1,17) needed there).
/// Errors: FileCorrupt naming line and column of the first thing that is wrong, DuplicateName, SizeOverflow,
/// TooLarge for more than kMaxProblemSteps steps. O(n log n).
Result<PlacementProblem> problemFromCsv(std::string_view text, const std::string& where);

/// Writes `id,lower,upper,size` and, where any buffer has them, `alignment` and `gaps`; fixed offsets as `offset`, or with a plan
/// all its offsets. Sizes are the reserved ones. Ends with a newline. Names that a CSV without quoting cannot hold are
/// percent-encoded (`,` becomes `%2C`), equal names get a number, so that the file can be read again.
std::string problemToCsv(const PlacementProblem& problem, const Plan* plan = nullptr);

} // namespace arenascope
