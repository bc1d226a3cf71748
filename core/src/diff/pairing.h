// SPDX-License-Identifier: MIT
// Which operator and tensor of one network are which of another.
#pragma once

#include <arenascope/graph.h>

#include <vector>

namespace arenascope::detail {

/// Ids of the other network by id of the first, invalid where there is no partner; each is given once.
struct Pairing {
    std::vector<OpId> ops;
    std::vector<TensorId> tensors;
};

/// See diffPlans().
Pairing pairNetworks(const Graph& before, const Graph& after);

} // namespace arenascope::detail
