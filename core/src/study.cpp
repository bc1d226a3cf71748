// SPDX-License-Identifier: MIT
#include <arenascope/study.h>

#include <arenascope/runtime.h>

#include <arenascope/bare_study.h>

#include <tuple>

namespace arenascope {

namespace {

auto fieldsOf(const StudyOptions& o)
{
    return std::tuple(o.schedule, o.alias, o.branches.join, o.branches.style, o.problem.alignment,
                      o.problem.io.inputsInArena, o.problem.io.outputsInArena, o.problem.countWorkspace, o.problem.regions, o.problem.concurrency);
}

std::vector<BufferId> buffersByTensor(const Graph& graph, const PlacementProblem& problem)
{
    std::vector<BufferId> bufferOf(graph.tensors().size());
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        for (const AliasMember& member : problem.buffers[i].tensors)
            bufferOf[member.tensor.index()] = BufferId::fromIndex(i);
    }
    return bufferOf;
}

Error unknownStrategy(std::string_view strategy)
{
    std::string known;
    for (const Planner* planner : planners())
        known += (known.empty() ? "" : ", ") + std::string(planner->info().id);
    return {ErrorCode::UnknownName, {}, {"strategy", std::string(strategy), known}};
}

PeakOptions peakOptions(const StudyOptions& options)
{
    return {options.problem.alignment, options.problem.io.inputsInArena, options.problem.io.outputsInArena,
            options.problem.countWorkspace, options.alias != AliasMode::None};
}

std::optional<Error> fillWith(Study& study, AliasMode alias)
{
    const Graph& graph = *study.graph;
    study.aliases = makeAliasGroups(graph, study.schedule, alias, peakOptions(study.options), study.options.problem.concurrency);
    study.branches = findBranches(graph, study.schedule, study.aliases, study.options.branches);
    study.cuts = findCuts(graph, study.schedule);
    auto problem = makeProblem(graph, study.schedule, study.aliases, study.branches, study.options.problem);
    if (!problem)
        return std::move(problem).error();
    study.problem = *std::move(problem);
    study.profile = liveProfile(study.problem);
    study.naive = naiveBytes(study.problem);
    study.bufferOf = buffersByTensor(graph, study.problem);
    return std::nullopt;
}

// Everything that follows from graph, options and schedule.
std::optional<Error> fill(Study& study)
{
    if (auto error = fillWith(study, study.options.alias))
        return error;
    const bool mayGrow = study.options.alias == AliasMode::All && study.problem.concurrency == Concurrency::Parallel;
    if (!mayGrow || study.aliases.elisions.empty())
        return std::nullopt;
    // Parts are joined by what is alive in one order. In others a whole that lives longer than its parts may meet more.
    Study apart = study;
    if (auto error = fillWith(apart, AliasMode::InPlace))
        return error;
    if (apart.lowerBound() < study.lowerBound()) {
        study = std::move(apart);
        study.aliases.mode = AliasMode::All;
    }
    return std::nullopt;
}

// What runs in place, and what can be a part, depends on the order, which min-peak does not know: of the orders that are
// cheap to have, the one with the smallest lower bound under the chosen option is kept, the first of equal ones. Nothing is
// proven.
std::optional<Error> chooseOrder(std::shared_ptr<Study>& study, const std::stop_token& stop)
{
    study->schedule.provenMinPeak = false;
    study->schedule.peakBound = 0;
    PeakOptions apart = peakOptions(study->options);
    apart.joinViews = false;
    const std::shared_ptr<const Study> first = study;
    for (const ScheduleKind kind : {ScheduleKind::File, ScheduleKind::DepthFirst, ScheduleKind::MinPeak}) {
        auto schedule = makeSchedule(*first->graph, kind, stop, {}, apart);
        if (!schedule)
            return std::move(schedule).error();
        if (schedule->order == first->schedule.order)
            continue;
        auto other = std::make_shared<Study>();
        other->graph = first->graph;
        other->options = first->options;
        other->schedule = *std::move(schedule);
        other->schedule.kind = ScheduleKind::MinPeak;
        other->schedule.provenMinPeak = false;
        other->schedule.peakBound = 0;
        if (auto error = fill(*other))
            return error;
        if (other->lowerBound() < study->lowerBound())
            study = std::move(other);
    }
    return std::nullopt;
}

// Tells how far a chain of stages has come, and whether it should stop.
class Stages {
public:
    Stages(std::stop_token stop, const ProgressFn& progress) : m_stop(std::move(stop)), m_progress(progress) {}

    bool stopsBefore(double fraction, std::string_view stage) const
    {
        if (m_stop.stop_requested())
            return true;
        if (m_progress)
            m_progress(fraction, stage);
        return false;
    }

private:
    std::stop_token m_stop;
    const ProgressFn& m_progress;
};

const Error kCancelled{ErrorCode::Cancelled, {}, {}};

} // namespace

bool operator==(const StudyOptions& a, const StudyOptions& b)
{
    return fieldsOf(a) == fieldsOf(b);
}

Result<std::shared_ptr<const Study>> makeStudy(std::shared_ptr<const Graph> graph, const StudyOptions& options,
                                               std::stop_token stop, const ProgressFn& progress)
{
    const Stages stages(stop, progress);
    auto study = std::make_shared<Study>();
    study->graph = graph;
    study->options = options;

    if (stages.stopsBefore(0.0, "ordering operators"))
        return kCancelled;
    auto schedule = makeSchedule(*graph, options.schedule, stop, progress, peakOptions(options));
    if (!schedule)
        return std::move(schedule).error();
    study->schedule = *std::move(schedule);

    if (stages.stopsBefore(0.5, "finding branches and live ranges"))
        return kCancelled;
    if (auto error = fill(*study))
        return std::move(*error);
    const bool dependsOnOrder = options.alias == AliasMode::InPlace || options.alias == AliasMode::All;
    if (options.schedule == ScheduleKind::MinPeak && dependsOnOrder) {
        if (auto error = chooseOrder(study, stop))
            return std::move(*error);
    }
    if (stages.stopsBefore(1.0, "ready"))
        return kCancelled;
    return std::shared_ptr<const Study>(std::move(study));
}

double PlanOutcome::optimalityGap() const
{
    const Bytes bound = study->lowerBound();
    return bound > 0 ? static_cast<double>(plan.arenaSize) / static_cast<double>(bound) - 1.0 : 0.0;
}

Result<std::shared_ptr<const PlanOutcome>> planStudy(std::shared_ptr<const Study> study, std::string_view strategy,
                                                     const PlannerOptions& options, std::stop_token stop,
                                                     const ProgressFn& progress)
{
    if (strategy == kFilePlan)
        return filePlan(std::move(study));
    const Planner* planner = findPlanner(strategy);
    if (!planner)
        return unknownStrategy(strategy);
    auto plan = planner->plan(study->problem, options, stop, progress);
    if (!plan)
        return std::move(plan).error();
    return provePlan(std::move(study), *std::move(plan));
}

std::optional<Offset> tensorOffset(const Study& study, const Plan& plan, TensorId tensor)
{
    const BufferId id = study.bufferOf[tensor.index()];
    if (!id.isValid() || id.index() >= plan.placements.size())
        return std::nullopt;
    for (const AliasMember& member : study.problem.buffer(id).tensors) {
        if (member.tensor == tensor)
            return plan.placements[id.index()].offset + member.offset;
    }
    return std::nullopt;
}

} // namespace arenascope
