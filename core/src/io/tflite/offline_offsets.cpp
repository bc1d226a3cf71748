// SPDX-License-Identifier: MIT
#include <arenascope/tflite_export.h>

#include <algorithm>
#include <limits>

namespace arenascope {

namespace {

constexpr Bytes kRuntimeAlignment = 16;
constexpr std::int32_t kPlannedByRuntime = -1;

Error unsupported(std::string what, std::string remedy)
{
    return {ErrorCode::Unsupported, {}, {std::move(what), std::move(remedy)}};
}

bool isFileOrder(const Schedule& schedule)
{
    for (std::size_t step = 0; step < schedule.order.size(); ++step) {
        if (schedule.order[step].index() != step)
            return false;
    }
    return true;
}

std::optional<Error> whyNot(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    const ProblemOptions& options = study.options.problem;
    if (study.graph->info().format != "TensorFlow Lite")
        return unsupported("An offline plan in a file of the format " + study.graph->info().format,
                           "Plan a .tflite file, or export the plan as .json or .csv.");
    if (!isFileOrder(study.schedule))
        return unsupported("An offline plan for another order of the operators than the file's",
                           "TensorFlow Lite Micro runs them as they are in the file: plan with --schedule file.");
    if (study.problem.regions.size() > 1)
        return unsupported("An offline plan for several memories", "TensorFlow Lite Micro has one arena: plan without --region.");
    if (study.problem.alignment % kRuntimeAlignment != 0)
        return unsupported("An offline plan with an alignment of " + std::to_string(study.problem.alignment),
                           "TensorFlow Lite Micro needs 16: plan with --align 16.");
    if (!options.io.inputsInArena || !options.io.outputsInArena)
        return unsupported("An offline plan with inputs or outputs outside of the arena",
                           "TensorFlow Lite Micro keeps them in it: plan with --io arena.");
    if (!outcome.isValid())
        return Error{ErrorCode::InvalidPlan, {}, {"it has clashes, and the runtime checks nothing"}};
    return std::nullopt;
}

/// The runtime looks the offsets of every sub-graph up from the list's beginning, not from where its tensors are listed: what
/// runs in called sub-graphs would be placed where the main one's tensors of the same numbers are.
std::optional<Error> isMisread(const Graph& graph, const std::vector<std::int32_t>& offsets)
{
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const Tensor& tensor = graph.tensors()[i];
        const bool isUsed = tensor.producer.isValid() || !tensor.consumers.empty();
        if (tensor.subgraph == 0 || !tensor.isActivation() || !isUsed)
            continue;
        if (offsets[static_cast<std::size_t>(tensor.fileIndex)] != offsets[i])
            return unsupported("An offline plan for a network that calls sub-graphs (tensor '" + tensor.name + "')",
                               "TensorFlow Lite Micro takes the offsets of the main sub-graph for all of them. Export the plan as "
                               ".json, or let that runtime plan.");
    }
    return std::nullopt;
}

} // namespace

Result<std::vector<std::int32_t>> offlineOffsets(const PlanOutcome& outcome)
{
    if (auto error = whyNot(outcome))
        return *std::move(error);
    const Graph& graph = *outcome.study->graph;
    std::vector<std::int32_t> offsets;
    for (std::size_t i = 0; i < graph.tensors().size(); ++i) {
        const Tensor& tensor = graph.tensors()[i];
        const auto offset = tensorOffset(*outcome.study, outcome.plan, TensorId::fromIndex(i));
        // Nothing touches an idle tensor, and planned offsets may overlap: at 0 it costs nothing. Left to the runtime, it would
        // get bytes beside all other idle ones.
        const bool isIdle = tensor.role == TensorRole::Scratch && !offset;
        const bool isPlaced = (offset || isIdle) && tensor.bytes > 0;
        if (offset && *offset > std::numeric_limits<std::int32_t>::max() - tensor.bytes)
            return unsupported("An offline plan with offsets beyond 2 GB", "Choose a smaller input shape.");
        offsets.push_back(isPlaced ? static_cast<std::int32_t>(offset.value_or(0)) : kPlannedByRuntime);
    }
    if (auto error = isMisread(graph, offsets))
        return *std::move(error);
    return offsets;
}

} // namespace arenascope
