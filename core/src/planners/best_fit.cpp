// SPDX-License-Identifier: MIT
// Best fit: always fills the lowest place that there is (see skyline_order.h).
//
// The skyline only decides the order: each buffer then goes to its lowest free offset, so that holes under the skyline
// are used, and fixed offsets, alignments and gaps are kept. Where buffers are not too many, a last trial goes by size,
// each into the tightest hole (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020,
// section 5.2). The smallest arena of all trials wins.
#include "core/src/planners/greedy.h"
#include "core/src/planners/skyline_order.h"

namespace arenascope::planning {

namespace {

/// Tightest holes need a look at all holes, which takes seconds for tens of thousands of buffers.
constexpr std::size_t kMostForTightest = 5000;

class BestFit final : public GreedyStrategy {
public:
    PlannerInfo info() const override
    {
        return {"best-fit", "Best fit",
                "Fills the lowest place of the skyline with the best buffer that lives wholly within it; several rules for "
                "the best are tried."};
    }

protected:
    void tryOrders(OrderTrial& trial, std::span<const Item> items, const std::stop_token& stop) const override
    {
        const bool goOn = forEachSkylineOrder(items, stop, [&](const auto& order) { return trial.attempt(order, stop); });
        if (goOn && items.size() <= kMostForTightest)
            attemptBothTies(trial, items, Keys(items.size(), 0), stop, Fit::Tightest);
    }
};

} // namespace

const Planner& bestFitPlanner()
{
    static const BestFit kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
