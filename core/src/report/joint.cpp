// SPDX-License-Identifier: MIT
// Several networks in one arena, as text and as JSON.
#include "core/src/report/json.h"
#include "core/src/report/text.h"

#include <arenascope/joint.h>

#include <fmt/format.h>

#include <algorithm>

namespace arenascope {

namespace {

using namespace report;

const Graph& graphOf(const JointPlan& joint, std::size_t model)
{
    return *joint.models[model]->study->graph;
}

std::string namesOf(const JointPlan& joint, const KeptBuffer& kept)
{
    std::string names;
    for (const TensorId tensor : kept.tensors)
        names += (names.empty() ? "" : ", ") + inQuotes(graphOf(joint, kept.model).tensor(tensor).name);
    return names;
}

Offset offsetOf(const JointPlan& joint, const KeptBuffer& kept, TensorId tensor)
{
    return tensorOffset(*joint.models[kept.model]->study, joint.models[kept.model]->plan, tensor).value_or(kept.offset);
}

std::string arenaText(const JointPlan& joint, std::optional<Bytes> budget)
{
    TextTable table({Align::Left, Align::Left});
    table.row({"arena", bothSizes(joint.arenaBytes)});
    table.row({"shared", bothSizes(joint.sharedBytes)});
    if (!joint.kept.empty())
        table.row({"kept", fmt::format("{} in {}", bothSizes(joint.keptBytes), counted(static_cast<std::int64_t>(joint.kept.size()), "buffer"))});
    table.row({"lower bound", bothSizes(joint.lowerBound)});
    table.row({"completion", joint.completion == Completion::Optimal ? "optimal, no smaller arena exists for these orders and options"
                                                                      : "heuristic, a smaller arena may exist"});
    table.row({"proof", joint.isValid() ? "valid by checker, also all models together, and by replay" : "INVALID"});
    if (budget) {
        const Bytes free = *budget - joint.arenaBytes;
        table.row({"budget", free >= 0 ? fmt::format("{} leaves {} free", bothSizes(*budget), bothSizes(free))
                                       : fmt::format("{} is exceeded by {}", bothSizes(*budget), counted(-free, "byte"))});
    }
    return table.text(2);
}

std::string modelsText(const JointPlan& joint)
{
    TextTable table({Align::Right, Align::Left, Align::Left, Align::Left});
    for (std::size_t i = 0; i < joint.models.size(); ++i) {
        const Plan& plan = joint.models[i]->plan;
        const bool isLargest = joint.modelBytes[i] == joint.sharedBytes;
        table.row({formatBytes(joint.modelBytes[i]), inQuotes(graphOf(joint, i).info().name), strategyText(plan), isLargest ? "the largest" : ""});
    }
    return "  Shared part, by model\n" + table.text(4);
}

std::string keptText(const JointPlan& joint)
{
    if (joint.kept.empty())
        return {};
    TextTable table({Align::Right, Align::Right, Align::Left, Align::Left});
    for (const KeptBuffer& kept : joint.kept)
        table.row({formatBytes(kept.bytes), "at " + formatExact(kept.offset), inQuotes(graphOf(joint, kept.model).info().name), namesOf(joint, kept)});
    return "  Kept, never written over by another\n" + table.text(4);
}

} // namespace

std::string jointText(const JointPlan& joint, std::optional<Bytes> budget)
{
    return fmt::format("One arena for {}, run one after the other\n", counted(static_cast<std::int64_t>(joint.models.size()), "model"))
        + arenaText(joint, budget) + modelsText(joint) + keptText(joint);
}

std::string jointJson(const JointPlan& joint, std::optional<Bytes> budget, int indent)
{
    Json json;
    json["arena_bytes"] = joint.arenaBytes;
    json["shared_bytes"] = joint.sharedBytes;
    json["kept_bytes"] = joint.keptBytes;
    json["lower_bound_bytes"] = joint.lowerBound;
    json["completion"] = completionName(joint.completion);
    json["valid"] = joint.isValid();
    json["clashes"] = joint.placement.clashCount;
    json["kept"] = Json::array();
    for (const KeptBuffer& kept : joint.kept) {
        for (const TensorId id : kept.tensors) {
            const Tensor& tensor = graphOf(joint, kept.model).tensor(id);
            json["kept"].push_back({{"model", graphOf(joint, kept.model).info().name},
                                    {"model_index", kept.model},
                                    {"tensor", tensor.name},
                                    {"offset", offsetOf(joint, kept, id)},
                                    {"bytes", tensor.bytes},
                                    {"buffer_bytes", kept.bytes}});
        }
    }
    json["budget"] = nullptr;
    if (budget) {
        const Bytes over = std::max<Bytes>(0, joint.arenaBytes - *budget);
        json["budget"] = {{"bytes", *budget}, {"fits", over == 0}, {"over_by_bytes", over}};
    }
    json["models"] = Json::array();
    for (std::size_t i = 0; i < joint.models.size(); ++i) {
        Json model = summaryObject(*joint.models[i], {});
        model["shared_bytes"] = joint.modelBytes[i];
        json["models"].push_back(std::move(model));
    }
    return dump(json, indent);
}

} // namespace arenascope
