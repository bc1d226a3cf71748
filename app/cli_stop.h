// SPDX-License-Identifier: MIT
// Ctrl+C: the first stops searches, which keep their best plan; the second ends the program.
#pragma once

#include <stop_token>

namespace arenascope::cli {

/// Call once, early. Ignores SIGPIPE as well: writing to a closed pipe is an error code, not a death.
void watchSignals();
/// Requested after SIGINT or SIGTERM.
std::stop_token stopToken();

} // namespace arenascope::cli
