// SPDX-License-Identifier: MIT
#include "ui/alternatives.h"

#include <algorithm>

namespace arenascope::ui {

namespace {

std::vector<Alternative> changesOf(const StudyOptions& present)
{
    std::vector<Alternative> changes;
    const auto add = [&](Alternative::Change change, auto apply) {
        Alternative alternative { change, present, std::nullopt };
        apply(alternative.options);
        changes.push_back(std::move(alternative));
    };
    if (present.alias == AliasMode::None || present.alias == AliasMode::Views)
        add(Alternative::Change::AliasInPlace, [](StudyOptions& options) { options.alias = AliasMode::InPlace; });
    if (present.alias != AliasMode::All)
        add(Alternative::Change::AliasAll, [](StudyOptions& options) { options.alias = AliasMode::All; });
    if (present.schedule != ScheduleKind::MinPeak)
        add(Alternative::Change::OrderMinPeak, [](StudyOptions& options) { options.schedule = ScheduleKind::MinPeak; });
    return changes;
}

} // namespace

std::vector<Alternative> findAlternatives(const Study& present, std::stop_token stop)
{
    std::vector<Alternative> found;
    for (Alternative& alternative : changesOf(present.options)) {
        const auto study = makeStudy(present.graph, alternative.options, stop);
        if (stop.stop_requested())
            break;
        if (study)
            alternative.bound = (*study)->lowerBound();
        found.push_back(std::move(alternative));
    }
    return found;
}

Bytes provenBoundOf(const PlanOutcome& outcome)
{
    return std::max(outcome.plan.provenBound, outcome.study->lowerBound());
}

bool isProvenSmallest(const PlanOutcome& outcome)
{
    return outcome.plan.completion == Completion::Optimal || outcome.plan.arenaSize == provenBoundOf(outcome);
}

} // namespace arenascope::ui
