// SPDX-License-Identifier: MIT
#include <arenascope/schedule.h>

#include "core/src/graph/boost_graph.h"
#include "core/src/graph/min_peak.h"

#include <functional>
#include <queue>

namespace arenascope {

namespace {

using detail::DependencyGraph;
using detail::Vertex;

Schedule fromVertices(ScheduleKind kind, const std::vector<Vertex>& order)
{
    Schedule schedule;
    schedule.kind = kind;
    schedule.order.reserve(order.size());
    schedule.stepOf.resize(order.size());
    for (const Vertex v : order) {
        schedule.stepOf[v] = static_cast<Step>(schedule.order.size());
        schedule.order.push_back(OpId::fromIndex(v));
    }
    return schedule;
}

// Kahn's algorithm, always the smallest index that is ready. For operators that are sorted already this is their order.
std::vector<Vertex> smallestFirst(const DependencyGraph& graph)
{
    std::vector<std::uint32_t> missing = detail::inDegrees(graph);
    std::priority_queue<Vertex, std::vector<Vertex>, std::greater<>> ready;
    for (Vertex v = 0; v < missing.size(); ++v) {
        if (missing[v] == 0)
            ready.push(v);
    }
    std::vector<Vertex> order;
    order.reserve(missing.size());
    while (!ready.empty()) {
        const Vertex v = ready.top();
        ready.pop();
        order.push_back(v);
        for (const Vertex reader : detail::targets(v, graph)) {
            if (--missing[reader] == 0)
                ready.push(reader);
        }
    }
    return order;
}

// What has become ready last runs first: a chain is followed until it waits for another one.
std::vector<Vertex> depthFirst(const DependencyGraph& graph)
{
    std::vector<std::uint32_t> missing = detail::inDegrees(graph);
    std::vector<Vertex> ready;
    for (Vertex v = static_cast<Vertex>(missing.size()); v-- > 0;) {
        if (missing[v] == 0)
            ready.push_back(v);
    }
    std::vector<Vertex> order;
    order.reserve(missing.size());
    std::vector<Vertex> freed;
    while (!ready.empty()) {
        const Vertex v = ready.back();
        ready.pop_back();
        order.push_back(v);
        freed.clear();
        for (const Vertex reader : detail::targets(v, graph)) {
            if (--missing[reader] == 0)
                freed.push_back(reader);
        }
        ready.insert(ready.end(), freed.rbegin(), freed.rend());
    }
    return order;
}

} // namespace

std::string_view scheduleName(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::File: return "file";
    case ScheduleKind::DepthFirst: return "depth-first";
    case ScheduleKind::MinPeak: return "min-peak";
    }
    return "unknown";
}

std::optional<ScheduleKind> scheduleFromName(std::string_view name)
{
    for (const ScheduleKind kind : {ScheduleKind::File, ScheduleKind::DepthFirst, ScheduleKind::MinPeak}) {
        if (scheduleName(kind) == name)
            return kind;
    }
    return std::nullopt;
}

std::string_view concurrencyName(Concurrency concurrency)
{
    return concurrency == Concurrency::Parallel ? "parallel" : "sequential";
}

std::optional<Concurrency> concurrencyFromName(std::string_view name)
{
    for (const Concurrency concurrency : {Concurrency::Sequential, Concurrency::Parallel}) {
        if (concurrencyName(concurrency) == name)
            return concurrency;
    }
    return std::nullopt;
}

Result<Schedule> makeSchedule(const Graph& graph, ScheduleKind kind, std::stop_token stop, const ProgressFn& progress,
                              const PeakOptions& peak)
{
    if (stop.stop_requested())
        return Error{ErrorCode::Cancelled, {}, {}};
    const DependencyGraph dependencies = detail::dependencyGraph(graph);
    if (kind == ScheduleKind::DepthFirst)
        return fromVertices(kind, depthFirst(dependencies));
    Schedule file = fromVertices(ScheduleKind::File, smallestFirst(dependencies));
    if (kind == ScheduleKind::File)
        return file;
    const Schedule other = fromVertices(ScheduleKind::DepthFirst, depthFirst(dependencies));
    return detail::minPeakSchedule(graph, file, other, peak, stop, progress);
}

Result<Schedule> scheduleFromOrder(const Graph& graph, std::vector<OpId> order)
{
    const std::size_t count = graph.operators().size();
    const auto fail = [](std::string why) { return Error{ErrorCode::InvalidPlan, {}, {std::move(why)}}; };
    if (order.size() != count)
        return fail("the order has " + std::to_string(order.size()) + " operators, the network " + std::to_string(count));
    Schedule schedule;
    schedule.stepOf.assign(count, -1);
    for (std::size_t step = 0; step < count; ++step) {
        const OpId id = order[step];
        if (!id.isValid() || id.index() >= count)
            return fail("the order names an operator that does not exist");
        if (schedule.stepOf[id.index()] >= 0)
            return fail("operator '" + graph.op(id).name + "' is in the order twice");
        schedule.stepOf[id.index()] = static_cast<Step>(step);
    }
    schedule.order = std::move(order);
    if (!isTopological(graph, schedule))
        return fail("the order runs an operator before one whose output it reads, or that it must run after");
    return schedule;
}

bool isTopological(const Graph& graph, const Schedule& schedule)
{
    const std::size_t count = graph.operators().size();
    if (schedule.order.size() != count || schedule.stepOf.size() != count)
        return false;
    for (std::size_t step = 0; step < count; ++step) {
        const OpId id = schedule.order[step];
        if (!id.isValid() || id.index() >= count || schedule.stepOf[id.index()] != static_cast<Step>(step))
            return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        for (const OpId before : graph.predecessors(OpId::fromIndex(i))) {
            if (schedule.stepOf[i] <= schedule.stepOf[before.index()])
                return false;
        }
    }
    return true;
}

} // namespace arenascope
