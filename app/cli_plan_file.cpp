// SPDX-License-Identifier: MIT
#include "app/cli_plan_file.h"

#include "app/cli_model.h"
#include "app/cli_stop.h"

#include <arenascope/plan_import.h>
#include <arenascope/runtime.h>

#include <fmt/format.h>

#include <filesystem>

namespace arenascope::cli {

namespace {

/// Where the model of a plan may lie: as asked, or else where the plan says, seen from its folder and from here, or beside it.
/// A wrong one does no harm: its hash and tensors are compared with the plan's.
std::vector<std::filesystem::path> modelPlaces(const PlanDocument& document, const std::string& plan, const Request& request)
{
    if (!request.model.empty())
        return {request.model};
    const std::filesystem::path folder = std::filesystem::path(plan).parent_path();
    const std::filesystem::path written = document.modelPath.empty() ? document.modelName : document.modelPath;
    return {folder / written, written, folder / written.filename()}; // an absolute path stays itself in the first
}

Result<std::filesystem::path> findModel(const PlanDocument& document, const std::string& plan, const Request& request)
{
    const std::vector<std::filesystem::path> places = modelPlaces(document, plan, request);
    std::error_code ignored;
    for (const std::filesystem::path& place : places) {
        if (!place.empty() && std::filesystem::is_regular_file(place, ignored))
            return place;
    }
    return Error{ErrorCode::FileNotFound, plan,
                 {fmt::format("its model '{}' is not there (give it with --model)", places.front().string())}};
}

/// A plan of Arenascope's own: its model is always looked for, since only with it all that the plan says can be checked.
Result<PlanFile> ownPlan(const ForeignPlan& plan, const std::string& path, const Request& request)
{
    const auto model = findModel(plan.document, path, request);
    if (!model)
        return model.error();
    auto attached = attachToModel(plan.document, *model, request);
    if (!attached)
        return std::move(attached).error();
    return PlanFile{std::move(attached->outcome), std::move(attached->diagnostics), std::string(plan.format), true};
}

Result<PlanFile> foreignPlan(const ForeignPlan& plan, const Request& request)
{
    if (!plan.hasOffsets)
        return Error{ErrorCode::Unsupported, plan.source, {"A problem without offsets as a plan", "Place its buffers with arenascope-cli solve."}};
    if (request.model.empty()) {
        auto outcome = planAlone(plan, request.planner, stopToken());
        if (!outcome)
            return std::move(outcome).error();
        return PlanFile{*std::move(outcome), plan.diagnostics, std::string(plan.format), false};
    }
    auto model = importModel(request.model, request.import, stopToken());
    if (!model)
        return std::move(model).error();
    auto attached = attachForeignPlan(plan, model->graph, stopToken());
    if (!attached)
        return std::move(attached).error();
    tellDiagnostics(model->diagnostics, request.model, request);
    return PlanFile{std::move(attached->outcome), std::move(attached->diagnostics), std::string(plan.format), true};
}

/// The plan that a model file brings along itself.
Result<PlanFile> planInModel(const std::string& path, const Request& request)
{
    auto model = importModel(path, request.import, stopToken());
    if (!model)
        return std::move(model).error();
    StudyOptions options;
    options.problem.alignment = preferredAlignment(*model->graph);
    const auto study = makeStudy(model->graph, options, stopToken());
    if (!study)
        return study.error();
    auto outcome = filePlan(*study);
    if (!outcome)
        return std::move(outcome).error();
    return PlanFile{*std::move(outcome), std::move(model->diagnostics), "tflite", true};
}

} // namespace

bool isPlanFile(const std::string& path)
{
    return planImporterFor(path) != nullptr;
}

Result<PlanFile> loadPlanFile(const std::string& path, const Request& request)
{
    if (std::filesystem::path(path).extension() == ".tflite")
        return planInModel(path, request);
    const auto plan = importPlan(path);
    if (!plan)
        return plan.error();
    return plan->isOwn ? ownPlan(*plan, path, request) : foreignPlan(*plan, request);
}

} // namespace arenascope::cli
