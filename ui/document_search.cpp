// SPDX-License-Identifier: MIT
// Planning, with searches that show how they get on, and what else could be chosen.
#include "ui/document.h"

#include "ui/buffer_colours.h"
#include "ui/job_runner.h"
#include "ui/live_search.h"
#include "ui/text.h"

#include <arenascope/bare_study.h>
#include <arenascope/trace.h>

#include <chrono>
#include <utility>

namespace arenascope::ui {

namespace {

// Kinds of jobs beyond the stages.
constexpr int kIncumbentJob = 201;
constexpr int kAlternativesJob = 202;

// What is proven sooner than this never shows as a search.
constexpr std::chrono::milliseconds kQuietStart(250);
constexpr std::chrono::milliseconds kIncumbentInterval(100);

constexpr double kAutoSeconds = 2.0;
constexpr double kExactSeconds = 10.0;

} // namespace

bool isSearchStrategy(const QString& id)
{
    const Planner* planner = findPlanner(id.toStdString());
    return planner && planner->info().isSearch;
}

std::optional<double> defaultSearchSeconds(const QString& id)
{
    if (id == toQString(kDefaultStrategy))
        return kAutoSeconds;
    if (id == QLatin1String("exact"))
        return kExactSeconds;
    return std::nullopt;
}

/// A plan with all that is worked out from it, which takes longer than a frame: it arrives whole.
struct Document::Planned {
    Result<std::shared_ptr<const PlanOutcome>> outcome;
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const BufferColours> colours;

    void complete(const ColourKeeper::Before& before)
    {
        if (!outcome)
            return;
        const Study& study = *(*outcome)->study;
        colours = ColourKeeper::workOut(**outcome, before);
        trace = std::make_shared<const Trace>(makeTrace(*study.graph, study.schedule, study.problem, (*outcome)->plan));
    }

    /// Proven like any other plan: what is shown of a search is never less than valid.
    static Planned ofIncumbent(std::shared_ptr<const Study> study, Plan plan, const ColourKeeper::Before& before)
    {
        Planned planned { provePlan(std::move(study), std::move(plan)), {}, {} };
        planned.complete(before);
        return planned;
    }
};

void Document::startPlan()
{
    endSearch();
    PlannerOptions options;
    auto search = std::make_shared<LiveSearch>(ColourKeeper::of(this)->before());
    if (isSearchStrategy(m_strategy)) {
        options.timeBudgetSeconds = m_searchSeconds ? m_searchSeconds : defaultSearchSeconds(m_strategy);
        options.onIncumbent = [search](const Plan& plan) { search->offer(plan); };
        m_search = search;
        m_searched = m_study;
        m_incumbents.start(kQuietStart);
    }
    const auto given = m_strategy == toQString(kOpenedStrategy) && m_opened ? m_opened->outcome : nullptr;
    m_jobs->start(
        static_cast<int>(Stage::Plan),
        [study = m_study, strategy = m_strategy.toStdString(), options, search, given](const JobContext& context) {
            using Outcome = Result<std::shared_ptr<const PlanOutcome>>;
            Planned planned { given ? Outcome(given) : planStudy(study, strategy, options, context.stop, context.progress), {}, {} };
            planned.complete(search->shown());
            return planned;
        },
        [this](Planned planned) {
            endSearch();
            if (!planned.outcome)
                fail(Stage::Plan, planned.outcome.error());
            else
                takePlan(std::move(planned));
        });
}

void Document::takePlan(Planned planned)
{
    ColourKeeper::of(this)->keep(*planned.outcome, std::move(planned.colours));
    replace(m_outcome, std::move(*planned.outcome));
    replace(m_trace, std::move(planned.trace));
    dropRun(); // it was of another plan
    emit outcomeChanged();
}

// ---- Searches

void Document::showIncumbent()
{
    m_incumbents.setInterval(kIncumbentInterval);
    if (!m_search)
        return;
    if (!std::exchange(m_isSearching, true))
        emit searchingChanged(true);
    if (m_jobs->isBusy(kIncumbentJob))
        return;
    auto plan = m_search->take();
    if (!plan)
        return;
    m_jobs->start(
        kIncumbentJob,
        [study = m_searched, plan = std::move(*plan), before = ColourKeeper::of(this)->before()](const JobContext&) {
            return Planned::ofIncumbent(study, plan, before);
        },
        [this](Planned planned) {
            takePlan(std::move(planned));
            if (m_search)
                m_search->setShown(ColourKeeper::of(this)->before());
        });
}

/// What the search still delivers is not shown any more.
void Document::endSearch()
{
    m_incumbents.stop();
    m_search.reset();
    m_searched.reset();
    m_jobs->drop(kIncumbentJob);
    if (std::exchange(m_isSearching, false))
        emit searchingChanged(false);
}

void Document::setSearchSeconds(std::optional<double> seconds)
{
    if (seconds == m_searchSeconds)
        return;
    m_searchSeconds = seconds;
    emit optionsChanged();
    if (!m_study || !isSearchStrategy(m_strategy))
        return;
    const bool isProven = m_outcome && m_outcome->study == m_study && m_outcome->plan.strategy == m_strategy.toStdString()
        && isProvenSmallest(*m_outcome);
    if (!isProven)
        startPlan();
}

// ---- Alternatives

bool Document::isFindingAlternatives() const
{
    return m_jobs->isBusy(kAlternativesJob);
}

void Document::wantAlternatives()
{
    if (!m_study || m_hasAlternatives || isFindingAlternatives() || isBare())
        return;
    m_jobs->start(
        kAlternativesJob, [study = m_study](const JobContext& context) { return findAlternatives(*study, context.stop); },
        [this](std::vector<Alternative> found) {
            m_alternatives = std::move(found);
            m_hasAlternatives = true;
            emit alternativesChanged();
        });
    emit alternativesChanged();
}

void Document::dropAlternatives()
{
    m_jobs->drop(kAlternativesJob);
    m_alternatives.clear();
    m_hasAlternatives = false;
    emit alternativesChanged();
}

// ---- Running the network

void Document::startRun(const RunSettings& settings)
{
    if (!m_outcome || isBare())
        return;
    m_jobs->start(
        static_cast<int>(Stage::Run),
        [outcome = m_outcome, imported = m_importOptions, settings, runner = findRunner()](const JobContext& context) {
            return std::make_shared<const RunRecord>(
                runNetworkApart(outcome, imported, settings, runner, context.stop, context.progress));
        },
        [this](std::shared_ptr<const RunRecord> run) {
            if (run->end == RunRecord::End::Cancelled)
                return; // what was known stays
            m_run = std::move(run);
            emit runChanged();
        });
}

void Document::dropRun()
{
    m_jobs->drop(static_cast<int>(Stage::Run));
    if (!std::exchange(m_run, nullptr))
        return;
    emit runChanged();
}

} // namespace arenascope::ui
