// SPDX-License-Identifier: MIT
// What TensorFlow Lite Micro's NonPersistentMemoryPlannerShim takes. Source: memory_plan_struct.h of tensorflow/tflite-micro.
#include <arenascope/plan_export.h>

#include "core/src/io/plan_facts.h"

#include <cctype>
#include <limits>

namespace arenascope {

namespace {

constexpr std::string_view kFormat = "TensorFlow Lite Micro's BufferPlan";

/// The runtime counts every tensor that needs memory: one that is left out would shift all entries after it.
std::optional<Error> outsideOfArena(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    std::vector<bool> isPlaced(study.graph->tensors().size());
    for (const io::PlacedTensor& placed : io::placedTensors(outcome))
        isPlaced[placed.tensor.index()] = true;
    for (std::size_t i = 0; i < isPlaced.size(); ++i) {
        const Tensor& tensor = study.graph->tensors()[i];
        const bool isUsed = tensor.producer.isValid() || !tensor.consumers.empty();
        if (tensor.isActivation() && tensor.bytes > 0 && isUsed && !isPlaced[i])
            return Error{ErrorCode::Unsupported, {}, {"A plan with tensor '" + tensor.name + "' outside of the arena as " + std::string(kFormat),
                                                      "That runtime keeps them all in it: plan with --io arena."}};
    }
    return std::nullopt;
}

/// What has bytes: tensors of none are skipped by the runtime, too.
std::vector<io::PlacedTensor> entriesOf(const PlanOutcome& outcome)
{
    std::vector<io::PlacedTensor> entries = io::placedTensors(outcome);
    std::erase_if(entries, [&](const io::PlacedTensor& placed) { return outcome.study->graph->tensor(placed.tensor).bytes <= 0; });
    return entries;
}

std::string identifierOf(const PlanOutcome& outcome)
{
    const std::string name = io::CNames().unique(std::filesystem::path(outcome.study->graph->info().name).stem().string());
    return std::isdigit(static_cast<unsigned char>(name.front())) ? "model_" + name : name;
}

std::string headOf(const PlanOutcome& outcome, const std::string& name)
{
    std::string text = "/*\n * Memory plan for TensorFlow Lite Micro by Arenascope: offsets in the arena, in the order in which the\n"
                       " * runtime adds the tensors. In C++, give its NonPersistentMemoryPlannerShim\n"
                       " * reinterpret_cast<const tflite::BufferPlan*>(&" + name + "_buffer_plan).\n"
                       " * Scratch buffers that kernels ask for come after these and are not in it.\n *\n";
    for (const std::string& line : io::factLines(outcome))
        text += " * " + io::commentText(line) + "\n";
    return text + " */\n#include <stdint.h>\n\n";
}

} // namespace

Result<std::string> planToTflmC(const PlanOutcome& outcome)
{
    if (io::hasSeveralRegions(outcome))
        return io::severalMemories(kFormat);
    if (auto error = io::invalidPlan(outcome))
        return std::move(*error);
    if (auto error = outsideOfArena(outcome))
        return std::move(*error);
    const std::vector<io::PlacedTensor> entries = entriesOf(outcome);
    const std::string name = identifierOf(outcome);
    const std::string count = std::to_string(entries.size());
    std::string text = headOf(outcome, name);
    text += "struct BufferPlan {\n"
            "    int32_t buffer_count;\n"
            "    struct {\n"
            "        int32_t offset;\n"
            "    } buffer_plan_entries[" + (entries.empty() ? "1" : count) + "];\n"
            "};\n\n"
            "extern const int32_t " + name + "_arena_size;\n"
            "extern const struct BufferPlan " + name + "_buffer_plan;\n\n"
            "const int32_t " + name + "_arena_size = " + std::to_string(outcome.plan.arenaSize) + ";\n"
            "const struct BufferPlan " + name + "_buffer_plan = {\n    " + count + ",\n    {\n";
    constexpr Bytes kMost = std::numeric_limits<std::int32_t>::max();
    if (outcome.plan.arenaSize > kMost)
        return Error{ErrorCode::TooLarge, {}, {"The arena of " + std::to_string(outcome.plan.arenaSize) + " bytes", std::to_string(kMost) + " bytes"}};
    for (const io::PlacedTensor& placed : entries) {
        const Tensor& tensor = outcome.study->graph->tensor(placed.tensor);
        text += "        {" + std::to_string(placed.offset) + "}, /* " + io::commentText(tensor.name) + ": "
            + std::to_string(tensor.bytes) + " bytes" + (placed.buffer.isValid() ? "" : ", never used") + " */\n";
    }
    text += entries.empty() ? "        {0},\n" : "";
    return text + "    },\n};\n";
}

} // namespace arenascope
