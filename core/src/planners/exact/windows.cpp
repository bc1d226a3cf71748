// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/windows.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace arenascope::planning::exact {

namespace {

/// What the widest window may move; it is tried first, since it finds the best seams. More takes longer to build than to search.
constexpr std::size_t kMostFree = 600;
constexpr int kWidths = 3;
/// Of the search in one window in the first round.
constexpr std::int64_t kFirstNodes = 30'000;
constexpr int kMostDoublings = 20;

} // namespace

WindowImprover::WindowImprover(std::span<const Item> items, std::span<const Instance> instances, std::vector<Offset>& offsets)
    : m_items(items), m_offsets(offsets)
{
    for (const Instance& instance : instances) {
        for (const Block& block : instance.blocks) {
            if (isLarge(instance))
                m_byBegin.push_back(block.item);
        }
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].fixedOffset && items[i].live.length() > 0 && items[i].size > 0)
            m_byBegin.push_back(i);
    }
    std::stable_sort(m_byBegin.begin(), m_byBegin.end(),
                     [&](std::size_t a, std::size_t b) { return items[a].live.begin < items[b].live.begin; });
    findSeams();
    measure();
}

void WindowImprover::findSeams()
{
    std::vector<std::pair<Step, Bytes>> changes;
    for (const std::size_t i : m_byBegin) {
        m_begins.push_back(m_items[i].live.begin);
        m_ends.push_back(m_items[i].live.end);
        changes.emplace_back(m_items[i].live.begin, m_items[i].size);
        changes.emplace_back(m_items[i].live.end, -m_items[i].size);
    }
    std::sort(m_ends.begin(), m_ends.end());
    std::sort(changes.begin(), changes.end()); // of equal moments, ends first: what is left then crosses
    Bytes alive = 0;
    for (std::size_t i = 0; i < changes.size();) {
        const Step step = changes[i].first;
        for (; i < changes.size() && changes[i].first == step && changes[i].second < 0; ++i)
            alive += changes[i].second;
        m_seams.push_back({step, alive});
        for (; i < changes.size() && changes[i].first == step; ++i)
            alive += changes[i].second;
    }
}

/// How many items are alive at some of the steps.
std::size_t WindowImprover::countIn(LiveRange steps) const
{
    const auto begun = std::lower_bound(m_begins.begin(), m_begins.end(), steps.end) - m_begins.begin();
    const auto ended = std::upper_bound(m_ends.begin(), m_ends.end(), steps.begin) - m_ends.begin();
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, begun - ended));
}

/// Widened on both sides to the moment that the fewest bytes cross, as long as not more than `most` items are alive in it.
LiveRange WindowImprover::toSeams(LiveRange steps, std::size_t most) const
{
    const auto isAtOrAfter = [](const Seam& seam, Step step) { return seam.step < step; };
    const std::size_t half = (countIn(steps) + most) / 2;
    LiveRange wide = steps;
    Bytes fewest = std::numeric_limits<Bytes>::max();
    auto at = std::lower_bound(m_seams.begin(), m_seams.end(), steps.begin + 1, isAtOrAfter);
    while (at != m_seams.begin() && countIn({std::prev(at)->step, steps.end}) <= half) {
        --at;
        if (at->crossing < fewest) {
            fewest = at->crossing;
            wide.begin = at->step;
        }
    }
    fewest = std::numeric_limits<Bytes>::max();
    for (at = std::lower_bound(m_seams.begin(), m_seams.end(), steps.end, isAtOrAfter);
         at != m_seams.end() && countIn({wide.begin, at->step}) <= most; ++at) {
        if (at->crossing < fewest) {
            fewest = at->crossing;
            wide.end = at->step;
        }
    }
    return wide;
}

void WindowImprover::measure()
{
    m_top = 0;
    for (const std::size_t i : m_byBegin)
        m_top = std::max(m_top, m_offsets[i] + m_items[i].size);
}

bool WindowImprover::isOver(const Limits& limits) const
{
    return m_nodes >= m_lastNode || limits.isOver();
}

template <class Work>
bool WindowImprover::runRound(const Limits& limits, Work work)
{
    measure(); // others may have lowered it meanwhile
    const Bytes top = m_top;
    const std::int64_t nodes = m_nodes;
    m_lastNode = limits.nodes > std::numeric_limits<std::int64_t>::max() - nodes ? limits.nodes : nodes + limits.nodes;
    work();
    ++m_round;
    m_isExhausted = m_nodes == nodes && m_top == top;
    return m_top < top;
}

bool WindowImprover::improve(Bytes floor, const Limits& limits)
{
    return runRound(limits, [&] {
        for (Bytes target = floor; target < m_top && !isOver(limits);) {
            if (!pass(target, limits))
                target += std::max<Bytes>(1, (m_top - target + 1) / 2);
        }
    });
}

bool WindowImprover::lowerTo(Bytes target, const Limits& limits)
{
    runRound(limits, [&] { pass(target, limits); });
    return m_top <= target;
}

/// True when nothing lies above the target any more. The first window without an answer ends it: the arena stays as large.
bool WindowImprover::pass(Bytes target, const Limits& limits)
{
    for (const std::size_t item : itemsAbove(target)) {
        if (m_offsets[item] + m_items[item].size <= target)
            continue; // came down with another
        const LiveRange steps = m_items[item].live;
        bool isSolved = false;
        for (int width = kWidths; width >= 1 && !isSolved && !isOver(limits); --width)
            isSolved = solve(freeIn(toSeams(steps, kMostFree * static_cast<std::size_t>(width) / kWidths), target), target, limits);
        if (!isSolved)
            break;
    }
    measure();
    return m_top <= target;
}

/// Movable items that reach above the target, the highest first: the top comes down with each that is solved.
std::vector<std::size_t> WindowImprover::itemsAbove(Bytes target) const
{
    std::vector<std::size_t> found;
    const auto end = [this](std::size_t i) { return m_offsets[i] + m_items[i].size; };
    std::copy_if(m_byBegin.begin(), m_byBegin.end(), std::back_inserter(found),
                 [&](std::size_t i) { return !m_items[i].fixedOffset && end(i) > target; });
    std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return end(a) > end(b); });
    return found;
}

/// Movable items that are alive in the window: all that reach above the target, then those whose life lies within it most,
/// then the highest.
std::vector<std::size_t> WindowImprover::freeIn(LiveRange window, Bytes target) const
{
    struct Candidate {
        std::size_t item;
        Step outside;
        Offset end;
    };
    std::vector<Candidate> found;
    for (const std::size_t i : m_byBegin) {
        const Item& item = m_items[i];
        if (item.live.begin >= window.end)
            break;
        if (item.fixedOffset || !item.live.meets(window))
            continue;
        const Offset end = m_offsets[i] + item.size;
        const Step outside = std::max<Step>(0, window.begin - item.live.begin) + std::max<Step>(0, item.live.end - window.end);
        found.push_back({i, end > target ? -1 : outside, end});
    }
    std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return a.outside != b.outside ? a.outside < b.outside : a.end > b.end;
    });
    found.resize(std::min(found.size(), kMostFree));
    std::vector<std::size_t> free;
    for (const Candidate& candidate : found)
        free.push_back(candidate.item);
    std::sort(free.begin(), free.end());
    return free;
}

/// The free items, then as fixed ones all that live with them. What lies above the target cannot be in their way, what reaches
/// above it only up to there (its own window sees to the rest).
std::vector<Item> WindowImprover::partOf(std::span<const std::size_t> free, Bytes target) const
{
    std::vector<Item> part;
    LiveRange hull = m_items[free.front()].live;
    for (const std::size_t i : free) {
        part.push_back(m_items[i]);
        hull = {std::min(hull.begin, m_items[i].live.begin), std::max(hull.end, m_items[i].live.end)};
    }
    for (const std::size_t i : m_byBegin) {
        const Item& item = m_items[i];
        if (item.live.begin >= hull.end)
            break;
        if (!item.live.meets(hull) || m_offsets[i] >= target || std::binary_search(free.begin(), free.end(), i))
            continue;
        Item fixed = item;
        fixed.fixedOffset = m_offsets[i];
        if (fixed.gaps.empty())
            fixed.size = std::min(fixed.size, target - m_offsets[i]);
        part.push_back(fixed);
    }
    return part;
}

bool WindowImprover::solve(std::span<const std::size_t> free, Bytes target, const Limits& limits)
{
    if (free.empty())
        return false;
    const std::vector<Item> part = partOf(free, target);
    std::vector<Offset> found(free.size(), 0);
    for (const Instance& instance : makeInstances(part)) {
        if (!hasPairs(instance) || instance.bound > target / instance.unit)
            return false;
        // The part's grid may be coarser than that of all offsets: rounded up, what was too high stays so.
        std::vector<Units> now;
        bool isLow = true;
        for (const Block& block : instance.blocks) {
            const Offset offset = m_offsets[free[block.item]];
            isLow = isLow && offset + m_items[free[block.item]].size <= target;
            found[block.item] = offset;
            now.push_back((offset + instance.unit - 1) / instance.unit);
        }
        if (isLow)
            continue;
        Minimiser minimiser(instance, std::move(now));
        Answer answer = Answer::Unknown;
        const std::int64_t enough = m_nodes + (kFirstNodes << std::min(m_round, kMostDoublings));
        while (answer == Answer::Unknown && m_nodes < enough && !isOver(limits)) {
            const std::int64_t before = minimiser.nodes();
            Limits left = limits;
            left.nodes = std::min(m_lastNode, enough) - m_nodes;
            answer = minimiser.decide(target / instance.unit, left);
            if (minimiser.nodes() == before)
                break;
            m_nodes += minimiser.nodes() - before;
        }
        if (answer != Answer::Fits)
            return false;
        for (std::size_t i = 0; i < instance.blocks.size(); ++i)
            found[instance.blocks[i].item] = minimiser.offsets()[i] * instance.unit;
    }
    for (std::size_t i = 0; i < free.size(); ++i)
        m_offsets[free[i]] = found[i];
    return true;
}

} // namespace arenascope::planning::exact
