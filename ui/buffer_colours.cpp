// SPDX-License-Identifier: MIT
#include "ui/buffer_colours.h"

#include <arenascope/buffer_pieces.h>
#include <arenascope/regions.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

namespace arenascope::ui {

namespace {

constexpr int kTones = 3;
constexpr int kStrongHues = 7; // the first hues of hue() are the plain palette, later ones are muted tones of it

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// Neighbours of each of `count` things, as ranges of one array.
struct Adjacency {
    std::vector<std::int32_t> starts;
    std::vector<std::int32_t> others;

    Adjacency(std::size_t count, const Pairs& pairs) : starts(count + 1, 0), others(2 * pairs.size())
    {
        for (const auto& [a, b] : pairs) {
            ++starts[static_cast<std::size_t>(a) + 1];
            ++starts[static_cast<std::size_t>(b) + 1];
        }
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        std::vector<std::int32_t> next(starts.begin(), starts.end() - 1);
        for (const auto& [a, b] : pairs) {
            others[static_cast<std::size_t>(next[static_cast<std::size_t>(a)]++)] = b;
            others[static_cast<std::size_t>(next[static_cast<std::size_t>(b)]++)] = a;
        }
    }
    std::span<const std::int32_t> of(std::size_t i) const
    {
        const auto first = static_cast<std::size_t>(starts[i]);
        return {others.data() + first, static_cast<std::size_t>(starts[i + 1]) - first};
    }
};

void sortUnique(Pairs& pairs)
{
    for (auto& [a, b] : pairs) {
        if (b < a)
            std::swap(a, b);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

/// Order in which greedy colouring needs few colours: each one has few neighbours before it (Matula and Beck, 1983,
/// "Smallest-last ordering"). O(n + pairs).
std::vector<std::int32_t> smallestLast(const Adjacency& adjacency)
{
    const std::size_t count = adjacency.starts.size() - 1;
    std::vector<std::size_t> degree(count);
    std::vector<std::vector<std::int32_t>> buckets(1);
    for (std::size_t i = count; i-- > 0;) {
        degree[i] = adjacency.of(i).size();
        if (degree[i] >= buckets.size())
            buckets.resize(degree[i] + 1);
        buckets[degree[i]].push_back(static_cast<std::int32_t>(i));
    }
    std::vector<char> taken(count, 0);
    std::vector<std::int32_t> order;
    order.reserve(count);
    for (std::size_t least = 0; order.size() < count;) {
        if (buckets[least].empty()) {
            ++least;
            continue;
        }
        const std::int32_t node = buckets[least].back();
        buckets[least].pop_back();
        const auto index = static_cast<std::size_t>(node);
        if (taken[index] || degree[index] != least)
            continue; // listed again elsewhere since
        taken[index] = 1;
        order.push_back(node);
        for (const std::int32_t other : adjacency.of(index)) {
            const auto o = static_cast<std::size_t>(other);
            if (taken[o])
                continue;
            --degree[o];
            buckets[degree[o]].push_back(other);
            least = std::min(least, degree[o]);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

/// All colours in the order in which they are tried: plain strong hues from `start` on, muted ones, then their tones.
std::vector<ColourKey> paletteOf(int tones)
{
    std::vector<ColourKey> palette;
    const int strong = std::min(kStrongHues, hueCount());
    for (int tone = 0; tone < tones; ++tone) {
        for (int h = 0; h < strong; ++h)
            palette.push_back({h, tone});
        for (int h = strong; h < hueCount(); ++h)
            palette.push_back({h, tone});
    }
    return palette;
}

/// Gives each thing a colour that none of its neighbours has, the wanted one where that is free.
/// Things of `soft` differ too where that can be had; the few colours that `adjacency` needs are never given up for it.
std::vector<ColourKey> colourGreedily(const Adjacency& adjacency, const Adjacency& soft, const std::vector<ColourKey>& wanted, int tones)
{
    constexpr int kHard = 1 << 16;
    const std::vector<ColourKey> palette = paletteOf(tones);
    const auto strong = static_cast<std::size_t>(std::min(kStrongHues, hueCount()));
    const std::size_t count = wanted.size();
    std::vector<ColourKey> colours(count);
    std::vector<int> used(palette.size(), 0);
    const auto slotOf = [&](ColourKey key) {
        const auto at = std::find(palette.begin(), palette.end(), key);
        return static_cast<std::size_t>(at - palette.begin()) % palette.size();
    };
    for (const std::int32_t node : smallestLast(adjacency)) {
        const auto i = static_cast<std::size_t>(node);
        std::fill(used.begin(), used.end(), 0);
        for (const std::int32_t other : adjacency.of(i)) {
            const ColourKey key = colours[static_cast<std::size_t>(other)];
            if (key.hue >= 0)
                used[slotOf(key)] += kHard;
        }
        for (const std::int32_t other : soft.of(i)) {
            const ColourKey key = colours[static_cast<std::size_t>(other)];
            if (key.hue >= 0)
                ++used[slotOf(key)];
        }
        const bool hasWish = wanted[i].hue >= 0;
        std::size_t best = hasWish ? slotOf(wanted[i]) : i % strong;
        for (std::size_t k = 0; k < palette.size() && used[best] > 0; ++k) {
            // The strong hues are tried from the thing's own place on, so that all of them are used.
            const std::size_t candidate = k < strong ? (i + k) % strong : k;
            if (used[candidate] < used[best])
                best = candidate;
        }
        colours[i] = palette[best];
    }
    return colours;
}

/// Sweeps over time with what is alive ordered by address, and with the last owner of every byte.
class NeighbourSweep {
public:
    NeighbourSweep(const PlacementProblem& problem, const Plan& plan);
    Pairs run();

private:
    using Place = std::pair<Offset, std::int32_t>;
    Offset begin(std::int32_t id) const { return m_stays[static_cast<std::size_t>(id)].low; }
    Offset end(std::int32_t id) const { return m_stays[static_cast<std::size_t>(id)].high; }
    std::int32_t bufferOf(std::int32_t id) const { return m_stays[static_cast<std::size_t>(id)].buffer; }
    void takeOver(std::int32_t id);
    void seeAbove(std::set<Place>::const_iterator at);

    /// A piece of a buffer, with addresses. What the sweep calls `id` is its place here.
    struct Stay {
        LiveRange steps;
        Offset low = 0;
        Offset high = 0;
        std::int32_t buffer = 0;
    };
    std::vector<Stay> m_stays;
    Pairs m_pairs;
    std::set<Place> m_alive;
    std::map<Offset, std::pair<Offset, std::int32_t>> m_lastOwner; ///< begin -> end, buffer; disjoint
};

NeighbourSweep::NeighbourSweep(const PlacementProblem& problem, const Plan& plan)
{
    for (std::size_t i = 0; i < problem.buffers.size() && i < plan.placements.size(); ++i) {
        if (problem.buffers[i].size <= 0)
            continue;
        const Offset offset = stackedOffset(plan, BufferId::fromIndex(i));
        for (const BufferPiece& piece : bufferPieces(problem, BufferId::fromIndex(i)))
            m_stays.push_back({piece.steps, offset + piece.low, offset + piece.high, static_cast<std::int32_t>(i)});
    }
}

void NeighbourSweep::takeOver(std::int32_t id)
{
    const Offset low = begin(id), high = end(id);
    auto at = m_lastOwner.upper_bound(low);
    if (at != m_lastOwner.begin() && std::prev(at)->second.first > low)
        --at;
    while (at != m_lastOwner.end() && at->first < high) {
        const Offset from = at->first;
        const auto [to, owner] = at->second;
        m_pairs.emplace_back(owner, id);
        at = m_lastOwner.erase(at);
        if (from < low)
            m_lastOwner.emplace(from, std::pair(low, owner));
        if (to > high)
            at = m_lastOwner.emplace(high, std::pair(to, owner)).first;
    }
    m_lastOwner.emplace(low, std::pair(high, id));
}

void NeighbourSweep::seeAbove(std::set<Place>::const_iterator at)
{
    if (at == m_alive.end())
        return;
    const auto above = std::next(at);
    if (above != m_alive.end())
        m_pairs.emplace_back(at->second, above->second);
}

Pairs NeighbourSweep::run()
{
    struct Event {
        Step step;
        bool starts;
        std::int32_t id;
        auto operator<=>(const Event&) const = default; // ends come before starts
    };
    std::vector<Event> events;
    for (std::size_t i = 0; i < m_stays.size(); ++i) {
        events.push_back({m_stays[i].steps.begin, true, static_cast<std::int32_t>(i)});
        events.push_back({m_stays[i].steps.end, false, static_cast<std::int32_t>(i)});
    }
    std::sort(events.begin(), events.end());
    std::vector<Offset> touched;
    for (std::size_t i = 0; i < events.size();) {
        touched.clear();
        const Step step = events[i].step;
        for (; i < events.size() && events[i].step == step; ++i) {
            const std::int32_t id = events[i].id;
            touched.push_back(begin(id));
            if (!events[i].starts) {
                m_alive.erase({begin(id), id});
                continue;
            }
            m_alive.emplace(begin(id), id);
            takeOver(id);
        }
        for (const Offset offset : touched) { // only now: what is alive in this step stands
            auto at = m_alive.lower_bound({offset, -1});
            if (at != m_alive.begin())
                seeAbove(std::prev(at));
            for (; at != m_alive.end() && at->first == offset; ++at)
                seeAbove(at);
        }
    }
    for (auto& [a, b] : m_pairs) {
        a = bufferOf(a);
        b = bufferOf(b);
    }
    std::erase_if(m_pairs, [](const auto& pair) { return pair.first == pair.second; });
    sortUnique(m_pairs);
    return std::move(m_pairs);
}

Pairs neighbourPairs(const PlacementProblem& problem, const Plan& plan)
{
    return NeighbourSweep(problem, plan).run();
}

/// The branch whose operator writes the buffer first; -1 for network inputs and bare problems.
std::int32_t branchOfBuffer(const Study& study, const Buffer& buffer)
{
    OpId writer = buffer.op;
    for (const AliasMember& member : buffer.tensors) {
        if (writer.isValid())
            break;
        writer = study.graph->tensor(member.tensor).producer;
    }
    if (!writer.isValid() || writer.index() >= study.branches.branchOf.size())
        return -1;
    return study.branches.branchOf[writer.index()].value();
}

/// Colours that things of the same name had before, by position; neutral where there was none.
template <class NameOf>
std::vector<ColourKey> wishes(std::size_t count, const NameOf& nameOf, std::map<std::string_view, ColourKey> before)
{
    std::vector<ColourKey> wanted(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (const auto known = before.find(nameOf(i)); known != before.end())
            wanted[i] = known->second;
    }
    return wanted;
}

std::string_view branchName(const Study& study, std::size_t branch)
{
    const auto& units = study.branches.branches[branch].units;
    if (units.empty() || units.front().operators.empty())
        return {};
    return study.graph->op(units.front().operators.front()).name;
}

int toneOf(PingPongSide side)
{
    switch (side) {
    case PingPongSide::First:
        return 1;
    case PingPongSide::Second:
        return 2;
    case PingPongSide::None:
        break;
    }
    return 0;
}

/// Hues of branches: apart where their buffers are neighbours or where one hands a tensor to the other.
std::vector<ColourKey> branchColours(const Study& study, const Pairs& bufferPairs, const std::vector<ColourKey>& wanted)
{
    const auto& buffers = study.problem.buffers;
    Pairs pairs;
    std::vector<std::int32_t> branchOf(buffers.size());
    std::transform(buffers.begin(), buffers.end(), branchOf.begin(),
                   [&](const Buffer& buffer) { return branchOfBuffer(study, buffer); });
    for (const auto& [a, b] : bufferPairs)
        pairs.emplace_back(branchOf[static_cast<std::size_t>(a)], branchOf[static_cast<std::size_t>(b)]);
    for (const Tensor& tensor : study.graph->tensors()) {
        if (!tensor.producer.isValid())
            continue;
        for (const OpId reader : tensor.consumers)
            pairs.emplace_back(study.branches.branchOf[tensor.producer.index()].value(),
                               study.branches.branchOf[reader.index()].value());
    }
    std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second || pair.first < 0 || pair.second < 0; });
    sortUnique(pairs);
    // Tones are taken: they say which memory.
    const std::size_t count = study.branches.branches.size();
    return colourGreedily(Adjacency(count, pairs), Adjacency(count, {}), wanted, 1);
}

/// What an operator reads beside what it writes: neighbours in the network, though perhaps not in the arena.
Pairs networkPairs(const Study& study)
{
    constexpr std::size_t kMostReaders = 64; // a mask that every layer reads would leave no colour for the rest
    Pairs pairs;
    for (const Operator& op : study.graph->operators()) {
        for (const TensorId input : op.inputs) {
            if (!input.isValid() || !study.bufferOf[input.index()].isValid()
                || study.graph->tensor(input).consumers.size() > kMostReaders)
                continue;
            for (const TensorId output : op.outputs) {
                if (output.isValid() && study.bufferOf[output.index()].isValid())
                    pairs.emplace_back(study.bufferOf[input.index()].value(), study.bufferOf[output.index()].value());
            }
        }
    }
    std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
    sortUnique(pairs);
    return pairs;
}

} // namespace

std::vector<std::pair<BufferId, BufferId>> arenaNeighbours(const PlacementProblem& problem, const Plan& plan)
{
    std::vector<std::pair<BufferId, BufferId>> result;
    for (const auto& [a, b] : neighbourPairs(problem, plan))
        result.emplace_back(BufferId(a), BufferId(b));
    return result;
}

BufferColours bufferColours(const PlanOutcome& outcome, const BufferColours* previous, const PlanOutcome* previousOutcome)
{
    const Study& study = *outcome.study;
    const auto& buffers = study.problem.buffers;
    BufferColours colours;
    colours.isPingPong = std::any_of(outcome.plan.memories.begin(), outcome.plan.memories.end(),
                                     [](const PlanMemory& memory) { return memory.branch.isValid(); });

    std::map<std::string_view, ColourKey> branchesBefore, buffersBefore;
    if (previous && previousOutcome) {
        const Study& before = *previousOutcome->study;
        for (std::size_t i = 0; i < previous->branches.size() && i < before.branches.branches.size(); ++i)
            branchesBefore.emplace(branchName(before, i), previous->branches[i]);
        for (std::size_t i = 0; !previous->isPingPong && i < previous->buffers.size(); ++i)
            buffersBefore.emplace(before.problem.buffers[i].name, previous->buffers[i]);
    }

    const Pairs pairs = neighbourPairs(study.problem, outcome.plan);
    const std::size_t branchCount = study.branches.branches.size();
    colours.branches = branchColours(
        study, pairs, wishes(branchCount, [&](std::size_t i) { return branchName(study, i); }, std::move(branchesBefore)));

    colours.sides.assign(buffers.size(), PingPongSide::None);
    if (colours.isPingPong) {
        colours.buffers.assign(buffers.size(), ColourKey{});
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            colours.sides[i] = outcome.plan.placements[i].side;
            const std::int32_t branch = branchOfBuffer(study, buffers[i]);
            if (branch >= 0)
                colours.buffers[i] = {colours.branches[static_cast<std::size_t>(branch)].hue, toneOf(colours.sides[i])};
        }
    } else {
        const auto wanted
            = wishes(buffers.size(), [&](std::size_t i) -> std::string_view { return buffers[i].name; }, std::move(buffersBefore));
        colours.buffers = colourGreedily(Adjacency(buffers.size(), pairs), Adjacency(buffers.size(), networkPairs(study)), wanted, kTones);
    }

    colours.designated.assign(study.graph->operators().size(), 0);
    for (const Branch& branch : study.branches.branches) {
        if (branch.designatedUnit < 0)
            continue;
        for (const OpId op : branch.units[static_cast<std::size_t>(branch.designatedUnit)].operators)
            colours.designated[op.index()] = 1;
    }
    return colours;
}

ColourKey tensorColour(const PlanOutcome& outcome, const BufferColours& colours, TensorId tensor, ColourBy by)
{
    const Study& study = *outcome.study;
    if (by == ColourBy::Branch) {
        const OpId producer = study.graph->tensor(tensor).producer;
        return producer.isValid() ? operatorColour(outcome, colours, producer, by) : ColourKey{};
    }
    const BufferId buffer = study.bufferOf[tensor.index()];
    return buffer.isValid() ? colours.buffers[buffer.index()] : ColourKey{};
}

ColourKey operatorColour(const PlanOutcome& outcome, const BufferColours& colours, OpId op, ColourBy by)
{
    const Study& study = *outcome.study;
    if (by == ColourBy::Buffer) {
        for (const TensorId output : study.graph->op(op).outputs) {
            if (output.isValid() && study.bufferOf[output.index()].isValid())
                return tensorColour(outcome, colours, output, by);
        }
        return {};
    }
    const BranchId branch = study.branches.branchOf[op.index()];
    if (!branch.isValid())
        return {};
    const std::int32_t unit = study.branches.unitOf[op.index()];
    const Branch& found = study.branches.branches[branch.index()];
    const PingPongSide side
        = unit >= 0 ? found.units[static_cast<std::size_t>(unit)].side : PingPongSide::None;
    return {colours.branches[branch.index()].hue, toneOf(side)};
}

ColourKeeper* ColourKeeper::of(QObject* owner)
{
    if (auto* kept = owner->findChild<ColourKeeper*>(QString(), Qt::FindDirectChildrenOnly))
        return kept;
    return new ColourKeeper(owner);
}

std::shared_ptr<const BufferColours> ColourKeeper::coloursOf(const std::shared_ptr<const PlanOutcome>& outcome)
{
    if (!outcome) {
        static const auto none = std::make_shared<const BufferColours>();
        return none;
    }
    if (outcome == m_outcome)
        return m_colours;
    keep(outcome, workOut(*outcome, before()));
    return m_colours;
}

std::shared_ptr<const BufferColours> ColourKeeper::workOut(const PlanOutcome& outcome, const Before& before)
{
    // Names of another network mean nothing here.
    const bool sameGraph = before.outcome && before.outcome->study->graph == outcome.study->graph;
    return std::make_shared<const BufferColours>(
        bufferColours(outcome, sameGraph ? before.colours.get() : nullptr, sameGraph ? before.outcome.get() : nullptr));
}

void ColourKeeper::keep(std::shared_ptr<const PlanOutcome> outcome, std::shared_ptr<const BufferColours> colours)
{
    m_outcome = std::move(outcome);
    m_colours = std::move(colours);
}

namespace {

// Beyond all hues of buffers and branches, whose numbers count things of a network.
constexpr int kFirstHeat = 1 << 30;

} // namespace

ColourKey heatKey(double share)
{
    const double root = std::sqrt(std::clamp(share, 0.0, 1.0));
    return { kFirstHeat + static_cast<int>(std::lround(root * (kHeatLevels - 1))), 0 };
}

QColor colourOf(ColourKey key, const Theme& theme)
{
    if (key.hue >= kFirstHeat)
        return heat(static_cast<double>(key.hue - kFirstHeat) / (kHeatLevels - 1), theme);
    return key.hue < 0 ? theme.node : hue(key.hue, key.tone, theme);
}

QColor faded(const QColor& colour, const QColor& background, double share)
{
    const auto channel = [share](int front, int back) { return static_cast<int>(back + (front - back) * share + 0.5); };
    return QColor(channel(colour.red(), background.red()), channel(colour.green(), background.green()),
                  channel(colour.blue(), background.blue()));
}

} // namespace arenascope::ui
