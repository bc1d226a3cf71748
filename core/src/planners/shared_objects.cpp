// SPDX-License-Identifier: MIT
// Whole objects, each taken by one buffer at a time: for runtimes with an allocation an object, without offsets.
//
// Source: "Greedy by Size Improved" of Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
// 2020, section 4.4, as TensorFlow Lite has it. No assignment can do with less than the k-th largest size alive at once
// as its k-th object (the positional maxima). So buffers are taken in stages: those that are larger than the second
// maximum, then those larger than the third, and so on. Within a stage, the buffer goes first that finds an object whose
// last use before it (or next use after it) is nearest in time, since little time is wasted then; where no object is
// free, the largest buffer gets a new one. Plain greedy by size (section 4.3: one stage a size) is tried as well; the
// smaller total wins.
#include "core/src/planners/free_gaps.h"
#include "core/src/planners/items.h"
#include "core/src/planners/strategy.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace arenascope::planning {

namespace {

constexpr std::size_t kNoObject = std::numeric_limits<std::size_t>::max();
constexpr Step kFar = std::numeric_limits<Step>::max();

struct Object {
    Bytes size = 0;
    Bytes alignment = 1;
    std::map<Step, Step> lives; ///< begin -> end of the buffers that take it, disjoint
};

struct Choice {
    std::size_t object = kNoObject;
    Step distance = kFar;

    friend bool operator<(const Choice& a, const Choice& b)
    {
        return std::pair(a.distance, a.object) < std::pair(b.distance, b.object);
    }
};

/// Steps between two lives that do not meet.
Step distanceOf(LiveRange a, LiveRange b)
{
    return std::max(a.begin - b.end, b.begin - a.end);
}

std::vector<LiveRange> livesOf(std::span<const Item> items)
{
    std::vector<LiveRange> lives;
    lives.reserve(items.size());
    for (const Item& item : items)
        lives.push_back(item.live);
    return lives;
}

class Assigner {
public:
    explicit Assigner(std::span<const Item> items)
        : m_items(items)
        , m_objectOf(items.size(), kNoObject)
        , m_choices(items.size())
        , m_free(livesOf(items))
    {
    }

    /// Gives objects to all items of a stage. O(n * n) simple steps for n items, O(log n) for what really changes.
    Status assign(std::vector<std::size_t> stage, const std::stop_token& stop);

    const std::vector<std::size_t>& objectOf() const { return m_objectOf; }
    const std::vector<Object>& objects() const { return m_objects; }
    std::optional<Bytes> total() const;

private:
    bool isFree(std::size_t object, LiveRange live) const;
    Choice nearestObject(LiveRange live) const;
    bool isBefore(std::size_t a, std::size_t b) const;
    Status take(std::size_t item);
    void occupy(std::size_t object, LiveRange live);
    void update(std::size_t item, std::size_t taken);

    std::span<const Item> m_items;
    std::vector<Object> m_objects;
    std::vector<std::size_t> m_objectOf; // by item
    std::vector<Choice> m_choices;       // by item, of the stage
    FreeGaps m_free;
};

bool Assigner::isFree(std::size_t object, LiveRange live) const
{
    const auto& lives = m_objects[object].lives;
    const auto after = lives.lower_bound(live.end);
    return after == lives.begin() || std::prev(after)->second <= live.begin;
}

Choice Assigner::nearestObject(LiveRange live) const
{
    const auto found = m_free.nearest(live);
    return found ? Choice{found->object, found->distance} : Choice{};
}

/// Splits the gap of an object that the life lies in.
void Assigner::occupy(std::size_t object, LiveRange live)
{
    auto& lives = m_objects[object].lives;
    const auto after = lives.lower_bound(live.end);
    const Step begin = after == lives.begin() ? FreeGaps::kNever : std::prev(after)->second;
    const Step end = after == lives.end() ? FreeGaps::kForever : after->first;
    if (!lives.empty())
        m_free.remove({begin, end}, object);
    m_free.add({begin, live.begin}, object);
    m_free.add({live.end, end}, object);
    lives.emplace(live.begin, live.end);
}

/// Whether a is served before b: the nearer, then the larger, then the earlier one.
bool Assigner::isBefore(std::size_t a, std::size_t b) const
{
    if (m_choices[a].distance != m_choices[b].distance)
        return m_choices[a].distance < m_choices[b].distance;
    if (m_items[a].size != m_items[b].size)
        return m_items[a].size > m_items[b].size;
    return a < b;
}

Status Assigner::take(std::size_t index)
{
    const Item& item = m_items[index];
    std::size_t object = m_choices[index].object;
    if (object == kNoObject) {
        object = m_objects.size();
        m_objects.emplace_back();
    }
    Object& taken = m_objects[object];
    const auto alignment = leastCommonMultiple(taken.alignment, item.alignment);
    if (!alignment)
        return sizeOverflow(item.name);
    taken.alignment = *alignment;
    taken.size = std::max(taken.size, item.size);
    m_objectOf[index] = object;
    if (item.live.length() > 0)
        occupy(object, item.live);
    return Ok{};
}

/// What the choice of `item` is after another one has got its object.
void Assigner::update(std::size_t item, std::size_t taken)
{
    const std::size_t object = m_objectOf[taken];
    const LiveRange live = m_items[item].live;
    Choice& choice = m_choices[item];
    if (!live.meets(m_items[taken].live)) {
        const Choice other{object, distanceOf(live, m_items[taken].live)};
        if (other < choice && isFree(object, live))
            choice = other;
    } else if (choice.object == object) {
        choice = nearestObject(live);
    }
}

Status Assigner::assign(std::vector<std::size_t> stage, const std::stop_token& stop)
{
    for (const std::size_t item : stage)
        m_choices[item] = nearestObject(m_items[item].live);
    while (!stage.empty()) {
        if (stop.stop_requested())
            return cancelled();
        const auto next = std::min_element(stage.begin(), stage.end(),
                                           [this](std::size_t a, std::size_t b) { return isBefore(a, b); });
        const std::size_t item = *next;
        *next = stage.back();
        stage.pop_back();
        if (auto taken = take(item); !taken)
            return taken;
        for (const std::size_t other : stage)
            update(other, item);
    }
    return Ok{};
}

std::optional<Bytes> Assigner::total() const
{
    std::optional<Bytes> sum = 0;
    for (const Object& object : m_objects)
        sum = sum ? checkedAdd(*sum, object.size) : sum;
    return sum;
}

/// Items by a stage each, stages in order; items of no bytes need no object. Cost: see Assigner::assign().
Result<Assigner> assignInStages(std::span<const Item> items, const std::vector<std::size_t>& stageOf,
                                const std::stop_token& stop)
{
    std::map<std::size_t, std::vector<std::size_t>> stages;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].size > 0)
            stages[stageOf[i]].push_back(i);
    }
    Assigner assigner(items);
    for (auto& [stage, members] : stages) {
        if (auto assigned = assigner.assign(std::move(members), stop); !assigned)
            return assigned.error();
    }
    return assigner;
}

/// By item: how many positional maxima are at least as large as it.
std::vector<std::size_t> stagesByMaxima(std::span<const Item> items, const std::vector<Bytes>& maxima)
{
    std::vector<std::size_t> stages;
    stages.reserve(items.size());
    for (const Item& item : items) {
        const auto smaller = std::partition_point(maxima.begin(), maxima.end(), [&](Bytes m) { return m >= item.size; });
        stages.push_back(static_cast<std::size_t>(smaller - maxima.begin()));
    }
    return stages;
}

/// By item: how many different sizes are larger.
std::vector<std::size_t> stagesBySize(std::span<const Item> items)
{
    std::vector<Bytes> sizes;
    for (const Item& item : items)
        sizes.push_back(item.size);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<std::size_t> stages;
    stages.reserve(items.size());
    for (const Item& item : items) {
        const auto at = std::lower_bound(sizes.begin(), sizes.end(), item.size, std::greater<>());
        stages.push_back(static_cast<std::size_t>(at - sizes.begin()));
    }
    return stages;
}

/// Objects one after another, the most aligned ones first, so that little is lost between them.
Result<Plan> laidOut(const Assigner& assigner)
{
    const std::vector<Object>& objects = assigner.objects();
    std::vector<std::size_t> order(objects.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return objects[a].alignment > objects[b].alignment; });
    Plan plan;
    plan.memories.resize(objects.size());
    Offset top = 0;
    for (const std::size_t i : order) {
        const auto offset = checkedAlignUp(top, objects[i].alignment);
        const auto end = offset ? checkedAdd(*offset, objects[i].size) : std::nullopt;
        if (!end)
            return sizeOverflow("all shared objects together");
        LiveRange live;
        if (!objects[i].lives.empty())
            live = {objects[i].lives.begin()->first, std::prev(objects[i].lives.end())->second};
        plan.memories[i] = {BranchId(), PingPongSide::None, *offset, objects[i].size, live};
        top = *end;
    }
    for (const std::size_t object : assigner.objectOf()) {
        Placement placement;
        if (object != kNoObject) {
            placement.offset = plan.memories[object].offset;
            placement.memory = MemoryId::fromIndex(object);
        }
        plan.placements.push_back(placement);
    }
    return plan;
}

class SharedObjects final : public Strategy {
public:
    PlannerInfo info() const override
    {
        return {"shared-objects", "Shared objects",
                "Whole objects that buffers take in turn, without offsets: for runtimes with one allocation an object."};
    }

protected:
    Result<Plan> place(const PlacementProblem& problem, const PlannerOptions&, std::stop_token stop,
                       const ProgressFn&) const override
    {
        const auto items = itemsOf(problem);
        if (!items)
            return items.error();
        for (const Item& item : *items) {
            if (item.fixedOffset)
                return unsupported("shared-objects", "A fixed offset", item.name, "Choose one of the greedy strategies.");
            if (!item.gaps.empty())
                return unsupported("shared-objects", "A gap", item.name, "Choose greedy-by-size, or plan without gaps (networks: --alias inplace).");
        }
        const auto improved = assignInStages(*items, stagesByMaxima(*items, positionalMaxima(problem)), stop);
        const auto plain = improved ? assignInStages(*items, stagesBySize(*items), stop) : improved;
        if (!plain)
            return plain.error();
        const auto total = improved->total();
        const auto plainTotal = plain->total();
        if (!total && !plainTotal)
            return sizeOverflow("all shared objects together");
        return laidOut(!total || (plainTotal && *plainTotal < *total) ? *plain : *improved);
    }
};

} // namespace

const Planner& sharedObjectsPlanner()
{
    static const SharedObjects kPlanner;
    return kPlanner;
}

} // namespace arenascope::planning
