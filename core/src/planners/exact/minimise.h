// SPDX-License-Identifier: MIT
// The smallest arena: which targets are tried, in which order, by how many threads.
#pragma once

#include "core/src/planners/exact/search.h"

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>

namespace arenascope::planning::exact {

struct Limits {
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::int64_t nodes = std::numeric_limits<std::int64_t>::max(); ///< left for the round; whole tasks are counted
    int threads = 1;
    std::stop_token stop;
    std::function<void()> tick; ///< called now and then by the thread that asked for the round; may be empty

    bool isOver() const
    {
        return nodes <= 0 || stop.stop_requested() || std::chrono::steady_clock::now() >= deadline;
    }
};

/// Narrows the gap between what is proven and what is known for one instance, a round at a time. A round tries some
/// targets, each by all orders, with a node budget that doubles from round to round. What a round finds does not depend on
/// which thread was quicker: of its tasks, the first in their order that has an answer counts.
class Minimiser {
public:
    /// `offsets`: a packing to begin with, by block.
    Minimiser(const Instance& instance, std::vector<Units> offsets, Rules rules = {});
    ~Minimiser();
    Minimiser(Minimiser&&) noexcept;
    Minimiser& operator=(Minimiser&&) noexcept;

    Units bound() const { return m_bound; } ///< no packing is lower
    Units top() const { return m_top; }     ///< of the best packing
    const std::vector<Units>& offsets() const { return m_offsets; }
    bool isSolved() const { return m_top <= m_bound; }
    /// Nothing is left to try below the top, yet nothing is proven (the instance is not complete).
    bool isExhausted() const { return m_isExhausted; }
    std::int64_t nodes() const { return m_nodes; } ///< of tasks that counted

    /// Takes a packing that was found elsewhere, by block, if it is lower.
    void offer(std::vector<Units> offsets);
    /// One round. `floor`: packings below it are of no use (another instance needs as much).
    /// True if the top or the bound has changed.
    bool improve(Units floor, const Limits& limits);
    /// One round for one target only: Fits (the packing is kept if it is better), CannotFit (the bound is raised) or Unknown.
    Answer decide(Units target, const Limits& limits);

private:
    struct Slot;
    std::vector<Units> targetsFrom(Units floor) const;
    Answer runRound(std::span<const Units> targets, const Limits& limits);
    void work(std::span<const Units> targets, const Limits& limits, struct RoundState& round);
    void take(const Slot& slot);

    const Instance* m_instance = nullptr;
    Rules m_rules;
    std::vector<std::vector<std::int32_t>> m_orders;
    std::vector<std::unique_ptr<Slot>> m_slots; ///< one a target and order
    std::vector<Units> m_offsets;
    Units m_top = 0;
    Units m_bound = 0;
    int m_round = 0;
    bool m_isExhausted = false;
    std::int64_t m_nodes = 0;
};

} // namespace arenascope::planning::exact
