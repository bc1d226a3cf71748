// SPDX-License-Identifier: MIT
#include <arenascope/tflite_export.h>

#include "core/src/import/tflite/tflite_hash.h"
#include "core/src/import/tflite/tflite_tensors.h"
#include "core/src/io/tflite/model_rewrite.h"

#include <arenascope/plan_io.h>

#include <new>
#include <system_error>

namespace arenascope {

namespace {

/// The runtime takes the shapes that the file stores.
std::optional<Error> otherShapes(const Graph& graph, const tflite_import::TfliteFile& file)
{
    for (const Tensor& tensor : graph.tensors()) {
        const auto& stored = file.tensor(static_cast<std::size_t>(tensor.subgraph), static_cast<std::size_t>(tensor.fileIndex));
        if (tensor.shape.dims != tflite_import::storedShape(stored).dims)
            return Error{ErrorCode::Unsupported, {},
                         {"An offline plan for other shapes than the file's (tensor '" + tensor.name + "')",
                          "TensorFlow Lite Micro takes those that the file stores: plan without --shape, --dim and --default-dim, or "
                          "convert the model for the shapes wanted."}};
    }
    return std::nullopt;
}

Result<std::string> rewritten(const PlanOutcome& outcome)
{
    const auto offsets = offlineOffsets(outcome);
    if (!offsets)
        return offsets.error();
    const ModelInfo& info = outcome.study->graph->info();
    const auto file = tflite_import::TfliteFile::open(info.path);
    if (!file)
        return file.error();
    if (tflite_import::hashOf(*file) != info.hash || file->firstTensor(file->subgraphCount()) != offsets->size())
        return Error{ErrorCode::PlanMismatch, {}, {"the file has changed since it was read"}};
    if (auto error = otherShapes(*outcome.study->graph, *file))
        return *std::move(error);
    return tflite_import::withOfflinePlan(*file, *offsets);
}

} // namespace

Result<std::string> tfliteWithPlan(const PlanOutcome& outcome)
{
    const std::string& path = outcome.study->graph->info().path;
    try {
        auto made = rewritten(outcome);
        if (made || made.error().where.starts_with(path))
            return made;
        Error error = made.error();
        error.where = path + (error.where.empty() ? "" : ", " + error.where);
        return error;
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, path, {"a copy of the model"}};
    }
}

Status planToTflite(const PlanOutcome& outcome, const std::filesystem::path& path)
{
    std::error_code error;
    if (std::filesystem::equivalent(outcome.study->graph->info().path, path, error))
        return Error{ErrorCode::FileNotWritable, path.string(), {"it is the model itself, which stays as it is"}};
    const auto made = tfliteWithPlan(outcome);
    return made ? writeFileAtomically(path, *made) : Status(made.error());
}

} // namespace arenascope
