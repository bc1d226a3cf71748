// SPDX-License-Identifier: MIT
// All strategies side by side.
#include "core/src/report/json.h"
#include "core/src/report/text.h"

#include <fmt/format.h>

namespace arenascope {

namespace {

using namespace report;

double ofNaive(const PlanOutcome& outcome)
{
    const Bytes naive = outcome.study->naive;
    return naive > 0 ? static_cast<double>(outcome.plan.arenaSize) / static_cast<double>(naive) : 0.0;
}

/// A field of CSV by RFC 4180.
std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string field = "\"";
    for (const char c : text) {
        if (c == '"')
            field += '"';
        field += c;
    }
    return field + '"';
}

Json rungJson(const LadderRung& rung)
{
    Json json;
    json["strategy"] = rung.strategy;
    if (!rung.outcome) {
        json["error"] = rung.error ? describe(*rung.error) : std::string();
        return json;
    }
    const PlanOutcome& outcome = *rung.outcome;
    json["arena_bytes"] = outcome.plan.arenaSize;
    json["optimality_gap"] = outcome.optimalityGap();
    json["of_naive"] = ofNaive(outcome);
    json["completion"] = completionName(provenCompletion(outcome));
    json["valid"] = outcome.isValid();
    json["clashes"] = {{"checker", outcome.placement.clashCount}, {"replay", outcome.replay.clashCount}};
    json["planning_seconds"] = outcome.plan.planningSeconds;
    return json;
}

void addRungRow(TextTable& table, const LadderRung& rung)
{
    if (!rung.outcome) {
        table.row({std::string(rung.strategy), "-", "-", "-", "-", "-",
                   rung.error ? printable(describe(*rung.error)) : "failed"});
        return;
    }
    const PlanOutcome& outcome = *rung.outcome;
    std::string verdict = outcome.isValid() ? "valid" : validityText(outcome);
    if (provenCompletion(outcome) == Completion::Optimal)
        verdict += ", optimal";
    else if (isBestForSharedObjects(outcome))
        verdict += ", best for shared objects";
    if (provenCompletion(outcome) == Completion::Interrupted)
        verdict += ", interrupted";
    table.row({std::string(rung.strategy), formatBytes(outcome.plan.arenaSize), formatExact(outcome.plan.arenaSize),
               formatPercent(outcome.optimalityGap()), formatPercent(ofNaive(outcome)),
               secondsText(outcome.plan.planningSeconds), verdict});
}

} // namespace

std::vector<LadderRung> climbLadder(std::shared_ptr<const Study> study, const PlannerOptions& options,
                                    std::stop_token stop, const std::function<void(const LadderRung&)>& rungDone)
{
    std::vector<LadderRung> rungs;
    for (const Planner* planner : planners()) {
        const std::string_view id = planner->info().id;
        if (id == "auto")
            continue;
        if (stop.stop_requested())
            break;
        LadderRung rung{id, nullptr, std::nullopt};
        auto outcome = planStudy(study, id, options, stop);
        if (outcome)
            rung.outcome = *outcome;
        else if (outcome.error().code == ErrorCode::Cancelled)
            break;
        else
            rung.error = outcome.error();
        rungs.push_back(std::move(rung));
        if (rungDone)
            rungDone(rungs.back());
    }
    return rungs;
}

std::string ladderText(const Study& study, std::span<const LadderRung> rungs)
{
    TextTable table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left});
    table.row({"strategy", "arena", "bytes", "gap", "of naive", "planning", "verdict"});
    for (const LadderRung& rung : rungs)
        addRungRow(table, rung);
    return fmt::format("{}: lower bound {}, naive {}\n{}", printable(study.graph->info().name), bothSizes(study.lowerBound()),
                       bothSizes(study.naive), table.text(2));
}

std::string ladderJson(const Study& study, std::span<const LadderRung> rungs, int indent)
{
    Json list = Json::array();
    for (const LadderRung& rung : rungs)
        list.push_back(rungJson(rung));
    Json json;
    json["model"] = study.graph->info().name;
    json["path"] = study.graph->info().path;
    json["operators"] = study.graph->operators().size();
    json["branches"] = study.branches.branches.size();
    json["lower_bound_bytes"] = study.lowerBound();
    json["naive_bytes"] = study.naive;
    json["options"] = optionsJson(study.options);
    json["strategies"] = std::move(list);
    return dump(json, indent);
}

std::string ladderCsv(const Study& study, std::span<const LadderRung> rungs, bool header)
{
    std::string csv;
    if (header) {
        csv += "model,strategy,arena_bytes,lower_bound_bytes,optimality_gap,naive_bytes,of_naive,completion,valid,"
               "planning_seconds,error\n";
    }
    const ModelInfo& info = study.graph->info();
    const std::string model = csvField(info.path.empty() ? info.name : info.path);
    for (const LadderRung& rung : rungs) {
        if (!rung.outcome) {
            csv += fmt::format("{},{},,{},,{},,,,,{}\n", model, rung.strategy, study.lowerBound(), study.naive,
                               csvField(rung.error ? describe(*rung.error) : std::string()));
            continue;
        }
        const PlanOutcome& outcome = *rung.outcome;
        csv += fmt::format("{},{},{},{},{:.6g},{},{:.6g},{},{},{:.6f},\n", model, rung.strategy, outcome.plan.arenaSize,
                           study.lowerBound(), outcome.optimalityGap(), study.naive, ofNaive(outcome),
                           completionName(provenCompletion(outcome)), outcome.isValid(), outcome.plan.planningSeconds);
    }
    return csv;
}

} // namespace arenascope
