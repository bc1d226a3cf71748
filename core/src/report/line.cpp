// SPDX-License-Identifier: MIT
// One line a model.
#include "core/src/report/text.h"

#include <arenascope/regions.h>

#include <fmt/format.h>

namespace arenascope {

using namespace report;

// Fixed widths, because lines are printed as models are finished; a longer cell moves the rest of its own line only.
std::string summaryHeader()
{
    return fmt::format("{:>10}  {:>10}  {:>8}  {:>10}  {:>7}  {:>5}  {:<7}  {:<18}  {}", "arena", "bound", "gap", "naive",
                       "of it", "ops", "proof", "strategy", "model");
}

std::string summaryLine(const PlanOutcome& outcome, const ReportContext& context)
{
    const Study& study = *outcome.study;
    const double ofNaive = study.naive > 0 ? static_cast<double>(outcome.plan.arenaSize) / static_cast<double>(study.naive)
                                           : 0.0;
    const ModelInfo& info = study.graph->info();
    std::string line = fmt::format(
        "{:>10}  {:>10}  {:>8}  {:>10}  {:>7}  {:>5}  {:<7}  {:<18}  {}", formatBytes(outcome.plan.arenaSize),
        formatBytes(study.lowerBound()), formatPercent(outcome.optimalityGap()), formatBytes(study.naive),
        formatPercent(ofNaive), study.graph->operators().size(), outcome.isValid() ? "valid" : "INVALID",
        chosenStrategy(outcome.plan), printable(info.path.empty() ? info.name : info.path));
    if (const Bytes bytes = firstMemoryBytes(outcome.plan); context.budget && bytes > *context.budget)
        line += fmt::format("  (over the budget by {} bytes)", formatExact(bytes - *context.budget));
    return line;
}

} // namespace arenascope
