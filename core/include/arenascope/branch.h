// SPDX-License-Identifier: MIT
// Branches (patent CN108304265B) and their two memories.
#pragma once

#include <arenascope/alias.h>
#include <arenascope/graph.h>
#include <arenascope/schedule.h>

namespace arenascope {

enum class JoinRule {
    Longest,       ///< the longest incoming chain (counted through earlier joins) goes on; tie: the one scheduled last
    LastScheduled, ///< the incoming chain that is scheduled last goes on
    None,          ///< a join begins a branch of its own
};
enum class BranchStyle {
    Chain, ///< safe: every unit but the last has exactly one consumer, the next unit
    Path,  ///< follows one consumer of a fork as well; unsafe, kept to show what replay catches
};
struct BranchOptions {
    JoinRule join = JoinRule::Longest;
    BranchStyle style = BranchStyle::Chain;
};

enum class PingPongSide : std::uint8_t { None, First, Second };

/// The patent's feature unit: an operator with all its outputs, or an alias group with the operators that write it.
struct BranchUnit {
    std::vector<OpId> operators;    ///< in schedule order
    std::vector<TensorId> tensors;  ///< everything it writes, in schedule order
    Bytes bytes = 0;                ///< claim 2: size of the output memory it needs, without rounding
    PingPongSide side = PingPongSide::None; ///< claim 1: which of the branch's memories it writes
};

/// Units of different layers, each one's output feeding the next.
struct Branch {
    BranchId id;
    std::vector<BranchUnit> units;
    Bytes firstMemory = 0;  ///< claim 3: largest unit
    Bytes secondMemory = 0; ///< claim 3: second largest unit; 0 for a branch of one unit
    std::int32_t designatedUnit = -1; ///< index of the unit that needs the whole first memory; -1 where sizes are equal
};

struct Branches {
    BranchOptions options;
    std::vector<Branch> branches;     ///< ordered by the step of their first operator
    std::vector<BranchId> branchOf;   ///< by OpId
    std::vector<std::int32_t> unitOf; ///< by OpId: index into its branch's units
};

/// Finds the branches from the connections of the operators: each operator is in exactly one.
/// Linear in operators and edges. Source: CN108304265B, claims 1 to 4; forks and joins as DESIGN.md says.
Branches findBranches(const Graph& graph, const Schedule& schedule, const AliasGroups& aliases,
                      const BranchOptions& options = {});

} // namespace arenascope
