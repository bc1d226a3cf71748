// SPDX-License-Identifier: MIT
#include <arenascope/runtime.h>

#include "core/src/report/text.h"

#include <arenascope/report.h>
#include <arenascope/tflite_export.h>

#include <fmt/format.h>

#include <algorithm>

namespace arenascope {

namespace {

constexpr std::string_view kFormat = "TensorFlow Lite";
constexpr Bytes kTfliteAlignment = 16;
constexpr Bytes kUsualAlignment = 64;
constexpr std::size_t kManyOperators = 3000; ///< above, looking at aliases would take longer than the answer is worth
constexpr std::int64_t kSearchNodes = 20'000; ///< the same answer on every machine, in a few milliseconds

Result<std::shared_ptr<const Study>> studyFor(const std::shared_ptr<const Graph>& graph, AliasMode alias, std::stop_token stop)
{
    StudyOptions options;
    options.alias = alias;
    options.problem.alignment = kTfliteAlignment;
    return makeStudy(graph, options, std::move(stop));
}

Bytes reservedSum(const PlacementProblem& problem, const std::vector<Buffer>& buffers)
{
    Bytes sum = 0;
    for (const Buffer& buffer : buffers)
        sum = checkedAdd(sum, checkedAlignUp(buffer.size, problem.alignment).value_or(0)).value_or(sum);
    return sum;
}

/// What the runtime needs with a plan in the file: idle tensors lie at 0, each by itself.
Bytes withIdle(const PlanOutcome& outcome)
{
    Bytes size = outcome.plan.arenaSize;
    for (const Buffer& buffer : outcome.study->problem.idle)
        size = std::max(size, checkedAlignUp(buffer.size, kTfliteAlignment).value_or(size));
    return size;
}

/// Takes the plan of one alias mode where it is smaller than all before it.
std::optional<Error> offer(const std::shared_ptr<const Graph>& graph, AliasMode alias, const std::stop_token& stop,
                           TflmReport& report)
{
    const auto study = studyFor(graph, alias, stop);
    if (!study)
        return study.error();
    PlannerOptions options;
    options.nodeBudget = kSearchNodes;
    const auto outcome = planStudy(*study, kDefaultStrategy, options, stop);
    if (!outcome)
        return outcome.error();
    if (const auto offsets = offlineOffsets(**outcome); !offsets) {
        report.whyNotOffline = offsets.error();
        return std::nullopt;
    }
    const Bytes bytes = withIdle(**outcome);
    if (report.offlineBytes && *report.offlineBytes <= bytes)
        return std::nullopt;
    report.offlineBytes = bytes;
    report.offlineStrategy = (*outcome)->plan.chosen;
    report.offlineAlias = alias;
    report.offlineCompletion = (*outcome)->plan.completion;
    report.bound = std::max((*study)->lowerBound(), bytes - (*outcome)->plan.arenaSize + (*study)->lowerBound());
    return std::nullopt;
}

} // namespace

Bytes preferredAlignment(const Graph& graph)
{
    return graph.info().format == kFormat ? kTfliteAlignment : kUsualAlignment;
}

Result<std::optional<TflmReport>> tflmReport(const std::shared_ptr<const Graph>& graph, std::stop_token stop)
{
    if (graph->info().format != kFormat)
        return std::optional<TflmReport>();
    TflmReport report;
    const auto study = studyFor(graph, AliasMode::None, stop);
    if (!study)
        return study.error();
    const auto today = planStudy(*study, "tflm", {}, stop);
    if (!today)
        return today.error();
    report.todayBytes = (*today)->plan.arenaSize;
    report.idleBytes = reservedSum((*study)->problem, (*study)->problem.idle);
    report.hasFilePlan = std::ranges::any_of(graph->tensors(), [](const Tensor& t) { return t.plannedOffset.has_value(); });
    report.bound = (*study)->lowerBound();
    for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All}) {
        if (alias != AliasMode::None && graph->operators().size() > kManyOperators)
            break;
        if (auto error = offer(graph, alias, stop, report))
            return *std::move(error);
        if (report.whyNotOffline)
            break; // a property of the file, not of the mode
    }
    return std::optional(std::move(report));
}

std::string tflmText(const TflmReport& report)
{
    std::string text = fmt::format("TensorFlow Lite Micro today needs {}{}", report::bothSizes(report.todayBytes),
                                   report.hasFilePlan ? ", with the offsets that the file plans" : "");
    const bool isFilePlanBetter = report.hasFilePlan && report.offlineBytes && *report.offlineBytes >= report.todayBytes;
    if (isFilePlanBetter)
        text += "; of the plans tried without overlaps none is smaller.\n";
    else if (report.offlineBytes)
        text += fmt::format(", with an offline plan {}, bound {}. That plan: {}, alias {}, {}.\n",
                            report::bothSizes(*report.offlineBytes), report::bothSizes(report.bound), report.offlineStrategy,
                            aliasName(report.offlineAlias), completionName(report.offlineCompletion));
    else
        text += fmt::format(", bound {}.\n", report::bothSizes(report.bound));
    if (!report.offlineBytes && report.whyNotOffline)
        text += describe(*report.whyNotOffline) + "\n";
    return text + "Scratch buffers of kernels and persistent bytes come on top.\n";
}

} // namespace arenascope
