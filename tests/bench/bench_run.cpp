// SPDX-License-Identifier: MIT
// Runs real models in their arenas, as a table in Markdown: which run, whether every plan gives the same bits as memory of
// its own for every tensor, and what that takes. resources/measured.md holds its output.
//     bench_run [--every-strategy] [--guard] [--repeat N] [--dump FOLDER] [MODEL]...
// Without files: all ONNX models beside the checkout. Each alias option is planned with a few strategies, or with all.
// --dump writes inputs and outputs, which compare_onnxruntime.js compares with ONNX Runtime.
#include <arenascope/executor.h>
#include <arenascope/importer.h>
#include <arenascope/report.h>
#include <arenascope/study.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace arenascope;
namespace fs = std::filesystem;

struct Settings {
    bool everyStrategy = false;
    fs::path dump;
    RunOptions run;
};

std::vector<std::string> strategiesOf(const Settings& settings)
{
    if (!settings.everyStrategy)
        return {"naive", "pingpong", "pingpong-pooled", "greedy-by-size"};
    std::vector<std::string> ids;
    for (const Planner* planner : planners())
        ids.emplace_back(planner->info().id);
    return ids;
}

/// "12 of 14 operators; Scan: it has a body of its own (2)"
std::string refusalText(const RunSupport& support)
{
    std::map<std::string, int> reasons;
    for (const Diagnostic& refusal : support.refusals) {
        const auto& args = refusal.error.args;
        ++reasons[refusal.error.code == ErrorCode::CannotRun && args.size() == 3 ? args[1] + ": " + args[2]
                                                                                  : describe(refusal.error)];
    }
    std::string text = std::to_string(support.runnable) + " of " + std::to_string(support.operators) + " operators";
    for (const auto& [reason, count] : reasons)
        text += "; " + reason + " (" + std::to_string(count) + ")";
    return text;
}

struct Totals {
    int plans = 0;
    int identical = 0;
    std::string problem; ///< the first
};

void runPlan(const std::shared_ptr<const Study>& study, const std::string& strategy, const Settings& settings, Totals& totals,
             RunReport& last)
{
    PlannerOptions planning;
    planning.nodeBudget = 20000;
    const auto outcome = planStudy(study, strategy, planning);
    if (!outcome)
        return; // some strategies do not know gaps or branches: no plan, nothing to run
    ++totals.plans;
    auto report = runNetwork(*study, &(*outcome)->plan, {}, settings.run);
    const std::string where = strategy + ", alias " + std::string(aliasName(study->options.alias)) + ": ";
    if (!report) {
        totals.problem = totals.problem.empty() ? where + describe(report.error()) : totals.problem;
        return;
    }
    totals.identical += report->bitIdentical ? 1 : 0;
    if (!report->violations.empty() && totals.problem.empty())
        totals.problem = where + describe(report->violations.front(), *study->graph);
    else if (!report->bitIdentical && totals.problem.empty())
        totals.problem = where + "'" + study->graph->tensor(report->firstDifference->tensor).name + "' differs";
    last = std::move(*report);
}

std::string dumpTensor(const fs::path& folder, const std::string& prefix, int number, const Tensor& tensor,
                       const TensorContent& content)
{
    const std::string file = prefix + std::to_string(number) + ".raw";
    std::ofstream(folder / file, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.bytes.data()), std::ssize(content.bytes));
    std::string dims;
    for (const std::int64_t extent : tensor.shape.dims)
        dims += (dims.empty() ? "" : ",") + std::to_string(extent);
    return "{\"name\":\"" + tensor.name + "\",\"type\":\"" + std::string(elementTypeName(tensor.type)) + "\",\"dims\":[" + dims
        + "],\"file\":\"" + file + "\"}";
}

/// Inputs (the same random ones that a run makes) and outputs of one model.
void dump(const fs::path& model, const Graph& graph, const RunReport& report, const fs::path& parent)
{
    const fs::path folder = parent / model.stem();
    fs::create_directories(folder);
    std::string inputs, outputs;
    for (const TensorId id : graph.inputs()) {
        if (const auto content = makeInput(graph, id, InputFill::Random, 1))
            inputs += (inputs.empty() ? "" : ",") + dumpTensor(folder, "input", id.value(), graph.tensor(id), *content);
    }
    for (const auto& [id, content] : report.outputs)
        outputs += (outputs.empty() ? "" : ",") + dumpTensor(folder, "output", id.value(), graph.tensor(id), content);
    std::ofstream(folder / "index.json") << "{\"model\":\"" << fs::absolute(model).string() << "\",\"inputs\":[" << inputs
                                         << "],\"outputs\":[" << outputs << "]}\n";
}

/// Shapes of the inputs of files that leave them open: from models/onnx.tsv, whose third column has "name[1, 3]:f32; ...".
ImportOptions importOptionsFor(const fs::path& path)
{
    ImportOptions options;
    std::ifstream table(fs::path(ARENASCOPE_SHARED_DIR) / "models/onnx.tsv");
    for (std::string line; std::getline(table, line);) {
        std::vector<std::string> cells(1);
        for (const char c : line)
            c == '\t' ? void(cells.emplace_back()) : cells.back().push_back(c);
        const std::string name = fs::path(cells[0]).filename().string();
        if (cells.size() < 3 || name != path.filename().string() || cells[1] != "ok")
            continue;
        std::istringstream inputs(cells[2]);
        for (std::string input; std::getline(inputs >> std::ws, input, ';');) {
            const std::size_t open = input.rfind('[');
            std::istringstream extents(input.substr(open + 1));
            std::vector<std::int64_t> dims;
            for (std::string extent; open != std::string::npos && std::getline(extents, extent, ',');)
                dims.push_back(std::atoll(extent.c_str()));
            if (open != std::string::npos && input.find("[]") == std::string::npos)
                options.shapes[input.substr(0, open)] = dims;
        }
    }
    return options;
}

void row(const fs::path& path, const Settings& settings)
{
    std::printf("| %s |", path.stem().c_str());
    auto imported = importModel(path, importOptionsFor(path));
    if (!imported)
        imported = importModel(path);
    if (!imported) {
        std::printf(" | %s |\n", describe(imported.error()).c_str());
        return;
    }
    const RunSupport support = runSupport(*imported->graph);
    std::printf(" %lld |", static_cast<long long>(support.operators));
    if (!support.isComplete()) {
        std::printf(" %s |\n", refusalText(support).c_str());
        return;
    }
    Totals totals;
    RunReport last;
    for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All}) {
        StudyOptions options;
        options.alias = alias;
        const auto study = makeStudy(imported->graph, options);
        if (!study) {
            std::printf(" %s |\n", describe(study.error()).c_str());
            return;
        }
        for (const std::string& strategy : strategiesOf(settings))
            runPlan(*study, strategy, settings, totals, last);
    }
    if (totals.identical != totals.plans || totals.plans == 0) {
        std::printf(" %d of %d plans bit-identical; %s |\n", totals.identical, totals.plans, totals.problem.c_str());
        return;
    }
    if (!settings.dump.empty())
        dump(path, *imported->graph, last, settings.dump);
    const auto rss = [&](Bytes peak) { return peak > 0 ? formatBytes(std::max<Bytes>(peak - last.peakRssLoaded, 0)) : "?"; };
    std::printf(" %d of %d plans bit-identical | %s | %s | %s | %s | %s | %.1f | %.1f |\n", totals.identical, totals.plans,
                formatBytes(last.unplannedBytes).c_str(), formatBytes(last.arenaBytes).c_str(),
                formatBytes(last.workspaceBytes).c_str(), rss(last.peakRssUnplanned).c_str(), rss(last.peakRssArena).c_str(),
                last.secondsUnplanned * 1e3, last.secondsArena * 1e3);
    std::fflush(stdout);
}

std::vector<fs::path> allModels()
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ARENASCOPE_SHARED_DIR) / "models", error)) {
        const bool isBroken = entry.path().parent_path().filename() == "broken";
        if (entry.path().extension() == ".onnx" && !isBroken)
            files.push_back(entry.path());
    }
    return files;
}

} // namespace

int main(int argc, char** argv)
{
    Settings settings;
    std::vector<fs::path> files;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument(argv[i]);
        if (argument == "--every-strategy")
            settings.everyStrategy = true;
        else if (argument == "--guard")
            settings.run.guard = true;
        else if (argument == "--dump" && i + 1 < argc)
            settings.dump = argv[++i];
        else if (argument == "--repeat" && i + 1 < argc)
            settings.run.repeat = std::atoi(argv[++i]);
        else
            files.emplace_back(argv[i]);
    }
    if (files.empty())
        files = allModels();
    if (files.empty()) {
        std::printf("skipped: there are no models in %s\n", ARENASCOPE_SHARED_DIR "/models");
        return 0;
    }
    std::sort(files.begin(), files.end());
    std::puts("| model | operators | result | tensors | arena | workspace | resident, unplanned | resident, arena | ms, unplanned | ms, arena |");
    std::puts("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|");
    for (const fs::path& file : files)
        row(file, settings);
}
