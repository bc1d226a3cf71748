// SPDX-License-Identifier: MIT
// Trace events, as Perfetto and chrome://tracing read them. Source: "Trace Event Format" of the Chromium project; for the
// addresses along x: activation_memory_profiler.py of pytorch/executorch.
#include <arenascope/buffer_pieces.h>
#include <arenascope/plan_export.h>

#include "core/src/io/plan_facts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace arenascope {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kOperatorsProcess = 0; // the memories are 1, 2 ...
constexpr std::int64_t kMostBars = 4'000'000;

/// Events one by one, so that a large network's are never all there as objects.
class EventList {
public:
    void add(const Json& event)
    {
        // Names that are no UTF-8 are repaired.
        m_text += (m_isEmpty ? "\n" : ",\n") + event.dump(-1, ' ', false, Json::error_handler_t::replace);
        m_isEmpty = false;
    }
    void nameProcess(int process, const std::string& name)
    {
        add({{"name", "process_name"}, {"ph", "M"}, {"pid", process}, {"tid", 0}, {"args", {{"name", name}}}});
        add({{"name", "process_sort_index"}, {"ph", "M"}, {"pid", process}, {"tid", 0}, {"args", {{"sort_index", process}}}});
    }
    void nameThread(int process, Step thread, const std::string& name)
    {
        add({{"name", "thread_name"}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}});
        add({{"name", "thread_sort_index"}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", {{"sort_index", thread}}}});
    }
    std::string finish(const PlanOutcome& outcome)
    {
        Json facts = Json::array();
        for (const std::string& line : io::factLines(outcome))
            facts.push_back(line);
        const std::string other = Json{{"plan", facts}}.dump(-1, ' ', false, Json::error_handler_t::replace);
        return "{\"displayTimeUnit\": \"ns\", \"otherData\": " + other + ", \"traceEvents\": [" + m_text + "\n]}\n";
    }

private:
    std::string m_text;
    bool m_isEmpty = true;
};

std::string processName(const PlanOutcome& outcome, RegionId region)
{
    const auto& regions = outcome.study->problem.regions;
    return regions[region.index()].name + " (" + std::to_string(io::regionBytes(outcome, region)) + " bytes)";
}

int processOf(const PlanOutcome& outcome, BufferId buffer)
{
    const RegionId region = io::regionOf(outcome, buffer);
    const bool exists = region.isValid() && region.index() < outcome.study->problem.regions.size();
    return exists ? region.value() + 1 : 1;
}

Json bufferArguments(const PlanOutcome& outcome, BufferId id)
{
    const PlacementProblem& problem = outcome.study->problem;
    const Buffer& buffer = problem.buffer(id);
    Json tensors = Json::array();
    for (const AliasMember& member : buffer.tensors)
        tensors.push_back(outcome.study->graph->tensor(member.tensor).name);
    return {{"buffer", id.value()},
            {"offset", io::offsetOf(outcome, id)},
            {"bytes", problem.reserved(id)},
            {"first_step", buffer.live.begin},
            {"last_step", buffer.live.end - 1},
            {"tensors", std::move(tensors)}};
}

/// A row for each buffer on which no two bars meet: viewers draw bars that overlap in one row wrongly. First fit by first
/// step; O(n * rows).
std::vector<std::int64_t> rowsOf(const PlanOutcome& outcome)
{
    const auto& buffers = outcome.study->problem.buffers;
    std::vector<std::size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return buffers[a].live.begin < buffers[b].live.begin; });
    std::vector<std::int64_t> rowOf(buffers.size());
    std::vector<std::vector<Step>> ends(outcome.study->problem.regions.size() + 1); // by process, by row
    for (const std::size_t i : order) {
        auto& rows = ends[static_cast<std::size_t>(processOf(outcome, BufferId::fromIndex(i)))];
        const auto free = std::find_if(rows.begin(), rows.end(), [&](Step end) { return end <= buffers[i].live.begin; });
        rowOf[i] = free - rows.begin();
        if (free == rows.end())
            rows.push_back(0);
        rows[static_cast<std::size_t>(rowOf[i])] = std::max(buffers[i].live.end, buffers[i].live.begin + 1);
    }
    return rowOf;
}

void addOperators(const PlanOutcome& outcome, EventList& events)
{
    events.nameProcess(kOperatorsProcess, "Operators");
    const Study& study = *outcome.study;
    for (Step step = 0; step < study.schedule.stepCount(); ++step) {
        const Operator& op = study.graph->op(study.schedule.order[static_cast<std::size_t>(step)]);
        events.add({{"name", op.name}, {"cat", op.kind}, {"ph", "X"}, {"ts", step}, {"dur", 1}, {"pid", kOperatorsProcess}, {"tid", 0},
                    {"args", {{"kind", op.kind}, {"step", step}}}});
    }
}

/// Live bytes and the highest byte in use, by step, of one memory.
struct Occupancy {
    std::vector<Bytes> live;
    std::vector<Bytes> top;
};

Occupancy occupancyOf(const PlanOutcome& outcome, int process)
{
    const PlacementProblem& problem = outcome.study->problem;
    const auto steps = static_cast<std::size_t>(problem.stepCount);
    Occupancy occupancy{std::vector<Bytes>(steps + 1), std::vector<Bytes>(steps)};
    std::vector<std::pair<Bytes, LiveRange>> tops;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        if (processOf(outcome, id) != process)
            continue;
        for (const BufferPiece& piece : bufferPieces(problem, id)) {
            occupancy.live[static_cast<std::size_t>(piece.steps.begin)] += piece.high - piece.low;
            occupancy.live[static_cast<std::size_t>(piece.steps.end)] -= piece.high - piece.low;
            tops.emplace_back(io::offsetOf(outcome, id) + piece.high, piece.steps);
        }
    }
    std::partial_sum(occupancy.live.begin(), occupancy.live.end(), occupancy.live.begin());
    // From the highest on, each step is filled once: `next` leads over those that are.
    std::stable_sort(tops.begin(), tops.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::size_t> next(steps + 1);
    std::iota(next.begin(), next.end(), std::size_t(0));
    const auto firstOpen = [&next](std::size_t step) {
        while (next[step] != step)
            step = next[step] = next[next[step]];
        return step;
    };
    for (const auto& [top, range] : tops) {
        for (std::size_t step = firstOpen(static_cast<std::size_t>(range.begin)); step < static_cast<std::size_t>(range.end); step = firstOpen(step)) {
            occupancy.top[step] = top;
            next[step] = step + 1;
        }
    }
    return occupancy;
}

void addCounters(const PlanOutcome& outcome, int process, EventList& events)
{
    const Occupancy occupancy = occupancyOf(outcome, process);
    const auto steps = static_cast<Step>(occupancy.top.size());
    for (const auto& [name, values] : {std::pair("live bytes", &occupancy.live), std::pair("arena top", &occupancy.top)}) {
        Bytes last = -1;
        for (Step step = 0; step < steps; ++step) {
            const Bytes value = (*values)[static_cast<std::size_t>(step)];
            if (value != last)
                events.add({{"name", name}, {"ph", "C"}, {"ts", step}, {"pid", process}, {"tid", 0}, {"args", {{"bytes", value}}}});
            last = value;
        }
        events.add({{"name", name}, {"ph", "C"}, {"ts", steps}, {"pid", process}, {"tid", 0}, {"args", {{"bytes", 0}}}});
    }
}

void addBuffers(const PlanOutcome& outcome, EventList& events)
{
    const PlacementProblem& problem = outcome.study->problem;
    const std::vector<std::int64_t> rows = rowsOf(outcome);
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        const LiveRange live = problem.buffers[i].live;
        events.add({{"name", problem.buffers[i].name}, {"cat", "buffer"}, {"ph", "X"}, {"ts", live.begin}, {"dur", live.length()},
                    {"pid", processOf(outcome, id)}, {"tid", rows[i] + 1}, {"args", bufferArguments(outcome, id)}});
    }
}

std::int64_t barCount(const PlacementProblem& problem)
{
    std::int64_t count = 0;
    for (std::size_t i = 0; i < problem.buffers.size() && count <= kMostBars; ++i) {
        for (const BufferPiece& piece : bufferPieces(problem, BufferId::fromIndex(i)))
            count += piece.steps.length();
    }
    return count;
}

void addAddresses(const PlanOutcome& outcome, BufferId id, EventList& events)
{
    const Buffer& buffer = outcome.study->problem.buffer(id);
    for (const BufferPiece& piece : bufferPieces(outcome.study->problem, id)) {
        for (Step step = piece.steps.begin; step < piece.steps.end; ++step)
            events.add({{"name", buffer.name}, {"cat", "memory_allocation"}, {"ph", "X"}, {"ts", io::offsetOf(outcome, id) + piece.low},
                        {"dur", piece.high - piece.low}, {"pid", processOf(outcome, id)}, {"tid", step},
                        {"args", {{"buffer", id.value()}, {"bytes", piece.high - piece.low}}}});
    }
}

} // namespace

Result<std::string> planToTrace(const PlanOutcome& outcome)
{
    EventList events;
    addOperators(outcome, events);
    for (std::size_t i = 0; i < outcome.study->problem.regions.size(); ++i) {
        const RegionId region = RegionId::fromIndex(i);
        events.nameProcess(region.value() + 1, processName(outcome, region));
        addCounters(outcome, region.value() + 1, events);
    }
    addBuffers(outcome, events);
    return events.finish(outcome);
}

Result<std::string> planToAddressTrace(const PlanOutcome& outcome)
{
    const Study& study = *outcome.study;
    if (barCount(study.problem) > kMostBars)
        return Error{ErrorCode::TooLarge, {}, {"A trace with a bar for each buffer and step", std::to_string(kMostBars) + " bars"}};
    EventList events;
    for (std::size_t i = 0; i < study.problem.regions.size(); ++i) {
        const RegionId region = RegionId::fromIndex(i);
        events.nameProcess(region.value() + 1, processName(outcome, region));
        for (Step step = 0; step < study.schedule.stepCount(); ++step)
            events.nameThread(region.value() + 1, step, std::to_string(step) + " " + study.graph->op(study.schedule.order[static_cast<std::size_t>(step)]).name);
    }
    for (std::size_t i = 0; i < study.problem.buffers.size(); ++i)
        addAddresses(outcome, BufferId::fromIndex(i), events);
    return events.finish(outcome);
}

} // namespace arenascope
