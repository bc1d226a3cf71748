// SPDX-License-Identifier: MIT
#include "app/cli_export.h"

#include "app/cli_output.h"

#include <arenascope/plan_export.h>
#include <arenascope/plan_io.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace arenascope::cli {

namespace {

std::string suffixOf(const std::string& path)
{
    std::string suffix = std::filesystem::path(path).extension().string();
    for (char& c : suffix)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return suffix;
}

bool isPicture(const std::string& path)
{
    const auto pictures = pictureExports();
    return std::any_of(pictures.begin(), pictures.end(), [&](const PictureExport& picture) { return picture.suffix == suffixOf(path); });
}

} // namespace

std::span<const PictureExport> pictureExports()
{
    static constexpr PictureExport kPictures[] = {
        {".svg", "picture: network, arena over time and memory curve"},
        {".pdf", "the same, for print"},
        {".png", "the same, in pixels"},
    };
    return kPictures;
}

std::string exportSuffixes()
{
    std::string list;
    for (const PictureExport& picture : pictureExports())
        list += (list.empty() ? "" : ", ") + std::string(picture.suffix);
    for (const PlanExport& format : planExports())
        list += ", " + std::string(format.suffix);
    return list;
}

std::string exportIds()
{
    std::string list;
    for (const PlanExport& format : planExports())
        list += (list.empty() ? "" : ", ") + std::string(format.id);
    return list;
}

bool isExportPath(const std::string& path)
{
    return isPicture(path) || planExportFor(path) != nullptr;
}

std::string expandExportPath(const std::string& path, const std::string& model)
{
    constexpr std::string_view kMark = "{name}";
    const std::string name = std::filesystem::path(model).stem().string();
    std::string expanded;
    std::size_t begin = 0;
    for (auto at = path.find(kMark); at != std::string::npos; at = path.find(kMark, begin)) {
        expanded += path.substr(begin, at - begin) + name;
        begin = at + kMark.size();
    }
    return expanded + path.substr(begin);
}

Status exportPlan(const std::shared_ptr<const PlanOutcome>& outcome, const ExportTarget& target, const Request& request)
{
    const PlanExport* format = target.format.empty() ? planExportFor(target.path) : findPlanExport(target.format);
    if (!format)
        return exportPicture(outcome, target.path, request.budget);
    const auto content = format->write(*outcome, request.import);
    if (!content)
        return content.error();
    return writeFileAtomically(target.path, *content);
}

int exportAll(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& model, const Request& request)
{
    int code = kGood;
    for (const ExportTarget& target : request.exports) {
        const std::string file = expandExportPath(target.path, model);
        const Status written = exportPlan(outcome, {target.format, file}, request);
        if (written)
            continue;
        complain(written.error(), file);
        code = kBadInput;
    }
    return code;
}

} // namespace arenascope::cli
