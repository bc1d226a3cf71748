// SPDX-License-Identifier: MIT
// `plan`: the summary, one line or one JSON entry a model, the exports, the budget.
#include "app/cli_commands.h"
#include "app/cli_export.h"
#include "app/cli_model.h"
#include "app/cli_output.h"
#include "app/cli_stop.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace arenascope::cli {

namespace {

constexpr std::size_t kMaxClashes = 5;

/// What standard output has room for: JSON on it leaves none for text.
bool wantsText(const Request& request)
{
    return request.json != "-";
}

std::string errorEntry(const Error& error, const std::string& path)
{
    using Json = nlohmann::ordered_json;
    const Json entry = {{"model", path},
                        {"path", path},
                        {"error", {{"code", errorCodeName(error.code)}, {"message", errorLine(error, path)}}}};
    return entry.dump(2, ' ', false, Json::error_handler_t::replace);
}

void tellClashes(const PlanOutcome& outcome, const std::string& path)
{
    const Study& study = *outcome.study;
    const Validation& found = outcome.placement.isValid() ? outcome.replay : outcome.placement;
    complain(fmt::format("{}: the plan of strategy {} is not valid: {} found by the checker, {} by the replay", path,
                         outcome.plan.strategy, outcome.placement.clashCount, outcome.replay.clashCount));
    for (std::size_t i = 0; i < std::min(found.clashes.size(), kMaxClashes); ++i)
        complain(path + ": " + describe(found.clashes[i], study.problem, study.graph.get()));
}

int verdictOf(const PlanOutcome& outcome, const std::string& path, const Request& request)
{
    if (!outcome.isValid()) {
        tellClashes(outcome, path);
        return kBadPlan;
    }
    if (!request.budget || outcome.plan.arenaSize <= *request.budget)
        return kGood;
    complain(path + ": " + budgetText(outcome, *request.budget));
    return kBadPlan;
}

int exportAll(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& path, const Request& request)
{
    int code = kGood;
    for (const std::string& target : request.exports) {
        const std::string file = expandExportPath(target, path);
        const Status written = exportPlan(outcome, file, request);
        if (written)
            continue;
        complain(written.error(), file);
        code = kBadInput;
    }
    return code;
}

class PlanRun {
public:
    explicit PlanRun(const Request& request) : m_request(request), m_many(request.files.size() > 1) {}

    int run()
    {
        for (const std::string& path : m_request.files) {
            if (!planOne(path))
                break;
        }
        finish();
        return m_code;
    }

private:
    /// False when there is no use in going on.
    bool planOne(const std::string& path)
    {
        const auto planned = planModel(path, m_request);
        if (!planned) {
            complain(planned.error(), path);
            m_code = worse(m_code, exitCodeOf(planned.error()));
            if (m_many) // the array keeps one entry a model; a single model that failed has no JSON at all
                m_entries.push_back(errorEntry(planned.error(), path));
            return planned.error().code != ErrorCode::Cancelled;
        }
        tellDiagnostics(planned->diagnostics, path, m_request);
        report(*planned);
        m_code = worse(m_code, verdictOf(*planned->outcome, path, m_request));
        m_code = worse(m_code, exportAll(planned->outcome, path, m_request));
        return !stopToken().stop_requested();
    }

    void report(const PlannedModel& planned)
    {
        const ReportContext context{m_request.budget, planned.diagnostics, planned.seconds, 2};
        if (!m_request.json.empty())
            m_entries.push_back(summaryJson(*planned.outcome, context));
        if (!wantsText(m_request))
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

    void finish()
    {
        if (m_request.json.empty() || m_entries.empty())
            return;
        std::string json = m_many ? "[\n" : "";
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            json += m_entries[i] + (i + 1 < m_entries.size() ? ",\n" : "\n");
        json += m_many ? "]\n" : "";
        if (!deliver(json, m_request.json))
            m_code = worse(m_code, kBadInput);
    }

    const Request& m_request;
    const bool m_many;
    bool m_headerDone = false;
    int m_code = kGood;
    std::vector<std::string> m_entries; ///< JSON objects
};

} // namespace

int runPlan(const Request& request)
{
    return PlanRun(request).run();
}

} // namespace arenascope::cli
