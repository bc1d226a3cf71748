// SPDX-License-Identifier: MIT
// The two memories of one branch, by the letter of the patent.
#pragma once

#include <arenascope/branch.h>

#include <span>
#include <vector>

namespace arenascope::detail {

struct PingPong {
    Bytes first = 0;
    Bytes second = 0;
    std::int32_t designated = -1;
    std::vector<PingPongSide> sides; ///< by unit
};

/// Memories and sides for units of these sizes, in the branch's order. Source: CN108304265B, claims 1, 3 and 4.
PingPong pingPong(std::span<const Bytes> sizes);

} // namespace arenascope::detail
