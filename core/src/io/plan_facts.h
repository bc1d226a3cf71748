// SPDX-License-Identifier: MIT
// What several formats say about a plan.
#pragma once

#include <arenascope/study.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::io {

/// A tensor and where it is. Of a tensor that nothing touches (PlacementProblem::idle) the buffer is invalid.
struct PlacedTensor {
    TensorId tensor;
    BufferId buffer;
    RegionId region{0};
    Offset offset = 0; ///< of its own first byte in the region
};

/// All that have bytes in the arena, in the order of the file where it has one, else as they were first named.
std::vector<PlacedTensor> placedTensors(const PlanOutcome& outcome);
/// Buffers in the order of their first tensor there; those without tensors come last.
std::vector<BufferId> buffersInFileOrder(const PlanOutcome& outcome);

/// Lines of English: the model and its hash, the options, the strategy, arena, bound and what is proven. The same for the same
/// plan: no times, no paths.
std::vector<std::string> factLines(const PlanOutcome& outcome);

bool hasSeveralRegions(const PlanOutcome& outcome);
/// Bytes used of a region.
Bytes regionBytes(const PlanOutcome& outcome, RegionId region);
/// Of its first byte in its region; 0 where the plan has no placement for it.
Offset offsetOf(const PlanOutcome& outcome, BufferId buffer);
RegionId regionOf(const PlanOutcome& outcome, BufferId buffer);
Error severalMemories(std::string_view format);
/// What a program on a device must not be given; nothing for a valid plan.
std::optional<Error> invalidPlan(const PlanOutcome& outcome);

/// Makes names fit for C, all different: letters, digits and single underscores, none of them at an end.
class CNames {
public:
    std::string unique(std::string_view name);

private:
    std::set<std::string> m_taken;
    std::map<std::string, int> m_last; ///< number given to a name
};

/// Text that ends no comment of C, begins none, holds no trigraph, no control character and no line break.
std::string commentText(std::string_view text);

} // namespace arenascope::io
