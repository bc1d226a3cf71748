// SPDX-License-Identifier: MIT
#include <arenascope/joint.h>

#include <algorithm>

namespace arenascope {

namespace {

Error located(const Study& study, Error error)
{
    if (error.where.empty())
        error.where = study.graph->info().name;
    return error;
}

Error cannotKeep(const Study& study, const std::string& tensor)
{
    return {ErrorCode::Unsupported, study.graph->info().name,
            {"Keeping '" + tensor + "', which takes no bytes of the arena,",
             "Keep a tensor that is computed, and with --io one that is placed in the arena."}};
}

/// The tensor that is written over bytes of `kept` after these were written; invalid: none is. Aliases are chosen without
/// knowing what is kept. O(members of its group).
TensorId overwriterOf(const Study& study, TensorId kept)
{
    const auto stepOf = [&](TensorId id) {
        const OpId producer = study.graph->tensor(id).producer;
        return producer.isValid() ? study.schedule.stepOf[producer.index()] : Step(-1);
    };
    const auto& members = study.aliases.groups[static_cast<std::size_t>(study.aliases.groupOf[kept.index()])].members;
    const auto own = std::find_if(members.begin(), members.end(), [&](const AliasMember& each) { return each.tensor == kept; });
    const auto over = std::find_if(members.begin(), members.end(), [&](const AliasMember& each) {
        const bool meets = each.offset < own->offset + study.graph->tensor(kept).bytes
            && own->offset < each.offset + study.graph->tensor(each.tensor).bytes;
        return each.reason == AliasReason::InPlace && each.tensor != kept && meets && stepOf(each.tensor) > stepOf(kept);
    });
    return over == members.end() ? TensorId() : over->tensor;
}

/// A problem without some of its buffers (ascending); `left` are the others, in order.
PlacementProblem without(const PlacementProblem& problem, const std::vector<BufferId>& kept, std::vector<BufferId>& left)
{
    PlacementProblem rest;
    rest.name = problem.name;
    rest.stepCount = problem.stepCount;
    rest.alignment = problem.alignment;
    rest.regions = problem.regions;
    rest.concurrency = problem.concurrency;
    std::vector<BufferId> newId(problem.buffers.size());
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        if (std::binary_search(kept.begin(), kept.end(), id))
            continue;
        newId[i] = BufferId::fromIndex(left.size());
        left.push_back(id);
        rest.buffers.push_back(problem.buffers[i]);
    }
    rest.conflicts = problem.conflicts.among(left);
    for (const BufferId id : problem.crowd) { // what is left of it is still a crowd
        if (!newId[id.index()].isValid())
            continue;
        rest.crowd.push_back(newId[id.index()]);
        rest.crowdBytes += problem.reserved(id);
    }
    for (const ProblemBranch& branch : problem.branches) {
        ProblemBranch made{branch.id, {}};
        for (const ProblemBranch::Unit& unit : branch.units) {
            made.units.push_back({{}, unit.side});
            for (const BufferId id : unit.buffers) {
                if (newId[id.index()].isValid())
                    made.units.back().buffers.push_back(newId[id.index()]);
            }
        }
        rest.branches.push_back(std::move(made));
    }
    return rest;
}

class JointPlanner {
public:
    JointPlanner(std::span<const std::shared_ptr<const Study>> studies, std::string_view strategy, const PlannerOptions& options)
        : m_studies(studies), m_strategy(strategy), m_options(options), m_keptOf(studies.size()), m_left(studies.size())
    {
        m_options.onIncumbent = {}; // plans of one network are none of the whole
        m_options.capacity.reset();
    }

    std::optional<Error> keep(std::span<const KeptTensor> kept);
    std::optional<Error> planEach(const std::stop_token& stop, const ProgressFn& progress);
    std::optional<Error> stackKept();
    std::optional<Error> prove();
    JointPlan take() && { return std::move(m_joint); }

private:
    std::optional<Error> addToProblem(std::size_t model, Step begin, Step total);
    Bytes alignmentOf(const KeptBuffer& kept) const { return std::max<Bytes>(m_studies[kept.model]->problem.alignmentOf(kept.buffer), 1); }

    std::span<const std::shared_ptr<const Study>> m_studies;
    std::string_view m_strategy;
    PlannerOptions m_options;
    std::vector<std::vector<BufferId>> m_keptOf; // by model, ascending
    std::vector<std::vector<BufferId>> m_left;   // by model: the others
    std::vector<Plan> m_plans;                   // by model, of what is left
    std::vector<Conflicts::Pair> m_pairs;
    Bytes m_sum = 0;
    JointPlan m_joint;
};

std::optional<Error> JointPlanner::keep(std::span<const KeptTensor> kept)
{
    for (const KeptTensor& one : kept) {
        if (one.model >= m_studies.size() || !one.tensor.isValid()
            || one.tensor.index() >= m_studies[one.model]->graph->tensors().size())
            return Error{ErrorCode::BadOption, {}, {"keep", std::to_string(one.model), "a tensor of one of the models"}};
        const Study& study = *m_studies[one.model];
        const BufferId buffer = study.bufferOf[one.tensor.index()];
        if (!buffer.isValid())
            return cannotKeep(study, study.graph->tensor(one.tensor).name);
        if (const TensorId over = overwriterOf(study, one.tensor); over.isValid())
            return Error{ErrorCode::Unsupported, study.graph->info().name,
                         {"Keeping '" + study.graph->tensor(one.tensor).name + "', which '" + study.graph->tensor(over).name
                              + "' is written over in place,",
                          "Keep that one, or plan with --alias views."}};
        const auto isIt = [&](const KeptBuffer& known) { return known.model == one.model && known.buffer == buffer; };
        auto known = std::find_if(m_joint.kept.begin(), m_joint.kept.end(), isIt);
        if (known == m_joint.kept.end()) {
            m_keptOf[one.model].push_back(buffer);
            known = m_joint.kept.insert(known, {one.model, buffer, {}, 0, study.problem.reserved(buffer)});
        }
        if (std::find(known->tensors.begin(), known->tensors.end(), one.tensor) == known->tensors.end())
            known->tensors.push_back(one.tensor);
    }
    for (auto& buffers : m_keptOf)
        std::sort(buffers.begin(), buffers.end());
    std::sort(m_joint.kept.begin(), m_joint.kept.end(), [](const KeptBuffer& a, const KeptBuffer& b) {
        return a.model != b.model ? a.model < b.model : a.buffer < b.buffer;
    });
    return std::nullopt;
}

std::optional<Error> JointPlanner::planEach(const std::stop_token& stop, const ProgressFn& progress)
{
    const Planner* planner = findPlanner(m_strategy);
    for (std::size_t i = 0; i < m_studies.size(); ++i) {
        const Study& study = *m_studies[i];
        if (!planner) { // unknown, or the plan of one file
            const auto alone = planStudy(m_studies[i], m_strategy, m_options, stop);
            return alone ? Error{ErrorCode::Unsupported, study.graph->info().name,
                                 {"The plan of a model file in an arena for several models", "Choose another strategy."}}
                         : alone.error();
        }
        if (study.problem.regions.size() != 1 || study.problem.regions.front() != MemoryRegion{})
            return Error{ErrorCode::Unsupported, study.graph->info().name,
                         {"One arena for several models in memory regions", "Leave out the regions, or plan the models apart."}};
        if (progress)
            progress(static_cast<double>(i) / static_cast<double>(m_studies.size()), study.graph->info().name);
        const PlacementProblem rest = without(study.problem, m_keptOf[i], m_left[i]);
        auto plan = planner->plan(rest, m_options, stop, {});
        if (!plan)
            return located(study, plan.error());
        m_joint.modelBytes.push_back(plan->arenaSize);
        m_joint.sharedBytes = std::max(m_joint.sharedBytes, plan->arenaSize);
        m_joint.lowerBound = std::max(m_joint.lowerBound, plan->provenBound);
        m_plans.push_back(*std::move(plan));
    }
    return std::nullopt;
}

std::optional<Error> JointPlanner::stackKept()
{
    // The most aligned first, so that little is lost between them.
    std::vector<KeptBuffer*> order;
    for (KeptBuffer& kept : m_joint.kept)
        order.push_back(&kept);
    std::stable_sort(order.begin(), order.end(), [this](const KeptBuffer* a, const KeptBuffer* b) { return alignmentOf(*a) > alignmentOf(*b); });
    Bytes top = m_joint.sharedBytes;
    for (KeptBuffer* kept : order) {
        const auto offset = checkedAlignUp(top, alignmentOf(*kept));
        const auto end = offset ? checkedAdd(*offset, kept->bytes) : std::nullopt;
        const auto bound = checkedAdd(m_joint.lowerBound, kept->bytes);
        if (!end || !bound)
            return Error{ErrorCode::SizeOverflow, {}, {"what is kept"}};
        kept->offset = *offset;
        m_joint.keptBytes += kept->bytes;
        m_joint.lowerBound = *bound;
        top = *end;
    }
    m_joint.arenaBytes = top;
    return std::nullopt;
}

/// Offsets of a network's own problem, and the proof that it alone finds its bytes there.
std::optional<Error> JointPlanner::prove()
{
    Step total = 0;
    for (const auto& study : m_studies)
        total += study->problem.stepCount;
    m_joint.problem.name = "all models";
    m_joint.problem.stepCount = total;
    m_joint.problem.alignment = m_studies.front()->problem.alignment;
    m_joint.problem.concurrency = m_studies.front()->problem.concurrency;
    Step begin = 0;
    for (std::size_t i = 0; i < m_studies.size(); ++i) {
        const Study& study = *m_studies[i];
        auto outcome = std::make_shared<PlanOutcome>();
        outcome->study = m_studies[i];
        outcome->plan = std::move(m_plans[i]);
        std::vector<Placement> placements(study.problem.buffers.size());
        for (std::size_t k = 0; k < m_left[i].size(); ++k)
            placements[m_left[i][k].index()] = outcome->plan.placements[k];
        for (const KeptBuffer& kept : m_joint.kept) {
            if (kept.model != i)
                continue;
            placements[kept.buffer.index()].offset = kept.offset;
            outcome->plan.arenaSize = std::max(outcome->plan.arenaSize, kept.offset + kept.bytes);
            outcome->plan.completion = Completion::Heuristic; // alone it could do with less
        }
        outcome->plan.provenBound = study.lowerBound();
        outcome->plan.placements = std::move(placements);
        outcome->plan.conflict.clear();
        outcome->placement = validatePlan(study.problem, outcome->plan);
        outcome->replay = replayPlan(*study.graph, study.schedule, study.problem, outcome->plan);
        m_joint.models.push_back(std::move(outcome));
        if (auto error = addToProblem(i, begin, total))
            return error;
        begin += study.problem.stepCount;
    }
    m_joint.problem.conflicts = Conflicts(m_joint.problem.buffers.size(), m_pairs);
    m_joint.plan.strategy = m_strategy;
    m_joint.plan.chosen = m_strategy;
    m_joint.plan.arenaSize = m_joint.arenaBytes;
    m_joint.plan.provenBound = m_joint.lowerBound;
    m_joint.placement = validatePlan(m_joint.problem, m_joint.plan);
    const bool isProven = m_joint.arenaBytes == m_joint.lowerBound && m_joint.isValid();
    m_joint.completion = isProven ? Completion::Optimal : Completion::Heuristic;
    m_joint.plan.completion = m_joint.completion;
    return std::nullopt;
}

std::optional<Error> JointPlanner::addToProblem(std::size_t model, Step begin, Step total)
{
    const Study& study = *m_studies[model];
    const std::size_t first = m_joint.problem.buffers.size();
    m_joint.problem.alignment = std::min(m_joint.problem.alignment, study.problem.alignment);
    for (std::size_t i = 0; i < study.problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        Buffer buffer = study.problem.buffers[i];
        const auto sum = checkedAdd(m_sum, study.problem.reserved(id));
        if (!sum)
            return Error{ErrorCode::SizeOverflow, {}, {"all models together"}};
        m_sum = *sum;
        buffer.name = study.graph->info().name + ": " + buffer.name;
        buffer.size = study.problem.reserved(id);
        buffer.alignment = study.problem.alignmentOf(id);
        buffer.live = {buffer.live.begin + begin, buffer.live.end + begin};
        for (BufferGap& gap : buffer.gaps)
            gap.steps = {gap.steps.begin + begin, gap.steps.end + begin};
        buffer.tensors.clear(); // ids of one network mean nothing beside another
        buffer.op = OpId();
        if (std::binary_search(m_keptOf[model].begin(), m_keptOf[model].end(), id)) {
            buffer.live = {0, total};
            buffer.gaps.clear();
        }
        m_joint.problem.buffers.push_back(std::move(buffer));
        Placement placement = m_joint.models[model]->plan.placements[i];
        placement.memory = MemoryId();
        m_joint.plan.placements.push_back(placement);
        for (const BufferId other : study.problem.conflicts.of(id)) {
            if (other > id)
                m_pairs.emplace_back(BufferId::fromIndex(first + i), BufferId::fromIndex(first + other.index()));
        }
    }
    return std::nullopt;
}

} // namespace

bool JointPlan::isValid() const
{
    return placement.isValid() && std::all_of(models.begin(), models.end(), [](const auto& model) { return model->isValid(); });
}

Result<JointPlan> planJointly(std::span<const std::shared_ptr<const Study>> studies, std::span<const KeptTensor> kept,
                              std::string_view strategy, const PlannerOptions& options, std::stop_token stop, const ProgressFn& progress)
{
    if (studies.empty())
        return Error{ErrorCode::BadOption, {}, {"models", "", "at least one"}};
    JointPlanner planner(studies, strategy, options);
    if (auto error = planner.keep(kept))
        return *error;
    if (auto error = planner.planEach(stop, progress))
        return *error;
    if (auto error = planner.stackKept())
        return *error;
    if (auto error = planner.prove())
        return *error;
    return std::move(planner).take();
}

} // namespace arenascope
