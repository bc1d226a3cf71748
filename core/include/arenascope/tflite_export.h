// SPDX-License-Identifier: MIT
// Plans into TensorFlow Lite files, for TensorFlow Lite Micro to follow.
#pragma once

#include <arenascope/result.h>
#include <arenascope/study.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace arenascope {

/// Offsets as that runtime wants them: one for each tensor of all sub-graphs, in the order of the file; -1 for what it is to
/// place itself or does not place at all (constants, variables).
/// Errors: Unsupported with the remedy (another format, another order than the file's, several memory regions, an alignment
/// below 16, inputs or outputs outside the arena, called sub-graphs, offsets beyond 2 GB), InvalidPlan (a plan with clashes).
Result<std::vector<std::int32_t>> offlineOffsets(const PlanOutcome& outcome);

/// A copy of the model file with the plan as metadata `OfflineMemoryAllocation`. All else stays as it is, byte for byte but for
/// the root table: also what this program does not know of. A plan that is there already is replaced.
/// Errors: those of offlineOffsets(), those of reading the model file, PlanMismatch (it has changed since), Unsupported
/// (unknown parts of the root table that cannot be kept), OutOfMemory.
Result<std::string> tfliteWithPlan(const PlanOutcome& outcome);

/// Writes that copy. The model file itself is not touched: `path` may not be the same file. Errors: the same, FileNotWritable.
Status planToTflite(const PlanOutcome& outcome, const std::filesystem::path& path);

} // namespace arenascope
