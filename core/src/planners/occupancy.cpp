// SPDX-License-Identifier: MIT
#include "core/src/planners/occupancy.h"

#include <algorithm>
#include <bit>

namespace arenascope::planning {

void SpanSet::add(Offset begin, Offset end)
{
    const auto first
        = std::partition_point(m_spans.begin(), m_spans.end(), [begin](const Span& span) { return span.end < begin; });
    const auto last = std::partition_point(first, m_spans.end(), [end](const Span& span) { return span.begin <= end; });
    if (first == last) {
        m_spans.insert(first, {begin, end});
        return;
    }
    first->begin = std::min(first->begin, begin);
    first->end = std::max(std::prev(last)->end, end);
    m_spans.erase(std::next(first), last);
}

Occupancy::Occupancy(std::size_t sections)
    : m_leaves(std::bit_ceil(std::max<std::size_t>(sections, 1)))
    , m_some(m_leaves * 2)
    , m_whole(m_leaves)
{
}

void Occupancy::clear()
{
    for (SpanSet& set : m_some)
        set.clear();
    for (SpanSet& set : m_whole)
        set.clear();
}

void Occupancy::take(std::size_t first, std::size_t last, Offset begin, Offset end)
{
    take(Window{1, 0, m_leaves}, first, last, begin, end);
}

void Occupancy::take(const Window& window, std::size_t first, std::size_t last, Offset begin, Offset end)
{
    if (last <= window.begin || window.end <= first)
        return;
    m_some[window.node].add(begin, end);
    if (window.node >= m_leaves)
        return;
    if (first <= window.begin && window.end <= last) {
        m_whole[window.node].add(begin, end);
        return;
    }
    const std::size_t middle = (window.begin + window.end) / 2;
    take(Window{window.node * 2, window.begin, middle}, first, last, begin, end);
    take(Window{window.node * 2 + 1, middle, window.end}, first, last, begin, end);
}

void Occupancy::collect(std::size_t first, std::size_t last, std::vector<const SpanSet*>& sets) const
{
    collect(Window{1, 0, m_leaves}, first, last, sets);
}

void Occupancy::collect(const Window& window, std::size_t first, std::size_t last,
                        std::vector<const SpanSet*>& sets) const
{
    if (last <= window.begin || window.end <= first || m_some[window.node].isEmpty())
        return;
    if (first <= window.begin && window.end <= last) {
        sets.push_back(&m_some[window.node]);
        return;
    }
    if (!m_whole[window.node].isEmpty())
        sets.push_back(&m_whole[window.node]);
    const std::size_t middle = (window.begin + window.end) / 2;
    collect(Window{window.node * 2, window.begin, middle}, first, last, sets);
    collect(Window{window.node * 2 + 1, middle, window.end}, first, last, sets);
}

} // namespace arenascope::planning
