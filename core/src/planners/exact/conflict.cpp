// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/conflict.h"

#include "core/src/planners/greedy.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning::exact {

namespace {

struct NeededAtOnce {
    std::vector<std::pair<Bytes, std::size_t>> items; ///< bytes needed, item
    Bytes total = 0;
};

NeededAtOnce neededAt(std::span<const Item> items, Step step)
{
    NeededAtOnce needed;
    for (std::size_t i = 0; i < items.size(); ++i) {
        forEachPiece(items[i], [&](const Piece& piece) {
            if (!piece.steps.contains(step))
                return;
            needed.items.emplace_back(piece.high - piece.low, i);
            needed.total += piece.high - piece.low;
        });
    }
    return needed;
}

/// The first step at which most bytes are needed.
Step peakStepOf(std::span<const Item> items)
{
    std::vector<std::pair<Step, Bytes>> changes;
    for (const Item& item : items) {
        forEachPiece(item, [&changes](const Piece& piece) {
            changes.emplace_back(piece.steps.begin, piece.high - piece.low);
            changes.emplace_back(piece.steps.end, piece.low - piece.high);
        });
    }
    std::sort(changes.begin(), changes.end());
    Bytes live = 0;
    Bytes peak = 0;
    Step step = 0;
    for (const auto& [when, bytes] : changes) {
        live += bytes;
        if (live > peak) {
            peak = live;
            step = when;
        }
    }
    return step;
}

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

Conflict conflictAtPeak(std::span<const Item> items, Bytes capacity)
{
    NeededAtOnce needed = neededAt(items, peakStepOf(items));
    if (needed.total <= capacity)
        return {};
    // From the smallest on, whatever the rest can spare: then the rest without any one of them is within the capacity.
    std::sort(needed.items.begin(), needed.items.end());
    Conflict conflict;
    conflict.isIrreducible = true;
    for (const auto& [bytes, item] : needed.items) {
        if (needed.total - bytes > capacity)
            needed.total -= bytes;
        else
            conflict.items.push_back(item);
    }
    std::sort(conflict.items.begin(), conflict.items.end());
    return conflict;
}

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
