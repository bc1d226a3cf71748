// SPDX-License-Identifier: MIT
#include <arenascope/trace.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace arenascope {

namespace {

/// Which buffer used which bytes last. Disjoint intervals by begin.
class OwnerMap {
public:
    /// Hands [begin, end) to a buffer and calls previous(owner, begin, end) for each stretch that another had.
    /// Amortised O(log n).
    template <class Previous>
    void take(Offset begin, Offset end, BufferId buffer, Previous&& previous)
    {
        if (begin >= end)
            return;
        cutAt(begin);
        cutAt(end);
        const auto first = m_owners.lower_bound(begin);
        const auto last = m_owners.lower_bound(end);
        for (auto it = first; it != last; ++it)
            previous(it->second.buffer, it->first, it->second.end);
        m_owners.erase(first, last);
        m_owners.emplace(begin, Owner{end, buffer});
    }

private:
    struct Owner {
        Offset end;
        BufferId buffer;
    };

    void cutAt(Offset position)
    {
        const auto above = m_owners.lower_bound(position);
        if (above == m_owners.begin())
            return;
        const auto across = std::prev(above);
        if (across->second.end <= position)
            return;
        m_owners.emplace_hint(above, position, across->second);
        across->second.end = position;
    }

    std::map<Offset, Owner> m_owners;
};

/// Placed buffers by the step at which something happens to them.
struct BuffersByStep {
    std::vector<std::vector<BufferId>> born;
    std::vector<std::vector<BufferId>> freed; ///< last step of their life
};

class Tracer {
public:
    Tracer(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan);
    Trace run();

private:
    bool isPlaced(BufferId id) const;
    void allocate(BufferId id, TraceStep& step);
    void addAccess(EventKind kind, TensorId tensor, TraceStep& step) const;
    void addReads(const Operator& op, TraceStep& step) const;
    void release(BufferId id, TraceStep& step);

    const Graph& m_graph;
    const Schedule& m_schedule;
    const PlacementProblem& m_problem;
    const Plan& m_plan;
    BuffersByStep m_buffers;
    std::vector<BufferId> m_bufferOf;      // by tensor
    std::vector<Offset> m_offsetInBuffer;  // by tensor
    std::vector<OwnerMap> m_owners;        // by region
    std::multiset<Offset> m_ends;          // of live buffers
    Bytes m_liveBytes = 0;
};

Tracer::Tracer(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan)
    : m_graph(graph)
    , m_schedule(schedule)
    , m_problem(problem)
    , m_plan(plan)
    , m_bufferOf(graph.tensors().size())
    , m_offsetInBuffer(graph.tensors().size(), 0)
    , m_owners(std::max<std::size_t>(problem.regions.size(), 1))
{
    const auto steps = static_cast<Step>(schedule.order.size());
    m_buffers.born.resize(schedule.order.size());
    m_buffers.freed.resize(schedule.order.size());
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        if (!isPlaced(id))
            continue;
        for (const AliasMember& member : problem.buffers[i].tensors) {
            m_bufferOf[member.tensor.index()] = id;
            m_offsetInBuffer[member.tensor.index()] = member.offset;
        }
        const Step begin = std::max<Step>(problem.buffers[i].live.begin, 0);
        const Step end = std::min(problem.buffers[i].live.end, steps);
        if (begin >= end)
            continue;
        m_buffers.born[static_cast<std::size_t>(begin)].push_back(id);
        m_buffers.freed[static_cast<std::size_t>(end - 1)].push_back(id);
    }
}

bool Tracer::isPlaced(BufferId id) const
{
    if (id.index() >= m_plan.placements.size())
        return false;
    const Placement& placement = m_plan.placements[id.index()];
    return placement.region.isValid() && placement.region.index() < m_owners.size()
        && checkedAdd(placement.offset, m_problem.reserved(id));
}

void Tracer::allocate(BufferId id, TraceStep& step)
{
    const Placement& placement = m_plan.placements[id.index()];
    const Offset end = placement.offset + m_problem.reserved(id);
    step.events.push_back({EventKind::Allocate, id, {}, {}, placement.side, placement.offset, end});
    m_owners[placement.region.index()].take(placement.offset, end, id, [&](BufferId other, Offset from, Offset to) {
        step.events.push_back({EventKind::Reuse, id, other, {}, placement.side, from, to});
    });
    m_ends.insert(end);
    m_liveBytes += m_problem.reserved(id);
}

void Tracer::addAccess(EventKind kind, TensorId tensor, TraceStep& step) const
{
    if (!tensor.isValid() || !m_bufferOf[tensor.index()].isValid())
        return;
    const BufferId id = m_bufferOf[tensor.index()];
    const Placement& placement = m_plan.placements[id.index()];
    const Offset begin = placement.offset + m_offsetInBuffer[tensor.index()];
    const Offset end = begin + std::max<Bytes>(m_graph.tensor(tensor).bytes, 0);
    step.events.push_back({kind, id, {}, tensor, placement.side, begin, end});
}

void Tracer::addReads(const Operator& op, TraceStep& step) const
{
    std::set<TensorId> seen;
    for (const auto* list : {&op.inputs, &op.captures}) {
        for (const TensorId tensor : *list) {
            if (seen.insert(tensor).second)
                addAccess(EventKind::Read, tensor, step);
        }
    }
}

void Tracer::release(BufferId id, TraceStep& step)
{
    const Placement& placement = m_plan.placements[id.index()];
    const Offset end = placement.offset + m_problem.reserved(id);
    step.events.push_back({EventKind::Free, id, {}, {}, placement.side, placement.offset, end});
    m_ends.erase(m_ends.find(end));
    m_liveBytes -= m_problem.reserved(id);
}

Trace Tracer::run()
{
    Trace trace;
    trace.steps.resize(m_schedule.order.size());
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        TraceStep& step = trace.steps[i];
        step.op = m_schedule.order[i];
        const Operator& op = m_graph.op(step.op);
        for (const BufferId id : m_buffers.born[i])
            allocate(id, step);
        addReads(op, step);
        for (const TensorId tensor : op.outputs)
            addAccess(EventKind::Write, tensor, step);
        step.liveBytes = m_liveBytes;
        step.arenaTop = m_ends.empty() ? 0 : *m_ends.rbegin();
        if (step.liveBytes > trace.peakBytes) {
            trace.peakBytes = step.liveBytes;
            trace.peakStep = static_cast<Step>(i);
        }
        for (const BufferId id : m_buffers.freed[i])
            release(id, step);
    }
    return trace;
}

} // namespace

Trace makeTrace(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan)
{
    return Tracer(graph, schedule, problem, plan).run();
}

std::vector<BufferId> buffersAliveAt(const PlacementProblem& problem, Step step)
{
    std::vector<BufferId> alive;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        if (problem.buffers[i].live.contains(step))
            alive.push_back(BufferId::fromIndex(i));
    }
    std::stable_sort(alive.begin(), alive.end(),
                     [&](BufferId a, BufferId b) { return problem.buffer(a).size > problem.buffer(b).size; });
    return alive;
}

} // namespace arenascope
