// SPDX-License-Identifier: MIT
// Every buffer its own bytes.
#include "core/src/planners/items.h"
#include "core/src/planners/strategy.h"

#include <algorithm>

namespace arenascope::planning {

namespace {

class Naive final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {"naive", "Naive", "Every buffer has bytes of its own; nothing is shared."};
    }

protected:
    bool keepsApart() const override { return true; }
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                       const ProgressFn&) const override;
};

/// Fixed buffers keep their offsets, all others follow above them in order. O(n).
Result<Plan> Naive::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                          const ProgressFn&) const
{
    const auto items = itemsOf(problem);
    if (!items)
        return items.error();
    Plan plan;
    plan.placements.resize(items->size());
    Offset top = 0;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const Item& item = (*items)[i];
        if (!item.fixedOffset)
            continue;
        const auto end = checkedAdd(*item.fixedOffset, item.size);
        if (!end)
            return sizeOverflow(item.name);
        plan.placements[i].offset = *item.fixedOffset;
        top = std::max(top, *end);
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
        const Item& item = (*items)[i];
        if (item.fixedOffset)
            continue;
        if (stop.stop_requested())
            return cancelled();
        const auto offset = checkedAlignUp(top, item.alignment);
        const auto end = offset ? checkedAdd(*offset, item.size) : std::nullopt;
        if (!end)
            return sizeOverflow(item.name);
        plan.placements[i].offset = *offset;
        top = *end;
    }
    return plan;
}

} // namespace

const Planner& naivePlanner()
{
    static const Naive kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
