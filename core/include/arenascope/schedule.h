// SPDX-License-Identifier: MIT
// Total orders of the operators.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/progress.h>
#include <arenascope/result.h>

#include <stop_token>

namespace arenascope {

enum class ScheduleKind {
    File,       ///< as written; where that is not topological, Kahn's algorithm with the smallest file index first
    DepthFirst, ///< each chain is finished before the next is begun
    MinPeak,    ///< order of the smallest peak of live bytes, proven where possible, never worse than File
};
std::string_view scheduleName(ScheduleKind kind); ///< "file", "depth-first", "min-peak"
std::optional<ScheduleKind> scheduleFromName(std::string_view name);

/// How much of a schedule's order a runtime keeps.
enum class Concurrency : std::uint8_t {
    Sequential, ///< operators run one after the other, as scheduled
    Parallel,   ///< in any order that the network allows, independent operators also at the same time
};
std::string_view concurrencyName(Concurrency concurrency); ///< "sequential", "parallel"
std::optional<Concurrency> concurrencyFromName(std::string_view name);

/// What counts as live bytes where MinPeak minimises them; the same choices as for placement (see problem.h).
struct PeakOptions {
    Bytes alignment = 1;         ///< sizes are rounded up to it
    bool inputsInArena = true;
    bool outputsInArena = true;
    bool countWorkspace = false;
    bool joinViews = false;      ///< views share their input's bytes
};

struct Schedule {
    ScheduleKind kind = ScheduleKind::File;
    std::vector<OpId> order;  ///< by step
    std::vector<Step> stepOf; ///< by OpId
    bool provenMinPeak = false; ///< MinPeak only: no topological order has a smaller peak
    Bytes peakBound = 0;        ///< MinPeak only: no order can be below this; 0: nothing is known
    Step stepCount() const { return static_cast<Step>(order.size()); }
};

/// File and DepthFirst: O((V + E) log V). MinPeak: exact where its search fits a fixed number of steps (a fraction of a
/// second), else the best found, never worse than File; unknown sizes count as nothing. Errors: Cancelled, and for MinPeak
/// SizeOverflow and BadOption (alignment).
Result<Schedule> makeSchedule(const Graph& graph, ScheduleKind kind, std::stop_token stop = {},
                              const ProgressFn& progress = {}, const PeakOptions& peak = {});
/// From a given order, for tests and imported plans. Fails with InvalidPlan if it is no topological order of all operators.
Result<Schedule> scheduleFromOrder(const Graph& graph, std::vector<OpId> order);
bool isTopological(const Graph& graph, const Schedule& schedule);

} // namespace arenascope
