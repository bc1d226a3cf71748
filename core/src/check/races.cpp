// SPDX-License-Identifier: MIT
// Claims are gathered during the run and looked up together: 64 ancestors at a time are sent down the whole network as bits.
#include "core/src/check/races.h"

#include <algorithm>
#include <iterator>

namespace arenascope::check {

void Races::cut(Stretches& stretches, Offset at)
{
    auto next = stretches.lower_bound(at);
    if (next == stretches.begin())
        return;
    const auto before = std::prev(next);
    if (before->second.end <= at)
        return;
    stretches.emplace_hint(next, at, before->second);
    before->second.end = at;
}

void Races::read(const Use& use)
{
    Stretches& stretches = m_regions[use.region];
    if (use.begin >= use.end)
        return;
    cut(stretches, use.begin);
    cut(stretches, use.end);
    Offset at = use.begin;
    const User reader{use.op, use.tensor, use.buffer};
    for (auto next = stretches.lower_bound(use.begin); at < use.end; ++next) {
        const Offset begin = next == stretches.end() ? use.end : std::min(next->first, use.end);
        if (at < begin)
            next = stretches.emplace_hint(next, at, Stretch{begin, {}});
        next->second.users.push_back(reader);
        at = next->second.end;
    }
}

void Races::write(const Use& use)
{
    Stretches& stretches = m_regions[use.region];
    if (use.begin >= use.end)
        return;
    cut(stretches, use.begin);
    cut(stretches, use.end);
    const User writer{use.op, use.tensor, use.buffer};
    const auto first = stretches.lower_bound(use.begin);
    const auto last = stretches.lower_bound(use.end);
    for (auto stretch = first; stretch != last; ++stretch) {
        for (const User& user : stretch->second.users) {
            // What one operator does to its own bytes is looked at while it runs; inputs are there before all.
            if (user.op.isValid() && user.op != use.op)
                m_claims.push_back({user, writer, stretch->first, stretch->second.end});
        }
    }
    stretches.erase(first, last);
    stretches.emplace(use.begin, Stretch{use.end, {writer}});
}

/// Claims [first, last) name at most 64 different operators that must come first. Between the first of these and the last
/// writer, the marks are used, and left empty.
void Races::holdsAmong(std::size_t first, std::size_t last, Marks& marks, std::vector<bool>& result) const
{
    const auto stepOf = [this](OpId op) { return static_cast<std::size_t>(m_schedule.stepOf[op.index()]); };
    std::uint64_t bit = 0;
    std::size_t begin = m_schedule.order.size();
    std::size_t end = 0;
    for (std::size_t i = first; i < last; ++i) {
        const std::size_t step = stepOf(m_claims[i].before.op);
        if (marks.own[step] == 0)
            marks.own[step] = bit = bit == 0 ? 1 : bit << 1;
        begin = std::min(begin, step);
        end = std::max(end, stepOf(m_claims[i].writer.op) + 1);
    }
    for (std::size_t step = begin; step < end; ++step) {
        const auto inheritFrom = [&](OpId before) {
            marks.above[step] |= marks.above[stepOf(before)] | marks.own[stepOf(before)];
        };
        const auto inherit = [&](TensorId tensor) {
            const OpId maker = tensor.isValid() ? m_graph.tensor(tensor).producer : OpId();
            if (maker.isValid())
                inheritFrom(maker);
        };
        std::ranges::for_each(m_graph.op(m_schedule.order[step]).inputs, inherit);
        std::ranges::for_each(m_graph.op(m_schedule.order[step]).captures, inherit);
        std::ranges::for_each(m_graph.op(m_schedule.order[step]).runsAfter, inheritFrom);
    }
    for (std::size_t i = first; i < last; ++i)
        result[i] = (marks.above[stepOf(m_claims[i].writer.op)] & marks.own[stepOf(m_claims[i].before.op)]) != 0;
    for (std::size_t step = begin; step < end; ++step)
        marks.own[step] = marks.above[step] = 0;
}

std::vector<Clash> Races::find()
{
    const auto stepOf = [&](OpId op) { return m_schedule.stepOf[op.index()]; };
    std::stable_sort(m_claims.begin(), m_claims.end(),
                     [&](const Claim& a, const Claim& b) { return stepOf(a.before.op) < stepOf(b.before.op); });
    const std::vector<bool> isOrdered = holds();
    std::vector<Clash> clashes;
    for (std::size_t i = 0; i < m_claims.size(); ++i) {
        if (isOrdered[i])
            continue;
        const Claim& claim = m_claims[i];
        clashes.push_back({.kind = ClashKind::Unordered,
                           .first = claim.before.buffer,
                           .second = claim.writer.buffer,
                           .reads = claim.before.tensor,
                           .found = claim.writer.tensor,
                           .op = claim.writer.op,
                           .other = claim.before.op,
                           .step = stepOf(claim.writer.op),
                           .begin = claim.begin,
                           .end = claim.end});
    }
    std::stable_sort(clashes.begin(), clashes.end(), [](const Clash& a, const Clash& b) { return a.step < b.step; });
    return clashes;
}

/// By claim, which are sorted by the operator that must come first.
std::vector<bool> Races::holds() const
{
    std::vector<bool> result(m_claims.size(), false);
    Marks marks{std::vector<std::uint64_t>(m_schedule.order.size(), 0), std::vector<std::uint64_t>(m_schedule.order.size(), 0)};
    std::size_t first = 0;
    int operators = 0;
    for (std::size_t i = 0; i < m_claims.size(); ++i) {
        const bool isNew = i == 0 || m_claims[i].before.op != m_claims[i - 1].before.op;
        if (isNew && operators == 64) {
            holdsAmong(first, i, marks, result);
            first = i;
            operators = 0;
        }
        operators += isNew ? 1 : 0;
    }
    holdsAmong(first, m_claims.size(), marks, result);
    return result;
}

} // namespace arenascope::check
