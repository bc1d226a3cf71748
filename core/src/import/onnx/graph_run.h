// SPDX-License-Identifier: MIT
// One walk over a graph's operators: shapes, what is constant, what operators with bodies need inside.
#pragma once

#include "core/src/import/onnx/dims.h"
#include "core/src/import/findings.h"
#include "core/src/import/onnx/inference.h"
#include "core/src/import/onnx/scope.h"

#include <arenascope/progress.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace arenascope::onnx_import {

/// What becomes of an operator (DESIGN.md, "What is folded away").
enum class Fate : std::uint8_t {
    Runs,
    ConstantInputs, ///< all that it reads is constant
    StaticShape,    ///< Shape or Size of a tensor whose whole shape is static
};

struct NodeState {
    Fate fate = Fate::Runs;
    bool isKnown = true; ///< the operator is one that inference knows
    Bytes workspace = 0; ///< largest peak of live bytes inside its bodies
};

/// A graph with everything that is known of its values, by slot and by node.
struct GraphRun {
    const Scope* scope = nullptr;
    std::vector<ValueInfo> values; ///< by slot
    std::vector<NodeState> nodes;

    const ValueInfo& value(std::int32_t slot) const { return values[static_cast<std::size_t>(slot)]; }
    ValueInfo& value(std::int32_t slot) { return values[static_cast<std::size_t>(slot)]; }
    /// Whether the value wants bytes while the network runs: made by an operator that runs, or a formal input.
    bool isActivation(std::int32_t slot) const;
};

/// Size of a value without rounding; nothing where it is unknown or does not fit. Non-tensors and strings take 0 bytes:
/// they have no fixed place in an arena.
std::optional<Bytes> byteSize(const ValueInfo& value);

/// Largest sum of live bytes over the steps of a body: its formal inputs from step 0 to their last read, its outputs to
/// the end, each nested body's own peak in its step. Values of unknown size count nothing.
Bytes livePeak(const GraphRun& run);

/// What all graphs of one model share.
struct RunContext {
    DimBinder& dims;
    Findings& findings;
    Opsets opsets;
    /// Versions for nodes that came out of functions with imports of their own; looked up only.
    std::unordered_map<const onnx::NodeProto*, std::shared_ptr<const Opsets>> nodeOpsets;
    std::stop_token stop;
    const ProgressFn& progress;
    std::int64_t bodyWork = 0; ///< operators and values of bodies walked so far, see kMaxBodyWork

    const Opsets& opsetsOf(const onnx::NodeProto& node) const;
};

/// Bodies within bodies are inferred each time the one around is: without a limit a small file could take for ever.
inline constexpr std::int64_t kMaxBodyWork = 2'000'000;

/// Infers the top-level graph. Errors: BadShape, SizeOverflow (inputs), Cancelled.
Result<GraphRun> runGraph(RunContext& context, const Scope& scope);

} // namespace arenascope::onnx_import
