// SPDX-License-Identifier: MIT
// Placement problems without a network, made into studies, so that everything that shows networks shows them, too.
//
//     step      0  1  2        each step is an operator of the kind "Step"; it writes the buffers that begin there and reads
//     a 64     [#  #]          those that end after it: step 0 writes a, step 1 reads a and writes b, step 2 reads b. So live
//     b 32        [#  #]       ranges come out as they were given.
#pragma once

#include <arenascope/study.h>

#include <memory>
#include <string_view>

namespace arenascope {

/// ModelInfo::format of such a network.
inline constexpr std::string_view kBareFormat = "Placement problem";
/// Of problems with more steps, those at which no buffer and no gap begins or ends are joined with the step before; operators
/// then carry the first step's number as it was given. A problem keeps at most this many, or twice as many as it has buffers
/// and gaps.
inline constexpr Step kMostBareSteps = Step(1) << 16;

/// The problem stays as it was given (gaps, alignments, fixed offsets), but for Buffer::tensors, joined steps, and names that
/// two buffers have: they get a number. The operators' order is fixed, and branch strategies refuse it.
/// Errors: SizeOverflow, BadOption (an alignment that is no power of two), InvalidPlan (a live range that is turned round).
Result<std::shared_ptr<const Study>> makeBareStudy(PlacementProblem problem);

/// Whether a problem came without a network: no reads are known that a replay could look at.
bool isBare(const PlacementProblem& problem);

/// A given plan of a given study, checked: by overlap, and by replay where there is a network.
std::shared_ptr<const PlanOutcome> provePlan(std::shared_ptr<const Study> study, Plan plan);

} // namespace arenascope
