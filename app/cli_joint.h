// SPDX-License-Identifier: MIT
// `plan --one-arena`: several models, one arena.
#pragma once

#include "app/cli_request.h"

namespace arenascope::cli {

/// Returns the exit code; one model that cannot be planned ends it all.
int runJoint(const Request& request);

} // namespace arenascope::cli
