// SPDX-License-Identifier: MIT
#include "core/src/planners/first_fit.h"

#include <algorithm>

namespace arenascope::planning {

namespace {

/// Every step at which a piece begins or ends, in order.
std::vector<Step> sectionBordersOf(std::span<const Item> items)
{
    std::vector<Step> borders;
    for (const Item& item : items) {
        forEachPiece(item, [&borders](const Piece& piece) {
            borders.push_back(piece.steps.begin);
            borders.push_back(piece.steps.end);
        });
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return borders;
}

Error badFixedOffset(const Item& item, std::string_view why)
{
    return {ErrorCode::InvalidPlan, {}, {"the fixed offset of '" + std::string(item.name) + "' " + std::string(why)}};
}

} // namespace

FirstFit::FirstFit(std::span<const Item> items)
    : m_items(items)
    , m_taken(0)
{
    const std::vector<Step> borders = sectionBordersOf(items);
    const auto sectionOf = [&borders](Step step) {
        return static_cast<std::size_t>(std::lower_bound(borders.begin(), borders.end(), step) - borders.begin());
    };
    m_firstPart.reserve(items.size() + 1);
    m_firstPart.push_back(0);
    for (const Item& item : items) {
        forEachPiece(item, [&](const Piece& piece) {
            m_parts.push_back({sectionOf(piece.steps.begin), sectionOf(piece.steps.end), piece.low, piece.high});
        });
        m_firstPart.push_back(m_parts.size());
    }
    m_taken = Occupancy(borders.size());
    m_offsets.assign(items.size(), -1);
}

void FirstFit::clear()
{
    m_taken.clear();
    m_offsets.assign(m_items.size(), -1);
    m_top = 0;
}

Status FirstFit::placeFixed(FixedRule rule)
{
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const Item& item = m_items[i];
        if (!item.fixedOffset)
            continue;
        if (*item.fixedOffset < 0)
            return badFixedOffset(item, "is negative");
        if (!checkedAdd(*item.fixedOffset, item.size))
            return sizeOverflow(item.name);
        if (rule == FixedRule::Checked && *item.fixedOffset % item.alignment != 0)
            return badFixedOffset(item, "is no multiple of its alignment, " + std::to_string(item.alignment));
        if (rule == FixedRule::Checked && lowestFree(i, *item.fixedOffset) != item.fixedOffset)
            return badFixedOffset(item, "is taken by another fixed buffer");
        insert(i, *item.fixedOffset);
    }
    return Ok{};
}

bool FirstFit::place(std::size_t item)
{
    const auto offset = lowestFree(item, 0);
    if (!offset)
        return false;
    insert(item, *offset);
    return true;
}

bool FirstFit::placeTightest(std::size_t item)
{
    const auto offset = tightestFree(item);
    if (!offset)
        return false;
    insert(item, *offset);
    return true;
}

std::span<const FirstFit::Part> FirstFit::partsOf(std::size_t item) const
{
    return std::span(m_parts).subspan(m_firstPart[item], m_firstPart[item + 1] - m_firstPart[item]);
}

void FirstFit::collectViews(std::size_t item)
{
    m_views.clear();
    for (const Part& part : partsOf(item)) {
        m_sets.clear();
        m_taken.collect(part.firstSection, part.lastSection, m_sets);
        for (const SpanSet* set : m_sets)
            m_views.push_back({set->spans().data(), set->spans().data() + set->spans().size(), part.low, part.high});
    }
    collectApart(item);
    std::make_heap(m_views.begin(), m_views.end(), View::isHigher);
}

/// One more set of taken spans: the whole of what lies apart at any time, in order and melted.
void FirstFit::collectApart(std::size_t item)
{
    m_apart.clear();
    for (const BufferId other : m_items[item].apart) {
        const Offset offset = m_offsets[other.index()];
        if (offset >= 0 && m_items[other.index()].size > 0)
            m_apart.push_back({offset, offset + m_items[other.index()].size});
    }
    if (m_apart.empty() || m_items[item].size <= 0)
        return;
    std::sort(m_apart.begin(), m_apart.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::size_t last = 0;
    for (const SpanSet::Span& span : m_apart) {
        if (span.begin <= m_apart[last].end)
            m_apart[last].end = std::max(m_apart[last].end, span.end);
        else
            m_apart[++last] = span;
    }
    m_views.push_back({m_apart.data(), m_apart.data() + last + 1, 0, m_items[item].size});
}

/// Passes all spans that end before the part would begin, were the item at this offset: doubling steps, then halving
/// ones.
void FirstFit::View::skipTo(Offset offset)
{
    const auto isBelow = [this, offset](const SpanSet::Span& span) { return span.end <= offset + low; };
    std::ptrdiff_t step = 1;
    while (step < end - next && isBelow(next[step]))
        step *= 2;
    next = std::partition_point(next, std::min(next + step, end), isBelow);
}

/// Raises the offset to the next one at which no part meets a taken span; false if it does not fit 63 bits. The heap has
/// the view on top whose next span blocks the lowest offsets; once these are not below the candidate, none of the others
/// block it either.
bool FirstFit::settle(const Item& item, Offset& offset)
{
    while (!m_views.empty() && m_views.front().blockedFrom() < offset) {
        std::pop_heap(m_views.begin(), m_views.end(), View::isHigher);
        View& view = m_views.back();
        if (view.blockedTo() > offset) {
            const auto raised = checkedAlignUp(view.blockedTo(), item.alignment);
            if (!raised || !checkedAdd(*raised, item.size))
                return false;
            offset = *raised;
        }
        view.skipTo(offset);
        if (view.next == view.end)
            m_views.pop_back();
        else
            std::push_heap(m_views.begin(), m_views.end(), View::isHigher);
    }
    return checkedAdd(offset, item.size).has_value();
}

std::optional<Offset> FirstFit::lowestFree(std::size_t index, Offset from)
{
    collectViews(index);
    Offset offset = from;
    return settle(m_items[index], offset) ? std::optional(offset) : std::nullopt;
}

std::optional<Offset> FirstFit::tightestFree(std::size_t index)
{
    const Item& item = m_items[index];
    collectViews(index);
    std::optional<Offset> best;
    Bytes leastRoom = 0;
    Offset offset = 0;
    while (settle(item, offset)) {
        if (m_views.empty())
            return best ? best : offset;
        const Bytes room = m_views.front().blockedFrom() - offset;
        if (!best || room < leastRoom) {
            best = offset;
            leastRoom = room;
        }
        const auto above = checkedAlignUp(m_views.front().blockedTo(), item.alignment);
        if (!above)
            return best;
        offset = *above;
    }
    return best;
}

void FirstFit::insert(std::size_t index, Offset offset)
{
    m_offsets[index] = offset;
    m_top = std::max(m_top, offset + m_items[index].size);
    for (const Part& part : partsOf(index))
        m_taken.take(part.firstSection, part.lastSection, offset + part.low, offset + part.high);
}

} // namespace arenascope::planning
