// SPDX-License-Identifier: MIT
// What planners see: buffers with sizes and live ranges, and nothing of the network but the branches' units.
#pragma once

#include <arenascope/alias.h>
#include <arenascope/branch.h>
#include <arenascope/graph.h>
#include <arenascope/schedule.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace arenascope {

enum class BufferKind : std::uint8_t { Tensors, Workspace, Given };

/// Part of a live range in which only [low, high) of the buffer's bytes is needed (low == high: nothing). `high` may lie in
/// the padding up to the reserved size.
struct BufferGap {
    LiveRange steps;
    Bytes low = 0;
    Bytes high = 0;
};

/// Bytes to place. `size` is raw; planners reserve `size` rounded up to the problem's alignment (see reserved()).
struct Buffer {
    std::string name;
    BufferKind kind = BufferKind::Given;
    Bytes size = 0;
    LiveRange live;
    Bytes alignment = 0;                ///< of the offset, 0: the problem's
    std::optional<Offset> fixedOffset;  ///< must be placed there
    std::optional<Offset> fileOffset;   ///< where the model file's own plan has it; only `tflm`, as that runtime, heeds it
    std::vector<BufferGap> gaps;
    std::vector<AliasMember> tensors;   ///< members of its alias group, empty for bare problems
    OpId op;                            ///< Workspace: whose
    std::int64_t uses = 0;              ///< reads and writes of it in one run; 0: not known
};

/// A branch as planners see it: its units' buffers in order.
struct ProblemBranch {
    BranchId id;
    struct Unit {
        std::vector<BufferId> buffers; ///< what the unit writes, arena only, in order
        PingPongSide side = PingPongSide::None;
    };
    std::vector<Unit> units;
};

struct MemoryRegion {
    std::string name = "arena";
    std::optional<Bytes> capacity;
    Bytes alignment = 0; ///< 0: the problem's
    double cost = 0.0;   ///< of using a byte: cheaper regions are filled first
    friend bool operator==(const MemoryRegion&, const MemoryRegion&) = default;
};

/// Pairs of buffers that may not share bytes although they never meet in the schedule at hand: in another order of the
/// operators, or where some run at the same time, they might.
class Conflicts {
public:
    using Pair = std::pair<BufferId, BufferId>;

    Conflicts() = default;
    /// Pairs in any order, any number of times, of `buffers` buffers. O(pairs log pairs).
    Conflicts(std::size_t buffers, std::span<const Pair> pairs);

    /// Those of one buffer, ascending.
    std::span<const BufferId> of(BufferId id) const;
    std::size_t pairCount() const { return m_others.size() / 2; }
    bool isEmpty() const { return m_others.empty(); }
    /// The pairs within some buffers (ascending), which are numbered anew.
    Conflicts among(std::span<const BufferId> buffers) const;

private:
    std::vector<std::size_t> m_first; ///< by BufferId: of its others; and one more
    std::vector<BufferId> m_others;
};

struct PlacementProblem {
    std::string name;
    std::vector<Buffer> buffers;          ///< by BufferId
    Step stepCount = 0;
    Bytes alignment = 1;                  ///< sizes are rounded up to it, offsets are multiples of it
    /// Tensors that nothing that runs touches, by TensorId: their live ranges are empty and they need no bytes, but
    /// TensorFlow Lite Micro reserves some for all of them at once. Only `tflm`, which tells what that runtime does, heeds them.
    std::vector<Buffer> idle;
    std::vector<ProblemBranch> branches;  ///< empty for bare problems: branch strategies refuse
    std::vector<MemoryRegion> regions{MemoryRegion{}};
    std::vector<Elision> elisions;        ///< copies that operators do not make: replay holds the plan to it
    Concurrency concurrency = Concurrency::Sequential;
    Conflicts conflicts;                  ///< Parallel: beside those that live ranges show
    std::vector<BufferId> crowd;          ///< Parallel: buffers of which no two may share bytes, the largest first
    Bytes crowdBytes = 0;                 ///< their reserved sizes: no arena is smaller

    const Buffer& buffer(BufferId id) const { return buffers[id.index()]; }
    /// Size rounded up to the alignment; problems are checked for overflow when they are made.
    Bytes reserved(BufferId id) const;
    Bytes alignmentOf(BufferId id) const;
};

/// Sum of live bytes a step, and where it is largest.
struct LiveProfile {
    std::vector<Bytes> liveBytes; ///< by step, sizes rounded up to the alignment
    Step peakStep = 0;            ///< the first step at which the peak is reached
    Bytes peak = 0;               ///< lower bound of any arena
    std::vector<BufferId> alive;  ///< at peakStep, largest first
};

/// O(n log n + steps).
LiveProfile liveProfile(const PlacementProblem& problem);
/// Reserved bytes of a buffer at a step at which it is alive, less those that one of its gaps makes free. O(gaps).
Bytes neededAt(const PlacementProblem& problem, BufferId id, Step step);
/// Sum of all reserved sizes: what `naive` needs.
Bytes naiveBytes(const PlacementProblem& problem);
/// The k-th largest size alive at once, for k = 1, 2, ...: from large to small. O(n log n).
std::vector<Bytes> positionalMaxima(const PlacementProblem& problem);
/// Lower bound for shared objects: the sum of the positional maxima.
Bytes sharedObjectBound(const PlacementProblem& problem);

/// Which of the network's inputs and outputs take bytes of the arena.
struct IoPlacement {
    bool inputsInArena = true;
    bool outputsInArena = true;
};

struct ProblemOptions {
    Bytes alignment = 64;
    IoPlacement io{};
    bool countWorkspace = false; ///< workspace of an operator becomes a buffer of its step
    std::vector<MemoryRegion> regions{}; ///< empty: one memory without a limit
    Concurrency concurrency = Concurrency::Sequential;
};

/// Live range of every tensor, by TensorId: [producer's step, last reader's step + 1); inputs from step 0 (unread: step 0
/// only), outputs to the end, an output nobody reads in its own step. Empty range for what takes no arena bytes.
std::vector<LiveRange> tensorLiveRanges(const Graph& graph, const Schedule& schedule);

/// One buffer an alias group (and workspace where asked). Where tensors are parts of a buffer, its gaps say which bytes are
/// needed when: from the lowest to the highest byte of what is alive, rounded up to the alignment.
///
/// Concurrency::Parallel: two buffers may share bytes only if all operators that write or read the one come before all that
/// write or read the other on paths of the network; what cannot be said by live ranges is in `conflicts`. There are no gaps
/// then. The groups must have been made for it, too.
///
/// Errors: UnknownShape naming the first operators whose outputs have no size and how to give it, SizeOverflow, BadOption
/// for an alignment that is not a power of two, TooLarge (Parallel: more than 2^24 conflicts, or a network so broad that the
/// table of what precedes what would take more than 128 MiB).
Result<PlacementProblem> makeProblem(const Graph& graph, const Schedule& schedule, const AliasGroups& aliases,
                                     const Branches& branches, const ProblemOptions& options);

} // namespace arenascope
