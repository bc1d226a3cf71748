// SPDX-License-Identifier: MIT
// The network's reads and writes, carried out on stamps instead of numbers.
//
// A write stamps the bytes of its tensor with the tensor and the step. What shares its operand's bytes (a view, the output of
// a Split that copies nothing, the bytes of a Concat's output that are in place) is not written: at its birth its bytes must
// be those of the operand, which was read just before. From then on a tensor is sound as long as nothing stamps its bytes.
#include <arenascope/validator.h>

#include "core/src/check/file_plan.h"
#include "core/src/check/races.h"
#include "core/src/check/stamp_map.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace arenascope {

namespace {

using check::Stamp;
using check::StampMap;

/// Where a tensor lies in the arena.
struct Place {
    BufferId buffer;
    std::size_t region = 0;
    Offset begin = 0;
    Offset end = 0;

    bool isAt(const Place& other) const { return region == other.region && begin == other.begin && end == other.end; }
};

/// Bytes of a tensor that are not written at its birth, because they are those of another.
struct Sharing {
    TensorId with; ///< read by the operator that makes the tensor
    Offset from = 0; ///< of the shared bytes in the tensor
    Offset in = 0;   ///< of the shared bytes in `with`
    Bytes bytes = 0;
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
        , m_births(graph.tensors().size(), Stamp::kBeforeTheRun)
        , m_sharings(graph.tensors().size())
        , m_overwrites(graph.tensors().size())
        , m_workspaces(graph.operators().size())
        , m_isPlacedByFile(check::placedByFile(problem, plan))
    {
        if (problem.concurrency == Concurrency::Parallel)
            m_races.emplace(graph, schedule);
        findPlaces();
        findSharings();
    }

    Validation run();

private:
    void report(Clash clash)
    {
        ++m_result.clashCount;
        if (m_result.clashes.size() < m_maxClashes)
            m_result.clashes.push_back(clash);
    }

    void findPlaces();
    void findSharings();
    void addSharing(TensorId tensor, Sharing sharing);
    bool checkBuffer(BufferId id);
    std::optional<Place> placeIn(BufferId id, Offset offset, Bytes size) const;
    void runStep(Step step, OpId id);
    void make(TensorId tensor, Step step, OpId maker);
    bool isThere(TensorId tensor, const Sharing& sharing, Step step, OpId maker);
    void stamp(const Place& place, Offset from, Offset to, Step step, TensorId writer, OpId op);
    bool expect(TensorId wanted, Step step, OpId reader, bool mayBeOverwritten);
    bool isSound(TensorId wanted, const Stamp& stamp, Offset begin) const;
    void expectWorkspace(const Place& place, Step step, OpId user);
    void reportFound(const Place& place, TensorId wanted, OpId reader, Step step, Offset begin, Offset end, const Stamp& stamp);
    bool isOverwrittenAsPlanned(TensorId wanted, const Stamp& stamp) const;
    const std::optional<Place>& placeOf(TensorId id) const { return m_places[id.index()]; }

    const Graph& m_graph;
    const Schedule& m_schedule;
    const PlacementProblem& m_problem;
    const Plan& m_plan;
    std::size_t m_maxClashes;
    std::vector<StampMap> m_arena;                  // by region
    std::vector<std::optional<Place>> m_places;     // by tensor; nothing outside the arena
    std::vector<Step> m_births;                     // by tensor
    std::vector<std::vector<Sharing>> m_sharings;   // by tensor, by `from`
    std::vector<TensorId> m_overwrites;             // by tensor: the operand that it is written over
    std::vector<std::vector<Place>> m_workspaces;   // by operator
    std::vector<bool> m_isPlacedByFile;             // by buffer
    std::optional<check::Races> m_races;            // where the schedule is only one order of many
    Validation m_result;
};

void Replay::findPlaces()
{
    for (std::size_t i = 0; i < m_problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const Buffer& buffer = m_problem.buffers[i];
        if (!checkBuffer(id))
            continue;
        if (buffer.kind == BufferKind::Workspace && buffer.op.isValid())
            m_workspaces[buffer.op.index()].push_back(*placeIn(id, 0, buffer.size));
        for (const AliasMember& member : buffer.tensors) {
            const Bytes bytes = std::max<Bytes>(m_graph.tensor(member.tensor).bytes, 0);
            const auto place = placeIn(id, member.offset, bytes);
            if (place)
                m_places[member.tensor.index()] = place;
            if (!place || member.offset < 0 || member.offset > buffer.size - bytes)
                report({.kind = ClashKind::BeyondMemory, .first = id, .begin = place ? place->begin : 0, .end = place ? place->end : 0});
        }
    }
}

/// What the problem says is shared, and by whom: the plan is held to it.
void Replay::findSharings()
{
    for (const Buffer& buffer : m_problem.buffers) {
        for (const AliasMember& member : buffer.tensors) {
            if (!member.sharesWith.isValid())
                continue;
            if (member.reason == AliasReason::View)
                addSharing(member.tensor, {member.sharesWith, 0, 0, m_graph.tensor(member.tensor).bytes});
            if (member.reason == AliasReason::InPlace)
                m_overwrites[member.tensor.index()] = member.sharesWith;
        }
    }
    for (const Elision& elision : m_problem.elisions) {
        if (elision.reason == AliasReason::ConcatPart)
            addSharing(elision.whole, {elision.part, elision.offset, 0, elision.bytes});
        else
            addSharing(elision.part, {elision.whole, 0, elision.offset, elision.bytes});
    }
    for (auto& sharings : m_sharings)
        std::stable_sort(sharings.begin(), sharings.end(), [](const Sharing& a, const Sharing& b) { return a.from < b.from; });
}

/// Outside the arena there is nothing to check. What is said of an operator that does not read the one and make the other
/// is no sharing: the tensor is then expected to be written.
void Replay::addSharing(TensorId tensor, Sharing sharing)
{
    const OpId maker = m_graph.tensor(tensor).producer;
    if (!maker.isValid() || !placeOf(tensor) || sharing.bytes <= 0)
        return;
    const auto& inputs = m_graph.op(maker).inputs;
    if (std::find(inputs.begin(), inputs.end(), sharing.with) != inputs.end())
        m_sharings[tensor.index()].push_back(sharing);
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
    return Place{id, placement.region.index(), *begin, *end};
}

void Replay::reportFound(const Place& place, TensorId wanted, OpId reader, Step step, Offset begin, Offset end,
                         const Stamp& stamp)
{
    const auto isPlacedByFile = [this](BufferId id) { return id.isValid() && m_isPlacedByFile[id.index()]; };
    if (isPlacedByFile(place.buffer) && isPlacedByFile(stamp.buffer))
        return; // as the model file wants it
    report({.kind = ClashKind::OverwrittenRead,
            .first = place.buffer,
            .second = stamp.buffer,
            .reads = wanted,
            .found = stamp.writer,
            .op = reader,
            .step = step,
            .begin = begin,
            .end = end});
}

/// Whether the operator that is running wrote its output over just this operand, and was meant to.
bool Replay::isOverwrittenAsPlanned(TensorId wanted, const Stamp& stamp) const
{
    if (!stamp.writer.isValid() || !m_overwrites[stamp.writer.index()].isValid())
        return false;
    const auto& over = placeOf(m_overwrites[stamp.writer.index()]);
    const auto& writer = placeOf(stamp.writer);
    return over && writer && over->isAt(*writer) && over->buffer == writer->buffer && placeOf(wanted)->isAt(*over);
}

/// Whether the byte at `begin` still holds what it held at the tensor's birth. Bytes that the tensor shares are older than it.
bool Replay::isSound(TensorId wanted, const Stamp& stamp, Offset begin) const
{
    if (stamp.writer == wanted)
        return true;
    if (stamp.time == Stamp::kNever || stamp.time >= m_births[wanted.index()] || !stamp.writer.isValid())
        return false;
    const auto& sharings = m_sharings[wanted.index()];
    const Offset at = begin - placeOf(wanted)->begin;
    const auto next = std::upper_bound(sharings.begin(), sharings.end(), at, [](Offset offset, const Sharing& s) { return offset < s.from; });
    return next != sharings.begin() && at < std::prev(next)->from + std::prev(next)->bytes;
}

/// Whether a tensor's bytes are what they should be; says so where they are not.
bool Replay::expect(TensorId wanted, Step step, OpId reader, bool mayBeOverwritten)
{
    const Place& place = *placeOf(wanted);
    bool isRight = true;
    m_arena[place.region].forEach(place.begin, place.end, [&](Offset begin, Offset end, const Stamp& stamp) {
        if (isSound(wanted, stamp, begin) || (mayBeOverwritten && isOverwrittenAsPlanned(wanted, stamp)))
            return;
        isRight = false;
        reportFound(place, wanted, reader, step, begin, end, stamp);
    });
    return isRight;
}

void Replay::expectWorkspace(const Place& place, Step step, OpId user)
{
    m_arena[place.region].forEach(place.begin, place.end, [&](Offset begin, Offset end, const Stamp& stamp) {
        if (stamp.buffer != place.buffer)
            reportFound(place, {}, user, step, begin, end, stamp);
    });
}

void Replay::stamp(const Place& place, Offset from, Offset to, Step step, TensorId writer, OpId op)
{
    if (m_races)
        m_races->write({op, writer, place.buffer, place.region, place.begin + from, place.begin + to});
    m_arena[place.region].write(place.begin + from, place.begin + to, {step, place.buffer, writer});
}

/// Whether shared bytes lie where the tensor looks for them; says what it would find there instead.
bool Replay::isThere(TensorId tensor, const Sharing& sharing, Step step, OpId maker)
{
    const Place& mine = *placeOf(tensor);
    const auto& theirs = placeOf(sharing.with);
    if (theirs && theirs->region == mine.region && theirs->begin + sharing.in == mine.begin + sharing.from)
        return true;
    const Offset begin = mine.begin + sharing.from;
    m_arena[mine.region].forEach(begin, begin + sharing.bytes, [&](Offset from, Offset to, const Stamp& stamp) {
        reportFound(mine, sharing.with, maker, step, from, to, stamp);
    });
    return false;
}

/// Stamps what the operator writes: everything but the bytes that are there already.
void Replay::make(TensorId tensor, Step step, OpId maker)
{
    const Place& place = *placeOf(tensor);
    m_births[tensor.index()] = step;
    Offset written = 0;
    for (const Sharing& sharing : m_sharings[tensor.index()]) {
        if (sharing.from < written || !isThere(tensor, sharing, step, maker))
            continue;
        stamp(place, written, sharing.from, step, tensor, maker);
        written = sharing.from + sharing.bytes;
    }
    stamp(place, written, place.end - place.begin, step, tensor, maker);
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
        stamp(workspace, 0, workspace.end - workspace.begin, step, {}, id);
    for (const TensorId tensor : reads) {
        const Place& place = *placeOf(tensor);
        if (m_races)
            m_races->read({id, tensor, place.buffer, place.region, place.begin, place.end});
    }
    std::erase_if(reads, [&](TensorId tensor) { return !expect(tensor, step, id, false); });
    for (const TensorId tensor : op.outputs) {
        if (tensor.isValid() && placeOf(tensor))
            make(tensor, step, id);
    }
    for (const TensorId tensor : reads)
        expect(tensor, step, id, true);
    for (const TensorId tensor : op.outputs) {
        if (tensor.isValid() && placeOf(tensor))
            expect(tensor, step, id, false);
    }
    for (const Place& workspace : m_workspaces[id.index()])
        expectWorkspace(workspace, step, id);
}

Validation Replay::run()
{
    const auto isThereBefore = [this](TensorId tensor) {
        if (const auto& place = placeOf(tensor))
            stamp(*place, 0, place->end - place->begin, Stamp::kBeforeTheRun, tensor, {});
    };
    std::ranges::for_each(m_graph.inputs(), isThereBefore);
    for (std::size_t i = 0; i < m_graph.tensors().size(); ++i) {
        if (m_graph.tensors()[i].role == TensorRole::Scratch)
            isThereBefore(TensorId::fromIndex(i));
    }
    for (std::size_t step = 0; step < m_schedule.order.size(); ++step)
        runStep(static_cast<Step>(step), m_schedule.order[step]);
    for (const TensorId output : m_graph.outputs()) {
        if (placeOf(output))
            expect(output, m_schedule.stepCount(), {}, false);
    }
    for (const Clash& clash : m_races ? m_races->find() : std::vector<Clash>())
        report(clash);
    return std::move(m_result);
}

} // namespace

Validation replayPlan(const Graph& graph, const Schedule& schedule, const PlacementProblem& problem, const Plan& plan,
                      std::size_t maxClashes)
{
    return Replay(graph, schedule, problem, plan, maxClashes).run();
}

} // namespace arenascope
