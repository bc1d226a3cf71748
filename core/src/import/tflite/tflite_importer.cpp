// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_importer.h"

#include "core/src/import/tflite/tflite_hash.h"
#include "core/src/import/tflite/tflite_offline_plan.h"
#include "core/src/import/tflite/tflite_run.h"
#include "core/src/import/tflite/tflite_shapes.h"
#include "core/src/import/tflite/tflite_tensors.h"

#include <unordered_set>

namespace arenascope {

namespace tflite_import {
namespace {

ModelInfo infoOf(const TfliteFile& file, const std::filesystem::path& path, Bytes weightBytes)
{
    ModelInfo info;
    info.path = path.string();
    info.name = path.filename().string();
    info.format = "TensorFlow Lite";
    if (file.model().description() != nullptr)
        info.producer = file.model().description()->str();
    while (info.producer.ends_with('.')) // "MLIR Converted."
        info.producer.pop_back();
    info.hash = hashOf(file);
    info.fileBytes = std::ssize(file.bytes());
    info.weightBytes = weightBytes;
    for (std::size_t s = 0; s < file.subgraphCount(); ++s)
        info.operatorsInFile += static_cast<std::int64_t>(sizeOf(file.subgraph(s).operators()));
    info.subgraphs = static_cast<std::int32_t>(file.subgraphCount());
    return info;
}

TensorId mainTensor(const flatbuffers::Vector<std::int32_t>* indices, std::size_t position)
{
    return TensorId(indices->Get(static_cast<flatbuffers::uoffset_t>(position)));
}

/// Inputs and outputs of the main sub-graph. One that is listed twice is one all the same.
void addInterface(const TfliteFile& file, const std::vector<std::string>& names, const std::vector<Shape>& shapes,
                  GraphBuilder& builder)
{
    const auto& main = file.subgraph(0);
    std::unordered_set<TensorId> seen;
    for (std::size_t i = 0; i < sizeOf(main.inputs()); ++i) {
        const TensorId id = mainTensor(main.inputs(), i);
        const auto& tensor = file.tensor(0, id.index());
        if (tensor.is_variable() || file.isConstant(tensor) || !seen.insert(id).second)
            continue;
        const ElementType type = elementTypeFromTflite(tensor.type());
        builder.addInput(names[id.index()], type, shapes[id.index()]);
        const auto each = bytesPerElementInArena(type);
        const auto count = shapes[id.index()].elementCount();
        if (each && count)
            builder.setBytes(id, *count * *each);
    }
    seen.clear();
    for (std::size_t i = 0; i < sizeOf(main.outputs()); ++i) {
        if (const TensorId id = mainTensor(main.outputs(), i); seen.insert(id).second)
            builder.addOutput(id);
    }
}

void addOfflinePlan(const TfliteFile& file, GraphBuilder& builder, Diagnostics& diagnostics)
{
    const auto offsets = offlinePlanOf(file, diagnostics);
    for (std::size_t s = 0; offsets && s < file.subgraphCount(); ++s) {
        for (std::size_t i = 0; i < file.tensorCount(s); ++i) {
            const std::size_t position = file.firstTensor(s) + i;
            if ((*offsets)[position] != kPlannedByRuntime && !file.isConstant(file.tensor(s, i)))
                builder.setPlannedOffset(TensorId::fromIndex(position), (*offsets)[position]);
        }
    }
}

/// The runtime looks the offsets of every sub-graph up from the list's beginning. Where that gives others for what runs in
/// called ones, its plan is not the one that is shown here.
void tellMisreadPlan(const Graph& graph, Diagnostics& diagnostics)
{
    for (const Tensor& tensor : graph.tensors()) {
        const bool isUsed = tensor.producer.isValid() || !tensor.consumers.empty();
        if (tensor.subgraph == 0 || !isUsed || !tensor.isActivation())
            continue;
        if (graph.tensors()[static_cast<std::size_t>(tensor.fileIndex)].plannedOffset == tensor.plannedOffset)
            continue;
        diagnostics.push_back({Severity::Warning,
                               {ErrorCode::Unsupported, "tensor '" + tensor.name + "'",
                                {"The file's offline plan for a called sub-graph",
                                 "TensorFlow Lite Micro takes the main sub-graph's offsets for it; remove the plan, or plan anew."}}});
        return;
    }
}

Result<ImportedModel> readModel(const std::filesystem::path& path, const ImportOptions& options, const std::stop_token& stop,
                                const ProgressFn& progress)
{
    const auto file = TfliteFile::open(path);
    if (!file)
        return file.error();
    if (stop.stop_requested())
        return Error{ErrorCode::Cancelled, {}, {}};
    if (progress)
        progress(0.5, "reading operators");
    ImportedModel model;
    const std::vector<std::string> names = uniqueNames(*file);
    const auto shapes = resolveShapes(*file, names, options, model.diagnostics);
    if (!shapes)
        return shapes.error();
    GraphBuilder builder;
    const Bytes weightBytes = addTensors({*file, path.string(), names, *shapes, model.diagnostics}, builder);
    addInterface(*file, names, *shapes, builder);
    if (auto done = addOperators(*file, names, builder); !done)
        return done.error();
    addOfflinePlan(*file, builder, model.diagnostics);
    builder.setInfo(infoOf(*file, path, weightBytes));
    auto graph = std::move(builder).build();
    if (!graph)
        return graph.error();
    model.graph = *std::move(graph);
    tellMisreadPlan(*model.graph, model.diagnostics);
    return model;
}

class TfliteImporter final : public Importer {
public:
    ImporterInfo info() const override { return {"tflite", "TensorFlow Lite", {".tflite"}}; }

    int probe(std::string_view head, const std::filesystem::path& path) const override
    {
        if (head.size() >= 8 && head.substr(4, 4) == "TFL3")
            return 100;
        return path.extension() == ".tflite" ? 60 : 0;
    }

    Result<ImportedModel> read(const std::filesystem::path& path, const ImportOptions& options, std::stop_token stop,
                               const ProgressFn& progress) const override
    {
        return readModel(path, options, stop, progress);
    }
};

} // namespace
} // namespace tflite_import

const Importer& tfliteImporter()
{
    static const tflite_import::TfliteImporter importer;
    return importer;
}

} // namespace arenascope
