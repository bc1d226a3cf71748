// SPDX-License-Identifier: MIT
// `strategies` and `formats`: what this program knows.
#include "app/cli_commands.h"
#include "app/cli_export.h"
#include "app/cli_output.h"

#include <arenascope/importer.h>
#include <arenascope/plan_export.h>
#include <arenascope/plan_import.h>
#include <arenascope/planner.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace arenascope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::pair<ExportGroup, std::string_view> kGroups[] = {
    {ExportGroup::Runtime, "Plans for a runtime out"},
    {ExportGroup::Tool, "Plans for tools out"},
};

std::string strategyList()
{
    std::size_t width = 0;
    for (const Planner* planner : planners())
        width = std::max(width, planner->info().id.size());
    std::string text;
    for (const Planner* planner : planners()) {
        const PlannerInfo info = planner->info();
        text += fmt::format("{:<{}}  {}{}\n", info.id, width, info.summary, info.id == kDefaultStrategy ? " (default)" : "");
    }
    return text;
}

std::string strategyJson()
{
    Json list = Json::array();
    for (const Planner* planner : planners()) {
        const PlannerInfo info = planner->info();
        list.push_back({{"id", info.id},
                        {"title", info.title},
                        {"summary", info.summary},
                        {"needs_branches", info.needsBranches},
                        {"search", info.isSearch},
                        {"default", info.id == kDefaultStrategy}});
    }
    return list.dump(2) + "\n";
}

std::string extensionsOf(const ImporterInfo& info)
{
    std::string text;
    for (const std::string_view extension : info.extensions)
        text += (text.empty() ? "" : " ") + std::string(extension);
    return text;
}

std::string formatList()
{
    std::string text = "Models in:\n";
    for (const Importer* importer : importers())
        text += fmt::format("  {:<22}  {}\n", extensionsOf(importer->info()), importer->info().title);
    text += "Plans in (check, and the window):\n";
    for (const PlanImporter& importer : planImporters())
        text += fmt::format("  {:<22}  {}\n", importer.suffix, importer.title);
    text += "Pictures out (--export):\n";
    for (const PictureExport& picture : pictureExports())
        text += fmt::format("  {:<22}  {}\n", picture.suffix, picture.title);
    for (const auto& [group, title] : kGroups) {
        text += fmt::format("{} (--export, or --export-as ID):\n", title);
        for (const PlanExport& format : planExports()) {
            if (format.group == group)
                text += fmt::format("  {:<22}  {:<13}  {}\n", format.suffix, format.id, format.summary);
        }
    }
    return text;
}

std::string formatJson()
{
    Json in = Json::array();
    for (const Importer* importer : importers()) {
        const ImporterInfo info = importer->info();
        in.push_back({{"id", info.id}, {"title", info.title}, {"extensions", info.extensions}});
    }
    Json plans = Json::array();
    for (const PlanImporter& importer : planImporters())
        plans.push_back({{"id", importer.id}, {"title", importer.title}, {"extension", importer.suffix}});
    Json out = Json::array();
    for (const PictureExport& picture : pictureExports())
        out.push_back({{"extension", picture.suffix}, {"title", picture.title}, {"group", "picture"}});
    for (const PlanExport& format : planExports())
        out.push_back({{"id", format.id}, {"extension", format.suffix}, {"title", format.title}, {"summary", format.summary},
                       {"group", format.group == ExportGroup::Runtime ? "runtime" : "tool"}});
    return Json{{"import", in}, {"import_plan", plans}, {"export", out}}.dump(2) + "\n";
}

} // namespace

int runStrategies(const Request& request)
{
    if (request.json.empty())
        return print(strategyList()), kGood;
    return deliver(strategyJson(), request.json) ? kGood : kBadInput;
}

int runFormats(const Request& request)
{
    if (request.json.empty())
        return print(formatList()), kGood;
    return deliver(formatJson(), request.json) ? kGood : kBadInput;
}

} // namespace arenascope::cli
