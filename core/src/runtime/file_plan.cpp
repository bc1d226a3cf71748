// SPDX-License-Identifier: MIT
#include <arenascope/runtime.h>

#include "core/src/check/active_ranges.h"
#include "core/src/check/file_plan.h"

#include <algorithm>
#include <tuple>

namespace arenascope {

Result<std::shared_ptr<const PlanOutcome>> filePlan(std::shared_ptr<const Study> study)
{
    const auto isPlanned = [](const Buffer& buffer) { return buffer.fileOffset.has_value(); };
    if (std::ranges::none_of(study->problem.buffers, isPlanned) && std::ranges::none_of(study->problem.idle, isPlanned))
        return Error{ErrorCode::Unsupported, study->graph->info().name,
                     {"The plan of a model file that has none", "Only .tflite files with the metadata OfflineMemoryAllocation bring "
                                                                "one along; choose another strategy."}};
    const auto outcome = planStudy(std::move(study), "tflm");
    if (!outcome)
        return outcome.error();
    auto own = std::make_shared<PlanOutcome>(**outcome);
    own->plan.strategy = kFilePlan;
    return std::shared_ptr<const PlanOutcome>(std::move(own));
}

std::vector<Clash> fileOverlaps(const PlacementProblem& problem, const Plan& plan, std::size_t limit)
{
    const std::vector<bool> placed = check::placedByFile(problem, plan);
    std::vector<std::size_t> buffers;
    std::vector<std::pair<Offset, Offset>> ranges;
    std::vector<std::tuple<Step, bool, std::size_t>> changes; // (step, is birth, range): deaths come first at a step
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const Buffer& buffer = problem.buffers[i];
        if (!placed[i] || buffer.size <= 0 || buffer.live.length() <= 0)
            continue;
        const Offset begin = plan.placements[i].offset;
        const auto end = checkedAdd(begin, problem.reserved(BufferId::fromIndex(i)));
        if (begin < 0 || !end)
            continue;
        changes.emplace_back(buffer.live.begin, true, buffers.size());
        changes.emplace_back(buffer.live.end, false, buffers.size());
        buffers.push_back(i);
        ranges.emplace_back(begin, *end);
    }
    std::sort(changes.begin(), changes.end());
    check::ActiveRanges active(ranges);
    std::vector<Clash> overlaps;
    for (const auto& [step, isBirth, i] : changes) {
        if (!isBirth) {
            active.erase(i);
            continue;
        }
        for (const std::size_t other : active.overlaps(i, limit - std::min(limit, overlaps.size()))) {
            overlaps.push_back({.kind = ClashKind::Overlap,
                                .first = BufferId::fromIndex(std::min(buffers[i], buffers[other])),
                                .second = BufferId::fromIndex(std::max(buffers[i], buffers[other])),
                                .step = step,
                                .begin = std::max(ranges[i].first, ranges[other].first),
                                .end = std::min(ranges[i].second, ranges[other].second)});
        }
        active.insert(i);
    }
    return overlaps;
}

} // namespace arenascope
