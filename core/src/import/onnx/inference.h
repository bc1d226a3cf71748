// SPDX-License-Identifier: MIT
// Shapes, types and small constant values of ONNX operators' outputs, one operator at a time.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/result.h>

#include <onnx/onnx_pb.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace arenascope::onnx_import {

/// What is known of one value while importing.
struct ValueInfo {
    ElementType type = ElementType::Undefined;
    Shape shape;
    /// Its content, where it is a constant small enough to be kept (at most kMaxKeptElements); element type as `type`,
    /// raw little-endian bytes as in TensorProto.raw_data.
    std::shared_ptr<const std::vector<std::byte>> value;
    /// Elements of an integer vector or scalar of which at least some are known although it is no constant (Shape of a
    /// partly known tensor, one extent of it); kUnknownDim where not. Empty: not tracked.
    std::vector<std::int64_t> partialValue;
    /// All of it is known before the network runs (an initializer or made from such), kept or not.
    bool isConstant = false;
    /// Its shape may differ from run to run although one is given here: made by NonZero, NonMaxSuppression, Unique,
    /// Compress, If, Loop, Scan ..., by a shape operand that is no constant, or from such a value.
    bool isDynamic = false;
    /// Not a tensor ("sequence", "optional", "optional sequence", "sparse tensor", "map", "sequence of maps"); "" for
    /// tensors. `type` and `shape` are then those of the elements.
    std::string otherKind;
};

inline constexpr std::int64_t kMaxKeptElements = 65536;

/// Outputs of a node whose body is a graph (If, Loop, Scan): asked back from the importer, which knows the outer values.
/// `inputs` are the body's formal inputs, in order. Nothing comes back where the body cannot run with these shapes (one of
/// its operators does not fit its inputs): of an If, the other branch is the one that is taken then.
using SubgraphInference =
    std::function<std::vector<ValueInfo>(const onnx::GraphProto& body, std::span<const ValueInfo> inputs)>;

/// Opset version by domain ("" for ai.onnx).
using Opsets = std::map<std::string, std::int64_t>;

struct InferenceOutcome {
    std::vector<ValueInfo> outputs; ///< one an output of the node, in order; unknown where nothing could be found out
    bool operatorKnown = true;      ///< false: neither libonnx nor we know the operator
    std::string problem;            ///< "" or why inference failed (mismatching inputs ...)
};

/// Never throws, never allocates more than kMaxKeptElements per value. `inputs[i]` is null where an optional input is
/// left out. Outputs are constant where all inputs are and the operator is no random generator, and where it is Shape or
/// Size of a tensor whose shape is known and not dynamic; they get values where those are small and can be evaluated.
/// Our own rules come first: they know every opset, partly known shapes and values, and are safe with absurd attributes;
/// libonnx's schemas do the operators that we have no rule for. Outputs of If, Loop and Scan are never constant.
InferenceOutcome inferNode(const onnx::NodeProto& node, std::span<const ValueInfo* const> inputs, const Opsets& opsets,
                           const SubgraphInference& subgraph);

/// onnx::TensorProto::DataType <-> ElementType; Undefined / 0 where there is none.
ElementType elementTypeFromOnnx(int dataType);
int onnxFromElementType(ElementType type);

/// Content of a TensorProto of at most kMaxKeptElements as raw little-endian bytes (from raw_data or the typed fields);
/// null where larger, external or malformed.
std::shared_ptr<const std::vector<std::byte>> tensorBytes(const onnx::TensorProto& tensor);
/// Integers of a kept value (int64, int32, ... and bool); nothing for other types.
std::optional<std::vector<std::int64_t>> integers(const ValueInfo& value);

} // namespace arenascope::onnx_import
