// SPDX-License-Identifier: MIT
#include <arenascope/trace.h>

#include <arenascope/buffer_pieces.h>

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

/// Bytes of a placed buffer that come or go, and those that it needs during the stretch that begins or ends there.
struct Change {
    BufferId buffer;
    std::vector<std::pair<Offset, Offset>> bytes; ///< from the buffer's start
    BufferPiece need;
};

/// What happens at each step.
struct ChangesByStep {
    std::vector<std::vector<Change>> born;
    std::vector<std::vector<Change>> freed; ///< last step of a stretch
};

/// What is in `a` and not in `b`, which is null or follows or precedes `a` directly. A buffer without bytes is one event, too.
std::vector<std::pair<Offset, Offset>> difference(const BufferPiece& a, const BufferPiece* b)
{
    if (!b || b->high <= a.low || a.high <= b->low)
        return {{a.low, a.high}};
    std::vector<std::pair<Offset, Offset>> bytes;
    if (a.low < b->low)
        bytes.emplace_back(a.low, b->low);
    if (b->high < a.high)
        bytes.emplace_back(b->high, a.high);
    return bytes;
}

class Tracer {
public:
    Tracer(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan);
    Trace run();

private:
    bool isPlaced(BufferId id) const;
    void addChanges(BufferId id);
    void allocate(const Change& change, TraceStep& step);
    void addAccess(EventKind kind, TensorId tensor, TraceStep& step) const;
    void addReads(const Operator& op, TraceStep& step) const;
    void release(const Change& change, TraceStep& step);

    const Graph& m_graph;
    const Schedule& m_schedule;
    const PlacementProblem& m_problem;
    const Plan& m_plan;
    ChangesByStep m_changes;
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
    m_changes.born.resize(schedule.order.size());
    m_changes.freed.resize(schedule.order.size());
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        if (!isPlaced(id))
            continue;
        for (const AliasMember& member : problem.buffers[i].tensors) {
            m_bufferOf[member.tensor.index()] = id;
            m_offsetInBuffer[member.tensor.index()] = member.offset;
        }
        addChanges(id);
    }
}

void Tracer::addChanges(BufferId id)
{
    const Buffer& buffer = m_problem.buffer(id);
    std::vector<BufferPiece> needs = bufferPieces(m_problem, id);
    if (buffer.size == 0)
        needs.push_back({buffer.live, 0, 0});
    const auto steps = static_cast<Step>(m_schedule.order.size());
    for (BufferPiece& need : needs)
        need.steps = {std::max<Step>(need.steps.begin, 0), std::min(need.steps.end, steps)};
    std::erase_if(needs, [](const BufferPiece& need) { return need.steps.length() <= 0; });
    for (std::size_t i = 0; i < needs.size(); ++i) {
        const bool follows = i > 0 && needs[i - 1].steps.end == needs[i].steps.begin;
        const bool isFollowed = i + 1 < needs.size() && needs[i].steps.end == needs[i + 1].steps.begin;
        m_changes.born[static_cast<std::size_t>(needs[i].steps.begin)].push_back(
            {id, difference(needs[i], follows ? &needs[i - 1] : nullptr), needs[i]});
        m_changes.freed[static_cast<std::size_t>(needs[i].steps.end - 1)].push_back(
            {id, difference(needs[i], isFollowed ? &needs[i + 1] : nullptr), needs[i]});
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

void Tracer::allocate(const Change& change, TraceStep& step)
{
    const BufferId id = change.buffer;
    const Placement& placement = m_plan.placements[id.index()];
    for (const auto& [low, high] : change.bytes) {
        const Offset begin = placement.offset + low;
        const Offset end = placement.offset + high;
        step.events.push_back({EventKind::Allocate, id, {}, {}, placement.side, begin, end});
        m_owners[placement.region.index()].take(begin, end, id, [&](BufferId other, Offset from, Offset to) {
            if (other != id)
                step.events.push_back({EventKind::Reuse, id, other, {}, placement.side, from, to});
        });
    }
    m_ends.insert(placement.offset + change.need.high);
    m_liveBytes += change.need.high - change.need.low;
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

void Tracer::release(const Change& change, TraceStep& step)
{
    const Placement& placement = m_plan.placements[change.buffer.index()];
    for (const auto& [low, high] : change.bytes) {
        step.events.push_back(
            {EventKind::Free, change.buffer, {}, {}, placement.side, placement.offset + low, placement.offset + high});
    }
    m_ends.erase(m_ends.find(placement.offset + change.need.high));
    m_liveBytes -= change.need.high - change.need.low;
}

Trace Tracer::run()
{
    Trace trace;
    trace.steps.resize(m_schedule.order.size());
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        TraceStep& step = trace.steps[i];
        step.op = m_schedule.order[i];
        const Operator& op = m_graph.op(step.op);
        for (const Change& change : m_changes.born[i])
            allocate(change, step);
        addReads(op, step);
        for (const TensorId tensor : op.outputs)
            addAccess(EventKind::Write, tensor, step);
        step.liveBytes = m_liveBytes;
        step.arenaTop = m_ends.empty() ? 0 : *m_ends.rbegin();
        if (step.liveBytes > trace.peakBytes) {
            trace.peakBytes = step.liveBytes;
            trace.peakStep = static_cast<Step>(i);
        }
        for (const Change& change : m_changes.freed[i])
            release(change, step);
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
    std::stable_sort(alive.begin(), alive.end(), [&](BufferId a, BufferId b) {
        return neededAt(problem, a, step) > neededAt(problem, b, step);
    });
    return alive;
}

} // namespace arenascope
