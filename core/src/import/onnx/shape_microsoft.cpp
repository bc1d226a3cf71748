// SPDX-License-Identifier: MIT
// Domain com.microsoft: what ONNX Runtime's optimisers and quantiser put into files.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

/// Quantised operands are (tensor, scale, zero point) triples; the result's type is the zero point's.
void setQuantizedType(NodeContext& c, std::size_t zeroPoint)
{
    c.setType(0, c.type(zeroPoint) != Undefined ? c.type(zeroPoint) : c.type(0));
}

bool qLinearBinary(NodeContext& c)
{
    setQuantizedType(c, 7);
    if (c.hasShape(0) && c.hasShape(3))
        c.setDims(0, broadcastDims(c.dims(0), c.dims(3)));
    return true;
}

bool qLinearWhere(NodeContext& c)
{
    c.setType(0, c.type(1));
    if (c.hasShape(0) && c.hasShape(1) && c.hasShape(4))
        c.setDims(0, broadcastDims(c.dims(0), broadcastDims(c.dims(1), c.dims(4))));
    return true;
}

bool qLinearUnary(NodeContext& c)
{
    c.copyDims(0, 0);
    setQuantizedType(c, 4);
    return true;
}

/// Y_scale, Y_zero_point, then a triple a tensor.
bool qLinearConcat(NodeContext& c)
{
    c.setType(0, c.type(2));
    concatInputs(c, 2, c.intAttribute("axis", 0), 3);
    return true;
}

/// N x D1 ... x C as N x C x D1 ..., and back.
Dims channelsFirst(const Dims& dims)
{
    Dims result = dims;
    std::rotate(result.begin() + 1, result.end() - 1, result.end());
    return result;
}

Dims channelsLast(const Dims& dims)
{
    Dims result = dims;
    std::rotate(result.begin() + 1, result.begin() + 2, result.end());
    return result;
}

Dims pooled(NodeContext& c, bool last)
{
    if (c.rank(0) < 2)
        failInference("a pooling needs at least 2 dimensions");
    const Dims in = last ? channelsFirst(c.dims(0)) : c.dims(0);
    Dims out = slideWindow(c, in, in[1], std::nullopt);
    return last ? channelsLast(out) : out;
}

bool nhwcMaxPool(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (c.hasShape(0))
        c.setDims(0, pooled(c, true));
    return true;
}

bool maxpoolWithMask(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (c.hasShape(0))
        c.setDims(0, pooled(c, false));
    return true;
}

bool qLinearAveragePool(NodeContext& c)
{
    setQuantizedType(c, 4);
    if (c.hasShape(0))
        c.setDims(0, pooled(c, c.intAttribute("channels_last", 0) != 0));
    return true;
}

bool qLinearGlobalAveragePool(NodeContext& c)
{
    setQuantizedType(c, 4);
    if (!c.hasShape(0) || c.rank(0) < 2)
        return true;
    const bool last = c.intAttribute("channels_last", 0) != 0;
    Dims dims = last ? channelsFirst(c.dims(0)) : c.dims(0);
    std::fill(dims.begin() + 2, dims.end(), 1);
    c.setDims(0, last ? channelsLast(dims) : dims);
    return true;
}

bool qLinearReduceMean(NodeContext& c)
{
    setQuantizedType(c, 4);
    if (!c.hasShape(0))
        return true;
    const auto axes = c.intsAttribute("axes");
    const std::vector<bool> reduced = axes && !axes->empty() ? axisMask(*axes, c.rank(0))
                                                             : std::vector<bool>(c.rank(0), true);
    Dims dims;
    for (std::size_t d = 0; d < reduced.size(); ++d) {
        if (!reduced[d])
            dims.push_back(c.dims(0)[d]);
        else if (c.intAttribute("keepdims", 1) != 0)
            dims.push_back(1);
    }
    c.setDims(0, std::move(dims));
    return true;
}

void convolveLast(NodeContext& c, std::size_t weights)
{
    if (!c.hasShape(0) || c.rank(0) < 2)
        return;
    const std::int64_t channels = c.hasShape(weights) && c.rank(weights) > 0 ? c.dims(weights)[0] : kUnknownDim;
    c.setDims(0, channelsLast(slideWindow(c, channelsFirst(c.dims(0)), channels, weights)));
}

bool nhwcConv(NodeContext& c)
{
    c.setType(0, c.type(0));
    convolveLast(c, 1);
    return true;
}

bool qLinearConv(NodeContext& c)
{
    if (c.intAttribute("channels_last", 0) == 0) {
        if (c.hasShape(0) && c.rank(0) >= 2)
            c.setDims(0, slideWindow(c, c.dims(0), c.hasShape(3) && c.rank(3) > 0 ? c.dims(3)[0] : kUnknownDim, 3));
    } else {
        convolveLast(c, 3);
    }
    setQuantizedType(c, 7);
    return true;
}

/// Matrix product with either side's last two dimensions, or its batch dimension, moved first.
bool fusedMatMul(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || !c.hasShape(1))
        return true;
    const auto prepared = [&c](std::size_t i, std::string_view swap, std::string_view batch) {
        Dims dims = c.dims(i);
        if (c.intAttribute(batch, 0) != 0 && dims.size() > 2)
            std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
        if (c.intAttribute(swap, 0) != 0 && dims.size() > 1)
            std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
        return dims;
    };
    c.setDims(0, matrixProduct(prepared(0, "transA", "transBatchA"), prepared(1, "transB", "transBatchB")));
    return true;
}

bool fusedGemm(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || !c.hasShape(1) || c.rank(0) != 2 || c.rank(1) != 2)
        return true;
    c.setDims(0,
        { c.dims(0)[c.intAttribute("transA", 0) != 0 ? 1 : 0], c.dims(1)[c.intAttribute("transB", 0) != 0 ? 0 : 1] });
    return true;
}

/// A, a_scale, a_zero_point, B, b_scale, b_zero_point, C, y_scale, y_zero_point.
bool qGemm(NodeContext& c)
{
    c.setType(0, c.hasInput(8) ? c.type(8) : Float32);
    if (!c.hasShape(0) || !c.hasShape(3) || c.rank(0) != 2 || c.rank(3) != 2)
        return true;
    c.setDims(0,
        { c.dims(0)[c.intAttribute("transA", 0) != 0 ? 1 : 0], c.dims(3)[c.intAttribute("transB", 0) != 0 ? 0 : 1] });
    return true;
}

bool matMulToFloat(NodeContext& c)
{
    c.setType(0, Float32);
    if (auto dims = matrixProduct(c, 0, 1))
        c.setDims(0, std::move(*dims));
    return true;
}

bool matMulToInt32(NodeContext& c)
{
    c.setType(0, Int32);
    if (auto dims = matrixProduct(c, 0, 1))
        c.setDims(0, std::move(*dims));
    return true;
}

/// Weights are packed: their number of columns is an attribute.
bool matMulNBits(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || c.rank(0) == 0)
        return true;
    Dims dims = c.dims(0);
    dims.back() = std::max(c.intAttribute("N", kUnknownDim), kUnknownDim);
    c.setDims(0, std::move(dims));
    return true;
}

bool skipLayerNormalization(NodeContext& c)
{
    layerNormalization(c, -1, 1, 2);
    c.setType(3, c.type(0));
    c.copyDims(0, 3); // the sum before normalisation
    return true;
}

/// Ids are batch x length; the word embedding (input 2) is words x width.
bool embedLayerNormalization(NodeContext& c)
{
    const std::int64_t width = c.hasShape(2) && c.rank(2) == 2 ? c.dims(2)[1] : kUnknownDim;
    c.setType(0, c.type(2));
    c.setType(1, Int32);
    c.setType(2, c.type(2));
    if (!c.hasShape(0) || c.rank(0) != 2)
        return true;
    const Dims ids = c.dims(0);
    c.setDims(0, {ids[0], ids[1], width});
    c.setDims(1, {ids[0]});
    c.setDims(2, {ids[0], ids[1], width});
    return true;
}

/// Self-attention on batch x length x width with Q, K and V from one weight matrix (input 1), and optionally a cache.
bool selfAttention(NodeContext& c, std::size_t past)
{
    if (!c.hasShape(0) || c.rank(0) != 3)
        return true;
    const Dims in = c.dims(0);
    const std::int64_t heads = c.intAttribute("num_heads", 0);
    std::int64_t width = kUnknownDim;
    if (const auto widths = c.intsAttribute("qkv_hidden_sizes"); widths && widths->size() == 3)
        width = std::max((*widths)[2], kUnknownDim);
    else if (c.hasShape(1) && c.rank(1) == 2)
        width = divideExtents(c.dims(1)[1], 3);
    c.setDims(0, {in[0], in[1], width});
    std::int64_t before = 0;
    if (c.hasInput(past))
        before = c.hasShape(past) && c.rank(past) == 5 ? c.dims(past)[3] : kUnknownDim;
    const std::int64_t total = addExtents(before, in[1]);
    if (heads > 0 && c.outputCount() > 1)
        c.setDims(1, {2, in[0], heads, total, divideExtents(width, heads)});
    return true;
}

bool attention(NodeContext& c)
{
    c.setType(0, c.type(0));
    c.setType(1, c.type(0));
    return selfAttention(c, 4);
}

bool qAttention(NodeContext& c)
{
    c.setType(0, c.type(3)); // the input's scale is in the result's type
    c.setType(1, c.type(3));
    return selfAttention(c, 8);
}

/// Query, key, value as batch x length x width (or key and value by head); caches are batch x heads x length x width.
bool multiHeadAttention(NodeContext& c)
{
    for (std::size_t o = 0; o < 3; ++o)
        c.setType(o, c.type(0));
    if (!c.hasShape(0) || c.rank(0) != 3)
        return true; // packed
    const Dims query = c.dims(0);
    const std::int64_t heads = c.intAttribute("num_heads", 0);
    std::int64_t width = query[2];
    std::int64_t length = query[1];
    if (c.hasShape(2)) {
        width = c.rank(2) == 3 ? c.dims(2)[2]
            : c.rank(2) == 4   ? multiplyExtents(c.dims(2)[1], c.dims(2)[3])
                               : kUnknownDim;
        length = c.rank(2) == 3 ? c.dims(2)[1] : c.rank(2) == 4 ? c.dims(2)[2] : kUnknownDim;
    }
    c.setDims(0, {query[0], query[1], width});
    if (heads <= 0)
        return true;
    std::int64_t before = 0;
    if (c.hasInput(6))
        before = c.hasShape(6) && c.rank(6) == 4 ? c.dims(6)[2] : kUnknownDim;
    const std::int64_t total = addExtents(before, length);
    c.setDims(1, {query[0], heads, total, divideExtents(query[2], heads)});
    c.setDims(2, {query[0], heads, total, divideExtents(width, heads)});
    return true;
}

/// Fewer key heads than query heads; the cache is batch x key heads x its capacity x width.
bool groupQueryAttention(NodeContext& c)
{
    for (std::size_t o = 0; o < 3; ++o)
        c.setType(o, c.type(0));
    const std::int64_t heads = c.intAttribute("num_heads", 0);
    const std::int64_t keyHeads = c.intAttribute("kv_num_heads", 0);
    if (!c.hasShape(0) || c.rank(0) != 3 || heads <= 0 || keyHeads <= 0)
        return true;
    const Dims query = c.dims(0);
    const bool packed = !c.hasInput(1);
    // Packed queries carry keys and values behind them in the last dimension.
    const std::int64_t width = packed ? divideExtents(query[2], addExtents(heads, multiplyExtents(2, keyHeads)))
                                      : divideExtents(query[2], heads);
    c.setDims(0, {query[0], query[1], multiplyExtents(width, heads)});
    // With a past, the cache grows to the total length or keeps its capacity where its bytes are shared: not told.
    for (const std::size_t o : {std::size_t{1}, std::size_t{2}})
        c.setDims(o, {query[0], keyHeads, c.hasInput(o + 2) ? kUnknownDim : query[1], width});
    return true;
}

bool biasSplitGelu(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || c.rank(0) == 0)
        return true;
    Dims dims = c.dims(0);
    dims.back() = divideExtents(dims.back(), 2);
    c.setDims(0, std::move(dims));
    return true;
}

/// Distances of all rows of one matrix to all of another.
bool pairwiseDistance(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (c.hasShape(0) && c.hasShape(1) && c.rank(0) == 2 && c.rank(1) == 2)
        c.setDims(0, {c.dims(0)[0], c.dims(1)[0]});
    return true;
}

bool expandDims(NodeContext& c)
{
    c.setType(0, c.type(0));
    const auto axis = c.integerOf(1);
    if (!c.hasShape(0) || !axis)
        return true;
    Dims dims = c.dims(0);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(normalizedAxis(*axis, dims.size() + 1)), 1);
    c.setDims(0, std::move(dims));
    return true;
}

bool cropAndResize(NodeContext& c)
{
    c.setType(0, c.type(0));
    const auto size = shapeOperand(c, 3);
    if (!c.hasShape(0) || c.rank(0) != 4 || !size || size->size() != 2)
        return true;
    const std::int64_t regions = c.hasShape(1) && c.rank(1) == 2 ? c.dims(1)[0] : kUnknownDim;
    c.setDims(0, {regions, c.dims(0)[1], (*size)[0], (*size)[1]});
    return true;
}

bool quantize(NodeContext& c)
{
    c.copyDims(0, 0);
    c.setType(0, c.hasInput(2) ? c.type(2) : UInt8);
    return true;
}

bool dequantize(NodeContext& c)
{
    c.copyDims(0, 0);
    c.setType(0, c.type(1) != Undefined ? c.type(1) : Float32);
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    // activations and other element-wise kinds
    {"BiasAdd", sameAsFirstInput}, {"BiasDropout", sameAsFirstInput}, {"BiasGelu", sameAsFirstInput},
    {"BiasSoftmax", sameAsFirstInput}, {"ComplexMul", sameAsFirstInput}, {"ComplexMulConj", sameAsFirstInput},
    {"FastGelu", sameAsFirstInput}, {"Gelu", sameAsFirstInput}, {"GroupNorm", sameAsFirstInput},
    {"Inverse", sameAsFirstInput}, {"MoE", sameAsFirstInput}, {"NGramRepeatBlock", sameAsFirstInput},
    {"QMoE", sameAsFirstInput}, {"QuickGelu", sameAsFirstInput}, {"RotaryEmbedding", sameAsFirstInput},
    {"SkipGroupNorm", sameAsFirstInput}, {"Trilu", sameAsFirstInput}, {"BiasSplitGelu", biasSplitGelu},
    // normalisation
    {"LayerNormalization", layerNormalizationRule}, {"SimplifiedLayerNormalization", layerNormalizationRule},
    {"SkipLayerNormalization", skipLayerNormalization}, {"SkipSimplifiedLayerNormalization", skipLayerNormalization},
    {"EmbedLayerNormalization", embedLayerNormalization},
    // attention
    {"Attention", attention}, {"QAttention", qAttention}, {"MultiHeadAttention", multiHeadAttention},
    {"DecoderMaskedMultiHeadAttention", multiHeadAttention}, {"GroupQueryAttention", groupQueryAttention},
    // products
    {"FusedMatMul", fusedMatMul}, {"TransposeMatMul", fusedMatMul}, {"FusedGemm", fusedGemm}, {"QGemm", qGemm},
    {"DynamicQuantizeMatMul", matMulToFloat}, {"MatMulIntegerToFloat", matMulToFloat},
    {"MatMulInteger16", matMulToInt32}, {"MatMulNBits", matMulNBits}, {"MatMulBnb4", matMulNBits},
    {"MatMulFpQ4", matMulNBits}, {"CDist", pairwiseDistance},
    // convolution and pooling
    {"FusedConv", convRule}, {"NhwcConv", nhwcConv}, {"NhwcFusedConv", nhwcConv}, {"QLinearConv", qLinearConv},
    {"NhwcMaxPool", nhwcMaxPool}, {"MaxpoolWithMask", maxpoolWithMask}, {"CropAndResize", cropAndResize},
    // quantised
    {"QLinearAdd", qLinearBinary}, {"QLinearMul", qLinearBinary}, {"QLinearWhere", qLinearWhere},
    {"QLinearConcat", qLinearConcat}, {"QLinearLeakyRelu", qLinearUnary}, {"QLinearSigmoid", qLinearUnary},
    {"QLinearSoftmax", qLinearUnary}, {"QLinearAveragePool", qLinearAveragePool},
    {"QLinearGlobalAveragePool", qLinearGlobalAveragePool}, {"QLinearReduceMean", qLinearReduceMean},
    {"QuantizeLinear", quantize}, {"DequantizeLinear", dequantize},
    // shapes
    {"ExpandDims", expandDims},
};

} // namespace

std::span<const ShapeRuleEntry> microsoftRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
