// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/orders.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace arenascope::planning::exact {

namespace {

/// What an order looks at, largest first.
using Key = std::array<double, 3>;

/// For each block, the largest sum of sizes in any of its sections.
std::vector<double> crowdsOf(const Instance& instance)
{
    std::vector<Units> total(static_cast<std::size_t>(instance.sections) + 1, 0);
    for (const Span& span : instance.spans) {
        total[static_cast<std::size_t>(span.first)] += span.high - span.low;
        total[static_cast<std::size_t>(span.last)] -= span.high - span.low;
    }
    std::inclusive_scan(total.begin(), total.end(), total.begin());
    std::vector<double> crowds;
    for (const Block& block : instance.blocks)
        crowds.push_back(static_cast<double>(*std::max_element(total.begin() + block.first, total.begin() + block.last)));
    return crowds;
}

} // namespace

std::vector<std::vector<std::int32_t>> makeOrders(const Instance& instance)
{
    const std::vector<double> crowds = crowdsOf(instance);
    enum Measure { Life, Area, Crowd, Size };
    const auto measure = [&](std::size_t i, Measure what) {
        const Block& block = instance.blocks[i];
        switch (what) {
        case Life: return static_cast<double>(block.life);
        case Area: return static_cast<double>(block.life) * static_cast<double>(block.size);
        case Crowd: return crowds[i];
        case Size: break;
        }
        return static_cast<double>(block.size);
    };
    constexpr std::array<std::array<Measure, 3>, 4> kOrders
        = {{{Crowd, Life, Area}, {Life, Area, Crowd}, {Crowd, Area, Life}, {Area, Crowd, Size}}};
    std::vector<std::vector<std::int32_t>> orders;
    for (const auto& measures : kOrders) {
        std::vector<Key> keys;
        for (std::size_t i = 0; i < instance.blocks.size(); ++i)
            keys.push_back({measure(i, measures[0]), measure(i, measures[1]), measure(i, measures[2])});
        std::vector<std::int32_t> order(instance.blocks.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&keys](std::int32_t a, std::int32_t b) {
            return keys[static_cast<std::size_t>(a)] > keys[static_cast<std::size_t>(b)];
        });
        if (std::find(orders.begin(), orders.end(), order) == orders.end())
            orders.push_back(std::move(order));
    }
    return orders;
}

} // namespace arenascope::planning::exact
