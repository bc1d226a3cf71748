// SPDX-License-Identifier: MIT
// Several networks that run one after the other in one arena.
#pragma once

#include <arenascope/report.h>
#include <arenascope/study.h>

#include <span>
#include <string>

namespace arenascope {

/// A tensor that must outlast the run of its network.
struct KeptTensor {
    std::size_t model = 0; ///< which of the networks, in the order in which they run
    TensorId tensor;
};

/// The bytes of kept tensors: a whole buffer, with all that shares it on purpose.
struct KeptBuffer {
    std::size_t model = 0;
    BufferId buffer;
    std::vector<TensorId> tensors; ///< those that were asked for
    Offset offset = 0;             ///< in the arena
    Bytes bytes = 0;               ///< rounded up to the alignment
};

/// One arena:
///
///     offset
///       |KKKKKKKKKKKKKKKKK|   kept: bytes of their own during the whole round, also before they are written, so that they
///       |                 |   are there for later networks, and for the same one in the next round
///       |......|bbbbb|....|   shared: as large as the largest network needs; each plan begins at 0 and uses all of it
///       |aaaaaa|bbbbb|cccc|
///        -> steps of the first network, the second, the third
struct JointPlan {
    std::vector<std::shared_ptr<const PlanOutcome>> models; ///< offsets are in the one arena; each is proven by itself, too
    std::vector<Bytes> modelBytes;                          ///< by model: what it needs of the shared part
    std::vector<KeptBuffer> kept;                           ///< by model, then by buffer, then by offset
    Bytes sharedBytes = 0;
    Bytes keptBytes = 0;
    Bytes arenaBytes = 0;           ///< shared and kept part, with what aligning the latter adds
    Bytes lowerBound = 0;           ///< no such arena is smaller: what the fullest network has alive at once, and all that is kept
    Completion completion = Completion::Heuristic;
    PlacementProblem problem;       ///< all buffers of all networks, whose steps follow each other; what is kept lives all the time
    Plan plan;                      ///< of `problem`
    Validation placement;           ///< validatePlan() of these
    bool isValid() const;
};

/// Plans each network by itself, without what is kept, and puts that above. Errors: those of planStudy(), BadOption (no
/// network, a kept tensor that does not exist), Unsupported (a kept tensor that takes no arena bytes, or
/// that another is written over in place; several memory regions), SizeOverflow. `where` names the network.
Result<JointPlan> planJointly(std::span<const std::shared_ptr<const Study>> studies, std::span<const KeptTensor> kept,
                              std::string_view strategy, const PlannerOptions& options = {}, std::stop_token stop = {},
                              const ProgressFn& progress = {});

/// A block of English.
std::string jointText(const JointPlan& joint, std::optional<Bytes> budget = {});
/// Object with arena_bytes, shared_bytes, kept_bytes, lower_bound_bytes, completion, valid, kept [{model, tensor, offset,
/// bytes, buffer_bytes}], budget, and models: for each what summaryJson() says, and shared_bytes. No newline at the end.
std::string jointJson(const JointPlan& joint, std::optional<Bytes> budget = {}, int indent = 2);

} // namespace arenascope
