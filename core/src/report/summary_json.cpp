// SPDX-License-Identifier: MIT
#include "core/src/report/budget.h"
#include "core/src/report/json.h"
#include "core/src/report/text.h"

#include <arenascope/regions.h>

#include <arenascope/runtime.h>
#include <arenascope/version.h>

#include <algorithm>

namespace arenascope {

namespace report {

namespace {

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    case Severity::Error: break;
    }
    return "error";
}

void addModel(Json& json, const Graph& graph)
{
    const ModelInfo& info = graph.info();
    json["model"] = info.name;
    json["path"] = info.path;
    json["format"] = info.format;
    json["hash"] = info.hash;
}

void addCounts(Json& json, const Study& study, const ByteAccount& account)
{
    const Graph& graph = *study.graph;
    const auto isActivation = [](const Tensor& tensor) { return tensor.isActivation(); };
    json["operators"] = graph.operators().size();
    json["operators_in_file"] = graph.info().operatorsInFile;
    json["operators_folded"] = std::count_if(graph.omissions().begin(), graph.omissions().end(), [](const Omission& o) {
        return o.what == Omission::What::Operator;
    });
    json["operators_dead"] = std::count_if(graph.operators().begin(), graph.operators().end(),
                                           [](const Operator& op) { return op.isDead; });
    json["tensors"] = std::count_if(graph.tensors().begin(), graph.tensors().end(), isActivation);
    json["tensors_in_arena"] = account.counted.size();
    json["buffers"] = study.problem.buffers.size();
    json["branches"] = study.branches.branches.size();
    json["weight_bytes"] = graph.info().weightBytes;
}

/// Several regions only: what each holds, and what the cheaper ones had no room for.
void addRegions(Json& json, const PlanOutcome& outcome)
{
    const PlacementProblem& problem = outcome.study->problem;
    if (outcome.plan.regionSizes.empty())
        return;
    Json regions = Json::array();
    for (std::size_t i = 0; i < outcome.plan.regionSizes.size(); ++i) {
        const MemoryRegion& region = problem.regions[i];
        regions.push_back({{"name", region.name},
                           {"bytes", outcome.plan.regionSizes[i]},
                           {"capacity_bytes", region.capacity ? Json(*region.capacity) : Json(nullptr)}});
    }
    Json spills = Json::array();
    for (const Spill& spill : outcome.plan.spills) {
        const Buffer& buffer = problem.buffer(spill.buffer);
        spills.push_back({{"buffer", buffer.name},
                          {"bytes", buffer.size},
                          {"uses", buffer.uses},
                          {"from", problem.regions[spill.from.index()].name},
                          {"step", spill.step >= 0 ? Json(spill.step) : Json(nullptr)},
                          {"excess_bytes", spill.excess}});
    }
    json["regions"] = std::move(regions);
    json["spills"] = std::move(spills);
}

void addPlan(Json& json, const PlanOutcome& outcome, const ByteAccount& account)
{
    const Study& study = *outcome.study;
    const Plan& plan = outcome.plan;
    json["strategy"] = chosenStrategy(plan);
    json["strategy_asked"] = plan.strategy;
    json["arena_bytes"] = plan.arenaSize;
    json["lower_bound_bytes"] = study.lowerBound();
    json["proven_bound_bytes"] = std::max(plan.provenBound, study.lowerBound());
    json["naive_bytes"] = study.naive;
    json["optimality_gap"] = outcome.optimalityGap();
    json["completion"] = completionName(provenCompletion(outcome));
    json["valid"] = outcome.isValid();
    json["clashes"] = {{"checker", outcome.placement.clashCount}, {"replay", outcome.replay.clashCount}};
    json["elisions"] = {{"count", account.elidedParts}, {"bytes", account.elidedBytes}};
    addRegions(json, outcome);
    json["workspace_bytes"] = study.options.problem.countWorkspace ? account.workspaceBytes : account.workspaceApart;
    json["workspace_counted"] = study.options.problem.countWorkspace;
}

/// Only where there is something to say: other formats have no such runtime.
void addRuntime(Json& json, const PlanOutcome& outcome)
{
    const auto overlaps = fileOverlaps(outcome.study->problem, outcome.plan).size();
    if (overlaps > 0)
        json["file_overlaps"] = overlaps;
    const auto found = tflmReport(outcome.study->graph);
    if (!found || !*found)
        return;
    const TflmReport& report = **found;
    Json tflm{{"today_bytes", report.todayBytes}, {"file_plan", report.hasFilePlan}, {"idle_bytes", report.idleBytes}};
    tflm["offline_bytes"] = report.offlineBytes ? Json(*report.offlineBytes) : Json(nullptr);
    if (report.offlineBytes) {
        tflm["offline_strategy"] = report.offlineStrategy;
        tflm["offline_alias"] = aliasName(report.offlineAlias);
        tflm["offline_completion"] = completionName(report.offlineCompletion);
    } else if (report.whyNotOffline) {
        tflm["offline_error"] = describe(*report.whyNotOffline);
    }
    tflm["bound_bytes"] = report.bound;
    tflm["not_counted"] = "scratch buffers of kernels, persistent bytes";
    json["tflm"] = std::move(tflm);
}

} // namespace

std::string dump(const Json& json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json optionsJson(const StudyOptions& options)
{
    constexpr std::string_view kJoins[] = {"longest", "last", "none"};
    return {{"schedule", scheduleName(options.schedule)},
            {"alias", aliasName(options.alias)},
            {"alignment", options.problem.alignment},
            {"io", ioName(options.problem.io)},
            {"join", kJoins[static_cast<std::size_t>(options.branches.join)]},
            {"workspace", options.problem.countWorkspace ? "count" : "apart"},
            {"concurrency", concurrencyName(options.problem.concurrency)}};
}

Json peakJson(const Study& study)
{
    const PeakReport peak = peakReport(study);
    Json tensors = Json::array();
    for (const TensorId id : peak.tensors) {
        const Tensor& tensor = study.graph->tensor(id);
        tensors.push_back({{"name", tensor.name},
                           {"bytes", tensor.bytes},
                           {"shape", toString(tensor.shape)},
                           {"type", elementTypeName(tensor.type)},
                           {"role", roleName(tensor.role)},
                           {"buffer", study.bufferOf[id.index()].value()}});
    }
    Json json;
    json["step"] = peak.step;
    json["operator"] = peak.op.isValid() ? Json(study.graph->op(peak.op).name) : Json(nullptr);
    json["kind"] = peak.op.isValid() ? Json(study.graph->op(peak.op).kind) : Json(nullptr);
    json["live_bytes"] = peak.liveBytes;
    json["tensors"] = std::move(tensors);
    return json;
}

Json diagnosticsJson(std::span<const Diagnostic> diagnostics)
{
    Json list = Json::array();
    for (const Diagnostic& diagnostic : diagnostics) {
        list.push_back({{"severity", severityName(diagnostic.severity)},
                        {"code", errorCodeName(diagnostic.error.code)},
                        {"where", diagnostic.error.where},
                        {"message", describe(diagnostic.error)}});
    }
    return list;
}

Json summaryObject(const PlanOutcome& outcome, const ReportContext& context)
{
    const Study& study = *outcome.study;
    const ByteAccount account = accountBytes(study);
    Json json;
    addModel(json, *study.graph);
    addCounts(json, study, account);
    addPlan(json, outcome, account);
    json["peak"] = peakJson(study);
    json["options"] = optionsJson(study.options);
    addRuntime(json, outcome);
    json["budget"] = nullptr;
    if (context.budget)
        json["budget"] = budgetJson(context.ways ? *context.ways : BudgetReport{*context.budget, firstMemoryBytes(outcome.plan), {}});
    json["planning_seconds"] = outcome.plan.planningSeconds;
    if (context.seconds >= 0.0)
        json["total_seconds"] = context.seconds;
    json["diagnostics"] = diagnosticsJson(context.diagnostics);
    json["arenascope"] = kVersion;
    return json;
}

} // namespace report

std::string summaryJson(const PlanOutcome& outcome, const ReportContext& context)
{
    return report::dump(report::summaryObject(outcome, context), context.indent);
}

} // namespace arenascope
