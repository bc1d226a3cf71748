// SPDX-License-Identifier: MIT
// Cut operators and the parts of the network between them.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/schedule.h>

namespace arenascope {

/// Operators between two cut operators (the entry cut belongs to it, the exit begins the next part).
struct GraphRegion {
    std::vector<OpId> operators; ///< in schedule order
    OpId entry;                  ///< the cut operator that it begins with; invalid for a first part without one
    bool isChain = false;        ///< every operator has at most one predecessor and one successor in it
};

struct CutAnalysis {
    std::vector<OpId> cutOperators; ///< operators on every path: comparable to every other operator, in order
    std::vector<GraphRegion> regions;
    std::vector<OpId> forks; ///< an output with several readers
    std::vector<OpId> joins; ///< several activation inputs from different operators
};

/// O((V + E) log V).
CutAnalysis findCuts(const Graph& graph, const Schedule& schedule);

} // namespace arenascope
