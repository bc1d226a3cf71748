// SPDX-License-Identifier: MIT
#include "core/src/planners/free_gaps.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace arenascope::planning {

namespace {

constexpr Step kNone = std::numeric_limits<Step>::min();
constexpr std::size_t kNoLeaf = std::numeric_limits<std::size_t>::max();

LiveRange mirrored(LiveRange range)
{
    return {-range.end, -range.begin};
}

std::vector<Step> endsOf(const std::vector<LiveRange>& lives)
{
    std::vector<Step> ends{FreeGaps::kNever};
    for (const LiveRange live : lives)
        ends.push_back(live.end);
    return ends;
}

std::vector<Step> mirroredBeginsOf(const std::vector<LiveRange>& lives)
{
    std::vector<Step> begins{-FreeGaps::kForever};
    for (const LiveRange live : lives)
        begins.push_back(-live.begin);
    return begins;
}

} // namespace

GapIndex::GapIndex(std::vector<Step> begins)
    : m_begins(std::move(begins))
{
    std::sort(m_begins.begin(), m_begins.end());
    m_begins.erase(std::unique(m_begins.begin(), m_begins.end()), m_begins.end());
    m_leaves = std::bit_ceil(std::max<std::size_t>(m_begins.size(), 1));
    m_gaps.resize(m_begins.size());
    m_mostEnd.assign(m_leaves * 2, kNone);
}

std::size_t GapIndex::leafOf(Step begin) const
{
    const auto at = std::lower_bound(m_begins.begin(), m_begins.end(), begin);
    assert(at != m_begins.end() && *at == begin && "a gap that begins where none was announced");
    return static_cast<std::size_t>(at - m_begins.begin());
}

void GapIndex::update(std::size_t leaf)
{
    std::size_t node = m_leaves + leaf;
    m_mostEnd[node] = m_gaps[leaf].empty() ? kNone : m_gaps[leaf].rbegin()->first;
    while ((node /= 2) > 0)
        m_mostEnd[node] = std::max(m_mostEnd[node * 2], m_mostEnd[node * 2 + 1]);
}

void GapIndex::add(LiveRange gap, std::size_t object)
{
    const std::size_t leaf = leafOf(gap.begin);
    m_gaps[leaf].emplace(gap.end, object);
    update(leaf);
}

void GapIndex::remove(LiveRange gap, std::size_t object)
{
    const std::size_t leaf = leafOf(gap.begin);
    m_gaps[leaf].erase({gap.end, object});
    update(leaf);
}

/// The last leaf below `limit` with a gap that ends at `least` or later. Descends into at most two children a level.
std::size_t GapIndex::lastReaching(std::size_t node, std::size_t begin, std::size_t end, std::size_t limit, Step least) const
{
    if (begin >= limit || m_mostEnd[node] < least)
        return kNoLeaf;
    if (node >= m_leaves)
        return begin;
    const std::size_t middle = (begin + end) / 2;
    const std::size_t right = lastReaching(node * 2 + 1, middle, end, limit, least);
    return right != kNoLeaf ? right : lastReaching(node * 2, begin, middle, limit, least);
}

std::optional<GapIndex::Found> GapIndex::latestAround(LiveRange life) const
{
    const auto above = std::upper_bound(m_begins.begin(), m_begins.end(), life.begin);
    const std::size_t leaf
        = lastReaching(1, 0, m_leaves, static_cast<std::size_t>(above - m_begins.begin()), life.end);
    if (leaf == kNoLeaf)
        return std::nullopt;
    return Found{m_begins[leaf], m_gaps[leaf].lower_bound({life.end, 0})->second};
}

FreeGaps::FreeGaps(const std::vector<LiveRange>& lives)
    : m_before(endsOf(lives))
    , m_after(mirroredBeginsOf(lives))
{
}

void FreeGaps::add(LiveRange gap, std::size_t object)
{
    if (gap.length() <= 0)
        return;
    m_before.add(gap, object);
    m_after.add(mirrored(gap), object);
}

void FreeGaps::remove(LiveRange gap, std::size_t object)
{
    if (gap.length() <= 0)
        return;
    m_before.remove(gap, object);
    m_after.remove(mirrored(gap), object);
}

std::optional<FreeGaps::Found> FreeGaps::nearest(LiveRange life) const
{
    const auto before = m_before.latestAround(life);
    const auto after = m_after.latestAround(mirrored(life));
    if (!before || !after)
        return std::nullopt; // both find the gap, or neither
    const Found left{before->object, life.begin - before->begin};
    const Found right{after->object, -after->begin - life.end};
    return left.distance < right.distance || (left.distance == right.distance && left.object < right.object) ? left : right;
}

} // namespace arenascope::planning
