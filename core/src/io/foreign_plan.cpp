// SPDX-License-Identifier: MIT
#include "core/src/io/foreign_plan.h"

#include <algorithm>

namespace arenascope::io {

Result<ForeignPlan> summedUp(ForeignPlan plan)
{
    const PlacementProblem& problem = plan.document.problem;
    Plan& placed = plan.document.plan;
    std::vector<Bytes> tops(problem.regions.size());
    Bytes sum = 0;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const auto reserved = checkedAlignUp(problem.buffers[i].size, problem.alignment);
        const auto total = reserved ? checkedAdd(sum, *reserved) : std::nullopt;
        if (!total || *total > kMostPlanBytes)
            return Error{ErrorCode::TooLarge, plan.source, {"The sum of the sizes up to '" + problem.buffers[i].name + "'", std::to_string(kMostPlanBytes) + " bytes"}};
        sum = *total;
        if (i >= placed.placements.size())
            continue;
        const Placement& placement = placed.placements[i];
        if (placement.offset > kMostPlanBytes)
            return Error{ErrorCode::TooLarge, plan.source, {"The offset of '" + problem.buffers[i].name + "'", std::to_string(kMostPlanBytes) + " bytes"}};
        Bytes& top = tops[placement.region.index()];
        top = std::max(top, placement.offset + *reserved);
    }
    placed.strategy = placed.chosen = plan.format;
    placed.regionSizes = tops.size() > 1 ? tops : std::vector<Bytes>();
    Bytes arena = 0;
    for (const Bytes top : tops)
        arena += top;
    placed.arenaSize = std::max(placed.arenaSize, arena);
    placed.provenBound = 0;
    return plan;
}

RegionId regionNamed(ForeignPlan& plan, const std::string& name)
{
    auto& regions = plan.document.problem.regions;
    const auto found = std::find_if(regions.begin(), regions.end(), [&](const MemoryRegion& region) { return region.name == name; });
    if (found != regions.end())
        return RegionId(static_cast<std::int32_t>(found - regions.begin()));
    MemoryRegion region;
    region.name = name;
    regions.push_back(std::move(region));
    return RegionId(static_cast<std::int32_t>(regions.size() - 1));
}

} // namespace arenascope::io
