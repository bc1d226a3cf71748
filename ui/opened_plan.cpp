// SPDX-License-Identifier: MIT
#include "ui/opened_plan.h"

#include "ui/text.h"

#include <arenascope/plan_import.h>
#include <arenascope/runtime.h>

#include <algorithm>

namespace arenascope::ui {

namespace {

QString titleOf(std::string_view format)
{
    for (const PlanImporter& importer : planImporters()) {
        if (importer.id == format)
            return toQString(importer.title);
    }
    return toQString(format);
}

OpenedFile fileOf(const ForeignPlan& plan, std::shared_ptr<const PlanOutcome> outcome, Diagnostics diagnostics, const ImportOptions& options)
{
    OpenedPlan opened { titleOf(plan.format), outcome->study, outcome, isBare(outcome->study->problem), false };
    return { outcome->study->graph, std::move(diagnostics), options, std::make_shared<const OpenedPlan>(std::move(opened)) };
}

/// Without a model. A problem without offsets is left to the strategies.
Result<OpenedFile> openAlone(const ForeignPlan& plan, Diagnostics diagnostics)
{
    if (plan.hasOffsets) {
        auto outcome = planAlone(plan);
        if (!outcome)
            return std::move(outcome).error();
        return fileOf(plan, *std::move(outcome), std::move(diagnostics), {});
    }
    auto study = makeBareStudy(plan.document.problem);
    if (!study)
        return std::move(study).error();
    auto opened = std::make_shared<const OpenedPlan>(OpenedPlan { titleOf(plan.format), *study, nullptr, true, false });
    return OpenedFile { (*study)->graph, std::move(diagnostics), {}, std::move(opened) };
}

Result<OpenedFile> openOwn(const ForeignPlan& plan, const std::filesystem::path& path, const JobContext& context)
{
    const std::filesystem::path place = modelOfPlan(plan.document, path);
    if (place.empty()) {
        const Error missing { ErrorCode::FileNotFound, path.string(), { "its model '" + plan.document.modelName + "' is not there, so the plan is shown without it" } };
        return openAlone(plan, { { Severity::Warning, missing } });
    }
    ImportOptions options;
    options.shapes = plan.document.shapes;
    options.dims = plan.document.dims;
    auto model = importModel(place, options, context.stop, context.progress);
    if (!model)
        return std::move(model).error();
    auto attached = attachForeignPlan(plan, model->graph, context.stop);
    if (!attached)
        return openAlone(plan, { { Severity::Warning, attached.error() } });
    return fileOf(plan, std::move(attached->outcome), std::move(model->diagnostics), options);
}

/// Half of the model has a place in it, and of that little is otherwise than in the model.
bool belongsTo(const AttachedPlan& attached)
{
    const auto& placements = attached.outcome->plan.placements;
    const auto placed = static_cast<std::size_t>(std::count_if(placements.begin(), placements.end(),
        [](const Placement& placement) { return placement.region.isValid(); }));
    return placed * 2 >= placements.size() && attached.diagnostics.size() * 2 <= placed;
}

Result<OpenedFile> openForeign(const ForeignPlan& plan, const ImportOptions& options, std::shared_ptr<const Graph> shown, const JobContext& context)
{
    if (!shown || shown->info().format == kBareFormat || !plan.hasOffsets)
        return openAlone(plan, plan.diagnostics);
    auto attached = attachForeignPlan(plan, shown, context.stop);
    if (!attached && attached.error().code == ErrorCode::Cancelled)
        return std::move(attached).error();
    if (attached && belongsTo(*attached))
        return fileOf(plan, std::move(attached->outcome), std::move(attached->diagnostics), options);
    Diagnostics diagnostics = plan.diagnostics;
    const std::string what = "it does not fit '" + shown->info().name + "', which was open, and is shown without a model";
    diagnostics.push_back({ Severity::Note, { ErrorCode::PlanMismatch, plan.source, { what } } });
    return openAlone(plan, std::move(diagnostics));
}

Result<OpenedFile> openPlan(const std::filesystem::path& path, const ImportOptions& options, std::shared_ptr<const Graph> shown, const JobContext& context)
{
    const auto plan = importPlan(path);
    if (!plan)
        return plan.error();
    return plan->isOwn ? openOwn(*plan, path, context) : openForeign(*plan, options, std::move(shown), context);
}

/// As the runtime of its format takes it; null where the file has none, or one that cannot be laid out.
std::shared_ptr<const OpenedPlan> planOfModel(const std::shared_ptr<const Graph>& graph, const JobContext& context)
{
    const auto tensors = graph->tensors();
    if (std::none_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return tensor.plannedOffset.has_value(); }))
        return nullptr;
    StudyOptions options;
    options.problem.alignment = preferredAlignment(*graph);
    const auto study = makeStudy(graph, options, context.stop);
    const auto outcome = study ? filePlan(*study) : Result<std::shared_ptr<const PlanOutcome>>(study.error());
    if (!outcome)
        return nullptr;
    return std::make_shared<const OpenedPlan>(OpenedPlan { toQString(graph->info().format), *study, *outcome, false, true });
}

} // namespace

Result<OpenedFile> openFile(const std::filesystem::path& path, const ImportOptions& options, std::shared_ptr<const Graph> shown,
    const JobContext& context)
{
    if (planImporterFor(path))
        return openPlan(path, options, std::move(shown), context);
    auto model = importModel(path, options, context.stop, context.progress);
    if (model) {
        auto plan = planOfModel(model->graph, context);
        return OpenedFile { std::move(model->graph), std::move(model->diagnostics), options, std::move(plan) };
    }
    if (model.error().code == ErrorCode::FormatUnknown) {
        // A table of a plan may come late in a log.
        auto plan = openPlan(path, options, std::move(shown), context);
        if (plan || plan.error().code != ErrorCode::FormatUnknown)
            return plan;
    }
    return std::move(model).error();
}

} // namespace arenascope::ui
