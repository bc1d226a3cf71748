// SPDX-License-Identifier: MIT
#include "core/src/layout/skeleton.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace arenascope::layout {
namespace {

/// An edge over more ranks than this runs along the side; large pieces are tried again with the smaller spans.
constexpr std::array<std::int32_t, 3> kLongSpans = { 12, 6, 3 };
/// Readers further away than this use the line along the side of a tensor that has one anyway.
constexpr std::int32_t kSharedLineSpan = 2;
/// Boxes and bends above which a piece is worth more cuts.
constexpr std::int64_t kLargePiece = 2000;

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

class Builder {
public:
    Builder(const DrawnGraph& graph, const std::stop_token& stop)
        : m_graph(graph)
        , m_stop(stop)
        , m_in(groupBy(graph.nodes.size(), graph.edges.size(), [&](std::size_t e) { return graph.edges[e].to; }))
        , m_out(groupBy(graph.nodes.size(), graph.edges.size(), [&](std::size_t e) { return graph.edges[e].from; }))
        , m_withheld(graph.edges.size(), false)
    {
        m_skeleton.ranks = assignRanks(graph, m_in, m_out);
    }

    Skeleton build()
    {
        splitIntoComponents();
        for (Component& component : m_skeleton.components) {
            if (m_stop.stop_requested())
                break;
            buildComponent(component);
        }
        return std::move(m_skeleton);
    }

private:
    const LayoutEdge& edge(std::int32_t e) const { return m_graph.edges[at(e)]; }
    std::int32_t rank(std::int32_t node) const { return m_skeleton.ranks[at(node)]; }
    std::int32_t span(std::int32_t e) const { return rank(edge(e).to) - rank(edge(e).from); }

    void splitIntoComponents()
    {
        std::vector<std::int32_t> parent(m_graph.nodes.size());
        std::iota(parent.begin(), parent.end(), 0);
        const auto find = [&](std::int32_t node) {
            while (parent[at(node)] != node) {
                parent[at(node)] = parent[at(parent[at(node)])];
                node = parent[at(node)];
            }
            return node;
        };
        for (const LayoutEdge& e : m_graph.edges) {
            const std::int32_t a = find(e.from);
            const std::int32_t b = find(e.to);
            parent[at(std::max(a, b))] = std::min(a, b);
        }
        std::vector<std::int32_t> componentOf(m_graph.nodes.size(), -1);
        for (std::size_t node = 0; node < m_graph.nodes.size(); ++node) {
            const std::int32_t root = find(static_cast<std::int32_t>(node));
            if (componentOf[at(root)] < 0) {
                componentOf[at(root)] = static_cast<std::int32_t>(m_skeleton.components.size());
                m_skeleton.components.emplace_back();
            }
            m_skeleton.components[at(componentOf[at(root)])].nodes.push_back(static_cast<std::int32_t>(node));
        }
        std::ranges::stable_sort(
            m_skeleton.components, std::ranges::greater {}, [](const Component& c) { return c.nodes.size(); });
    }

    void buildComponent(Component& component)
    {
        for (const std::int32_t node : component.nodes)
            component.rankCount = std::max(component.rankCount, rank(node) + 1);
        for (std::size_t round = 0; round < kLongSpans.size(); ++round) {
            if (!withhold(component, kLongSpans[round], round > 0) && round > 0)
                break;
            findPieces(component);
        }
        for (Piece& piece : component.pieces) {
            collectEdges(piece);
            piece.isChain = piece.nodes.size() == at(piece.lastRank - piece.firstRank) + 1
                && std::ranges::all_of(piece.edges, [&](std::int32_t e) { return span(e) == 1; });
        }
        for (const std::int32_t node : component.nodes) {
            for (const std::int32_t e : m_out[at(node)]) {
                if (m_withheld[at(e)])
                    component.withheld.push_back(e);
            }
        }
        std::ranges::sort(component.withheld);
    }

    /// Takes edges over more than `longest` ranks out, in large pieces only where asked. Whether there was any.
    bool withhold(const Component& component, std::int32_t longest, bool onlyLargePieces)
    {
        bool any = false;
        if (!onlyLargePieces) {
            for (const std::int32_t node : component.nodes)
                any |= withholdFrom(node, longest);
            return any;
        }
        for (const Piece& piece : component.pieces) {
            if (pieceSize(piece) <= kLargePiece)
                continue;
            for (const std::int32_t node : piece.nodes)
                any |= node != piece.exit && withholdFrom(node, longest);
        }
        return any;
    }

    bool withholdFrom(std::int32_t node, std::int32_t longest)
    {
        const auto edges = m_out[at(node)];
        m_tensors.clear();
        for (const std::int32_t e : edges) {
            if (span(e) > longest)
                m_tensors.push_back(edge(e).tensor);
        }
        if (m_tensors.empty())
            return false;
        bool any = false;
        std::ranges::sort(m_tensors);
        for (const std::int32_t e : edges) {
            const bool sharesLine = span(e) > kSharedLineSpan && std::ranges::binary_search(m_tensors, edge(e).tensor);
            any |= sharesLine && !m_withheld[at(e)];
            m_withheld[at(e)] = m_withheld[at(e)] || sharesLine;
        }
        return any;
    }

    std::int64_t pieceSize(const Piece& piece) const
    {
        auto size = static_cast<std::int64_t>(piece.nodes.size());
        for (const std::int32_t node : piece.nodes) {
            for (const std::int32_t e : m_out[at(node)])
                size += m_withheld[at(e)] || node == piece.exit ? 0 : span(e) - 1;
        }
        return size;
    }

    /// Cuts at each rank that holds one node only and that no edge jumps over.
    void findPieces(Component& component)
    {
        const Lists byRank = groupBy(
            at(component.rankCount), component.nodes.size(), [&](std::size_t i) { return rank(component.nodes[i]); });
        std::vector<std::int32_t> jumping(at(component.rankCount) + 1, 0);
        for (const std::int32_t node : component.nodes) {
            for (const std::int32_t e : m_out[at(node)]) {
                if (m_withheld[at(e)])
                    continue;
                ++jumping[at(rank(node) + 1)];
                --jumping[at(rank(edge(e).to))];
            }
        }
        std::partial_sum(jumping.begin(), jumping.end(), jumping.begin());
        const auto isCut = [&](std::int32_t r) { return byRank[at(r)].size() == 1 && jumping[at(r)] == 0; };

        component.pieces.clear();
        const std::int32_t last = component.rankCount - 1;
        for (std::int32_t first = 0; first < last || component.pieces.empty();) {
            std::int32_t end = std::min(first + 1, last);
            while (end < last && !isCut(end))
                ++end;
            if (isCut(first) && end == std::min(first + 1, last)) { // a chain: on as long as there are cuts in a row
                while (end < last && isCut(end) && isCut(end + 1))
                    ++end;
            }
            addPiece(component, byRank, first, end);
            first = end;
        }
    }

    void addPiece(Component& component, const Lists& byRank, std::int32_t first, std::int32_t last)
    {
        Piece piece;
        piece.firstRank = first;
        piece.lastRank = last;
        for (std::int32_t r = first; r <= last; ++r) {
            for (const std::int32_t i : byRank[at(r)])
                piece.nodes.push_back(component.nodes[at(i)]);
        }
        if (first > 0)
            piece.entry = piece.nodes.front();
        if (last < component.rankCount - 1)
            piece.exit = piece.nodes.back();
        std::ranges::sort(piece.nodes);
        component.pieces.push_back(std::move(piece));
    }

    void collectEdges(Piece& piece) const
    {
        for (const std::int32_t node : piece.nodes) {
            if (node == piece.exit)
                continue;
            for (const std::int32_t e : m_out[at(node)]) {
                if (!m_withheld[at(e)])
                    piece.edges.push_back(e);
            }
        }
        std::ranges::sort(piece.edges);
    }

    const DrawnGraph& m_graph;
    const std::stop_token& m_stop;
    Lists m_in;
    Lists m_out;
    std::vector<bool> m_withheld; ///< by edge
    std::vector<TensorId> m_tensors;
    Skeleton m_skeleton;
};

} // namespace

Skeleton makeSkeleton(const DrawnGraph& graph, const std::stop_token& stop)
{
    return Builder(graph, stop).build();
}

} // namespace arenascope::layout
