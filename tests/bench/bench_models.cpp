// SPDX-License-Identifier: MIT
// What each rung and option makes of real models, as a table in Markdown: resources/measured.md holds its output.
//     bench_models [--time SECONDS] [MODEL.onnx]...
// Without files: all of models/onnx/ beside the checkout. Alignment 64, order of the file unless said otherwise.
#include <arenascope/importer.h>
#include <arenascope/report.h>
#include <arenascope/study.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace arenascope;
namespace fs = std::filesystem;

struct Column {
    const char* title;
    const char* strategy;
    AliasMode alias;
    ScheduleKind schedule;
};

constexpr Column kColumns[] = {
    {"naive", "naive", AliasMode::None, ScheduleKind::File},
    {"pingpong", "pingpong", AliasMode::None, ScheduleKind::File},
    {"pooled", "pingpong-pooled", AliasMode::None, ScheduleKind::File},
    {"greedy", "greedy-by-size", AliasMode::None, ScheduleKind::File},
    {"auto", "auto", AliasMode::None, ScheduleKind::File},
    {"auto, in place", "auto", AliasMode::InPlace, ScheduleKind::File},
    {"auto, all, best order", "auto", AliasMode::All, ScheduleKind::MinPeak},
};

/// The arena, in bold where it is proven that no smaller one exists.
std::string cell(const std::shared_ptr<const Graph>& graph, const Column& column, const PlannerOptions& planning, Bytes& bound)
{
    StudyOptions options;
    options.alias = column.alias;
    options.schedule = column.schedule;
    const auto study = makeStudy(graph, options);
    if (!study)
        return std::string(errorCodeName(study.error().code));
    const auto outcome = planStudy(*study, column.strategy, planning);
    if (!outcome)
        return std::string(errorCodeName(outcome.error().code));
    if (!(*outcome)->isValid())
        return "INVALID";
    bound = (*study)->profile.peak;
    const std::string size = formatBytes((*outcome)->plan.arenaSize);
    return provenCompletion(**outcome) == Completion::Optimal ? "**" + size + "**" : size;
}

void row(const fs::path& path, const PlannerOptions& planning)
{
    const auto imported = importModel(path);
    if (!imported) {
        std::printf("| %s | %s |\n", path.stem().c_str(), std::string(errorCodeName(imported.error().code)).c_str());
        return;
    }
    if (const auto study = makeStudy(imported->graph, {}); !study) {
        std::printf("| %s | %zu | %s; see `--dim` and `--shape` |\n", path.stem().c_str(), imported->graph->operators().size(),
                    std::string(errorCodeName(study.error().code)).c_str());
        return;
    }
    std::printf("| %s | %zu |", path.stem().c_str(), imported->graph->operators().size());
    Bytes bound = 0;
    std::string bounds;
    for (const Column& column : kColumns) {
        std::printf(" %s |", cell(imported->graph, column, planning, bound).c_str());
        if (std::string_view(column.title) == "auto")
            bounds = formatBytes(bound);
    }
    std::printf(" %s |\n", bounds.c_str());
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    PlannerOptions planning;
    std::vector<fs::path> files;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--time" && i + 1 < argc)
            planning.timeBudgetSeconds = std::atof(argv[++i]);
        else
            files.emplace_back(argv[i]);
    }
    if (files.empty()) {
        const fs::path folder = fs::path(ARENASCOPE_SHARED_DIR) / "models/onnx";
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            if (entry.path().extension() == ".onnx")
                files.push_back(entry.path());
        }
        if (files.empty()) {
            std::printf("skipped: there are no models in %s\n", folder.c_str());
            return 0;
        }
    }
    std::sort(files.begin(), files.end());
    std::printf("| model | operators |");
    for (const Column& column : kColumns)
        std::printf(" %s |", column.title);
    std::printf(" bound |\n|---|---:|");
    for (std::size_t i = 0; i <= std::size(kColumns); ++i)
        std::printf("---:|");
    std::puts("");
    for (const fs::path& file : files)
        row(file, planning);
}
