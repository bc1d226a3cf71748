// SPDX-License-Identifier: MIT
#include "core/src/planners/exact/instance.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning::exact {

namespace {

/// A piece of an item, as it comes.
struct TimedPiece {
    std::size_t item;
    Piece piece;
};

std::vector<TimedPiece> piecesByBegin(std::span<const Item> items)
{
    std::vector<TimedPiece> pieces;
    pieces.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        forEachPiece(items[i], [&](const Piece& piece) { pieces.push_back({i, piece}); });
    std::stable_sort(pieces.begin(), pieces.end(), [](const TimedPiece& a, const TimedPiece& b) {
        return a.piece.steps.begin < b.piece.steps.begin;
    });
    return pieces;
}

/// Numbers the sections. With whole lives only, a section that ends without a death holds a subset of the next one, and
/// one that begins without a birth a subset of the one before: both are left out.
class Sections {
public:
    Sections(std::span<const TimedPiece> pieces, bool keepAll)
    {
        std::vector<Step> births;
        std::vector<Step> deaths;
        for (const TimedPiece& timed : pieces) {
            births.push_back(timed.piece.steps.begin);
            deaths.push_back(timed.piece.steps.end);
        }
        sortUnique(births);
        sortUnique(deaths);
        std::merge(births.begin(), births.end(), deaths.begin(), deaths.end(), std::back_inserter(m_borders));
        m_borders.erase(std::unique(m_borders.begin(), m_borders.end()), m_borders.end());
        m_before.assign(m_borders.size() + 1, 0);
        bool isBorn = false;
        for (std::size_t i = 0; i + 1 < m_borders.size(); ++i) {
            isBorn = isBorn || std::binary_search(births.begin(), births.end(), m_borders[i]);
            const bool dies = std::binary_search(deaths.begin(), deaths.end(), m_borders[i + 1]);
            const bool isKept = keepAll || (isBorn && dies);
            m_before[i + 1] = m_before[i] + (isKept ? 1 : 0);
            isBorn = isBorn && !isKept;
        }
    }

    std::int32_t at(Step step) const
    {
        const auto found = std::lower_bound(m_borders.begin(), m_borders.end(), step);
        return m_before[static_cast<std::size_t>(found - m_borders.begin())];
    }
    std::int32_t count() const { return m_borders.empty() ? 0 : m_before[m_borders.size() - 1]; }

private:
    static void sortUnique(std::vector<Step>& steps)
    {
        std::sort(steps.begin(), steps.end());
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    }
    std::vector<Step> m_borders;
    std::vector<std::int32_t> m_before; // by border: sections that end at or before it
};

bool meet(const Span& a, const Span& b)
{
    return a.first < b.last && b.first < a.last;
}

/// How far above the offset of `lower` that of `upper` must be for all spans of `upper` to clear those of `lower`.
/// Nothing where they never meet.
std::optional<Units> clearance(std::span<const Span> lower, std::span<const Span> upper)
{
    std::optional<Units> result;
    for (const Span& a : lower) {
        for (const Span& b : upper) {
            if (meet(a, b))
                result = std::max(result.value_or(a.high - b.low), a.high - b.low);
        }
    }
    return result;
}

/// The greatest number of bytes that divides every size, alignment and fixed offset.
Bytes commonUnit(std::span<const Item> items, std::span<const TimedPiece> pieces)
{
    Bytes unit = 0;
    for (const TimedPiece& timed : pieces) {
        const Item& item = items[timed.item];
        for (const Bytes value : {item.size, timed.piece.low, timed.piece.high, item.fixedOffset.value_or(0)})
            unit = std::gcd(unit, value);
    }
    // An alignment that divides all sizes holds by itself; any other needs a finer grid.
    Bytes finest = unit;
    for (const TimedPiece& timed : pieces)
        finest = std::gcd(finest, unit % items[timed.item].alignment == 0 ? unit : items[timed.item].alignment);
    return std::max<Bytes>(finest, 1);
}

class InstanceMaker {
public:
    InstanceMaker(std::span<const Item> items, std::span<const TimedPiece> pieces)
        : m_items(items)
        , m_pieces(pieces)
        , m_sections(pieces, hasCutLives())
    {
        m_instance.unit = commonUnit(items, pieces);
        m_instance.sections = m_sections.count();
    }

    Instance make()
    {
        addBlocks();
        addFixed();
        m_instance.bound = boundOfSections();
        addPairs();
        return std::move(m_instance);
    }

private:
    bool hasCutLives() const
    {
        return std::any_of(m_pieces.begin(), m_pieces.end(), [this](const TimedPiece& timed) {
            return !m_items[timed.item].gaps.empty();
        });
    }

    Span spanOf(const Piece& piece) const
    {
        return {m_sections.at(piece.steps.begin), m_sections.at(piece.steps.end), piece.low / m_instance.unit,
                piece.high / m_instance.unit};
    }

    void addBlocks()
    {
        std::vector<std::size_t> movable;
        for (const TimedPiece& timed : m_pieces) {
            if (!m_items[timed.item].fixedOffset)
                movable.push_back(timed.item);
        }
        std::sort(movable.begin(), movable.end());
        movable.erase(std::unique(movable.begin(), movable.end()), movable.end());
        for (const std::size_t index : movable) {
            const Item& item = m_items[index];
            Block block;
            block.item = index;
            block.size = item.size / m_instance.unit;
            block.alignment = std::max<Units>(item.alignment / m_instance.unit, 1);
            block.life = item.live.length();
            block.spanBegin = static_cast<std::int32_t>(m_instance.spans.size());
            forEachPiece(item, [&](const Piece& piece) {
                m_instance.spans.push_back(spanOf(piece));
                m_instance.isComplete = m_instance.isComplete && piece.low == 0;
            });
            block.spanEnd = static_cast<std::int32_t>(m_instance.spans.size());
            block.first = m_instance.spans[static_cast<std::size_t>(block.spanBegin)].first;
            block.last = m_instance.spans.back().last;
            m_instance.blocks.push_back(block);
        }
    }

    void addFixed()
    {
        for (const TimedPiece& timed : m_pieces) {
            const Item& item = m_items[timed.item];
            if (!item.fixedOffset)
                continue;
            m_instance.spans.push_back(spanOf(timed.piece));
            m_instance.fixedOffsets.push_back(*item.fixedOffset / m_instance.unit);
            m_fixedTop = std::max(m_fixedTop, (*item.fixedOffset + item.size) / m_instance.unit);
        }
    }

    Units boundOfSections() const
    {
        std::vector<Units> change(static_cast<std::size_t>(m_instance.sections) + 1, 0);
        for (const Span& span : m_instance.spans) {
            change[static_cast<std::size_t>(span.first)] += span.high - span.low;
            change[static_cast<std::size_t>(span.last)] -= span.high - span.low;
        }
        std::inclusive_scan(change.begin(), change.end(), change.begin());
        Units bound = std::max(m_fixedTop, *std::max_element(change.begin(), change.end()));
        for (const Block& block : m_instance.blocks)
            bound = std::max(bound, block.size);
        return bound;
    }

    void addPairs()
    {
        std::vector<std::vector<Neighbour>> of(m_instance.blocks.size());
        std::vector<std::size_t> byFirst(m_instance.blocks.size());
        std::iota(byFirst.begin(), byFirst.end(), std::size_t{0});
        std::stable_sort(byFirst.begin(), byFirst.end(), [this](std::size_t a, std::size_t b) {
            return m_instance.blocks[a].first < m_instance.blocks[b].first;
        });
        std::size_t pairs = 0;
        std::vector<std::size_t> alive;
        for (const std::size_t index : byFirst) {
            const Block& block = m_instance.blocks[index];
            std::erase_if(alive, [&](std::size_t other) { return m_instance.blocks[other].last <= block.first; });
            pairs += alive.size() * 2;
            if (pairs > kMaxPairs)
                return;
            for (const std::size_t other : alive)
                addPair(of, index, other);
            alive.push_back(index);
        }
        for (auto& list : of) {
            std::sort(list.begin(), list.end(),
                      [](const Neighbour& a, const Neighbour& b) { return a.block < b.block; });
            m_instance.neighbourBegin.push_back(m_instance.neighbours.size());
            m_instance.neighbours.insert(m_instance.neighbours.end(), list.begin(), list.end());
        }
        m_instance.neighbourBegin.push_back(m_instance.neighbours.size());
        addObstacles();
    }

    void addPair(std::vector<std::vector<Neighbour>>& of, std::size_t a, std::size_t b) const
    {
        const auto spansA = m_instance.spansOf(m_instance.blocks[a]);
        const auto spansB = m_instance.spansOf(m_instance.blocks[b]);
        const auto bOverA = clearance(spansA, spansB);
        const auto aOverB = clearance(spansB, spansA);
        if (!bOverA || !aOverB)
            return;
        of[a].push_back({static_cast<std::int32_t>(b), *bOverA, *aOverB});
        of[b].push_back({static_cast<std::int32_t>(a), *aOverB, *bOverA});
    }

    void addObstacles()
    {
        const std::size_t firstFixed = m_instance.spans.size() - m_instance.fixedOffsets.size();
        for (const Block& block : m_instance.blocks) {
            m_instance.obstacleBegin.push_back(m_instance.obstacles.size());
            for (std::size_t i = 0; i < m_instance.fixedOffsets.size(); ++i) {
                const auto fixed = std::span(m_instance.spans).subspan(firstFixed + i, 1);
                const auto above = clearance(fixed, m_instance.spansOf(block));
                const auto below = clearance(m_instance.spansOf(block), fixed);
                if (above && below)
                    m_instance.obstacles.push_back({m_instance.fixedOffsets[i], *above, *below});
            }
            std::sort(m_instance.obstacles.begin() + static_cast<std::ptrdiff_t>(m_instance.obstacleBegin.back()),
                      m_instance.obstacles.end(),
                      [](const Obstacle& a, const Obstacle& b) { return a.offset + a.above < b.offset + b.above; });
        }
        m_instance.obstacleBegin.push_back(m_instance.obstacles.size());
    }

    std::span<const Item> m_items;
    std::span<const TimedPiece> m_pieces;
    Sections m_sections;
    Instance m_instance;
    Units m_fixedTop = 0;
};

} // namespace

std::vector<Instance> makeInstances(std::span<const Item> items)
{
    const std::vector<TimedPiece> pieces = piecesByBegin(items);
    std::vector<Instance> instances;
    std::size_t begin = 0;
    Step end = 0; // of the lives seen so far
    const auto cut = [&](std::size_t until) {
        Instance instance = InstanceMaker(items, std::span(pieces).subspan(begin, until - begin)).make();
        if (!instance.blocks.empty())
            instances.push_back(std::move(instance));
        begin = until;
    };
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        // An item holds its instance together from its first piece to its last, through its gaps.
        if (i > begin && pieces[i].piece.steps.begin >= end)
            cut(i);
        end = std::max(end, items[pieces[i].item].live.end);
    }
    if (begin < pieces.size())
        cut(pieces.size());
    return instances;
}

} // namespace arenascope::planning::exact
