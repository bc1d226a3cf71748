// SPDX-License-Identifier: MIT
// The heaviest set of buffers of which no two may share bytes: "A is done before B begins" is a partial order, and such a set
// is an antichain of it. Only pairs with nothing in between are handed on.
#include "core/src/analysis/conflicts.h"
#include "core/src/graph/antichain.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace arenascope::detail {

namespace {

constexpr std::size_t kMostAtOnce = 4096; ///< buffers that are looked at together; where there are more:
constexpr std::size_t kWindow = 1024;     ///< so many that are born one after the other,
constexpr std::size_t kStride = 512;      ///< and again so many further on
constexpr Bytes kMostBytes = Bytes(1) << 60; ///< in all

/// A set of small numbers.
class Bits {
public:
    explicit Bits(std::size_t size) : m_words((size + 63) / 64, 0) {}
    void set(std::size_t i) { m_words[i / 64] |= std::uint64_t(1) << (i % 64); }
    void reset(std::size_t i) { m_words[i / 64] &= ~(std::uint64_t(1) << (i % 64)); }
    bool test(std::size_t i) const { return (m_words[i / 64] >> (i % 64) & 1) != 0; }
    void add(const Bits& other)
    {
        for (std::size_t w = 0; w < m_words.size(); ++w)
            m_words[w] |= other.m_words[w];
    }
    /// The members in order.
    template <class Visit>
    void forEach(Visit&& visit) const
    {
        for (std::size_t w = 0; w < m_words.size(); ++w) {
            for (std::uint64_t left = m_words[w]; left != 0; left &= left - 1)
                visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }

private:
    std::vector<std::uint64_t> m_words;
};

class CrowdFinder {
public:
    /// `order`: some of the buffers, by birth.
    CrowdFinder(const PlacementProblem& problem, std::span<const BufferId> order) : m_problem(problem), m_order(order) {}

    std::vector<BufferId> heaviest() const
    {
        std::vector<Bytes> weights;
        for (const BufferId id : m_order)
            weights.push_back(m_problem.reserved(id));
        std::vector<BufferId> crowd;
        for (const std::size_t i : heaviestAntichain(weights, nextOnes()))
            crowd.push_back(m_order[i]);
        std::stable_sort(crowd.begin(), crowd.end(), [&](BufferId a, BufferId b) {
            return m_problem.reserved(a) != m_problem.reserved(b) ? m_problem.reserved(a) > m_problem.reserved(b) : a < b;
        });
        return crowd;
    }

private:
    /// By place in m_order: what begins when this one is done.
    std::vector<Bits> successors() const
    {
        std::vector<std::size_t> placeOf(m_problem.buffers.size(), m_order.size());
        for (std::size_t i = 0; i < m_order.size(); ++i)
            placeOf[m_order[i].index()] = i;
        std::vector<Bits> after(m_order.size(), Bits(m_order.size()));
        for (std::size_t i = 0; i < m_order.size(); ++i) {
            const Step end = m_problem.buffer(m_order[i]).live.end;
            const auto first = std::partition_point(m_order.begin(), m_order.end(), [&](BufferId id) {
                return m_problem.buffer(id).live.begin < end;
            });
            for (auto next = static_cast<std::size_t>(first - m_order.begin()); next < m_order.size(); ++next) {
                if (next != i)
                    after[i].set(next);
            }
            for (const BufferId other : m_problem.conflicts.of(m_order[i])) {
                if (placeOf[other.index()] < m_order.size())
                    after[i].reset(placeOf[other.index()]);
            }
        }
        return after;
    }

    /// The same, without those that come after another one of them.
    std::vector<std::vector<std::size_t>> nextOnes() const
    {
        const std::vector<Bits> after = successors();
        std::vector<std::vector<std::size_t>> next(m_order.size());
        for (std::size_t i = 0; i < m_order.size(); ++i) {
            Bits known(m_order.size());
            after[i].forEach([&](std::size_t other) {
                if (known.test(other))
                    return;
                next[i].push_back(other);
                known.add(after[other]);
            });
        }
        return next;
    }

    const PlacementProblem& m_problem;
    std::span<const BufferId> m_order;
};

std::vector<BufferId> byBirth(const PlacementProblem& problem)
{
    std::vector<BufferId> order;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i)
        order.push_back(BufferId::fromIndex(i));
    std::stable_sort(order.begin(), order.end(), [&](BufferId a, BufferId b) {
        return problem.buffer(a).live.begin < problem.buffer(b).live.begin;
    });
    return order;
}

} // namespace

std::vector<BufferId> heaviestCrowd(const PlacementProblem& problem)
{
    if (problem.conflicts.isEmpty() || naiveBytes(problem) >= kMostBytes)
        return {};
    const std::vector<BufferId> order = byBirth(problem);
    const std::size_t window = order.size() <= kMostAtOnce ? order.size() : kWindow;
    std::vector<BufferId> heaviest;
    Bytes most = liveProfile(problem).peak;
    for (std::size_t first = 0; first == 0 || first + window < order.size() + kStride; first += kStride) {
        const auto some = std::span(order).subspan(first, std::min(window, order.size() - first));
        std::vector<BufferId> crowd = CrowdFinder(problem, some).heaviest();
        const Bytes bytes = std::accumulate(crowd.begin(), crowd.end(), Bytes(0),
                                            [&](Bytes sum, BufferId id) { return sum + problem.reserved(id); });
        if (bytes <= most)
            continue;
        most = bytes;
        heaviest = std::move(crowd);
    }
    return heaviest;
}

} // namespace arenascope::detail
