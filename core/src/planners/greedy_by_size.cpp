// SPDX-License-Identifier: MIT
#include "core/src/planners/greedy.h"

namespace arenascope::planning {

namespace {

class GreedyBySize final : public GreedyStrategy {
public:
    PlannerInfo info() const override
    {
        return {
            "greedy-by-size", "Greedy by size",
            "Places buffers from the largest to the smallest, each at the lowest offset that is free for its whole life."};
    }

protected:
    void tryOrders(OrderTrial& trial, std::span<const Item> items, const std::stop_token& stop) const override
    {
        attemptBothTies(trial, items, Keys(items.size(), 0), stop);
    }
};

} // namespace

const Planner& greedyBySizePlanner()
{
    static const GreedyBySize kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
