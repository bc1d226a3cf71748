// SPDX-License-Identifier: MIT
// From a file name to a plan, as all commands do it.
#pragma once

#include "app/cli_request.h"

#include <arenascope/plan_io.h>
#include <arenascope/report.h>

namespace arenascope::cli {

struct LoadedStudy {
    std::shared_ptr<const Study> study;
    Diagnostics diagnostics;
};

struct PlannedModel {
    std::shared_ptr<const PlanOutcome> outcome;
    Diagnostics diagnostics;
    double seconds = 0.0; ///< import to proof
};

/// Reads the model and works out everything that a plan needs.
Result<LoadedStudy> loadStudy(const std::string& path, const Request& request);
Result<PlannedModel> planModel(const std::string& path, const Request& request);

/// A plan file, before its model is known.
Result<PlanDocument> readPlan(const std::string& path);
/// Lays a plan over its model, which is imported as it was for the plan.
Result<PlannedModel> attachToModel(const PlanDocument& document, const std::filesystem::path& model, const Request& request);

/// That a plan is not valid, and its first clashes, on standard error.
void tellClashes(const PlanOutcome& outcome, const std::string& path);
/// Notes and warnings about a model on standard error, a few of each.
void tellDiagnostics(const Diagnostics& diagnostics, const std::string& path, const Request& request);

/// Exit code of an error that ended the work on one file.
int exitCodeOf(const Error& error);

} // namespace arenascope::cli
