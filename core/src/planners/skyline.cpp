// SPDX-License-Identifier: MIT
#include "core/src/planners/skyline.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <optional>

namespace arenascope::planning {

Skyline::Skyline(std::size_t sections)
    : m_heights{{0, 0}}
    , m_byHeight{{0, 0}}
    , m_end(sections)
{
    assert(sections > 0 && "a skyline over no time");
}

Skyline::Segment Skyline::lowest() const
{
    const auto [height, begin] = *m_byHeight.begin();
    const auto next = m_heights.upper_bound(begin);
    return {begin, next == m_heights.end() ? m_end : next->first, height};
}

void Skyline::raise(const Segment& segment, std::size_t begin, std::size_t end, Bytes height)
{
    assert(segment.begin <= begin && begin < end && end <= segment.end && height > segment.height);
    cut(begin);
    if (end < segment.end)
        cut(end);
    m_byHeight.erase({segment.height, begin});
    m_heights[begin] = height;
    m_byHeight.insert({height, begin});
    joinAt(begin);
    joinAt(end);
}

bool Skyline::fill(const Segment& segment)
{
    const auto at = m_heights.find(segment.begin);
    const auto next = std::next(at);
    std::optional<Bytes> height;
    if (at != m_heights.begin())
        height = std::prev(at)->second;
    if (next != m_heights.end())
        height = height ? std::min(*height, next->second) : next->second;
    if (!height)
        return false;
    raise(segment, segment.begin, segment.end, *height);
    return true;
}

/// Lets a segment begin here.
void Skyline::cut(std::size_t at)
{
    const Bytes height = std::prev(m_heights.upper_bound(at))->second;
    m_heights.emplace(at, height);
    m_byHeight.emplace(height, at);
}

/// Melts the segment that begins here into the one before it if both are equally high.
void Skyline::joinAt(std::size_t at)
{
    const auto segment = m_heights.find(at);
    if (segment == m_heights.end() || segment == m_heights.begin() || std::prev(segment)->second != segment->second)
        return;
    m_byHeight.erase({segment->second, at});
    m_heights.erase(segment);
}

} // namespace arenascope::planning
