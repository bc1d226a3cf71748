// SPDX-License-Identifier: MIT
// What must hold for every layout, checked without knowing how it was made.
#pragma once

#include <arenascope/layout.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace arenascope::layout_checks {

struct Findings {
    std::int64_t overlaps = 0; ///< pairs of boxes that share more than a border
    std::int64_t crossed = 0; ///< segments of edges inside a box that is neither their source nor their target
    std::int64_t detached = 0; ///< ends of edges that are not on the border of their box, or are missing
    std::int64_t invalid
        = 0; ///< numbers that are not finite, boxes that have lost their size or lie outside the bounds
    bool isClean() const { return overlaps == 0 && crossed == 0 && detached == 0 && invalid == 0; }
};

inline constexpr double kTolerance = 1e-6;

/// Boxes in bands of y: those that a range of y may meet are found without looking at all.
class Bands {
public:
    explicit Bands(const std::vector<Rect>& boxes)
        : m_boxes(boxes)
    {
        for (const Rect& box : boxes)
            m_height = std::max(m_height, box.height);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            for (auto band = bandOf(boxes[i].y); band <= bandOf(boxes[i].bottom()); ++band)
                m_bands[band].emplace(boxes[i].x, i);
        }
        for (const Rect& box : boxes)
            m_width = std::max(m_width, box.width);
    }

    /// Calls `visit` with boxes that may meet the area, some more than once.
    template <class Visit>
    void visit(const Rect& area, const Visit& visit) const
    {
        for (auto band = m_bands.lower_bound(bandOf(area.y));
             band != m_bands.end() && band->first <= bandOf(area.bottom()); ++band) {
            auto entry = band->second.lower_bound(area.x - m_width);
            for (; entry != band->second.end() && entry->first <= area.right(); ++entry)
                visit(entry->second);
        }
    }

private:
    std::int64_t bandOf(double y) const { return static_cast<std::int64_t>(std::floor(y / m_height)); }

    const std::vector<Rect>& m_boxes;
    double m_height = 1;
    double m_width = 0;
    std::map<std::int64_t, std::multimap<double, std::size_t>> m_bands;
};

/// Whether the segment has a point strictly inside the box.
inline bool passesThrough(Point a, Point b, const Rect& box)
{
    double from = 0;
    double to = 1;
    const auto clip = [&](double start, double delta, double low, double high) {
        low += kTolerance;
        high -= kTolerance;
        if (std::abs(delta) < 1e-12)
            return start > low && start < high;
        const double t1 = (low - start) / delta;
        const double t2 = (high - start) / delta;
        from = std::max(from, std::min(t1, t2));
        to = std::min(to, std::max(t1, t2));
        return from < to;
    };
    return clip(a.x, b.x - a.x, box.x, box.right()) && clip(a.y, b.y - a.y, box.y, box.bottom());
}

inline bool isOnBorder(Point p, const Rect& box)
{
    const bool insideX = p.x >= box.x - kTolerance && p.x <= box.right() + kTolerance;
    const bool insideY = p.y >= box.y - kTolerance && p.y <= box.bottom() + kTolerance;
    const bool onX = std::abs(p.x - box.x) < kTolerance || std::abs(p.x - box.right()) < kTolerance;
    const bool onY = std::abs(p.y - box.y) < kTolerance || std::abs(p.y - box.bottom()) < kTolerance;
    return insideX && insideY && (onX || onY);
}

inline Findings check(const DrawnGraph& graph, const GraphLayout& layout)
{
    Findings findings;
    if (layout.nodes.size() != graph.nodes.size() || layout.edges.size() != graph.edges.size()) {
        findings.invalid = 1;
        return findings;
    }
    const Rect& bounds = layout.bounds;
    const auto isInside = [&](Point p) {
        return std::isfinite(p.x) && std::isfinite(p.y) && p.x >= bounds.x - kTolerance && p.y >= bounds.y - kTolerance
            && p.x <= bounds.right() + kTolerance && p.y <= bounds.bottom() + kTolerance;
    };
    for (const Rect& box : layout.nodes)
        findings.invalid
            += isInside({ box.x, box.y }) && isInside({ box.right(), box.bottom() }) && box.width > 0 && box.height > 0
            ? 0
            : 1;
    if (findings.invalid > 0)
        return findings;

    const Bands bands(layout.nodes);
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
        const Rect& a = layout.nodes[i];
        std::set<std::size_t> met;
        bands.visit(a, [&](std::size_t j) {
            const Rect& b = layout.nodes[j];
            if (j > i && a.x < b.right() - kTolerance && b.x < a.right() - kTolerance && a.y < b.bottom() - kTolerance
                && b.y < a.bottom() - kTolerance)
                met.insert(j);
        });
        findings.overlaps += static_cast<std::int64_t>(met.size());
    }
    for (std::size_t e = 0; e < layout.edges.size(); ++e) {
        const std::vector<Point>& line = layout.edges[e];
        const auto from = static_cast<std::size_t>(graph.edges[e].from);
        const auto to = static_cast<std::size_t>(graph.edges[e].to);
        if (line.size() < 2 || !isOnBorder(line.front(), layout.nodes[from])
            || !isOnBorder(line.back(), layout.nodes[to]))
            ++findings.detached;
        for (std::size_t i = 0; i < line.size(); ++i)
            findings.invalid += isInside(line[i]) ? 0 : 1;
        for (std::size_t i = 1; i < line.size(); ++i) {
            const Point a = line[i - 1];
            const Point b = line[i];
            const Rect area { std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y) };
            bool crossed = false;
            bands.visit(area, [&](std::size_t j) { crossed = crossed || passesThrough(a, b, layout.nodes[j]); });
            findings.crossed += crossed ? 1 : 0; // not even its own boxes
        }
    }
    return findings;
}

} // namespace arenascope::layout_checks
