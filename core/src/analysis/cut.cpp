// SPDX-License-Identifier: MIT
#include <arenascope/cut.h>

#include "core/src/graph/boost_graph.h"

#include <algorithm>
#include <limits>

namespace arenascope {

namespace {

using detail::DependencyGraph;
using detail::Vertex;

// Marks open intervals (low, high) of steps; free are the steps that no interval holds.
class Shadows {
public:
    explicit Shadows(Step steps) : m_delta(static_cast<std::size_t>(steps) + 1, 0) {}

    void cast(Step low, Step high)
    {
        if (high - low < 2)
            return;
        ++m_delta[static_cast<std::size_t>(low + 1)];
        --m_delta[static_cast<std::size_t>(high)];
    }

    std::vector<Step> free() const
    {
        std::vector<Step> found;
        std::int64_t depth = 0;
        for (std::size_t step = 0; step + 1 < m_delta.size(); ++step) {
            depth += m_delta[step];
            if (depth == 0)
                found.push_back(static_cast<Step>(step));
        }
        return found;
    }

private:
    std::vector<std::int64_t> m_delta;
};

std::vector<OpId> operatorsAt(const Schedule& schedule, const std::vector<Step>& steps)
{
    std::vector<OpId> operators;
    operators.reserve(steps.size());
    for (const Step step : steps)
        operators.push_back(schedule.order[static_cast<std::size_t>(step)]);
    return operators;
}

// Readers and writers as steps, with the network's begin (step -1) and end (step n) where there is none.
class StepGraph {
public:
    StepGraph(const Graph& graph, const Schedule& schedule)
        : m_schedule(schedule), m_readers(detail::dependencyGraph(graph)), m_writers(detail::reversed(m_readers))
    {
    }

    Step steps() const { return m_schedule.stepCount(); }

    template <class Visit>
    void forEachReader(Step step, Visit visit) const
    {
        if (!forEach(m_readers, step, visit))
            visit(steps());
    }
    template <class Visit>
    void forEachWriter(Step step, Visit visit) const
    {
        if (!forEach(m_writers, step, visit))
            visit(Step(-1));
    }

private:
    template <class Visit>
    bool forEach(const DependencyGraph& graph, Step step, Visit visit) const
    {
        const auto vertex = static_cast<Vertex>(m_schedule.order[static_cast<std::size_t>(step)].index());
        bool any = false;
        for (const Vertex other : detail::targets(vertex, graph)) {
            visit(m_schedule.stepOf[other]);
            any = true;
        }
        return any;
    }

    const Schedule& m_schedule;
    DependencyGraph m_readers;
    DependencyGraph m_writers;
};

// An operator is on every path from the begin to the end of the network if no edge leads past it.
std::vector<Step> cutSteps(const StepGraph& graph)
{
    Shadows shadows(graph.steps());
    for (Step step = 0; step < graph.steps(); ++step) {
        graph.forEachReader(step, [&](Step reader) { shadows.cast(step, reader); });
        graph.forEachWriter(step, [&](Step writer) { shadows.cast(writer, step); });
    }
    return shadows.free();
}

// All that runs before an operator leads to it if whatever of that has no reader before it is read by it; so an operator
// is in the shadow of each earlier one whose first reader comes later, and of each later one whose last writer comes
// earlier. Both together: it is comparable to every other one.
std::vector<Step> comparableSteps(const StepGraph& graph)
{
    Shadows shadows(graph.steps());
    for (Step step = 0; step < graph.steps(); ++step) {
        Step first = graph.steps();
        Step last = -1;
        graph.forEachReader(step, [&](Step reader) { first = std::min(first, reader); });
        graph.forEachWriter(step, [&](Step writer) { last = std::max(last, writer); });
        shadows.cast(step, first);
        shadows.cast(last, step);
    }
    return shadows.free();
}

bool isChain(const StepGraph& graph, Step begin, Step end)
{
    const auto isInside = [begin, end](Step step) { return begin <= step && step < end; };
    for (Step step = begin; step < end; ++step) {
        int readers = 0;
        int writers = 0;
        graph.forEachReader(step, [&](Step other) { readers += isInside(other); });
        graph.forEachWriter(step, [&](Step other) { writers += isInside(other); });
        if (readers > 1 || writers > 1)
            return false;
    }
    return true;
}

GraphRegion makeRegion(const StepGraph& graph, const Schedule& schedule, Step begin, Step end, bool startsWithCut)
{
    GraphRegion region;
    region.operators.assign(schedule.order.begin() + begin, schedule.order.begin() + end);
    if (startsWithCut)
        region.entry = region.operators.front();
    region.isChain = isChain(graph, begin, end);
    return region;
}

// Cut operators that follow each other directly are one region (a chain); the last of them belongs to what it feeds.
std::vector<GraphRegion> makeRegions(const StepGraph& graph, const Schedule& schedule, const std::vector<Step>& cuts)
{
    std::vector<GraphRegion> regions;
    const Step end = graph.steps();
    const Step firstCut = cuts.empty() ? end : cuts.front();
    if (firstCut > 0)
        regions.push_back(makeRegion(graph, schedule, 0, firstCut, false));
    for (std::size_t i = 0; i < cuts.size();) {
        std::size_t last = i; // of the run of cuts that begins here
        while (last + 1 < cuts.size() && cuts[last + 1] == cuts[last] + 1)
            ++last;
        const Step next = last + 1 < cuts.size() ? cuts[last + 1] : end;
        const bool feedsMore = next > cuts[last] + 1;
        const Step chainEnd = feedsMore ? cuts[last] : next;
        if (chainEnd > cuts[i])
            regions.push_back(makeRegion(graph, schedule, cuts[i], chainEnd, true));
        if (feedsMore)
            regions.push_back(makeRegion(graph, schedule, cuts[last], next, true));
        i = last + 1;
    }
    return regions;
}

bool isFork(const Graph& graph, OpId id)
{
    const auto& outputs = graph.op(id).outputs;
    return std::any_of(outputs.begin(), outputs.end(),
        [&graph](TensorId output) { return output.isValid() && graph.tensor(output).consumers.size() > 1; });
}

} // namespace

CutAnalysis findCuts(const Graph& graph, const Schedule& schedule)
{
    const StepGraph steps(graph, schedule);
    CutAnalysis analysis;
    const std::vector<Step> cuts = cutSteps(steps);
    analysis.cutOperators = operatorsAt(schedule, cuts);
    analysis.comparable = operatorsAt(schedule, comparableSteps(steps));
    analysis.regions = makeRegions(steps, schedule, cuts);
    for (Step step = 0; step < steps.steps(); ++step) {
        const OpId id = schedule.order[static_cast<std::size_t>(step)];
        if (isFork(graph, id))
            analysis.forks.push_back(id);
        int writers = 0;
        steps.forEachWriter(step, [&](Step writer) { writers += writer >= 0; });
        if (writers > 1)
            analysis.joins.push_back(id);
    }
    return analysis;
}

} // namespace arenascope
