// SPDX-License-Identifier: MIT
#include "core/src/import/caffe/rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace arenascope::caffe {

namespace {

using layered::Dims;
using layered::isKnown;
using layered::unknownShape;

std::vector<Shape> kept(CaffeLayer& layer)
{
    return layer.all(layer.input(0));
}

std::int64_t channelsOf(const CaffeLayer& layer)
{
    const Shape in = layer.blob(0);
    return in.dims.size() > 1 ? in.dims[1] : 1;
}

/// Sums, products and maxima of equals.
std::vector<Shape> eltwise(CaffeLayer& layer)
{
    Shape out = layer.input(0);
    layer.input(1);
    for (const Shape& shape : layer.in) {
        if (shape.isStatic() && out.isStatic() && shape.dims != out.dims)
            layer.mismatch("it joins " + toString(out) + " and " + toString(shape));
        if (shape.isStatic())
            out = shape;
    }
    return layer.all(out);
}

std::vector<Shape> batchNorm(CaffeLayer& layer)
{
    const std::int64_t channels = channelsOf(layer);
    layer.nextWeight("mean", {channels});
    layer.nextWeight("variance", {channels});
    layer.nextWeight("correction", {1});
    return kept(layer);
}

/// SegNet's: factors and shifts, or with means and variances.
std::vector<Shape> foldedBatchNorm(CaffeLayer& layer)
{
    layer.nextWeight("scale", {channelsOf(layer)});
    layer.nextWeight("shift", {channelsOf(layer)});
    return kept(layer);
}

/// The extents from the axis on, as many as num_axes says.
Dims scaledDims(const CaffeLayer& layer, const ScaleParameter& q)
{
    const Shape in = layer.blob(0);
    if (q.num_axes() == 0)
        return {1};
    const std::size_t begin = layered::axisOf(layer, q.axis(), in.dims.size());
    const auto rest = static_cast<std::int64_t>(in.dims.size() - begin);
    const std::int64_t count = q.num_axes() == -1 ? rest : layer.inRange("num_axes", q.num_axes(), 1, rest);
    return Dims(in.dims.begin() + static_cast<std::ptrdiff_t>(begin),
                in.dims.begin() + static_cast<std::ptrdiff_t>(begin) + count);
}

std::vector<Shape> scale(CaffeLayer& layer)
{
    const ScaleParameter& q = layer.p.scale_param();
    const Dims dims = scaledDims(layer, q);
    if (layer.in.size() == 1) // else the second blob holds the factors
        layer.nextWeight("scale", dims);
    if (q.bias_term())
        layer.nextWeight("bias", dims);
    return kept(layer);
}

std::vector<Shape> bias(CaffeLayer& layer)
{
    if (layer.in.size() == 1)
        layer.nextWeight("bias", scaledDims(layer, layer.p.bias_param()));
    return kept(layer);
}

std::vector<Shape> prelu(CaffeLayer& layer)
{
    layer.nextWeight("slope", {layer.p.prelu_param().channel_shared() ? 1 : channelsOf(layer)});
    return kept(layer);
}

std::vector<Shape> normalize(CaffeLayer& layer)
{
    layer.nextWeight("scale", {layer.p.norm_param().channel_shared() ? 1 : channelsOf(layer)});
    return kept(layer);
}

std::vector<Shape> shuffled(CaffeLayer& layer)
{
    layered::divided(layer, channelsOf(layer), layer.inRange("group", layer.p.shuffle_channel_param().group(), 1),
                     "channels by groups");
    return kept(layer);
}

/// SENet's: scale * x + y, whose shape it has.
std::vector<Shape> axpy(CaffeLayer& layer)
{
    return layer.all(layer.input(1));
}

std::vector<Shape> innerProduct(CaffeLayer& layer)
{
    const InnerProductParameter& q = layer.p.inner_product_param();
    const std::int64_t count = layer.inRange("num_output", q.num_output(), 1);
    const Shape& in = layer.input(0);
    Dims dims = {kUnknownDim};
    std::int64_t columns = kUnknownDim;
    if (in.rankKnown) {
        const std::size_t axis = layered::axisOf(layer, q.axis(), in.dims.size());
        columns = product(layer, in, axis, in.dims.size());
        dims.assign(in.dims.begin(), in.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    layer.nextWeight("weight", q.transpose() ? Dims{columns, count} : Dims{count, columns});
    if (q.bias_term())
        layer.nextWeight("bias", {count});
    dims.push_back(count);
    return layer.all(Shape::of(dims));
}

std::vector<Shape> embed(CaffeLayer& layer)
{
    const EmbedParameter& q = layer.p.embed_param();
    const std::int64_t count = layer.inRange("num_output", q.num_output(), 1);
    layer.nextWeight("weight", {layer.inRange("input_dim", q.input_dim(), 1), count});
    if (q.bias_term())
        layer.nextWeight("bias", {count});
    Shape out = layer.input(0);
    if (out.rankKnown)
        out.dims.push_back(count);
    return layer.all(out);
}

/// Steps x items x numbers; with expose_hidden the last state as well.
std::vector<Shape> recurrent(CaffeLayer& layer)
{
    const RecurrentParameter& q = layer.p.recurrent_param();
    const std::int64_t count = layer.inRange("num_output", q.num_output(), 1);
    const Shape in = layer.blob(0, 3);
    if (in.dims.size() < 2)
        layer.mismatch("it needs steps and items, and its input is " + toString(in));
    const std::int64_t width = product(layer, in, 2, in.dims.size());
    const bool isLstm = layer.p.type() == "LSTM";
    const std::int64_t rows = layered::product(layer, Dims{count, isLstm ? 4 : 1});
    layer.nextWeight("input_weight", {rows, width});
    layer.nextWeight("bias", {rows});
    layer.nextWeight("state_weight", {rows, count});
    if (!isLstm) {
        layer.nextWeight("output_weight", {count, count});
        layer.nextWeight("output_bias", {count});
    }
    std::vector<Shape> shapes = layer.all(Shape::of({1, in.dims[1], count}));
    shapes.front() = Shape::of({in.dims[0], in.dims[1], count});
    return shapes;
}

std::vector<Shape> argMax(CaffeLayer& layer)
{
    const ArgMaxParameter& q = layer.p.argmax_param();
    const Shape in = layer.blob(0);
    const std::int64_t count = layer.inRange("top_k", q.top_k(), 1);
    if (q.has_axis()) {
        Shape out = in;
        out.dims[layered::axisOf(layer, q.axis(), in.dims.size())] = count;
        return layer.all(out);
    }
    Dims dims(std::max<std::size_t>(in.dims.size(), 3), 1);
    dims[0] = in.dims.empty() ? 1 : in.dims[0];
    dims[1] = q.out_max_val() ? 2 : 1;
    dims[2] = count;
    return layer.all(Shape::of(dims));
}

// ---- Losses: a number; the second output is what the first was worked out from.

std::vector<Shape> loss(CaffeLayer& layer)
{
    std::vector<Shape> shapes = layer.all(layer.input(0));
    shapes.front() = Shape::of({});
    return shapes;
}

std::vector<Shape> accuracy(CaffeLayer& layer)
{
    const Shape in = layer.blob(0);
    const std::size_t axis = layered::axisOf(layer, layer.p.accuracy_param().axis(), in.dims.size());
    std::vector<Shape> shapes = layer.all(Shape::of({in.dims[axis]}));
    shapes.front() = Shape::of({});
    return shapes;
}

// ---- Detection

/// Boxes, and below them their variances.
std::vector<Shape> priorBox(CaffeLayer& layer)
{
    const PriorBoxParameter& q = layer.p.prior_box_param();
    const Shape in = layer.picture(0);
    std::vector<float> ratios = {1.0F};
    constexpr int kMostRatios = 1000;
    if (q.aspect_ratio_size() > kMostRatios)
        layer.bad("it has more than " + std::to_string(kMostRatios) + " ratios");
    for (const float ratio : q.aspect_ratio()) {
        if (!(ratio > 0))
            layer.bad("a ratio is not above 0");
        const auto isEqual = [ratio](float known) { return std::fabs(known - ratio) < 1e-6F; };
        if (std::ranges::any_of(ratios, isEqual))
            continue;
        ratios.push_back(ratio);
        if (q.flip())
            ratios.push_back(1.0F / ratio);
    }
    if (q.min_size().empty())
        layer.bad("it has no min_size");
    const std::int64_t boxes = std::ssize(ratios) * q.min_size_size() + q.max_size_size();
    return layer.all(Shape::of({1, 2, layered::product(layer, Dims{in.dims[2], in.dims[3], boxes, 4})}));
}

/// One row a box that was found: item, class, score and four edges.
std::vector<Shape> detectionOutput(CaffeLayer& layer)
{
    const DetectionOutputParameter& q = layer.p.detection_output_param();
    const Shape location = layer.blob(0, 2);
    const std::int64_t items = location.dims.empty() ? kUnknownDim : location.dims[0];
    std::int64_t perItem = q.keep_top_k();
    std::string why = "keep_top_k";
    if (perItem < 1) { // all that is left of each class
        perItem = q.nms_param().top_k() > 0 ? layered::product(layer, Dims{layer.inRange("num_classes", q.num_classes(), 1),
                                                                           layer.inRange("top_k", q.nms_param().top_k(), 1)})
                                            : kUnknownDim;
        why = "nms_param.top_k of every class";
    }
    const Shape shape = Shape::of({1, 1, layered::product(layer, Dims{items, perItem}), 7});
    if (shape.isStatic())
        layer.bounded(0, shape, 2, why);
    return layer.all(shape);
}

std::vector<Shape> proposal(CaffeLayer& layer)
{
    const std::int64_t count = layer.inRange("post_nms_topn", layer.p.proposal_param().post_nms_topn(), 1);
    std::vector<Shape> shapes = layer.all(Shape::of({count, 1}));
    shapes.front() = Shape::of({count, 5});
    for (std::size_t i = 0; i < shapes.size(); ++i)
        layer.bounded(i, shapes[i], 0, "post_nms_topn");
    return shapes;
}

std::int64_t regionsOf(const CaffeLayer& layer)
{
    const Shape regions = layer.blob(1, 2);
    return regions.dims.empty() ? 1 : regions.dims[0];
}

std::vector<Shape> regionPooling(CaffeLayer& layer)
{
    const RegionParameter& q = layer.p.has_roi_align_param() ? layer.p.roi_align_param() : layer.p.roi_pooling_param();
    return layer.all(Shape::of({regionsOf(layer), layer.picture(0).dims[1], layer.inRange("pooled_h", q.pooled_h(), 1),
                                layer.inRange("pooled_w", q.pooled_w(), 1)}));
}

std::vector<Shape> sensitivePooling(CaffeLayer& layer)
{
    const RegionParameter& q = layer.p.psroi_pooling_param();
    const std::int64_t side = layer.inRange("group_size", q.group_size(), 1, 1 << 15);
    const std::int64_t wanted = layered::product(layer, Dims{layer.inRange("output_dim", q.output_dim(), 1), side * side});
    layered::agreed(layer, layer.picture(0).dims[1], wanted);
    return layer.all(Shape::of({regionsOf(layer), q.output_dim(), side, side}));
}

constexpr std::array<std::string_view, 25> kKept = {
    "AbsVal", "BNLL", "Clip", "Dropout", "ELU", "Exp", "HardSigmoid", "HardSwish", "LRN", "Log", "LogSoftmax", "MVN", "Mish",
    "Power", "ReLU", "ReLU6", "Sigmoid", "Softmax", "Softplus", "Split", "Swish", "TanH", "Threshold", "Softsign", "GELU",
};
constexpr std::array<std::string_view, 9> kLosses = {
    "SoftmaxWithLoss", "EuclideanLoss", "HingeLoss", "SigmoidCrossEntropyLoss", "ContrastiveLoss", "InfogainLoss",
    "MultinomialLogisticLoss", "SmoothL1Loss", "MultiBoxLoss",
};

const std::vector<RuleEntry>& rules()
{
    static const std::vector<RuleEntry> all = [] {
        std::vector<RuleEntry> table = {
            {"Eltwise", eltwise}, {"BatchNorm", batchNorm}, {"BN", foldedBatchNorm}, {"Scale", scale}, {"Bias", bias},
            {"PReLU", prelu}, {"Normalize", normalize}, {"ShuffleChannel", shuffled}, {"Axpy", axpy},
            {"InnerProduct", innerProduct}, {"Embed", embed}, {"LSTM", recurrent}, {"RNN", recurrent}, {"ArgMax", argMax},
            {"Accuracy", accuracy}, {"PriorBox", priorBox}, {"DetectionOutput", detectionOutput}, {"Proposal", proposal},
            {"ROIPooling", regionPooling}, {"ROIAlign", regionPooling}, {"PSROIPooling", sensitivePooling},
        };
        for (const std::string_view kind : kKept)
            table.emplace_back(kind, kept);
        for (const std::string_view kind : kLosses)
            table.emplace_back(kind, loss);
        return table;
    }();
    return all;
}

} // namespace

std::span<const RuleEntry> otherRules()
{
    return rules();
}

} // namespace arenascope::caffe
