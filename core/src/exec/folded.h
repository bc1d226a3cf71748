// SPDX-License-Identifier: MIT
// Running the operators that were folded away while importing.
#pragma once

#include <arenascope/graph.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace arenascope::exec {

/// Content of the outputs by name. Fails with Refusal or Failure where an operator cannot run.
std::map<std::string, std::vector<std::byte>> runConstantNetwork(const Graph& network);

} // namespace arenascope::exec
