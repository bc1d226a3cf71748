// SPDX-License-Identifier: MIT
// Arenascope's own JSON out. The schema is resources/plan.schema.json.
#include <arenascope/plan_io.h>
#include <arenascope/version.h>

#include "core/src/io/plan_words.h"

#include <nlohmann/json.hpp>

#include <map>

namespace arenascope {

namespace {

using Json = nlohmann::ordered_json; // members in the order in which they are added
using io::wordOf;

Json modelJson(const Graph& graph, const ImportOptions& imported)
{
    const ModelInfo& info = graph.info();
    std::map<std::string, std::vector<std::int64_t>> shapes = imported.shapes;
    for (const TensorId id : graph.inputs()) {
        const Tensor& tensor = graph.tensor(id);
        if (tensor.shape.isStatic())
            shapes[tensor.name] = tensor.shape.dims;
    }
    Json json = {{"name", info.name}, {"path", info.path}, {"format", info.format}, {"hash", info.hash}};
    json["shapes"] = shapes;
    json["dims"] = imported.dims;
    return json;
}

Json optionsJson(const StudyOptions& options)
{
    return {{"schedule", scheduleName(options.schedule)},
            {"alias", aliasName(options.alias)},
            {"join", wordOf(io::kJoinWords, options.branches.join)},
            {"branch_style", wordOf(io::kStyleWords, options.branches.style)},
            {"alignment", options.problem.alignment},
            {"inputs_in_arena", options.problem.io.inputsInArena},
            {"outputs_in_arena", options.problem.io.outputsInArena},
            {"count_workspace", options.problem.countWorkspace},
            {"concurrency", concurrencyName(options.problem.concurrency)}};
}

Json scheduleJson(const Study& study)
{
    Json order = Json::array();
    for (const OpId op : study.schedule.order)
        order.push_back(study.graph->op(op).name);
    return order;
}

Json regionsJson(const PlacementProblem& problem)
{
    Json regions = Json::array();
    for (const MemoryRegion& region : problem.regions) {
        Json json = {{"name", region.name}, {"alignment", region.alignment}, {"cost", region.cost}};
        if (region.capacity)
            json["capacity"] = *region.capacity;
        regions.push_back(std::move(json));
    }
    return regions;
}

Json branchesJson(const Study& study)
{
    Json branches = Json::array();
    for (std::size_t i = 0; i < study.problem.branches.size(); ++i) {
        const ProblemBranch& branch = study.problem.branches[i];
        Json units = Json::array();
        for (std::size_t u = 0; u < branch.units.size(); ++u) {
            Json operators = Json::array();
            if (i < study.branches.branches.size() && u < study.branches.branches[i].units.size()) {
                for (const OpId op : study.branches.branches[i].units[u].operators)
                    operators.push_back(study.graph->op(op).name);
            }
            Json buffers = Json::array();
            for (const BufferId id : branch.units[u].buffers)
                buffers.push_back(id.value());
            units.push_back({{"operators", std::move(operators)}, {"buffers", std::move(buffers)},
                             {"side", wordOf(io::kSideWords, branch.units[u].side)}});
        }
        branches.push_back({{"id", branch.id.value()}, {"units", std::move(units)}});
    }
    return branches;
}

Json memoriesJson(const Plan& plan)
{
    Json memories = Json::array();
    for (const PlanMemory& memory : plan.memories) {
        memories.push_back({{"branch", memory.branch.value()},
                            {"side", wordOf(io::kSideWords, memory.side)},
                            {"offset", memory.offset},
                            {"size", memory.size},
                            {"begin", memory.live.begin},
                            {"end", memory.live.end}});
    }
    return memories;
}

Json tensorsJson(const Graph& graph, const Buffer& buffer)
{
    Json tensors = Json::array();
    for (const AliasMember& member : buffer.tensors) {
        Json json = {{"name", graph.tensor(member.tensor).name}, {"offset", member.offset},
                     {"reason", wordOf(io::kReasonWords, member.reason)}};
        if (member.sharesWith.isValid())
            json["shares_with"] = graph.tensor(member.sharesWith).name;
        tensors.push_back(std::move(json));
    }
    return tensors;
}

/// What is usual is left out: the problem's alignment, no gaps, region 0, no memory, no side.
Json bufferJson(const Study& study, BufferId id)
{
    const Buffer& buffer = study.problem.buffer(id);
    Json json = {{"id", id.value()}, {"name", buffer.name}, {"kind", wordOf(io::kKindWords, buffer.kind)},
                 {"size", buffer.size}, {"begin", buffer.live.begin}, {"end", buffer.live.end}};
    if (buffer.alignment > 0)
        json["alignment"] = buffer.alignment;
    if (buffer.fixedOffset)
        json["fixed_offset"] = *buffer.fixedOffset;
    for (const BufferGap& gap : buffer.gaps)
        json["gaps"].push_back(
            {{"begin", gap.steps.begin}, {"end", gap.steps.end}, {"low", gap.low}, {"high", gap.high}});
    if (buffer.op.isValid())
        json["operator"] = study.graph->op(buffer.op).name;
    json["tensors"] = tensorsJson(*study.graph, buffer);
    return json;
}

void addPlacement(Json& json, const Placement& placement)
{
    json["offset"] = placement.offset;
    if (placement.region != RegionId(0))
        json["region"] = placement.region.value();
    if (placement.memory.isValid())
        json["memory"] = placement.memory.value();
    if (placement.side != PingPongSide::None)
        json["side"] = wordOf(io::kSideWords, placement.side);
}

Json elisionsJson(const Study& study)
{
    Json elisions = Json::array();
    for (const Elision& elision : study.problem.elisions) {
        elisions.push_back({{"operator", study.graph->op(elision.op).name},
                            {"reason", wordOf(io::kReasonWords, elision.reason)},
                            {"part", study.graph->tensor(elision.part).name},
                            {"whole", study.graph->tensor(elision.whole).name},
                            {"offset", elision.offset},
                            {"bytes", elision.bytes}});
    }
    return elisions;
}

Json buffersJson(const PlanOutcome& outcome)
{
    Json buffers = Json::array();
    for (std::size_t i = 0; i < outcome.study->problem.buffers.size(); ++i) {
        Json json = bufferJson(*outcome.study, BufferId::fromIndex(i));
        if (i < outcome.plan.placements.size())
            addPlacement(json, outcome.plan.placements[i]);
        buffers.push_back(std::move(json));
    }
    return buffers;
}

/// Where a runtime puts tensors that nothing touches.
Json idleJson(const PlanOutcome& outcome)
{
    const auto& idle = outcome.study->problem.idle;
    Json list = Json::array();
    for (std::size_t i = 0; i < idle.size() && i < outcome.plan.idleOffsets.size(); ++i)
        list.push_back({{"name", idle[i].name}, {"size", idle[i].size}, {"offset", outcome.plan.idleOffsets[i]}});
    return list;
}

} // namespace

std::string planToJson(const PlanOutcome& outcome, const ImportOptions& imported)
{
    const Study& study = *outcome.study;
    const Plan& plan = outcome.plan;
    Json json;
    json["format"] = io::kPlanFormat;
    json["version"] = io::kPlanVersion;
    json["generator"] = std::string("Arenascope ") + std::string(kVersion);
    json["model"] = modelJson(*study.graph, imported);
    json["options"] = optionsJson(study.options);
    json["strategy"] = plan.strategy;
    json["chosen"] = plan.chosen;
    json["completion"] = wordOf(io::kCompletionWords, plan.completion);
    json["valid"] = outcome.isValid();
    json["arena_bytes"] = plan.arenaSize;
    json["lower_bound_bytes"] = study.lowerBound();
    json["naive_bytes"] = study.naive;
    json["planning_seconds"] = plan.planningSeconds;
    json["steps"] = study.problem.stepCount;
    json["schedule"] = scheduleJson(study);
    json["regions"] = regionsJson(study.problem);
    json["branches"] = branchesJson(study);
    json["memories"] = memoriesJson(plan);
    json["buffers"] = buffersJson(outcome);
    if (!study.problem.elisions.empty())
        json["elisions"] = elisionsJson(study);
    if (!plan.idleOffsets.empty())
        json["idle"] = idleJson(outcome);
    // Names that are no UTF-8 are repaired, with U+FFFD for what cannot be.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace arenascope
