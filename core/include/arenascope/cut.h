// SPDX-License-Identifier: MIT
// Cut operators and the parts of the network between them.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/schedule.h>

namespace arenascope {

/// Operators between two cut operators: the entry cut belongs to it, the exit begins the next part. Cut operators that
/// follow each other directly form one region, a chain; the last of them goes with the part that it feeds.
struct GraphRegion {
    std::vector<OpId> operators; ///< in schedule order
    OpId entry;                  ///< the cut operator that it begins with; invalid for a first part without one
    bool isChain = false;        ///< every operator has at most one predecessor and one successor in it
};

struct CutAnalysis {
    /// Operators on every path from where the network begins to where it ends: no edge leads past them. In order.
    std::vector<OpId> cutOperators;
    /// Operators that come before or after every other one in any order (an edge may lead past them: the inside of a
    /// residual block). All cut operators are among them. In order.
    std::vector<OpId> comparable;
    std::vector<GraphRegion> regions; ///< every operator is in exactly one, in schedule order
    std::vector<OpId> forks;          ///< an output with several readers
    std::vector<OpId> joins;          ///< activation inputs from several operators
};

/// O((V + E) log V), the same for every schedule apart from the order inside regions. Edges of network inputs do not count.
CutAnalysis findCuts(const Graph& graph, const Schedule& schedule);

} // namespace arenascope
