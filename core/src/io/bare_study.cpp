// SPDX-License-Identifier: MIT
#include <arenascope/bare_study.h>
#include <arenascope/graph_builder.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace arenascope {

namespace {

/// Times as given -> steps that are kept.
class StepMap {
public:
    StepMap(const PlacementProblem& problem);
    /// Of the border between two steps.
    Step of(Step given) const;
    Step count() const { return m_joins ? static_cast<Step>(m_kept.size()) : m_count; }
    Step given(Step step) const { return m_joins ? m_kept[static_cast<std::size_t>(step)] : step; }
    LiveRange of(LiveRange given) const { return {of(given.begin), of(given.end)}; }

private:
    Step m_count;
    bool m_joins;
    std::vector<Step> m_kept; ///< given steps at which something begins or ends, ascending
};

StepMap::StepMap(const PlacementProblem& problem)
    : m_count(std::max<Step>(problem.stepCount, 1))
    , m_joins(m_count > kMostBareSteps)
{
    if (!m_joins)
        return;
    m_kept.push_back(0);
    const auto add = [this](LiveRange range) {
        for (const Step step : {range.begin, range.end}) {
            if (step < m_count)
                m_kept.push_back(step);
        }
    };
    for (const Buffer& buffer : problem.buffers) {
        add(buffer.live);
        for (const BufferGap& gap : buffer.gaps)
            add(gap.steps);
    }
    std::sort(m_kept.begin(), m_kept.end());
    m_kept.erase(std::unique(m_kept.begin(), m_kept.end()), m_kept.end());
}

Step StepMap::of(Step given) const
{
    if (!m_joins)
        return given;
    return std::lower_bound(m_kept.begin(), m_kept.end(), given) - m_kept.begin();
}

Error badProblem(ErrorCode code, const PlacementProblem& problem, std::vector<std::string> args)
{
    return {code, problem.name, std::move(args)};
}

std::optional<Error> check(const PlacementProblem& problem)
{
    if (problem.alignment < 1 || !std::has_single_bit(static_cast<std::uint64_t>(problem.alignment)))
        return badProblem(ErrorCode::BadOption, problem, {"alignment", std::to_string(problem.alignment), "a power of two"});
    Bytes sum = 0;
    for (const Buffer& buffer : problem.buffers) {
        if (buffer.live.begin < 0 || buffer.live.begin > buffer.live.end || buffer.live.end > problem.stepCount)
            return badProblem(ErrorCode::InvalidPlan, problem, {"buffer '" + buffer.name + "' ends before it begins, or after the last step"});
        const auto reserved = buffer.size < 0 ? std::nullopt : checkedAlignUp(buffer.size, problem.alignment);
        const auto total = reserved ? checkedAdd(sum, *reserved) : std::nullopt;
        if (!total)
            return badProblem(ErrorCode::SizeOverflow, problem, {"all buffers together, up to '" + buffer.name + "'"});
        sum = *total;
    }
    return std::nullopt;
}

void nameApart(PlacementProblem& problem)
{
    std::set<std::string> taken;
    std::map<std::string, int> last;
    for (Buffer& buffer : problem.buffers) {
        const std::string name = buffer.name.empty() ? "unnamed" : buffer.name;
        buffer.name = name;
        for (int& number = last[name]; !taken.insert(buffer.name).second;)
            buffer.name = name + "#" + std::to_string(number = std::max(number + 1, 2));
    }
}

void joinSteps(PlacementProblem& problem, const StepMap& steps)
{
    for (Buffer& buffer : problem.buffers) {
        buffer.live = steps.of(buffer.live);
        for (BufferGap& gap : buffer.gaps)
            gap.steps = steps.of(gap.steps);
    }
    problem.stepCount = steps.count();
}

/// What begins and ends at a step.
struct Work {
    std::vector<TensorId> written;
    std::vector<TensorId> read;
};

Result<std::shared_ptr<const Graph>> graphOf(PlacementProblem& problem, const StepMap& steps)
{
    GraphBuilder builder;
    std::vector<Work> work(static_cast<std::size_t>(problem.stepCount));
    for (Buffer& buffer : problem.buffers) {
        const TensorId tensor = builder.tensor(buffer.name);
        builder.describe(tensor, ElementType::UInt8, Shape::of({buffer.size}));
        const Step first = std::min(buffer.live.begin, problem.stepCount - 1); // one that lives in no step begins all the same
        const Step last = std::max(buffer.live.end - 1, first);
        work[static_cast<std::size_t>(first)].written.push_back(tensor);
        if (last > first)
            work[static_cast<std::size_t>(last)].read.push_back(tensor);
        buffer.kind = BufferKind::Given;
        buffer.tensors = {AliasMember{tensor, 0, AliasReason::Alone, TensorId()}};
    }
    for (Step step = 0; step < problem.stepCount; ++step) {
        Operator op;
        op.kind = "Step";
        op.name = "step " + std::to_string(steps.given(step));
        op.inputs = std::move(work[static_cast<std::size_t>(step)].read);
        op.outputs = std::move(work[static_cast<std::size_t>(step)].written);
        if (step > 0)
            op.runsAfter = {OpId(static_cast<std::int32_t>(step - 1))};
        builder.addOperator(std::move(op));
    }
    ModelInfo info;
    info.name = problem.name;
    info.path = problem.name;
    info.format = std::string(kBareFormat);
    info.operatorsInFile = problem.stepCount;
    builder.setInfo(std::move(info));
    return std::move(builder).build();
}

AliasGroups groupsOf(const PlacementProblem& problem)
{
    AliasGroups groups;
    groups.groupOf.resize(problem.buffers.size(), -1);
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        groups.groups.push_back({problem.buffers[i].tensors, problem.buffers[i].size});
        groups.groupOf[problem.buffers[i].tensors.front().tensor.index()] = static_cast<std::int32_t>(i);
    }
    return groups;
}

} // namespace

Result<std::shared_ptr<const Study>> makeBareStudy(PlacementProblem problem)
{
    if (auto error = check(problem))
        return std::move(*error);
    nameApart(problem);
    const StepMap steps(problem);
    joinSteps(problem, steps);
    auto graph = graphOf(problem, steps);
    if (!graph)
        return std::move(graph).error();
    auto schedule = makeSchedule(**graph, ScheduleKind::File);
    if (!schedule)
        return std::move(schedule).error();
    auto study = std::make_shared<Study>();
    study->graph = *std::move(graph);
    study->options.problem.alignment = problem.alignment;
    study->options.problem.regions = problem.regions.size() > 1 ? problem.regions : std::vector<MemoryRegion>();
    study->schedule = *std::move(schedule);
    study->aliases = groupsOf(problem);
    study->branches = findBranches(*study->graph, study->schedule, study->aliases);
    study->cuts = findCuts(*study->graph, study->schedule);
    study->problem = std::move(problem);
    study->profile = liveProfile(study->problem);
    study->naive = naiveBytes(study->problem);
    study->bufferOf.resize(study->graph->tensors().size());
    for (std::size_t i = 0; i < study->problem.buffers.size(); ++i)
        study->bufferOf[study->problem.buffers[i].tensors.front().tensor.index()] = BufferId::fromIndex(i);
    return std::shared_ptr<const Study>(std::move(study));
}

bool isBare(const PlacementProblem& problem)
{
    return std::any_of(problem.buffers.begin(), problem.buffers.end(), [](const Buffer& buffer) { return buffer.kind == BufferKind::Given; });
}

std::shared_ptr<const PlanOutcome> provePlan(std::shared_ptr<const Study> study, Plan plan)
{
    auto outcome = std::make_shared<PlanOutcome>();
    outcome->plan = std::move(plan);
    outcome->placement = validatePlan(study->problem, outcome->plan);
    if (!isBare(study->problem))
        outcome->replay = replayPlan(*study->graph, study->schedule, study->problem, outcome->plan);
    outcome->study = std::move(study);
    return outcome;
}

} // namespace arenascope
