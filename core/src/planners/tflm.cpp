// SPDX-License-Identifier: MIT
// What TensorFlow Lite Micro's own planner will do on the device, byte for byte.
//
// Source: GreedyMemoryPlanner and MicroAllocator of tensorflow/tflite-micro: sizes are rounded up to 16; buffers with an
// offline offset are placed first and not checked against each other; the rest follow from the largest to the smallest,
// of equal sizes the one that was added later, each into the lowest gap that is large enough among those placed before
// that are alive at the same time. Its times are closed, [first, last]; ours are [first, last + 1). It lets the network's
// inputs be born one step before the first operator, which changes no overlap.
#include "core/src/planners/first_fit.h"
#include "core/src/planners/strategy.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning {

namespace {

constexpr Bytes kTflmAlignment = 16;

class Tflm final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {"tflm", "TensorFlow Lite Micro",
                "The plan that TensorFlow Lite Micro's greedy planner makes on the device, byte for byte."};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions& options, std::stop_token stop,
                       const ProgressFn& progress) const override;
};

/// What that runtime's planner cannot know of.
std::optional<Error> unsupportedByTflm(const Item& item, Bytes unit)
{
    if (!item.gaps.empty())
        return unsupported("tflm", "A gap", item.name, "Choose greedy-by-size, or plan without gaps (networks: --alias inplace).");
    if (unit % item.alignment != 0)
        return unsupported("tflm", "Alignment to " + std::to_string(item.alignment), item.name,
                           "Choose greedy-by-size, or align all buffers alike.");
    return std::nullopt;
}

/// Items with the sizes that the runtime plans with. Errors: Unsupported, SizeOverflow.
Result<std::vector<Item>> tflmItems(const PlacementProblem& problem)
{
    auto items = itemsOf(problem);
    const auto unit = leastCommonMultiple(kTflmAlignment, std::max<Bytes>(problem.alignment, 1));
    if (!items)
        return items;
    if (!unit)
        return sizeOverflow("alignment");
    for (Item& item : *items) {
        if (auto error = unsupportedByTflm(item, *unit))
            return *error;
        const auto size = checkedAlignUp(item.size, *unit);
        if (!size)
            return sizeOverflow(item.name);
        item.size = *size;
        item.alignment = 1; // multiples of the unit come by themselves, above offline offsets as these are
    }
    return items;
}

Result<Plan> Tflm::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                         const ProgressFn&) const
{
    const auto items = tflmItems(problem);
    if (!items)
        return items.error();
    FirstFit fit(*items);
    if (auto fixed = fit.placeFixed(FixedRule::AsGiven); !fixed)
        return fixed.error();
    std::vector<std::size_t> order(items->size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0}); // later ones first
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return (*items)[a].size > (*items)[b].size; });
    for (const std::size_t i : order) {
        if (stop.stop_requested())
            return cancelled();
        if (!(*items)[i].fixedOffset && !fit.place(i))
            return sizeOverflow((*items)[i].name);
    }
    Plan plan = planOf(fit.offsets());
    plan.arenaSize = fit.top(); // with the last buffer's padding, as the runtime counts it
    return plan;
}

} // namespace

const Planner& tflmPlanner()
{
    static const Tflm kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
