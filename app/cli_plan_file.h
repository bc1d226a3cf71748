// SPDX-License-Identifier: MIT
// From a plan file of any format to a checked plan.
#pragma once

#include "app/cli_request.h"

#include <arenascope/study.h>

#include <memory>
#include <string>

namespace arenascope::cli {

struct PlanFile {
    std::shared_ptr<const PlanOutcome> outcome;
    Diagnostics diagnostics;
    std::string format;   ///< id of the plan's format
    bool hasModel = true; ///< false: it was checked for overlaps alone
};

/// Whether some importer of plans takes it for one of its own.
bool isPlanFile(const std::string& path);
/// A plan laid over its model: the one that Request::model names, or else, for Arenascope's own, where the plan says, seen from its
/// folder and from here, or beside it. Of a .tflite file it is the plan that it brings along.
Result<PlanFile> loadPlanFile(const std::string& path, const Request& request);

} // namespace arenascope::cli
