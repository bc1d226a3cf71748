// SPDX-License-Identifier: MIT
// Plans out and in. Text formats are returned as strings; writing files is writeFileAtomically()'s job.
#pragma once

#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <filesystem>
#include <string>

namespace arenascope {

/// Arenascope's own JSON, version 1, by the JSON Schema in resources/plan.schema.json. Ends with a newline.
/// `imported` is how the model was read: its shapes and dims are kept, with the shapes of the network's inputs as they
/// came out, so that importing with PlanDocument::shapes and dims gives the same network again.
std::string planToJson(const PlanOutcome& outcome, const ImportOptions& imported = {});
/// One row a buffer: id,name,tensors,lower,upper,size,alignment,offset (MiniMalloc's columns are among them). Where tensors are
/// parts of a buffer, also tensor_offsets (in the order of tensors) and gaps; of several memories, also region: its name.
std::string planToCsv(const PlanOutcome& outcome);
/// Graphviz: operators coloured by the buffer that they write. Valid for any names.
std::string planToDot(const PlanOutcome& outcome);

/// A plan as it stands in a file, before it is matched with a model.
struct PlanDocument {
    std::string modelName;
    std::string modelPath; ///< as written; may be relative to the plan's folder
    std::string modelHash;
    std::string modelFormat;
    StudyOptions options;
    PlacementProblem problem;        ///< buffers with names and live ranges as in the file
    std::vector<std::vector<std::string>> tensorNames; ///< by BufferId
    std::vector<std::vector<Offset>> tensorOffsets;    ///< by BufferId: of the tensors in the buffer
    std::vector<std::string> order;  ///< operator names by step; may be empty
    Plan plan;
    /// Shapes and dims that the model was imported with.
    std::map<std::string, std::vector<std::int64_t>> shapes;
    std::map<std::string, std::int64_t> dims;
};
/// Errors: FileCorrupt with the JSON path of the first thing that is wrong.
Result<PlanDocument> planFromJson(std::string_view json, const std::string& where);

/// Lays a plan document over a freshly made study of its model. Errors: PlanMismatch naming what differs.
Result<std::shared_ptr<const PlanOutcome>> attachPlan(const PlanDocument& document, std::shared_ptr<const Graph> graph);

/// Reads a whole text file of at most `limit` bytes.
Result<std::string> readTextFile(const std::filesystem::path& path, Bytes limit = Bytes(256) << 20);
/// Writes beside the target and renames: the old file is whole until the new one is.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view content);

} // namespace arenascope
