// SPDX-License-Identifier: MIT
// What the JSON reports share. nlohmann's headers stay within this folder.
#pragma once

#include <arenascope/report.h>

#include <nlohmann/json.hpp>

namespace arenascope::report {

/// Keys stay in the order in which they are added.
using Json = nlohmann::ordered_json;

/// UTF-8 whatever the names hold: bytes that are none become U+FFFD.
std::string dump(const Json& json, int indent);
/// The options that a plan was made with.
Json optionsJson(const StudyOptions& options);
Json peakJson(const Study& study);
Json diagnosticsJson(std::span<const Diagnostic> diagnostics);
/// Everything summaryJson() says.
Json summaryObject(const PlanOutcome& outcome, const ReportContext& context);

} // namespace arenascope::report
