// SPDX-License-Identifier: MIT
// What TensorFlow Lite Micro's own planner will do on the device, byte for byte.
//
// Source: GreedyMemoryPlanner, MicroAllocator and AllocationInfoBuilder of tensorflow/tflite-micro: sizes are rounded up to
// 16; buffers with an offline offset are placed first and not checked against each other; the rest follow from the largest to
// the smallest, of equal sizes the one that was added later, each into the lowest gap that is large enough among those placed
// before that are alive at the same time. Added are the tensors of all sub-graphs in the order of the file.
//
// Its times are closed, and the first operator runs at 1; ours are half-open, and it runs at 0:
//
//     time there   -1    0    1    2
//     step here    -2   -1    0    1
//     idle          i                          what nothing touches lives at -1 alone, all at once
//     scratch       s    s    s                what nothing makes lives from -1 to its last reader
//     input              a    a                network inputs are born at 0; ours at the first operator, which is the same
//     output                  b    b
#include "core/src/planners/first_fit.h"
#include "core/src/planners/strategy.h"

#include <algorithm>
#include <limits>
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
    if (!item.gaps.empty() && !item.fixedOffset) // what is placed already does not have to fit around others
        return unsupported("tflm", "A gap", item.name, "Choose greedy-by-size, or plan without gaps (networks: --alias inplace).");
    if (unit % item.alignment != 0)
        return unsupported("tflm", "Alignment to " + std::to_string(item.alignment), item.name,
                           "Choose greedy-by-size, or align all buffers alike.");
    return std::nullopt;
}

/// An item, and what decides in which order the runtime learns of it.
struct Added {
    Item item;
    bool isIdle = false;
    std::size_t index = 0; ///< in the problem's list of buffers, or of idle ones
    std::int64_t tensor = 0; ///< its first tensor; what is no tensor comes after all of them
};

std::int64_t firstTensorOf(const Buffer& buffer)
{
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const AliasMember& member : buffer.tensors)
        first = std::min<std::int64_t>(first, member.tensor.value());
    return first;
}

/// Steps of a buffer as that runtime counts them (see above). Nothing is known of how often scratch is used.
LiveRange tflmRange(const Buffer& buffer)
{
    const bool isScratch = buffer.kind == BufferKind::Tensors && buffer.uses == 0 && buffer.live.begin == 0;
    return {isScratch ? -2 : buffer.live.begin, buffer.live.end};
}

/// What the runtime adds, in its order, with the sizes that it plans with. Errors: Unsupported, SizeOverflow.
Result<std::vector<Added>> addedBuffers(const PlacementProblem& problem)
{
    const auto items = itemsOf(problem);
    const auto unit = leastCommonMultiple(kTflmAlignment, std::max<Bytes>(problem.alignment, 1));
    if (!items)
        return items.error();
    if (!unit)
        return sizeOverflow("alignment");
    std::vector<Added> added;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const Buffer& buffer = problem.buffers[i];
        added.push_back({(*items)[i], false, i, firstTensorOf(buffer)});
        added.back().item.live = tflmRange(buffer);
        if (!buffer.fixedOffset)
            added.back().item.fixedOffset = buffer.fileOffset;
        if (auto error = unsupportedByTflm(added.back().item, *unit))
            return *error;
    }
    for (std::size_t i = 0; i < problem.idle.size(); ++i) {
        const Buffer& buffer = problem.idle[i];
        const LiveRange live{-2, buffer.live.end > 0 ? buffer.live.end : -1};
        added.push_back({{buffer.size, 1, live, buffer.fileOffset, {}, buffer.name}, true, i, firstTensorOf(buffer)});
    }
    for (Added& one : added) {
        const auto size = checkedAlignUp(one.item.size, *unit);
        if (!size)
            return sizeOverflow(one.item.name);
        one.item.size = *size;
        one.item.alignment = 1; // multiples of the unit come by themselves, above offline offsets as these are
    }
    std::stable_sort(added.begin(), added.end(), [](const Added& a, const Added& b) { return a.tensor < b.tensor; });
    return added;
}

Result<Plan> Tflm::place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                         const ProgressFn&) const
{
    const auto added = addedBuffers(problem);
    if (!added)
        return added.error();
    std::vector<Item> items;
    for (const Added& one : *added)
        items.push_back(one.item);
    FirstFit fit(items);
    if (auto fixed = fit.placeFixed(FixedRule::AsGiven); !fixed)
        return fixed.error();
    std::vector<std::size_t> order(items.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0}); // later ones first
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return items[a].size > items[b].size; });
    for (const std::size_t i : order) {
        if (stop.stop_requested())
            return cancelled();
        if (!items[i].fixedOffset && !fit.place(i))
            return sizeOverflow(items[i].name);
    }
    Plan plan;
    plan.placements.resize(problem.buffers.size());
    plan.idleOffsets.resize(problem.idle.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Added& one = (*added)[i];
        (one.isIdle ? plan.idleOffsets[one.index] : plan.placements[one.index].offset) = fit.offsets()[i];
    }
    plan.arenaSize = fit.top(); // with idle tensors, and with the last buffer's padding, as the runtime counts it
    return plan;
}

} // namespace

const Planner& tflmPlanner()
{
    static const Tflm kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
