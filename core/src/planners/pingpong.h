// SPDX-License-Identifier: MIT
// Branch memories: what the ping-pong strategies have in common.
#pragma once

#include "core/src/planners/items.h"
#include "core/src/planners/strategy.h"

#include <arenascope/plan.h>

namespace arenascope::planning {

/// A unit's buffers laid out one after the other.
struct UnitBlock {
    std::vector<BufferId> buffers;
    std::vector<Offset> offsets; ///< by buffer, from the start of the block
    Bytes size = 0;              ///< to the end of the last buffer, rounded up
    Bytes alignment = 1;         ///< a block at a multiple of it has all its buffers aligned
    LiveRange live;              ///< first write to last read of any of them
    PingPongSide side = PingPongSide::None; ///< claim 1
};

/// Claim 2 for one branch: the output memory that each unit needs. Errors: SizeOverflow, Unsupported (fixed offsets).
Result<std::vector<UnitBlock>> unitBlocks(const PlacementProblem& problem, const ProblemBranch& branch);

/// The two largest sizes, ties counted (claim 3); the second is 0 for a branch of one unit.
struct TopTwo {
    Bytes first = 0;
    Bytes second = 0;
};
TopTwo topTwo(std::span<const UnitBlock> units);

/// Claim 1: gives every unit its side. Where the two sizes differ, the designated unit writes to the first memory and
/// all others follow by the parity of their distance from it; where they are equal, the memories alternate and
/// `preferred` (the side of the first unit) decides which one begins.
void assignSides(std::span<UnitBlock> units, PingPongSide preferred);

/// How large a branch's two memories are.
enum class MemorySizing {
    TopTwo, ///< claim 3: the largest and the second largest unit
    Parity, ///< the largest unit among those that really write to it
};

/// Collects the memories and the units' places in them. Offsets in the arena come last: see stack() and pack().
class MemoryPlan {
public:
    explicit MemoryPlan(const PlacementProblem& problem);

    /// A memory of at least the given size and alignment. `live` is widened by the units that come into it.
    MemoryId addMemory(BranchId branch, PingPongSide side, Bytes size, Bytes alignment);
    /// Puts a unit at an offset of a memory.
    void addUnit(MemoryId memory, const UnitBlock& unit, Offset offset);
    /// Gives a unit's buffers places of their own, outside all memories.
    void addEscaped(const UnitBlock& unit);
    /// First and second memory for the units, each at the start of its memory. Errors: SizeOverflow.
    Status addTwoMemories(BranchId branch, std::span<const UnitBlock> units, MemorySizing sizing);

    /// Whether two buffers that must lie apart (PlacementProblem::conflicts) have the same bytes of one memory: along a chain of
    /// single operators never, else a unit's view may run late.
    Status checkMemories() const;
    /// Private memories: side by side in the order in which they were added, the buffers outside them above.
    Result<Plan> stack() &&;
    /// Shared memories: each is one buffer from its first write to its last read; these and the buffers outside are
    /// packed by size. Where some buffers must lie apart, their memories do. Errors: Cancelled, SizeOverflow.
    Result<Plan> pack(const std::stop_token& stop) &&;

private:
    Result<std::vector<Item>> items() const;
    Conflicts conflictsOfItems() const;
    Plan finish(std::span<const Offset> offsets) &&;

    const PlacementProblem& m_problem;
    Plan m_plan;
    std::vector<Bytes> m_alignments; // by memory
};

/// Base of the branch strategies: walks the branches. A strategy says which memories one branch gets, and how the
/// memories of all lie in the arena. Errors: Unsupported for problems with fixed offsets, which branch memories cannot keep.
class BranchStrategy : public Strategy {
protected:
    /// Adds the memories of one branch, whose units are sized and have their sides. Errors: SizeOverflow.
    virtual Status addBranch(MemoryPlan& plan, BranchId branch, std::vector<UnitBlock>& units) const = 0;
    /// Private memories, unless a strategy shares them.
    virtual Result<Plan> arrange(MemoryPlan&& plan, const std::stop_token& stop) const;

private:
    bool keepsApart() const final { return true; }
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                       const ProgressFn& progress) const final;
};

} // namespace arenascope::planning
