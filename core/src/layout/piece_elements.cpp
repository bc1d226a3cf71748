// SPDX-License-Identifier: MIT
#include "core/src/layout/piece_elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <tuple>

namespace arenascope::layout {
namespace {

constexpr double kWidthGrid = 16;

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

template <class T>
void append(std::string& key, const std::vector<T>& values)
{
    const std::size_t begin = key.size();
    key.resize(begin + values.size() * sizeof(T));
    if (!values.empty())
        std::memcpy(key.data() + begin, values.data(), values.size() * sizeof(T));
}

/// Adds the shared bends of the edges `group` (positions in piece.edges) of one tensor and one source.
void addBends(const DrawnGraph& graph, const Piece& piece, std::span<const std::int32_t> group,
    const std::vector<std::int32_t>& localOf, PieceElements& elements)
{
    LayeredPiece& layered = elements.layered;
    const auto target = [&](std::int32_t i) { return localOf[at(graph.edges[at(piece.edges[at(i)])].to)]; };
    const std::int32_t source = localOf[at(graph.edges[at(piece.edges[at(group.front())])].from)];
    const std::int32_t sourceRank = layered.rank(source);
    std::int32_t longest = 1;
    for (const std::int32_t i : group)
        longest = std::max(longest, layered.rank(target(i)) - sourceRank);
    const auto first = static_cast<std::int32_t>(layered.size());
    for (std::int32_t bend = 0; bend < longest - 1; ++bend) {
        layered.widths.push_back(0);
        layered.ranks.push_back(sourceRank + 1 + bend);
        layered.segments.push_back({ bend == 0 ? source : first + bend - 1, first + bend });
    }
    for (const std::int32_t i : group) {
        const std::int32_t span = layered.rank(target(i)) - sourceRank;
        elements.firstBend[at(i)] = first;
        layered.segments.push_back({ span == 1 ? source : first + span - 2, target(i) });
    }
}

} // namespace

PieceElements makeElements(const DrawnGraph& graph, const std::vector<std::int32_t>& ranks, const Piece& piece,
    double nodeGap, std::vector<std::int32_t>& localOf)
{
    PieceElements elements;
    LayeredPiece& layered = elements.layered;
    layered.boxCount = static_cast<std::int32_t>(piece.nodes.size());
    layered.rankCount = piece.lastRank - piece.firstRank + 1;
    layered.nodeGap = nodeGap;
    for (std::int32_t i = 0; i < layered.boxCount; ++i) {
        const std::int32_t node = piece.nodes[at(i)];
        localOf[at(node)] = i;
        layered.widths.push_back(std::ceil(graph.nodes[at(node)].size.width / kWidthGrid) * kWidthGrid);
        layered.ranks.push_back(ranks[at(node)] - piece.firstRank);
        if (node == piece.entry)
            layered.entry = i;
        if (node == piece.exit)
            layered.exit = i;
    }

    elements.firstBend.assign(piece.edges.size(), -1);
    std::vector<std::int32_t> sorted(piece.edges.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto bundle = [&](std::int32_t i) {
        const LayoutEdge& edge = graph.edges[at(piece.edges[at(i)])];
        return std::tuple(localOf[at(edge.from)], edge.tensor);
    };
    std::ranges::stable_sort(sorted, {}, bundle);
    for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
        while (end < sorted.size() && bundle(sorted[end]) == bundle(sorted[begin]))
            ++end;
        addBends(graph, piece, std::span(sorted).subspan(begin, end - begin), localOf, elements);
    }
    std::ranges::sort(layered.segments);
    const auto repeated = std::ranges::unique(layered.segments);
    layered.segments.erase(repeated.begin(), repeated.end());
    return elements;
}

std::string structureKey(const LayeredPiece& piece)
{
    std::string key;
    append(key,
        std::vector<std::int32_t> {
            piece.boxCount, piece.rankCount, piece.entry, piece.exit, static_cast<std::int32_t>(piece.size()) });
    append(key, piece.widths);
    append(key, piece.ranks);
    append(key, piece.segments);
    return key;
}

} // namespace arenascope::layout
