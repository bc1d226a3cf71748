// SPDX-License-Identifier: MIT
// One table of all strategies: arena / bound and CPU seconds, on problems and models of others and on a generated problem.
//     bench_planners [--time SECONDS] [--nodes N] [--strategy ID]... [PROBLEM.csv | MODEL.onnx]...
// Without files: all of problems/ and models/onnx/ beside the checkout, where they are, and 60,000 generated buffers.
// Searches get the budget that is given, or else their own.
#include "bench/generators.h"

#include <arenascope/importer.h>
#include <arenascope/plan_io.h>
#include <arenascope/problem_io.h>
#include <arenascope/study.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace {

using namespace arenascope;
namespace fs = std::filesystem;

double cpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Arguments {
    PlannerOptions options;
    std::vector<const Planner*> strategies;
    std::vector<fs::path> files;
};

/// What a column of the table adds up to.
struct Total {
    double seconds = 0.0;
    double logRatios = 0.0;
    int planned = 0;
    int atBound = 0;
};

class Table {
public:
    explicit Table(const Arguments& arguments) : m_arguments(arguments), m_totals(arguments.strategies.size())
    {
        std::printf("%-34s %8s %15s", "arena / bound, CPU seconds", "buffers", "bound");
        for (const Planner* planner : arguments.strategies)
            std::printf("  %19s", std::string(planner->info().id).c_str());
        std::puts("");
    }

    void row(const std::string& name, const PlacementProblem& problem)
    {
        const Bytes bound = liveProfile(problem).peak;
        std::printf("%-34.34s %8zu %15lld", name.c_str(), problem.buffers.size(), static_cast<long long>(bound));
        for (std::size_t i = 0; i < m_arguments.strategies.size(); ++i)
            cell(*m_arguments.strategies[i], problem, bound, m_totals[i]);
        std::puts("");
        std::fflush(stdout);
    }

    void finish() const
    {
        std::printf("%-59s", "geometric mean, CPU seconds in all");
        for (const Total& total : m_totals)
            std::printf("  %10.4f %8.3f", total.planned > 0 ? std::exp(total.logRatios / total.planned) : 0.0, total.seconds);
        std::printf("\n%-59s", "at the bound, of");
        for (const Total& total : m_totals)
            std::printf("  %10d %8d", total.atBound, total.planned);
        std::puts("");
    }

    bool isGood() const { return m_isGood; }

private:
    void cell(const Planner& planner, const PlacementProblem& problem, Bytes bound, Total& total)
    {
        if (planner.info().needsBranches && problem.branches.empty()) {
            std::printf("  %19s", "-");
            return;
        }
        const double begin = cpuSeconds();
        const auto plan = planner.plan(problem, m_arguments.options, {}, {});
        const double seconds = cpuSeconds() - begin;
        if (!plan) {
            std::printf("  %19s", std::string(errorCodeName(plan.error().code)).c_str());
            return;
        }
        const bool isValid = validatePlan(problem, *plan, 1).isValid();
        const double ratio = bound > 0 ? static_cast<double>(plan->arenaSize) / static_cast<double>(bound) : 1.0;
        std::printf("  %10.4f %8.3f%s", ratio, seconds, isValid ? "" : "!");
        m_isGood = m_isGood && isValid;
        total.seconds += seconds;
        total.logRatios += std::log(std::max(ratio, 1e-9));
        ++total.planned;
        total.atBound += plan->arenaSize == bound;
    }

    const Arguments& m_arguments;
    std::vector<Total> m_totals;
    bool m_isGood = true;
};

bool readArguments(int argc, char** argv, Arguments& arguments)
{
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (!argument.starts_with("--")) {
            arguments.files.emplace_back(argument);
            continue;
        }
        if (value == nullptr)
            return false;
        ++i;
        if (argument == "--time")
            arguments.options.timeBudgetSeconds = std::atof(value);
        else if (argument == "--nodes")
            arguments.options.nodeBudget = std::atoll(value);
        else if (argument == "--strategy" && findPlanner(value) != nullptr)
            arguments.strategies.push_back(findPlanner(value));
        else
            return false;
    }
    if (arguments.strategies.empty())
        arguments.strategies.assign(planners().begin(), planners().end());
    return true;
}

std::vector<fs::path> filesUnder(const fs::path& folder, std::string_view suffix)
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
        if (entry.path().extension() == suffix)
            files.push_back(entry.path());
    }
    if (files.empty())
        std::printf("skipped: there are no %s files in %s\n", std::string(suffix).c_str(), folder.c_str());
    std::sort(files.begin(), files.end());
    return files;
}

void measureFile(Table& table, const fs::path& path)
{
    const std::string name = path.parent_path().filename().string() + "/" + path.filename().string();
    if (path.extension() == ".csv") {
        const auto text = readTextFile(path);
        const auto problem = text ? problemFromCsv(*text, name) : Result<PlacementProblem>(text.error());
        if (problem)
            table.row(name, *problem);
        else
            std::printf("%s\n", describe(problem.error()).c_str());
        return;
    }
    const auto model = importModel(path);
    const auto study = model ? makeStudy(model->graph, {}) : Result<std::shared_ptr<const Study>>(model.error());
    if (study)
        table.row(name, (*study)->problem);
    else
        std::printf("%s: %s\n", name.c_str(), describe(study.error()).c_str());
}

} // namespace

int main(int argc, char** argv)
{
    Arguments arguments;
    if (!readArguments(argc, argv, arguments)) {
        std::puts("usage: bench_planners [--time SECONDS] [--nodes N] [--strategy ID]... [PROBLEM.csv | MODEL.onnx]...");
        return 2;
    }
    const bool all = arguments.files.empty();
    if (all) {
        const fs::path shared = ARENASCOPE_SHARED_DIR;
        for (const auto& [folder, suffix] : {std::pair{"problems/intervals", ".csv"}, {"problems/challenging", ".csv"},
                                             {"problems/large", ".csv"}, {"models/onnx", ".onnx"}}) {
            for (fs::path& path : filesUnder(shared / folder, suffix))
                arguments.files.push_back(std::move(path));
        }
    }
    Table table(arguments);
    for (const fs::path& path : arguments.files)
        measureFile(table, path);
    if (all)
        table.row("generated", generators::networkLikeProblem(60000, 1));
    table.finish();
    return table.isGood() ? 0 : 1;
}
