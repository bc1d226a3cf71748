// SPDX-License-Identifier: MIT
#include "core/src/layout/piece_router.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace arenascope::layout {
namespace {

constexpr double kPortGap = 10; ///< between two ends of edges on a border
constexpr double kPortMargin = 8; ///< from the corner of a box
constexpr double kAligned = 0.5; ///< closer than this counts as straight

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

/// An end, or ends in one place, of edges at a box.
struct Port {
    double x = 0; ///< where the other side is
    TensorId tensor;
    std::vector<std::int32_t> edges; ///< positions in Piece::edges
};

/// Offsets from the centre for ports sorted by x: a straight one stays in the centre, the others stand beside it.
std::vector<double> spread(const std::vector<Port>& ports, double centre, double width)
{
    std::vector<double> offsets(ports.size(), 0.0);
    if (ports.size() < 2)
        return offsets;
    const auto distance = [&](const Port& port) { return std::abs(port.x - centre); };
    const auto nearest = std::ranges::min_element(ports, {}, distance);
    const double last = static_cast<double>(ports.size() - 1);
    const double middle = distance(*nearest) < kAligned ? static_cast<double>(nearest - ports.begin()) : last / 2;
    const double reach = std::max(middle, last - middle);
    const double gap = std::min(kPortGap, std::max(0.0, width / 2 - kPortMargin) / reach);
    for (std::size_t i = 0; i < ports.size(); ++i)
        offsets[i] = (static_cast<double>(i) - middle) * gap;
    return offsets;
}

class Router {
public:
    Router(const RoutedPiece& routed, Contour& contour)
        : m_routed(routed)
        , m_contour(contour)
        , m_start(routed.piece.edges.size(), 0.0)
        , m_end(routed.piece.edges.size(), 0.0)
    {
        const auto count = routed.piece.nodes.size();
        const auto edges = routed.piece.edges.size();
        m_out = groupBy(count, edges, [&](std::size_t i) { return routed.localOf[at(edge(i).from)]; });
        m_in = groupBy(count, edges, [&](std::size_t i) { return routed.localOf[at(edge(i).to)]; });
    }

    std::vector<std::vector<Point>> run()
    {
        for (std::size_t local = 0; local < m_routed.piece.nodes.size(); ++local) {
            placeStarts(local);
            placeEnds(local);
        }
        std::vector<std::vector<Point>> lines(m_routed.piece.edges.size());
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i] = line(i);
        return lines;
    }

private:
    const LayoutEdge& edge(std::size_t i) const { return m_routed.graph.edges[at(m_routed.piece.edges[i])]; }
    const LayoutEdge& edge(std::int32_t i) const { return edge(at(i)); }
    double centre(std::int32_t node) const { return m_routed.x[at(m_routed.localOf[at(node)])]; }
    std::int32_t rank(std::int32_t node) const { return m_routed.ranks[at(node)]; }
    std::int32_t bendCount(std::int32_t i) const { return rank(edge(i).to) - rank(edge(i).from) - 1; }
    double bend(std::int32_t i, std::int32_t k) const { return m_routed.x[at(m_routed.firstBend[at(i)] + k)]; }
    double width(std::size_t local) const { return m_routed.graph.nodes[at(m_routed.piece.nodes[local])].size.width; }

    /// All edges of one tensor leave from one place.
    void placeStarts(std::size_t local)
    {
        const auto edges = m_out[local];
        const bool oneTensor
            = std::ranges::all_of(edges, [&](std::int32_t i) { return edge(i).tensor == edge(edges.front()).tensor; });
        if (oneTensor)
            return;
        const double middle = m_routed.x[local];
        std::vector<std::int32_t> sorted(edges.begin(), edges.end());
        std::ranges::stable_sort(sorted, {}, [&](std::int32_t i) { return edge(i).tensor; });
        std::vector<Port> ports;
        for (const std::int32_t i : sorted) {
            const double next = bendCount(i) > 0 ? bend(i, 0) : centre(edge(i).to);
            if (ports.empty() || ports.back().tensor != edge(i).tensor)
                ports.push_back({ next, edge(i).tensor, {} });
            if (std::abs(next - middle) < std::abs(ports.back().x - middle))
                ports.back().x = next;
            ports.back().edges.push_back(i);
        }
        apply(ports, middle, width(local), m_start);
    }

    /// Each edge ends in a place of its own.
    void placeEnds(std::size_t local)
    {
        const auto edges = m_in[local];
        if (edges.size() < 2)
            return;
        std::vector<Port> ports;
        for (const std::int32_t i : edges) {
            const double previous = bendCount(i) > 0 ? bend(i, bendCount(i) - 1) : centre(edge(i).from);
            ports.push_back({ previous, edge(i).tensor, { i } });
        }
        apply(ports, m_routed.x[local], width(local), m_end);
    }

    static void apply(std::vector<Port>& ports, double centre, double width, std::vector<double>& offsets)
    {
        std::ranges::stable_sort(ports, {}, &Port::x);
        const std::vector<double> places = spread(ports, centre, width);
        for (std::size_t i = 0; i < ports.size(); ++i) {
            for (const std::int32_t e : ports[i].edges)
                offsets[at(e)] = places[i];
        }
    }

    std::vector<Point> line(std::size_t index)
    {
        const auto i = static_cast<std::int32_t>(index);
        const Rows& rows = m_routed.rows;
        const std::int32_t from = edge(i).from;
        const std::int32_t to = edge(i).to;
        const auto first = at(rank(from));
        const auto last = at(rank(to));
        const auto middle = [&](std::size_t row) { return (rows.top[row] + rows.bottom[row]) / 2; };
        double x = centre(from) + m_start[index];
        std::vector<Point> points
            = { { x, middle(first) + m_routed.graph.nodes[at(from)].size.height / 2 }, { x, rows.bottom[first] } };
        for (std::int32_t k = 0; k < bendCount(i); ++k) {
            const std::size_t row = first + 1 + at(k);
            const double next = bend(i, k);
            m_contour.widen(Contour::gapSlot(row), std::min(x, next), std::max(x, next));
            m_contour.widen(Contour::rowSlot(row), next, next);
            points.push_back({ next, rows.top[row] });
            points.push_back({ next, rows.bottom[row] });
            x = next;
        }
        const double end = centre(to) + m_end[index];
        m_contour.widen(Contour::gapSlot(last), std::min(x, end), std::max(x, end));
        points.push_back({ end, rows.top[last] });
        points.push_back({ end, middle(last) - m_routed.graph.nodes[at(to)].size.height / 2 });
        simplify(points);
        return points;
    }

    const RoutedPiece& m_routed;
    Contour& m_contour;
    Lists m_out;
    Lists m_in;
    std::vector<double> m_start; ///< offset from the centre of the source, by position in Piece::edges
    std::vector<double> m_end; ///< ... of the target
};

} // namespace

void simplify(std::vector<Point>& line)
{
    constexpr double kTiny = 1e-6;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const Point next = line[i];
        if (kept > 0 && std::abs(next.x - line[kept - 1].x) < kTiny && std::abs(next.y - line[kept - 1].y) < kTiny)
            continue;
        if (kept > 1) {
            const Point a = line[kept - 2];
            const Point b = line[kept - 1];
            const double cross = (b.x - a.x) * (next.y - b.y) - (b.y - a.y) * (next.x - b.x);
            const double dot = (b.x - a.x) * (next.x - b.x) + (b.y - a.y) * (next.y - b.y);
            if (std::abs(cross) < kTiny && dot > 0)
                --kept;
        }
        line[kept++] = next;
    }
    line.resize(kept);
}

std::vector<std::vector<Point>> routePiece(const RoutedPiece& routed, Contour& contour)
{
    return Router(routed, contour).run();
}

} // namespace arenascope::layout
