// SPDX-License-Identifier: MIT
#include "core/src/import/ncnn/rules.h"

#include <algorithm>
#include <array>

namespace arenascope::ncnn {

namespace {

using layered::Dims;
using layered::isKnown;
using layered::unknownShape;

std::vector<Shape> kept(NcnnLayer& layer)
{
    return layer.all(layer.input(0));
}

/// Kept, with `perNumber` weights of as many numbers as parameter 0 says.
std::vector<Shape> withWeights(NcnnLayer& layer, std::initializer_list<const char*> names)
{
    const std::int64_t count = layer.number(0, 0, "the number of weights");
    for (const char* name : names) {
        if (count > 0)
            layer.weight(name, {count});
    }
    return kept(layer);
}

std::vector<Shape> batchNorm(NcnnLayer& layer)
{
    return withWeights(layer, {"slope", "mean", "variance", "bias"});
}

std::vector<Shape> scale(NcnnLayer& layer)
{
    if (layer.params.integer(0, 0) == -233) // the second blob holds the factors
        return kept(layer);
    if (layer.params.integer(1, 0) != 0)
        return withWeights(layer, {"scale", "bias"});
    return withWeights(layer, {"scale"});
}

std::vector<Shape> withOneWeight(NcnnLayer& layer)
{
    return withWeights(layer, {"weight"});
}

/// GroupNorm, InstanceNorm, LayerNorm: factors and biases where they are asked for.
std::vector<Shape> normalized(NcnnLayer& layer, int countId, int affineId)
{
    const std::int64_t count = layer.number(countId, 0, "the number of weights");
    if (layer.params.integer(affineId, 1) != 0 && count > 0) {
        layer.weight("gamma", {count});
        layer.weight("beta", {count});
    }
    return kept(layer);
}

std::vector<Shape> groupNorm(NcnnLayer& layer)
{
    return normalized(layer, 1, 3);
}

std::vector<Shape> instanceOrLayerNorm(NcnnLayer& layer)
{
    return normalized(layer, 0, 2);
}

std::vector<Shape> normalize(NcnnLayer& layer)
{
    const std::int64_t count = layer.number(3, 0, "scale_data_size");
    if (count > 0)
        layer.weight("scale", {count});
    return kept(layer);
}

std::vector<Shape> toInt8OrBack(NcnnLayer& layer)
{
    const std::int64_t count = layer.number(0, 1, "the number of factors");
    layer.weight("scale", {count});
    return kept(layer);
}

// ---- Two operands

std::int64_t broadcast(const NcnnLayer& layer, std::int64_t a, std::int64_t b)
{
    if (a == 1 || b == 1)
        return a == 1 ? b : a;
    return layered::agreed(layer, a, b);
}

/// The smaller operand lies along the outermost dimensions, or else along the innermost.
Shape joinedShape(const NcnnLayer& layer, const Shape& a, const Shape& b)
{
    if (!a.rankKnown || !b.rankKnown)
        return unknownShape();
    const Shape& large = a.dims.size() >= b.dims.size() ? a : b;
    const Shape& small = a.dims.size() >= b.dims.size() ? b : a;
    const std::size_t lost = large.dims.size() - small.dims.size();
    const auto fitsAt = [&](std::size_t offset) {
        for (std::size_t i = 0; i < small.dims.size(); ++i) {
            const std::int64_t x = large.dims[offset + i];
            const std::int64_t y = small.dims[i];
            if (isKnown(x) && isKnown(y) && x != y && x != 1 && y != 1)
                return false;
        }
        return true;
    };
    if (!fitsAt(0) && !fitsAt(lost))
        layer.mismatch("it joins " + toString(a) + " and " + toString(b));
    const std::size_t offset = fitsAt(0) ? 0 : lost;
    Shape out = large;
    for (std::size_t i = 0; i < small.dims.size(); ++i)
        out.dims[offset + i] = broadcast(layer, large.dims[offset + i], small.dims[i]);
    return out;
}

std::vector<Shape> binary(NcnnLayer& layer)
{
    if (layer.params.integer(1, 0) != 0) // with a number
        return kept(layer);
    return layer.all(joinedShape(layer, layer.input(0), layer.input(1)));
}

std::vector<Shape> eltwise(NcnnLayer& layer)
{
    Shape out = layer.input(0);
    for (const Shape& shape : layer.in) {
        if (shape.isStatic() && out.isStatic() && shape.dims != out.dims)
            layer.mismatch("it joins " + toString(out) + " and " + toString(shape));
        if (shape.isStatic())
            out = shape;
    }
    return layer.all(out);
}

// ---- Matrices

std::vector<Shape> innerProduct(NcnnLayer& layer)
{
    const std::int64_t count = layer.number(0, 0, "num_output", 1);
    const std::int64_t weights = layer.number(2, 0, "weight_data_size");
    if (weights % count != 0)
        layer.bad("weight_data_size " + std::to_string(weights) + " is no multiple of num_output " + std::to_string(count));
    const std::int64_t columns = weights / count;
    const bool isInt8 = layer.params.integer(8, 0) != 0;
    layer.weight("weight", {count, columns}, isInt8 ? ElementType::Int8 : ElementType::Float32);
    if (layer.number(1, 0, "bias_term", 0, 1) != 0)
        layer.weight("bias", {count});
    const Shape& in = layer.input(0);
    const std::int64_t total = in.rankKnown ? product(layer, in, 0, in.dims.size()) : kUnknownDim;
    // Rows of the right length are multiplied one by one.
    if (in.rankKnown && in.dims.size() == 2 && in.dims[1] == columns && in.dims[0] != 1)
        return layer.all(Shape::of({in.dims[0], count}));
    if (isKnown(total) && total != columns)
        layer.mismatch("its weights are for " + std::to_string(columns) + " numbers, and its input has " + std::to_string(total));
    return layer.all(Shape::of({count}));
}

std::vector<Shape> matMul(NcnnLayer& layer)
{
    const Shape& a = layer.input(0);
    const Shape& b = layer.input(1);
    if (!a.rankKnown || !b.rankKnown || a.dims.size() < 2 || b.dims.size() != a.dims.size())
        return layer.all(unknownShape());
    const std::size_t rank = a.dims.size();
    const bool isTransposed = layer.params.integer(0, 0) != 0;
    layered::agreed(layer, a.dims[rank - 1], b.dims[isTransposed ? rank - 1 : rank - 2]);
    Shape out = a;
    for (std::size_t i = 0; i + 2 < rank; ++i)
        out.dims[i] = broadcast(layer, a.dims[i], b.dims[i]);
    out.dims[rank - 1] = b.dims[isTransposed ? rank - 2 : rank - 1];
    return layer.all(out);
}

std::vector<Shape> embed(NcnnLayer& layer)
{
    const std::int64_t count = layer.number(0, 0, "num_output", 1);
    layer.weight("weight", {layer.number(1, 0, "input_dim"), count});
    if (layer.number(2, 0, "bias_term", 0, 1) != 0)
        layer.weight("bias", {count});
    const Shape& in = layer.input(0);
    return layer.all(Shape::of({in.rankKnown ? product(layer, in, 0, in.dims.size()) : kUnknownDim, count}));
}

/// LSTM, GRU and RNN over rows; what remains at the end is a second and a third output.
std::vector<Shape> recurrent(NcnnLayer& layer)
{
    const bool isLstm = layer.op.kind == "LSTM";
    const std::int64_t count = layer.number(0, 0, "num_output", 1);
    const std::int64_t directions = layer.number(2, 0, "direction", 0, 2) == 2 ? 2 : 1;
    const std::int64_t hidden = isLstm ? layer.number(3, count, "hidden_size", 1) : count;
    const std::int64_t gates = isLstm ? 4 : layer.op.kind == "GRU" ? 3 : 1;
    const std::int64_t biases = isLstm || layer.op.kind == "GRU" ? 4 : 1;
    layer.weight("weight_xc", {layer.number(1, 0, "weight_data_size")});
    layer.weight("bias_c", {directions, biases, hidden});
    layer.weight("weight_hc", {directions, gates, hidden, count});
    if (hidden != count)
        layer.weight("weight_hr", {directions, count, hidden});
    const Shape& in = layer.input(0);
    const std::int64_t steps = in.rankKnown && in.dims.size() == 2 ? in.dims[0] : kUnknownDim;
    std::vector<Shape> shapes = layer.all(Shape::of({directions, count}));
    shapes.front() = Shape::of({steps, count * directions});
    if (shapes.size() > 2)
        shapes[2] = Shape::of({directions, hidden});
    return shapes;
}

// ---- Detection

/// Boxes in front, their variances behind; MXNet's form, with one input, has no variances.
std::vector<Shape> priorBox(NcnnLayer& layer)
{
    const Picture in = pictureOf(layer);
    const auto small = static_cast<std::int64_t>(layer.params.count(0));
    const auto large = static_cast<std::int64_t>(layer.params.count(1));
    const auto ratios = static_cast<std::int64_t>(layer.params.count(2));
    const bool isMxnet = layer.in.size() == 1 && layer.params.integer(9, -233) == -233 && layer.params.integer(10, -233) == -233
        && large == 0;
    if (isMxnet)
        return layer.all(Shape::of({layered::product(layer, Dims{4, in.w, in.h, small - 1 + ratios})}));
    const std::int64_t flipped = layer.params.integer(7, 1) != 0 ? 2 : 1;
    const std::int64_t boxes = small * ratios * flipped + small + large;
    return layer.all(Shape::of({2, layered::product(layer, Dims{4, in.w, in.h, boxes})}));
}

/// One row a box that was found: class, score and four edges.
std::vector<Shape> detectionOutput(NcnnLayer& layer)
{
    const Shape shape = Shape::of({layer.number(3, 100, "keep_top_k", 1), 6});
    layer.bounded(0, shape, 0, "keep_top_k");
    return layer.all(shape);
}

std::vector<Shape> yoloDetectionOutput(NcnnLayer& layer)
{
    const std::int64_t boxes = layer.number(1, 5, "num_box", 1);
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < layer.in.size() && isKnown(rows); ++i) {
        const Picture in = pictureOf(layer, i);
        const std::int64_t here = layered::product(layer, Dims{boxes, in.h, in.w});
        const auto sum = checkedAdd(rows, here);
        rows = isKnown(here) && sum ? *sum : kUnknownDim;
    }
    const Shape shape = Shape::of({rows, 6});
    if (isKnown(rows))
        layer.bounded(0, shape, 0, "every box of every cell");
    return layer.all(shape);
}

std::vector<Shape> proposal(NcnnLayer& layer)
{
    const std::int64_t count = layer.number(3, 300, "after_nms_topN", 1);
    std::vector<Shape> shapes = layer.all(Shape::of({count, 1, 1}));
    shapes.front() = Shape::of({count, 1, 4});
    for (std::size_t i = 0; i < shapes.size(); ++i)
        layer.bounded(i, shapes[i], 0, "after_nms_topN");
    return shapes;
}

std::vector<Shape> pooledRegion(NcnnLayer& layer)
{
    const std::int64_t width = layer.number(0, 0, "pooled_width", 1);
    const std::int64_t height = layer.number(1, width, "pooled_height", 1);
    const bool isSensitive = layer.op.kind == "PSROIPooling";
    const std::int64_t channels = isSensitive ? layer.number(3, 0, "output_dim", 1) : pictureOf(layer).c;
    return layer.all(Shape::of({channels, height, width}));
}

std::vector<Shape> argMax(NcnnLayer& layer)
{
    const std::int64_t count = layer.number(1, 1, "topk", 1);
    if (layer.number(0, 0, "out_max_val", 0, 1) != 0)
        return layer.all(Shape::of({2, count}));
    return layer.all(Shape::of({count}));
}

std::vector<Shape> statistics(NcnnLayer& layer)
{
    const std::int64_t perChannel = layer.number(0, 0, "include_stddev", 0, 1) != 0 ? 2 : 1;
    return layer.all(Shape::of({layered::product(layer, Dims{pictureOf(layer).c, perChannel})}));
}

/// The queries' number and width.
std::vector<Shape> attention(NcnnLayer& layer)
{
    const std::int64_t width = layer.number(0, 0, "embed_dim", 1);
    const std::int64_t weights = layer.number(2, 0, "weight_data_size");
    const std::int64_t keys = layer.number(3, width, "kdim", 1);
    const std::int64_t values = layer.number(4, width, "vdim", 1);
    const std::int64_t queries = std::max<std::int64_t>(weights / width, 1);
    layer.weight("q_weight", {width, queries});
    layer.weight("k_weight", {width, keys});
    layer.weight("v_weight", {width, values});
    layer.weight("out_weight", {queries, width});
    for (const char* name : {"q_bias", "k_bias", "v_bias"})
        layer.weight(name, {width});
    layer.weight("out_bias", {queries});
    const Shape& in = layer.input(0);
    return layer.all(Shape::of({in.rankKnown && in.dims.size() == 2 ? in.dims[0] : kUnknownDim, queries}));
}

constexpr std::array<std::string_view, 33> kKept = {
    "AbsVal", "BNLL", "CELU", "Clip", "CumulativeSum", "Dropout", "ELU", "Erf", "Exp", "GELU", "HardSigmoid", "HardSwish", "LRN",
    "Log", "MVN", "Mish", "Noop", "Power", "ReLU", "SELU", "SiLU", "Shrink", "Sigmoid", "Softmax", "Softplus", "Swish", "TanH",
    "Threshold", "UnaryOp", "Cast", "Packing", "DeepCopy", "SoftSign",
};

const std::vector<RuleEntry>& rules()
{
    static const std::vector<RuleEntry> all = [] {
        std::vector<RuleEntry> table = {
            {"BatchNorm", batchNorm}, {"Scale", scale}, {"PReLU", withOneWeight}, {"Bias", withOneWeight},
            {"GroupNorm", groupNorm}, {"InstanceNorm", instanceOrLayerNorm}, {"LayerNorm", instanceOrLayerNorm},
            {"Normalize", normalize}, {"Dequantize", toInt8OrBack}, {"BinaryOp", binary}, {"Eltwise", eltwise},
            {"InnerProduct", innerProduct}, {"MatMul", matMul}, {"Embed", embed}, {"LSTM", recurrent}, {"GRU", recurrent},
            {"RNN", recurrent}, {"PriorBox", priorBox}, {"DetectionOutput", detectionOutput},
            {"YoloDetectionOutput", yoloDetectionOutput}, {"Yolov3DetectionOutput", yoloDetectionOutput},
            {"Proposal", proposal}, {"ROIPooling", pooledRegion}, {"ROIAlign", pooledRegion}, {"PSROIPooling", pooledRegion},
            {"ArgMax", argMax}, {"StatisticsPooling", statistics}, {"MultiHeadAttention", attention},
        };
        for (const std::string_view kind : kKept)
            table.emplace_back(kind, kept);
        return table;
    }();
    return all;
}

} // namespace

std::span<const RuleEntry> otherRules()
{
    return rules();
}

} // namespace arenascope::ncnn
