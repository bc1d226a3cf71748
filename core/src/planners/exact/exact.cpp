// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/conflict.h"
#include "core/src/planners/exact/minimise.h"
#include "core/src/planners/exact/windows.h"
#include "core/src/planners/greedy.h"
#include "core/src/planners/skyline_order.h"
#include "core/src/planners/strategy.h"

#include <algorithm>
#include <thread>

namespace arenascope::planning {

namespace {

using exact::Instance;
using exact::Limits;
using exact::Minimiser;
using exact::Units;

constexpr double kDefaultSeconds = 10.0;
constexpr std::int64_t kNodesPerTrial = 20'000;
/// With more items than this a better packing to begin with is worth more than the time that it takes.
constexpr std::size_t kMany = 5000;

/// One run of the search over all instances of a problem.
class Run {
public:
    Run(const std::vector<Item>& items, Packing packing, const PlannerOptions& options, std::stop_token stop,
        const ProgressFn& progress)
        : m_items(items)
        , m_offsets(std::move(packing.offsets))
        , m_options(options)
        , m_progress(progress)
        , m_begin(std::chrono::steady_clock::now())
        , m_instances(exact::makeInstances(items))
        , m_windows(items, m_instances, m_offsets)
    {
        m_limits.stop = std::move(stop);
        m_limits.threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
        // A node budget alone makes the same plan on every machine.
        if (options.timeBudgetSeconds || !options.nodeBudget) {
            m_seconds = options.timeBudgetSeconds.value_or(kDefaultSeconds);
            constexpr double kLongest = 1e9;
            m_limits.deadline = m_begin
                + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                    std::chrono::duration<double>(std::clamp(m_seconds, 0.0, kLongest)));
        }
        m_limits.tick = [this] { report(); };
        m_bound = fixedTop();
        for (const Instance& instance : m_instances) {
            m_bound = std::max(m_bound, instance.bound * instance.unit);
            m_minimisers.emplace_back(instance, offsetsOf(instance));
        }
    }

    Plan minimise()
    {
        m_top = topOfAll();
        announce();
        while (m_top > m_bound && !isOver()) {
            Minimiser* highest = next();
            if (!highest)
                break;
            if (isLarge(*highest))
                lowerByWindows(*highest, [&] { m_windows.improve(m_bound, m_limits); });
            if (hasPairs(*highest) && m_top > m_bound && !isOver() && highest->improve(m_bound / unitOf(*highest), m_limits))
                takeOver(*highest);
        }
        Plan plan = planNow();
        plan.completion = m_top <= m_bound                    ? Completion::Optimal
            : m_limits.stop.stop_requested() ? Completion::Interrupted
                                             : Completion::BestKnown;
        return plan;
    }

    Plan decide(Bytes capacity)
    {
        m_top = topOfAll();
        CapacityVerdict verdict = m_bound > capacity ? CapacityVerdict::CannotFit : CapacityVerdict::Unknown;
        while (verdict == CapacityVerdict::Unknown && m_top > capacity && !isOver()) {
            Minimiser* highest = next();
            if (!highest)
                break;
            if (isLarge(*highest))
                lowerByWindows(*highest, [&] { m_windows.lowerTo(capacity, m_limits); });
            if (!hasPairs(*highest) || m_top <= capacity)
                continue;
            const auto answer = highest->decide(capacity / unitOf(*highest), m_limits);
            takeOver(*highest);
            if (answer == exact::Answer::CannotFit)
                verdict = CapacityVerdict::CannotFit;
        }
        if (m_top <= capacity)
            verdict = CapacityVerdict::Fits;
        Plan plan = planNow();
        plan.verdict = verdict;
        plan.completion = m_top <= m_bound                    ? Completion::Optimal
            : m_limits.stop.stop_requested() ? Completion::Interrupted
                                             : Completion::BestKnown;
        if (verdict == CapacityVerdict::CannotFit)
            explain(plan, capacity);
        return plan;
    }

private:
    Bytes fixedTop() const
    {
        Bytes top = 0;
        for (const Item& item : m_items) {
            if (item.fixedOffset)
                top = std::max(top, *item.fixedOffset + item.size);
        }
        return top;
    }

    std::vector<Units> offsetsOf(const Instance& instance) const
    {
        std::vector<Units> offsets;
        for (const exact::Block& block : instance.blocks)
            offsets.push_back(m_offsets[block.item] / instance.unit);
        return offsets;
    }

    Units unitOf(const Minimiser& minimiser) const
    {
        return instanceOf(minimiser).unit;
    }

    const Instance& instanceOf(const Minimiser& minimiser) const
    {
        return m_instances[static_cast<std::size_t>(&minimiser - m_minimisers.data())];
    }

    bool hasPairs(const Minimiser& minimiser) const { return exact::hasPairs(instanceOf(minimiser)); }
    bool isLarge(const Minimiser& minimiser) const { return exact::isLarge(instanceOf(minimiser)); }

    Bytes topOf(const Minimiser& minimiser) const
    {
        if (hasPairs(minimiser))
            return minimiser.top() * unitOf(minimiser);
        Bytes top = 0;
        for (const exact::Block& block : instanceOf(minimiser).blocks)
            top = std::max(top, m_offsets[block.item] + m_items[block.item].size);
        return top;
    }

    Bytes topOfAll() const
    {
        Bytes top = fixedTop();
        for (const Minimiser& minimiser : m_minimisers)
            top = std::max(top, topOf(minimiser));
        return top;
    }

    /// The instance that makes the arena as large as it is; null where nothing more can be tried there.
    Minimiser* next()
    {
        const auto highest = std::max_element(m_minimisers.begin(), m_minimisers.end(),
                                              [this](const Minimiser& a, const Minimiser& b) { return topOf(a) < topOf(b); });
        const bool isExhausted = (!hasPairs(*highest) || highest->isExhausted()) && (!isLarge(*highest) || m_windows.isExhausted());
        return isExhausted ? nullptr : &*highest;
    }

    template <class Round>
    void lowerByWindows(Minimiser& minimiser, Round round)
    {
        round();
        if (hasPairs(minimiser))
            minimiser.offer(offsetsOf(instanceOf(minimiser)));
        const Bytes before = m_top;
        m_top = topOfAll();
        if (m_top < before)
            announce();
    }

    void takeOver(const Minimiser& minimiser)
    {
        const Instance& instance = instanceOf(minimiser);
        for (std::size_t i = 0; i < instance.blocks.size(); ++i)
            m_offsets[instance.blocks[i].item] = minimiser.offsets()[i] * instance.unit;
        m_bound = std::max(m_bound, minimiser.bound() * instance.unit);
        const Bytes top = topOfAll();
        const bool isBetter = top < m_top;
        m_top = top;
        if (isBetter)
            announce();
    }

    bool isOver()
    {
        if (m_options.nodeBudget)
            m_limits.nodes = *m_options.nodeBudget - nodes();
        return m_limits.isOver();
    }

    std::int64_t nodes() const
    {
        std::int64_t sum = m_windows.nodes();
        for (const Minimiser& minimiser : m_minimisers)
            sum += minimiser.nodes();
        return sum;
    }

    Plan planNow() const
    {
        Plan plan;
        plan.strategy = plan.chosen = "exact";
        plan.placements.resize(m_items.size());
        for (std::size_t i = 0; i < m_items.size(); ++i)
            plan.placements[i].offset = m_offsets[i];
        plan.arenaSize = m_top;
        plan.provenBound = m_bound;
        plan.completion = Completion::BestKnown;
        plan.nodes = nodes();
        plan.planningSeconds = secondsSoFar();
        return plan;
    }

    void announce() const
    {
        if (m_options.onIncumbent)
            m_options.onIncumbent(planNow());
    }

    double secondsSoFar() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    }

    void report() const
    {
        if (m_progress)
            m_progress(m_seconds > 0.0 ? std::min(secondsSoFar() / m_seconds, 1.0) : -1.0, "searching");
    }

    /// What exceeds the capacity at one step is found by what all strategies share; this is for the rest.
    void explain(Plan& plan, Bytes capacity)
    {
        if (lowerBound(m_items) > capacity)
            return;
        const exact::Conflict conflict = exact::shrinkConflict(m_items, capacity, m_limits, kNodesPerTrial);
        plan.isConflictIrreducible = conflict.isIrreducible;
        for (const std::size_t item : conflict.items)
            plan.conflict.push_back(BufferId::fromIndex(item));
    }

    const std::vector<Item>& m_items;
    std::vector<Offset> m_offsets; // by item
    const PlannerOptions& m_options;
    const ProgressFn& m_progress;
    const std::chrono::steady_clock::time_point m_begin;
    const std::vector<Instance> m_instances;
    exact::WindowImprover m_windows;     // of m_offsets
    std::vector<Minimiser> m_minimisers; // by instance
    Limits m_limits;
    double m_seconds = 0.0;
    Bytes m_top = 0;
    Bytes m_bound = 0;
};

/// Where the search begins. A trial that is begun is ended, also when stopped: a search always has a plan.
Result<Packing> firstPacking(std::span<const Item> items, const std::stop_token& stop)
{
    if (items.size() <= kMany)
        return packBySize(items, {});
    OrderTrial trial(items);
    if (attemptBothTies(trial, items, Keys(items.size(), 0), {}) && !stop.stop_requested()
        && attemptBothTies(trial, items, breadthKeys(items), {}) && !stop.stop_requested()) {
        forEachSkylineOrder(items, {}, [&](const auto& order) { return trial.attempt(order, {}) && !stop.stop_requested(); });
    }
    return std::move(trial).best();
}

/// Branch and bound (see exact/search.h) from the greedy plan down to the proven bound, or as far as the budget goes.
class Exact final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {"exact", "Exact search",
                "Searches for the smallest arena there is, proves it where it can, and keeps the best plan so far.", false, true};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                       const ProgressFn& progress) const override
    {
        const auto items = itemsOf(problem);
        if (!items)
            return items.error();
        auto packing = firstPacking(*items, stop);
        if (!packing)
            return packing.error();
        Run run(*items, *std::move(packing), options, std::move(stop), progress);
        return options.capacity ? run.decide(*options.capacity) : run.minimise();
    }
};

} // namespace

const Planner& exactPlanner()
{
    static const Exact kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
