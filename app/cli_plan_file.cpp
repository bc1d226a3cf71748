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

/// What was asked for is a plan, and not the model that a file of no known format might be.
Error asPlan(const Error& error)
{
    if (error.code != ErrorCode::FormatUnknown)
        return error;
    return Error{ErrorCode::Unsupported, error.where,
                 {"This kind of file as a plan", "Give a plan as .json, .csv or .vela.txt, or one of XLA's pair; other exports are not read back."}};
}

/// A plan of Arenascope's own: its model is always looked for, since only with it all that the plan says can be checked.
Result<PlanFile> ownPlan(const ForeignPlan& plan, const std::string& path, const Request& request)
{
    const std::filesystem::path model = request.model.empty() ? modelOfPlan(plan.document, path) : std::filesystem::path(request.model);
    if (model.empty()) {
        const std::string& written = plan.document.modelPath.empty() ? plan.document.modelName : plan.document.modelPath;
        return Error{ErrorCode::FileNotFound, path, {fmt::format("its model '{}' is not there (give it with --model)", written)}};
    }
    auto attached = attachToModel(plan.document, model, request);
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
        return asPlan(plan.error());
    return plan->isOwn ? ownPlan(*plan, path, request) : foreignPlan(*plan, request);
}

} // namespace arenascope::cli
