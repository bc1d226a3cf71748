// SPDX-License-Identifier: MIT
#include "core/src/planners/greedy.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning {

namespace {

/// A stretch of steps between two births or deaths: what is alive does not change within it.
struct Section {
    Step begin = 0;
    Bytes breadth = 0; ///< live bytes
};

/// Sections with their breadths, by time. O(n log n), whatever the number of steps.
std::vector<Section> sectionsOf(std::span<const Item> items)
{
    std::vector<std::pair<Step, Bytes>> changes;
    for (const Item& item : items) {
        if (item.live.length() <= 0)
            continue;
        changes.emplace_back(item.live.begin, item.size);
        changes.emplace_back(item.live.end, -item.size);
    }
    std::sort(changes.begin(), changes.end());
    std::vector<Section> sections;
    Bytes live = 0;
    for (const auto& [step, bytes] : changes) {
        live += bytes;
        if (!sections.empty() && sections.back().begin == step)
            sections.back().breadth = live;
        else
            sections.push_back({step, live});
    }
    return sections;
}

/// By item: the rank of the broadest section that it is alive in (0: the broadest of all), so that placing items by
/// this key is the same as visiting sections from the broadest on and placing what is new there. O(n log n).
std::vector<std::size_t> broadestSectionOf(std::span<const Item> items)
{
    const std::vector<Section> sections = sectionsOf(items);
    std::vector<std::size_t> byBreadth(sections.size());
    std::iota(byBreadth.begin(), byBreadth.end(), std::size_t{0});
    std::stable_sort(byBreadth.begin(), byBreadth.end(),
                     [&](std::size_t a, std::size_t b) { return sections[a].breadth > sections[b].breadth; });
    std::vector<std::size_t> rank(sections.size());
    for (std::size_t i = 0; i < byBreadth.size(); ++i)
        rank[byBreadth[i]] = i;

    // Sparse table of minima of `rank`: two look-ups an item.
    std::vector<std::vector<std::size_t>> minima{rank};
    for (std::size_t width = 2; width <= rank.size(); width *= 2) {
        const auto& half = minima.back();
        std::vector<std::size_t> level(rank.size() - width + 1);
        for (std::size_t i = 0; i < level.size(); ++i)
            level[i] = std::min(half[i], half[i + width / 2]);
        minima.push_back(std::move(level));
    }
    const auto sectionAt = [&](Step step) {
        const auto it = std::partition_point(sections.begin(), sections.end(),
                                             [step](const Section& s) { return s.begin < step; });
        return static_cast<std::size_t>(it - sections.begin());
    };
    std::vector<std::size_t> broadest(items.size(), sections.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].live.length() <= 0)
            continue;
        const std::size_t first = sectionAt(items[i].live.begin);
        const std::size_t last = sectionAt(items[i].live.end);
        std::size_t level = 0;
        while ((std::size_t{2} << level) <= last - first)
            ++level;
        broadest[i] = std::min(minima[level][first], minima[level][last - (std::size_t{1} << level)]);
    }
    return broadest;
}

class GreedyByBreadth final : public GreedyStrategy {
public:
    PlannerInfo info() const override
    {
        return {
            "greedy-by-breadth", "Greedy by breadth",
            "Visits the steps with the most live bytes first and places what is alive there from the largest to the smallest."};
    }

protected:
    /// Source: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, section 4.2, with
    /// offsets in place of shared objects.
    void tryOrders(OrderTrial& trial, std::span<const Item> items, const std::stop_token& stop) const override
    {
        attemptBothTies(trial, items, breadthKeys(items), stop);
    }
};

} // namespace

Keys breadthKeys(std::span<const Item> items)
{
    Keys keys;
    keys.reserve(items.size());
    for (const std::size_t rank : broadestSectionOf(items))
        keys.push_back(-static_cast<Bytes>(rank));
    return keys;
}

const Planner& greedyByBreadthPlanner()
{
    static const GreedyByBreadth kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
