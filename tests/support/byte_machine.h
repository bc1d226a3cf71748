// SPDX-License-Identifier: MIT
// Runs a network on real bytes, once with every tensor in memory of its own and once inside a plan's arena: an oracle for
// replayPlan() that shares nothing with it.
#pragma once

#include <arenascope/study.h>

#include <cstring>
#include <map>
#include <set>

namespace arenascope::test {

/// Every byte is a 64-bit number that says who made it, so that no two are equal by chance. Concat, Split and Slice move them
/// element by element, by indices; views copy them; all other operators make new ones. Networks of uint8 tensors only.
class ByteMachine {
public:
    using Cells = std::vector<std::uint64_t>;

    ByteMachine(const Study& study, const PlacementProblem& problem, const Plan& plan)
        : m_graph(*study.graph), m_schedule(study.schedule), m_problem(problem), m_plan(plan), m_values(m_graph.tensors().size())
    {
        m_arena.assign(static_cast<std::size_t>(std::max<Bytes>(plan.arenaSize, 0)), 0);
        for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
            for (const AliasMember& member : problem.buffers[i].tensors) {
                m_place[member.tensor] = plan.placements[i].offset + member.offset;
                if (member.reason == AliasReason::View)
                    m_notWritten[member.tensor].insert({0, m_graph.tensor(member.tensor).bytes});
                if (member.reason == AliasReason::InPlace)
                    m_over[member.tensor] = member.sharesWith;
            }
        }
        for (const Elision& e : problem.elisions) {
            const bool isConcat = e.reason == AliasReason::ConcatPart;
            m_notWritten[isConcat ? e.whole : e.part].insert({isConcat ? e.offset : 0, (isConcat ? e.offset : 0) + e.bytes});
        }
    }

    /// Whether every operator finds in the arena what it would find in memory of its own.
    bool runs()
    {
        for (std::size_t i = 0; i < m_graph.tensors().size(); ++i) {
            const TensorId id = TensorId::fromIndex(i);
            if (!m_graph.tensor(id).producer.isValid())
                m_values[i] = fresh(id);
        }
        bool isGood = true;
        for (const TensorId input : m_graph.inputs())
            store(input);
        for (const OpId id : m_schedule.order) {
            const Operator& op = m_graph.op(id);
            for (const TensorId input : op.inputs)
                isGood = isGood && isThere(input);
            compute(op);
            for (const TensorId output : op.outputs)
                store(output);
            for (const TensorId output : op.outputs)
                isGood = isGood && isThere(output);
            for (const TensorId input : op.inputs)
                isGood = isGood && (isThere(input) || isOverwritten(input, op));
        }
        for (const TensorId output : m_graph.outputs())
            isGood = isGood && isThere(output);
        return isGood;
    }

private:
    static constexpr std::uint64_t kPerTensor = 1u << 20;

    Cells fresh(TensorId id) const
    {
        Cells cells;
        for (std::int64_t i = 0; i < m_graph.tensor(id).bytes; ++i)
            cells.push_back((id.index() + 1) * kPerTensor + static_cast<std::uint64_t>(i));
        return cells;
    }

    const std::vector<std::int64_t>& dims(TensorId id) const { return m_graph.tensor(id).shape.dims; }

    /// Moves the elements of `inner` to, or from, its place in `outer`, which begins `start` elements along the axis.
    void move(TensorId inner, TensorId outer, std::size_t axis, std::int64_t start, bool outwards)
    {
        std::vector<std::int64_t> at(dims(inner).size(), 0);
        const std::size_t count = static_cast<std::size_t>(m_graph.tensor(inner).bytes);
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t there = 0;
            for (std::size_t d = 0; d < at.size(); ++d)
                there = there * dims(outer)[d] + at[d] + (d == axis ? start : 0);
            Cells& out = m_values[outwards ? outer.index() : inner.index()];
            const Cells& in = m_values[outwards ? inner.index() : outer.index()];
            out[outwards ? static_cast<std::size_t>(there) : i] = in[outwards ? i : static_cast<std::size_t>(there)];
            for (std::size_t d = at.size(); d-- > 0;) {
                if (++at[d] < dims(inner)[d])
                    break;
                at[d] = 0;
            }
        }
    }

    void compute(const Operator& op)
    {
        for (const TensorId output : op.outputs)
            m_values[output.index()] = fresh(output);
        const TensorId output = op.outputs.front();
        if (op.kind == "Reshape")
            m_values[output.index()] = m_values[op.inputs.front().index()];
        if (op.kind != "Concat" && op.kind != "Split" && op.kind != "Slice")
            return;
        std::int64_t axis = op.kind == "Slice" ? 1 : std::get<std::int64_t>(op.attributes.at("axis"));
        axis += axis < 0 ? 3 : 0;
        const auto a = static_cast<std::size_t>(axis);
        std::int64_t start = op.kind == "Slice" ? sliceStart(op) : 0;
        const bool isConcat = op.kind == "Concat";
        for (const TensorId part : isConcat ? op.inputs : op.outputs) {
            move(part, isConcat ? output : op.inputs.front(), a, start, isConcat);
            start += dims(part)[a];
        }
    }

    std::int64_t sliceStart(const Operator& op) const
    {
        std::int64_t start = 0;
        if (op.inputs.size() > 1)
            std::memcpy(&start, m_graph.tensor(op.inputs[1]).source->inlineBytes.data(), sizeof start);
        else
            start = std::get<std::vector<std::int64_t>>(op.attributes.at("starts")).front();
        return start + (start < 0 ? dims(op.inputs.front())[1] : 0);
    }

    /// Writes a tensor, but not what the plan says to be there already.
    void store(TensorId id)
    {
        const auto place = m_place.find(id);
        if (place == m_place.end())
            return;
        const auto& left = m_notWritten[id];
        for (std::size_t i = 0; i < m_values[id.index()].size(); ++i) {
            const auto offset = static_cast<Offset>(i);
            const bool isWritten = std::none_of(left.begin(), left.end(), [&](const auto& range) {
                return range.first <= offset && offset < range.second;
            });
            if (isWritten && isInArena(place->second + offset))
                m_arena[static_cast<std::size_t>(place->second + offset)] = m_values[id.index()][i];
        }
    }

    bool isInArena(Offset at) const { return at >= 0 && at < static_cast<Offset>(m_arena.size()); }

    bool isThere(TensorId id) const
    {
        const auto place = m_place.find(id);
        if (place == m_place.end())
            return true;
        for (std::size_t i = 0; i < m_values[id.index()].size(); ++i) {
            const Offset at = place->second + static_cast<Offset>(i);
            if (!isInArena(at) || m_arena[static_cast<std::size_t>(at)] != m_values[id.index()][i])
                return false;
        }
        return true;
    }

    /// An element-wise operator may write over an operand of just the same bytes.
    bool isOverwritten(TensorId input, const Operator& op) const
    {
        const TensorId output = op.outputs.front();
        const auto over = m_over.find(output);
        return over != m_over.end() && m_place.at(over->second) == m_place.at(output) && m_place.at(input) == m_place.at(output)
            && m_graph.tensor(input).bytes == m_graph.tensor(output).bytes;
    }

    const Graph& m_graph;
    const Schedule& m_schedule;
    const PlacementProblem& m_problem;
    const Plan& m_plan;
    std::vector<Cells> m_values; ///< by tensor: in memory of its own
    Cells m_arena;
    std::map<TensorId, Offset> m_place;
    std::map<TensorId, std::set<std::pair<Offset, Offset>>> m_notWritten;
    std::map<TensorId, TensorId> m_over;
};

} // namespace arenascope::test
