// SPDX-License-Identifier: MIT
// Shape and type rules of operators, by domain and kind. One family of operators a file.
#pragma once

#include "core/src/import/onnx/shape_context.h"

namespace arenascope::onnx_import {

struct ShapeRuleEntry {
    std::string_view kind;
    ShapeRule rule;
};

// ai.onnx
std::span<const ShapeRuleEntry> elementwiseRules();
std::span<const ShapeRuleEntry> creationRules();
std::span<const ShapeRuleEntry> movementRules();
std::span<const ShapeRuleEntry> indexingRules();
std::span<const ShapeRuleEntry> resizingRules();
std::span<const ShapeRuleEntry> spatialRules();
std::span<const ShapeRuleEntry> matrixRules();
std::span<const ShapeRuleEntry> normalizationRules();
std::span<const ShapeRuleEntry> reductionRules();
std::span<const ShapeRuleEntry> quantizationRules();
std::span<const ShapeRuleEntry> recurrentRules();
std::span<const ShapeRuleEntry> attentionRules();
std::span<const ShapeRuleEntry> controlRules();
std::span<const ShapeRuleEntry> sequenceRules();
std::span<const ShapeRuleEntry> textRules();
// com.microsoft
std::span<const ShapeRuleEntry> microsoftRules();
// ai.onnx.ml
std::span<const ShapeRuleEntry> machineLearningRules();

/// The rule for an operator of a domain ("" is ai.onnx); null where there is none.
ShapeRule findShapeRule(std::string_view domain, std::string_view kind);

/// Type and shape of the outputs by libonnx's newest schema of the operator that is not newer than the opset, or the oldest
/// newer one that can infer. False: libonnx does not know the operator. Fails where libonnx does.
bool inferBySchema(NodeContext& context, const std::string& domain);

// Rules that several families share.
bool sameAsFirstInput(NodeContext& c);
/// The extents that a shape operand gives, kUnknownDim where not known; nothing where not even their number is known.
std::optional<Dims> shapeOperand(NodeContext& c, std::size_t i);
/// Shape of the inputs first, first + step, ... put together along an axis.
void concatInputs(NodeContext& c, std::size_t first, std::int64_t axis, std::size_t step);
/// Matrix product with batch dimensions broadcast (numpy's matmul), also of inputs a and b where both ranks are known.
Dims matrixProduct(Dims left, Dims right);
std::optional<Dims> matrixProduct(NodeContext& c, std::size_t a, std::size_t b);
bool convRule(NodeContext& c);
/// N x channels x window positions for data of N x C x D1 x D2 ... (at least 2 dimensions); the window is in the node's
/// attributes, its extents may be those of the input `weights`.
Dims slideWindow(NodeContext& c, const Dims& in, std::int64_t channels, std::optional<std::size_t> weights);
/// Layer normalisation from the axis on: type and shape of the data, statistics with 1 in place of the extents that they
/// run over, for outputs [mean, mean + count).
void layerNormalization(NodeContext& c, std::int64_t axis, std::size_t mean, std::size_t count);
bool layerNormalizationRule(NodeContext& c);
/// A tensor's element type as an attribute names it (a number of TensorProto.DataType); the fallback where it is missing.
ElementType typeAttribute(NodeContext& c, std::string_view name, ElementType fallback);

} // namespace arenascope::onnx_import
