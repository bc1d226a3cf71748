// SPDX-License-Identifier: MIT
// What changed between two plans: of two versions of a network, or of one network planned in two ways.
#pragma once

#include <arenascope/study.h>

#include <memory>
#include <string>
#include <vector>

namespace arenascope {

/// Something that only one side has (the other id is invalid), or that both have in different forms.
template <class Id>
struct Difference {
    Id before;
    Id after;
    std::vector<std::string> what; ///< "shape 1x64x56x56 -> 1x32x56x56"; empty for what only one side has
};

struct PlanDiff {
    std::shared_ptr<const PlanOutcome> before;
    std::shared_ptr<const PlanOutcome> after;
    bool isSameNetwork = false; ///< all operators and tensors are equal: then what a plan decides is compared, too
    std::vector<OpId> opAfter;          ///< by OpId before: its partner, or invalid
    std::vector<TensorId> tensorAfter;  ///< by TensorId before: its partner, or invalid
    std::vector<Difference<OpId>> operators;   ///< removed and changed by OpId before, then added
    std::vector<Difference<TensorId>> tensors; ///< of the arena; by what they add or take, the largest first
    std::vector<TensorId> leftPeak;   ///< ids before: alive at the peak before, not at that after
    std::vector<TensorId> joinedPeak; ///< ids after

    bool isEmpty() const;
    Bytes arenaGrowth() const; ///< after - before
};

/// Operators are paired by name where kind and outputs agree, then in order by kind and outputs (tools that export networks
/// number them anew), then by name and kind, then in order by kind. Tensors follow the operators that write them; inputs and the
/// rest go by name. O(n log n), and for what no name pairs the product of both sides, at most a few million steps.
PlanDiff diffPlans(std::shared_ptr<const PlanOutcome> before, std::shared_ptr<const PlanOutcome> after);

/// A screen of English; of long lists the first, unless `isWhole`.
std::string diffText(const PlanDiff& diff, bool isWhole = false);
/// Object: before, after {model, strategy, arena_bytes, lower_bound_bytes, naive_bytes, operators, tensors, peak}, arena_growth_bytes,
/// same_network, equal, operators and tensors {added, removed, changed}, peak {left, joined}. No newline at the end.
std::string diffJson(const PlanDiff& diff, int indent = 2);

} // namespace arenascope
