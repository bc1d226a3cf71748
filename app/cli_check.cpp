// SPDX-License-Identifier: MIT
// `check`: a plan file, its model, the replay, every clash by name.
#include "app/cli_answers.h"
#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

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

std::string verdictText(const PlanOutcome& outcome, const std::string& path)
{
    const auto buffers = outcome.study->problem.buffers.size();
    const std::string head = printable(path) + ": ";
    const std::string arena = formatBytes(outcome.plan.arenaSize) + " (" + formatExact(outcome.plan.arenaSize) + " bytes)";
    if (outcome.isValid())
        return head + fmt::format("valid: {} buffers in an arena of {}, checked and replayed without a clash\n", buffers, arena);
    std::string text = head + fmt::format("NOT valid: {} clashes found by the checker, {} by the replay\n",
                                          outcome.placement.clashCount, outcome.replay.clashCount);
    const std::vector<std::string> lines = clashLines(outcome);
    for (const std::string& line : lines)
        text += "  " + printable(line) + "\n";
    const auto all = outcome.placement.clashCount + outcome.replay.clashCount;
    if (all > static_cast<std::int64_t>(lines.size()))
        text += fmt::format("  and {} more\n", all - static_cast<std::int64_t>(lines.size()));
    return text;
}

std::string verdictJson(const PlanOutcome& outcome, const std::string& path)
{
    const Json json = {{"plan", path},
                       {"model", outcome.study->graph->info().name},
                       {"strategy", outcome.plan.strategy},
                       {"arena_bytes", outcome.plan.arenaSize},
                       {"lower_bound_bytes", outcome.study->lowerBound()},
                       {"buffers", outcome.study->problem.buffers.size()},
                       {"valid", outcome.isValid()},
                       {"clashes", {{"checker", outcome.placement.clashCount}, {"replay", outcome.replay.clashCount}}},
                       {"clash_list", clashLines(outcome)}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

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

Result<PlannedModel> replayed(const std::string& path, const Request& request)
{
    const auto document = readPlan(path);
    if (!document)
        return document.error();
    const auto model = findModel(*document, path, request);
    if (!model)
        return model.error();
    return attachToModel(*document, *model, request);
}

int checkOne(const std::string& path, const Request& request, JsonAnswer& json)
{
    const auto found = replayed(path, request);
    if (!found) {
        complain(found.error(), path);
        json.addError(found.error(), path);
        return exitCodeOf(found.error());
    }
    const PlanOutcome& outcome = *found->outcome;
    if (json.isWanted())
        json.add(verdictJson(outcome, path));
    if (json.leavesRoomForText())
        print(verdictText(outcome, path));
    return outcome.isValid() ? kGood : kBadPlan;
}

} // namespace

int runCheck(const Request& request)
{
    JsonAnswer json(request);
    const int code = forEachFile(request, [&](const std::string& path) { return checkOne(path, request, json); });
    return worse(code, json.deliver());
}

} // namespace arenascope::cli
