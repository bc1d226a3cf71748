// SPDX-License-Identifier: MIT
// Runs a network on the processor, each tensor in the very bytes that a plan gives it, and proves the plan by it: the
// results are compared bit for bit with those of a run in which every tensor has memory of its own.
#pragma once

#include <arenascope/plan.h>
#include <arenascope/progress.h>
#include <arenascope/result.h>
#include <arenascope/study.h>

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <vector>

namespace arenascope {

/// A tensor with its elements: little-endian, row-major, without gaps.
struct TensorContent {
    ElementType type = ElementType::Undefined;
    Shape shape;
    std::vector<std::byte> bytes;
};

/// Whether a network can run here, found out without reading weights.
struct RunSupport {
    std::int64_t operators = 0;
    std::int64_t runnable = 0;
    Diagnostics refusals; ///< CannotRun or UnknownShape, one an operator that cannot run, in file order
    bool isComplete() const { return runnable == operators; }
};
RunSupport runSupport(const Graph& graph);

/// What a network input holds where nobody gives it.
enum class InputFill {
    Random, ///< floats uniform in [-1, 1); integers within what the operators that read them as indices allow, else 0 or 1
    Zeros,
};
/// The same seed gives the same content on every machine. Errors: UnknownShape, WrongInput (strings and the like).
Result<TensorContent> makeInput(const Graph& graph, TensorId input, InputFill fill, std::uint64_t seed);

/// A tensor that an operator has just written; valid during the call only.
struct WrittenTensor {
    TensorId tensor;
    std::span<const std::byte> bytes;
};

/// Called after each operator of the first pass, from the thread that runs.
struct RunStep {
    Step step = 0;
    OpId op;
    bool isArena = false;                   ///< false: the pass in which every tensor has its own memory
    double seconds = 0.0;
    std::span<const WrittenTensor> written; ///< in the order of the operator's outputs
};
using RunStepFn = std::function<void(const RunStep&)>;

struct RunOptions {
    bool guard = false;            ///< hashes, poison and guard bands around every operator; times are then of no use
    bool compareUnplanned = true;  ///< with a plan: also run with every tensor in its own memory, and compare
    int repeat = 1;                ///< timed runs of each kind; times are medians
    int threads = 0;               ///< of the operators; 0: as many as the machine has cores
    RunStepFn beforeStep;          ///< before each operator of the first pass, nothing written yet; may be empty
    RunStepFn onStep;              ///< may be empty
};

/// One operator of a run. Bytes are those of the tensors that it reads (weights included) and writes.
struct OperatorRun {
    OpId op;
    Step step = 0;
    double secondsArena = 0.0;
    double secondsUnplanned = 0.0;
    Bytes bytesRead = 0;
    Bytes bytesWritten = 0;
    Bytes workspace = 0;      ///< memory beside tensors and weights while it runs, most at once
    std::string engine;       ///< what computes it: an OpenCV layer type, "loop" ...
};

/// The first tensor whose bytes differ between arena and unplanned run.
struct RunDifference {
    Step step = 0;
    OpId op;
    TensorId tensor;
};

enum class GuardKind {
    Overwritten,  ///< a tensor that is still needed has lost its bytes
    StrayWrite,   ///< bytes that belong to nobody at that step were written
    OutsideArena, ///< bytes below or above the arena were written
};
std::string_view guardName(GuardKind kind); ///< "overwritten", "stray-write", "outside-arena"

struct GuardViolation {
    GuardKind kind = GuardKind::Overwritten;
    Step step = 0;      ///< of the operator that wrote
    OpId op;            ///< that wrote
    TensorId tensor;    ///< Overwritten: whose bytes were lost
    TensorId by;        ///< the tensor that was written there; invalid where the operator wrote outside of its outputs
    RegionId region{0};
    Offset begin = 0;   ///< byte range concerned, in the region: where both tensors lie, or from first to last changed byte
    Offset end = 0;
};
/// One line of English: step, operator, both tensors, byte range.
std::string describe(const GuardViolation& violation, const Graph& graph);

struct RunReport {
    std::map<TensorId, TensorContent> outputs; ///< of the network, from the arena where there is a plan
    std::vector<OperatorRun> operators;        ///< by step
    std::int64_t operatorsRun = 0;             ///< fewer than `operators` where a guard stopped the run
    bool usedPlan = false;
    bool isCompared = false;
    bool bitIdentical = false;                 ///< compared, and every tensor that any operator wrote was equal
    std::optional<RunDifference> firstDifference;
    std::vector<GuardViolation> violations;    ///< the run ends at the step that has some
    double secondsLoading = 0.0;               ///< reading weights and making layers
    double secondsArena = 0.0;                 ///< median of the runs; operators only
    double secondsUnplanned = 0.0;
    Bytes arenaBytes = 0;                      ///< what the plan takes, all regions
    Bytes unplannedBytes = 0;                  ///< sum of all tensors that want bytes
    Bytes outsideBytes = 0;                    ///< network inputs and outputs that live outside the arena
    Bytes workspaceBytes = 0;                  ///< most that any one operator takes
    Bytes weightBytes = 0;                     ///< read
    Bytes peakRssLoaded = 0;                   ///< resident memory before the first operator; 0 where it cannot be measured
    Bytes peakRssArena = 0;                    ///< most resident memory of the process while it ran in the arena
    Bytes peakRssUnplanned = 0;
};

/// Runs the network of `study` in the order of its schedule, in the arena of `plan` or, without one, with every tensor in
/// memory of its own. Inputs that are left out are random (seed 1). A plan that moves tensors onto each other is not refused:
/// that is what comparing and guarding are for.
///
/// Errors: CannotRun (the first operator that cannot, see runSupport), UnknownShape, WrongInput, InvalidPlan (placements
/// missing, negative or not aligned for their elements; beyond the arena unless guarded), MissingData and those of
/// readTensorData(), RunFailed, OutOfMemory, Cancelled.
Result<RunReport> runNetwork(const Study& study, const Plan* plan, const std::map<TensorId, TensorContent>& inputs,
                             const RunOptions& options = {}, std::stop_token stop = {}, const ProgressFn& progress = {});

/// 8-bit RGB, rows from the top, without gaps.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb;
};

/// What a tensor holds: its last two dimensions as a small picture for each of the dimensions before (channels), in rows
/// side by side, from the smallest value (dark) to the largest (bright) of the tensor; values that are no number are magenta.
/// At most `maxSide` pixels wide and high, at least 1. Errors: Unsupported (strings, complex numbers, nothing in it),
/// WrongInput where there are too few bytes.
Result<Picture> tensorPicture(ElementType type, const Shape& shape, std::span<const std::byte> bytes, int maxSide);

} // namespace arenascope
