// SPDX-License-Identifier: MIT
// Placing items one by one at the lowest offset that is free for their whole life.
#pragma once

#include "core/src/planners/items.h"
#include "core/src/planners/occupancy.h"

namespace arenascope::planning {

/// What placeFixed() does with fixed offsets that meet each other.
enum class FixedRule {
    Checked, ///< an error
    AsGiven, ///< they are placed all the same
};

/// Remembers what has been placed and finds the lowest free offset for the next item. Items that may not share bytes
/// whenever they live (Item::apart) are looked at one by one.
///
/// Cost of one item: O(log n) sets of taken spans are collected, and a candidate offset leaps from span to span, merged
/// from the sets by a heap, until it hits none: O(leaps * log n). Neighbours in a packed arena melt into one span, so
/// that a leap passes many buffers at once. Measured near-linear on chains, on networks with skips and with thousands
/// of buffers that live all the time; the worst case, in which nothing melts, is O(n * n * log n) for all items
/// together.
class FirstFit {
public:
    explicit FirstFit(std::span<const Item> items);

    /// Forgets all placements, keeps the index.
    void clear();
    /// Places everything with a fixed offset. Errors: InvalidPlan naming the item whose offset is negative or, where
    /// that is checked, misaligned or taken.
    Status placeFixed(FixedRule rule = FixedRule::Checked);
    /// Places an item at its lowest free offset. False if the offset or its end does not fit 63 bits.
    bool place(std::size_t item);
    /// Places an item where the least room stays free above it, on top of everything only where no hole is large
    /// enough; of equal holes the lowest. Looks at all holes. False as above.
    bool placeTightest(std::size_t item);

    const std::vector<Offset>& offsets() const { return m_offsets; }
    /// max(offset + size) over what has been placed.
    Offset top() const { return m_top; }

private:
    /// A piece with its life counted in sections: stretches of time between two births or deaths.
    struct Part {
        std::size_t firstSection;
        std::size_t lastSection; // exclusive
        Bytes low;
        Bytes high;
    };
    /// One set of taken spans seen from the part [low, high) of the item at hand.
    struct View {
        const SpanSet::Span* next; // spans before it end below the candidate
        const SpanSet::Span* end;
        Bytes low;
        Bytes high;

        /// Offsets above it, up to blockedTo(), put the part into the next span.
        Offset blockedFrom() const { return next->begin - high; }
        Offset blockedTo() const { return next->end - low; }
        static bool isHigher(const View& a, const View& b) { return a.blockedFrom() > b.blockedFrom(); }
        void skipTo(Offset offset);
    };

    std::span<const Part> partsOf(std::size_t item) const;
    void collectViews(std::size_t item);
    void collectApart(std::size_t item);
    bool settle(const Item& item, Offset& offset);
    std::optional<Offset> lowestFree(std::size_t item, Offset from);
    std::optional<Offset> tightestFree(std::size_t item);
    void insert(std::size_t item, Offset offset);

    std::span<const Item> m_items;
    std::vector<Part> m_parts;            // item by item
    std::vector<std::size_t> m_firstPart; // by item, and one more
    Occupancy m_taken;
    std::vector<Offset> m_offsets;        // by item, -1: not placed
    Offset m_top = 0;
    std::vector<const SpanSet*> m_sets;   // scratch
    std::vector<SpanSet::Span> m_apart;   // scratch
    std::vector<View> m_views;            // scratch
};

} // namespace arenascope::planning
