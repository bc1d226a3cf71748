// SPDX-License-Identifier: MIT
// From a drawn graph to positions: rows first (every y is known before any x), then piece by piece, then the long
// edges. Everything is worked out top down; for LayoutDirection::Right it is turned when it is written into the result.
#include "core/src/layout/lanes.h"
#include "core/src/layout/piece_elements.h"
#include "core/src/layout/piece_engine.h"
#include "core/src/layout/piece_router.h"
#include "core/src/layout/rows.h"
#include "core/src/layout/skeleton.h"

#include <arenascope/layout.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace arenascope {
namespace layout {
namespace {

constexpr double kSmallestBox = 1;
constexpr double kLargestBox = 100000;
constexpr double kWideRow = 16; ///< a gap is at least this part of the wider one of its rows ...
constexpr double kTallestGap = 4; ///< ... but not higher than so many usual gaps
constexpr double kComponentGap = 3; ///< between components, in gaps between boxes
constexpr auto kReportEvery = std::chrono::milliseconds(25);

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

using PieceDone = std::function<void(const GraphLayout&, const LayoutPiece&)>;

class Run {
public:
    Run(const DrawnGraph& graph, const LayoutOptions& options, std::stop_token stop, const ProgressFn& progress,
        const PieceDone& pieceDone)
        : m_graph(graph)
        , m_options(tidied(options))
        , m_stop(std::move(stop))
        , m_progress(progress)
        , m_pieceDone(pieceDone)
        , m_x(graph.nodes.size(), 0.0)
        , m_localOf(graph.nodes.size(), -1)
        , m_engine(options.engine, options.helper, m_stop)
    {
        const auto tidy = [](double length) {
            return std::isfinite(length) ? std::clamp(length, kSmallestBox, kLargestBox) : kSmallestBox;
        };
        for (LayoutNode& node : m_graph.nodes) {
            node.size = { tidy(node.size.width), tidy(node.size.height) };
            if (isRight())
                std::swap(node.size.width, node.size.height);
        }
        m_result.nodes.resize(m_graph.nodes.size());
        m_result.edges.resize(m_graph.edges.size());
    }

    Result<GraphLayout> run()
    {
        m_skeleton = makeSkeleton(m_graph, m_stop);
        for (const Component& component : m_skeleton.components) {
            if (!m_stop.stop_requested())
                layOutComponent(component);
            if (m_stop.stop_requested())
                return Error { ErrorCode::Cancelled, "layout", {} };
        }
        report(true);
        return std::move(m_result);
    }

private:
    static LayoutOptions tidied(LayoutOptions options)
    {
        const LayoutOptions usual;
        const auto tidy = [](double& gap, double otherwise) {
            gap = std::isfinite(gap) ? std::clamp(gap, 1.0, kLargestBox) : otherwise;
        };
        tidy(options.nodeGap, usual.nodeGap);
        tidy(options.rankGap, usual.rankGap);
        return options;
    }

    bool isRight() const { return m_options.direction == LayoutDirection::Right; }
    std::int32_t rank(std::int32_t node) const { return m_skeleton.ranks[at(node)]; }
    const Size& size(std::int32_t node) const { return m_graph.nodes[at(node)].size; }
    double gapMargin() const { return m_options.rankGap * 0.3; }

    void layOutComponent(const Component& component)
    {
        Lanes lanes(m_graph, m_skeleton, component);
        const Rows rows = makeRows(component, lanes);
        Contour contour(rows.count());
        m_low = { 0, 0 };
        m_high = { 0, 0 };
        const bool isFirst = &component == &m_skeleton.components.front();
        for (const Piece& piece : component.pieces) {
            layOutPiece(piece, rows, contour);
            if (m_stop.stop_requested())
                return;
            if (isFirst) { // the others move when they are finished
                updateBounds({ 0, 0 });
                report(false);
            }
        }
        auto lines = lanes.route(m_x, rows, gapMargin(), contour);
        for (std::size_t i = 0; i < lines.size(); ++i)
            writeLine(component.withheld[i], std::move(lines[i]));
        m_pending.edges.insert(m_pending.edges.end(), component.withheld.begin(), component.withheld.end());
        m_high.y = std::max(m_high.y, rows.end);
        if (!isFirst)
            moveComponent(component);
        updateBounds(isFirst ? Point { 0, 0 } : m_corner);
        report(false);
    }

    Rows makeRows(const Component& component, const Lanes& lanes) const
    {
        const std::size_t count = at(component.rankCount);
        std::vector<double> heights(count, 0.0);
        std::vector<double> widths(count, 0.0);
        for (const std::int32_t node : component.nodes) {
            const std::size_t row = at(rank(node));
            heights[row] = std::max(heights[row], size(node).height);
            widths[row] += size(node).width + m_options.nodeGap;
        }
        Rows rows;
        double y = 0;
        for (std::size_t gap = 0; gap <= count; ++gap) {
            double height = 0;
            if (gap > 0 && gap < count)
                height = std::clamp(std::max(widths[gap - 1], widths[gap]) / kWideRow, m_options.rankGap,
                    kTallestGap * m_options.rankGap);
            if (const std::int32_t tracks = lanes.trackCount(gap); tracks > 0)
                height = std::max(height, 2 * gapMargin() + tracks * Lanes::kTrackGap);
            y += height;
            if (gap == count)
                break;
            rows.top.push_back(y);
            y += heights[gap];
            rows.bottom.push_back(y);
        }
        rows.end = y;
        return rows;
    }

    void layOutPiece(const Piece& piece, const Rows& rows, Contour& contour)
    {
        const PieceElements elements = makeElements(m_graph, m_skeleton.ranks, piece, m_options.nodeGap, m_localOf);
        const std::vector<double> x
            = piece.isChain ? std::vector<double>(elements.layered.size(), 0.0) : m_engine.place(elements.layered);
        if (m_stop.stop_requested())
            return;
        for (std::size_t i = 0; i < piece.nodes.size(); ++i)
            placeNode(piece.nodes[i], x[i], rows, contour);
        auto lines = routePiece({ m_graph, piece, m_skeleton.ranks, m_localOf, elements.firstBend, x, rows }, contour);
        for (std::size_t i = 0; i < lines.size(); ++i)
            writeLine(piece.edges[i], std::move(lines[i]));
        for (const std::int32_t node : piece.nodes) {
            if (node != piece.entry)
                m_pending.nodes.push_back(node);
        }
        m_pending.edges.insert(m_pending.edges.end(), piece.edges.begin(), piece.edges.end());
        m_nodesDone += piece.nodes.size();
    }

    void placeNode(std::int32_t node, double x, const Rows& rows, Contour& contour)
    {
        const std::size_t row = at(rank(node));
        const double half = size(node).width / 2;
        m_x[at(node)] = x;
        contour.widen(Contour::rowSlot(row), x - half, x + half);
        const double y = (rows.top[row] + rows.bottom[row] - size(node).height) / 2;
        extend({ x - half, y });
        extend({ x + half, y + size(node).height });
        Rect& rect = m_result.nodes[at(node)];
        rect = { x - half, y, size(node).width, size(node).height };
        if (isRight())
            rect = { rect.y, rect.x, rect.height, rect.width };
    }

    void writeLine(std::int32_t edge, std::vector<Point> line)
    {
        for (Point& point : line) {
            extend(point);
            if (isRight())
                std::swap(point.x, point.y);
        }
        m_result.edges[at(edge)] = std::move(line);
    }

    void extend(Point point)
    {
        m_low = { std::min(m_low.x, point.x), std::min(m_low.y, point.y) };
        m_high = { std::max(m_high.x, point.x), std::max(m_high.y, point.y) };
    }

    /// Further components fill columns at the right of the first, as high as it is (or as makes about a square).
    void moveComponent(const Component& component)
    {
        const double gap = kComponentGap * m_options.nodeGap;
        if (m_columnHeight <= 0) {
            m_columnHeight = std::max(m_all.y, squareHeight());
            m_columnX = m_nextColumnX = m_all.x + gap;
        }
        const double height = m_high.y - m_low.y;
        if (m_columnY > 0 && m_columnY + height > m_columnHeight) {
            m_columnX = m_nextColumnX;
            m_columnY = 0;
        }
        m_corner = { m_columnX - m_low.x, m_columnY - m_low.y };
        m_columnY += height + gap;
        m_nextColumnX = std::max(m_nextColumnX, m_columnX + m_high.x - m_low.x + gap);
        const Point shift = isRight() ? Point { m_corner.y, m_corner.x } : m_corner;
        for (const std::int32_t node : component.nodes) {
            m_result.nodes[at(node)].x += shift.x;
            m_result.nodes[at(node)].y += shift.y;
        }
        const auto moveLine = [&](std::int32_t edge) {
            for (Point& point : m_result.edges[at(edge)])
                point = { point.x + shift.x, point.y + shift.y };
        };
        for (const Piece& piece : component.pieces)
            std::ranges::for_each(piece.edges, moveLine);
        std::ranges::for_each(component.withheld, moveLine);
    }

    double squareHeight() const
    {
        double area = 0;
        for (const LayoutNode& node : m_graph.nodes)
            area += (node.size.width + kComponentGap * m_options.nodeGap)
                * (node.size.height + kComponentGap * m_options.nodeGap);
        return std::sqrt(area);
    }

    void updateBounds(Point corner)
    {
        m_origin = { std::min(m_origin.x, m_low.x + corner.x), std::min(m_origin.y, m_low.y + corner.y) };
        m_all = { std::max(m_all.x, m_high.x + corner.x), std::max(m_all.y, m_high.y + corner.y) };
        m_result.bounds = { m_origin.x, m_origin.y, m_all.x - m_origin.x, m_all.y - m_origin.y };
        if (isRight())
            m_result.bounds = { m_origin.y, m_origin.x, m_all.y - m_origin.y, m_all.x - m_origin.x };
    }

    /// Hands out what is finished, at once at the end and else now and then: a network may have thousands of pieces.
    void report(bool atEnd)
    {
        const auto now = std::chrono::steady_clock::now();
        if (!atEnd && now - m_lastReport < kReportEvery)
            return;
        m_lastReport = now;
        if (m_progress)
            m_progress(std::min(1.0,
                           static_cast<double>(m_nodesDone)
                               / static_cast<double>(std::max<std::size_t>(1, m_graph.nodes.size()))),
                "layout");
        if (m_pieceDone && !(m_pending.nodes.empty() && m_pending.edges.empty()))
            m_pieceDone(m_result, m_pending);
        m_pending = {};
    }

    DrawnGraph m_graph; ///< with sizes as seen from top to bottom
    LayoutOptions m_options;
    std::stop_token m_stop;
    const ProgressFn& m_progress;
    const PieceDone& m_pieceDone;
    Skeleton m_skeleton;
    std::vector<double> m_x; ///< centres by node, in their component
    std::vector<std::int32_t> m_localOf;
    PieceEngine m_engine;
    GraphLayout m_result;
    LayoutPiece m_pending;
    std::size_t m_nodesDone = 0;
    std::chrono::steady_clock::time_point m_lastReport{}; ///< long ago: the first piece is handed out at once
    Point m_low; ///< corners of the component at hand
    Point m_high;
    Point m_origin; ///< corners of everything
    Point m_all;
    Point m_corner;
    double m_columnHeight = 0;
    double m_columnX = 0;
    double m_nextColumnX = 0;
    double m_columnY = 0;
};

bool isWellFormed(const DrawnGraph& graph)
{
    const auto count = static_cast<std::int64_t>(graph.nodes.size());
    return std::ranges::all_of(
        graph.edges, [&](const LayoutEdge& edge) { return edge.from >= 0 && edge.from < edge.to && edge.to < count; });
}

} // namespace
} // namespace layout

Result<GraphLayout> layOut(const DrawnGraph& graph, const LayoutOptions& options, std::stop_token stop,
    const ProgressFn& progress, const std::function<void(const GraphLayout&, const LayoutPiece&)>& pieceDone)
{
    if (!layout::isWellFormed(graph))
        return Error { ErrorCode::Internal, "layout", { "an edge that does not go forward in the list of nodes" } };
    if (graph.nodes.empty())
        return GraphLayout {};
    return layout::Run(graph, options, std::move(stop), progress, pieceDone).run();
}

} // namespace arenascope
