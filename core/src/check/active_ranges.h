// SPDX-License-Identifier: MIT
// A changing set of byte ranges that answers who overlaps whom.
#pragma once

#include <arenascope/types.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace arenascope::check {

/// Knows all ranges from the start; each is switched on and off. No range is empty.
class ActiveRanges {
public:
    explicit ActiveRanges(const std::vector<std::pair<Offset, Offset>>& ranges);

    void insert(std::size_t range); ///< O(log n)
    void erase(std::size_t range);  ///< O(log n)
    /// How many active ranges share bytes with this one, by counting those that lie wholly below or above. O(log n).
    std::int64_t countOverlaps(std::size_t range) const;
    /// The first `limit` of them by offset, then number. O((answers + 1) log n).
    std::vector<std::size_t> overlaps(std::size_t range, std::size_t limit) const;

private:
    /// Fenwick tree: how many of the first n positions are switched on.
    class Counter {
    public:
        explicit Counter(std::size_t size = 0) : m_sums(size + 1) {}
        void add(std::size_t position, std::int64_t change);
        std::int64_t countBelow(std::size_t position) const;

    private:
        std::vector<std::int64_t> m_sums;
    };

    void setEnd(std::size_t range, Offset end);
    void collect(std::size_t node, std::size_t width, std::size_t first, std::size_t range, std::size_t limit,
                 std::vector<std::size_t>& found) const;

    std::vector<std::pair<Offset, Offset>> m_ranges;
    std::vector<std::size_t> m_byBegin;   // ranges in order of their begin
    std::vector<std::size_t> m_beginRank; // by range
    std::vector<Offset> m_begins;         // sorted
    std::vector<std::size_t> m_endRank;   // by range
    std::vector<Offset> m_ends;           // sorted
    Counter m_activeBegins;
    Counter m_activeEnds;
    std::int64_t m_activeCount = 0;
    std::size_t m_leaves = 1;
    std::vector<Offset> m_highestEnd; // binary tree over ranks of begins, root at 1; -1: nothing active
};

} // namespace arenascope::check
