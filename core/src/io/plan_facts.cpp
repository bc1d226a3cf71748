// SPDX-License-Identifier: MIT
#include "core/src/io/plan_facts.h"

#include <arenascope/bare_study.h>
#include <arenascope/report.h>

#include <algorithm>
#include <tuple>

namespace arenascope::io {

namespace {

/// Formats without lists of tensors leave the positions out: then ids decide.
auto fileOrder(const Graph& graph, TensorId id)
{
    const Tensor& tensor = graph.tensor(id);
    return std::tuple(tensor.fileIndex < 0, tensor.subgraph, tensor.fileIndex, id);
}

std::string hashText(const ModelInfo& info)
{
    return info.hash.empty() ? "unknown" : info.hash;
}

std::string optionsLine(const StudyOptions& options)
{
    const auto where = [](bool inArena) { return inArena ? "in the arena" : "outside"; };
    std::string text = "alignment " + std::to_string(options.problem.alignment);
    text += ", alias " + std::string(aliasName(options.alias));
    text += ", schedule " + std::string(scheduleName(options.schedule));
    text += ", concurrency " + std::string(concurrencyName(options.problem.concurrency));
    text += std::string(", inputs ") + where(options.problem.io.inputsInArena);
    text += std::string(", outputs ") + where(options.problem.io.outputsInArena);
    text += options.problem.countWorkspace ? ", workspace counted" : ", workspace apart";
    return text;
}

std::string proofLine(const PlanOutcome& outcome)
{
    const Bytes bound = outcome.study->lowerBound();
    std::string text = "lower bound " + std::to_string(bound) + " bytes; ";
    if (!outcome.isValid())
        return text + "NOT VALID: " + std::to_string(outcome.placement.clashCount + outcome.replay.clashCount) + " clashes";
    text += isBare(outcome.study->problem) ? "checked without a clash; " : "checked and replayed without a clash; ";
    if (provenCompletion(outcome) == Completion::Optimal)
        return text + "proven: no smaller arena exists";
    return text + formatPercent(outcome.optimalityGap()) + " above the bound, smaller arenas not ruled out";
}

} // namespace

std::vector<PlacedTensor> placedTensors(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    std::vector<PlacedTensor> placed;
    for (std::size_t i = 0; i < study.problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        for (const AliasMember& member : study.problem.buffers[i].tensors)
            placed.push_back({member.tensor, id, regionOf(outcome, id), offsetOf(outcome, id) + member.offset});
    }
    for (std::size_t i = 0; i < study.problem.idle.size(); ++i) {
        const Offset offset = i < outcome.plan.idleOffsets.size() ? outcome.plan.idleOffsets[i] : 0;
        for (const AliasMember& member : study.problem.idle[i].tensors)
            placed.push_back({member.tensor, BufferId(), RegionId(0), offset + member.offset});
    }
    std::stable_sort(placed.begin(), placed.end(), [&](const PlacedTensor& a, const PlacedTensor& b) {
        return fileOrder(*study.graph, a.tensor) < fileOrder(*study.graph, b.tensor);
    });
    return placed;
}

std::vector<BufferId> buffersInFileOrder(const PlanOutcome& outcome)
{
    std::vector<bool> isListed(outcome.study->problem.buffers.size());
    std::vector<BufferId> buffers;
    const auto add = [&](BufferId id) {
        if (id.isValid() && !isListed[id.index()])
            buffers.push_back(id);
        if (id.isValid())
            isListed[id.index()] = true;
    };
    for (const PlacedTensor& placed : placedTensors(outcome))
        add(placed.buffer);
    for (std::size_t i = 0; i < isListed.size(); ++i)
        add(BufferId::fromIndex(i));
    return buffers;
}

std::vector<std::string> factLines(const PlanOutcome& outcome)
{
    const ModelInfo& info = outcome.study->graph->info();
    const Plan& plan = outcome.plan;
    std::string strategy = plan.strategy;
    if (!plan.chosen.empty() && plan.chosen != plan.strategy)
        strategy += " (chose " + plan.chosen + ")";
    return {"Model:    " + (info.name.empty() ? "unnamed" : info.name),
            "Hash:     " + hashText(info),
            "Options:  " + optionsLine(outcome.study->options),
            "Strategy: " + strategy,
            "Arena:    " + std::to_string(plan.arenaSize) + " bytes; " + proofLine(outcome)};
}

bool hasSeveralRegions(const PlanOutcome& outcome)
{
    return outcome.study->problem.regions.size() > 1;
}

Bytes regionBytes(const PlanOutcome& outcome, RegionId region)
{
    if (!hasSeveralRegions(outcome))
        return outcome.plan.arenaSize;
    const auto& sizes = outcome.plan.regionSizes;
    return region.isValid() && region.index() < sizes.size() ? sizes[region.index()] : 0;
}

Offset offsetOf(const PlanOutcome& outcome, BufferId buffer)
{
    return buffer.index() < outcome.plan.placements.size() ? outcome.plan.placements[buffer.index()].offset : 0;
}

RegionId regionOf(const PlanOutcome& outcome, BufferId buffer)
{
    return buffer.index() < outcome.plan.placements.size() ? outcome.plan.placements[buffer.index()].region : RegionId(0);
}

Error severalMemories(std::string_view format)
{
    return {ErrorCode::Unsupported,
            {},
            {"A plan of several memories as " + std::string(format),
             "Export it as JSON, CSV, C header or Vela table, or plan without --region."}};
}

std::optional<Error> invalidPlan(const PlanOutcome& outcome)
{
    if (outcome.isValid())
        return std::nullopt;
    const Validation& found = outcome.placement.isValid() ? outcome.replay : outcome.placement;
    std::string first
        = found.clashes.empty() ? "clashes" : describe(found.clashes.front(), outcome.study->problem, outcome.study->graph.get());
    if (first.ends_with('.'))
        first.pop_back(); // the message has its own
    return Error{ErrorCode::InvalidPlan, outcome.study->graph->info().name, {first}};
}

std::string CNames::unique(std::string_view name)
{
    constexpr std::size_t kLongest = 120;
    const auto isFit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::string clean;
    for (const char c : name) {
        if (isFit(c))
            clean += c;
        else if (!clean.empty() && clean.back() != '_')
            clean += '_';
        if (clean.size() >= kLongest)
            break;
    }
    while (!clean.empty() && clean.back() == '_')
        clean.pop_back();
    if (clean.empty())
        clean = "unnamed";
    std::string unique = clean;
    for (int& number = m_last[clean]; !m_taken.insert(unique).second;)
        unique = clean + "_" + std::to_string(std::max(++number, 2));
    return unique;
}

std::string commentText(std::string_view text)
{
    std::string safe;
    for (const char c : printable(text)) {
        const char last = safe.empty() ? ' ' : safe.back();
        if ((last == '*' && c == '/') || (last == '/' && c == '*') || (last == '?' && c == '?'))
            safe += ' ';
        safe += c;
    }
    return safe;
}

} // namespace arenascope::io
