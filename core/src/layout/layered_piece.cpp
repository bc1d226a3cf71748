// SPDX-License-Identifier: MIT
#include "core/src/layout/layered_piece.h"

#include <algorithm>
#include <numeric>

namespace arenascope::layout {

Links linksOf(const LayeredPiece& piece)
{
    Links links;
    links.up = groupBy(piece.size(), piece.segments.size(), [&](std::size_t s) { return piece.segments[s].lower; });
    links.down = groupBy(piece.size(), piece.segments.size(), [&](std::size_t s) { return piece.segments[s].upper; });
    return links;
}

double separation(const LayeredPiece& piece, std::int32_t left, std::int32_t right)
{
    const auto margin = [&](std::int32_t element) { return piece.nodeGap * (piece.isBend(element) ? 0.25 : 0.5); };
    return (piece.width(left) + piece.width(right)) / 2 + margin(left) + margin(right);
}

namespace {

constexpr std::int32_t kUnreached = -1;

/// The middle one of those elements that have the most; -1 if none has any.
template <class Elements>
std::int32_t middleOfBest(const Elements& elements, const std::vector<std::int32_t>& boxes)
{
    std::int32_t most = kUnreached;
    std::int32_t ties = 0;
    for (const std::int32_t element : elements) {
        const std::int32_t count = boxes[static_cast<std::size_t>(element)];
        if (count > most)
            ties = 0;
        most = std::max(most, count);
        ties += count == most ? 1 : 0;
    }
    if (most == kUnreached)
        return -1;
    std::int32_t wanted = (ties - 1) / 2;
    for (const std::int32_t element : elements) {
        if (boxes[static_cast<std::size_t>(element)] == most && wanted-- == 0)
            return element;
    }
    return -1;
}

} // namespace

std::vector<std::int32_t> findSpine(const LayeredPiece& piece, const Links& links)
{
    const auto above = [&](std::int32_t element) {
        std::vector<std::int32_t> elements;
        for (const std::int32_t s : links.up[static_cast<std::size_t>(element)])
            elements.push_back(piece.segments[static_cast<std::size_t>(s)].upper);
        return elements;
    };
    // By element: boxes on the best path that leads to it.
    std::vector<std::int32_t> boxes(piece.size(), kUnreached);
    const Lists ranks = groupBy(
        static_cast<std::size_t>(piece.rankCount), piece.size(), [&](std::size_t i) { return piece.ranks[i]; });
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (const std::int32_t element : ranks[rank]) {
            std::int32_t& count = boxes[static_cast<std::size_t>(element)];
            const bool isStart
                = piece.entry < 0 ? links.up[static_cast<std::size_t>(element)].empty() : element == piece.entry;
            count = isStart ? 0 : kUnreached;
            for (const std::int32_t s : links.up[static_cast<std::size_t>(element)])
                count = std::max(
                    count, boxes[static_cast<std::size_t>(piece.segments[static_cast<std::size_t>(s)].upper)]);
            if (count != kUnreached && !piece.isBend(element))
                ++count;
        }
    }
    std::vector<std::int32_t> spine;
    std::int32_t at = piece.exit;
    if (at < 0 || boxes[static_cast<std::size_t>(at)] == kUnreached) {
        std::vector<std::int32_t> all(piece.size());
        std::iota(all.begin(), all.end(), 0);
        at = middleOfBest(all, boxes);
    }
    for (; at >= 0; at = middleOfBest(above(at), boxes))
        spine.push_back(at);
    std::reverse(spine.begin(), spine.end());
    return spine;
}

} // namespace arenascope::layout
