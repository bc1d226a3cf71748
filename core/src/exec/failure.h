// SPDX-License-Identifier: MIT
// How the executor's parts report failures among themselves; none of it crosses a public header.
#pragma once

#include <arenascope/result.h>

#include <stdexcept>
#include <string>

namespace arenascope::exec {

/// The operator cannot be run as it is in this network.
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Anything else, ready to be handed out.
struct Failure : std::runtime_error {
    explicit Failure(Error what) : std::runtime_error(describe(what)), error(std::move(what)) {}
    Error error;
};

} // namespace arenascope::exec
