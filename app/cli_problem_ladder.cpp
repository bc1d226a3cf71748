// SPDX-License-Identifier: MIT
// The ladder of strategies for a bare placement problem, as text, JSON and CSV.
#include "app/cli_problem.h"

#include <arenascope/report.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace arenascope::cli {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

double ofNaive(const PlacementProblem& problem, const Plan& plan)
{
    const Bytes naive = naiveBytes(problem);
    return naive > 0 ? static_cast<double>(plan.arenaSize) / static_cast<double>(naive) : 0.0;
}

Row rowOf(const PlacementProblem& problem, const ProblemRung& rung)
{
    if (!rung.solved)
        return {std::string(rung.strategy), "-", "-", "-", "-", "-", printable(describe(rung.solved.error()))};
    const Plan& plan = rung.solved->plan;
    std::string verdict = rung.solved->found.isValid() ? "valid" : "NOT valid";
    if (const std::string completion = completionText(problem, plan); completion != "heuristic")
        verdict += ", " + completion;
    return {std::string(rung.strategy),
            formatBytes(plan.arenaSize),
            formatExact(plan.arenaSize),
            formatPercent(rung.solved->gap()),
            formatPercent(ofNaive(problem, plan)),
            fmt::format("{:.2f} ms", plan.planningSeconds * 1e3),
            verdict};
}

Json rungJson(const PlacementProblem& problem, const ProblemRung& rung)
{
    if (!rung.solved)
        return {{"strategy", rung.strategy}, {"error", describe(rung.solved.error())}};
    const Plan& plan = rung.solved->plan;
    return {{"strategy", rung.strategy},
            {"arena_bytes", plan.arenaSize},
            {"proven_bound_bytes", plan.provenBound},
            {"optimality_gap", rung.solved->gap()},
            {"of_naive", ofNaive(problem, plan)},
            {"completion", completionName(plan.completion)},
            {"valid", rung.solved->found.isValid()},
            {"nodes", plan.nodes},
            {"planning_seconds", plan.planningSeconds}};
}

/// A field of CSV by RFC 4180.
std::string csvField(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
        return std::string(text);
    std::string field = "\"";
    for (const char c : text)
        field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + '"';
}

} // namespace

std::string problemLadderText(const PlacementProblem& problem, const std::vector<ProblemRung>& rungs)
{
    std::vector<Row> rows = {{"strategy", "arena", "bytes", "gap", "of naive", "planning", "verdict"}};
    for (const ProblemRung& rung : rungs)
        rows.push_back(rowOf(problem, rung));
    std::array<std::size_t, kColumns> widths{};
    for (const Row& row : rows) {
        for (std::size_t i = 0; i + 1 < kColumns; ++i)
            widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text = fmt::format("{}: {} buffers, lower bound {} bytes, naive {} bytes\n", printable(problem.name),
                                   formatExact(static_cast<Bytes>(problem.buffers.size())),
                                   formatExact(liveProfile(problem).peak), formatExact(naiveBytes(problem)));
    for (const Row& row : rows) {
        text += fmt::format("  {:<{}}", row[0], widths[0]);
        for (std::size_t i = 1; i + 1 < kColumns; ++i)
            text += fmt::format("  {:>{}}", row[i], widths[i]);
        text += "  " + row.back() + "\n";
    }
    return text;
}

std::string problemLadderJson(const PlacementProblem& problem, const std::vector<ProblemRung>& rungs)
{
    Json list = Json::array();
    for (const ProblemRung& rung : rungs)
        list.push_back(rungJson(problem, rung));
    const Json json = {{"problem", problem.name},
                       {"buffers", problem.buffers.size()},
                       {"steps", problem.stepCount},
                       {"lower_bound_bytes", liveProfile(problem).peak},
                       {"shared_object_bound_bytes", sharedObjectBound(problem)},
                       {"naive_bytes", naiveBytes(problem)},
                       {"alignment", problem.alignment},
                       {"strategies", list}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string problemLadderCsv(const PlacementProblem& problem, const std::vector<ProblemRung>& rungs, bool header)
{
    std::string csv;
    if (header) {
        csv += "model,strategy,arena_bytes,lower_bound_bytes,optimality_gap,naive_bytes,of_naive,completion,valid,"
               "planning_seconds,error\n";
    }
    const Bytes bound = liveProfile(problem).peak;
    const Bytes naive = naiveBytes(problem);
    for (const ProblemRung& rung : rungs) {
        const std::string name = csvField(problem.name);
        if (!rung.solved) {
            csv += fmt::format("{},{},,{},,{},,,,,{}\n", name, rung.strategy, bound, naive, csvField(describe(rung.solved.error())));
            continue;
        }
        const Plan& plan = rung.solved->plan;
        csv += fmt::format("{},{},{},{},{:.6g},{},{:.6g},{},{},{:.6f},\n", name, rung.strategy, plan.arenaSize, bound,
                           rung.solved->gap(), naive, ofNaive(problem, plan), completionName(plan.completion),
                           rung.solved->found.isValid(), plan.planningSeconds);
    }
    return csv;
}

} // namespace arenascope::cli
