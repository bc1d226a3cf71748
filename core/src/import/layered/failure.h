// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/result.h>

#include <utility>

namespace arenascope::layered {

/// What makes reading end, thrown by the importers of layered formats and caught where they begin (readLayered).
struct Failure {
    Error error;
};

[[noreturn]] inline void fail(ErrorCode code, std::string where, std::vector<std::string> args)
{
    throw Failure{{code, std::move(where), std::move(args)}};
}

} // namespace arenascope::layered
