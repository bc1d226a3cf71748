// SPDX-License-Identifier: MIT
#include "core/src/planners/greedy.h"

#include <algorithm>

namespace arenascope::planning {

namespace {

/// Numbers by step, summed up to and with it.
class Running {
public:
    void add(Step step, Bytes value) { m_sums.emplace_back(step, value); }
    void finish()
    {
        std::sort(m_sums.begin(), m_sums.end());
        Bytes sum = 0;
        for (auto& [step, value] : m_sums)
            value = sum += value;
    }
    Bytes upTo(Step step) const
    {
        const auto above = std::partition_point(m_sums.begin(), m_sums.end(),
                                                [step](const auto& entry) { return entry.first <= step; });
        return above == m_sums.begin() ? 0 : std::prev(above)->second;
    }

private:
    std::vector<std::pair<Step, Bytes>> m_sums;
};

/// By item: the sum of weight(other) over the items whose lives meet its own (itself among them, which changes no order
/// by number): all that are born before its end, without those that have died when it is born. Items that must lie apart
/// all the same count as well. Gaps are not looked at.
/// Sums of sizes fit 63 bits: problems are checked when they are made; weights are cut where bare ones were not.
/// O(n log n).
template <class Weight>
Keys conflictsOf(std::span<const Item> items, Weight weight)
{
    Running born;
    Running died;
    for (const Item& item : items) {
        if (item.live.length() <= 0)
            continue;
        born.add(item.live.begin, weight(item));
        died.add(item.live.end, weight(item));
    }
    born.finish();
    died.finish();
    Keys keys;
    keys.reserve(items.size());
    for (const Item& item : items) {
        keys.push_back(item.live.length() > 0 ? born.upTo(item.live.end - 1) - died.upTo(item.live.begin) : 0);
        for (const BufferId other : item.apart)
            keys.back() += weight(items[other.index()]);
    }
    return keys;
}

/// Source: `greedy_by_conflicts` of Apache TVM's unified static memory planner, which counts the buffers alive at the same
/// time; bytes are a second opinion.
class GreedyByConflicts final : public GreedyStrategy {
public:
    PlannerInfo info() const override
    {
        return {"greedy-by-conflicts", "Greedy by conflicts",
                "Places buffers that share their time with the most others (or with the most bytes) first, the smaller "
                "arena wins."};
    }

protected:
    void tryOrders(OrderTrial& trial, std::span<const Item> items, const std::stop_token& stop) const override
    {
        // No more than 2^62 bytes in all, so that nothing overflows whatever the sizes are.
        const Bytes most = (Bytes(1) << 62) / std::max<Bytes>(static_cast<Bytes>(items.size()), 1);
        const auto bytes = [most](const Item& item) { return std::min(item.size, most); };
        if (attemptBothTies(trial, items, conflictsOf(items, [](const Item&) { return Bytes(1); }), stop))
            attemptBothTies(trial, items, conflictsOf(items, bytes), stop);
    }
};

} // namespace

const Planner& greedyByConflictsPlanner()
{
    static const GreedyByConflicts kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
