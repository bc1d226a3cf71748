// SPDX-License-Identifier: MIT
// The network's reads and writes, carried out on stamps instead of numbers.
#include <arenascope/validator.h>

#include "core/src/check/stamp_map.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace arenascope {

namespace {

using check::Stamp;
using check::StampMap;

/// Where a tensor lies in the arena, and what its bytes mean.
struct Place {
    BufferId buffer;
    std::size_t region = 0;
    Offset begin = 0;
    Offset end = 0;
    Stamp stamp;
};

class Replay {
public:
    Replay(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan,
           std::size_t maxClashes)
        : m_graph(graph)
        , m_schedule(schedule)
        , m_problem(problem)
        , m_plan(plan)
        , m_maxClashes(maxClashes)
        , m_arena(std::max<std::size_t>(problem.regions.size(), 1))
        , m_places(graph.tensors().size())
        , m_workspaces(graph.operators().size())
    {
        findContents();
        findPlaces();
    }

    Validation run();

private:
    void report(Clash clash)
    {
        ++m_result.clashCount;
        if (m_result.clashes.size() < m_maxClashes)
            m_result.clashes.push_back(clash);
    }

    void findContents();
    std::int32_t contentOf(std::size_t tensor);
    void findPlaces();
    bool checkBuffer(BufferId id);
    std::optional<Place> placeIn(BufferId id, Offset offset, Bytes size) const;
    void runStep(Step step, OpId id);
    void write(const Place& place) { m_arena[place.region].write(place.begin, place.end, place.stamp); }
    bool expect(const Place& place, TensorId wanted, Step step, OpId reader, bool groupMayOverwrite);
    const std::optional<Place>& placeOf(TensorId id) const { return m_places[id.index()]; }

    const Graph& m_graph;
    const Schedule& m_schedule;
    const PlacementProblem& m_problem;
    const Plan& m_plan;
    std::size_t m_maxClashes;
    std::vector<StampMap> m_arena;                // by region
    std::vector<std::int32_t> m_content;          // by tensor: union-find over views
    std::vector<std::optional<Place>> m_places;   // by tensor; nothing outside the arena
    std::vector<std::vector<Place>> m_workspaces; // by operator
    Validation m_result;
};

/// Views and the parts of a Concat or Split hold the same values as what they share with; an in-place output does not.
void Replay::findContents()
{
    m_content.resize(m_graph.tensors().size());
    std::iota(m_content.begin(), m_content.end(), 0);
    for (const Buffer& buffer : m_problem.buffers) {
        for (const AliasMember& member : buffer.tensors) {
            const bool isSameContent = member.reason == AliasReason::View || member.reason == AliasReason::ConcatPart
                || member.reason == AliasReason::SplitPart;
            if (isSameContent && member.sharesWith.isValid())
                m_content[static_cast<std::size_t>(contentOf(member.tensor.index()))]
                    = contentOf(member.sharesWith.index());
        }
    }
}

std::int32_t Replay::contentOf(std::size_t tensor)
{
    std::size_t root = tensor;
    while (static_cast<std::size_t>(m_content[root]) != root)
        root = static_cast<std::size_t>(m_content[root]);
    while (tensor != root)
        tensor = static_cast<std::size_t>(std::exchange(m_content[tensor], static_cast<std::int32_t>(root)));
    return static_cast<std::int32_t>(root);
}

void Replay::findPlaces()
{
    for (std::size_t i = 0; i < m_problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const Buffer& buffer = m_problem.buffers[i];
        if (!checkBuffer(id))
            continue;
        if (buffer.kind == BufferKind::Workspace && buffer.op.isValid()) {
            auto place = placeIn(id, 0, buffer.size);
            place->stamp.content = static_cast<std::int32_t>(m_content.size() + i);
            m_workspaces[buffer.op.index()].push_back(*place);
        }
        for (const AliasMember& member : buffer.tensors) {
            const Bytes bytes = std::max<Bytes>(m_graph.tensor(member.tensor).bytes, 0);
            auto place = placeIn(id, member.offset, bytes);
            if (!place)
                continue;
            place->stamp.content = contentOf(member.tensor.index());
            place->stamp.writer = member.tensor;
            m_places[member.tensor.index()] = place;
        }
    }
}

/// Whether the buffer's bytes exist; says so where they do not.
bool Replay::checkBuffer(BufferId id)
{
    const bool isPlaced = id.index() < m_plan.placements.size();
    const Placement placement = isPlaced ? m_plan.placements[id.index()] : Placement{};
    if (!isPlaced || !placement.region.isValid() || placement.region.index() >= m_arena.size()) {
        report({.kind = ClashKind::Missing, .first = id});
        return false;
    }
    const Offset begin = placement.offset;
    const auto end = checkedAdd(begin, m_problem.buffer(id).size);
    if (begin < 0 || !end) {
        report({.kind = begin < 0 ? ClashKind::Negative : ClashKind::BeyondArena,
                .first = id,
                .begin = begin,
                .end = begin});
        return false;
    }
    const Bytes alignment = m_problem.alignmentOf(id);
    if (alignment > 1 && begin % alignment != 0)
        report({.kind = ClashKind::Misaligned, .first = id, .begin = begin, .end = *end});
    if (*end > m_plan.arenaSize)
        report({.kind = ClashKind::BeyondArena, .first = id, .begin = begin, .end = *end});
    return true;
}

std::optional<Place> Replay::placeIn(BufferId id, Offset offset, Bytes size) const
{
    const Placement& placement = m_plan.placements[id.index()];
    const auto begin = checkedAdd(placement.offset, offset);
    const auto end = begin ? checkedAdd(*begin, size) : std::nullopt;
    if (!end)
        return std::nullopt;
    return Place{id, placement.region.index(), *begin, *end, Stamp{-1, placement.offset, id, {}}};
}

/// Whether the bytes hold what they should; `groupMayOverwrite` accepts the place's own buffer whatever it holds: an
/// in-place output written over its input.
bool Replay::expect(const Place& place, TensorId wanted, Step step, OpId reader, bool groupMayOverwrite)
{
    bool isRight = true;
    m_arena[place.region].forEach(place.begin, place.end, [&](Offset begin, Offset end, const Stamp& stamp) {
        if (stamp.holdsSameAs(place.stamp) || (groupMayOverwrite && stamp.buffer == place.buffer))
            return;
        isRight = false;
        report({.kind = ClashKind::OverwrittenRead,
                .first = place.buffer,
                .second = stamp.buffer,
                .reads = wanted,
                .found = stamp.writer,
                .op = reader,
                .step = step,
                .begin = begin,
                .end = end});
    });
    return isRight;
}

/// Reads, then writes, then looks again: while an operator runs, its inputs, outputs and workspace must all keep their
/// bytes.
void Replay::runStep(Step step, OpId id)
{
    const Operator& op = m_graph.op(id);
    std::vector<TensorId> reads = op.inputs;
    reads.insert(reads.end(), op.captures.begin(), op.captures.end());
    std::erase_if(reads, [this](TensorId tensor) { return !tensor.isValid() || !placeOf(tensor); });
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());

    for (const Place& workspace : m_workspaces[id.index()])
        write(workspace);
    std::erase_if(reads, [&](TensorId tensor) { return !expect(*placeOf(tensor), tensor, step, id, false); });
    for (const TensorId tensor : op.outputs) {
        if (tensor.isValid() && placeOf(tensor))
            write(*placeOf(tensor));
    }
    for (const TensorId tensor : reads)
        expect(*placeOf(tensor), tensor, step, id, true);
    for (const TensorId tensor : op.outputs) {
        if (tensor.isValid() && placeOf(tensor))
            expect(*placeOf(tensor), tensor, step, id, false);
    }
    for (const Place& workspace : m_workspaces[id.index()])
        expect(workspace, {}, step, id, false);
}

Validation Replay::run()
{
    for (const TensorId input : m_graph.inputs()) {
        if (placeOf(input))
            write(*placeOf(input));
    }
    for (std::size_t step = 0; step < m_schedule.order.size(); ++step)
        runStep(static_cast<Step>(step), m_schedule.order[step]);
    for (const TensorId output : m_graph.outputs()) {
        if (placeOf(output))
            expect(*placeOf(output), output, m_schedule.stepCount(), {}, false);
    }
    return std::move(m_result);
}

} // namespace

Validation replayPlan(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan,
                      std::size_t maxClashes)
{
    return Replay(graph, schedule, problem, plan, maxClashes).run();
}

} // namespace arenascope
