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

constexpr std::size_t kMostBuffers = 4096;
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
    explicit CrowdFinder(const PlacementProblem& problem) : m_problem(problem), m_order(problem.buffers.size())
    {
        for (std::size_t i = 0; i < m_order.size(); ++i)
            m_order[i] = BufferId::fromIndex(i);
        std::stable_sort(m_order.begin(), m_order.end(), [&](BufferId a, BufferId b) {
            return problem.buffer(a).live.begin < problem.buffer(b).live.begin;
        });
    }

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
        std::vector<std::size_t> placeOf(m_order.size());
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
            for (const BufferId other : m_problem.conflicts.of(m_order[i]))
                after[i].reset(placeOf[other.index()]);
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
    std::vector<BufferId> m_order; // by birth
};

} // namespace

std::vector<BufferId> heaviestCrowd(const PlacementProblem& problem)
{
    if (problem.conflicts.isEmpty() || problem.buffers.size() > kMostBuffers || naiveBytes(problem) >= kMostBytes)
        return {};
    std::vector<BufferId> crowd = CrowdFinder(problem).heaviest();
    const Bytes bytes = std::accumulate(crowd.begin(), crowd.end(), Bytes(0),
                                        [&](Bytes sum, BufferId id) { return sum + problem.reserved(id); });
    return bytes > liveProfile(problem).peak ? crowd : std::vector<BufferId>();
}

} // namespace arenascope::detail
