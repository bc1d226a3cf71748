// SPDX-License-Identifier: MIT
// x coordinates after Brandes and Koepf (Fast and simple horizontal coordinate assignment, Graph Drawing 2001): four
// alignments with medians above or below, packed to the left or to the right, then averaged. Packing is done here by
// longest paths through the graph of blocks, which cannot overlap; bends and the spine are aligned before all others.
#include "core/src/layout/layered_piece.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace arenascope::layout {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(std::int32_t element)
{
    return static_cast<std::size_t>(element);
}

class Placer {
public:
    Placer(const LayeredPiece& piece, Links links, const RankOrder& order, const std::vector<std::int32_t>& spine)
        : m_piece(piece)
        , m_links(std::move(links))
        , m_order(order)
        , m_above(piece.size(), -1)
        , m_below(piece.size(), -1)
        , m_conflict(piece.segments.size(), false)
    {
        sortLinks();
        preferSpineAndBends(spine);
        markConflicts(spine);
    }

    std::vector<double> run(const std::stop_token& stop)
    {
        std::array<std::vector<double>, 4> candidates;
        for (std::size_t i = 0; i < candidates.size() && !stop.stop_requested(); ++i) {
            const bool fromAbove = i < 2;
            const bool mirrored = i % 2 == 1;
            alignBlocks(fromAbove, mirrored);
            candidates[i] = packBlocks(mirrored);
        }
        if (stop.stop_requested())
            return std::vector<double>(m_piece.size(), 0.0);
        return average(candidates);
    }

private:
    const Segment& segment(std::int32_t s) const { return m_piece.segments[at(s)]; }
    std::int32_t position(std::int32_t element) const { return m_order.position[at(element)]; }
    bool isPreferred(std::int32_t s) const { return m_below[at(segment(s).upper)] == segment(s).lower; }

    void sortLinks()
    {
        for (std::size_t element = 0; element < m_piece.size(); ++element) {
            std::ranges::stable_sort(
                m_links.up.mutableList(element), {}, [&](std::int32_t s) { return position(segment(s).upper); });
            std::ranges::stable_sort(
                m_links.down.mutableList(element), {}, [&](std::int32_t s) { return position(segment(s).lower); });
        }
    }

    void prefer(std::int32_t upper, std::int32_t lower)
    {
        if (m_below[at(upper)] >= 0 || m_above[at(lower)] >= 0)
            return;
        m_below[at(upper)] = lower;
        m_above[at(lower)] = upper;
    }

    void preferSpineAndBends(const std::vector<std::int32_t>& spine)
    {
        for (std::size_t i = 1; i < spine.size(); ++i)
            prefer(spine[i - 1], spine[i]);
        for (const Segment& s : m_piece.segments) {
            if (m_piece.isBend(s.upper) && m_piece.isBend(s.lower))
                prefer(s.upper, s.lower);
        }
    }

    /// What crosses the spine must not be straight; nor what crosses a run of bends.
    void markConflicts(const std::vector<std::int32_t>& spine)
    {
        for (std::size_t i = 1; i < spine.size(); ++i) {
            const std::int32_t upper = position(spine[i - 1]);
            const std::int32_t lower = position(spine[i]);
            for (const std::int32_t element : m_order.ranks[at(m_piece.rank(spine[i]))]) {
                for (const std::int32_t s : m_links.up[at(element)]) {
                    const std::int64_t a = position(segment(s).upper) - upper;
                    const std::int64_t b = position(element) - lower;
                    m_conflict[at(s)] = m_conflict[at(s)] || a * b < 0;
                }
            }
        }
        for (std::size_t rank = 1; rank < m_order.ranks.size(); ++rank)
            markBendConflicts(m_order.ranks[rank], static_cast<std::int32_t>(m_order.ranks[rank - 1].size()));
    }

    void markBendConflicts(const std::vector<std::int32_t>& rank, std::int32_t widthAbove)
    {
        std::int32_t left = -1;
        std::size_t next = 0;
        for (std::size_t i = 0; i <= rank.size(); ++i) {
            std::int32_t right = widthAbove;
            if (i < rank.size()) {
                const std::int32_t straight = preferredSegmentAbove(rank[i]);
                if (straight < 0)
                    continue;
                right = position(segment(straight).upper);
            }
            for (; next < rank.size() && next <= i; ++next) {
                for (const std::int32_t s : m_links.up[at(rank[next])]) {
                    const std::int32_t upper = position(segment(s).upper);
                    if (!isPreferred(s) && (upper < left || upper > right))
                        m_conflict[at(s)] = true;
                }
            }
            left = right;
        }
    }

    std::int32_t preferredSegmentAbove(std::int32_t element) const
    {
        for (const std::int32_t s : m_links.up[at(element)]) {
            if (isPreferred(s) && !m_conflict[at(s)])
                return s;
        }
        return -1;
    }

    /// Joins each element with a median neighbour of the rank before it, where no earlier joint is crossed.
    void alignBlocks(bool fromAbove, bool mirrored)
    {
        m_root.resize(m_piece.size());
        std::iota(m_root.begin(), m_root.end(), 0);
        std::vector<bool> taken(m_piece.size(), false);
        const auto count = m_order.ranks.size();
        for (std::size_t step = 1; step < count; ++step) {
            const auto& rank = m_order.ranks[fromAbove ? step : count - 1 - step];
            std::int32_t last = -1;
            for (std::size_t i = 0; i < rank.size(); ++i) {
                const std::int32_t element = rank[mirrored ? rank.size() - 1 - i : i];
                const std::int32_t partner = alignmentPartner(element, fromAbove, mirrored, last, taken);
                if (partner < 0)
                    continue;
                last = mirroredPosition(partner, mirrored);
                taken[at(partner)] = true;
                m_root[at(element)] = m_root[at(partner)];
            }
        }
    }

    std::int32_t mirroredPosition(std::int32_t element, bool mirrored) const
    {
        const auto width = static_cast<std::int32_t>(m_order.ranks[at(m_piece.rank(element))].size());
        return mirrored ? width - 1 - position(element) : position(element);
    }

    std::int32_t alignmentPartner(
        std::int32_t element, bool fromAbove, bool mirrored, std::int32_t last, const std::vector<bool>& taken) const
    {
        const auto segments = (fromAbove ? m_links.up : m_links.down)[at(element)];
        const auto& preferred = fromAbove ? m_above : m_below;
        const auto& preferredBack = fromAbove ? m_below : m_above;
        const auto mayJoin = [&](std::int32_t s) {
            const std::int32_t other = fromAbove ? segment(s).upper : segment(s).lower;
            const std::int32_t back = preferredBack[at(other)];
            return !m_conflict[at(s)] && !taken[at(other)] && mirroredPosition(other, mirrored) > last
                && (back < 0 || back == element);
        };
        if (preferred[at(element)] >= 0) {
            for (const std::int32_t s : segments) {
                if (isPreferred(s))
                    return mayJoin(s) ? preferred[at(element)] : -1;
            }
        }
        if (segments.empty())
            return -1;
        std::array medians = { (segments.size() - 1) / 2, segments.size() / 2 };
        if (mirrored)
            std::swap(medians[0], medians[1]);
        for (const std::size_t median : medians) {
            const std::int32_t s = segments[median];
            if (mayJoin(s))
                return fromAbove ? segment(s).upper : segment(s).lower;
        }
        return -1;
    }

    /// Leftmost places of the blocks (longest paths), then each is pulled towards what stands right of it.
    std::vector<double> packBlocks(bool mirrored)
    {
        struct Pair {
            std::int32_t left;
            std::int32_t right;
            double distance;
        };
        std::vector<Pair> pairs;
        pairs.reserve(m_piece.size());
        std::vector<std::int32_t> open(m_piece.size(), 0);
        for (const auto& rank : m_order.ranks) {
            for (std::size_t i = 1; i < rank.size(); ++i) {
                const std::int32_t left = rank[mirrored ? rank.size() - i : i - 1];
                const std::int32_t right = rank[mirrored ? rank.size() - 1 - i : i];
                pairs.push_back({ m_root[at(left)], m_root[at(right)], separation(m_piece, left, right) });
                ++open[at(m_root[at(right)])];
            }
        }
        const Lists after = groupBy(m_piece.size(), pairs.size(), [&](std::size_t i) { return pairs[i].left; });
        std::vector<double> x(m_piece.size(), 0.0);
        std::vector<std::int32_t> sorted;
        sorted.reserve(m_piece.size());
        for (std::size_t element = 0; element < m_piece.size(); ++element) {
            if (at(m_root[element]) == element && open[element] == 0)
                sorted.push_back(static_cast<std::int32_t>(element));
        }
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            for (const std::int32_t p : after[at(sorted[i])]) {
                const Pair& pair = pairs[at(p)];
                x[at(pair.right)] = std::max(x[at(pair.right)], x[at(pair.left)] + pair.distance);
                if (--open[at(pair.right)] == 0)
                    sorted.push_back(pair.right);
            }
        }
        for (auto block = sorted.rbegin(); block != sorted.rend(); ++block) {
            double room = kInfinity;
            for (const std::int32_t p : after[at(*block)])
                room = std::min(room, x[at(pairs[at(p)].right)] - pairs[at(p)].distance);
            if (room < kInfinity)
                x[at(*block)] = std::max(x[at(*block)], room);
        }
        for (std::size_t element = 0; element < m_piece.size(); ++element) {
            const double value = x[at(m_root[element])];
            if (at(m_root[element]) != element)
                x[element] = value;
        }
        if (mirrored) {
            for (double& value : x)
                value = -value;
        }
        return x;
    }

    /// The mean of the two middle ones of four candidates, after all were moved to the place of the narrowest.
    /// Distances of neighbours hold in each candidate, so they hold for every order statistic and for the mean.
    std::vector<double> average(std::array<std::vector<double>, 4>& candidates) const
    {
        std::array<double, 4> low {};
        std::array<double, 4> high {};
        std::size_t narrowest = 0;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            low[i] = kInfinity;
            high[i] = -kInfinity;
            for (std::size_t element = 0; element < m_piece.size(); ++element) {
                low[i] = std::min(low[i], candidates[i][element] - m_piece.widths[element] / 2);
                high[i] = std::max(high[i], candidates[i][element] + m_piece.widths[element] / 2);
            }
            if (high[i] - low[i] < high[narrowest] - low[narrowest])
                narrowest = i;
        }
        std::vector<double> x(m_piece.size());
        std::array<double, 4> shift {};
        for (std::size_t i = 0; i < candidates.size(); ++i)
            shift[i] = i % 2 == 0 ? low[narrowest] - low[i] : high[narrowest] - high[i];
        for (std::size_t element = 0; element < m_piece.size(); ++element) {
            std::array<double, 4> values {};
            for (std::size_t i = 0; i < candidates.size(); ++i)
                values[i] = candidates[i][element] + shift[i];
            std::ranges::sort(values);
            x[element] = (values[1] + values[2]) / 2;
        }
        return x;
    }

    const LayeredPiece& m_piece;
    Links m_links;
    const RankOrder& m_order;
    std::vector<std::int32_t> m_above; ///< by element: the one above that it must stand under, or -1
    std::vector<std::int32_t> m_below;
    std::vector<bool> m_conflict; ///< by segment: must not be straight
    std::vector<std::int32_t> m_root; ///< by element: first element of its block
};

/// Moves everything so that the spine is at 0 and puts entry and exit there: alone in their ranks, they may stand
/// anywhere.
void anchorAtSpine(const LayeredPiece& piece, const std::vector<std::int32_t>& spine, std::vector<double>& x)
{
    const double origin = spine.empty() ? 0.0 : x[at(spine.back())];
    for (double& value : x)
        value -= origin;
    for (const std::int32_t element : { piece.entry, piece.exit }) {
        if (element >= 0)
            x[at(element)] = 0;
    }
}

} // namespace

std::vector<double> placeInRanks(
    const LayeredPiece& piece, const Links& links, const RankOrder& order, std::stop_token stop)
{
    const std::vector<std::int32_t> spine = findSpine(piece, links);
    std::vector<double> x = Placer(piece, links, order, spine).run(stop);
    straighten(piece, links, order, spine, x, stop);
    anchorAtSpine(piece, spine, x);
    return x;
}

} // namespace arenascope::layout
