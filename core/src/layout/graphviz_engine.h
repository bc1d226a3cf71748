// SPDX-License-Identifier: MIT
// Graphviz's dot, for one piece. Runs in the helper process only.
#pragma once

#include "core/src/layout/layered_piece.h"

namespace arenascope::layout {

/// Position of each element in its rank, for few crossings; empty if Graphviz could not. One at a time (cgraph is not
/// thread-safe): others wait. Time grows faster than linear; it cannot be stopped.
std::vector<std::int32_t> orderByGraphviz(const LayeredPiece& piece);

} // namespace arenascope::layout
