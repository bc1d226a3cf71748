// SPDX-License-Identifier: MIT
// A plan by others laid over a model: which of the model's buffers is which of the plan's, and under which options.
#include <arenascope/plan_import.h>

#include "core/src/io/foreign_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace arenascope {

namespace {

constexpr std::size_t kMostTold = 10;
/// Networks of more operators are tried in the file's order only.
constexpr std::size_t kMostOrdered = 3000;

/// Buffers of a study by what a plan may know them by.
class BufferNames {
public:
    explicit BufferNames(const Study& study);

    struct Found {
        BufferId buffer;
        Offset inner = 0; ///< of what was asked for, in it
    };
    /// The buffer of that name, or the one that holds the tensor of that name.
    Found named(const std::string& name) const;
    /// The only one that lives so and has that size.
    BufferId placedLike(LiveRange live, Bytes reserved) const;

private:
    using Kind = std::tuple<Step, Step, Bytes>;
    std::map<std::string, BufferId, std::less<>> m_buffers;
    std::map<std::string, Found, std::less<>> m_tensors;
    std::map<Kind, BufferId> m_kinds; ///< invalid: several are like it
};

BufferNames::BufferNames(const Study& study)
{
    const PlacementProblem& problem = study.problem;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const Buffer& buffer = problem.buffers[i];
        m_buffers.emplace(buffer.name, id);
        for (const AliasMember& member : buffer.tensors)
            m_tensors.emplace(study.graph->tensor(member.tensor).name, Found{id, member.offset});
        const auto [at, isNew] = m_kinds.emplace(Kind{buffer.live.begin, buffer.live.end, problem.reserved(id)}, id);
        at->second = isNew ? id : BufferId();
    }
}

BufferNames::Found BufferNames::named(const std::string& name) const
{
    if (const auto at = m_buffers.find(name); at != m_buffers.end())
        return {at->second, 0};
    const auto at = m_tensors.find(name);
    return at == m_tensors.end() ? Found() : at->second;
}

BufferId BufferNames::placedLike(LiveRange live, Bytes reserved) const
{
    const auto at = m_kinds.find({live.begin, live.end, reserved});
    return at == m_kinds.end() ? BufferId() : at->second;
}

/// One way in which the model could have been planned, and how the plan fits it.
struct Candidate {
    std::shared_ptr<const Study> study;
    std::vector<BufferNames::Found> found; ///< by buffer of the plan
    std::size_t exact = 0;                 ///< buffers that are the same in all
    std::size_t named = 0;                 ///< buffers that are known at all
    bool isPerfect = false;

    auto rank() const { return std::tuple(isPerfect, exact, named); }
};

class Matcher {
public:
    Matcher(const ForeignPlan& plan, std::shared_ptr<const Graph> graph, std::stop_token stop)
        : m_plan(plan)
        , m_graph(std::move(graph))
        , m_stop(std::move(stop))
    {
    }

    Result<AttachedPlan> attach();

private:
    std::vector<StudyOptions> baseOptions() const;
    std::vector<Bytes> alignments() const;
    std::vector<StudyOptions> choices() const;
    std::optional<Error> tryOptions(const StudyOptions& options);
    Candidate match(std::shared_ptr<const Study> study) const;
    BufferNames::Found find(const BufferNames& names, std::size_t index) const;
    bool isSame(const Study& study, BufferId mine, std::size_t index) const;
    Result<AttachedPlan> outcome() const;
    void placeCompanions(const Study& study, Plan& plan) const;
    void tell(AttachedPlan& attached, ErrorCode code, const std::vector<std::string>& findings) const;

    const ForeignPlan& m_plan;
    std::shared_ptr<const Graph> m_graph;
    std::stop_token m_stop;
    Candidate m_best;
};

/// What the names alone say. Where no input (or output) is named, it may be outside of the arena, or in the buffer of another.
std::vector<StudyOptions> Matcher::baseOptions() const
{
    std::set<std::string, std::less<>> names;
    for (const auto& list : m_plan.document.tensorNames)
        names.insert(list.begin(), list.end());
    for (const Buffer& buffer : m_plan.document.problem.buffers)
        names.insert(buffer.name);
    const auto isThere = [&](TensorId id) { return names.contains(m_graph->tensor(id).name); };
    const auto isActivation = [&](TensorId id) { return m_graph->tensor(id).isActivation(); };
    const auto placesOf = [&](std::span<const TensorId> ids) {
        const bool isKnown = std::none_of(ids.begin(), ids.end(), isActivation) || std::any_of(ids.begin(), ids.end(), isThere);
        return isKnown ? std::vector{true} : std::vector{true, false};
    };
    StudyOptions options;
    const auto operators = m_graph->operators();
    options.problem.countWorkspace = std::any_of(operators.begin(), operators.end(), [&](const Operator& op) {
        return op.workspace > 0 && names.contains("workspace of " + op.name);
    });
    std::vector<StudyOptions> list;
    for (const bool inputs : placesOf(m_graph->inputs())) {
        for (const bool outputs : placesOf(m_graph->outputs())) {
            options.problem.io = {inputs, outputs};
            list.push_back(options);
        }
    }
    return list;
}

/// Rounding sizes up to any power of two that divides them all, and that they were rounded to, gives the same sizes.
std::vector<Bytes> Matcher::alignments() const
{
    if (m_plan.alignment)
        return {*m_plan.alignment};
    Bytes all = 0;
    const PlanDocument& document = m_plan.document;
    for (std::size_t i = 0; i < document.problem.buffers.size(); ++i)
        all |= document.problem.buffers[i].size | document.plan.placements[i].offset;
    const Bytes largest = all == 0 ? 1 : all & -all;
    std::vector<Bytes> list;
    for (const Bytes alignment : {Bytes(64), Bytes(16), largest, Bytes(1)}) {
        const Bytes fit = std::min(alignment, largest);
        if (std::find(list.begin(), list.end(), fit) == list.end())
            list.push_back(fit);
    }
    return list;
}

bool Matcher::isSame(const Study& study, BufferId mine, std::size_t index) const
{
    const Buffer& theirs = m_plan.document.problem.buffers[index];
    const Bytes reserved = checkedAlignUp(theirs.size, study.problem.alignment).value_or(theirs.size);
    return study.problem.buffer(mine).live == theirs.live && study.problem.reserved(mine) == reserved;
}

BufferNames::Found Matcher::find(const BufferNames& names, std::size_t index) const
{
    const Buffer& theirs = m_plan.document.problem.buffers[index];
    if (const auto found = names.named(theirs.name); found.buffer.isValid())
        return found;
    for (std::size_t i = 0; i < m_plan.document.tensorNames[index].size(); ++i) {
        auto found = names.named(m_plan.document.tensorNames[index][i]);
        if (!found.buffer.isValid())
            continue;
        found.inner -= m_plan.document.tensorOffsets[index][i];
        return found;
    }
    return {};
}

Candidate Matcher::match(std::shared_ptr<const Study> study) const
{
    const BufferNames names(*study);
    const auto& buffers = m_plan.document.problem.buffers;
    Candidate candidate;
    candidate.found.resize(buffers.size());
    std::vector<bool> isTaken(study->problem.buffers.size());
    const auto take = [&](std::size_t i, BufferNames::Found found) {
        candidate.found[i] = found;
        candidate.exact += !isTaken[found.buffer.index()] && isSame(*study, found.buffer, i) ? 1 : 0;
        candidate.named += 1;
        isTaken[found.buffer.index()] = true;
    };
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (const auto found = find(names, i); found.buffer.isValid())
            take(i, found);
    }
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        if (candidate.found[i].buffer.isValid())
            continue;
        const Bytes reserved = checkedAlignUp(buffers[i].size, study->problem.alignment).value_or(buffers[i].size);
        const BufferId like = names.placedLike(buffers[i].live, reserved);
        if (like.isValid() && !isTaken[like.index()])
            take(i, {like, 0});
    }
    candidate.isPerfect = candidate.exact == buffers.size() && buffers.size() == study->problem.buffers.size();
    candidate.study = std::move(study);
    return candidate;
}

std::optional<Error> Matcher::tryOptions(const StudyOptions& options)
{
    auto study = makeStudy(m_graph, options, m_stop);
    if (!study)
        return std::move(study).error();
    Candidate candidate = match(*std::move(study));
    if (!m_best.study || candidate.rank() > m_best.rank())
        m_best = std::move(candidate);
    return std::nullopt;
}

void Matcher::tell(AttachedPlan& attached, ErrorCode code, const std::vector<std::string>& findings) const
{
    for (std::size_t i = 0; i < std::min(findings.size(), kMostTold); ++i)
        attached.diagnostics.push_back({Severity::Warning, {code, m_plan.source, {findings[i]}}});
    if (findings.size() > kMostTold)
        attached.diagnostics.push_back({Severity::Warning, {code, m_plan.source, {std::to_string(findings.size() - kMostTold) + " more like this"}}});
}

/// What the plan has in one buffer, in the model in several: they lie in the same bytes.
void Matcher::placeCompanions(const Study& study, Plan& plan) const
{
    const PlanDocument& document = m_plan.document;
    const BufferNames names(study);
    for (std::size_t i = 0; i < document.tensorNames.size(); ++i) {
        for (std::size_t t = 0; t < document.tensorNames[i].size(); ++t) {
            const auto found = names.named(document.tensorNames[i][t]);
            if (!found.buffer.isValid() || plan.placements[found.buffer.index()].region.isValid())
                continue;
            Placement placement = document.plan.placements[i];
            placement.offset += document.tensorOffsets[i][t] - found.inner;
            plan.placements[found.buffer.index()] = placement;
        }
    }
}

Result<AttachedPlan> Matcher::outcome() const
{
    const PlanDocument& document = m_plan.document;
    auto study = std::make_shared<Study>(*m_best.study);
    if (document.problem.regions.size() > 1)
        study->problem.regions = document.problem.regions;
    AttachedPlan attached;
    attached.diagnostics = m_plan.diagnostics;
    Plan plan = document.plan;
    Placement nowhere;
    nowhere.region = RegionId();
    plan.placements.assign(study->problem.buffers.size(), nowhere);
    std::vector<std::string> unknown;
    std::vector<std::string> differing;
    for (std::size_t i = 0; i < m_best.found.size(); ++i) {
        const auto& found = m_best.found[i];
        const std::string& name = document.problem.buffers[i].name;
        if (!found.buffer.isValid()) {
            unknown.push_back("it places '" + name + "', which the model does not have in its arena");
            continue;
        }
        Placement placement = document.plan.placements[i];
        placement.offset -= found.inner;
        Placement& mine = plan.placements[found.buffer.index()];
        if (mine.region.isValid() && (mine.offset != placement.offset || mine.region != placement.region))
            differing.push_back("it places '" + name + "' apart from tensors that share its bytes in the model");
        else if (!isSame(*m_best.study, found.buffer, i))
            differing.push_back("'" + name + "' has another size there, or lives in other steps");
        if (!mine.region.isValid())
            mine = placement;
    }
    placeCompanions(*study, plan);
    tell(attached, ErrorCode::PlanMismatch, unknown);
    tell(attached, ErrorCode::PlanMismatch, differing);
    attached.outcome = provePlan(std::move(study), std::move(plan));
    return attached;
}

/// The likeliest first.
std::vector<StudyOptions> Matcher::choices() const
{
    const bool isLarge = m_graph->operators().size() > kMostOrdered;
    std::vector<StudyOptions> list;
    for (const Bytes alignment : alignments()) {
        for (StudyOptions options : baseOptions()) {
            options.problem.alignment = alignment;
            for (const ScheduleKind schedule : {ScheduleKind::File, ScheduleKind::DepthFirst, ScheduleKind::MinPeak}) {
                for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All}) {
                    if (isLarge && schedule != ScheduleKind::File)
                        continue;
                    options.schedule = schedule;
                    options.alias = alias;
                    list.push_back(options);
                }
            }
        }
    }
    return list;
}

Result<AttachedPlan> Matcher::attach()
{
    for (const StudyOptions& options : choices()) {
        if (m_best.isPerfect)
            break;
        if (auto error = tryOptions(options))
            return std::move(*error);
    }
    if (m_best.named == 0)
        return Error{ErrorCode::PlanMismatch, m_plan.source, {"neither a name nor a size with a live range is the same in both"}};
    return outcome();
}

} // namespace

Result<AttachedPlan> attachForeignPlan(const ForeignPlan& plan, std::shared_ptr<const Graph> graph, std::stop_token stop)
{
    if (plan.isOwn) {
        auto outcome = attachPlan(plan.document, std::move(graph));
        if (!outcome)
            return std::move(outcome).error();
        return AttachedPlan{*std::move(outcome), plan.diagnostics};
    }
    if (!plan.hasOffsets)
        return Error{ErrorCode::PlanMismatch, plan.source, {"it has no offsets, so it is a problem and no plan"}};
    return Matcher(plan, std::move(graph), std::move(stop)).attach();
}

Result<std::shared_ptr<const PlanOutcome>> planAlone(const ForeignPlan& plan, const PlannerOptions& options, std::stop_token stop,
                                                     const ProgressFn& progress)
{
    PlacementProblem problem = plan.document.problem;
    problem.branches.clear();
    problem.concurrency = Concurrency::Sequential; // what other orders there are is in the network
    auto study = makeBareStudy(std::move(problem));
    if (!study)
        return std::move(study).error();
    if (!plan.hasOffsets)
        return planStudy(*std::move(study), kDefaultStrategy, options, std::move(stop), progress);
    return provePlan(*std::move(study), plan.document.plan);
}

} // namespace arenascope
