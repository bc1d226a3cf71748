// SPDX-License-Identifier: MIT
// One function a command; each returns the program's exit code.
#pragma once

#include "app/cli_request.h"

namespace arenascope::cli {

int runPlan(const Request& request);
int runCompare(const Request& request);
int runInspect(const Request& request);
int runRun(const Request& request);
int runSolve(const Request& request);
int runCheck(const Request& request);
int runDiff(const Request& request);
int runStrategies(const Request& request);
int runFormats(const Request& request);

/// Of two exit codes the one that tells more: stopped, bad input, bad plan, good.
int worse(int a, int b);

} // namespace arenascope::cli
