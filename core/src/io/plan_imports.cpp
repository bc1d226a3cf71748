// SPDX-License-Identifier: MIT
// All formats that plans are read from: a new one is one file and one line here.
#include <arenascope/plan_import.h>

#include "core/src/io/file_descriptor.h"
#include "core/src/io/foreign_plan.h"
#include "core/src/io/plan_words.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <system_error>

namespace arenascope {

namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::string_view kAssignment = "-buffer-assignment.txt";
constexpr std::string_view kRanges = "-live-range.txt";

bool holds(std::string_view head, std::string_view text)
{
    return head.find(text) != std::string_view::npos;
}

bool hasSuffix(const std::filesystem::path& path, std::string_view suffix)
{
    std::string name = path.filename().string();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return name.ends_with(suffix);
}

/// Reads a whole file and gives it to a reader of text.
template <Result<ForeignPlan> (*Read)(std::string_view, const std::string&)>
Result<ForeignPlan> readText(const std::filesystem::path& path)
{
    const auto text = readTextFile(path);
    if (!text)
        return text.error();
    return Read(*text, path.string());
}

int probeJson(std::string_view head, const std::filesystem::path&)
{
    const std::size_t begin = head.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    const bool isObject = begin != std::string_view::npos && head[begin] == '{';
    return isObject && holds(head, io::kPlanFormat) ? 100 : 0;
}

Result<ForeignPlan> ownPlan(std::string_view text, const std::string& where)
{
    auto document = planFromJson(text, where);
    if (!document)
        return std::move(document).error();
    ForeignPlan plan;
    plan.format = "json";
    plan.source = where;
    plan.document = *std::move(document);
    plan.isOwn = true;
    plan.alignment = plan.document.problem.alignment;
    return plan;
}

/// The first line names a begin and a size.
int probeCsv(std::string_view head, const std::filesystem::path& path)
{
    const std::string_view line = head.substr(0, head.find('\n'));
    const bool isHeader = holds(line, ",") && holds(line, "size") && (holds(line, "lower") || holds(line, "start") || holds(line, "begin"));
    if (isHeader)
        return 90;
    return hasSuffix(path, ".csv") ? 40 : 0;
}

int probeVela(std::string_view head, const std::filesystem::path& path)
{
    if (holds(head, "Start Time -") && holds(head, "Start Addr"))
        return 95;
    return hasSuffix(path, ".vela.txt") ? 60 : 0;
}

int probeXla(std::string_view head, const std::filesystem::path& path)
{
    if (hasSuffix(path, kAssignment) || hasSuffix(path, kRanges))
        return 95;
    return holds(head, "HloLiveRange (max ") || holds(head, "BufferAssignment:\n") ? 80 : 0;
}

/// Both files have the same name up to what they are; either may be given.
Result<ForeignPlan> readXla(const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    const bool isRanges = hasSuffix(path, kRanges);
    if (!isRanges && !hasSuffix(path, kAssignment))
        return Error{ErrorCode::Unsupported, path.string(), {"A dump of XLA under another name", "Let the pair end in " + std::string(kAssignment) + " and " + std::string(kRanges) + "."}};
    const std::string stem = name.substr(0, name.size() - (isRanges ? kRanges : kAssignment).size());
    const auto assignment = readTextFile(path.parent_path() / (stem + std::string(kAssignment)));
    if (!assignment)
        return assignment.error();
    const auto ranges = readTextFile(path.parent_path() / (stem + std::string(kRanges)));
    if (!ranges)
        return ranges.error();
    return planFromXla(*assignment, *ranges, path.string());
}

constexpr std::array kImporters = {
    PlanImporter{"json", "JSON plan", ".json", probeJson, readText<ownPlan>},
    PlanImporter{"csv", "CSV of buffers (MiniMalloc)", ".csv", probeCsv, readText<planFromCsv>},
    PlanImporter{"vela", "Vela allocation table", ".vela.txt", probeVela, readText<planFromVela>},
    PlanImporter{"xla", "XLA dump pair", kAssignment, probeXla, readXla},
};

std::string headOf(const std::filesystem::path& path)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return {};
    std::ifstream file(path, std::ios::binary);
    std::string head(kHeadBytes, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    return head;
}

} // namespace

std::span<const PlanImporter> planImporters()
{
    return kImporters;
}

const PlanImporter* planImporterFor(const std::filesystem::path& path)
{
    const std::string head = headOf(path);
    const PlanImporter* best = nullptr;
    int certainty = 0;
    for (const PlanImporter& importer : kImporters) {
        const int own = head.empty() ? 0 : importer.probe(head, path);
        if (own > certainty) {
            certainty = own;
            best = &importer;
        }
    }
    return best;
}

std::filesystem::path modelOfPlan(const PlanDocument& document, const std::filesystem::path& plan)
{
    const std::filesystem::path written = document.modelPath.empty() ? document.modelName : document.modelPath;
    std::error_code ignored;
    for (const std::filesystem::path& place : {plan.parent_path() / written, written, plan.parent_path() / written.filename()}) {
        if (!written.empty() && std::filesystem::is_regular_file(place, ignored)) // an absolute path stays itself in the first
            return place;
    }
    return {};
}

Result<ForeignPlan> importPlan(const std::filesystem::path& path)
{
    if (const PlanImporter* importer = planImporterFor(path))
        return importer->read(path);
    if (const auto file = openRegularFile(path); !file)
        return file.error();
    // The table may come late in a long log.
    const auto text = readTextFile(path);
    if (!text)
        return text.error();
    if (holds(*text, "Start Time -") && holds(*text, "Start Addr"))
        return planFromVela(*text, path.string());
    return Error{ErrorCode::FormatUnknown, path.string(), {}};
}

} // namespace arenascope
