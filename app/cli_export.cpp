// SPDX-License-Identifier: MIT
#include "app/cli_export.h"

#include "app/cli_output.h"

#include <arenascope/plan_io.h>

#include <algorithm>
#include <array>
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

} // namespace

bool isExportPath(const std::string& path)
{
    constexpr std::array<std::string_view, 6> kSuffixes = {".svg", ".pdf", ".png", ".dot", ".csv", ".json"};
    return std::find(kSuffixes.begin(), kSuffixes.end(), suffixOf(path)) != kSuffixes.end();
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

Status exportPlan(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& path, const Request& request)
{
    const std::string suffix = suffixOf(path);
    if (suffix == ".dot")
        return writeFileAtomically(path, planToDot(*outcome));
    if (suffix == ".csv")
        return writeFileAtomically(path, planToCsv(*outcome));
    if (suffix == ".json")
        return writeFileAtomically(path, planToJson(*outcome, request.import));
    return exportPicture(outcome, path, request.budget);
}

int exportAll(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& model, const Request& request)
{
    int code = kGood;
    for (const std::string& target : request.exports) {
        const std::string file = expandExportPath(target, model);
        const Status written = exportPlan(outcome, file, request);
        if (written)
            continue;
        complain(written.error(), file);
        code = kBadInput;
    }
    return code;
}

} // namespace arenascope::cli
