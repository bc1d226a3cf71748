// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace arenascope::planning::exact {

namespace {

constexpr Units kNever = std::numeric_limits<Units>::max() / 4;
constexpr std::size_t kFailureSlots = std::size_t{1} << 16;
constexpr std::size_t kFewFailureSlots = std::size_t{1} << 10; // for instances that are solved before these are full
constexpr std::size_t kFewBlocks = 24;
constexpr std::size_t kBlocksBetweenStops = 1 << 16;

constexpr std::size_t at(std::int32_t index)
{
    return static_cast<std::size_t>(index);
}

/// Finaliser of SplitMix64 (public domain, Vigna).
constexpr std::uint64_t scramble(std::uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

} // namespace

Search::Search(const Instance& instance, std::span<const std::int32_t> order, Rules rules)
    : m_instance(instance)
    , m_rules(rules)
    , m_original(order.begin(), order.end())
{
    const std::size_t count = order.size();
    std::vector<std::int32_t> position(instance.blocks.size(), -1);
    for (std::size_t i = 0; i < count; ++i)
        position[at(order[i])] = static_cast<std::int32_t>(i);
    for (const std::int32_t block : order) {
        m_blocks.push_back(instance.blocks[at(block)]);
        m_neighbourBegin.push_back(m_neighbours.size());
        for (const Neighbour& neighbour : instance.neighboursOf(at(block))) {
            if (position[at(neighbour.block)] >= 0)
                m_neighbours.push_back({position[at(neighbour.block)], neighbour.above, neighbour.below});
        }
    }
    m_neighbourBegin.push_back(m_neighbours.size());

    findSameLives();
    const std::size_t firstFixed = instance.spans.size() - instance.fixedOffsets.size();
    for (std::size_t i = 0; i < instance.fixedOffsets.size(); ++i)
        m_fixed.push_back({instance.fixedOffsets[i], instance.spans[firstFixed + i]});
    std::stable_sort(m_fixed.begin(), m_fixed.end(), [](const Fixed& a, const Fixed& b) { return a.offset > b.offset; });
    m_stack.resize(at(instance.sections));
    m_low.resize(count);
    if (m_rules.remember)
        m_failures.resize(count <= kFewBlocks ? kFewFailureSlots : kFailureSlots);
}

/// Twins, and blocks that could be swapped: one pass over the blocks sorted by their lives.
void Search::findSameLives()
{
    const std::size_t count = m_blocks.size();
    m_twin.assign(count, -1);
    m_sameLife.resize(count);
    std::vector<std::size_t> byLife(count);
    std::iota(byLife.begin(), byLife.end(), std::size_t{0});
    const auto lifeOf = [this](std::size_t i) {
        const Block& block = m_blocks[i];
        return std::tuple(block.spanEnd - block.spanBegin == 1, block.first, block.last, block.alignment);
    };
    std::stable_sort(byLife.begin(), byLife.end(),
                     [&](std::size_t a, std::size_t b) { return lifeOf(a) < lifeOf(b); });
    for (std::size_t a = 0; a < count; ++a) {
        const std::size_t i = byLife[a];
        if (m_blocks[i].spanEnd - m_blocks[i].spanBegin != 1)
            continue;
        // They all meet, so that these pairs are among those of the instance.
        for (std::size_t b = a + 1; b < count && lifeOf(byLife[b]) == lifeOf(i); ++b) {
            const std::size_t j = byLife[b];
            if (m_blocks[i].size == m_blocks[j].size)
                m_twin[j] = static_cast<std::int32_t>(i); // the last before it remains
            // Something fixed or an alignment could keep a swapped pair from its place.
            if (m_blocks[i].alignment == 1 && m_instance.obstacles.empty())
                m_sameLife[i].push_back(static_cast<std::int32_t>(j));
        }
    }
}

void Search::forget()
{
    std::fill(m_failures.begin(), m_failures.end(), Failure{});
}

Answer Search::run(Units target, std::int64_t nodeBudget, const std::function<bool()>& stop)
{
    if (target != m_failureTarget)
        forget();
    m_failureTarget = target;
    m_target = target;
    m_budget = nodeBudget;
    m_stop = stop ? &stop : nullptr;
    m_nodes = 0;
    m_isOut = false;
    m_isStopped = false;
    const std::size_t count = m_blocks.size();
    m_nodesBetweenStops = static_cast<std::int64_t>(kBlocksBetweenStops / std::max(count, kBlocksBetweenStops / 256) + 1);
    m_offset.assign(count, 0);
    m_isPlaced.assign(count, 0);
    m_trail.clear();
    m_placed.clear();
    m_crossing.assign(at(m_instance.sections) + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
        m_offset[i] = clear(static_cast<std::int32_t>(i), 0);
        for (std::int32_t t = m_blocks[i].first + 1; t < m_blocks[i].last; ++t)
            ++m_crossing[at(t)];
    }
    m_open.resize(count);
    std::iota(m_open.begin(), m_open.end(), 0);
    if (pack({0, count}, {}))
        return Answer::Fits;
    if (m_isStopped)
        return Answer::Stopped;
    return m_isOut ? Answer::Unknown : Answer::CannotFit;
}

std::vector<Units> Search::offsets() const
{
    std::vector<Units> result(m_instance.blocks.size(), -1);
    for (std::size_t i = 0; i < m_blocks.size(); ++i)
        result[at(m_original[i])] = m_offset[i];
    return result;
}

/// The lowest offset from `offset` on that is aligned and clears everything fixed.
Units Search::clear(std::int32_t block, Units offset) const
{
    const Units alignment = m_blocks[at(block)].alignment;
    const auto alignUp = [alignment](Units value) {
        return alignment == 1 ? value : (value + alignment - 1) / alignment * alignment;
    };
    offset = alignUp(offset);
    const auto obstacles = m_instance.obstaclesOf(at(m_original[at(block)]));
    for (bool isMoved = !obstacles.empty(); isMoved;) {
        isMoved = false;
        for (const Obstacle& obstacle : obstacles) {
            if (offset + obstacle.below <= obstacle.offset || offset >= obstacle.offset + obstacle.above)
                continue;
            offset = alignUp(obstacle.offset + obstacle.above);
            isMoved = true;
        }
    }
    return offset;
}

bool Search::isOut()
{
    ++m_nodes;
    if (m_stop && m_nodes % m_nodesBetweenStops == 0 && (*m_stop)())
        m_isStopped = true;
    m_isOut = m_isOut || m_isStopped || m_nodes > m_budget;
    return m_isOut;
}

Search::Failure Search::failureOf(Part part) const
{
    Failure failure{0, 0};
    for (std::size_t i = part.begin; i < part.end; ++i) {
        const auto block = static_cast<std::uint64_t>(m_open[i]) + 1;
        const auto offset = static_cast<std::uint64_t>(m_offset[at(m_open[i])]);
        const std::uint64_t mixed = scramble(offset + block * 0x9e3779b97f4a7c15ULL);
        failure.key ^= mixed;
        failure.check += scramble(mixed ^ (block << 32));
    }
    return failure;
}

Search::Failure& Search::slot(const Failure& failure)
{
    return m_failures[failure.key % m_failures.size()];
}

bool Search::pack(Part part, Cursor cursor)
{
    if (part.begin == part.end)
        return true;
    if (!m_rules.remember)
        return branch(part, cursor);
    const Failure failure = failureOf(part);
    const Failure& known = slot(failure);
    if (known.key == failure.key && known.check == failure.check)
        return false;
    if (branch(part, cursor))
        return true;
    if (!m_isOut)
        slot(failure) = failure;
    return false;
}

bool Search::branch(Part part, Cursor cursor)
{
    while (!isOut()) {
        const std::int32_t block = next(part, cursor);
        if (block < 0)
            return false;
        const Cursor here{m_offset[at(block)], block};
        if (!raise(part, here) || (m_rules.heads && overflows(part)))
            return false;
        if (here.offset + m_blocks[at(block)].size <= m_target && place(part, block))
            return true;
        cursor = here; // passed over from here on
    }
    return false;
}

/// The open block with the lowest offset after the cursor; -1 where none may come.
std::int32_t Search::next(Part part, Cursor cursor) const
{
    std::int32_t best = -1;
    Units lowest = kNever;
    Units lowestTop = kNever;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        const std::int32_t block = m_open[i];
        const Units offset = m_offset[at(block)];
        lowestTop = std::min(lowestTop, offset + m_blocks[at(block)].size);
        const bool isPassed = offset < cursor.offset || (offset == cursor.offset && block <= cursor.block);
        const bool isHigher = offset > lowest || (offset == lowest && block > best);
        if (isPassed || isHigher || !mayComeNext(block))
            continue;
        lowest = offset;
        best = block;
    }
    // All that comes lies at `lowest` or above: room below is there for good, and a block that fits it would not be pushed down.
    return m_rules.fill && lowest >= lowestTop ? -1 : best;
}

bool Search::mayComeNext(std::int32_t block) const
{
    const std::int32_t twin = m_twin[at(block)];
    if (m_rules.identical && twin >= 0 && !m_isPlaced[at(twin)])
        return false;
    if (!m_rules.swap)
        return true;
    const Units offset = m_offset[at(block)];
    return std::none_of(m_sameLife[at(block)].begin(), m_sameLife[at(block)].end(), [&](std::int32_t below) {
        return m_isPlaced[at(below)] && m_offset[at(below)] + m_blocks[at(below)].size == offset;
    });
}

/// Works out m_low: how low each open block can come to lie, if nothing lies below the cursor any more. False where a
/// block that was passed over can be lifted by no other.
bool Search::raise(Part part, Cursor cursor)
{
    m_passed.clear();
    for (std::size_t i = part.begin; i < part.end; ++i) {
        const std::int32_t block = m_open[i];
        const Units offset = m_offset[at(block)];
        m_low[at(block)] = std::max(offset, cursor.offset);
        if (offset < cursor.offset || (offset == cursor.offset && block < cursor.block))
            m_passed.push_back(block);
    }
    if (!m_rules.lift)
        return true;
    constexpr int kRounds = 2; // a third finds next to nothing
    bool isChanged = !m_passed.empty();
    for (int round = 0; round < kRounds && isChanged; ++round) {
        isChanged = false;
        for (const std::int32_t block : m_passed) {
            // It is pushed down in the end, so that something has to take bytes of the room that it has now.
            const Units top = m_offset[at(block)] + m_blocks[at(block)].size;
            Units lowest = kNever;
            for (std::size_t k = m_neighbourBegin[at(block)]; k < m_neighbourBegin[at(block) + 1]; ++k) {
                const std::int32_t other = m_neighbours[k].block;
                if (!m_isPlaced[at(other)] && m_low[at(other)] < top)
                    lowest = std::min(lowest, m_low[at(other)] + m_neighbours[k].below);
            }
            if (lowest == kNever)
                return false;
            isChanged = isChanged || lowest > m_low[at(block)];
            m_low[at(block)] = std::max(m_low[at(block)], lowest);
        }
    }
    return true;
}

/// Each section is a machine, each open block alive in it a job that cannot begin below its lowest offset: of the blocks
/// from some lowest offset on, the last ends no lower than that offset plus the sum of their sizes.
bool Search::overflows(Part part)
{
    const auto begin = m_open.begin() + static_cast<std::ptrdiff_t>(part.begin);
    const auto end = m_open.begin() + static_cast<std::ptrdiff_t>(part.end);
    std::int32_t first = m_instance.sections;
    std::int32_t last = 0;
    for (auto i = begin; i != end; ++i) {
        // Nearly in order already: few offsets have changed since the last look.
        const std::int32_t block = *i;
        auto hole = i;
        for (; hole != begin && m_low[at(*(hole - 1))] < m_low[at(block)]; --hole)
            *hole = *(hole - 1);
        *hole = block;
        first = std::min(first, m_blocks[at(block)].first);
        last = std::max(last, m_blocks[at(block)].last);
    }
    std::fill(m_stack.begin() + first, m_stack.begin() + last, Units{0});
    std::size_t fixed = 0; // of m_fixed, highest first
    const auto stackFixed = [&](Units downTo) {
        bool isOver = false;
        for (; fixed < m_fixed.size() && m_fixed[fixed].offset >= downTo && !isOver; ++fixed)
            isOver = stack(m_fixed[fixed].span, m_fixed[fixed].offset, first, last);
        return isOver;
    };
    for (auto i = begin; i != end; ++i) {
        const Units low = m_low[at(*i)];
        if (stackFixed(low))
            return true;
        for (const Span& span : m_instance.spansOf(m_blocks[at(*i)])) {
            if (stack(span, low, first, last))
                return true;
        }
    }
    return stackFixed(0);
}

/// Puts a span on what is stacked in its sections between `first` and `last`; true if one passes the target.
bool Search::stack(const Span& span, Units low, std::int32_t first, std::int32_t last)
{
    const Units height = span.high - span.low;
    const Units room = m_target - low - span.low;
    bool isOver = false;
    for (std::int32_t t = std::max(first, span.first); t < std::min(last, span.last); ++t) {
        Units& sum = m_stack[at(t)];
        sum += height;
        isOver = isOver || sum > room;
    }
    return isOver;
}

/// Places a block at its lowest offset and packs the rest of its part on it; undone if that fails.
bool Search::place(Part part, std::int32_t block)
{
    const Mark mark{m_trail.size(), m_placed.size()};
    const Units offset = m_offset[at(block)];
    m_isPlaced[at(block)] = 1;
    m_placed.push_back(block);
    for (std::size_t k = m_neighbourBegin[at(block)]; k < m_neighbourBegin[at(block) + 1]; ++k) {
        const Neighbour& neighbour = m_neighbours[k];
        Units& other = m_offset[at(neighbour.block)];
        if (m_isPlaced[at(neighbour.block)] || other >= offset + neighbour.above)
            continue;
        m_trail.emplace_back(neighbour.block, other);
        other = clear(neighbour.block, offset + neighbour.above);
    }
    bool isCut = false;
    for (std::int32_t t = m_blocks[at(block)].first + 1; t < m_blocks[at(block)].last; ++t)
        isCut = --m_crossing[at(t)] == 0 || isCut;
    const std::size_t open = m_open.size();
    const bool isPacked = m_rules.split && isCut ? packParts(part, block) : packRest(part, block);
    m_open.resize(open);
    if (!isPacked)
        undo(mark);
    return isPacked;
}

bool Search::packRest(Part part, std::int32_t block)
{
    const std::size_t begin = m_open.size();
    for (std::size_t i = part.begin; i < part.end; ++i) {
        if (m_open[i] != block)
            m_open.push_back(m_open[i]);
    }
    return pack({begin, m_open.size()}, {m_offset[at(block)], block});
}

/// The open blocks fall apart where no open block crosses from one section to the next. Small parts go first: what cannot
/// be packed is found sooner.
bool Search::packParts(Part part, std::int32_t block)
{
    std::vector<std::int32_t> rest;
    for (std::size_t i = part.begin; i < part.end; ++i) {
        if (m_open[i] != block)
            rest.push_back(m_open[i]);
    }
    std::stable_sort(rest.begin(), rest.end(), [this](std::int32_t a, std::int32_t b) {
        return m_blocks[at(a)].first < m_blocks[at(b)].first;
    });
    std::vector<std::vector<std::int32_t>> parts;
    std::int32_t end = -1;
    for (const std::int32_t other : rest) {
        if (m_blocks[at(other)].first >= end)
            parts.emplace_back();
        parts.back().push_back(other);
        end = std::max(end, m_blocks[at(other)].last);
    }
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return std::all_of(parts.begin(), parts.end(), [&](const std::vector<std::int32_t>& blocks) {
        const std::size_t begin = m_open.size();
        m_open.insert(m_open.end(), blocks.begin(), blocks.end());
        return pack({begin, m_open.size()}, {m_offset[at(block)], block});
    });
}

void Search::undo(Mark mark)
{
    while (m_trail.size() > mark.trail) {
        m_offset[at(m_trail.back().first)] = m_trail.back().second;
        m_trail.pop_back();
    }
    while (m_placed.size() > mark.placed) {
        const std::int32_t block = m_placed.back();
        m_placed.pop_back();
        m_isPlaced[at(block)] = 0;
        for (std::int32_t t = m_blocks[at(block)].first + 1; t < m_blocks[at(block)].last; ++t)
            ++m_crossing[at(t)];
    }
}

} // namespace arenascope::planning::exact
