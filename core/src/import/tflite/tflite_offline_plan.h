// SPDX-License-Identifier: MIT
// Offsets that a .tflite file brings along for its tensors.
//
// Source: TensorFlow Lite Micro, "Memory Management", offline planned tensor allocations: metadata of this name, whose buffer
// holds 32-bit integers: version 0, number of sub-graphs, number n of tensors, then n offsets in bytes, -1 for what the
// runtime is to place.
#pragma once

#include "core/src/import/tflite/tflite_file.h"

#include <optional>
#include <vector>

namespace arenascope::tflite_import {

inline constexpr std::string_view kOfflinePlanName = "OfflineMemoryAllocation";
inline constexpr std::int32_t kPlannedByRuntime = -1;

/// Offsets of all tensors of all sub-graphs, in order; nothing where the file has none, or none that fits: then a diagnostic
/// says why. Of several plans the last counts, as it does for that runtime.
std::optional<std::vector<std::int32_t>> offlinePlanOf(const TfliteFile& file, Diagnostics& diagnostics);

} // namespace arenascope::tflite_import
