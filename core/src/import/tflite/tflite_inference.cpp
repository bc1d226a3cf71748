// SPDX-License-Identifier: MIT
// One rule a group of kinds, as the documentation of TensorFlow Lite's operators gives them. A rule that does not fit the
// operands says so with nothing; sizes that overflow are found where tensors are described.
#include "core/src/import/tflite/tflite_inference.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace arenascope::tflite_import {

namespace {

using Answer = std::optional<std::vector<Dims>>;
using Rule = Answer (*)(const ShapeQuestion&);

constexpr std::int64_t kLargest = kLargestExtent; // so that products of two fit 63 bits

std::int64_t integer(const Operator& op, std::string_view name, std::int64_t otherwise = 0)
{
    const auto found = op.attributes.find(name);
    const auto* value = found == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return value ? *value : otherwise;
}

bool isValidPadding(const Operator& op)
{
    const auto found = op.attributes.find("padding");
    const auto* value = found == op.attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
    return value && *value == "VALID";
}

std::optional<std::int64_t> countOf(const Dims& dims)
{
    return Shape::of(dims).elementCount();
}

const Dims* valuesAt(const ShapeQuestion& question, std::size_t input)
{
    return input < question.values.size() && question.values[input] ? &*question.values[input] : nullptr;
}

std::optional<std::size_t> axisOf(std::int64_t axis, std::size_t rank)
{
    axis += axis < 0 ? static_cast<std::int64_t>(rank) : 0;
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank))
        return std::nullopt;
    return static_cast<std::size_t>(axis);
}

Answer one(Dims dims)
{
    if (std::any_of(dims.begin(), dims.end(), [](std::int64_t dim) { return dim < 0 || dim > kLargest; }))
        return std::nullopt;
    return std::vector<Dims>{std::move(dims)};
}

Answer sameAsFirst(const ShapeQuestion& question)
{
    return question.inputs.empty() ? std::nullopt : one(question.inputs[0]);
}

Answer broadcast(const ShapeQuestion& question)
{
    Dims result;
    for (const Dims& input : question.inputs) {
        if (input.size() > result.size())
            result.insert(result.begin(), input.size() - result.size(), 1);
        for (std::size_t i = 0; i < input.size(); ++i) {
            std::int64_t& dim = result[result.size() - input.size() + i];
            if (dim != 1 && input[i] != 1 && input[i] != dim)
                return std::nullopt;
            dim = dim == 1 ? input[i] : dim;
        }
    }
    return one(result);
}

/// Positions of a window along one dimension.
std::int64_t windows(std::int64_t extent, std::int64_t size, std::int64_t stride, std::int64_t dilation, bool isValid)
{
    if (stride <= 0 || dilation <= 0 || size <= 0 || size > kLargest || dilation > kLargest)
        return -1;
    const std::int64_t reach = isValid ? (size - 1) * dilation : 0;
    return extent > reach ? (extent - reach + stride - 1) / stride : 0;
}

Answer window(const ShapeQuestion& question, std::int64_t height, std::int64_t width, std::int64_t channels)
{
    const Dims& in = question.inputs[0];
    const bool isValid = isValidPadding(question.op);
    return one({in[0], windows(in[1], height, integer(question.op, "stride_h"), integer(question.op, "dilation_h", 1), isValid),
                windows(in[2], width, integer(question.op, "stride_w"), integer(question.op, "dilation_w", 1), isValid), channels});
}

Answer convolution(const ShapeQuestion& question)
{
    if (question.inputs.size() < 2 || question.inputs[0].size() != 4 || question.inputs[1].size() != 4)
        return std::nullopt;
    const Dims& filter = question.inputs[1];
    return window(question, filter[1], filter[2], question.op.kind == "CONV_2D" ? filter[0] : filter[3]);
}

Answer pooling(const ShapeQuestion& question)
{
    if (question.inputs.empty() || question.inputs[0].size() != 4)
        return std::nullopt;
    return window(question, integer(question.op, "filter_h"), integer(question.op, "filter_w"), question.inputs[0][3]);
}

/// Only the batch of what it makes can differ from what the file says: the extents are an operand.
Answer transposedConvolution(const ShapeQuestion& question)
{
    if (question.inputs.size() < 3 || question.inputs[2].size() != 4 || question.stored.size() != 1 || question.stored[0].size() != 4)
        return std::nullopt;
    Dims out = question.stored[0];
    out[0] = question.inputs[2][0];
    const std::int64_t height = question.inputs[2][1] * integer(question.op, "stride_h");
    const std::int64_t width = question.inputs[2][2] * integer(question.op, "stride_w");
    const bool fits = isValidPadding(question.op) || (out[1] <= height && out[1] > height - integer(question.op, "stride_h")
                                                      && out[2] <= width && out[2] > width - integer(question.op, "stride_w"));
    return fits ? one(out) : std::nullopt;
}

Answer fullyConnected(const ShapeQuestion& question)
{
    if (question.inputs.size() < 2 || question.inputs[0].empty() || question.inputs[1].size() != 2)
        return std::nullopt;
    Dims out = question.inputs[0];
    const std::int64_t depth = question.inputs[1][1];
    const auto count = countOf(out);
    if (integer(question.op, "keep_num_dims") == 0) {
        if (!count || depth <= 0 || *count % depth != 0)
            return std::nullopt;
        out = {*count / depth, 0};
    }
    out.back() = question.inputs[1][0];
    return one(out);
}

/// The shape wanted, which the file has for its own inputs: an extent of -1 takes what is left. Where all are fixed, the batch is
/// the one that gives way.
Answer reshape(const ShapeQuestion& question)
{
    if (question.inputs.empty() || question.stored.size() != 1)
        return std::nullopt;
    Dims wanted = question.stored[0];
    if (const Dims* values = valuesAt(question, 1))
        wanted = *values;
    const auto count = countOf(question.inputs[0]);
    auto open = std::find(wanted.begin(), wanted.end(), -1);
    if (!count || std::count(wanted.begin(), wanted.end(), -1) > 1)
        return std::nullopt;
    if (open == wanted.end() && countOf(wanted) == count)
        return one(wanted);
    if (open == wanted.end())
        open = wanted.begin();
    if (open == wanted.end())
        return std::nullopt;
    *open = 1;
    const auto rest = countOf(wanted);
    if (!rest || *rest <= 0 || *count % *rest != 0)
        return std::nullopt;
    *open = *count / *rest;
    return one(wanted);
}

Answer concatenation(const ShapeQuestion& question)
{
    if (question.inputs.empty())
        return std::nullopt;
    Dims out = question.inputs[0];
    const auto axis = axisOf(integer(question.op, "axis"), out.size());
    if (!axis)
        return std::nullopt;
    for (std::size_t i = 1; i < question.inputs.size(); ++i) {
        const Dims& next = question.inputs[i];
        if (next.size() != out.size() || next[*axis] > kLargest)
            return std::nullopt;
        for (std::size_t d = 0; d < out.size(); ++d) {
            if (d != *axis && next[d] != out[d])
                return std::nullopt;
        }
        out[*axis] = checkedAdd(out[*axis], next[*axis]).value_or(-1);
    }
    return one(out);
}

Answer pack(const ShapeQuestion& question)
{
    if (question.inputs.empty())
        return std::nullopt;
    Dims out = question.inputs[0];
    const auto axis = axisOf(integer(question.op, "axis"), out.size() + 1);
    if (!axis)
        return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), static_cast<std::int64_t>(question.inputs.size()));
    return one(out);
}

Answer unpack(const ShapeQuestion& question)
{
    if (question.inputs.empty())
        return std::nullopt;
    Dims out = question.inputs[0];
    const auto axis = axisOf(integer(question.op, "axis"), out.size());
    if (!axis || out[*axis] != static_cast<std::int64_t>(question.stored.size()))
        return std::nullopt;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
    return std::vector<Dims>(question.stored.size(), out);
}

/// SPLIT: axis, value. All parts alike.
Answer split(const ShapeQuestion& question)
{
    const Dims* axes = valuesAt(question, 0);
    if (!axes || axes->size() != 1 || question.inputs.size() < 2 || question.stored.empty())
        return std::nullopt;
    Dims out = question.inputs[1];
    const auto axis = axisOf(axes->front(), out.size());
    const auto parts = static_cast<std::int64_t>(question.stored.size());
    if (!axis || out[*axis] % parts != 0)
        return std::nullopt;
    out[*axis] /= parts;
    return std::vector<Dims>(question.stored.size(), out);
}

Answer expandDims(const ShapeQuestion& question)
{
    const Dims* axes = valuesAt(question, 1);
    if (!axes || axes->size() != 1)
        return std::nullopt;
    Dims out = question.inputs[0];
    const auto axis = axisOf(axes->front(), out.size() + 1);
    if (!axis)
        return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(*axis), 1);
    return one(out);
}

/// Which axes a list names; nothing where it names one that is not there.
std::optional<std::vector<bool>> axesIn(const Dims& list, std::size_t rank)
{
    std::vector<bool> named(rank, false);
    for (const std::int64_t value : list) {
        const auto axis = axisOf(value, rank);
        if (!axis)
            return std::nullopt;
        named[*axis] = true;
    }
    return named;
}

Answer squeeze(const ShapeQuestion& question)
{
    if (question.inputs.empty())
        return std::nullopt;
    const Dims& in = question.inputs[0];
    const auto found = question.op.attributes.find("squeeze_dims");
    const auto* list = found == question.op.attributes.end() ? nullptr : std::get_if<std::vector<std::int64_t>>(&found->second);
    const bool isAll = !list || list->empty();
    const auto named = axesIn(isAll ? Dims() : *list, in.size());
    if (!named)
        return std::nullopt;
    Dims out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if ((*named)[i] && in[i] != 1)
            return std::nullopt;
        if (!(*named)[i] && !(isAll && in[i] == 1))
            out.push_back(in[i]);
    }
    return one(out);
}

Answer reduce(const ShapeQuestion& question)
{
    const Dims* list = valuesAt(question, 1);
    const bool isArg = question.op.kind == "ARG_MAX" || question.op.kind == "ARG_MIN";
    if (!list || question.inputs.empty())
        return std::nullopt;
    const auto named = axesIn(*list, question.inputs[0].size());
    if (!named)
        return std::nullopt;
    Dims out;
    for (std::size_t i = 0; i < named->size(); ++i) {
        if (!(*named)[i])
            out.push_back(question.inputs[0][i]);
        else if (!isArg && integer(question.op, "keep_dims") != 0)
            out.push_back(1);
    }
    return one(out);
}

Answer pad(const ShapeQuestion& question)
{
    const Dims* paddings = valuesAt(question, 1);
    if (!paddings || paddings->size() != 2 * question.inputs[0].size())
        return std::nullopt;
    Dims out = question.inputs[0];
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::int64_t before = (*paddings)[2 * i];
        const std::int64_t after = (*paddings)[2 * i + 1];
        if (before < 0 || after < 0 || before > kLargest || after > kLargest)
            return std::nullopt;
        out[i] += before + after;
    }
    return one(out);
}

Answer transpose(const ShapeQuestion& question)
{
    const Dims* order = valuesAt(question, 1);
    if (!order || order->size() != question.inputs[0].size())
        return std::nullopt;
    Dims out;
    for (const std::int64_t value : *order) {
        const auto axis = axisOf(value, order->size());
        if (!axis)
            return std::nullopt;
        out.push_back(question.inputs[0][*axis]);
    }
    return one(out);
}

Answer resize(const ShapeQuestion& question)
{
    const Dims* size = valuesAt(question, 1);
    if (!size || size->size() != 2 || question.inputs[0].size() != 4)
        return std::nullopt;
    return one({question.inputs[0][0], (*size)[0], (*size)[1], question.inputs[0][3]});
}

Answer spaceAndDepth(const ShapeQuestion& question)
{
    const std::int64_t block = integer(question.op, "block_size");
    if (question.inputs.empty() || question.inputs[0].size() != 4 || block <= 0 || block > 4096)
        return std::nullopt;
    const Dims& in = question.inputs[0];
    if (question.op.kind == "SPACE_TO_DEPTH")
        return in[1] % block != 0 || in[2] % block != 0 ? std::nullopt
                                                        : one({in[0], in[1] / block, in[2] / block, in[3] * block * block});
    return in[3] % (block * block) != 0 ? std::nullopt : one({in[0], in[1] * block, in[2] * block, in[3] / (block * block)});
}

/// The file's own extents, but for the leading ones, which are those of the first operand: what recurrent kinds make.
template <std::size_t Leading>
Answer leadingOfFirst(const ShapeQuestion& question)
{
    if (question.inputs.empty() || question.stored.size() != 1 || question.inputs[0].size() < Leading
        || question.stored[0].size() <= Leading)
        return std::nullopt;
    Dims out = question.stored[0];
    std::copy_n(question.inputs[0].begin(), Leading, out.begin());
    return one(out);
}

const std::map<std::string_view, Rule>& rules()
{
    static const std::map<std::string_view, Rule> kRules = [] {
        std::map<std::string_view, Rule> made;
        const auto add = [&made](Rule rule, std::initializer_list<std::string_view> kinds) {
            for (const std::string_view kind : kinds)
                made[kind] = rule;
        };
        add(sameAsFirst, {"ABS", "CAST", "CEIL", "COS", "CUMSUM", "DEQUANTIZE", "DYNAMIC_UPDATE_SLICE", "ELU", "EXP", "FAKE_QUANT",
                          "FLOOR", "GELU", "HARD_SWISH", "L2_NORMALIZATION", "LEAKY_RELU", "LOCAL_RESPONSE_NORMALIZATION", "LOG",
                          "LOGICAL_NOT", "LOGISTIC", "LOG_SOFTMAX", "NEG", "PRELU", "QUANTIZE", "RELU", "RELU6", "RELU_0_TO_1",
                          "RELU_N1_TO_1", "REVERSE_V2", "ROUND", "RSQRT", "SIGN", "SIN", "SOFTMAX", "SQRT", "SQUARE", "TANH",
                          "ZEROS_LIKE"});
        add(broadcast, {"ADD", "ADD_N", "ATAN2", "DIV", "EQUAL", "FLOOR_DIV", "FLOOR_MOD", "GREATER", "GREATER_EQUAL", "LESS",
                        "LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "MAXIMUM", "MINIMUM", "MUL", "NOT_EQUAL", "POW", "SELECT",
                        "SELECT_V2", "SQUARED_DIFFERENCE", "SUB"});
        add(convolution, {"CONV_2D", "DEPTHWISE_CONV_2D"});
        add(pooling, {"AVERAGE_POOL_2D", "L2_POOL_2D", "MAX_POOL_2D"});
        add(transposedConvolution, {"TRANSPOSE_CONV"});
        add(fullyConnected, {"FULLY_CONNECTED"});
        add(reshape, {"RESHAPE"});
        add(concatenation, {"CONCATENATION"});
        add(pack, {"PACK"});
        add(unpack, {"UNPACK"});
        add(split, {"SPLIT"});
        add(expandDims, {"EXPAND_DIMS"});
        add(squeeze, {"SQUEEZE"});
        add(reduce, {"ARG_MAX", "ARG_MIN", "MEAN", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "SUM"});
        add(pad, {"MIRROR_PAD", "PAD", "PADV2"});
        add(transpose, {"TRANSPOSE"});
        add(resize, {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"});
        add(spaceAndDepth, {"DEPTH_TO_SPACE", "SPACE_TO_DEPTH"});
        add(leadingOfFirst<1>, {"SVDF"});
        add(leadingOfFirst<2>, {"BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                "UNIDIRECTIONAL_SEQUENCE_RNN"});
        return made;
    }();
    return kRules;
}

} // namespace

std::optional<std::vector<Dims>> inferShapes(const ShapeQuestion& question)
{
    const auto rule = rules().find(question.op.kind);
    if (rule == rules().end() || question.inputs.empty())
        return std::nullopt;
    auto shapes = rule->second(question);
    if (!shapes || shapes->size() != question.stored.size())
        return std::nullopt;
    return shapes;
}

} // namespace arenascope::tflite_import
