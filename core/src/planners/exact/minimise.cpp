// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/minimise.h"

#include "core/src/planners/exact/orders.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace arenascope::planning::exact {

namespace {

constexpr std::int64_t kFirstBudget = 1000;
constexpr int kMaxDoublings = 40;
/// The bound alone is tried in the first rounds: on most networks it is reached at once.
constexpr int kRoundsAtBound = 4;

Units topOf(const Instance& instance, std::span<const Units> offsets)
{
    Units top = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i)
        top = std::max(top, offsets[i] + instance.blocks[i].size);
    return std::max(top, instance.bound); // what is fixed counts as well
}

} // namespace

/// What the threads of a round share.
struct RoundState {
    RoundState(std::size_t tasks, std::int64_t nodes)
        : answered(tasks)
        , budget(nodes)
    {
    }
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> answered; ///< the first task with an answer; those after it are of no use
    const std::int64_t budget;
};

/// A search that goes on from round to round while its target stays.
struct Minimiser::Slot {
    Slot(const Instance& instance, std::span<const std::int32_t> order, const Rules& rules)
        : search(instance, order, rules)
    {
    }
    Search search;
    Units target = -1;
    Answer answer = Answer::Unknown;
};

Minimiser::Minimiser(const Instance& instance, std::vector<Units> offsets, Rules rules)
    : m_instance(&instance)
    , m_rules(rules)
    , m_orders(makeOrders(instance))
    , m_offsets(std::move(offsets))
    , m_top(topOf(instance, m_offsets))
    , m_bound(instance.bound)
{
}

Minimiser::~Minimiser() = default;
Minimiser::Minimiser(Minimiser&&) noexcept = default;
Minimiser& Minimiser::operator=(Minimiser&&) noexcept = default;

/// How hard a target is does not fall steadily with its height, so that some between bound and top are tried beside the
/// bound; lower ones are worth more and come first.
std::vector<Units> Minimiser::targetsFrom(Units floor) const
{
    std::vector<Units> targets{floor};
    if (m_round < kRoundsAtBound)
        return targets;
    const Units gap = m_top - floor;
    for (const Units part : {gap / 4, gap / 2, gap * 3 / 4, gap - 1}) {
        if (floor + part > targets.back() && floor + part < m_top)
            targets.push_back(floor + part);
    }
    return targets;
}

bool Minimiser::improve(Units floor, const Limits& limits)
{
    const Units lowest = std::max(floor, m_bound);
    if (m_top <= lowest)
        return false;
    const Units bound = m_bound;
    const Units top = m_top;
    runRound(targetsFrom(lowest), limits);
    return bound != m_bound || top != m_top;
}

Answer Minimiser::decide(Units target, const Limits& limits)
{
    if (m_top <= target)
        return Answer::Fits;
    if (target < m_bound)
        return Answer::CannotFit;
    return runRound(std::span(&target, 1), limits);
}

Answer Minimiser::runRound(std::span<const Units> targets, const Limits& limits)
{
    const std::size_t tasks = targets.size() * m_orders.size();
    while (m_slots.size() < tasks)
        m_slots.push_back(std::make_unique<Slot>(*m_instance, m_orders[m_slots.size() % m_orders.size()], m_rules));
    const std::int64_t share = std::max<std::int64_t>(limits.nodes / static_cast<std::int64_t>(tasks), 1);
    RoundState round{tasks, std::min(kFirstBudget << std::min(m_round, kMaxDoublings), share)};
    ++m_round;
    {
        std::vector<std::jthread> helpers;
        const auto threads = std::min(tasks, static_cast<std::size_t>(std::max(limits.threads, 1)));
        Limits quiet = limits;
        quiet.tick = {};
        for (std::size_t i = 1; i < threads; ++i)
            helpers.emplace_back([&] { work(targets, quiet, round); });
        work(targets, limits, round);
    }
    // How far later tasks came depends on the machine; what they have counted and remember must not.
    const std::size_t counted = std::min(round.answered + 1, tasks);
    bool isExhausted = true;
    for (std::size_t task = 0; task < counted; ++task) {
        m_nodes += m_slots[task]->search.nodes();
        isExhausted = isExhausted && m_slots[task]->answer == Answer::CannotFit;
    }
    for (std::size_t task = counted; task < m_slots.size(); ++task)
        m_slots[task]->search.forget();
    if (round.answered == tasks) {
        m_isExhausted = isExhausted;
        return Answer::Unknown;
    }
    take(*m_slots[round.answered]);
    return m_slots[round.answered]->answer;
}

/// Takes task after task; one thread of a round.
void Minimiser::work(std::span<const Units> targets, const Limits& limits, RoundState& round)
{
    for (std::size_t task = round.next++; task < round.answered; task = round.next++) {
        Slot& slot = *m_slots[task];
        slot.target = targets[task / m_orders.size()];
        slot.answer = slot.search.run(slot.target, round.budget, [&] {
            if (limits.tick)
                limits.tick();
            return task > round.answered || limits.isOver();
        });
        const bool isProof = slot.answer == Answer::CannotFit && m_instance->isComplete;
        if (slot.answer != Answer::Fits && !isProof)
            continue;
        std::size_t first = round.answered;
        while (task < first && !round.answered.compare_exchange_weak(first, task)) { }
    }
}

void Minimiser::offer(std::vector<Units> offsets)
{
    const Units top = topOf(*m_instance, offsets);
    if (top >= m_top)
        return;
    m_top = top;
    m_offsets = std::move(offsets);
}

void Minimiser::take(const Slot& slot)
{
    if (slot.answer == Answer::CannotFit)
        m_bound = std::max(m_bound, slot.target + 1);
    else
        offer(slot.search.offsets());
}

} // namespace arenascope::planning::exact
