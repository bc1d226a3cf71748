// SPDX-License-Identifier: MIT
#include "core/src/layout/lanes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace arenascope::layout {
namespace {

constexpr double kLaneGap = 8; ///< between two upright lines
constexpr double kFirstLaneGap = 12; ///< more between the first line and the boxes
constexpr double kRightBias = 160; ///< a lane goes to the left only if its branches are so much shorter there
constexpr double kPortGap = 8;
constexpr double kPortMargin = 8;

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

/// Maximum over a range of slots, and raising a range to at least a value: both O(log n).
class MaximumTree {
public:
    explicit MaximumTree(const std::vector<double>& values)
    {
        while (m_leaves < values.size())
            m_leaves *= 2;
        m_maximum.assign(2 * m_leaves, -1e300);
        m_raised.assign(2 * m_leaves, -1e300);
        for (std::size_t i = 0; i < values.size(); ++i)
            m_maximum[m_leaves + i] = values[i];
        for (std::size_t i = m_leaves; i-- > 1;)
            m_maximum[i] = std::max(m_maximum[2 * i], m_maximum[2 * i + 1]);
    }

    double maximum(std::size_t first, std::size_t last) const { return query(1, 0, m_leaves - 1, first, last); }
    void raise(std::size_t first, std::size_t last, double value) { raise(1, 0, m_leaves - 1, first, last, value); }

private:
    // The recursion is as deep as the tree, at most 64.
    double query(std::size_t node, std::size_t low, std::size_t high, std::size_t first, std::size_t last) const
    {
        if (last < low || high < first)
            return -1e300;
        if (first <= low && high <= last)
            return m_maximum[node];
        const std::size_t middle = (low + high) / 2;
        return std::max({ m_raised[node], query(2 * node, low, middle, first, last),
            query(2 * node + 1, middle + 1, high, first, last) });
    }

    void raise(std::size_t node, std::size_t low, std::size_t high, std::size_t first, std::size_t last, double value)
    {
        if (last < low || high < first)
            return;
        m_maximum[node] = std::max(m_maximum[node], value);
        if (first <= low && high <= last) {
            m_raised[node] = std::max(m_raised[node], value);
            return;
        }
        const std::size_t middle = (low + high) / 2;
        raise(2 * node, low, middle, first, last, value);
        raise(2 * node + 1, middle + 1, high, first, last, value);
    }

    std::size_t m_leaves = 1;
    std::vector<double> m_maximum; ///< of the slots below
    std::vector<double> m_raised; ///< what all slots below are raised to
};

} // namespace

const LayoutEdge& Lanes::edge(std::int32_t i) const
{
    return m_graph.edges[at(m_component.withheld[at(i)])];
}

std::size_t Lanes::rankOf(std::int32_t node) const
{
    return at(m_skeleton.ranks[at(node)]);
}

Lanes::Lanes(const DrawnGraph& graph, const Skeleton& skeleton, const Component& component)
    : m_graph(graph)
    , m_skeleton(skeleton)
    , m_component(component)
    , m_laneOf(component.withheld.size(), -1)
    , m_tracks(at(component.rankCount) + 1, 0)
    , m_endX(component.withheld.size(), 0.0)
{
    std::vector<std::int32_t> sorted(component.withheld.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto bundle = [&](std::int32_t i) { return std::tuple(edge(i).from, edge(i).tensor); };
    std::ranges::stable_sort(sorted, {}, bundle);
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        const std::int32_t i = sorted[k];
        if (k == 0 || bundle(i) != bundle(sorted[k - 1]))
            m_lanes.push_back({ edge(i).from, {}, rankOf(edge(i).from) + 1, 0 });
        const auto lane = static_cast<std::int32_t>(m_lanes.size()) - 1;
        m_laneOf[at(i)] = lane;
        m_lanes.back().edges.push_back(i);
        m_lanes.back().lastGap = std::max(m_lanes.back().lastGap, rankOf(edge(i).to));
        m_trackList.push_back({ m_lanes.back().firstGap, false, lane });
        m_trackList.push_back({ rankOf(edge(i).to), true, lane });
    }
    const auto place = [](const Track& track) { return std::tuple(track.gap, track.isIn, track.lane); };
    std::ranges::sort(m_trackList, {}, place);
    const auto repeated = std::ranges::unique(m_trackList, {}, place);
    m_trackList.erase(repeated.begin(), repeated.end());
    for (const Track& track : m_trackList)
        ++m_tracks[track.gap];
}

void Lanes::placeLanes(const std::vector<double>& x, const Contour& contour)
{
    std::vector<double> leftOut(contour.left.size());
    std::vector<double> rightOut(contour.right.size());
    for (std::size_t slot = 0; slot < leftOut.size(); ++slot) {
        leftOut[slot] = kFirstLaneGap - contour.left[slot];
        rightOut[slot] = kFirstLaneGap + contour.right[slot];
    }
    MaximumTree left(leftOut);
    MaximumTree right(rightOut);
    std::vector<std::int32_t> byLength(m_lanes.size());
    std::iota(byLength.begin(), byLength.end(), 0);
    std::ranges::stable_sort(byLength, {},
        [&](std::int32_t lane) { return std::tuple(m_lanes[at(lane)].length(), m_lanes[at(lane)].firstGap); });
    for (const std::int32_t index : byLength) {
        Lane& lane = m_lanes[at(index)];
        const std::size_t first = Contour::gapSlot(lane.firstGap);
        const std::size_t last = Contour::gapSlot(lane.lastGap);
        const double leftX = -left.maximum(first, last) - kLaneGap;
        const double rightX = right.maximum(first, last) + kLaneGap;
        double leftLength = x[at(lane.from)] - leftX;
        double rightLength = rightX - x[at(lane.from)];
        for (const std::int32_t i : lane.edges) {
            leftLength += x[at(edge(i).to)] - leftX;
            rightLength += rightX - x[at(edge(i).to)];
        }
        lane.isLeft = leftLength + kRightBias * static_cast<double>(lane.edges.size() + 1) < rightLength;
        lane.x = lane.isLeft ? leftX : rightX;
        if (lane.isLeft)
            left.raise(first, last, -leftX);
        else
            right.raise(first, last, rightX);
    }
}

void Lanes::placeTracks(const Rows& rows, double gapMargin)
{
    const auto order = [&](const Track& track) {
        const double reach = std::abs(m_lanes[at(track.lane)].x);
        return std::tuple(track.gap, track.isIn, track.isIn ? reach : -reach, track.lane);
    };
    std::ranges::sort(m_trackList, {}, order);
    for (std::size_t begin = 0, end = 0; begin < m_trackList.size(); begin = end) {
        const std::size_t gap = m_trackList[begin].gap;
        while (end < m_trackList.size() && m_trackList[end].gap == gap)
            ++end;
        const double top = rows.gapTop(gap) + gapMargin;
        const double step = (rows.gapBottom(gap) - gapMargin - top) / static_cast<double>(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
            m_trackList[i].y = top + (static_cast<double>(i - begin) + 0.5) * step;
            if (!m_trackList[i].isIn)
                m_lanes[at(m_trackList[i].lane)].outY = m_trackList[i].y;
        }
    }
    std::ranges::sort(
        m_trackList, {}, [](const Track& track) { return std::tuple(track.gap, track.isIn, track.lane); });
}

double Lanes::trackY(std::size_t gap, std::int32_t lane) const
{
    const auto place = [](const Track& track) { return std::tuple(track.gap, track.isIn, track.lane); };
    return std::ranges::lower_bound(m_trackList, std::tuple(gap, true, lane), {}, place)->y;
}

/// Ends of lanes stand near the corners of their boxes, the outermost lane at the corner.
void Lanes::placePorts(const std::vector<double>& x)
{
    struct End {
        std::int32_t node;
        bool isOut;
        std::int32_t lane;
        double* port;
    };
    std::vector<End> ends;
    m_startX.assign(m_lanes.size(), 0.0);
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
        ends.push_back({ m_lanes[lane].from, true, static_cast<std::int32_t>(lane), &m_startX[lane] });
    for (std::size_t i = 0; i < m_endX.size(); ++i)
        ends.push_back({ edge(static_cast<std::int32_t>(i)).to, false, m_laneOf[i], &m_endX[i] });
    const auto lane = [&](const End& end) -> const Lane& { return m_lanes[at(end.lane)]; };
    const auto place = [&](const End& end) { return std::tuple(end.node, end.isOut, lane(end).isLeft); };
    const auto less = [&](const End& a, const End& b) {
        return std::tuple(place(a), -std::abs(lane(a).x), a.lane) < std::tuple(place(b), -std::abs(lane(b).x), b.lane);
    };
    std::stable_sort(ends.begin(), ends.end(), less);
    for (std::size_t begin = 0, end = 0; begin < ends.size(); begin = end) {
        while (end < ends.size() && place(ends[end]) == place(ends[begin]))
            ++end;
        const double half = m_graph.nodes[at(ends[begin].node)].size.width / 2;
        const double margin = std::min(kPortMargin, half / 2);
        const double gap = std::min(kPortGap, (half - margin) / static_cast<double>(end - begin));
        const double side = lane(ends[begin]).isLeft ? -1 : 1;
        for (std::size_t i = begin; i < end; ++i)
            *ends[i].port = x[at(ends[i].node)] + side * (half - margin - static_cast<double>(i - begin) * gap);
    }
}

std::vector<std::vector<Point>> Lanes::route(
    const std::vector<double>& x, const Rows& rows, double gapMargin, const Contour& contour)
{
    placeLanes(x, contour);
    placeTracks(rows, gapMargin);
    placePorts(x);
    const auto middle = [&](std::int32_t node) { return (rows.top[rankOf(node)] + rows.bottom[rankOf(node)]) / 2; };
    std::vector<std::vector<Point>> lines(m_laneOf.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const LayoutEdge& e = edge(static_cast<std::int32_t>(i));
        const Lane& lane = m_lanes[at(m_laneOf[i])];
        const double startX = m_startX[at(m_laneOf[i])];
        const double inY = trackY(rankOf(e.to), m_laneOf[i]);
        lines[i] = {
            { startX, middle(e.from) + m_graph.nodes[at(e.from)].size.height / 2 },
            { startX, lane.outY },
            { lane.x, lane.outY },
            { lane.x, inY },
            { m_endX[i], inY },
            { m_endX[i], middle(e.to) - m_graph.nodes[at(e.to)].size.height / 2 },
        };
    }
    return lines;
}

} // namespace arenascope::layout
