// SPDX-License-Identifier: MIT
#include "core/src/planners/capacity.h"

#include <algorithm>

namespace arenascope::planning {

namespace {

/// The first step at which the most bytes are needed.
Step fullestStep(std::span<const Item> items)
{
    std::vector<std::pair<Step, Bytes>> changes;
    for (const Item& item : items) {
        forEachPiece(item, [&changes](const Piece& piece) {
            changes.emplace_back(piece.steps.begin, piece.high - piece.low);
            changes.emplace_back(piece.steps.end, piece.low - piece.high);
        });
    }
    std::sort(changes.begin(), changes.end());
    Bytes live = 0;
    Bytes peak = 0;
    Step fullest = 0;
    for (const auto& [step, bytes] : changes) {
        live += bytes;
        if (live > peak) {
            peak = live;
            fullest = step;
        }
    }
    return fullest;
}

/// What of an item is needed at a step.
Bytes neededAt(const Item& item, Step step)
{
    Bytes needed = 0;
    forEachPiece(item, [&](const Piece& piece) {
        if (piece.steps.contains(step))
            needed = piece.high - piece.low;
    });
    return needed;
}

/// Whether such items can be stacked on each other without a gap between them.
bool stacksTightly(const Item& item)
{
    return !item.fixedOffset && item.gaps.empty() && item.size % item.alignment == 0;
}

} // namespace

Crowd crowdBeyond(std::span<const Item> items, Bytes capacity)
{
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].fixedOffset && *items[i].fixedOffset > capacity - items[i].size)
            return {{BufferId::fromIndex(i)}, true};
    }
    const Step step = fullestStep(items);
    std::vector<std::pair<Bytes, BufferId>> crowd;
    Bytes sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Bytes needed = neededAt(items[i], step);
        sum += needed;
        if (needed > 0)
            crowd.emplace_back(needed, BufferId::fromIndex(i));
    }
    if (sum <= capacity)
        return {};
    // From the smallest on, what the excess can spare.
    std::stable_sort(crowd.begin(), crowd.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Crowd needed{{}, true};
    for (const auto& [bytes, id] : crowd) {
        if (sum - bytes > capacity) {
            sum -= bytes;
            continue;
        }
        needed.buffers.push_back(id);
        needed.isIrreducible = needed.isIrreducible && stacksTightly(items[id.index()]);
    }
    std::reverse(needed.buffers.begin(), needed.buffers.end());
    return needed;
}

} // namespace arenascope::planning
