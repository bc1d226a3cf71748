// SPDX-License-Identifier: MIT
#include "core/src/planners/first_fit.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace arenascope::planning {

namespace {

constexpr Step kNever = std::numeric_limits<Step>::min();

} // namespace

FirstFit::FirstFit(std::span<const Item> items)
    : m_items(items)
{
    std::vector<Piece> pieces;
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const Piece& piece : piecesOf(items[i])) {
            pieces.push_back(piece);
            owners.push_back(i);
        }
    }
    std::vector<std::size_t> order(pieces.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return pieces[a].steps.begin < pieces[b].steps.begin; });

    // Pieces were listed item by item, so the inverse of the order gives each item its ranks in one run.
    m_ranks.resize(pieces.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        m_pieces.push_back(pieces[order[rank]]);
        m_itemOfPiece.push_back(owners[order[rank]]);
        m_ranks[order[rank]] = rank;
    }
    m_firstRank.assign(items.size() + 1, 0);
    for (const std::size_t owner : owners)
        ++m_firstRank[owner + 1];
    std::partial_sum(m_firstRank.begin(), m_firstRank.end(), m_firstRank.begin());

    m_leaves = std::bit_ceil(std::max<std::size_t>(pieces.size(), 1));
    clear();
}

void FirstFit::clear()
{
    m_latestEnd.assign(m_leaves * 2, kNever);
    m_offsets.assign(m_items.size(), -1);
    m_top = 0;
}

Status FirstFit::placeFixed()
{
    const auto refuse = [](const Item& item, std::string_view why) {
        return Error{ErrorCode::InvalidPlan, {}, {"the fixed offset of '" + std::string(item.name) + "' " + std::string(why)}};
    };
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        const Item& item = m_items[i];
        if (!item.fixedOffset)
            continue;
        if (*item.fixedOffset < 0)
            return refuse(item, "is negative");
        if (*item.fixedOffset % item.alignment != 0)
            return refuse(item, "is no multiple of its alignment, " + std::to_string(item.alignment));
        if (!checkedAdd(*item.fixedOffset, item.size))
            return sizeOverflow(item.name);
        collectForbidden(i);
        if (!isFree(*item.fixedOffset))
            return refuse(item, "is taken by another fixed buffer");
        insert(i, *item.fixedOffset);
    }
    return Ok{};
}

bool FirstFit::place(std::size_t index)
{
    const Item& item = m_items[index];
    collectForbidden(index);
    // A heap with the lowest interval on top: what lies above the gap that is found is never sorted.
    const auto isHigher = [](const Forbidden& a, const Forbidden& b) {
        return a.low != b.low ? a.low > b.low : a.high > b.high;
    };
    std::make_heap(m_forbidden.begin(), m_forbidden.end(), isHigher);
    Offset offset = 0;
    auto end = m_forbidden.end();
    while (end != m_forbidden.begin() && m_forbidden.front().low < offset) {
        const Offset high = m_forbidden.front().high;
        std::pop_heap(m_forbidden.begin(), end, isHigher);
        --end;
        if (high <= offset)
            continue;
        const auto aligned = checkedAlignUp(high, item.alignment);
        if (!aligned)
            return false;
        offset = *aligned;
    }
    if (!checkedAdd(offset, item.size))
        return false;
    insert(index, offset);
    return true;
}

/// Fills m_forbidden from everything placed that meets the item in time.
void FirstFit::collectForbidden(std::size_t index)
{
    m_forbidden.clear();
    for (std::size_t i = m_firstRank[index]; i < m_firstRank[index + 1]; ++i)
        addForbiddenBy(m_pieces[m_ranks[i]]);
}

void FirstFit::addForbiddenBy(const Piece& mine)
{
    // Only ranks below `bound` begin before mine ends; among them, subtrees that ended too early are skipped whole.
    const std::size_t bound = piecesBornBefore(mine.steps.end);
    m_stack.assign(1, 1);
    while (!m_stack.empty()) {
        const std::size_t node = m_stack.back();
        m_stack.pop_back();
        if (m_latestEnd[node] <= mine.steps.begin)
            continue;
        if (node >= m_leaves) {
            const std::size_t rank = node - m_leaves;
            const Piece& theirs = m_pieces[rank];
            const Offset offset = m_offsets[m_itemOfPiece[rank]];
            // mine at x occupies [x + low, x + high); it misses theirs unless both ends cross.
            m_forbidden.push_back({offset + theirs.low - mine.high, offset + theirs.high - mine.low});
            continue;
        }
        const int depth = std::bit_width(m_leaves) - std::bit_width(node);
        const std::size_t rightBegin = ((2 * node + 1) << (depth - 1)) - m_leaves;
        if (rightBegin < bound)
            m_stack.push_back(2 * node + 1);
        m_stack.push_back(2 * node);
    }
}

bool FirstFit::isFree(Offset offset) const
{
    return std::none_of(m_forbidden.begin(), m_forbidden.end(), [offset](const Forbidden& forbidden) {
        return forbidden.low < offset && offset < forbidden.high;
    });
}

void FirstFit::insert(std::size_t index, Offset offset)
{
    m_offsets[index] = offset;
    m_top = std::max(m_top, offset + m_items[index].size);
    for (std::size_t i = m_firstRank[index]; i < m_firstRank[index + 1]; ++i) {
        const std::size_t rank = m_ranks[i];
        for (std::size_t node = m_leaves + rank; node >= 1; node /= 2)
            m_latestEnd[node] = std::max(m_latestEnd[node], m_pieces[rank].steps.end);
    }
}

std::size_t FirstFit::piecesBornBefore(Step step) const
{
    const auto end = std::partition_point(m_pieces.begin(), m_pieces.end(),
                                          [step](const Piece& piece) { return piece.steps.begin < step; });
    return static_cast<std::size_t>(end - m_pieces.begin());
}

} // namespace arenascope::planning
