// SPDX-License-Identifier: MIT
// Several memories: as users write them, and as one picture shows them.
#pragma once

#include <arenascope/plan.h>
#include <arenascope/problem.h>
#include <arenascope/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace arenascope {

/// "sram=256K, psram=8M, flash": memories with their capacities, or without a limit, from the one that is filled first to the last;
/// separated by commas or blanks. Empty text: none. Errors: BadOption (`where` empty, args {"memories", the part, what is accepted})
/// for a size that is none, an empty name, a name given twice.
Result<std::vector<MemoryRegion>> regionsFromText(std::string_view text);
/// The same way round; sizes in bytes where no unit says them exactly.
std::string regionsText(std::span<const MemoryRegion> regions);

/// What a budget is held against: the memory that is filled first, or the whole arena where there is only one.
Bytes firstMemoryBytes(const Plan& plan);

/// Where a region begins when all are drawn on top of each other, the first at the bottom: the sum of what those before it hold.
Offset regionBase(const Plan& plan, RegionId region);
/// Offset of a buffer in that stack; of a plan with one memory simply its offset.
Offset stackedOffset(const Plan& plan, BufferId buffer);

} // namespace arenascope
