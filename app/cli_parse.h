// SPDX-License-Identifier: MIT
#pragma once

#include "app/cli_request.h"

#include <variant>

namespace arenascope::cli {

/// What there is to do, or the exit code where all is said (help, version, a usage error).
std::variant<Request, int> parseCommandLine(int argc, const char* const* argv);

} // namespace arenascope::cli
