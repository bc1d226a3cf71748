// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/plan.h>

#include <vector>

namespace arenascope::check {

/// By buffer: whether it lies where the model file's own plan has it. None does unless the plan keeps all of the file's
/// offsets: then it is the file's own plan, whose overlaps are its own affair. Any other plan has to be right by itself.
std::vector<bool> placedByFile(const PlacementProblem& problem, const Plan& plan);

} // namespace arenascope::check
