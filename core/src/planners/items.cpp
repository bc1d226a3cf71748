// SPDX-License-Identifier: MIT
#include "core/src/planners/items.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace arenascope::planning {

namespace {

/// Gaps clipped to the live range, in order of their begin. Where two overlap, the earlier one in this order wins.
std::vector<BufferGap> orderedGaps(const Item& item)
{
    std::vector<BufferGap> gaps;
    for (BufferGap gap : item.gaps) {
        gap.steps = {std::max(gap.steps.begin, item.live.begin), std::min(gap.steps.end, item.live.end)};
        if (gap.steps.length() > 0)
            gaps.push_back(gap);
    }
    std::stable_sort(gaps.begin(), gaps.end(),
                     [](const BufferGap& a, const BufferGap& b) { return a.steps.begin < b.steps.begin; });
    return gaps;
}

} // namespace

std::vector<Piece> piecesOf(const Item& item)
{
    std::vector<Piece> pieces;
    const auto add = [&pieces](Step begin, Step end, Bytes low, Bytes high) {
        if (begin < end && low < high)
            pieces.push_back({{begin, end}, low, high});
    };
    Step cursor = item.live.begin;
    for (const BufferGap& gap : orderedGaps(item)) {
        add(cursor, gap.steps.begin, 0, item.size);
        const Step begin = std::max(cursor, gap.steps.begin);
        add(begin, gap.steps.end, std::max<Bytes>(gap.low, 0), std::min(gap.high, item.size));
        cursor = std::max(cursor, gap.steps.end);
    }
    add(cursor, item.live.end, 0, item.size);
    return pieces;
}

std::optional<Bytes> leastCommonMultiple(Bytes a, Bytes b)
{
    return checkedMultiply(a / std::gcd(a, b), b);
}

Result<Bytes> commonAlignment(const PlacementProblem& problem, BufferId id)
{
    const Bytes own = std::max<Bytes>(problem.alignmentOf(id), 1);
    const Bytes region = problem.regions.empty() ? 0 : problem.regions.front().alignment;
    const auto both = leastCommonMultiple(own, std::max<Bytes>(region, 1));
    if (!both)
        return sizeOverflow("alignment of " + problem.buffer(id).name);
    return *both;
}

Result<std::vector<Item>> itemsOf(const PlacementProblem& problem)
{
    std::vector<Item> items;
    items.reserve(problem.buffers.size());
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const Buffer& buffer = problem.buffers[i];
        const auto alignment = commonAlignment(problem, id);
        if (!alignment)
            return alignment.error();
        items.push_back({problem.reserved(id), *alignment, buffer.live, buffer.fixedOffset, buffer.gaps, buffer.name,
                         problem.conflicts.of(id)});
    }
    return items;
}

bool areApart(std::span<const Item> items, std::size_t a, std::size_t b)
{
    return std::binary_search(items[a].apart.begin(), items[a].apart.end(), BufferId::fromIndex(b));
}

Bytes lowerBound(std::span<const Item> items)
{
    std::vector<std::pair<Step, Bytes>> changes;
    changes.reserve(items.size() * 2);
    for (const Item& item : items) {
        forEachPiece(item, [&changes](const Piece& piece) {
            changes.emplace_back(piece.steps.begin, piece.high - piece.low);
            changes.emplace_back(piece.steps.end, piece.low - piece.high);
        });
    }
    std::sort(changes.begin(), changes.end()); // at one step, frees (negative) come before allocations
    Bytes live = 0;
    Bytes peak = 0;
    for (const auto& [step, bytes] : changes) {
        live += bytes;
        peak = std::max(peak, live);
    }
    for (const Item& item : items) {
        if (item.fixedOffset)
            peak = std::max(peak, checkedAdd(*item.fixedOffset, item.size).value_or(peak));
    }
    return peak;
}

Error cancelled()
{
    return {ErrorCode::Cancelled, {}, {}};
}

Error sizeOverflow(std::string_view what)
{
    return {ErrorCode::SizeOverflow, {}, {std::string(what)}};
}

} // namespace arenascope::planning
