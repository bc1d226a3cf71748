// SPDX-License-Identifier: MIT
// What the exact search packs: items on a coarse grid of time and bytes.
#pragma once

#include "core/src/planners/items.h"

#include <cstdint>
#include <span>
#include <vector>

namespace arenascope::planning::exact {

/// Bytes divided by Instance::unit. Offsets of a lowest packing are sums of sizes, so that nothing is lost.
using Units = std::int64_t;

/// The part [low, high) of a block that is needed during sections [first, last).
struct Span {
    std::int32_t first = 0;
    std::int32_t last = 0;
    Units low = 0;
    Units high = 0;
};

/// One item. Its spans are disjoint in time and in order.
struct Block {
    std::size_t item = 0;   ///< index of the item that it stands for
    std::int32_t first = 0; ///< sections [first, last) hold all its spans
    std::int32_t last = 0;
    Units size = 0;
    Units alignment = 1;
    Step life = 0;          ///< steps, for the order in which blocks are tried
    std::int32_t spanBegin = 0;
    std::int32_t spanEnd = 0;
};

/// What two blocks that meet in time demand of each other.
struct Neighbour {
    std::int32_t block = 0;
    Units above = 0; ///< if the neighbour lies above: its offset is at least mine + this
    Units below = 0; ///< if it lies below: my offset is at least its own + this
};

/// What keeps a block from some offsets for good: something fixed.
struct Obstacle {
    Units offset = 0; ///< of the fixed item
    Units above = 0;  ///< the block clears it at offset + above or higher ...
    Units below = 0;  ///< ... or at offset - below or lower
};

/// Items whose lives are connected: no moment of time separates them.
///
/// Sections are the maximal sets of blocks alive at once (a step whose blocks are all alive at another step adds nothing), so
/// there are at most as many as items, unless gaps demand more.
struct Instance {
    Bytes unit = 1;                     ///< bytes of one Units
    std::int32_t sections = 0;
    std::vector<Block> blocks;          ///< movable
    std::vector<Span> spans;            ///< by block, then of what is fixed
    std::vector<Units> fixedOffsets;    ///< of the spans that follow those of the blocks, one each
    std::vector<std::size_t> neighbourBegin; ///< by block, and one more
    std::vector<Neighbour> neighbours;
    std::vector<std::size_t> obstacleBegin;  ///< by block, and one more
    std::vector<Obstacle> obstacles;         ///< in order of offset for each block
    Units bound = 0;                    ///< largest sum of what is needed at once; fixed tops count as well
    bool isComplete = true;             ///< a failed search proves something: no span begins above its block's offset

    std::span<const Span> spansOf(const Block& block) const
    {
        return std::span(spans).subspan(static_cast<std::size_t>(block.spanBegin),
                                        static_cast<std::size_t>(block.spanEnd - block.spanBegin));
    }
    std::span<const Neighbour> neighboursOf(std::size_t block) const
    {
        return std::span(neighbours).subspan(neighbourBegin[block], neighbourBegin[block + 1] - neighbourBegin[block]);
    }
    std::span<const Obstacle> obstaclesOf(std::size_t block) const
    {
        return std::span(obstacles).subspan(obstacleBegin[block], obstacleBegin[block + 1] - obstacleBegin[block]);
    }
};

/// How much an instance may hold before pairs of blocks are too many to keep.
inline constexpr std::size_t kMaxPairs = 8'000'000;

/// Cuts the items into instances, in order of time. Items without bytes or life, and fixed ones, are in none.
/// O(n log n + pairs). An instance with more than kMaxPairs pairs has `blocks` and `bound` only (hasPairs() is false).
std::vector<Instance> makeInstances(std::span<const Item> items);
inline bool hasPairs(const Instance& instance) { return !instance.neighbourBegin.empty(); }
/// So large that one search of all of it seldom ends: parts of it are searched as well.
inline constexpr std::size_t kManyBlocks = 5'000;
inline bool isLarge(const Instance& instance) { return !hasPairs(instance) || instance.blocks.size() > kManyBlocks; }

} // namespace arenascope::planning::exact
