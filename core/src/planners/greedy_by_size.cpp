// SPDX-License-Identifier: MIT
#include "core/src/planners/greedy.h"
#include "core/src/planners/strategy.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning {

namespace {

enum class BirthOrder { EarlierFirst, LaterFirst };

std::vector<std::size_t> orderBySize(std::span<const Item> items, BirthOrder birth)
{
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (items[a].size != items[b].size)
            return items[a].size > items[b].size;
        const Step bornA = items[a].live.begin;
        const Step bornB = items[b].live.begin;
        if (bornA != bornB)
            return birth == BirthOrder::EarlierFirst ? bornA < bornB : bornA > bornB;
        return items[a].name < items[b].name;
    });
    return order;
}

class GreedyBySize final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {
            "greedy-by-size", "Greedy by size",
            "Places buffers from the largest to the smallest, each at the lowest offset that is free for its whole life."};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                       const ProgressFn&) const override
    {
        const auto items = itemsOf(problem);
        if (!items)
            return items.error();
        const auto packing = packBySize(*items, stop);
        if (!packing)
            return packing.error();
        Plan plan;
        plan.placements.resize(items->size());
        for (std::size_t i = 0; i < items->size(); ++i)
            plan.placements[i].offset = packing->offsets[i];
        return plan;
    }
};

} // namespace

Result<Packing> packInOrder(FirstFit& fit, std::span<const Item> items, std::span<const std::size_t> order,
                            const std::stop_token& stop)
{
    fit.clear();
    if (auto fixed = fit.placeFixed(); !fixed)
        return fixed.error();
    for (const std::size_t i : order) {
        if (stop.stop_requested())
            return cancelled();
        if (!items[i].fixedOffset && !fit.place(i))
            return sizeOverflow(items[i].name);
    }
    return Packing{fit.offsets(), fit.top()};
}

Result<Packing> packBySize(std::span<const Item> items, const std::stop_token& stop)
{
    FirstFit fit(items);
    const auto order = orderBySize(items, BirthOrder::EarlierFirst);
    auto best = packInOrder(fit, items, order, stop);
    if (!best || best->size == lowerBound(items))
        return best;
    const auto otherOrder = orderBySize(items, BirthOrder::LaterFirst);
    if (otherOrder == order)
        return best;
    auto other = packInOrder(fit, items, otherOrder, stop);
    if (!other || other->size < best->size)
        return other;
    return best;
}

const Planner& greedyBySizePlanner()
{
    static const GreedyBySize kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
