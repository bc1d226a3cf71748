// SPDX-License-Identifier: MIT
// `plan`: the summary, one line or one JSON entry a model, the exports, the budget.
#include "app/cli_answers.h"
#include "app/cli_commands.h"
#include "app/cli_export.h"
#include "app/cli_joint.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_stop.h"

#include <arenascope/budget.h>
#include <arenascope/regions.h>

#include <utility>

namespace arenascope::cli {

namespace {

/// What the budget asks for, and how the network could get there.
std::optional<BudgetReport> budgetReport(const PlanOutcome& outcome, const Request& request)
{
    if (!request.budget)
        return std::nullopt;
    return findWaysToFit(outcome, *request.budget, request.planner, stopToken());
}

int verdictOf(const PlanOutcome& outcome, const std::string& path, const Request& request)
{
    if (!outcome.isValid()) {
        tellClashes(outcome, path);
        return kBadPlan;
    }
    if (!request.budget || firstMemoryBytes(outcome.plan) <= *request.budget)
        return kGood;
    if (request.format != AnswerFormat::GitHub)
        complain(path + ": " + budgetText(outcome, *request.budget));
    return kBadPlan;
}

class PlanRun {
public:
    explicit PlanRun(const Request& request) : m_request(request), m_json(request), m_many(request.files.size() > 1) {}

    int run()
    {
        const int code = forEachFile(m_request, [this](const std::string& path) { return planOne(path); });
        return worse(code, m_json.deliver());
    }

private:
    int planOne(const std::string& path)
    {
        const auto planned = planModel(path, m_request);
        if (!planned) {
            complain(planned.error(), path);
            m_json.addError(planned.error(), path);
            if (m_request.format == AnswerFormat::GitHub)
                print(errorAnnotation(errorLine(planned.error(), path), path));
            return exitCodeOf(planned.error());
        }
        tellDiagnostics(planned->diagnostics, path, m_request);
        report(*planned);
        return worse(verdictOf(*planned->outcome, path, m_request), exportAll(planned->outcome, path, m_request));
    }

    void report(const PlannedModel& planned)
    {
        const auto budget = budgetReport(*planned.outcome, m_request);
        const ReportContext context{m_request.budget, budget ? &*budget : nullptr, planned.diagnostics, planned.seconds, 2};
        if (m_request.format == AnswerFormat::GitHub)
            print(budgetAnnotation(*planned.outcome, budget ? &*budget : nullptr, planned.outcome->study->graph->info().path));
        if (m_json.isWanted())
            m_json.add(summaryJson(*planned.outcome, context));
        if (!m_json.leavesRoomForText() || m_request.format == AnswerFormat::GitHub)
            return;
        std::string text;
        if (!m_many)
            text = summaryText(*planned.outcome, context);
        else if (!std::exchange(m_headerDone, true))
            text = summaryHeader() + "\n";
        if (m_many)
            text += summaryLine(*planned.outcome, context) + "\n";
        if (m_request.explain)
            text += "\n" + explainText(*planned.outcome) + (m_many ? "\n" : "");
        print(text);
    }

    const Request& m_request;
    JsonAnswer m_json;
    const bool m_many;
    bool m_headerDone = false;
};

} // namespace

int runPlan(const Request& request)
{
    if (request.oneArena)
        return runJoint(request);
    return PlanRun(request).run();
}

} // namespace arenascope::cli
