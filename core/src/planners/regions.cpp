// SPDX-License-Identifier: MIT
#include "core/src/planners/regions.h"

#include "core/src/planners/items.h"
#include "core/src/planners/strategy.h"

#include <algorithm>
#include <numeric>

namespace arenascope::planning {

namespace {

/// Placements tried to bring spilled buffers back into a region.
constexpr int kMostReturns = 32;

/// Reads and writes for each step that the bytes are kept.
double worth(const Buffer& buffer)
{
    const auto life = static_cast<double>(std::max<Step>(buffer.live.length(), 1));
    return static_cast<double>(std::max<std::int64_t>(buffer.uses, 1)) / life;
}

/// Whether `a` has to leave a region before `b` does.
bool leavesBefore(const PlacementProblem& problem, BufferId a, BufferId b)
{
    const Buffer& first = problem.buffer(a);
    const Buffer& second = problem.buffer(b);
    if (worth(first) != worth(second))
        return worth(first) < worth(second);
    if (first.size != second.size)
        return first.size > second.size;
    return a > b;
}

/// The problem of some buffers in one region.
PlacementProblem partOf(const PlacementProblem& problem, std::span<const BufferId> buffers, RegionId region)
{
    PlacementProblem part;
    part.name = problem.name;
    part.stepCount = problem.stepCount;
    part.alignment = problem.alignment;
    part.regions = {problem.regions[region.index()]};
    for (const BufferId id : buffers)
        part.buffers.push_back(problem.buffer(id));
    part.concurrency = problem.concurrency;
    part.conflicts = problem.conflicts.among(buffers);
    return part;
}

/// What is chosen for one region, and how it lies there.
struct Filling {
    std::vector<BufferId> kept; // ascending
    std::vector<Spill> spilled;
    Plan plan;
};

class RegionFiller {
public:
    RegionFiller(const PlacementProblem& problem, const Planner& planner, const PlannerOptions& options,
                 const std::stop_token& stop)
        : m_problem(problem)
        , m_planner(planner)
        , m_options(options)
        , m_stop(stop)
    {
        m_options.onIncumbent = {}; // plans of a part are none of the whole
        m_options.capacity.reset();
    }

    Result<Filling> fill(RegionId region, std::vector<BufferId> buffers)
    {
        Filling filling{std::move(buffers), {}, {}};
        const auto capacity = m_problem.regions[region.index()].capacity;
        if (capacity)
            spillWhatIsTooMuchAtOnce(region, *capacity, filling);
        auto plan = placed(filling.kept, region);
        if (!plan)
            return plan.error();
        filling.plan = *std::move(plan);
        if (capacity && filling.plan.arenaSize > *capacity) {
            spillWhatLiesAbove(region, *capacity, filling);
            if (auto error = bringBack(region, *capacity, filling))
                return *error;
        }
        return filling;
    }

    Result<Plan> placed(std::span<const BufferId> buffers, RegionId region) const
    {
        return m_planner.plan(partOf(m_problem, buffers, region), m_options, m_stop, {});
    }

private:
    /// Live bytes of the kept buffers between births and deaths.
    struct Section {
        Step begin;
        Bytes live;
    };

    std::vector<Section> sectionsOf(std::span<const BufferId> buffers) const
    {
        std::vector<std::pair<Step, Bytes>> changes;
        for (const BufferId id : buffers) {
            const LiveRange live = m_problem.buffer(id).live;
            if (live.length() <= 0)
                continue;
            changes.emplace_back(live.begin, m_problem.reserved(id));
            changes.emplace_back(live.end, -m_problem.reserved(id));
        }
        std::sort(changes.begin(), changes.end());
        std::vector<Section> sections;
        Bytes live = 0;
        for (const auto& [step, bytes] : changes) {
            live += bytes;
            if (sections.empty() || sections.back().begin != step)
                sections.push_back({step, live});
            else
                sections.back().live = live;
        }
        return sections;
    }

    /// Gaps are not looked at: what a buffer does not need for a while, another one still gets by the placement.
    void spillWhatIsTooMuchAtOnce(RegionId region, Bytes capacity, Filling& filling) const
    {
        std::vector<Section> sections = sectionsOf(filling.kept);
        while (!sections.empty()) {
            const auto fullest = std::max_element(sections.begin(), sections.end(),
                                                  [](const Section& a, const Section& b) { return a.live < b.live; });
            if (fullest->live <= capacity)
                return;
            auto leaving = filling.kept.end();
            for (auto id = filling.kept.begin(); id != filling.kept.end(); ++id) {
                const Buffer& buffer = m_problem.buffer(*id);
                if (buffer.live.contains(fullest->begin) && !buffer.fixedOffset && buffer.size > 0
                    && (leaving == filling.kept.end() || leavesBefore(m_problem, *id, *leaving)))
                    leaving = id;
            }
            if (leaving == filling.kept.end())
                return; // only fixed ones are left there
            filling.spilled.push_back({*leaving, region, fullest->begin, fullest->live - capacity});
            for (Section& section : sections) {
                if (m_problem.buffer(*leaving).live.contains(section.begin))
                    section.live -= m_problem.reserved(*leaving);
            }
            filling.kept.erase(leaving);
        }
    }

    /// The rest stays where it is, and fits.
    void spillWhatLiesAbove(RegionId region, Bytes capacity, Filling& filling) const
    {
        std::vector<BufferId> kept;
        std::vector<Placement> placements;
        for (std::size_t i = 0; i < filling.kept.size(); ++i) {
            const BufferId id = filling.kept[i];
            const Bytes over = filling.plan.placements[i].offset + m_problem.reserved(id) - capacity;
            if (over > 0 && !m_problem.buffer(id).fixedOffset) {
                filling.spilled.push_back({id, region, -1, over});
                continue;
            }
            kept.push_back(id);
            placements.push_back(filling.plan.placements[i]);
        }
        filling.kept = std::move(kept);
        filling.plan.placements = std::move(placements);
        filling.plan.completion = Completion::Heuristic;
        filling.plan.arenaSize = topOf(filling);
    }

    Bytes topOf(const Filling& filling) const
    {
        Bytes top = 0;
        for (std::size_t i = 0; i < filling.kept.size(); ++i)
            top = std::max(top, filling.plan.placements[i].offset + m_problem.reserved(filling.kept[i]));
        return top;
    }

    std::optional<Error> bringBack(RegionId region, Bytes capacity, Filling& filling) const
    {
        std::vector<Spill> candidates = filling.spilled;
        std::stable_sort(candidates.begin(), candidates.end(), [this](const Spill& a, const Spill& b) {
            return leavesBefore(m_problem, b.buffer, a.buffer);
        });
        int tries = 0;
        for (const Spill& spill : candidates) {
            if (spill.step >= 0)
                continue; // too many bytes, however they lie
            if (++tries > kMostReturns || m_stop.stop_requested())
                break;
            std::vector<BufferId> more = filling.kept;
            more.insert(std::lower_bound(more.begin(), more.end(), spill.buffer), spill.buffer);
            auto plan = placed(more, region);
            if (!plan)
                return plan.error();
            if (plan->arenaSize > capacity)
                continue;
            filling.kept = std::move(more);
            filling.plan = *std::move(plan);
            std::erase_if(filling.spilled, [&](const Spill& other) { return other.buffer == spill.buffer; });
        }
        return std::nullopt;
    }

    const PlacementProblem& m_problem;
    const Planner& m_planner;
    PlannerOptions m_options;
    const std::stop_token& m_stop;
};

std::vector<RegionId> cheapestFirst(std::span<const MemoryRegion> regions)
{
    std::vector<RegionId> order;
    for (std::size_t i = 0; i < regions.size(); ++i)
        order.push_back(RegionId::fromIndex(i));
    std::stable_sort(order.begin(), order.end(),
                     [&](RegionId a, RegionId b) { return regions[a.index()].cost < regions[b.index()].cost; });
    return order;
}

} // namespace

Result<Plan> planInRegions(const PlacementProblem& problem, const Planner& planner, const PlannerOptions& options,
                           const std::stop_token& stop, const ProgressFn& progress)
{
    if (planner.info().needsBranches)
        return unsupported(planner.info().id, "several memory regions", problem.buffers.empty() ? "" : problem.buffers.front().name,
                           "Choose a strategy that places buffer by buffer, such as greedy-by-size or auto.");
    const std::vector<RegionId> order = cheapestFirst(problem.regions);
    RegionFiller filler(problem, planner, options, stop);
    Plan plan;
    plan.placements.resize(problem.buffers.size());
    plan.regionSizes.assign(problem.regions.size(), 0);
    std::vector<BufferId> left;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i)
        left.push_back(BufferId::fromIndex(i));
    bool isOptimal = true;
    for (std::size_t i = 0; i < order.size() && !left.empty(); ++i) {
        if (progress)
            progress(static_cast<double>(i) / static_cast<double>(order.size()), problem.regions[order[i].index()].name);
        const bool isLast = i + 1 == order.size();
        Filling filling;
        if (isLast) {
            auto rest = filler.placed(left, order[i]);
            if (!rest)
                return rest.error();
            filling = {left, {}, *std::move(rest)};
        } else {
            auto filled = filler.fill(order[i], left);
            if (!filled)
                return filled.error();
            filling = *std::move(filled);
        }
        const std::size_t memoriesBefore = plan.memories.size(); // those of regions filled before
        plan.memories.insert(plan.memories.end(), filling.plan.memories.begin(), filling.plan.memories.end());
        for (std::size_t k = 0; k < filling.kept.size(); ++k) {
            Placement& placement = plan.placements[filling.kept[k].index()];
            placement = filling.plan.placements[k];
            placement.region = order[i];
            if (placement.memory.isValid())
                placement.memory = MemoryId::fromIndex(memoriesBefore + placement.memory.index());
        }
        plan.regionSizes[order[i].index()] = filling.plan.arenaSize;
        plan.arenaSize += filling.plan.arenaSize;
        plan.nodes += filling.plan.nodes;
        if (i == 0) // the cheapest memory is what it is about
            plan.chosen = filling.plan.chosen;
        isOptimal = i == 0 && filling.spilled.empty() && filling.plan.completion == Completion::Optimal;
        if (filling.plan.completion == Completion::Interrupted)
            plan.completion = Completion::Interrupted;
        plan.spills.insert(plan.spills.end(), filling.spilled.begin(), filling.spilled.end());
        left.clear();
        for (const Spill& spill : filling.spilled)
            left.push_back(spill.buffer);
        std::sort(left.begin(), left.end());
    }
    if (isOptimal)
        plan.completion = Completion::Optimal;
    return plan;
}

} // namespace arenascope::planning
