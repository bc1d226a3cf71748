// SPDX-License-Identifier: MIT
// Depth-first search for a packing below one target.
#pragma once

#include "core/src/planners/exact/instance.h"

#include <functional>

namespace arenascope::planning::exact {

/// What prunes the search. Any subset gives the same answers, only later.
struct Rules {
    bool heads = true;     ///< cut where some section overflows, its blocks stacked no lower than each can lie
    bool lift = true;      ///< a passed-over block must be lifted by a neighbour that can still come below its top
    bool fill = true;      ///< no block may come above room that another one could have for good
    bool identical = true; ///< of identical blocks, the earlier in the order comes first
    bool swap = true;      ///< of two blocks of the same life directly on each other, the earlier in the order lies below
    bool split = true;     ///< parts that no open block connects are packed apart
    bool remember = true;  ///< what failed once is not tried again
};

enum class Answer {
    Fits,
    CannotFit, ///< proven, if the instance is complete
    Unknown,   ///< the node budget ended
    Stopped,
};

/// Every packing can be pushed down until each block lies at 0, on another block or on something fixed. Sorted by offset,
/// then by a fixed order of the blocks, such a packing is built by always putting the next block at the lowest offset that
/// those before it leave; offsets never go down. So a node takes the lowest open block and either places it there or passes
/// over it for good: then something that comes later has to lift it.
///
/// Source of the scheme: Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning"
/// (ASPLOS 2023). Added here are the bound by heads (each section is a one-machine schedule whose jobs, the blocks, have
/// release times, their lowest offsets), the lifting of passed-over blocks, and the memory of failures: since a node places
/// before it passes over, a set of open blocks with lowest offsets that failed has no packing at all, whatever came before.
class Search {
public:
    /// `order`: all blocks of the instance; earlier ones are tried first among equal offsets.
    Search(const Instance& instance, std::span<const std::int32_t> order, Rules rules = {});

    /// Looks for a packing whose top is at most `target`. `stop` is asked every millisecond or so.
    Answer run(Units target, std::int64_t nodeBudget, const std::function<bool()>& stop = {});

    /// By block of the instance; valid after Answer::Fits.
    std::vector<Units> offsets() const;
    std::int64_t nodes() const { return m_nodes; } ///< of the last run
    /// Forgets failures; they are kept between runs with the same target.
    void forget();

private:
    struct Mark {
        std::size_t trail;
        std::size_t placed;
    };
    struct Cursor { ///< the last block that was placed or passed over
        Units offset = -1;
        std::int32_t block = -1;
    };
    struct Failure {
        std::uint64_t key = 0;
        std::uint64_t check = 0;
    };
    struct Fixed {
        Units offset = 0;
        Span span;
    };
    /// A range of m_open: the blocks of one part that are not placed, in falling order of m_low when it was last looked at.
    struct Part {
        std::size_t begin;
        std::size_t end;
    };

    void findSameLives();
    bool pack(Part part, Cursor cursor);
    bool branch(Part part, Cursor cursor);
    std::int32_t next(Part part, Cursor cursor) const;
    bool raise(Part part, Cursor cursor);
    bool overflows(Part part);
    bool stack(const Span& span, Units low, std::int32_t first, std::int32_t last);
    bool place(Part part, std::int32_t block);
    bool packRest(Part part, std::int32_t block);
    bool packParts(Part part, std::int32_t block);
    bool mayComeNext(std::int32_t block) const;
    Units clear(std::int32_t block, Units offset) const;
    void undo(Mark mark);
    bool isOut();
    Failure failureOf(Part part) const;
    Failure& slot(const Failure& failure);

    const Instance& m_instance;
    const Rules m_rules;
    // Everything below is numbered by position in the order.
    std::vector<Block> m_blocks;
    std::vector<std::int32_t> m_original;
    std::vector<std::size_t> m_neighbourBegin;
    std::vector<Neighbour> m_neighbours;
    std::vector<std::int32_t> m_twin;          // the identical block before it in the order, or -1
    std::vector<std::vector<std::int32_t>> m_sameLife; // later in the order, swap rule only
    std::vector<Units> m_offset;               // lowest that is left (open), or final (placed)
    std::vector<Units> m_low;                  // lowest that is possible for an open block, given what was passed over
    std::vector<char> m_isPlaced;
    std::vector<std::int32_t> m_crossing;      // by section: open blocks alive in it and in the one before
    std::vector<Fixed> m_fixed;                // highest first
    std::vector<Units> m_stack;                // scratch, by section
    std::vector<std::int32_t> m_passed;        // scratch
    std::vector<std::int32_t> m_open;          // parts, as a stack
    std::vector<std::pair<std::int32_t, Units>> m_trail; // offsets before they were raised
    std::vector<std::int32_t> m_placed;        // in the order of placing
    std::vector<Failure> m_failures;
    Units m_target = 0;
    Units m_failureTarget = -1;
    std::int64_t m_nodes = 0;
    std::int64_t m_budget = 0;
    std::int64_t m_nodesBetweenStops = 1;
    const std::function<bool()>* m_stop = nullptr;
    bool m_isOut = false;
    bool m_isStopped = false;
};

} // namespace arenascope::planning::exact
