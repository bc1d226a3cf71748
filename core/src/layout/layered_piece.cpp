// SPDX-License-Identifier: MIT
#include "core/src/layout/layered_piece.h"

#include <algorithm>

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

/// The middle one of the boxes among the neighbours, or of all where there are only bends; -1 without neighbours.
std::int32_t middleNeighbour(const LayeredPiece& piece, std::span<const std::int32_t> segments, bool above)
{
    const auto neighbour = [&](std::int32_t s) {
        const Segment& segment = piece.segments[static_cast<std::size_t>(s)];
        return above ? segment.upper : segment.lower;
    };
    const auto isBox = [&](std::int32_t s) { return !piece.isBend(neighbour(s)); };
    // Boxes have smaller numbers than bends and segments are sorted, but `up` lists hold segments by their upper end.
    const auto boxes = std::count_if(segments.begin(), segments.end(), isBox);
    if (segments.empty())
        return -1;
    if (boxes == 0)
        return neighbour(segments[(segments.size() - 1) / 2]);
    auto wanted = (boxes - 1) / 2;
    for (const std::int32_t s : segments) {
        if (isBox(s) && wanted-- == 0)
            return neighbour(s);
    }
    return -1;
}

std::int32_t middleOfRank(const LayeredPiece& piece, std::int32_t rank)
{
    std::vector<std::int32_t> elements;
    for (std::int32_t element = 0; element < piece.boxCount; ++element) {
        if (piece.rank(element) == rank)
            elements.push_back(element);
    }
    return elements.empty() ? -1 : elements[(elements.size() - 1) / 2];
}

} // namespace

std::vector<std::int32_t> findSpine(const LayeredPiece& piece, const Links& links)
{
    const bool upwards = piece.exit >= 0 || piece.entry < 0;
    std::int32_t at = piece.exit >= 0 ? piece.exit : piece.entry;
    if (at < 0)
        at = middleOfRank(piece, piece.rankCount - 1);
    std::vector<std::int32_t> spine;
    while (at >= 0) {
        spine.push_back(at);
        at = middleNeighbour(piece, (upwards ? links.up : links.down)[static_cast<std::size_t>(at)], upwards);
    }
    if (upwards)
        std::reverse(spine.begin(), spine.end());
    return spine;
}

void anchorAtSpine(const LayeredPiece& piece, const std::vector<std::int32_t>& spine, std::vector<double>& x)
{
    if (x.empty())
        return;
    double origin = 0;
    if (!spine.empty())
        origin = x[static_cast<std::size_t>(spine.back())];
    for (double& value : x)
        value -= origin;
    // Alone in their ranks, they may stand anywhere.
    if (piece.entry >= 0)
        x[static_cast<std::size_t>(piece.entry)] = 0;
    if (piece.exit >= 0)
        x[static_cast<std::size_t>(piece.exit)] = 0;
}

std::vector<double> layOutLayered(const LayeredPiece& piece, std::stop_token stop)
{
    const Links links = linksOf(piece);
    const RankOrder order = orderRanks(piece, links, stop);
    const std::vector<std::int32_t> spine = findSpine(piece, links);
    std::vector<double> x = placeInRanks(piece, links, order, spine, stop);
    anchorAtSpine(piece, spine, x);
    return x;
}

} // namespace arenascope::layout
