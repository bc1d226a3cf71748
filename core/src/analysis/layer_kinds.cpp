// SPDX-License-Identifier: MIT
#include "core/src/analysis/layer_kinds.h"

#include <algorithm>
#include <iterator>

namespace arenascope::detail {

namespace {

struct KindBytes {
    std::string_view kind;
    LayerBytes bytes;
};

// Softmax, norms and what changes the type are not among those in place, as for ONNX.
constexpr KindBytes kCaffe[] = {
    {"Dropout", LayerBytes::View}, {"Flatten", LayerBytes::View}, {"Reshape", LayerBytes::View}, {"Split", LayerBytes::View},
    {"AbsVal", LayerBytes::InPlace}, {"BNLL", LayerBytes::InPlace}, {"BN", LayerBytes::InPlace},
    {"BatchNorm", LayerBytes::InPlace}, {"Bias", LayerBytes::InPlace}, {"Clip", LayerBytes::InPlace},
    {"ELU", LayerBytes::InPlace}, {"Eltwise", LayerBytes::InPlace}, {"Exp", LayerBytes::InPlace},
    {"HardSigmoid", LayerBytes::InPlace}, {"HardSwish", LayerBytes::InPlace}, {"Log", LayerBytes::InPlace},
    {"Mish", LayerBytes::InPlace}, {"PReLU", LayerBytes::InPlace}, {"Power", LayerBytes::InPlace},
    {"ReLU", LayerBytes::InPlace}, {"ReLU6", LayerBytes::InPlace}, {"Scale", LayerBytes::InPlace},
    {"Sigmoid", LayerBytes::InPlace}, {"Swish", LayerBytes::InPlace}, {"TanH", LayerBytes::InPlace},
    {"Threshold", LayerBytes::InPlace}, {"Concat", LayerBytes::Concat}, {"Slice", LayerBytes::Slice},
};

constexpr KindBytes kNcnn[] = {
    {"Dropout", LayerBytes::View}, {"ExpandDims", LayerBytes::View}, {"Flatten", LayerBytes::View}, {"Noop", LayerBytes::View},
    {"Reshape", LayerBytes::View}, {"Split", LayerBytes::View}, {"Squeeze", LayerBytes::View},
    {"AbsVal", LayerBytes::InPlace}, {"BNLL", LayerBytes::InPlace}, {"BatchNorm", LayerBytes::InPlace},
    {"Bias", LayerBytes::InPlace}, {"BinaryOp", LayerBytes::InPlace}, {"CELU", LayerBytes::InPlace},
    {"Clip", LayerBytes::InPlace}, {"ELU", LayerBytes::InPlace}, {"Eltwise", LayerBytes::InPlace}, {"Erf", LayerBytes::InPlace},
    {"Exp", LayerBytes::InPlace}, {"GELU", LayerBytes::InPlace}, {"HardSigmoid", LayerBytes::InPlace},
    {"HardSwish", LayerBytes::InPlace}, {"Log", LayerBytes::InPlace}, {"Mish", LayerBytes::InPlace},
    {"PReLU", LayerBytes::InPlace}, {"Power", LayerBytes::InPlace}, {"ReLU", LayerBytes::InPlace}, {"SELU", LayerBytes::InPlace},
    {"Scale", LayerBytes::InPlace}, {"Shrink", LayerBytes::InPlace}, {"SiLU", LayerBytes::InPlace},
    {"Sigmoid", LayerBytes::InPlace}, {"SoftSign", LayerBytes::InPlace}, {"Softplus", LayerBytes::InPlace},
    {"Swish", LayerBytes::InPlace}, {"TanH", LayerBytes::InPlace}, {"Threshold", LayerBytes::InPlace},
    {"UnaryOp", LayerBytes::InPlace}, {"Concat", LayerBytes::Concat}, {"Slice", LayerBytes::Slice},
};

constexpr KindBytes kDarknet[] = {
    {"dropout", LayerBytes::View}, {"empty", LayerBytes::View}, {"silence", LayerBytes::View},
    {"Gaussian_yolo", LayerBytes::InPlace}, {"activation", LayerBytes::InPlace}, {"batchnorm", LayerBytes::InPlace},
    {"logistic", LayerBytes::InPlace}, {"logxent", LayerBytes::InPlace}, {"sam", LayerBytes::InPlace},
    {"scale_channels", LayerBytes::InPlace}, {"shortcut", LayerBytes::InPlace}, {"yolo", LayerBytes::InPlace},
};

template <class Table>
LayerBytes find(const Table& table, std::string_view kind)
{
    const auto found = std::ranges::find(table, kind, &KindBytes::kind);
    return found == std::end(table) ? LayerBytes::Own : found->bytes;
}

/// One input as it is: a view. A group of it: a part. Several inputs: they are joined, unless only groups of them are.
LayerBytes routeBytes(const Operator& op)
{
    const auto found = op.attributes.find("groups");
    const auto* groups = found == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    const bool isGrouped = groups && *groups > 1;
    if (op.inputs.size() == 1)
        return isGrouped ? LayerBytes::Group : LayerBytes::View;
    return isGrouped ? LayerBytes::Own : LayerBytes::Concat;
}

/// ncnn's Dropout multiplies by its parameter 0, which is 1 unless it is given.
bool isScaling(const Operator& op)
{
    const auto found = op.attributes.find("0");
    const auto* factor = found == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return found != op.attributes.end() && !(factor && *factor == 1);
}

LayerBytes ncnnBytes(const Operator& op)
{
    return op.kind == "Dropout" && isScaling(op) ? LayerBytes::InPlace : find(kNcnn, op.kind);
}

} // namespace

LayerFormat layerFormatOf(const Graph& graph)
{
    const std::string& format = graph.info().format;
    return format == "Caffe" ? LayerFormat::Caffe
        : format == "ncnn"   ? LayerFormat::Ncnn
        : format == "Darknet" ? LayerFormat::Darknet
                              : LayerFormat::None;
}

LayerBytes layerBytes(LayerFormat format, const Operator& op)
{
    switch (format) {
    case LayerFormat::None: return LayerBytes::Own;
    case LayerFormat::Caffe: return find(kCaffe, op.kind);
    case LayerFormat::Ncnn: return ncnnBytes(op);
    case LayerFormat::Darknet: return op.kind == "route" ? routeBytes(op) : find(kDarknet, op.kind);
    }
    return LayerBytes::Own;
}

} // namespace arenascope::detail
