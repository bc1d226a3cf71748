// SPDX-License-Identifier: MIT
// `compare`: the ladder of strategies.
#include "app/cli_answers.h"
#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_problem.h"
#include "app/cli_stop.h"

#include <algorithm>
#include <utility>

namespace arenascope::cli {

namespace {

bool allValid(std::span<const LadderRung> rungs)
{
    return std::all_of(rungs.begin(), rungs.end(),
                       [](const LadderRung& rung) { return !rung.outcome || rung.outcome->isValid(); });
}

struct Answers {
    JsonAnswer json;
    std::string csv{};
    bool isFirst = true; ///< no ladder has been printed yet
};

/// Adds one problem's ladder to the answers; returns the exit code for it.
int compareProblem(const std::string& path, const Request& request, Answers& answers)
{
    const auto problem = loadProblem(path, request);
    if (!problem) {
        complain(problem.error(), path);
        answers.json.addError(problem.error(), path);
        return exitCodeOf(problem.error());
    }
    const std::vector<ProblemRung> rungs = climbProblemLadder(*problem, request.planner);
    if (rungs.empty() && stopToken().stop_requested()) {
        complain(Error{ErrorCode::Cancelled, path, {}}, path);
        return kStopped;
    }
    if (answers.json.isWanted())
        answers.json.add(problemLadderJson(*problem, rungs));
    if (!request.csv.empty())
        answers.csv += problemLadderCsv(*problem, rungs, answers.csv.empty());
    if (answers.json.leavesRoomForText() && request.csv != "-")
        print((std::exchange(answers.isFirst, false) ? "" : "\n") + problemLadderText(*problem, rungs));
    const bool good = std::all_of(rungs.begin(), rungs.end(),
                                  [](const ProblemRung& rung) { return !rung.solved || rung.solved->found.isValid(); });
    if (good)
        return kGood;
    complain(path + ": a strategy made a plan that is not valid; see the table");
    return kBadPlan;
}

/// Adds one model's ladder to the answers; returns the exit code for it.
int compareOne(const std::string& path, const Request& request, Answers& answers)
{
    const auto loaded = loadStudy(path, request);
    if (!loaded) {
        complain(loaded.error(), path);
        answers.json.addError(loaded.error(), path);
        return exitCodeOf(loaded.error());
    }
    tellDiagnostics(loaded->diagnostics, path, request);
    const std::vector<LadderRung> rungs = climbLadder(loaded->study, request.planner, stopToken());
    if (rungs.empty() && stopToken().stop_requested()) {
        complain(Error{ErrorCode::Cancelled, path, {}}, path);
        return kStopped;
    }
    if (answers.json.isWanted())
        answers.json.add(ladderJson(*loaded->study, rungs));
    if (!request.csv.empty())
        answers.csv += ladderCsv(*loaded->study, rungs, answers.csv.empty());
    if (answers.json.leavesRoomForText() && request.csv != "-")
        print((std::exchange(answers.isFirst, false) ? "" : "\n") + ladderText(*loaded->study, rungs));
    if (allValid(rungs))
        return kGood;
    complain(path + ": a strategy made a plan that is not valid; see the table");
    return kBadPlan;
}

} // namespace

int runCompare(const Request& request)
{
    Answers answers{JsonAnswer(request)};
    int code = forEachFile(request, [&](const std::string& path) {
        return looksLikeProblem(path) ? compareProblem(path, request, answers) : compareOne(path, request, answers);
    });
    code = worse(code, answers.json.deliver());
    if (!answers.csv.empty() && !deliver(answers.csv, request.csv))
        code = worse(code, kBadInput);
    return code;
}

} // namespace arenascope::cli
