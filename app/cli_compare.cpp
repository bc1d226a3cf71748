// SPDX-License-Identifier: MIT
// `compare`: the ladder of strategies.
#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
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
    bool isFirst = true; ///< no ladder has been printed yet
    std::vector<std::string> json;
    std::string csv;
};

/// Adds one model's ladder to the answers; returns the exit code for it.
int compareOne(const std::string& path, const Request& request, Answers& answers)
{
    const auto loaded = loadStudy(path, request);
    if (!loaded) {
        complain(loaded.error(), path);
        return exitCodeOf(loaded.error());
    }
    tellDiagnostics(loaded->diagnostics, path, request);
    const std::vector<LadderRung> rungs = climbLadder(loaded->study, {}, stopToken());
    if (rungs.empty() && stopToken().stop_requested()) {
        complain(Error{ErrorCode::Cancelled, path, {}}, path);
        return kStopped;
    }
    if (!request.json.empty())
        answers.json.push_back(ladderJson(*loaded->study, rungs));
    if (!request.csv.empty())
        answers.csv += ladderCsv(*loaded->study, rungs, answers.csv.empty());
    if (request.json != "-" && request.csv != "-")
        print((std::exchange(answers.isFirst, false) ? "" : "\n") + ladderText(*loaded->study, rungs));
    if (allValid(rungs))
        return kGood;
    complain(path + ": a strategy made a plan that is not valid; see the table");
    return kBadPlan;
}

std::string jsonAnswer(const std::vector<std::string>& entries, bool many)
{
    std::string json = many ? "[\n" : "";
    for (std::size_t i = 0; i < entries.size(); ++i)
        json += entries[i] + (i + 1 < entries.size() ? ",\n" : "\n");
    return json + (many ? "]\n" : "");
}

} // namespace

int runCompare(const Request& request)
{
    int code = kGood;
    Answers answers;
    for (const std::string& path : request.files) {
        code = worse(code, compareOne(path, request, answers));
        if (stopToken().stop_requested())
            break;
    }
    if (!answers.json.empty() && !deliver(jsonAnswer(answers.json, request.files.size() > 1), request.json))
        code = worse(code, kBadInput);
    if (!answers.csv.empty() && !deliver(answers.csv, request.csv))
        code = worse(code, kBadInput);
    return code;
}

} // namespace arenascope::cli
