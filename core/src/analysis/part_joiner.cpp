// SPDX-License-Identifier: MIT
#include "core/src/analysis/part_joiner.h"

#include "core/src/analysis/needed_bytes.h"
#include "core/src/analysis/operator_parts.h"
#include "core/src/analysis/step_maxima.h"

#include <arenascope/problem.h>

#include <algorithm>
#include <numeric>

namespace arenascope::detail {

namespace {

constexpr std::size_t kMaxMembers = 512;    ///< of a joined group
constexpr int kMaxRounds = 4;
constexpr Bytes kMaxExtent = Bytes(1) << 60; ///< of a joined group, so that sums of offsets fit

using GroupIndex = std::int32_t;

/// A group while it grows. Offsets are its own until it is joined to another.
struct Group {
    std::vector<AliasMember> members;
    std::vector<BufferPiece> needs; ///< of the arena; empty where it lies outside
    Offset low = 0;
    Offset high = 0;
    TensorId output;             ///< the network output that it holds; invalid: none
    bool holdsInput = false;
};

/// Everything that a join changes.
struct State {
    std::vector<Group> groups;            ///< emptied where they have joined another
    std::vector<GroupIndex> groupOf;      ///< by TensorId
    std::vector<Offset> offsetOf;         ///< by TensorId
    StepMaxima live{0};
};

/// Groups that may be joined, each moved by so many bytes.
struct Bundle {
    std::vector<std::pair<GroupIndex, Offset>> groups;
    Group joined;
};

/// What an operator copies, as it stands in its network.
struct Candidate {
    OpId op;
    Bytes bytes = 0; ///< of all parts that may be joined
};

class PartJoiner {
public:
    PartJoiner(const Graph& graph, const Schedule& schedule, const AliasGroups& base, const PeakOptions& options,
               const Precedence* precedence)
        : m_graph(graph), m_schedule(schedule), m_options(options), m_precedence(precedence), m_ranges(tensorLiveRanges(graph, schedule))
    {
        findParts(base);
        m_start = startingState(base);
        m_shift.resize(base.groups.size());
    }

    AliasGroups run(AliasGroups base);

private:
    void findParts(const AliasGroups& base);
    State startingState(const AliasGroups& base) const;
    bool isJoinable(const OperatorPart& part) const;
    std::vector<BufferPiece> needsOf(const Group& group) const;

    std::optional<Offset> placeOf(TensorId tensor) const;
    bool isInPlace(const OperatorPart& part) const;
    bool isHeldWhile(TensorId tensor, TensorId made) const;
    bool harms(const AliasMember& writer, const AliasMember& other) const;
    bool writes(const AliasMember& member, Offset low, Offset high) const;
    bool clash(const AliasMember& a, const AliasMember& b) const;
    bool writesAnything(const Group& group) const;
    bool mayJoin(const Group& joined, const Group& more, Offset shift) const;

    Bundle bundleOf(GroupIndex group);
    bool extend(Bundle& bundle, GroupIndex group, Offset shift, const OperatorPart& part);
    void forget(const Bundle& bundle);
    bool commitIfGood(Bundle& bundle);
    void tryParts(std::span<const OperatorPart> parts);
    void tryOperator(OpId op);
    bool isElided(const OperatorPart& part) const;
    Bytes elidedBytes() const;
    AliasGroups result(AliasGroups base) const;
    void addElisions(AliasGroups& result) const;

    const Graph& m_graph;
    const Schedule& m_schedule;
    PeakOptions m_options;
    const Precedence* m_precedence;                 ///< null: operators run as scheduled
    std::vector<LiveRange> m_ranges;                ///< by TensorId
    std::vector<std::vector<OperatorPart>> m_parts; ///< by OpId
    std::vector<OperatorPart> m_cutFrom;            ///< by TensorId: what a Split or Slice output is a part of
    std::vector<bool> m_isView;                     ///< by TensorId: never written, its operand's bytes under another name
    std::vector<Candidate> m_candidates;
    State m_start;
    State m_state;
    Bytes m_limit = 0;                              ///< live bytes that no join may exceed
    std::vector<std::optional<Offset>> m_shift;     ///< by group: those of the bundle at hand
};

bool PartJoiner::isJoinable(const OperatorPart& part) const
{
    return m_graph.tensor(part.part).isActivation() && m_graph.tensor(part.whole).isActivation()
        && m_graph.tensor(part.part).bytes > 0 && part.offset % m_options.alignment == 0;
}

void PartJoiner::findParts(const AliasGroups& base)
{
    m_parts.resize(m_graph.operators().size());
    m_cutFrom.resize(m_graph.tensors().size());
    m_isView.assign(m_graph.tensors().size(), false);
    for (const AliasGroup& group : base.groups) {
        for (const AliasMember& member : group.members)
            m_isView[member.tensor.index()] = member.reason == AliasReason::View;
    }
    for (const OpId op : m_schedule.order) {
        auto& parts = m_parts[op.index()];
        parts = partsOf(m_graph, m_graph.op(op));
        Candidate candidate{op, 0};
        for (const OperatorPart& part : parts) {
            if (part.reason == AliasReason::SplitPart)
                m_cutFrom[part.part.index()] = part;
            if (isJoinable(part))
                candidate.bytes = checkedAdd(candidate.bytes, m_graph.tensor(part.part).bytes).value_or(candidate.bytes);
        }
        if (candidate.bytes > 0)
            m_candidates.push_back(candidate);
    }
    std::stable_sort(m_candidates.begin(), m_candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.bytes > b.bytes; });
}

std::vector<BufferPiece> PartJoiner::needsOf(const Group& group) const
{
    if ((group.holdsInput && !m_options.inputsInArena)
        || (!group.holdsInput && group.output.isValid() && !m_options.outputsInArena))
        return {};
    std::vector<BufferPiece> tensors;
    if (m_precedence) {
        LiveRange life = m_ranges[group.members.front().tensor.index()];
        for (const AliasMember& member : group.members) {
            const LiveRange range = m_ranges[member.tensor.index()];
            life = {std::min(life.begin, range.begin), std::max(life.end, range.end)};
        }
        tensors.push_back({life, 0, group.high - group.low});
        return neededBytes(std::move(tensors), m_options.alignment);
    }
    tensors.reserve(group.members.size());
    for (const AliasMember& member : group.members) {
        const Bytes bytes = std::max<Bytes>(m_graph.tensor(member.tensor).bytes, 0);
        const Offset low = member.offset - group.low; // as it will be once the group is final
        tensors.push_back({m_ranges[member.tensor.index()], low, low + bytes});
    }
    return neededBytes(std::move(tensors), m_options.alignment);
}

State PartJoiner::startingState(const AliasGroups& base) const
{
    State state;
    state.groupOf = base.groupOf;
    state.offsetOf.assign(m_graph.tensors().size(), 0);
    state.live = StepMaxima(m_schedule.stepCount());
    for (const AliasGroup& from : base.groups) {
        Group group{from.members, {}, 0, std::max<Bytes>(from.bytes, 0), {}, false};
        for (const AliasMember& member : from.members) {
            const Tensor& tensor = m_graph.tensor(member.tensor);
            group.output = tensor.isOutput ? member.tensor : group.output;
            group.holdsInput = group.holdsInput || tensor.role == TensorRole::Input;
        }
        group.needs = needsOf(group);
        for (const BufferPiece& need : group.needs)
            state.live.add(need.steps, need.high - need.low);
        state.groups.push_back(std::move(group));
    }
    for (Step step = 0; m_options.countWorkspace && step < m_schedule.stepCount(); ++step) {
        const Bytes bytes = m_graph.op(m_schedule.order[static_cast<std::size_t>(step)]).workspace;
        state.live.add({step, step + 1}, checkedAlignUp(std::max<Bytes>(bytes, 0), m_options.alignment).value_or(0));
    }
    return state;
}

/// Where the bundle at hand puts a tensor; nothing for tensors of other groups.
std::optional<Offset> PartJoiner::placeOf(TensorId tensor) const
{
    const GroupIndex group = m_state.groupOf[tensor.index()];
    if (group < 0 || !m_shift[static_cast<std::size_t>(group)])
        return std::nullopt;
    return m_state.offsetOf[tensor.index()] + *m_shift[static_cast<std::size_t>(group)];
}

bool PartJoiner::isInPlace(const OperatorPart& part) const
{
    const auto inner = placeOf(part.part);
    const auto outer = placeOf(part.whole);
    return inner && outer && *inner == *outer + part.offset;
}

/// Whether the operator that makes a tensor writes any of these bytes. A Concat writes what is not yet in its place, a Split
/// or Slice only what must not stay where it is.
bool PartJoiner::writes(const AliasMember& member, Offset low, Offset high) const
{
    const Tensor& tensor = m_graph.tensor(member.tensor);
    if (!tensor.producer.isValid() || m_isView[member.tensor.index()])
        return false;
    const auto& parts = m_parts[tensor.producer.index()];
    if (parts.empty() || parts.front().reason == AliasReason::SplitPart) {
        const OperatorPart& cut = m_cutFrom[member.tensor.index()];
        const bool stays = cut.part.isValid() && isInPlace(cut);
        return !stays && member.offset < high && low < member.offset + tensor.bytes;
    }
    // Parts lie end to end.
    const auto isBelow = [&](const OperatorPart& part) { return member.offset + part.offset + m_graph.tensor(part.part).bytes <= low; };
    for (auto part = std::partition_point(parts.begin(), parts.end(), isBelow);
         part != parts.end() && member.offset + part->offset < high; ++part) {
        if (m_graph.tensor(part->part).bytes > 0 && !isInPlace(*part))
            return true;
    }
    return false;
}

/// Whether a tensor may still, or already, need its bytes while the operator runs that makes another.
bool PartJoiner::isHeldWhile(TensorId id, TensorId made) const
{
    if (!m_precedence)
        return m_ranges[id.index()].contains(m_ranges[made.index()].begin);
    const Tensor& tensor = m_graph.tensor(id);
    const OpId maker = m_graph.tensor(made).producer;
    if (!maker.isValid() || (tensor.producer.isValid() && m_precedence->isBefore(maker, tensor.producer)))
        return false;
    const auto isDone = [&](OpId user) { return m_precedence->isBefore(user, maker); };
    const bool isOver = !tensor.isOutput && (!tensor.producer.isValid() || isDone(tensor.producer))
        && std::all_of(tensor.consumers.begin(), tensor.consumers.end(), isDone);
    return !isOver;
}

/// Whether making `writer` spoils bytes that `other` holds then. Both are needed while an operator runs, so that what reads
/// `other` for the last time may not write over it either.
bool PartJoiner::harms(const AliasMember& writer, const AliasMember& other) const
{
    if (!isHeldWhile(other.tensor, writer.tensor))
        return false;
    return writes(writer, other.offset, other.offset + std::max<Bytes>(m_graph.tensor(other.tensor).bytes, 0));
}

bool PartJoiner::clash(const AliasMember& a, const AliasMember& b) const
{
    const bool mayMeet = m_precedence || m_ranges[a.tensor.index()].meets(m_ranges[b.tensor.index()]);
    return mayMeet && (harms(a, b) || harms(b, a));
}

bool PartJoiner::writesAnything(const Group& group) const
{
    return std::any_of(group.members.begin(), group.members.end(), [this](const AliasMember& member) {
        return writes(member, member.offset, member.offset + m_graph.tensor(member.tensor).bytes);
    });
}

/// Memory of the caller is as large as what it is for: nothing may reach beyond a network input or an output that lives
/// outside, and two outputs outside are two memories.
bool PartJoiner::mayJoin(const Group& joined, const Group& more, Offset shift) const
{
    if (joined.members.size() + more.members.size() > kMaxMembers)
        return false;
    const Offset low = std::min(joined.low, more.low + shift);
    const Offset high = std::max(joined.high, more.high + shift);
    if (high - low > kMaxExtent)
        return false;
    if (m_options.outputsInArena || (!joined.output.isValid() && !more.output.isValid()))
        return true;
    if (joined.output.isValid() && more.output.isValid())
        return false;
    const TensorId output = joined.output.isValid() ? joined.output : more.output;
    const auto at = placeOf(output);
    return at && *at == low && m_graph.tensor(output).bytes == high - low;
}

Bundle PartJoiner::bundleOf(GroupIndex group)
{
    m_shift[static_cast<std::size_t>(group)] = 0;
    return {{{group, 0}}, m_state.groups[static_cast<std::size_t>(group)]};
}

void PartJoiner::forget(const Bundle& bundle)
{
    for (const auto& [group, shift] : bundle.groups)
        m_shift[static_cast<std::size_t>(group)].reset();
}

/// Takes one more group into the bundle, if its bytes may lie there.
bool PartJoiner::extend(Bundle& bundle, GroupIndex index, Offset shift, const OperatorPart& part)
{
    const Group& more = m_state.groups[static_cast<std::size_t>(index)];
    if (shift > kMaxExtent || shift < -kMaxExtent)
        return false;
    m_shift[static_cast<std::size_t>(index)] = shift;
    std::vector<AliasMember> moved;
    const auto refuse = [&] {
        m_shift[static_cast<std::size_t>(index)].reset();
        return false;
    };
    if (!mayJoin(bundle.joined, more, shift))
        return refuse();
    for (AliasMember member : more.members) {
        member.offset += shift;
        if (!member.sharesWith.isValid()) {
            member.reason = part.reason;
            member.sharesWith = part.whole;
        }
        moved.push_back(member);
    }
    const bool isSound = std::none_of(moved.begin(), moved.end(), [&](const AliasMember& a) {
        return std::any_of(bundle.joined.members.begin(), bundle.joined.members.end(),
                           [&](const AliasMember& b) { return clash(a, b); });
    });
    if (!isSound || (bundle.joined.holdsInput && writesAnything({moved, {}, 0, 0, {}, false}))
        || (more.holdsInput && writesAnything(bundle.joined)))
        return refuse();
    Group& joined = bundle.joined;
    joined.low = std::min(joined.low, more.low + shift);
    joined.high = std::max(joined.high, more.high + shift);
    joined.output = joined.output.isValid() ? joined.output : more.output;
    joined.holdsInput = joined.holdsInput || more.holdsInput;
    joined.members.insert(joined.members.end(), moved.begin(), moved.end());
    bundle.groups.emplace_back(index, shift);
    return true;
}

/// Joins the bundle for good, unless it makes a step need more than before and more than the limit.
bool PartJoiner::commitIfGood(Bundle& bundle)
{
    bundle.joined.needs = needsOf(bundle.joined);
    std::vector<std::pair<Step, Bytes>> changes;
    const auto note = [&changes](const std::vector<BufferPiece>& needs, Bytes sign) {
        for (const BufferPiece& need : needs) {
            changes.emplace_back(need.steps.begin, sign * (need.high - need.low));
            changes.emplace_back(need.steps.end, -sign * (need.high - need.low));
        }
    };
    note(bundle.joined.needs, 1);
    for (const auto& [group, shift] : bundle.groups)
        note(m_state.groups[static_cast<std::size_t>(group)].needs, -1);
    std::sort(changes.begin(), changes.end());

    std::vector<std::pair<LiveRange, Bytes>> deltas;
    Bytes delta = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        delta += changes[i].second;
        const Step end = i + 1 < changes.size() ? changes[i + 1].first : changes[i].first;
        if (delta != 0 && end > changes[i].first)
            deltas.emplace_back(LiveRange{changes[i].first, end}, delta);
    }
    for (const auto& [steps, more] : deltas) {
        if (more > 0 && m_state.live.most(steps) + more > m_limit)
            return false;
    }
    for (const auto& [steps, more] : deltas)
        m_state.live.add(steps, more);
    const GroupIndex into = bundle.groups.front().first;
    for (const auto& [group, shift] : bundle.groups)
        m_state.groups[static_cast<std::size_t>(group)] = Group();
    for (const AliasMember& member : bundle.joined.members) {
        m_state.groupOf[member.tensor.index()] = into;
        m_state.offsetOf[member.tensor.index()] = member.offset;
    }
    m_state.groups[static_cast<std::size_t>(into)] = std::move(bundle.joined);
    return true;
}

/// All of these parts of one whole at once, then one by one.
void PartJoiner::tryParts(std::span<const OperatorPart> parts)
{
    Bundle bundle = bundleOf(m_state.groupOf[parts.front().whole.index()]);
    for (const OperatorPart& part : parts) {
        if (placeOf(part.part)) // twice in it, or there already
            continue;
        const GroupIndex group = m_state.groupOf[part.part.index()];
        extend(bundle, group, *placeOf(part.whole) + part.offset - m_state.offsetOf[part.part.index()], part);
    }
    const bool isDone = bundle.groups.size() < 2 || commitIfGood(bundle);
    forget(bundle);
    if (isDone || parts.size() < 2)
        return;
    std::vector<OperatorPart> bySize(parts.begin(), parts.end());
    std::stable_sort(bySize.begin(), bySize.end(), [this](const OperatorPart& a, const OperatorPart& b) {
        return m_graph.tensor(a.part).bytes > m_graph.tensor(b.part).bytes;
    });
    for (const OperatorPart& part : bySize)
        tryParts({&part, 1});
}

void PartJoiner::tryOperator(OpId op)
{
    std::vector<OperatorPart> parts;
    std::copy_if(m_parts[op.index()].begin(), m_parts[op.index()].end(), std::back_inserter(parts),
                 [this](const OperatorPart& part) { return isJoinable(part); });
    if (!parts.empty())
        tryParts(parts);
}

/// Whether part and whole have come to lie so that nothing is to be copied, wherever they joined.
bool PartJoiner::isElided(const OperatorPart& part) const
{
    const GroupIndex group = m_state.groupOf[part.part.index()];
    return group >= 0 && group == m_state.groupOf[part.whole.index()] && m_graph.tensor(part.part).bytes > 0
        && m_state.offsetOf[part.part.index()] == m_state.offsetOf[part.whole.index()] + part.offset;
}

Bytes PartJoiner::elidedBytes() const
{
    Bytes sum = 0;
    for (const Candidate& candidate : m_candidates) {
        for (const OperatorPart& part : m_parts[candidate.op.index()]) {
            if (isElided(part))
                sum = checkedAdd(sum, m_graph.tensor(part.part).bytes).value_or(sum);
        }
    }
    return sum;
}

AliasGroups PartJoiner::run(AliasGroups base)
{
    State best = m_start;
    Bytes bestPeak = m_start.live.most();
    Bytes bestElided = -1;
    for (int round = 0; round < kMaxRounds; ++round) {
        m_state = m_start;
        m_limit = bestPeak;
        for (const Candidate& candidate : m_candidates)
            tryOperator(candidate.op);
        const Bytes peak = m_state.live.most();
        const Bytes elided = elidedBytes();
        const bool isLower = peak < bestPeak;
        if (isLower || (peak == bestPeak && elided > bestElided)) {
            best = m_state;
            bestPeak = peak;
            bestElided = elided;
        }
        if (!isLower)
            break;
    }
    m_state = std::move(best);
    return result(std::move(base));
}

void PartJoiner::addElisions(AliasGroups& result) const
{
    for (const OpId op : m_schedule.order) {
        for (const OperatorPart& part : m_parts[op.index()]) {
            if (!isElided(part))
                continue;
            const Bytes bytes = m_graph.tensor(part.part).bytes;
            result.elisions.push_back({op, part.reason, part.part, part.whole, part.offset, bytes});
        }
    }
}

/// The first of the old groups in a new one is the one that is written first.
AliasGroups PartJoiner::result(AliasGroups base) const
{
    AliasGroups result;
    result.mode = base.mode;
    result.groupOf.assign(m_graph.tensors().size(), -1);
    const auto firstWrite = [this](const AliasMember& member) {
        const OpId producer = m_graph.tensor(member.tensor).producer;
        return std::pair(producer.isValid() ? m_schedule.stepOf[producer.index()] : -1, member.tensor);
    };
    for (const AliasGroup& old : base.groups) {
        const TensorId first = old.members.front().tensor;
        if (result.groupOf[first.index()] >= 0)
            continue;
        const Group& from = m_state.groups[static_cast<std::size_t>(m_state.groupOf[first.index()])];
        AliasGroup group{from.members, from.members.size() == old.members.size() ? old.bytes : from.high - from.low};
        for (AliasMember& member : group.members) {
            member.offset -= from.low;
            result.groupOf[member.tensor.index()] = static_cast<std::int32_t>(result.groups.size());
        }
        if (group.members.size() != old.members.size())
            std::sort(group.members.begin(), group.members.end(),
                      [&](const AliasMember& a, const AliasMember& b) { return firstWrite(a) < firstWrite(b); });
        result.groups.push_back(std::move(group));
    }
    addElisions(result);
    return result;
}

/// Whether sums of live bytes fit 63 bits.
bool fitsTogether(const Graph& graph, const AliasGroups& groups, const PeakOptions& options)
{
    std::optional<Bytes> sum = 0;
    const auto add = [&](Bytes bytes) {
        const auto reserved = checkedAlignUp(std::max<Bytes>(bytes, 0), options.alignment);
        sum = sum && reserved ? checkedAdd(*sum, *reserved) : std::nullopt;
    };
    for (const AliasGroup& group : groups.groups)
        add(group.bytes);
    for (const Operator& op : graph.operators())
        add(op.workspace);
    return sum && *sum < kMaxExtent;
}

} // namespace

AliasGroups joinParts(const Graph& graph, const Schedule& schedule, AliasGroups inPlace, const PeakOptions& options,
                      const Precedence* precedence)
{
    if (options.alignment <= 0 || !fitsTogether(graph, inPlace, options))
        return inPlace; // refused where the problem is made
    PartJoiner joiner(graph, schedule, inPlace, options, precedence);
    return joiner.run(std::move(inPlace));
}

} // namespace arenascope::detail
