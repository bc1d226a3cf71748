// SPDX-License-Identifier: MIT
// What runtimes that take a network's file make of it.
#pragma once

#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope {

/// The alignment that the runtimes of a network's format use: 16 for TensorFlow Lite, else 64.
Bytes preferredAlignment(const Graph& graph);

/// Answers of TensorFlow Lite Micro for one network, all with the file's order, an alignment of 16 and inputs and outputs in the
/// arena. Scratch buffers of kernels and what is persistent (variables, the runtime's own tables) come on top of all of them.
struct TflmReport {
    Bytes todayBytes = 0;       ///< as that runtime plans the file: its own planner, and offsets that the file brings along
    bool hasFilePlan = false;   ///< the file brings offsets along
    Bytes idleBytes = 0;        ///< reserved for what nothing touches; within todayBytes, often at no cost
    std::optional<Bytes> offlineBytes; ///< with the best plan found that the file could bring along; nothing: see whyNotOffline
    std::string offlineStrategy; ///< that made it: "greedy-by-size"
    AliasMode offlineAlias = AliasMode::None; ///< the smallest mode that gives it; kernels must cope with what it shares
    Completion offlineCompletion = Completion::Heuristic;
    Bytes bound = 0;            ///< no plan under offlineAlias can be smaller
    std::optional<Error> whyNotOffline;
};

/// Nothing for networks of other formats. Errors: those of makeStudy() and planStudy(), Cancelled. About as long as four plans
/// by `auto`, with a small search; large networks (above 3,000 operators) are looked at without aliases.
Result<std::optional<TflmReport>> tflmReport(const std::shared_ptr<const Graph>& graph, std::stop_token stop = {});
/// "TensorFlow Lite Micro today needs 294,912 bytes (288 KiB), with an offline plan ..., bound ...", and a line about what is not in
/// it. Two lines, or three.
std::string tflmText(const TflmReport& report);

/// Id of the plan that a model file brings along, where strategies are named.
inline constexpr std::string_view kFilePlan = "file";

/// The offsets that the model file brings along; what it leaves open is placed as TensorFlow Lite Micro does. Overlaps among what
/// the file has placed are its own affair: no clashes, see fileOverlaps(). Errors: Unsupported (the file has no plan), and those
/// of planStudy().
Result<std::shared_ptr<const PlanOutcome>> filePlan(std::shared_ptr<const Study> study);

/// Pairs of buffers that are alive at once and share bytes because the model file has placed them so; empty unless the plan
/// keeps all of the file's offsets. By step, at most `limit`.
std::vector<Clash> fileOverlaps(const PlacementProblem& problem, const Plan& plan, std::size_t limit = 1000);

} // namespace arenascope
