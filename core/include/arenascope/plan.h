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

/// One of the memories of a branch, as the ping-pong strategies make them.
struct PlanMemory {
    BranchId branch;
    PingPongSide side = PingPongSide::None; ///< None: the one two-ended memory of `pingpong-arena`, or an escaped tensor
    Offset offset = 0;
    Bytes size = 0;      ///< rounded up to the alignment
    LiveRange live;      ///< first write to last read; whole run for private memories
};

struct Placement {
    Offset offset = 0;   ///< of the buffer's first byte in its region
    RegionId region{0};
    MemoryId memory;     ///< the branch memory that it lies in; invalid outside ping-pong strategies
    PingPongSide side = PingPongSide::None;
};

struct Plan {
    std::string strategy;
    std::vector<Placement> placements; ///< by BufferId of the problem
    std::vector<PlanMemory> memories;  ///< ping-pong strategies only
    Bytes arenaSize = 0;               ///< max(offset + reserved size) over buffers and memories
    Completion completion = Completion::Heuristic;
    double planningSeconds = 0.0;      ///< wall time
};

} // namespace arenascope
