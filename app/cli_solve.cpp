// SPDX-License-Identifier: MIT
// `solve`: bare placement problems, without a network.
#include "app/cli_answers.h"
#include "app/cli_commands.h"
#include "app/cli_export.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_problem.h"

#include <arenascope/plan_io.h>
#include <arenascope/problem_io.h>
#include <arenascope/report.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace arenascope::cli {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kMaxNames = 12;
constexpr std::size_t kMaxClashes = 5;

std::string exactBytes(Bytes bytes)
{
    return formatExact(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// "a, b, c and 4 more".
std::string namesOf(const PlacementProblem& problem, const std::vector<BufferId>& buffers)
{
    std::string names;
    for (std::size_t i = 0; i < std::min(buffers.size(), kMaxNames); ++i)
        names += (i > 0 ? ", " : "") + problem.buffer(buffers[i]).name;
    if (buffers.size() > kMaxNames)
        names += fmt::format(" and {} more", buffers.size() - kMaxNames);
    return names;
}

bool isWithin(const Solved& solved, const Request& request)
{
    return !request.planner.capacity || solved.plan.arenaSize <= *request.planner.capacity;
}

/// Why a plan is no answer to a capacity; empty where it is one.
std::string excessText(const PlacementProblem& problem, const Solved& solved, const Request& request)
{
    if (isWithin(solved, request))
        return {};
    const Bytes capacity = *request.planner.capacity;
    const Plan& plan = solved.plan;
    if (plan.verdict == CapacityVerdict::CannotFit && plan.conflict.empty())
        return fmt::format("does not fit {}, proven", exactBytes(capacity));
    if (plan.verdict == CapacityVerdict::CannotFit && plan.conflict.size() == 1)
        return fmt::format("does not fit {}, proven: not even {} does", exactBytes(capacity), namesOf(problem, plan.conflict));
    if (plan.verdict == CapacityVerdict::CannotFit)
        return fmt::format("does not fit {}, proven: these {} buffers cannot fit together, and without any of them they would: {}",
                           exactBytes(capacity), plan.conflict.size(), namesOf(problem, plan.conflict));
    return fmt::format("the arena of {} is {} over the capacity; whether a smaller one exists is not known (at least {} are needed)",
                       exactBytes(plan.arenaSize), exactBytes(plan.arenaSize - capacity), exactBytes(plan.provenBound));
}

std::string fitText(const Solved& solved, Bytes capacity)
{
    if (solved.plan.arenaSize <= capacity)
        return fmt::format("fits, {} to spare", exactBytes(capacity - solved.plan.arenaSize));
    if (solved.plan.verdict == CapacityVerdict::CannotFit)
        return "cannot fit, proven";
    return fmt::format("{} over, not proven", exactBytes(solved.plan.arenaSize - capacity));
}

std::string strategyText(const Plan& plan)
{
    return plan.chosen == plan.strategy ? plan.strategy : plan.chosen + ", chosen by " + plan.strategy;
}

std::string solvedText(const PlacementProblem& problem, const Solved& solved, const Request& request)
{
    const Plan& plan = solved.plan;
    std::string text = fmt::format("{}: {} buffers, {} steps\n", printable(problem.name),
                                   formatExact(static_cast<Bytes>(problem.buffers.size())), formatExact(problem.stepCount));
    const auto line = [&text](std::string_view title, const std::string& value) {
        text += fmt::format("  {:<12} {}\n", title, value);
    };
    line("arena", fmt::format("{} ({})", exactBytes(plan.arenaSize), formatBytes(plan.arenaSize)));
    line("lower bound", exactBytes(liveProfile(problem).peak));
    if (plan.provenBound > liveProfile(problem).peak)
        line("proven bound", exactBytes(plan.provenBound));
    if (plan.chosen == "shared-objects")
        line("objects", fmt::format("{}, which take {} at least", plan.memories.size(), exactBytes(sharedObjectBound(problem))));
    line("gap", formatPercent(solved.gap()));
    line("strategy", strategyText(plan));
    line("completion", completionText(problem, plan));
    if (request.planner.capacity)
        line("capacity", exactBytes(*request.planner.capacity) + ": " + fitText(solved, *request.planner.capacity));
    line("proof", solved.found.isValid() ? "valid by checker" : fmt::format("NOT valid: {} clashes", solved.found.clashCount));
    line("solved in", fmt::format("{:.3f} s, {} positions", plan.planningSeconds, formatExact(plan.nodes)));
    return text;
}

std::string solvedHeader()
{
    return fmt::format("{:>8}  {:>16}  {:>16}  {:>7}  {:>9}  {:<20}  {}\n", "buffers", "arena", "bound", "gap", "seconds",
                       "completion", "problem");
}

std::string solvedLine(const PlacementProblem& problem, const Solved& solved)
{
    return fmt::format("{:>8}  {:>16}  {:>16}  {:>7}  {:>9.3f}  {:<20}  {}\n", problem.buffers.size(),
                       formatExact(solved.plan.arenaSize), formatExact(solved.plan.provenBound), formatPercent(solved.gap()),
                       solved.plan.planningSeconds,
                       solved.found.isValid() ? completionText(problem, solved.plan) : "NOT valid", printable(problem.name));
}

/// Objects with the buffers that take them in turn.
Json objectsJson(const PlacementProblem& problem, const Plan& plan)
{
    Json objects = Json::array();
    for (const PlanMemory& memory : plan.memories)
        objects.push_back({{"offset", memory.offset}, {"size", memory.size}, {"buffers", Json::array()}});
    for (std::size_t i = 0; i < plan.placements.size(); ++i) {
        if (plan.placements[i].memory.isValid())
            objects[plan.placements[i].memory.index()]["buffers"].push_back(problem.buffers[i].name);
    }
    return objects;
}

Json solvedJson(const PlacementProblem& problem, const Solved& solved, const Request& request)
{
    const Plan& plan = solved.plan;
    Json conflict = Json::array();
    for (const BufferId id : plan.conflict)
        conflict.push_back(problem.buffer(id).name);
    Json json = {{"problem", problem.name},
                 {"buffers", problem.buffers.size()},
                 {"steps", problem.stepCount},
                 {"alignment", problem.alignment},
                 {"strategy", plan.strategy},
                 {"chosen", plan.chosen},
                 {"arena_bytes", plan.arenaSize},
                 {"lower_bound_bytes", liveProfile(problem).peak},
                 {"proven_bound_bytes", plan.provenBound},
                 {"optimality_gap", solved.gap()},
                 {"completion", completionName(plan.completion)},
                 {"capacity_bytes", request.planner.capacity ? Json(*request.planner.capacity) : Json()},
                 {"verdict", verdictName(plan.verdict)},
                 {"conflict", conflict},
                 {"valid", solved.found.isValid()},
                 {"nodes", plan.nodes},
                 {"seconds", plan.planningSeconds}};
    if (plan.chosen == "shared-objects") {
        json["shared_object_bound_bytes"] = sharedObjectBound(problem);
        json["objects"] = objectsJson(problem, plan);
    }
    return json;
}

class SolveRun {
public:
    explicit SolveRun(const Request& request) : m_request(request), m_many(request.files.size() > 1), m_json(request) {}

    int run()
    {
        const int code = forEachFile(m_request, [this](const std::string& path) { return solveOne(path); });
        return worse(code, m_json.deliver());
    }

private:
    int solveOne(const std::string& path)
    {
        const auto problem = loadProblem(path, m_request);
        if (!problem)
            return fail(problem.error(), path);
        const auto solved = solveProblem(*problem, m_request.strategy, m_request.planner);
        if (!solved)
            return fail(solved.error(), path);
        report(*problem, *solved);
        const int code = verdictOf(*problem, *solved, path);
        if (m_request.output.empty())
            return code;
        const std::string target = expandExportPath(m_request.output, path);
        return deliver(problemToCsv(*problem, &solved->plan), target) ? code : worse(code, kBadInput);
    }

    int fail(const Error& error, const std::string& path)
    {
        complain(error, path);
        m_json.addError(error, path);
        return exitCodeOf(error);
    }

    void report(const PlacementProblem& problem, const Solved& solved)
    {
        if (m_json.isWanted())
            m_json.add(solvedJson(problem, solved, m_request).dump(2, ' ', false, Json::error_handler_t::replace));
        if (!m_json.leavesRoomForText() || m_request.output == "-")
            return;
        if (!m_many)
            print(solvedText(problem, solved, m_request));
        else
            print((std::exchange(m_headerDone, true) ? "" : solvedHeader()) + solvedLine(problem, solved));
    }

    int verdictOf(const PlacementProblem& problem, const Solved& solved, const std::string& path) const
    {
        if (!solved.found.isValid()) {
            complain(fmt::format("{}: the plan of strategy {} is not valid: {} clashes", path, solved.plan.strategy,
                                 solved.found.clashCount));
            for (std::size_t i = 0; i < std::min(solved.found.clashes.size(), kMaxClashes); ++i)
                complain(path + ": " + describe(solved.found.clashes[i], problem, nullptr));
            return kBadPlan;
        }
        const std::string excess = excessText(problem, solved, m_request);
        if (excess.empty())
            return kGood;
        complain(path + ": " + excess);
        return kBadPlan;
    }

    const Request& m_request;
    const bool m_many;
    bool m_headerDone = false;
    JsonAnswer m_json;
};

} // namespace

int runSolve(const Request& request)
{
    return SolveRun(request).run();
}

} // namespace arenascope::cli
