// SPDX-License-Identifier: MIT
// The order of a segment's operators with the smallest peak, by search over what may have run (down-sets).
#pragma once

#include "core/src/graph/peak_model.h"

#include <optional>
#include <stop_token>

namespace arenascope::detail {

/// A total order of a segment and the largest live bytes of its steps.
struct SegmentOrder {
    std::vector<LocalOp> order;
    Bytes peak = 0;
};

/// Peak of a given order; `order` must be topological.
Bytes peakOf(const PeakSegment& segment, std::span<const LocalOp> order);

/// What all searches of one network may spend together: generated states, weighed by their size.
struct SearchBudget {
    std::int64_t work = 0;
    bool isSpent() const { return work <= 0; }
};

/// Looks for an order whose peak is at most `threshold`. As long as there is none, `threshold` grows to the smallest value
/// at which there might be one, so that it stays a lower bound of the peak of the whole network, provided it was one.
/// Nothing: budget spent or stop requested; `threshold` is a lower bound all the same.
///
/// A best-first search by smallest peak, states of equal peak by the number of operators run. With f(S) the live bytes
/// after S has run, which is submodular: as soon as a state S is found with f(S) at most that of the root, some best order
/// goes through S (any other order can be made to run S first: live bytes after it are never higher), so that the search
/// starts again there and forgets the rest.
std::optional<SegmentOrder> findBestOrder(const PeakSegment& segment, Bytes& threshold, SearchBudget& budget,
                                          const std::stop_token& stop);

/// A good order without proof: keeps the `width` best states of each size, where peaks up to `threshold` are all as good.
/// O(width * size * ready operators). Nothing: budget spent or stop requested.
std::optional<SegmentOrder> beamOrder(const PeakSegment& segment, Bytes threshold, std::size_t width, SearchBudget& budget,
                                      const std::stop_token& stop);

} // namespace arenascope::detail
