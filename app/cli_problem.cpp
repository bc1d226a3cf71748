// SPDX-License-Identifier: MIT
#include "app/cli_problem.h"

#include "app/cli_stop.h"

#include <arenascope/plan_io.h>
#include <arenascope/problem_io.h>
#include <arenascope/report.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

namespace arenascope::cli {

namespace {

/// The header of a problem names a size and a begin; binary models have neither in their first line.
bool isProblemHeader(std::string_view line)
{
    const auto has = [line](std::string_view column) {
        for (auto at = line.find(column); at != std::string_view::npos; at = line.find(column, at + 1)) {
            const auto end = at + column.size();
            const bool begins = at == 0 || line[at - 1] == ',' || static_cast<unsigned char>(line[at - 1]) == 0xBF;
            if (begins && (end == line.size() || line[end] == ',' || line[end] == '\r'))
                return true;
        }
        return false;
    };
    return has("size") && (has("lower") || has("start") || has("begin"));
}

/// Sums of rounded sizes fit 63 bits, as planners may take for granted.
Status checkSum(const PlacementProblem& problem)
{
    Bytes sum = 0;
    for (const Buffer& buffer : problem.buffers) {
        const auto reserved = checkedAlignUp(buffer.size, problem.alignment);
        const auto more = reserved ? checkedAdd(sum, *reserved) : std::nullopt;
        if (!more)
            return Error{ErrorCode::SizeOverflow, problem.name, {"all buffers together, up to '" + buffer.name + "'"}};
        sum = *more;
    }
    return Ok{};
}

} // namespace

bool looksLikeProblem(const std::string& path)
{
    std::string suffix = std::filesystem::path(path).extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (suffix == ".csv")
        return true;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored))
        return false;
    std::ifstream file(path, std::ios::binary);
    char head[256] = {};
    file.read(head, sizeof head);
    const std::string_view text(head, static_cast<std::size_t>(file.gcount()));
    return isProblemHeader(text.substr(0, text.find('\n')));
}

Result<PlacementProblem> loadProblem(const std::string& path, const Request& request)
{
    const auto text = readTextFile(path);
    if (!text)
        return text.error();
    auto problem = problemFromCsv(*text, path);
    if (!problem)
        return problem;
    problem->alignment = request.problemAlignment;
    if (const Status sum = checkSum(*problem); !sum)
        return sum.error();
    return problem;
}

double Solved::gap() const
{
    return plan.provenBound > 0 ? static_cast<double>(plan.arenaSize) / static_cast<double>(plan.provenBound) - 1.0 : 0.0;
}

Result<Solved> solveProblem(const PlacementProblem& problem, std::string_view strategy, const PlannerOptions& options)
{
    const Planner* planner = findPlanner(strategy);
    if (planner == nullptr)
        return Error{ErrorCode::UnknownName, problem.name, {"strategy", std::string(strategy), "see arenascope-cli strategies"}};
    auto plan = planner->plan(problem, options, stopToken(), {});
    if (!plan)
        return plan.error();
    Validation found = validatePlan(problem, *plan);
    return Solved{std::move(plan).value(), std::move(found)};
}

std::string completionText(const PlacementProblem& problem, const Plan& plan)
{
    if (plan.completion == Completion::Optimal)
        return "optimal";
    if (plan.chosen == "shared-objects" && plan.arenaSize == sharedObjectBound(problem))
        return "best for shared objects";
    return plan.completion == Completion::BestKnown ? "best known" : std::string(completionName(plan.completion));
}

std::vector<ProblemRung> climbProblemLadder(const PlacementProblem& problem, const PlannerOptions& options)
{
    std::vector<ProblemRung> rungs;
    for (const Planner* planner : planners()) {
        const PlannerInfo about = planner->info();
        if (about.needsBranches || about.id == kDefaultStrategy)
            continue;
        auto solved = solveProblem(problem, about.id, options);
        if (!solved && solved.error().code == ErrorCode::Cancelled)
            break;
        rungs.push_back({about.id, std::move(solved)});
        if (stopToken().stop_requested())
            break;
    }
    return rungs;
}

} // namespace arenascope::cli
