// SPDX-License-Identifier: MIT
// Crossing reduction by barycentres (Sugiyama, Tagawa and Toda 1981), crossings counted with a binary indexed tree
// (Barth, Juenger and Mutzel 2002).
#include "core/src/layout/layered_piece.h"

#include <algorithm>
#include <numeric>

namespace arenascope::layout {
namespace {

class Orderer {
public:
    Orderer(const LayeredPiece& piece, const Links& links, std::stop_token stop)
        : m_piece(piece)
        , m_links(links)
        , m_stop(std::move(stop))
        , m_key(piece.size(), 0.0)
    {
        m_order.ranks.resize(static_cast<std::size_t>(piece.rankCount));
        m_order.position.assign(piece.size(), -1);
    }

    RankOrder run()
    {
        depthFirst();
        RankOrder best = m_order;
        std::int64_t fewest = crossings();
        const int sweeps = m_piece.size() > 20000 ? 4 : m_piece.size() > 3000 ? 8 : 24;
        for (int sweep = 0, idle = 0; sweep < sweeps && fewest > 0 && idle < 8 && !m_stop.stop_requested(); ++sweep) {
            sweepOnce(sweep % 2 == 0, sweep % 4 >= 2);
            transpose();
            ++idle;
            if (const std::int64_t now = crossings(); now < fewest) {
                fewest = now;
                best = m_order;
                idle = 0;
            }
        }
        best.crossings = fewest;
        return best;
    }

    RankOrder byKey(const std::vector<std::int32_t>& key)
    {
        std::vector<std::int32_t> sorted(m_piece.size());
        std::iota(sorted.begin(), sorted.end(), 0);
        std::ranges::stable_sort(
            sorted, {}, [&](std::int32_t element) { return key[static_cast<std::size_t>(element)]; });
        std::ranges::for_each(sorted, [&](std::int32_t element) { put(element); });
        m_order.crossings = crossings();
        return std::move(m_order);
    }

private:
    const Segment& segment(std::int32_t s) const { return m_piece.segments[static_cast<std::size_t>(s)]; }
    std::int32_t& position(std::int32_t element) { return m_order.position[static_cast<std::size_t>(element)]; }

    void put(std::int32_t element)
    {
        auto& rank = m_order.ranks[static_cast<std::size_t>(m_piece.rank(element))];
        position(element) = static_cast<std::int32_t>(rank.size());
        rank.push_back(element);
    }

    /// Branches of a fork stay together: series-parallel parts come out without any crossing.
    void depthFirst()
    {
        std::vector<std::int32_t> stack;
        for (std::size_t start = 0; start < m_piece.size(); ++start) {
            if (!m_links.up[start].empty())
                continue;
            stack.push_back(static_cast<std::int32_t>(start));
            while (!stack.empty()) {
                const std::int32_t element = stack.back();
                stack.pop_back();
                if (position(element) >= 0)
                    continue;
                put(element);
                const auto below = m_links.down[static_cast<std::size_t>(element)];
                for (auto s = below.rbegin(); s != below.rend(); ++s)
                    stack.push_back(segment(*s).lower);
            }
        }
    }

    void sweepOnce(bool down, bool tiesReversed)
    {
        const auto count = m_order.ranks.size();
        for (std::size_t step = 1; step < count && !m_stop.stop_requested(); ++step)
            sortRank(m_order.ranks[down ? step : count - 1 - step], down, tiesReversed);
    }

    /// Elements without neighbours on that side keep their places; the others share the rest in order of their
    /// barycentres.
    void sortRank(std::vector<std::int32_t>& rank, bool down, bool tiesReversed)
    {
        m_movable.clear();
        m_places.clear();
        for (std::size_t place = 0; place < rank.size(); ++place) {
            const std::int32_t element = rank[place];
            const auto segments = (down ? m_links.up : m_links.down)[static_cast<std::size_t>(element)];
            if (segments.empty())
                continue;
            double sum = 0;
            for (const std::int32_t s : segments)
                sum += position(down ? segment(s).upper : segment(s).lower);
            m_key[static_cast<std::size_t>(element)] = sum / static_cast<double>(segments.size());
            m_movable.push_back(element);
            m_places.push_back(place);
        }
        const auto less = [&](std::int32_t a, std::int32_t b) {
            return m_key[static_cast<std::size_t>(a)] < m_key[static_cast<std::size_t>(b)];
        };
        if (tiesReversed)
            std::reverse(m_movable.begin(), m_movable.end());
        std::stable_sort(m_movable.begin(), m_movable.end(), less);
        for (std::size_t i = 0; i < m_movable.size(); ++i) {
            rank[m_places[i]] = m_movable[i];
            position(m_movable[i]) = static_cast<std::int32_t>(m_places[i]);
        }
    }

    /// Swaps neighbours while that saves crossings, a few times along each rank (Gansner and others 1993).
    void transpose()
    {
        constexpr int kRounds = 4;
        for (int round = 0; round < kRounds && !m_stop.stop_requested(); ++round) {
            bool any = false;
            for (auto& rank : m_order.ranks)
                any |= transposeRank(rank);
            if (!any)
                return;
        }
    }

    bool transposeRank(std::vector<std::int32_t>& rank)
    {
        bool any = false;
        for (std::size_t i = 1; i < rank.size(); ++i) {
            const std::int32_t left = rank[i - 1];
            const std::int32_t right = rank[i];
            if (gain(left, right, true) + gain(left, right, false) <= 0)
                continue;
            std::swap(rank[i - 1], rank[i]);
            std::swap(position(left), position(right));
            any = true;
        }
        return any;
    }

    /// Crossings saved if `left` and `right`, neighbours in a rank, were swapped.
    std::int64_t gain(std::int32_t left, std::int32_t right, bool above)
    {
        constexpr std::size_t kMostEnds = 256; // a hub is not worth the time
        const auto& links = above ? m_links.up : m_links.down;
        const auto ofLeft = links[static_cast<std::size_t>(left)];
        const auto ofRight = links[static_cast<std::size_t>(right)];
        if (ofLeft.empty() || ofRight.empty() || ofLeft.size() + ofRight.size() > kMostEnds)
            return 0;
        sortEnds(ofLeft, above, m_leftEnds);
        sortEnds(ofRight, above, m_rightEnds);
        return inversions(m_leftEnds, m_rightEnds) - inversions(m_rightEnds, m_leftEnds);
    }

    void sortEnds(std::span<const std::int32_t> segments, bool above, std::vector<std::int32_t>& ends)
    {
        ends.clear();
        for (const std::int32_t s : segments)
            ends.push_back(position(above ? segment(s).upper : segment(s).lower));
        std::ranges::sort(ends);
    }

    /// Pairs of an end in `a` and a smaller one in `b`.
    static std::int64_t inversions(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b)
    {
        std::int64_t sum = 0;
        std::size_t smaller = 0;
        for (const std::int32_t end : a) {
            while (smaller < b.size() && b[smaller] < end)
                ++smaller;
            sum += static_cast<std::int64_t>(smaller);
        }
        return sum;
    }

    std::int64_t crossings()
    {
        std::int64_t sum = 0;
        for (std::size_t rank = 0; rank + 1 < m_order.ranks.size(); ++rank)
            sum += crossingsBelow(rank);
        return sum;
    }

    /// Pairs of segments whose ends are in opposite order: inversions of the lower ends, read by upper ends.
    std::int64_t crossingsBelow(std::size_t rank)
    {
        const std::size_t width = m_order.ranks[rank + 1].size();
        m_tree.assign(width + 1, 0);
        std::int64_t sum = 0;
        std::int64_t inserted = 0;
        for (const std::int32_t element : m_order.ranks[rank]) {
            m_ends.clear();
            for (const std::int32_t s : m_links.down[static_cast<std::size_t>(element)])
                m_ends.push_back(position(segment(s).lower));
            for (const std::int32_t end : m_ends) {
                std::int64_t notAbove = 0;
                for (auto i = static_cast<std::size_t>(end) + 1; i > 0; i &= i - 1)
                    notAbove += m_tree[i];
                sum += inserted - notAbove;
            }
            for (const std::int32_t end : m_ends) {
                for (auto i = static_cast<std::size_t>(end) + 1; i <= width; i += i & (~i + 1))
                    ++m_tree[i];
            }
            inserted += static_cast<std::int64_t>(m_ends.size());
        }
        return sum;
    }

    const LayeredPiece& m_piece;
    const Links& m_links;
    std::stop_token m_stop;
    RankOrder m_order;
    std::vector<double> m_key;
    std::vector<std::int32_t> m_movable;
    std::vector<std::size_t> m_places;
    std::vector<std::int32_t> m_ends;
    std::vector<std::int32_t> m_leftEnds;
    std::vector<std::int32_t> m_rightEnds;
    std::vector<std::int64_t> m_tree;
};

} // namespace

RankOrder orderRanks(const LayeredPiece& piece, const Links& links, std::stop_token stop)
{
    return Orderer(piece, links, std::move(stop)).run();
}

RankOrder orderByKey(const LayeredPiece& piece, const Links& links, const std::vector<std::int32_t>& key)
{
    return Orderer(piece, links, {}).byKey(key);
}

} // namespace arenascope::layout
