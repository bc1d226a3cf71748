// SPDX-License-Identifier: MIT
// Averaging four alignments leaves small kinks, and parts that no alignment has fixed stand anywhere. Here runs of
// elements that stand below each other are moved as wholes to where their connections are shortest and most of them are
// straight.
#include "core/src/layout/layered_piece.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::layout {
namespace {

constexpr double kStraight = 0.5; ///< closer than this counts as straight
constexpr double kStraightBonus = 40; ///< what a straight connection is worth, in lengths
constexpr int kRounds = 4;
constexpr std::size_t kMostCandidates = 12; ///< connections of a run that are tried as its new place

std::size_t at(std::int32_t element)
{
    return static_cast<std::size_t>(element);
}

class Straightener {
public:
    Straightener(const LayeredPiece& piece, const Links& links, const RankOrder& order, std::vector<double>& x)
        : m_piece(piece)
        , m_links(links)
        , m_order(order)
        , m_x(x)
        , m_runOf(piece.size(), -1)
    {
    }

    void run(const std::vector<std::int32_t>& spine, const std::stop_token& stop)
    {
        findRuns();
        std::vector<bool> isFixed(m_runs.size(), false);
        for (const std::int32_t element : spine)
            isFixed[at(m_runOf[at(element)])] = true;
        for (int round = 0; round < kRounds && !stop.stop_requested(); ++round) {
            bool any = false;
            for (std::size_t i = 0; i < m_runs.size(); ++i) {
                if (i % 1024 == 0 && stop.stop_requested())
                    return;
                const std::size_t index = round % 2 == 0 ? i : m_runs.size() - 1 - i;
                if (!isFixed[index])
                    any |= moveRun(m_runs[index], static_cast<std::int32_t>(index));
            }
            if (!any && round > 0)
                return;
        }
    }

private:
    /// Straight connections between elements that have no other on that side, and between bends, hold runs together.
    void findRuns()
    {
        for (const auto& rank : m_order.ranks) {
            for (const std::int32_t element : rank) {
                const std::int32_t above = partnerAbove(element);
                std::int32_t& own = m_runOf[at(element)];
                if (above >= 0) {
                    own = m_runOf[at(above)];
                    m_runs[at(own)].push_back(element);
                    continue;
                }
                own = static_cast<std::int32_t>(m_runs.size());
                m_runs.push_back({ element });
            }
        }
    }

    std::int32_t partnerAbove(std::int32_t element) const
    {
        for (const std::int32_t s : m_links.up[at(element)]) {
            const std::int32_t upper = m_piece.segments[at(s)].upper;
            const bool isOnly = m_links.up[at(element)].size() == 1 && m_links.down[at(upper)].size() == 1;
            const bool areBends = m_piece.isBend(element) && m_piece.isBend(upper);
            if ((isOnly || areBends) && std::abs(m_x[at(element)] - m_x[at(upper)]) < kStraight
                && m_runs[at(m_runOf[at(upper)])].back() == upper)
                return upper;
        }
        return -1;
    }

    bool moveRun(const std::vector<std::int32_t>& run, std::int32_t index)
    {
        collectWishes(run, index);
        if (m_wishes.empty())
            return false;
        double low = -std::numeric_limits<double>::infinity();
        double high = std::numeric_limits<double>::infinity();
        for (const std::int32_t element : run)
            limit(element, low, high);
        low = std::min(low, 0.0);
        high = std::max(high, 0.0);
        double best = 0;
        double least = cost(0);
        std::ranges::sort(m_wishes);
        const std::size_t step = m_wishes.size() / kMostCandidates + 1;
        for (std::size_t i = step / 2; i < m_wishes.size(); i += step) {
            const double shift = std::clamp(m_wishes[i], low, high);
            if (const double now = cost(shift); now < least - 1e-6) {
                least = now;
                best = shift;
            }
        }
        for (const std::int32_t element : run)
            m_x[at(element)] += best;
        return best != 0;
    }

    /// How far the run would have to move for each of its connections to be straight.
    void collectWishes(const std::vector<std::int32_t>& run, std::int32_t index)
    {
        m_wishes.clear();
        const auto add = [&](std::int32_t element, std::int32_t other) {
            if (m_runOf[at(other)] != index)
                m_wishes.push_back(m_x[at(other)] - m_x[at(element)]);
        };
        for (const std::int32_t element : run) {
            for (const std::int32_t s : m_links.up[at(element)])
                add(element, m_piece.segments[at(s)].upper);
            for (const std::int32_t s : m_links.down[at(element)])
                add(element, m_piece.segments[at(s)].lower);
        }
    }

    double cost(double shift) const
    {
        double sum = 0;
        for (const double wish : m_wishes) {
            const double length = std::abs(wish - shift);
            sum += length < kStraight ? length - kStraightBonus : length;
        }
        return sum;
    }

    /// Room of an element between its neighbours.
    void limit(std::int32_t element, double& low, double& high) const
    {
        const auto& rank = m_order.ranks[at(m_piece.rank(element))];
        const std::size_t place = at(m_order.position[at(element)]);
        if (place > 0) {
            const std::int32_t left = rank[place - 1];
            low = std::max(low, m_x[at(left)] + separation(m_piece, left, element) - m_x[at(element)]);
        }
        if (place + 1 < rank.size()) {
            const std::int32_t right = rank[place + 1];
            high = std::min(high, m_x[at(right)] - separation(m_piece, element, right) - m_x[at(element)]);
        }
    }

    const LayeredPiece& m_piece;
    const Links& m_links;
    const RankOrder& m_order;
    std::vector<double>& m_x;
    std::vector<std::vector<std::int32_t>> m_runs; ///< elements from top to bottom, in ranks that follow each other
    std::vector<std::int32_t> m_runOf; ///< by element
    std::vector<double> m_wishes;
};

} // namespace

void straighten(const LayeredPiece& piece, const Links& links, const RankOrder& order,
    const std::vector<std::int32_t>& spine, std::vector<double>& x, const std::stop_token& stop)
{
    Straightener(piece, links, order, x).run(spine, stop);
}

} // namespace arenascope::layout
