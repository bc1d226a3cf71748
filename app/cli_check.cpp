// SPDX-License-Identifier: MIT
// `check`: a plan file of any format, its model, the replay, every clash by name, and how much smaller it could be.
#include "app/cli_answers.h"
#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_plan_file.h"
#include "app/cli_stop.h"

#include <arenascope/plan_import.h>
#include <arenascope/runtime.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace arenascope::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Clashes of the checker and of the replay, as lines.
std::vector<std::string> clashLines(const PlanOutcome& outcome)
{
    std::vector<std::string> lines;
    for (const Validation* validation : {&outcome.placement, &outcome.replay}) {
        for (const Clash& clash : validation->clashes)
            lines.push_back(describe(clash, outcome.study->problem, outcome.study->graph.get()));
    }
    return lines;
}

/// A checked plan, and what is known of others for the same buffers.
struct Checked {
    PlanFile file;
    std::optional<Plan> best; ///< by `auto`; nothing where that was stopped or cannot be
};

std::string exactSize(Bytes bytes)
{
    return fmt::format("{} ({} bytes)", formatBytes(bytes), formatExact(bytes));
}

/// What is proven about all plans: the bound of the study, or of the search.
Bytes boundOf(const Checked& checked)
{
    const Bytes bound = checked.file.outcome->study->lowerBound();
    const bool isOneMemory = checked.file.outcome->study->problem.regions.size() < 2;
    return checked.best && isOneMemory ? std::max(bound, checked.best->provenBound) : bound;
}

std::string comparisonText(const Checked& checked)
{
    const Bytes yours = checked.file.outcome->plan.arenaSize;
    if (!checked.best)
        return fmt::format("  yours {}, bound {}\n", exactSize(yours), exactSize(boundOf(checked)));
    const Bytes best = checked.best->arenaSize;
    std::string text = fmt::format("  yours {}, best here {}, bound {}", exactSize(yours), exactSize(best), exactSize(boundOf(checked)));
    if (best < yours)
        text += fmt::format(": {} less with {}", formatPercent(1.0 - static_cast<double>(best) / static_cast<double>(yours)), checked.best->chosen);
    else if (checked.file.outcome->isValid() && yours == boundOf(checked))
        text += ": proven smallest";
    else if (checked.file.outcome->isValid() && yours < boundOf(checked))
        text += ": below the bound, which is for tensors that share nothing";
    else if (checked.file.outcome->isValid() && best > yours)
        text += ": nothing smaller was found in the time given (--time)";
    return text + "\n";
}

std::string verdictText(const Checked& checked, const std::string& path)
{
    const PlanOutcome& outcome = *checked.file.outcome;
    const auto buffers = outcome.study->problem.buffers.size();
    const std::string head = printable(path) + ": ";
    const std::string arena = exactSize(outcome.plan.arenaSize);
    const char* how = checked.file.hasModel ? "checked and replayed without a clash" : "checked for overlaps without a clash (--model would replay it)";
    const auto overlaps = fileOverlaps(outcome.study->problem, outcome.plan).size();
    std::string notes;
    if (overlaps > 0)
        notes = fmt::format("  {} bytes because the model file has placed them so\n",
                            overlaps == 1 ? "1 pair of buffers shares" : fmt::format("{} pairs of buffers share", overlaps));
    if (outcome.isValid())
        return head + fmt::format("valid: {} buffers in an arena of {}, {}\n", buffers, arena, how) + notes + comparisonText(checked);
    std::string text = head + (checked.file.hasModel ? fmt::format("NOT valid: {} clashes found by the checker, {} by the replay\n",
                                                                   outcome.placement.clashCount, outcome.replay.clashCount)
                                                     : fmt::format("NOT valid: {} clashes found by the checker\n", outcome.placement.clashCount));
    const std::vector<std::string> lines = clashLines(outcome);
    for (const std::string& line : lines)
        text += "  " + printable(line) + "\n";
    const auto all = outcome.placement.clashCount + outcome.replay.clashCount;
    if (all > static_cast<std::int64_t>(lines.size()))
        text += fmt::format("  and {} more\n", all - static_cast<std::int64_t>(lines.size()));
    return text + comparisonText(checked);
}

Json warningsJson(const Diagnostics& diagnostics)
{
    Json list = Json::array();
    for (const Diagnostic& diagnostic : diagnostics)
        list.push_back(describe(diagnostic.error));
    return list;
}

Json bestJson(const Checked& checked)
{
    if (!checked.best)
        return nullptr;
    return {{"arena_bytes", checked.best->arenaSize},
            {"strategy", checked.best->chosen},
            {"completion", completionName(checked.best->completion)}};
}

std::string verdictJson(const Checked& checked, const std::string& path)
{
    const PlanOutcome& outcome = *checked.file.outcome;
    const Json json = {{"plan", path},
                       {"format", checked.file.format},
                       {"model", checked.file.hasModel ? Json(outcome.study->graph->info().name) : Json(nullptr)},
                       {"strategy", outcome.plan.strategy},
                       {"arena_bytes", outcome.plan.arenaSize},
                       {"lower_bound_bytes", boundOf(checked)},
                       {"best", bestJson(checked)},
                       {"buffers", outcome.study->problem.buffers.size()},
                       {"valid", outcome.isValid()},
                       {"clashes", {{"checker", outcome.placement.clashCount}, {"replay", outcome.replay.clashCount}}},
                       {"clash_list", clashLines(outcome)},
                       {"warnings", warningsJson(checked.file.diagnostics)}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<Checked> checkedPlan(const std::string& path, const Request& request)
{
    auto file = loadPlanFile(path, request);
    if (!file)
        return std::move(file).error();
    Checked checked{*std::move(file), std::nullopt};
    auto best = bestPlanFor(*checked.file.outcome, request.planner, stopToken());
    if (best)
        checked.best = *std::move(best);
    return checked;
}

int checkOne(const std::string& path, const Request& request, JsonAnswer& json)
{
    const auto checked = checkedPlan(path, request);
    if (!checked) {
        complain(checked.error(), path);
        json.addError(checked.error(), path);
        return exitCodeOf(checked.error());
    }
    if (checked->file.format != "json")
        tellDiagnostics(checked->file.diagnostics, path, request);
    if (json.isWanted())
        json.add(verdictJson(*checked, path));
    if (json.leavesRoomForText())
        print(verdictText(*checked, path));
    return checked->file.outcome->isValid() ? kGood : kBadPlan;
}

} // namespace

int runCheck(const Request& request)
{
    JsonAnswer json(request);
    const int code = forEachFile(request, [&](const std::string& path) { return checkOne(path, request, json); });
    return worse(code, json.deliver());
}

} // namespace arenascope::cli
