// SPDX-License-Identifier: MIT
// Where every buffer lives.
#pragma once

#include <arenascope/problem.h>

namespace arenascope {

enum class Completion {
    Heuristic,   ///< a rule was followed to its end; nothing is known about smaller arenas
    Optimal,     ///< proven: no arena can be smaller
    BestKnown,   ///< a search ended at its budget
    Interrupted, ///< a search was cancelled; the best plan so far
};
std::string_view completionName(Completion completion); ///< "heuristic", "optimal", "best-known", "interrupted"

/// One of the memories of a branch, as the ping-pong strategies make them, or one object of `shared-objects`.
struct PlanMemory {
    BranchId branch;     ///< invalid: an object, which buffers of any branch take in turn
    PingPongSide side = PingPongSide::None; ///< None: an object, or the one two-ended memory of `pingpong-arena`
    Offset offset = 0;
    Bytes size = 0;      ///< rounded up to the alignment
    LiveRange live;      ///< first write to last read; whole run for private memories
};

struct Placement {
    Offset offset = 0;   ///< of the buffer's first byte in its region
    RegionId region{0};
    MemoryId memory;     ///< index in Plan::memories; invalid for a buffer of its own (network inputs, escaped tensors, workspace)
    PingPongSide side = PingPongSide::None; ///< also set for an escaped tensor's buffer: its turn in the branch
};

/// A buffer that a cheaper region had no room for.
struct Spill {
    BufferId buffer;
    RegionId from;     ///< the region that it was kept out of
    Step step = -1;    ///< at which too many bytes were live there; -1: they would fit, but no placement was found
    Bytes excess = 0;  ///< bytes above the region's capacity, at that step or of that placement
};

/// What a search found out about a given capacity.
enum class CapacityVerdict : std::uint8_t {
    NotAsked,
    Fits,
    CannotFit, ///< proven
    Unknown,   ///< a budget ended first
};
std::string_view verdictName(CapacityVerdict verdict); ///< "not-asked", "fits", "cannot-fit", "unknown"

struct Plan {
    std::string strategy;              ///< id of the planner that was asked
    std::string chosen;                ///< id of the strategy that made the placements: differs from `strategy` for `auto`
    std::vector<Placement> placements; ///< by BufferId of the problem
    std::vector<Offset> idleOffsets;   ///< of PlacementProblem::idle; empty: they take no bytes
    std::vector<PlanMemory> memories;  ///< of ping-pong strategies and `shared-objects`
    Bytes arenaSize = 0;               ///< max(offset + reserved size) over buffers and memories; of several regions the sum
    std::vector<Bytes> regionSizes;    ///< by RegionId: the same for each, where there are several
    std::vector<Spill> spills;         ///< several regions: what did not get into the cheapest
    Completion completion = Completion::Heuristic;
    Bytes provenBound = 0;             ///< no valid arena is smaller, as far as the strategy knows; at least the live peak
    CapacityVerdict verdict = CapacityVerdict::NotAsked;
    std::vector<BufferId> conflict;    ///< CannotFit: buffers that cannot fit together
    bool isConflictIrreducible = false; ///< without any one of them, the others fit
    std::int64_t nodes = 0;            ///< positions that a search looked at
    double planningSeconds = 0.0;      ///< wall time
};

} // namespace arenascope
