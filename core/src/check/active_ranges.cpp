// SPDX-License-Identifier: MIT
#include "core/src/check/active_ranges.h"

#include <algorithm>
#include <numeric>

namespace arenascope::check {

void ActiveRanges::Counter::add(std::size_t position, std::int64_t change)
{
    for (std::size_t i = position + 1; i < m_sums.size(); i += i & (~i + 1))
        m_sums[i] += change;
}

std::int64_t ActiveRanges::Counter::countBelow(std::size_t position) const
{
    std::int64_t count = 0;
    for (std::size_t i = position; i > 0; i -= i & (~i + 1))
        count += m_sums[i];
    return count;
}

ActiveRanges::ActiveRanges(const std::vector<std::pair<Offset, Offset>>& ranges)
    : m_ranges(ranges)
    , m_byBegin(ranges.size())
    , m_beginRank(ranges.size())
    , m_endRank(ranges.size())
    , m_activeBegins(ranges.size())
    , m_activeEnds(ranges.size())
{
    std::iota(m_byBegin.begin(), m_byBegin.end(), std::size_t{0});
    std::vector<std::size_t> byEnd = m_byBegin;
    std::stable_sort(m_byBegin.begin(), m_byBegin.end(),
                     [&](std::size_t a, std::size_t b) { return ranges[a].first < ranges[b].first; });
    std::stable_sort(byEnd.begin(), byEnd.end(),
                     [&](std::size_t a, std::size_t b) { return ranges[a].second < ranges[b].second; });
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
        m_beginRank[m_byBegin[rank]] = rank;
        m_endRank[byEnd[rank]] = rank;
        m_begins.push_back(ranges[m_byBegin[rank]].first);
        m_ends.push_back(ranges[byEnd[rank]].second);
    }
    while (m_leaves < ranges.size())
        m_leaves *= 2;
    m_highestEnd.assign(m_leaves * 2, -1);
}

void ActiveRanges::setEnd(std::size_t range, Offset end)
{
    std::size_t node = m_leaves + m_beginRank[range];
    m_highestEnd[node] = end;
    for (node /= 2; node >= 1; node /= 2)
        m_highestEnd[node] = std::max(m_highestEnd[node * 2], m_highestEnd[node * 2 + 1]);
}

void ActiveRanges::insert(std::size_t range)
{
    m_activeBegins.add(m_beginRank[range], 1);
    m_activeEnds.add(m_endRank[range], 1);
    ++m_activeCount;
    setEnd(range, m_ranges[range].second);
}

void ActiveRanges::erase(std::size_t range)
{
    m_activeBegins.add(m_beginRank[range], -1);
    m_activeEnds.add(m_endRank[range], -1);
    --m_activeCount;
    setEnd(range, -1);
}

std::int64_t ActiveRanges::countOverlaps(std::size_t range) const
{
    const auto [begin, end] = m_ranges[range];
    const auto firstAbove = std::lower_bound(m_begins.begin(), m_begins.end(), end) - m_begins.begin();
    const auto lastBelow = std::upper_bound(m_ends.begin(), m_ends.end(), begin) - m_ends.begin();
    const std::int64_t above = m_activeCount - m_activeBegins.countBelow(static_cast<std::size_t>(firstAbove));
    const std::int64_t below = m_activeEnds.countBelow(static_cast<std::size_t>(lastBelow));
    return m_activeCount - above - below;
}

std::vector<std::size_t> ActiveRanges::overlaps(std::size_t range, std::size_t limit) const
{
    std::vector<std::size_t> found;
    collect(1, m_leaves, 0, range, limit, found);
    return found;
}

/// Visits the part of the tree that begins below the range's end and whose highest end lies above the range's begin.
void ActiveRanges::collect(std::size_t node, std::size_t width, std::size_t first, std::size_t range, std::size_t limit,
                           std::vector<std::size_t>& found) const
{
    const auto [begin, end] = m_ranges[range];
    if (found.size() >= limit || first >= m_begins.size() || m_begins[first] >= end || m_highestEnd[node] <= begin)
        return;
    if (width == 1) {
        found.push_back(m_byBegin[first]);
        return;
    }
    collect(node * 2, width / 2, first, range, limit, found);
    collect(node * 2 + 1, width / 2, first + width / 2, range, limit, found);
}

} // namespace arenascope::check
