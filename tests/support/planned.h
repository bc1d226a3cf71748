// SPDX-License-Identifier: MIT
// Small networks planned in one call; what cannot be planned ends the program.
#pragma once

#include "support/text_graph.h"

#include <arenascope/study.h>

#include <QtGlobal>

#include <memory>
#include <string_view>

namespace arenascope::test {

inline std::shared_ptr<const PlanOutcome> planned(std::shared_ptr<const Graph> graph, std::string_view strategy = kDefaultStrategy,
                                                  const StudyOptions& options = {})
{
    const auto study = makeStudy(std::move(graph), options);
    if (!study)
        qFatal("study: %s", describe(study.error()).c_str());
    const auto outcome = planStudy(*study, strategy);
    if (!outcome)
        qFatal("plan: %s", describe(outcome.error()).c_str());
    return *outcome;
}

/// Of a picture as textGraph() reads it.
inline std::shared_ptr<const PlanOutcome> planned(std::string_view picture, std::string_view strategy = kDefaultStrategy,
                                                  const StudyOptions& options = {})
{
    return planned(textGraph(picture), strategy, options);
}

} // namespace arenascope::test
