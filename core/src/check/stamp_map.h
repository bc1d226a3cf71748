// SPDX-License-Identifier: MIT
// What each byte of an arena holds, as intervals.
#pragma once

#include <arenascope/types.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace arenascope::check {

/// Who wrote a byte last, and when.
struct Stamp {
    Step time = kNever;
    BufferId buffer;
    TensorId writer; ///< invalid for a workspace

    static constexpr Step kBeforeTheRun = -1; ///< network inputs
    static constexpr Step kNever = -2;
};

/// Disjoint stamped intervals; bytes between them were never written.
class StampMap {
public:
    /// Stamps [begin, end). Amortised O(log n).
    void write(Offset begin, Offset end, Stamp stamp)
    {
        if (begin >= end)
            return;
        cutAt(begin);
        cutAt(end);
        m_intervals.erase(m_intervals.lower_bound(begin), m_intervals.lower_bound(end));
        m_intervals.emplace(begin, Interval{end, stamp});
    }

    /// Calls visit(begin, end, stamp) for every interval in [begin, end) in order, unwritten ones with an empty stamp.
    template <class Visit>
    void forEach(Offset begin, Offset end, Visit&& visit) const
    {
        auto it = m_intervals.upper_bound(begin);
        if (it != m_intervals.begin() && std::prev(it)->second.end > begin)
            --it;
        Offset cursor = begin;
        for (; cursor < end && it != m_intervals.end() && it->first < end; ++it) {
            if (it->first > cursor)
                visit(cursor, it->first, Stamp{});
            cursor = std::min(end, it->second.end);
            visit(std::max(begin, it->first), cursor, it->second.stamp);
        }
        if (cursor < end)
            visit(cursor, end, Stamp{});
    }

private:
    struct Interval {
        Offset end;
        Stamp stamp;
    };

    /// Makes sure that no interval reaches across `position`.
    void cutAt(Offset position)
    {
        auto it = m_intervals.lower_bound(position);
        if (it == m_intervals.begin())
            return;
        --it;
        if (it->second.end <= position)
            return;
        m_intervals.emplace(position, it->second);
        it->second.end = position;
    }

    std::map<Offset, Interval> m_intervals; // by begin
};

} // namespace arenascope::check
