// SPDX-License-Identifier: MIT
// Proof that a plan is valid. Shares no code with the planners.
#pragma once

#include <arenascope/plan.h>

namespace arenascope {

enum class ClashKind {
    Overlap,        ///< two buffers alive at once share bytes
    Misaligned,     ///< offset is no multiple of the alignment
    Negative,       ///< offset below 0
    BeyondArena,    ///< offset + size above arena or region capacity
    FixedMoved,     ///< a fixed offset was not kept
    Missing,        ///< a buffer without a placement, or in a region that does not exist
    BeyondMemory,   ///< outside the branch memory that its placement names
    OverwrittenRead, ///< replay: a read found another tensor's bytes
    Unordered,      ///< parallel: two buffers share bytes, and no path of the network orders those that use them
};
std::string_view clashName(ClashKind kind);

/// One violated rule, with both parties where there are two.
struct Clash {
    ClashKind kind = ClashKind::Overlap;
    BufferId first{};
    BufferId second{};
    TensorId reads{};     ///< OverwrittenRead: the tensor that was wanted; Unordered (replay): the one written over
    TensorId found{};     ///< OverwrittenRead: the tensor whose bytes were there; Unordered (replay): the one that is written
    OpId op{};            ///< OverwrittenRead: the reader; Unordered (replay): the writer
    OpId other{};         ///< Unordered (replay): the user of the bytes that no path leads from to the writer
    Step step = -1;       ///< first step at which it happens; -1: independent of steps
    Offset begin = 0;     ///< byte range in the arena
    Offset end = 0;
};

struct Validation {
    std::vector<Clash> clashes;  ///< in a stable order; at most maxClashes
    std::int64_t clashCount = 0; ///< all, listed or not
    bool isValid() const { return clashCount == 0; }
};

/// Checks offsets, alignment, capacity, fixed offsets and overlaps. Deaths come before births at
/// a step. A buffer with gaps counts once for each stretch. O(n log n + listed clashes * log n + conflicts), however broken
/// the plan is.
Validation validatePlan(const PlacementProblem& problem, const Plan& plan, std::size_t maxClashes = 1000);

/// Walks the schedule over a map of the arena's bytes: each write stamps its bytes with its tensor, each read must find the
/// stamp of the tensor that it wants (members of one alias group may write over each other as planned).
/// Byte ranges are kept as intervals: O((tensors + reads) log tensors).
///
/// Where the problem is for Concurrency::Parallel, a path of the network must lead to each write from all that used the same
/// bytes before: then every order and every interleaving of the operators is equal to the one that was walked. This rests on
/// the graph alone, not on the problem's conflicts. O(operators * edges / 64) more at worst.
Validation replayPlan(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan,
                      std::size_t maxClashes = 1000);

/// One line of English: both names, step, operator, byte range.
std::string describe(const Clash& clash, const PlacementProblem& problem, const Graph* graph);

} // namespace arenascope
