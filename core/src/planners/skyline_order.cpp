// SPDX-License-Identifier: MIT
#include "core/src/planners/skyline_order.h"

#include "core/src/planners/skyline.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace arenascope::planning {

namespace {

/// Items that are not stacked yet, by birth, in a tree whose nodes know ends and the best rank.
class Waiting {
public:
    struct Life {
        std::size_t begin;
        std::size_t end;
    };
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

    /// `lives` in sections and in order of begin; `ranks` are all different, 0 is the best.
    Waiting(const std::vector<Life>& lives, const std::vector<std::size_t>& ranks)
        : m_lives(lives)
        , m_leaves(std::bit_ceil(std::max<std::size_t>(lives.size(), 1)))
        , m_nodes(m_leaves * 2)
    {
        for (std::size_t i = 0; i < lives.size(); ++i)
            m_nodes[m_leaves + i] = {lives[i].end, ranks[i]};
        for (std::size_t node = m_leaves; --node > 0;)
            update(node);
    }

    /// The best item alive only within the sections [begin, end), or kNone. O(log n + items born there that die later).
    std::size_t bestWithin(std::size_t begin, std::size_t end) const
    {
        const auto at = [this](std::size_t section) {
            const auto first = std::partition_point(m_lives.begin(), m_lives.end(),
                                                    [section](const Life& life) { return life.begin < section; });
            return static_cast<std::size_t>(first - m_lives.begin());
        };
        Query query{at(begin), at(end), end, kNone, kNone};
        look(query, 1, 0, m_leaves);
        return query.item;
    }

    void remove(std::size_t item)
    {
        std::size_t node = m_leaves + item;
        m_nodes[node] = {};
        while ((node /= 2) > 0)
            update(node);
    }

private:
    struct Node {
        std::size_t leastEnd = kNone;
        std::size_t bestRank = kNone;
    };
    struct Query {
        std::size_t first;
        std::size_t last; // exclusive
        std::size_t end;
        std::size_t rank;
        std::size_t item;
    };

    void update(std::size_t node)
    {
        const Node& left = m_nodes[node * 2];
        const Node& right = m_nodes[node * 2 + 1];
        m_nodes[node] = {std::min(left.leastEnd, right.leastEnd), std::min(left.bestRank, right.bestRank)};
    }

    void look(Query& query, std::size_t node, std::size_t begin, std::size_t end) const
    {
        if (end <= query.first || query.last <= begin || m_nodes[node].bestRank >= query.rank
            || m_nodes[node].leastEnd > query.end)
            return;
        if (node >= m_leaves) {
            query.rank = m_nodes[node].bestRank;
            query.item = begin;
            return;
        }
        const std::size_t middle = (begin + end) / 2;
        look(query, node * 2, begin, middle);
        look(query, node * 2 + 1, middle, end);
    }

    const std::vector<Life>& m_lives;
    std::size_t m_leaves;
    std::vector<Node> m_nodes;
};

/// The items that have a place in the skyline, with their lives in sections.
struct Stack {
    std::vector<std::size_t> items; // by birth
    std::vector<Waiting::Life> lives;
    std::size_t sections = 0;
};

Stack stackOf(std::span<const Item> items)
{
    Stack stack;
    std::vector<Step> borders;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].live.length() <= 0 || items[i].size <= 0 || items[i].fixedOffset)
            continue;
        stack.items.push_back(i);
        borders.push_back(items[i].live.begin);
        borders.push_back(items[i].live.end);
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    const auto sectionOf = [&borders](Step step) {
        return static_cast<std::size_t>(std::lower_bound(borders.begin(), borders.end(), step) - borders.begin());
    };
    std::stable_sort(stack.items.begin(), stack.items.end(),
                     [&](std::size_t a, std::size_t b) { return items[a].live.begin < items[b].live.begin; });
    for (const std::size_t i : stack.items)
        stack.lives.push_back({sectionOf(items[i].live.begin), sectionOf(items[i].live.end)});
    stack.sections = borders.empty() ? 0 : borders.size() - 1;
    return stack;
}

/// Positions in the stack, ranked by a number: larger is better, then longer lives, larger sizes, earlier births.
template <class Worth>
std::vector<std::size_t> ranksOf(std::span<const Item> items, const Stack& stack, Worth worth)
{
    std::vector<std::size_t> byWorth(stack.items.size());
    std::iota(byWorth.begin(), byWorth.end(), std::size_t{0});
    std::stable_sort(byWorth.begin(), byWorth.end(), [&](std::size_t a, std::size_t b) {
        const Item& x = items[stack.items[a]];
        const Item& y = items[stack.items[b]];
        if (worth(x) != worth(y))
            return worth(x) > worth(y);
        if (x.live.length() != y.live.length())
            return x.live.length() > y.live.length();
        return x.size > y.size;
    });
    std::vector<std::size_t> ranks(byWorth.size());
    for (std::size_t i = 0; i < byWorth.size(); ++i)
        ranks[byWorth[i]] = i;
    return ranks;
}

Bytes heightAbove(Bytes height, const Item& item)
{
    const auto offset = checkedAlignUp(height, item.alignment);
    const auto top = offset ? checkedAdd(*offset, item.size) : std::nullopt;
    return top.value_or(std::numeric_limits<Bytes>::max()); // first fit finds out whether it really does not fit
}

/// All items, those of the stack in the order in which they fill the skyline. Each turn either stacks an item, which adds
/// at most two segments, or raises a segment into its neighbour: O(n) turns.
std::vector<std::size_t> skylineOrder(std::span<const Item> items, const Stack& stack,
                                      const std::vector<std::size_t>& ranks, const std::stop_token& stop)
{
    std::vector<std::size_t> order;
    std::vector<bool> isStacked(items.size(), false);
    Waiting waiting(stack.lives, ranks);
    Skyline skyline(std::max<std::size_t>(stack.sections, 1));
    while (order.size() < stack.items.size() && !stop.stop_requested()) {
        const Skyline::Segment segment = skyline.lowest();
        const std::size_t best = waiting.bestWithin(segment.begin, segment.end);
        if (best == Waiting::kNone) {
            if (!skyline.fill(segment))
                break;
            continue;
        }
        const std::size_t item = stack.items[best];
        const Bytes height = heightAbove(segment.height, items[item]);
        if (height <= segment.height)
            break; // as high as numbers go
        skyline.raise(segment, stack.lives[best].begin, stack.lives[best].end, height);
        waiting.remove(best);
        order.push_back(item);
        isStacked[item] = true;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!isStacked[i])
            order.push_back(i);
    }
    return order;
}

} // namespace

bool forEachSkylineOrder(std::span<const Item> items, const std::stop_token& stop,
                         const std::function<bool(const std::vector<std::size_t>&)>& visit)
{
    const Stack stack = stackOf(items);
    const auto attempt = [&](auto worth) { return visit(skylineOrder(items, stack, ranksOf(items, stack, worth), stop)); };
    // Areas in floating point: products of 63 bits do not fit, and a near tie may go either way.
    return attempt([](const Item& item) { return item.live.length(); })
        && attempt([](const Item& item) { return item.size; })
        && attempt([](const Item& item) { return static_cast<double>(item.size) * static_cast<double>(item.live.length()); });
}

} // namespace arenascope::planning
