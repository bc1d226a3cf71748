// SPDX-License-Identifier: MIT
// Step-by-step record of a simulated run: what the timeline shows.
#pragma once

#include <arenascope/plan.h>

namespace arenascope {

enum class EventKind : std::uint8_t {
    Allocate, ///< a buffer begins to hold bytes: all of its own, or with gaps those that are needed from this step on
    Reuse,    ///< ... and takes over bytes that `other` has left
    Read,     ///< the operator reads `tensor`
    Write,    ///< the operator writes `tensor`
    Free,     ///< the last use of these bytes was in this step
};

struct TraceEvent {
    EventKind kind = EventKind::Allocate;
    BufferId buffer;
    BufferId other;   ///< Reuse: whose bytes
    TensorId tensor;  ///< Read, Write
    PingPongSide side = PingPongSide::None;
    Offset begin = 0; ///< byte range concerned
    Offset end = 0;
};

struct TraceStep {
    OpId op;
    std::vector<TraceEvent> events; ///< allocations and reuses, reads, writes, frees: in that order
    Bytes liveBytes = 0;            ///< sizes rounded up to the alignment
    Offset arenaTop = 0;            ///< highest byte in use
};

struct Trace {
    std::vector<TraceStep> steps;
    Bytes peakBytes = 0;
    Step peakStep = 0;
};

/// Replays the plan into events. O((tensors + reads) log n + reuses).
Trace makeTrace(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan);

/// Buffers alive at a step, largest first. O(buffers).
std::vector<BufferId> buffersAliveAt(const PlacementProblem& problem, Step step);

} // namespace arenascope
