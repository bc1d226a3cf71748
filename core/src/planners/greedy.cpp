// SPDX-License-Identifier: MIT
#include "core/src/planners/greedy.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning {

Result<Packing> packInOrder(FirstFit& fit, std::span<const Item> items, std::span<const std::size_t> order,
                            const std::stop_token& stop, Fit rule)
{
    fit.clear();
    if (auto fixed = fit.placeFixed(); !fixed)
        return fixed.error();
    for (const std::size_t i : order) {
        if (stop.stop_requested())
            return cancelled();
        if (items[i].fixedOffset)
            continue;
        if (!(rule == Fit::Lowest ? fit.place(i) : fit.placeTightest(i)))
            return sizeOverflow(items[i].name);
    }
    return Packing{fit.offsets(), fit.top()};
}

OrderTrial::OrderTrial(std::span<const Item> items)
    : m_items(items)
    , m_fit(items)
    , m_bound(lowerBound(items))
{
}

bool OrderTrial::attempt(const std::vector<std::size_t>& order, const std::stop_token& stop, Fit rule)
{
    auto packing = packInOrder(m_fit, m_items, order, stop, rule);
    if (!packing && packing.error().code != ErrorCode::SizeOverflow) {
        m_best = std::move(packing);
        return false;
    }
    const bool isBetter = !m_best || (packing && (!*m_best || packing->size < (*m_best)->size));
    if (isBetter)
        m_best = std::move(packing);
    return !*m_best || (*m_best)->size > m_bound;
}

Result<Packing> OrderTrial::best() &&
{
    assert(m_best && "no order was tried");
    return std::move(*m_best);
}

std::vector<std::size_t> orderByKeys(std::span<const Item> items, const Keys& keys, BirthOrder birth)
{
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (keys[a] != keys[b])
            return keys[a] > keys[b];
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

bool attemptBothTies(OrderTrial& trial, std::span<const Item> items, const Keys& keys, const std::stop_token& stop,
                     Fit rule)
{
    const auto order = orderByKeys(items, keys, BirthOrder::EarlierFirst);
    if (!trial.attempt(order, stop, rule))
        return false;
    const auto otherOrder = orderByKeys(items, keys, BirthOrder::LaterFirst);
    return otherOrder == order || trial.attempt(otherOrder, stop, rule);
}

Result<Packing> packBySize(std::span<const Item> items, const std::stop_token& stop)
{
    OrderTrial trial(items);
    attemptBothTies(trial, items, Keys(items.size(), 0), stop);
    return std::move(trial).best();
}

Result<Plan> GreedyStrategy::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                                   const ProgressFn&) const
{
    const auto items = itemsOf(problem);
    if (!items)
        return items.error();
    OrderTrial trial(*items);
    tryOrders(trial, *items, stop);
    const auto packing = std::move(trial).best();
    if (!packing)
        return packing.error();
    return planOf(packing->offsets);
}

} // namespace arenascope::planning
