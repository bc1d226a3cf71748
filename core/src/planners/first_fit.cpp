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

Status FirstFit::placeFixed()
{
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const Item& item = m_items[i];
        if (!item.fixedOffset)
            continue;
        if (*item.fixedOffset < 0)
            return badFixedOffset(item, "is negative");
        if (*item.fixedOffset % item.alignment != 0)
            return badFixedOffset(item, "is no multiple of its alignment, " + std::to_string(item.alignment));
        if (!checkedAdd(*item.fixedOffset, item.size))
            return sizeOverflow(item.name);
        if (lowestFree(i, *item.fixedOffset) != item.fixedOffset)
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
            m_views.push_back({&set->spans(), 0, part.low, part.high});
    }
}

/// The lowest aligned offset from `from` on at which no part meets a taken span. Every leap is forced, so the order in which
/// the sets are asked does not change the answer.
std::optional<Offset> FirstFit::lowestFree(std::size_t index, Offset from)
{
    const Item& item = m_items[index];
    collectViews(index);
    Offset offset = from;
    for (bool hasMoved = true; hasMoved;) {
        hasMoved = false;
        for (View& view : m_views) {
            const auto& spans = *view.spans;
            if (!checkedAdd(offset, item.size))
                return std::nullopt;
            const auto next = std::partition_point(spans.begin() + static_cast<std::ptrdiff_t>(view.next), spans.end(),
                                                   [&](const SpanSet::Span& span) { return span.end <= offset + view.low; });
            view.next = static_cast<std::size_t>(next - spans.begin());
            if (next == spans.end() || next->begin >= offset + view.high)
                continue;
            const auto aligned = checkedAlignUp(next->end - view.low, item.alignment);
            if (!aligned)
                return std::nullopt;
            offset = *aligned;
            hasMoved = true;
        }
    }
    return checkedAdd(offset, item.size) ? std::optional(offset) : std::nullopt;
}

void FirstFit::insert(std::size_t index, Offset offset)
{
    m_offsets[index] = offset;
    m_top = std::max(m_top, offset + m_items[index].size);
    for (const Part& part : partsOf(index))
        m_taken.take(part.firstSection, part.lastSection, offset + part.low, offset + part.high);
}

} // namespace arenascope::planning
