// SPDX-License-Identifier: MIT
// Operators whose output has the shape of an input, or of all inputs broadcast to each other.
#include "core/src/import/onnx/shape_rules.h"

namespace arenascope::onnx_import {

bool sameAsFirstInput(NodeContext& c)
{
    c.copyInput(0, 0);
    return true;
}

namespace {

using enum ElementType;

bool booleanLikeFirst(NodeContext& c)
{
    c.setType(0, Bool);
    c.copyDims(0, 0);
    return true;
}

/// Shape of all inputs from `first` on, broadcast; unknown where the rank of one is.
void broadcastInputs(NodeContext& c, std::size_t first)
{
    Dims dims;
    for (std::size_t i = first; i < c.inputCount(); ++i) {
        if (!c.hasShape(i))
            return;
        dims = broadcastDims(dims, c.dims(i));
    }
    c.setDims(0, std::move(dims));
}

/// Before opset 7 the second operand was stretched to the first one on request (attributes broadcast and axis).
void broadcastByOpset(NodeContext& c)
{
    if (c.opset() < 7)
        c.copyDims(0, 0);
    else
        broadcastInputs(c, 0);
}

bool binary(NodeContext& c)
{
    c.setType(0, c.type(0) != Undefined ? c.type(0) : c.type(1));
    broadcastByOpset(c);
    return true;
}

/// The exponent's type may differ: the base gives the result's.
bool power(NodeContext& c)
{
    c.setType(0, c.type(0));
    broadcastByOpset(c);
    return true;
}

bool comparison(NodeContext& c)
{
    c.setType(0, Bool);
    broadcastByOpset(c);
    return true;
}

bool variadic(NodeContext& c)
{
    for (std::size_t i = 0; i < c.inputCount() && c.output(0) && c.output(0)->type == Undefined; ++i)
        c.setType(0, c.type(i));
    if (c.opset() >= 8) {
        broadcastInputs(c, 0);
        return true;
    }
    // Before opset 8 all operands had one shape: what is known of any of them will do.
    std::optional<Dims> shared;
    for (std::size_t i = 0; i < c.inputCount(); ++i) {
        if (!c.hasShape(i))
            continue;
        if (!shared)
            shared = c.dims(i);
        if (shared->size() != c.rank(i))
            failInference("operands with different numbers of dimensions");
        for (std::size_t d = 0; d < shared->size(); ++d)
            (*shared)[d] = mergeExtents((*shared)[d], c.dims(i)[d]);
    }
    if (shared)
        c.setDims(0, std::move(*shared));
    return true;
}

bool where(NodeContext& c)
{
    c.setType(0, c.type(1) != Undefined ? c.type(1) : c.type(2));
    broadcastInputs(c, 0);
    return true;
}

bool cast(NodeContext& c)
{
    c.copyDims(0, 0);
    // Before opset 6 the type was written out.
    const std::string_view name = c.stringAttribute("to", "");
    if (name.empty()) {
        c.setType(0, elementTypeFromOnnx(static_cast<int>(c.intAttribute("to", 0))));
        return true;
    }
    onnx::TensorProto::DataType type = onnx::TensorProto::UNDEFINED;
    if (onnx::TensorProto::DataType_Parse(std::string(name), &type))
        c.setType(0, elementTypeFromOnnx(type));
    return true;
}

bool bitCast(NodeContext& c)
{
    c.copyDims(0, 0);
    c.setType(0, elementTypeFromOnnx(static_cast<int>(c.intAttribute("to", 0))));
    return true;
}

bool castLike(NodeContext& c)
{
    c.copyDims(0, 0);
    c.setType(0, c.type(1));
    return true;
}

bool dropout(NodeContext& c)
{
    c.copyInput(0, 0);
    c.copyDims(0, 1);
    // The mask had the data's type before opset 10.
    c.setType(1, c.opset() < 10 ? c.type(0) : Bool);
    return true;
}

bool identity(NodeContext& c)
{
    if (!c.hasInput(0))
        return true;
    ValueInfo value = *c.input(0);
    value.isConstant = false;
    c.setOutput(0, std::move(value));
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    { "Abs", sameAsFirstInput },
    { "Acos", sameAsFirstInput },
    { "Acosh", sameAsFirstInput },
    { "Affine", sameAsFirstInput }, // experimental, before opset 8
    { "Asin", sameAsFirstInput },
    { "Asinh", sameAsFirstInput },
    { "Atan", sameAsFirstInput },
    { "Atanh", sameAsFirstInput },
    { "BitwiseNot", sameAsFirstInput },
    { "Ceil", sameAsFirstInput },
    { "Celu", sameAsFirstInput },
    { "Clip", sameAsFirstInput },
    { "Cos", sameAsFirstInput },
    { "Cosh", sameAsFirstInput },
    { "CumSum", sameAsFirstInput },
    { "CumProd", sameAsFirstInput },
    { "Elu", sameAsFirstInput },
    { "Erf", sameAsFirstInput },
    { "Exp", sameAsFirstInput },
    { "Floor", sameAsFirstInput },
    { "Gelu", sameAsFirstInput },
    { "HardSigmoid", sameAsFirstInput },
    { "HardSwish", sameAsFirstInput },
    { "Hardmax", sameAsFirstInput },
    { "ImageScaler", sameAsFirstInput }, // experimental, before opset 8
    { "LeakyRelu", sameAsFirstInput },
    { "Log", sameAsFirstInput },
    { "LogSoftmax", sameAsFirstInput },
    { "Mish", sameAsFirstInput },
    { "Neg", sameAsFirstInput },
    { "PRelu", sameAsFirstInput },
    { "ParametricSoftplus", sameAsFirstInput }, // experimental, before opset 8
    { "Reciprocal", sameAsFirstInput },
    { "Relu", sameAsFirstInput },
    { "Round", sameAsFirstInput },
    { "Scale", sameAsFirstInput }, // experimental, before opset 8
    { "ScaledTanh", sameAsFirstInput }, // experimental, before opset 8
    { "Selu", sameAsFirstInput },
    { "Shrink", sameAsFirstInput },
    { "Sigmoid", sameAsFirstInput },
    { "Sign", sameAsFirstInput },
    { "Sin", sameAsFirstInput },
    { "Sinh", sameAsFirstInput },
    { "Softmax", sameAsFirstInput },
    { "Softplus", sameAsFirstInput },
    { "Softsign", sameAsFirstInput },
    { "Sqrt", sameAsFirstInput },
    { "Swish", sameAsFirstInput },
    { "Tan", sameAsFirstInput },
    { "Tanh", sameAsFirstInput },
    { "ThresholdedRelu", sameAsFirstInput },
    { "Trilu", sameAsFirstInput },
    { "IsInf", booleanLikeFirst },
    { "IsNaN", booleanLikeFirst },
    { "Not", booleanLikeFirst },
    { "Add", binary },
    { "Sub", binary },
    { "Mul", binary },
    { "Div", binary },
    { "Mod", binary },
    { "BitShift", binary },
    { "BitwiseAnd", binary },
    { "BitwiseOr", binary },
    { "BitwiseXor", binary },
    { "Pow", power },
    { "And", comparison },
    { "Or", comparison },
    { "Xor", comparison },
    { "Equal", comparison },
    { "Greater", comparison },
    { "GreaterOrEqual", comparison },
    { "Less", comparison },
    { "LessOrEqual", comparison },
    { "Max", variadic },
    { "Min", variadic },
    { "Sum", variadic },
    { "Mean", variadic },
    { "Where", where },
    { "Cast", cast },
    { "BitCast", bitCast },
    { "CastLike", castLike },
    { "Dropout", dropout },
    { "Identity", identity },
};

} // namespace

std::span<const ShapeRuleEntry> elementwiseRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
