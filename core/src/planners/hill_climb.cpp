// SPDX-License-Identifier: MIT
// Permutes the order in which first fit places buffers, around those that touch the peak.
//
// Idea: the hill climbing of Arm's Vela and of Apache TVM's memory planner. What makes the arena as large as it is are the
// buffers that end at its top, and what has pushed them up are buffers that meet them in time and were placed earlier. So
// one of the former is placed before one of the latter, or a pusher changes its place with one that has pushed it. A new
// order is kept when its arena is not larger than the arena was a number of orders ago (late acceptance: Burke and Bykov,
// "The Late Acceptance Hill-Climbing Heuristic", 2017), which leads out of plateaus and small valleys without any
// temperature to tune.
#include "core/src/planners/greedy.h"
#include "core/src/planners/skyline_order.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

namespace arenascope::planning {

namespace {

/// Positions of a search that nobody gave a budget: a fraction of a second.
constexpr std::int64_t kDefaultNodes = 400'000;
constexpr std::uint32_t kSeed = 20170701;
constexpr std::size_t kMemory = 40; ///< orders that are looked back

using Clock = std::chrono::steady_clock;

/// The standard's engine is the same everywhere, its distributions are not.
class Dice {
public:
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(m_engine() % bound); }

private:
    std::mt19937_64 m_engine{kSeed};
};

class Climb {
public:
    /// `bound`: no arena is smaller.
    Climb(std::span<const Item> items, Bytes bound, const PlannerOptions& options, std::stop_token stop, const ProgressFn& progress)
        : m_items(items)
        , m_options(options)
        , m_stop(std::move(stop))
        , m_progress(progress)
        , m_fit(items)
        , m_bound(bound)
        , m_rank(items.size())
    {
        m_budget = options.nodeBudget.value_or(options.timeBudgetSeconds ? std::numeric_limits<std::int64_t>::max()
                                                                         : kDefaultNodes);
    }

    Result<Plan> run();

private:
    std::optional<Error> start();
    void tryStart(const std::vector<std::size_t>& order);
    void climb();
    bool isOver() const;
    double usedShare() const;
    bool place(const std::vector<std::size_t>& order, Bytes limit);
    bool change(std::vector<std::size_t>& order);
    std::size_t pusherOf(std::size_t item);
    void keepBest();
    Plan bestPlan() const;
    double seconds() const { return std::chrono::duration<double>(Clock::now() - m_begin).count(); }

    std::span<const Item> m_items;
    const PlannerOptions& m_options;
    const std::stop_token m_stop;
    const ProgressFn& m_progress;
    const Clock::time_point m_begin = Clock::now();
    FirstFit m_fit;
    const Bytes m_bound;
    std::int64_t m_budget = 0;
    std::int64_t m_nodes = 0;
    Dice m_dice;

    std::vector<std::size_t> m_order;   // accepted
    Packing m_current;                  // of m_order
    std::vector<std::size_t> m_rank;    // by item: its place in m_order
    Packing m_best;
    std::vector<std::size_t> m_scratch;
    std::optional<Error> m_failure;     // of the last order that could not be placed
};

void Climb::tryStart(const std::vector<std::size_t>& order)
{
    auto packing = packInOrder(m_fit, m_items, order, m_stop);
    m_nodes += static_cast<std::int64_t>(order.size());
    if (!packing) {
        m_failure = packing.error();
        return;
    }
    if (!m_order.empty() && packing->size >= m_current.size)
        return;
    m_current = std::move(packing).value();
    m_order = order;
}

/// Begins with the best of the orders by size, by breadth and of best fit; fixed items are in no order.
std::optional<Error> Climb::start()
{
    const Keys sizes(m_items.size(), 0);
    const Keys breadths = breadthKeys(m_items);
    for (const BirthOrder birth : {BirthOrder::EarlierFirst, BirthOrder::LaterFirst}) {
        tryStart(orderByKeys(m_items, sizes, birth));
        tryStart(orderByKeys(m_items, breadths, birth));
    }
    forEachSkylineOrder(m_items, m_stop, [this](const std::vector<std::size_t>& order) {
        tryStart(order);
        return m_current.size > m_bound;
    });
    if (m_order.empty() && !m_items.empty())
        return m_failure;
    std::erase_if(m_order, [this](std::size_t i) { return m_items[i].fixedOffset.has_value(); });
    m_best = m_current;
    keepBest();
    return std::nullopt;
}

bool Climb::isOver() const
{
    return m_best.size <= m_bound || m_nodes >= m_budget || m_stop.stop_requested()
        || (m_options.capacity && m_best.size <= *m_options.capacity)
        || (m_options.timeBudgetSeconds && seconds() >= *m_options.timeBudgetSeconds);
}

double Climb::usedShare() const
{
    const double nodes = static_cast<double>(m_nodes) / static_cast<double>(m_budget);
    return std::min(1.0, m_options.timeBudgetSeconds ? std::max(nodes, seconds() / *m_options.timeBudgetSeconds) : nodes);
}

/// Packs an order into m_fit. False, at once, when the arena gets larger than the limit, or when stopped.
bool Climb::place(const std::vector<std::size_t>& order, Bytes limit)
{
    m_fit.clear();
    if (!m_fit.placeFixed())
        return false;
    for (const std::size_t i : order) {
        ++m_nodes;
        if (m_stop.stop_requested() || !m_fit.place(i) || m_fit.top() > limit)
            return false;
    }
    return true;
}

void Climb::keepBest()
{
    if (m_options.onIncumbent)
        m_options.onIncumbent(bestPlan());
}

/// A buffer that meets `item`, or must lie apart from it, and is placed before it, by chance; the item itself if there is
/// none. O(n).
std::size_t Climb::pusherOf(std::size_t item)
{
    m_scratch.clear();
    const std::span earlier(m_order.data(), m_rank[item]);
    for (const std::size_t other : earlier) {
        if (m_items[other].live.meets(m_items[item].live))
            m_scratch.push_back(other);
    }
    for (const BufferId other : m_items[item].apart) {
        if (!m_items[other.index()].fixedOffset && m_rank[other.index()] < m_rank[item])
            m_scratch.push_back(other.index());
    }
    return m_scratch.empty() ? item : m_scratch[m_dice.below(m_scratch.size())];
}

/// Moves one item to an earlier place. False if nothing that touches the peak can move.
bool Climb::change(std::vector<std::size_t>& order)
{
    std::vector<std::size_t> touching;
    for (const std::size_t i : m_order) {
        if (m_current.offsets[i] + m_items[i].size == m_current.size && m_items[i].size > 0)
            touching.push_back(i);
    }
    if (touching.empty())
        return false;
    std::size_t moved = touching[m_dice.below(touching.size())];
    std::size_t before = pusherOf(moved);
    // One step further back: not the buffer at the top but one below it is what lies badly.
    while (before != moved && m_dice.below(2) == 0) {
        const std::size_t further = pusherOf(before);
        if (further == before)
            break;
        moved = before;
        before = further;
    }
    if (before == moved)
        return false;
    const auto at = [&](std::size_t item) { return order.begin() + static_cast<std::ptrdiff_t>(m_rank[item]); };
    if (m_dice.below(2) == 0)
        std::rotate(at(before), at(moved), at(moved) + 1);
    else
        std::iter_swap(at(before), at(moved));
    return true;
}

void Climb::climb()
{
    std::vector<Bytes> late(kMemory, m_current.size);
    std::vector<std::size_t> order;
    for (std::size_t turn = 0; !isOver(); ++turn) {
        if (m_progress)
            m_progress(usedShare(), "Hill climbing");
        for (std::size_t place = 0; place < m_order.size(); ++place)
            m_rank[m_order[place]] = place;
        order = m_order;
        if (!change(order)) {
            ++m_nodes; // or an order in which nothing can move would never end
            continue;
        }
        Bytes& before = late[turn % kMemory];
        if (place(order, std::max(before, m_current.size))) {
            m_order.swap(order);
            m_current = {m_fit.offsets(), m_fit.top()};
        }
        before = m_current.size;
        if (m_current.size < m_best.size) {
            m_best = m_current;
            keepBest();
        }
    }
}

Plan Climb::bestPlan() const
{
    Plan plan = planOf(m_best.offsets);
    plan.strategy = "hill-climb";
    plan.chosen = plan.strategy;
    plan.arenaSize = m_best.size;
    plan.provenBound = m_bound;
    plan.nodes = m_nodes;
    plan.planningSeconds = seconds();
    plan.completion = Completion::BestKnown;
    if (m_best.size <= m_bound)
        plan.completion = Completion::Optimal;
    else if (m_stop.stop_requested())
        plan.completion = Completion::Interrupted;
    return plan;
}

Result<Plan> Climb::run()
{
    if (auto error = start())
        return *error;
    climb();
    return bestPlan();
}

class HillClimb final : public Strategy {
public:
    PlannerInfo info() const override
    {
        PlannerInfo about{"hill-climb", "Hill climbing",
                          "Changes the order in which buffers are placed around those that touch the peak, again and again."};
        about.isSearch = true;
        return about;
    }

protected:
    bool keepsApart() const override { return true; }
    /// Runs on one thread. Cancelled while the first orders are placed, it has no plan yet and says so.
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                       const ProgressFn& progress) const override
    {
        const auto items = itemsOf(problem);
        if (!items)
            return items.error();
        return Climb(*items, std::max(lowerBound(*items), problem.crowdBytes), options, stop, progress).run();
    }
};

} // namespace

const Planner& hillClimbPlanner()
{
    static const HillClimb kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
