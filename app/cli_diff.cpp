// SPDX-License-Identifier: MIT
// `diff`: two models or plans, what changed between them.
#include "app/cli_answers.h"
#include "app/cli_commands.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_plan_file.h"

#include <arenascope/diff.h>

namespace arenascope::cli {

namespace {

/// A plan as it stands; a model is planned as asked.
Result<PlanFile> loadSide(const std::string& path, const Request& request)
{
    if (isPlanFile(path))
        return loadPlanFile(path, request);
    auto planned = planModel(path, request);
    if (!planned)
        return std::move(planned).error();
    return PlanFile{std::move(planned->outcome), std::move(planned->diagnostics), {}, true};
}

int answer(const PlanDiff& diff, const Request& request)
{
    JsonAnswer json(request);
    if (json.leavesRoomForText())
        print(diffText(diff, request.explain));
    int code = request.failIfLarger && diff.arenaGrowth() > 0 ? kBadPlan : kGood;
    if (json.isWanted() && !deliver(diffJson(diff) + "\n", request.json))
        code = worse(code, kBadInput);
    return code;
}

} // namespace

int runDiff(const Request& request)
{
    std::vector<std::shared_ptr<const PlanOutcome>> sides;
    int code = kGood;
    for (const std::string& path : request.files) {
        const auto side = loadSide(path, request);
        if (!side) {
            complain(side.error(), path);
            return exitCodeOf(side.error());
        }
        tellDiagnostics(side->diagnostics, path, request);
        if (!side->outcome->isValid()) {
            tellClashes(*side->outcome, path);
            code = kBadPlan;
        }
        sides.push_back(side->outcome);
    }
    return worse(code, answer(diffPlans(sides.at(0), sides.at(1)), request));
}

} // namespace arenascope::cli
