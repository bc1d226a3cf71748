// SPDX-License-Identifier: MIT
#include <arenascope/problem.h>

#include "core/src/analysis/arena_groups.h"
#include "core/src/analysis/conflicts.h"
#include "core/src/analysis/needed_bytes.h"
#include "core/src/analysis/ping_pong.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace arenascope {

namespace {

std::string placeOf(const Graph& graph, const Tensor& tensor)
{
    if (tensor.producer.isValid())
        return graph.op(tensor.producer).name;
    return "the network's inputs";
}

constexpr std::size_t kMaxNamed = 3;

// What follows from an unknown shape is unknown, too: only the tensors with which it begins are worth naming.
bool isFirstUnknown(const Graph& graph, const Tensor& tensor)
{
    if (!tensor.producer.isValid())
        return true;
    const auto isKnown = [&](TensorId input) {
        return !input.isValid() || !graph.tensor(input).isActivation() || graph.tensor(input).bytes != kUnknownBytes;
    };
    return std::ranges::all_of(graph.op(tensor.producer).inputs, isKnown);
}

std::string shapeOption(const Tensor& tensor)
{
    std::string pattern;
    for (const std::int64_t dim : tensor.shape.dims)
        pattern += (pattern.empty() ? "" : "x") + (dim == kUnknownDim ? std::string("N") : std::to_string(dim));
    return "--shape " + tensor.name + "=" + (pattern.empty() ? "NxN" : pattern);
}

std::optional<Error> unknownSizes(const Graph& graph)
{
    const std::vector<TensorId> unknown = graph.tensorsOfUnknownSize();
    if (unknown.empty())
        return std::nullopt;
    std::vector<TensorId> first;
    std::ranges::copy_if(unknown, std::back_inserter(first),
                         [&](TensorId id) { return isFirstUnknown(graph, graph.tensor(id)); });
    if (first.empty())
        first = unknown;

    std::string options;
    for (std::size_t i = 0; i < std::min(first.size(), kMaxNamed); ++i)
        options += (options.empty() ? "" : ", ") + shapeOption(graph.tensor(first[i]));
    if (first.size() > kMaxNamed)
        options += " and so on for " + std::to_string(first.size() - kMaxNamed) + " more";
    options += " (with numbers for N)";
    const Tensor& tensor = graph.tensor(first.front());
    return Error{ErrorCode::UnknownShape, {}, {tensor.name, placeOf(graph, tensor), options}};
}

LiveRange united(LiveRange a, LiveRange b)
{
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

class ProblemMaker {
public:
    ProblemMaker(const Graph& graph, const Schedule& schedule, const ProblemOptions& options)
        : m_graph(graph), m_options(options)
    {
        m_problem.name = graph.info().name;
        m_problem.stepCount = schedule.stepCount();
        m_problem.alignment = options.alignment;
        m_problem.concurrency = options.concurrency;
        if (!options.regions.empty())
            m_problem.regions = options.regions;
        m_bufferOf.assign(graph.tensors().size(), BufferId());
    }

    std::optional<Error> addGroups(const AliasGroups& aliases, const std::vector<LiveRange>& ranges)
    {
        for (const AliasGroup& group : aliases.groups) {
            if (!detail::isInArena(m_graph, group, m_options.io.inputsInArena, m_options.io.outputsInArena))
                continue;
            Buffer buffer;
            buffer.kind = BufferKind::Tensors;
            buffer.name = nameOf(group);
            buffer.size = group.bytes;
            buffer.live = ranges[group.members.front().tensor.index()];
            buffer.tensors = group.members;
            for (const AliasMember& member : group.members) {
                buffer.live = united(buffer.live, ranges[member.tensor.index()]);
                m_bufferOf[member.tensor.index()] = BufferId::fromIndex(m_problem.buffers.size());
            }
            buffer.uses = usesOf(group);
            buffer.fileOffset = fileOffsetOf(group);
            if (m_options.concurrency == Concurrency::Sequential)
                addGaps(buffer, ranges);
            if (auto error = add(std::move(buffer)))
                return error;
        }
        m_problem.elisions = aliases.elisions;
        return std::nullopt;
    }

    std::optional<Error> addWorkspaces(const Schedule& schedule)
    {
        for (Step step = 0; step < schedule.stepCount(); ++step) {
            const OpId id = schedule.order[static_cast<std::size_t>(step)];
            const Operator& op = m_graph.op(id);
            if (op.workspace <= 0)
                continue;
            Buffer buffer;
            buffer.kind = BufferKind::Workspace;
            buffer.name = "workspace of " + op.name;
            buffer.size = op.workspace;
            buffer.live = {step, step + 1};
            buffer.op = id;
            buffer.uses = 2; // written and read within its step
            if (auto error = add(std::move(buffer)))
                return error;
        }
        return std::nullopt;
    }

    /// What only TensorFlow Lite Micro reserves bytes for: tensors that nothing touches, and variables that the file itself
    /// places in the arena, which are alive from before the first step to their last reader.
    void addIdle(const std::vector<LiveRange>& ranges, const Schedule& schedule)
    {
        for (std::size_t i = 0; i < m_graph.tensors().size(); ++i) {
            const Tensor& tensor = m_graph.tensors()[i];
            const bool isIdle = tensor.role == TensorRole::Scratch && ranges[i].length() == 0;
            const bool isPlaced = tensor.role == TensorRole::Variable && tensor.plannedOffset;
            if ((!isIdle && !isPlaced) || tensor.bytes <= 0)
                continue;
            Buffer buffer;
            buffer.kind = BufferKind::Tensors;
            buffer.name = tensor.name;
            buffer.size = tensor.bytes;
            for (const OpId consumer : tensor.consumers)
                buffer.live.end = std::max(buffer.live.end, schedule.stepOf[consumer.index()] + 1);
            buffer.fileOffset = tensor.plannedOffset;
            buffer.tensors = {{TensorId::fromIndex(i), 0, AliasReason::Alone, {}}};
            m_problem.idle.push_back(std::move(buffer));
        }
    }

    // A buffer that holds a network input is there before the branch begins: it has bytes of its own beside the branch's
    // memories.
    void addBranches(const Branches& branches)
    {
        for (const Branch& branch : branches.branches) {
            ProblemBranch made;
            made.id = branch.id;
            std::vector<Bytes> sizes;
            for (const BranchUnit& unit : branch.units) {
                made.units.push_back({buffersOf(unit), PingPongSide::None});
                Bytes sum = 0;
                for (const BufferId id : made.units.back().buffers)
                    sum += m_problem.buffer(id).size;
                sizes.push_back(sum);
            }
            const detail::PingPong memories = detail::pingPong(sizes);
            for (std::size_t i = 0; i < made.units.size(); ++i)
                made.units[i].side = memories.sides[i];
            m_problem.branches.push_back(std::move(made));
        }
    }

    /// What live ranges do not show where operators run in any order.
    std::optional<Error> addConflicts(const Schedule& schedule)
    {
        const auto precedence = detail::Precedence::of(m_graph, schedule);
        if (!precedence)
            return precedence.error();
        auto conflicts = detail::findConflicts(m_graph, schedule, *precedence, m_problem.buffers);
        if (!conflicts)
            return conflicts.error();
        m_problem.conflicts = *std::move(conflicts);
        m_problem.crowd = detail::heaviestCrowd(m_problem);
        for (const BufferId id : m_problem.crowd)
            m_problem.crowdBytes += m_problem.reserved(id);
        return std::nullopt;
    }

    PlacementProblem take() && { return std::move(m_problem); }

private:
    /// Parts are named after the whole that they joined.
    const std::string& nameOf(const AliasGroup& group) const
    {
        const auto whole = std::find_if(group.members.begin(), group.members.end(),
                                        [](const AliasMember& member) { return !member.sharesWith.isValid(); });
        return m_graph.tensor((whole == group.members.end() ? group.members.front() : *whole).tensor).name;
    }

    /// Each tensor is written once and read by each of its readers; an input that is handed out is read by the caller. What a
    /// compiled kernel does with its scratch is not known.
    std::int64_t usesOf(const AliasGroup& group) const
    {
        std::int64_t uses = 0;
        for (const AliasMember& member : group.members) {
            const Tensor& tensor = m_graph.tensor(member.tensor);
            if (tensor.role == TensorRole::Scratch)
                return 0;
            uses += 1 + static_cast<std::int64_t>(tensor.consumers.size());
            uses += tensor.role == TensorRole::Input && tensor.isOutput ? 1 : 0;
        }
        return uses;
    }

    /// The file plans tensors one by one: a group is where it wants it if all that it plans agrees.
    std::optional<Offset> fileOffsetOf(const AliasGroup& group) const
    {
        std::optional<Offset> offset;
        for (const AliasMember& member : group.members) {
            const auto& planned = m_graph.tensor(member.tensor).plannedOffset;
            if (!planned || (offset && *offset != *planned - member.offset) || *planned < member.offset)
                return std::nullopt;
            offset = *planned - member.offset;
        }
        return offset;
    }

    /// Where parts share a buffer, what is needed of it changes from step to step.
    void addGaps(Buffer& buffer, const std::vector<LiveRange>& ranges) const
    {
        const bool hasParts = std::any_of(buffer.tensors.begin(), buffer.tensors.end(), [](const AliasMember& member) {
            return member.reason == AliasReason::ConcatPart || member.reason == AliasReason::SplitPart;
        });
        if (!hasParts)
            return;
        std::vector<BufferPiece> tensors;
        for (const AliasMember& member : buffer.tensors)
            tensors.push_back({ranges[member.tensor.index()], member.offset, member.offset + m_graph.tensor(member.tensor).bytes});
        Step from = buffer.live.begin;
        for (const BufferPiece& need : detail::neededBytes(std::move(tensors), m_problem.alignment)) {
            if (from < need.steps.begin) // nothing is alive
                buffer.gaps.push_back({{from, need.steps.begin}, 0, 0});
            if (need.low > 0 || need.high < buffer.size)
                buffer.gaps.push_back({need.steps, need.low, need.high});
            from = need.steps.end;
        }
    }

    std::optional<Error> add(Buffer buffer)
    {
        const auto reserved = checkedAlignUp(buffer.size, m_problem.alignment);
        const auto sum = reserved ? checkedAdd(m_sum, *reserved) : std::nullopt;
        if (!sum)
            return Error{ErrorCode::SizeOverflow, {}, {"all tensors together, up to '" + buffer.name + "'"}};
        m_sum = *sum;
        m_problem.buffers.push_back(std::move(buffer));
        return std::nullopt;
    }

    std::vector<BufferId> buffersOf(const BranchUnit& unit) const
    {
        std::vector<BufferId> buffers;
        for (const TensorId tensor : unit.tensors) {
            const BufferId id = m_bufferOf[tensor.index()];
            if (!id.isValid() || std::find(buffers.begin(), buffers.end(), id) != buffers.end())
                continue;
            const auto& members = m_problem.buffer(id).tensors;
            const bool holdsInput = std::any_of(members.begin(), members.end(), [this](const AliasMember& member) {
                return m_graph.tensor(member.tensor).role == TensorRole::Input;
            });
            if (!holdsInput)
                buffers.push_back(id);
        }
        return buffers;
    }

    const Graph& m_graph;
    const ProblemOptions& m_options;
    PlacementProblem m_problem;
    std::vector<BufferId> m_bufferOf; ///< by TensorId
    Bytes m_sum = 0;
};

} // namespace

Result<PlacementProblem> makeProblem(const Graph& graph, const Schedule& schedule, const AliasGroups& aliases,
                                     const Branches& branches, const ProblemOptions& options)
{
    if (options.alignment <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(options.alignment)))
        return Error{ErrorCode::BadOption, {}, {"--align", std::to_string(options.alignment), "a power of two"}};
    if (auto error = unknownSizes(graph))
        return std::move(*error);
    ProblemMaker maker(graph, schedule, options);
    const std::vector<LiveRange> ranges = tensorLiveRanges(graph, schedule);
    if (auto error = maker.addGroups(aliases, ranges))
        return std::move(*error);
    maker.addIdle(ranges, schedule);
    if (auto error = options.countWorkspace ? maker.addWorkspaces(schedule) : std::nullopt)
        return std::move(*error);
    if (auto error = options.concurrency == Concurrency::Parallel ? maker.addConflicts(schedule) : std::nullopt)
        return std::move(*error);
    maker.addBranches(branches);
    return std::move(maker).take();
}

} // namespace arenascope
