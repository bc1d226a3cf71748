// SPDX-License-Identifier: MIT
#include "core/src/graph/segment_search.h"

#include "core/src/graph/down_set.h"

#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace arenascope::detail {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t(0);

class Search {
public:
    /// Gives up, too, once there is no order with a peak below `cap`.
    Search(const PeakSegment& segment, Bytes& threshold, Bytes cap, SearchBudget& budget, const std::stop_token& stop)
        : m_segment(segment), m_sets(segment), m_threshold(threshold), m_cap(cap), m_budget(budget), m_stop(stop),
          m_root(m_sets.empty())
    {
    }

    void beginWith(LocalOp op)
    {
        m_order.push_back(op);
        m_threshold = std::max(m_threshold, m_sets.cost(m_root, op));
        m_sets.advance(m_root, op, m_sets.growth(m_root, op));
    }

    std::optional<SegmentOrder> run()
    {
        while (m_root.size < m_segment.size()) {
            if (mustStop())
                return std::nullopt;
            if (!takeSingleStep() && !searchFromRoot())
                return std::nullopt;
        }
        return SegmentOrder{m_order, peakOf(m_segment, m_order)};
    }

private:
    struct Node {
        DownSet set;
        std::uint32_t parent = kNone;
        LocalOp op = 0;                ///< that led here
        std::uint32_t sameHash = kNone; ///< next node with the same hash
    };
    /// A step that does not fit the threshold yet.
    struct Waiting {
        Bytes cost;
        std::uint32_t node;
        LocalOp op;
        bool operator>(const Waiting& other) const
        {
            return std::tie(cost, node, op) > std::tie(other.cost, other.node, other.op);
        }
    };
    struct Open {
        std::uint32_t size;
        std::uint32_t node;
        bool operator>(const Open& other) const { return std::tie(size, node) > std::tie(other.size, other.node); }
    };

    bool mustStop() const { return m_threshold >= m_cap || m_budget.isSpent() || m_stop.stop_requested(); }

    // The commonest case without any bookkeeping: one operator that fits and after which no more is live.
    bool takeSingleStep()
    {
        m_budget.work -= static_cast<std::int64_t>(m_root.ready.size());
        for (const LocalOp op : m_root.ready) {
            if (m_sets.cost(m_root, op) > m_threshold)
                continue;
            const Bytes growth = m_sets.growth(m_root, op);
            if (growth > 0)
                continue;
            m_order.push_back(op);
            m_sets.advance(m_root, op, growth);
            return true;
        }
        return false;
    }

    // True: the root has moved on.
    bool searchFromRoot()
    {
        m_nodes.clear();
        m_known = {};
        m_open = {};
        m_waiting = {};
        m_nodes.push_back({m_root, kNone, 0, kNone});
        m_open.push({m_root.size, 0});
        while (true) {
            if (m_open.empty() && !raiseThreshold())
                return false;
            const std::uint32_t node = m_open.top().node;
            m_open.pop();
            // Reached by a raised threshold: only now is it sure that nothing smaller is left to be looked at.
            if (node != 0 && endsAt(node))
                return true;
            if (mustStop())
                return false;
            if (expand(node))
                return true;
        }
    }

    // Nothing fits any more: no order of this segment has a peak below the smallest step that was put off and leads to
    // something new.
    bool raiseThreshold()
    {
        while (!m_waiting.empty() && (m_open.empty() || m_waiting.top().cost <= m_threshold)) {
            const Waiting next = m_waiting.top();
            m_waiting.pop();
            const std::uint32_t child = add(next.node, next.op);
            if (child == kNone)
                continue;
            m_threshold = std::max(m_threshold, next.cost);
            m_open.push({m_nodes[child].set.size, child});
        }
        return !m_open.empty(); // always: some operator is ready
    }

    bool expand(std::uint32_t node)
    {
        const std::vector<LocalOp> ready = m_nodes[node].set.ready;
        for (const LocalOp op : ready) {
            const Bytes cost = m_sets.cost(m_nodes[node].set, op);
            if (cost > m_threshold) {
                m_waiting.push({cost, node, op});
                --m_budget.work;
                continue;
            }
            const std::uint32_t child = add(node, op);
            if (child == kNone)
                continue;
            if (endsAt(child))
                return true;
            m_open.push({m_nodes[child].set.size, child});
        }
        return false;
    }

    /// The new node after `op`, or kNone where the set is known.
    std::uint32_t add(std::uint32_t from, LocalOp op)
    {
        const std::uint64_t hash = DownSets::hashAfter(m_nodes[from].set, op);
        m_budget.work -= 1;
        const auto [found, isNew] = m_known.try_emplace(hash, static_cast<std::uint32_t>(m_nodes.size()));
        std::uint32_t sameHash = kNone;
        if (!isNew) {
            for (std::uint32_t other = found->second; other != kNone; other = m_nodes[other].sameHash) {
                if (isSame(m_nodes[other].set, m_nodes[from].set, op))
                    return kNone;
            }
            sameHash = found->second;
            found->second = static_cast<std::uint32_t>(m_nodes.size());
        }
        const Bytes growth = m_sets.growth(m_nodes[from].set, op);
        m_nodes.push_back({m_sets.after(m_nodes[from].set, op, growth), from, op, sameHash});
        const DownSet& set = m_nodes.back().set;
        m_budget.work -= static_cast<std::int64_t>(set.ran.size() + set.ready.size() / 2 + m_segment.sharedReads[op].size());
        return static_cast<std::uint32_t>(m_nodes.size() - 1);
    }

    static bool isSame(const DownSet& known, const DownSet& from, LocalOp op)
    {
        if (known.size != from.size + 1 || !hasBit(known.ran, op))
            return false;
        for (std::size_t i = 0; i < known.ran.size(); ++i) {
            const std::uint64_t added = i == op / 64 ? std::uint64_t(1) << (op % 64) : 0;
            if (known.ran[i] != (from.ran[i] | added))
                return false;
        }
        return true;
    }

    // Moves the root to the node where that is safe.
    bool endsAt(std::uint32_t node)
    {
        const bool isSafe = m_nodes[node].set.live <= m_root.live || m_nodes[node].set.size == m_segment.size();
        if (!isSafe)
            return false;
        const std::size_t begin = m_order.size();
        for (std::uint32_t n = node; m_nodes[n].parent != kNone; n = m_nodes[n].parent)
            m_order.push_back(m_nodes[n].op);
        std::reverse(m_order.begin() + static_cast<std::ptrdiff_t>(begin), m_order.end());
        m_root = std::move(m_nodes[node].set);
        return true;
    }

    const PeakSegment& m_segment;
    DownSets m_sets;
    Bytes& m_threshold;
    Bytes m_cap;
    SearchBudget& m_budget;
    const std::stop_token& m_stop;
    DownSet m_root;
    std::vector<LocalOp> m_order; ///< that leads to the root
    std::deque<Node> m_nodes;     ///< of the search from this root
    std::unordered_map<std::uint64_t, std::uint32_t> m_known;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> m_open;
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> m_waiting;
};

} // namespace

Bytes peakOf(const PeakSegment& segment, std::span<const LocalOp> order)
{
    // Readers still to run, by shared bytes: linear in what is read.
    std::vector<std::size_t> missing(segment.shared.size());
    for (std::size_t i = 0; i < missing.size(); ++i)
        missing[i] = segment.sharedReaders[i].size();
    Bytes live = segment.startBytes;
    Bytes peak = 0;
    Bytes first = segment.firstStepBytes;
    for (const LocalOp op : order) {
        peak = std::max(peak, live + segment.made[op] + first);
        first = 0;
        live += segment.kept[op] - segment.freed[op];
        for (const std::uint32_t shared : segment.sharedReads[op])
            live -= --missing[shared] == 0 ? segment.shared[shared] : 0;
    }
    return peak;
}

std::optional<SegmentOrder> findBestOrder(const PeakSegment& segment, Bytes& threshold, SearchBudget& budget,
                                          const std::stop_token& stop)
{
    constexpr Bytes kNoCap = std::numeric_limits<Bytes>::max();
    if (segment.firstStepBytes == 0)
        return Search(segment, threshold, kNoCap, budget, stop).run();
    // What is on top in the first step breaks the rule that lets the search begin again, so the first operator is chosen
    // before: the bound is that of the best choice.
    const DownSet start = DownSets(segment).empty();
    std::optional<SegmentOrder> best;
    Bytes bound = kNoCap;
    for (const LocalOp first : start.ready) {
        Bytes reached = threshold;
        Search search(segment, reached, best ? best->peak : kNoCap, budget, stop);
        search.beginWith(first);
        auto found = search.run();
        bound = std::min(bound, reached);
        if (found && (!best || found->peak < best->peak))
            best = std::move(found);
        else if (!found && (budget.isSpent() || stop.stop_requested()))
            return std::nullopt; // the choices not tried may have the smaller bound
    }
    threshold = std::max(threshold, bound);
    return best;
}

std::optional<SegmentOrder> beamOrder(const PeakSegment& segment, Bytes threshold, std::size_t width, SearchBudget& budget,
                                      const std::stop_token& stop)
{
    const DownSets sets(segment);
    struct Entry {
        DownSet set;
        Bytes peak;
    };
    struct Choice {
        Bytes peak;
        Bytes live;
        std::size_t entry;
        LocalOp op;
        Bytes growth;
    };
    std::vector<std::vector<std::pair<std::size_t, LocalOp>>> trail; ///< by level: (entry before, operator)
    std::vector<Entry> level{{sets.empty(), threshold}};
    for (std::size_t step = 0; step < segment.size(); ++step) {
        std::vector<Choice> choices;
        for (std::size_t e = 0; e < level.size(); ++e) {
            const DownSet& set = level[e].set;
            budget.work -= static_cast<std::int64_t>(set.ready.size() + set.ran.size());
            for (const LocalOp op : set.ready) {
                const Bytes growth = sets.growth(set, op);
                choices.push_back({std::max(level[e].peak, sets.cost(set, op)), set.live + growth, e, op, growth});
            }
        }
        if (budget.isSpent() || stop.stop_requested())
            return std::nullopt;
        std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
            return std::tie(a.peak, a.live, a.entry, a.op) < std::tie(b.peak, b.live, b.entry, b.op);
        });
        std::vector<Entry> next;
        trail.emplace_back();
        for (const Choice& choice : choices) {
            if (next.size() == width)
                break;
            const DownSet& from = level[choice.entry].set;
            const std::uint64_t hash = DownSets::hashAfter(from, choice.op);
            const bool isKnown = std::any_of(next.begin(), next.end(), [hash](const Entry& entry) { return entry.set.hash == hash; });
            if (isKnown)
                continue;
            next.push_back({sets.after(from, choice.op, choice.growth), choice.peak});
            trail.back().emplace_back(choice.entry, choice.op);
        }
        level = std::move(next);
    }
    SegmentOrder best;
    std::size_t entry = 0;
    for (std::size_t step = segment.size(); step-- > 0; entry = trail[step][entry].first)
        best.order.push_back(trail[step][entry].second);
    std::reverse(best.order.begin(), best.order.end());
    best.peak = peakOf(segment, best.order);
    return best;
}

} // namespace arenascope::detail
