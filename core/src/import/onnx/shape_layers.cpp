// SPDX-License-Identifier: MIT
// Quantisation, recurrent layers and attention.
#include "core/src/import/onnx/shape_rules.h"

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

bool quantizeLinear(NodeContext& c)
{
    c.copyDims(0, 0);
    ElementType type = typeAttribute(c, "output_dtype", Undefined); // opset 21
    if (type == Undefined)
        type = c.hasInput(2) ? c.type(2) : UInt8;
    c.setType(0, type);
    return true;
}

bool dequantizeLinear(NodeContext& c)
{
    c.copyDims(0, 0);
    ElementType type = typeAttribute(c, "output_dtype", Undefined); // opset 23
    if (type == Undefined)
        type = c.opset() >= 19 && c.type(1) != Undefined ? c.type(1) : Float32;
    c.setType(0, type);
    return true;
}

bool dynamicQuantizeLinear(NodeContext& c)
{
    c.copyDims(0, 0);
    c.setType(0, UInt8);
    c.set(1, Float32, {});
    c.set(2, UInt8, {});
    return true;
}

constexpr ShapeRuleEntry kQuantizations[] = {
    {"QuantizeLinear", quantizeLinear},
    {"DequantizeLinear", dequantizeLinear},
    {"DynamicQuantizeLinear", dynamicQuantizeLinear},
};

/// LSTM, GRU, RNN. Data is steps x batch x features, or with layout 1 batch x steps x features.
bool recurrent(NodeContext& c)
{
    for (std::size_t o = 0; o < 3; ++o)
        c.setType(o, c.type(0));
    std::int64_t hidden = c.intAttribute("hidden_size", kUnknownDim);
    if (hidden < kUnknownDim)
        failInference("a negative hidden_size");
    if (!isKnown(hidden) && c.hasShape(2) && c.rank(2) == 3)
        hidden = c.dims(2)[2];
    const std::int64_t directions = c.stringAttribute("direction", "forward") == "bidirectional" ? 2 : 1;
    std::int64_t steps = kUnknownDim;
    std::int64_t batch = kUnknownDim;
    const bool batchFirst = c.intAttribute("layout", 0) != 0;
    if (c.hasShape(0)) {
        if (c.rank(0) != 3)
            failInference("a recurrent layer needs 3 dimensions");
        steps = c.dims(0)[batchFirst ? 1 : 0];
        batch = c.dims(0)[batchFirst ? 0 : 1];
    }
    c.setDims(0, batchFirst ? Dims{batch, steps, directions, hidden} : Dims{steps, directions, batch, hidden});
    for (std::size_t o = 1; o < 3; ++o)
        c.setDims(o, batchFirst ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden});
    return true;
}

constexpr ShapeRuleEntry kRecurrents[] = {
    {"LSTM", recurrent},
    {"GRU", recurrent},
    {"RNN", recurrent},
};

/// Batch, heads, length and width of one of attention's operands, from 4 dimensions or from 3 with the heads folded in.
struct Heads {
    std::int64_t batch = kUnknownDim, heads = kUnknownDim, length = kUnknownDim, width = kUnknownDim;
};

Heads headsOf(NodeContext& c, std::size_t i, std::string_view countAttribute)
{
    Heads result;
    if (!c.hasShape(i))
        return result;
    const Dims& dims = c.dims(i);
    if (dims.size() == 4)
        return {dims[0], dims[1], dims[2], dims[3]};
    const std::int64_t count = c.intAttribute(countAttribute, 0);
    if (dims.size() != 3 || count <= 0)
        failInference("attention needs 4 dimensions, or 3 and a number of heads");
    return {dims[0], count, dims[1], divideExtents(dims[2], count)};
}

/// Opset 23: Q, K, V, attn_mask, past_key, past_value -> Y, present_key, present_value, qk_matmul_output.
bool attention(NodeContext& c)
{
    for (std::size_t o = 0; o < 4; ++o)
        c.setType(o, c.type(o == 1 ? 1 : o == 2 ? 2 : 0));
    if (!c.hasShape(0))
        return true;
    const Heads q = headsOf(c, 0, "q_num_heads");
    const Heads k = headsOf(c, 1, "kv_num_heads");
    const Heads v = headsOf(c, 2, "kv_num_heads");
    std::int64_t past = 0;
    if (c.hasInput(4))
        past = c.hasShape(4) && c.rank(4) == 4 ? c.dims(4)[2] : kUnknownDim;
    const std::int64_t total = addExtents(past, k.length);
    if (c.rank(0) == 4)
        c.setDims(0, {q.batch, q.heads, q.length, v.width});
    else
        c.setDims(0, {q.batch, q.length, multiplyExtents(q.heads, v.width)});
    c.setDims(1, {k.batch, k.heads, total, k.width});
    c.setDims(2, {v.batch, v.heads, total, v.width});
    c.setDims(3, {q.batch, q.heads, q.length, total});
    return true;
}

constexpr ShapeRuleEntry kAttentions[] = {
    {"Attention", attention},
    {"RotaryEmbedding", sameAsFirstInput},
};

} // namespace

std::span<const ShapeRuleEntry> quantizationRules()
{
    return kQuantizations;
}

std::span<const ShapeRuleEntry> recurrentRules()
{
    return kRecurrents;
}

std::span<const ShapeRuleEntry> attentionRules()
{
    return kAttentions;
}

} // namespace arenascope::onnx_import
