// SPDX-License-Identifier: MIT
#include <arenascope/plan_io.h>

#include "core/src/io/csv_text.h"

#include <algorithm>

namespace arenascope {

namespace {

/// Names with blanks between them; blanks within them are percent-encoded.
std::string tensorsField(const Graph& graph, const Buffer& buffer)
{
    std::string field;
    for (const AliasMember& member : buffer.tensors)
        field += (field.empty() ? "" : " ") + io::csvWord(graph.tensor(member.tensor).name);
    return field;
}

bool isPartOf(const Buffer& buffer)
{
    return !buffer.gaps.empty() || std::any_of(buffer.tensors.begin(), buffer.tensors.end(), [](const AliasMember& member) {
        return member.offset != 0;
    });
}

std::string offsetsField(const Buffer& buffer)
{
    std::string field;
    for (const AliasMember& member : buffer.tensors)
        field += (field.empty() ? "" : " ") + std::to_string(member.offset);
    return field;
}

std::string regionField(const PlanOutcome& outcome, std::size_t buffer)
{
    const auto& regions = outcome.study->problem.regions;
    const auto& placements = outcome.plan.placements;
    if (buffer >= placements.size() || !placements[buffer].region.isValid() || placements[buffer].region.index() >= regions.size())
        return {};
    return io::csvField(regions[placements[buffer].region.index()].name);
}

} // namespace

std::string planToCsv(const PlanOutcome& outcome)
{
    const PlacementProblem& problem = outcome.study->problem;
    const bool hasParts = std::any_of(problem.buffers.begin(), problem.buffers.end(), isPartOf);
    const bool hasRegions = problem.regions.size() > 1;
    std::string csv = "id,name,tensors,lower,upper,size,alignment,offset";
    csv += hasParts ? ",tensor_offsets,gaps" : "";
    csv += hasRegions ? ",region\n" : "\n";
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const Buffer& buffer = problem.buffers[i];
        csv += std::to_string(i) + ',' + io::csvField(buffer.name) + ',' + tensorsField(*outcome.study->graph, buffer)
            + ',' + std::to_string(buffer.live.begin) + ',' + std::to_string(buffer.live.end) + ','
            + std::to_string(problem.reserved(id)) + ',' + std::to_string(problem.alignmentOf(id)) + ',';
        if (i < outcome.plan.placements.size())
            csv += std::to_string(outcome.plan.placements[i].offset);
        if (hasParts)
            csv += ',' + offsetsField(buffer) + ',' + io::gapsField(buffer.gaps);
        if (hasRegions)
            csv += ',' + regionField(outcome, i);
        csv += '\n';
    }
    return csv;
}

} // namespace arenascope
