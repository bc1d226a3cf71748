// SPDX-License-Identifier: MIT
// Model-local functions, replaced by their operators.
#pragma once

#include "core/src/import/onnx/inference.h"

#include <memory>
#include <unordered_map>

namespace arenascope::onnx_import {

/// Opset versions by node, for nodes whose function imports other versions than the model.
using NodeOpsets = std::unordered_map<const onnx::NodeProto*, std::shared_ptr<const Opsets>>;

/// Versions by domain, "ai.onnx" being "". Of a domain that is named twice the higher version counts.
Opsets readOpsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports);

/// Replaces every call of a function of the model, in bodies too, by the function's operators. Values inside get the
/// call's name as a prefix. Errors: FileCorrupt (a function that calls itself), TooLarge (more than a million operators).
Result<NodeOpsets> inlineFunctions(onnx::ModelProto& model, const Opsets& opsets);

} // namespace arenascope::onnx_import
