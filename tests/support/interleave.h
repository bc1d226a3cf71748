// SPDX-License-Identifier: MIT
// Runs of a network in other orders, and with operators that run at the same time.
#pragma once

#include "support/random_graph.h"

#include <arenascope/study.h>

namespace arenascope::test {

/// Any topological order, each next operator by chance among those that can run.
inline Schedule randomOrder(const Graph& graph, std::uint64_t seed)
{
    Random random(seed);
    std::vector<std::size_t> missing;
    std::vector<OpId> ready;
    std::vector<OpId> order;
    for (std::size_t i = 0; i < graph.operators().size(); ++i) {
        missing.push_back(graph.predecessors(OpId::fromIndex(i)).size());
        if (missing.back() == 0)
            ready.push_back(OpId::fromIndex(i));
    }
    while (!ready.empty()) {
        const auto at = ready.begin() + random.below(static_cast<std::int64_t>(ready.size()));
        const OpId op = *at;
        ready.erase(at);
        order.push_back(op);
        for (const OpId next : graph.successors(op)) {
            if (--missing[next.index()] == 0)
                ready.push_back(next);
        }
    }
    return *scheduleFromOrder(graph, std::move(order));
}

/// Runs operators side by side on an arena whose bytes say who wrote them. An operator reads its inputs from its beginning to
/// its end and writes its outputs right at its beginning: the worst that it can do to others. Aliases but those of parts.
class SideBySide {
public:
    SideBySide(const Study& study, const Plan& plan, std::uint64_t seed)
        : m_graph(*study.graph), m_random(seed), m_arena(static_cast<std::size_t>(plan.arenaSize), -1)
        , m_root(m_graph.tensors().size()), m_over(m_graph.tensors().size()), m_place(m_graph.tensors().size(), -1)
        , m_workspace(m_graph.operators().size(), {0, 0})
    {
        for (std::size_t i = 0; i < m_root.size(); ++i)
            m_root[i] = TensorId::fromIndex(i);
        for (std::size_t i = 0; i < study.problem.buffers.size(); ++i) {
            const Buffer& buffer = study.problem.buffers[i];
            const Offset offset = plan.placements[i].offset;
            if (buffer.op.isValid())
                m_workspace[buffer.op.index()] = {offset, offset + buffer.size};
            for (const AliasMember& member : buffer.tensors) { // in the order in which they are written
                m_place[member.tensor.index()] = offset + member.offset;
                if (member.reason == AliasReason::View)
                    m_root[member.tensor.index()] = m_root[member.sharesWith.index()];
                if (member.reason == AliasReason::InPlace)
                    m_over[member.tensor.index()] = m_root[member.sharesWith.index()];
            }
        }
    }

    /// Whether every operator finds its bytes from its beginning to its end, and the caller all outputs.
    bool runs()
    {
        for (const TensorId input : m_graph.inputs())
            write(input);
        std::vector<std::size_t> missing;
        std::vector<OpId> ready;
        std::vector<OpId> running;
        for (std::size_t i = 0; i < m_graph.operators().size(); ++i) {
            missing.push_back(m_graph.predecessors(OpId::fromIndex(i)).size());
            if (missing.back() == 0)
                ready.push_back(OpId::fromIndex(i));
        }
        bool isGood = true;
        while (!ready.empty() || !running.empty()) {
            const bool begins = running.empty() || (!ready.empty() && m_random.chance(0.6));
            auto& from = begins ? ready : running;
            const auto at = from.begin() + m_random.below(static_cast<std::int64_t>(from.size()));
            const OpId id = *at;
            from.erase(at);
            if (begins) {
                isGood = isGood && finds(id);
                begin(id);
                running.push_back(id);
                continue;
            }
            isGood = isGood && finds(id) && keeps(id);
            for (const OpId next : m_graph.successors(id)) {
                if (--missing[next.index()] == 0)
                    ready.push_back(next);
            }
        }
        return isGood && std::all_of(m_graph.outputs().begin(), m_graph.outputs().end(), [this](TensorId id) { return isThere(id, {}); });
    }

private:
    void begin(OpId id)
    {
        for (Offset at = m_workspace[id.index()].first; at < m_workspace[id.index()].second; ++at)
            m_arena[static_cast<std::size_t>(at)] = workspaceStamp(id);
        for (const TensorId output : m_graph.op(id).outputs) {
            if (output.isValid() && m_root[output.index()] == output)
                write(output);
        }
    }

    static std::int64_t workspaceStamp(OpId id) { return -2 - static_cast<std::int64_t>(id.index()); }

    void write(TensorId id)
    {
        const Offset begin = m_place[id.index()];
        for (Offset at = begin; begin >= 0 && at < begin + m_graph.tensor(id).bytes; ++at)
            m_arena[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(id.index());
    }

    /// `reader` may have written one of its outputs over it, where that is planned.
    bool isThere(TensorId id, OpId reader) const
    {
        const Offset begin = id.isValid() ? m_place[id.index()] : -1;
        const TensorId wanted = begin >= 0 ? m_root[id.index()] : TensorId();
        for (Offset at = begin; begin >= 0 && at < begin + m_graph.tensor(id).bytes; ++at) {
            const std::int64_t stamp = m_arena[static_cast<std::size_t>(at)];
            if (stamp == static_cast<std::int64_t>(wanted.index()))
                continue;
            const bool isOwn = stamp >= 0 && reader.isValid() && m_graph.tensors()[static_cast<std::size_t>(stamp)].producer == reader
                && m_over[static_cast<std::size_t>(stamp)] == wanted;
            if (!isOwn)
                return false;
        }
        return true;
    }

    bool finds(OpId id) const
    {
        const Operator& op = m_graph.op(id);
        const auto isMine = [&](TensorId input) { return isThere(input, id); };
        return std::all_of(op.inputs.begin(), op.inputs.end(), isMine) && std::all_of(op.captures.begin(), op.captures.end(), isMine);
    }

    bool keeps(OpId id) const
    {
        const auto& outputs = m_graph.op(id).outputs;
        for (Offset at = m_workspace[id.index()].first; at < m_workspace[id.index()].second; ++at) {
            if (m_arena[static_cast<std::size_t>(at)] != workspaceStamp(id))
                return false;
        }
        return std::all_of(outputs.begin(), outputs.end(), [this](TensorId output) { return isThere(output, {}); });
    }

    const Graph& m_graph;
    Random m_random;
    std::vector<std::int64_t> m_arena;                     ///< by byte: index of the tensor that wrote it
    std::vector<TensorId> m_root;                          ///< by tensor: whose bytes it is, through views
    std::vector<TensorId> m_over;                          ///< by tensor: the operand that it is written over
    std::vector<Offset> m_place;                           ///< by tensor; -1: outside
    std::vector<std::pair<Offset, Offset>> m_workspace;    ///< by operator
};

} // namespace arenascope::test
