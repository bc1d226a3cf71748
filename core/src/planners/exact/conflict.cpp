// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/conflict.h"

#include "core/src/planners/greedy.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning::exact {

namespace {

/// Fits, CannotFit (proven) or Unknown.
Answer fits(std::span<const Item> items, Bytes capacity, const Limits& limits, std::int64_t nodes)
{
    if (lowerBound(items) > capacity)
        return Answer::CannotFit;
    const auto packing = packBySize(items, {});
    if (packing && packing->size <= capacity)
        return Answer::Fits;
    Answer all = Answer::Fits;
    for (const Instance& instance : makeInstances(items)) {
        if (!hasPairs(instance))
            return Answer::Unknown;
        Minimiser minimiser(instance, std::vector<Units>(instance.blocks.size(), capacity / instance.unit + 1));
        Answer answer = Answer::Unknown;
        while (answer == Answer::Unknown && minimiser.nodes() < nodes && !limits.isOver())
            answer = minimiser.decide(capacity / instance.unit, limits);
        if (answer == Answer::CannotFit)
            return answer;
        if (answer != Answer::Fits)
            all = Answer::Unknown;
    }
    return all;
}

} // namespace

Conflict shrinkConflict(std::span<const Item> items, Bytes capacity, const Limits& limits, std::int64_t nodesPerTrial)
{
    Conflict conflict;
    conflict.isIrreducible = true;
    conflict.items.resize(items.size());
    std::iota(conflict.items.begin(), conflict.items.end(), std::size_t{0});
    // Small and short-lived items are left out first: those that matter remain.
    std::vector<std::size_t> trials = conflict.items;
    std::stable_sort(trials.begin(), trials.end(), [&](std::size_t a, std::size_t b) {
        const auto area = [&](std::size_t i) {
            return static_cast<double>(items[i].size) * static_cast<double>(items[i].live.length());
        };
        return area(a) < area(b);
    });
    for (const std::size_t candidate : trials) {
        std::vector<Item> rest;
        for (const std::size_t i : conflict.items) {
            if (i != candidate)
                rest.push_back(items[i]);
        }
        const Answer answer = fits(rest, capacity, limits, nodesPerTrial);
        if (answer == Answer::CannotFit)
            std::erase(conflict.items, candidate);
        else if (answer != Answer::Fits)
            conflict.isIrreducible = false;
    }
    return conflict;
}

} // namespace arenascope::planning::exact
