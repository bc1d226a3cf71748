// SPDX-License-Identifier: MIT
// Which buffers may meet in some order of the operators.
//
// Say that A ends before B begins in the schedule. They may share bytes if each operator that uses A is an ancestor of each
// that uses B. Of A only the last users count (what they read from has been used before), of B the first. Ancestors reach
// up to some place on each chain and no further; so seen from A, what it may meet is one stretch of each chain:
//
//     chain   o---o---A---o---o---o---o---o
//                         |-------|   from here on all users of A are ancestors
//                      what begins here may meet A
#include "core/src/analysis/conflicts.h"

#include <algorithm>

namespace arenascope::detail {

namespace {

/// The operators that use a buffer, without those that others of them come before or after in any case.
struct Users {
    std::vector<OpId> first; ///< empty: it is there before the run
    std::vector<OpId> last;
};

class ConflictFinder {
public:
    ConflictFinder(const Graph& graph, const Schedule& schedule, const Precedence& precedence, std::span<const Buffer> buffers)
        : m_graph(graph), m_schedule(schedule), m_precedence(precedence), m_buffers(buffers)
        , m_bufferOf(graph.tensors().size()), m_born(graph.operators().size())
    {
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            for (const AliasMember& member : buffers[i].tensors)
                m_bufferOf[member.tensor.index()] = BufferId::fromIndex(i);
        }
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            m_users.push_back(usersOf(BufferId::fromIndex(i)));
            for (const OpId op : m_users.back().first)
                m_born[op.index()].push_back(BufferId::fromIndex(i));
        }
    }

    Result<Conflicts> run()
    {
        for (std::size_t i = 0; i < m_buffers.size(); ++i) {
            for (std::size_t chain = 0; chain < m_precedence.chainCount(); ++chain)
                meetOnChain(BufferId::fromIndex(i), m_precedence.chain(chain));
            if (m_pairs.size() > kMostConflicts)
                return Error{ErrorCode::TooLarge, m_graph.info().name,
                             {"pairs of buffers that may meet when operators run in parallel", std::to_string(kMostConflicts)}};
        }
        return Conflicts(m_buffers.size(), m_pairs);
    }

private:
    Users usersOf(BufferId id) const
    {
        const Buffer& buffer = m_buffers[id.index()];
        if (buffer.op.isValid())
            return {{buffer.op}, {buffer.op}};
        Users users;
        for (const AliasMember& member : buffer.tensors) {
            const Tensor& tensor = m_graph.tensor(member.tensor);
            if (tensor.producer.isValid() && !readsFrom(tensor.producer, id))
                users.first.push_back(tensor.producer);
            if (tensor.producer.isValid() && tensor.consumers.empty())
                users.last.push_back(tensor.producer);
            std::copy_if(tensor.consumers.begin(), tensor.consumers.end(), std::back_inserter(users.last),
                         [&](OpId reader) { return !isReadAfter(reader, id); });
        }
        for (auto* ops : {&users.first, &users.last}) {
            std::sort(ops->begin(), ops->end());
            ops->erase(std::unique(ops->begin(), ops->end()), ops->end());
        }
        return users;
    }

    bool isIn(TensorId tensor, BufferId id) const { return tensor.isValid() && m_bufferOf[tensor.index()] == id; }

    bool readsFrom(OpId op, BufferId id) const
    {
        const auto isMine = [&](TensorId tensor) { return isIn(tensor, id); };
        return std::ranges::any_of(m_graph.op(op).inputs, isMine) || std::ranges::any_of(m_graph.op(op).captures, isMine);
    }

    /// Whether the operator makes something in the buffer that others read, so that these are later users.
    bool isReadAfter(OpId op, BufferId id) const
    {
        return std::ranges::any_of(m_graph.op(op).outputs, [&](TensorId tensor) {
            return isIn(tensor, id) && !m_graph.tensor(tensor).consumers.empty();
        });
    }

    void meetOnChain(BufferId id, const std::vector<OpId>& chain)
    {
        const Buffer& buffer = m_buffers[id.index()];
        const auto& last = m_users[id.index()].last;
        auto op = std::partition_point(chain.begin(), chain.end(), [&](OpId at) { return m_schedule.stepOf[at.index()] < buffer.live.end; });
        const auto safe = std::partition_point(op, chain.end(), [&](OpId at) {
            return !std::ranges::all_of(last, [&](OpId user) { return m_precedence.isBefore(user, at); });
        });
        for (; op != safe; ++op) {
            for (const BufferId other : m_born[op->index()]) {
                // Parts of one buffer are born one after the other.
                if (other != id && m_buffers[other.index()].live.begin >= buffer.live.end)
                    m_pairs.emplace_back(id, other);
            }
        }
    }

    const Graph& m_graph;
    const Schedule& m_schedule;
    const Precedence& m_precedence;
    std::span<const Buffer> m_buffers;
    std::vector<BufferId> m_bufferOf;          // by TensorId
    std::vector<std::vector<BufferId>> m_born; // by OpId: what it may be the first to use
    std::vector<Users> m_users;                // by BufferId
    std::vector<Conflicts::Pair> m_pairs;
};

} // namespace

Result<Conflicts> findConflicts(const Graph& graph, const Schedule& schedule, const Precedence& precedence,
                                std::span<const Buffer> buffers)
{
    return ConflictFinder(graph, schedule, precedence, buffers).run();
}

} // namespace arenascope::detail

namespace arenascope {

Conflicts::Conflicts(std::size_t buffers, std::span<const Pair> pairs)
    : m_first(buffers + 1, 0)
{
    for (const auto& [a, b] : pairs) {
        ++m_first[a.index() + 1];
        ++m_first[b.index() + 1];
    }
    for (std::size_t i = 1; i < m_first.size(); ++i)
        m_first[i] += m_first[i - 1];
    m_others.resize(m_first.back());
    std::vector<std::size_t> next(m_first.begin(), m_first.end() - 1);
    for (const auto& [a, b] : pairs) {
        m_others[next[a.index()]++] = b;
        m_others[next[b.index()]++] = a;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < buffers; ++i) {
        const auto begin = m_others.begin() + static_cast<std::ptrdiff_t>(m_first[i]);
        const auto end = m_others.begin() + static_cast<std::ptrdiff_t>(next[i]);
        std::sort(begin, end);
        m_first[i] = kept;
        for (auto other = begin; other != end; ++other) {
            if (other == begin || *other != m_others[kept - 1])
                m_others[kept++] = *other;
        }
    }
    m_first[buffers] = kept;
    m_others.resize(kept);
}

std::span<const BufferId> Conflicts::of(BufferId id) const
{
    if (id.index() + 1 >= m_first.size())
        return {};
    return std::span(m_others).subspan(m_first[id.index()], m_first[id.index() + 1] - m_first[id.index()]);
}

Conflicts Conflicts::among(std::span<const BufferId> buffers) const
{
    if (isEmpty())
        return {};
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        for (const BufferId other : of(buffers[i])) {
            const auto at = std::lower_bound(buffers.begin(), buffers.end(), other);
            if (at != buffers.end() && *at == other && other > buffers[i])
                pairs.emplace_back(BufferId::fromIndex(i), BufferId::fromIndex(static_cast<std::size_t>(at - buffers.begin())));
        }
    }
    return Conflicts(buffers.size(), pairs);
}

} // namespace arenascope
