// SPDX-License-Identifier: MIT
#include "core/src/diff/pairing.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace arenascope::detail {

namespace {

/// Cells of a table of longest common subsequences: 8 MiB.
constexpr std::size_t kMaxCells = std::size_t{4} << 20;

/// What an operator is, apart from its name: kind, domain, types and shapes of its outputs.
std::string signatureOf(const Graph& graph, const Operator& op)
{
    std::string text = op.domain + ':' + op.kind;
    for (const TensorId id : op.outputs) {
        text += '|';
        if (id.isValid())
            text += std::string(elementTypeName(graph.tensor(id).type)) + toString(graph.tensor(id).shape);
    }
    return text;
}

class OperatorPairs {
public:
    OperatorPairs(const Graph& before, const Graph& after)
        : m_before(before), m_after(after), m_partner(before.operators().size()), m_isTaken(after.operators().size(), false)
    {
    }

    std::vector<OpId> pair()
    {
        const auto signatures = [](const Graph& graph) {
            std::vector<std::string> texts;
            for (const Operator& op : graph.operators())
                texts.push_back(signatureOf(graph, op));
            return texts;
        };
        const auto kinds = [](const Graph& graph) {
            std::vector<std::string> texts;
            for (const Operator& op : graph.operators())
                texts.push_back(op.domain + ':' + op.kind);
            return texts;
        };
        byName(signatures(m_before), signatures(m_after));
        inOrder(signatures(m_before), signatures(m_after));
        byName(kinds(m_before), kinds(m_after));
        inOrder(kinds(m_before), kinds(m_after));
        return std::move(m_partner);
    }

private:
    void join(std::size_t before, std::size_t after)
    {
        m_partner[before] = OpId::fromIndex(after);
        m_isTaken[after] = true;
    }

    void byName(const std::vector<std::string>& before, const std::vector<std::string>& after)
    {
        for (std::size_t i = 0; i < before.size(); ++i) {
            const OpId other = m_after.findOperator(m_before.operators()[i].name);
            if (!m_partner[i].isValid() && other.isValid() && !m_isTaken[other.index()] && before[i] == after[other.index()])
                join(i, other.index());
        }
    }

    /// Longest common subsequence of what has no partner yet. Where the table would be too large, equal beginnings and ends
    /// are paired only.
    void inOrder(const std::vector<std::string>& before, const std::vector<std::string>& after)
    {
        std::vector<std::size_t> a;
        std::vector<std::size_t> b;
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (!m_partner[i].isValid())
                a.push_back(i);
        }
        for (std::size_t i = 0; i < after.size(); ++i) {
            if (!m_isTaken[i])
                b.push_back(i);
        }
        const auto isEqual = [&](std::size_t i, std::size_t j) { return before[a[i]] == after[b[j]]; };
        std::size_t begin = 0;
        while (begin < std::min(a.size(), b.size()) && isEqual(begin, begin)) {
            join(a[begin], b[begin]);
            ++begin;
        }
        while (std::min(a.size(), b.size()) > begin && isEqual(a.size() - 1, b.size() - 1)) {
            join(a.back(), b.back());
            a.pop_back();
            b.pop_back();
        }
        a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(begin));
        b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(begin));
        if (!a.empty() && !b.empty() && (a.size() + 1) <= kMaxCells / (b.size() + 1))
            joinLongest(a, b, before, after);
    }

    void joinLongest(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b, const std::vector<std::string>& before,
                     const std::vector<std::string>& after)
    {
        const std::size_t width = b.size() + 1;
        std::vector<std::uint32_t> longest((a.size() + 1) * width, 0); // from (i, j) to both ends
        for (std::size_t i = a.size(); i-- > 0;) {
            for (std::size_t j = b.size(); j-- > 0;) {
                longest[i * width + j] = before[a[i]] == after[b[j]]
                    ? longest[(i + 1) * width + j + 1] + 1
                    : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
            }
        }
        for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
            if (before[a[i]] == after[b[j]])
                join(a[i++], b[j++]);
            else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1])
                ++i;
            else
                ++j;
        }
    }

    const Graph& m_before;
    const Graph& m_after;
    std::vector<OpId> m_partner;
    std::vector<bool> m_isTaken;
};

std::vector<TensorId> pairTensors(const Graph& before, const Graph& after, const std::vector<OpId>& ops)
{
    std::vector<TensorId> partner(before.tensors().size());
    std::vector<bool> isTaken(after.tensors().size(), false);
    const auto join = [&](TensorId a, TensorId b) {
        if (!a.isValid() || !b.isValid() || partner[a.index()].isValid() || isTaken[b.index()])
            return;
        partner[a.index()] = b;
        isTaken[b.index()] = true;
    };
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (!ops[i].isValid())
            continue;
        const auto& from = before.operators()[i].outputs;
        const auto& to = after.op(ops[i]).outputs;
        for (std::size_t k = 0; k < std::min(from.size(), to.size()); ++k)
            join(from[k], to[k]);
    }
    for (std::size_t i = 0; i < partner.size(); ++i) {
        const TensorId other = after.findTensor(before.tensors()[i].name);
        const bool isSameRole = other.isValid() && after.tensor(other).producer.isValid() == before.tensors()[i].producer.isValid();
        if (isSameRole)
            join(TensorId::fromIndex(i), other);
    }
    for (std::size_t i = 0; i < std::min(before.inputs().size(), after.inputs().size()); ++i)
        join(before.inputs()[i], after.inputs()[i]);
    return partner;
}

} // namespace

Pairing pairNetworks(const Graph& before, const Graph& after)
{
    Pairing pairing;
    pairing.ops = OperatorPairs(before, after).pair();
    pairing.tensors = pairTensors(before, after, pairing.ops);
    return pairing;
}

} // namespace arenascope::detail
