// SPDX-License-Identifier: MIT
#include "core/src/analysis/operator_parts.h"

#include "core/src/analysis/layer_kinds.h"

#include <algorithm>
#include <array>
#include <optional>

namespace arenascope::detail {

namespace {

using Dims = std::vector<std::int64_t>;

std::optional<std::int64_t> integer(const Operator& op, std::string_view name)
{
    const auto found = op.attributes.find(name);
    const auto* value = found == op.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<Dims> integers(const Operator& op, std::string_view name)
{
    const auto found = op.attributes.find(name);
    const auto* value = found == op.attributes.end() ? nullptr : std::get_if<Dims>(&found->second);
    return value ? std::optional(*value) : std::nullopt;
}

template <class Integer>
Dims decoded(const std::vector<std::byte>& bytes)
{
    Dims values;
    for (std::size_t at = 0; at + sizeof(Integer) <= bytes.size(); at += sizeof(Integer)) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(Integer); ++i)
            bits |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
        values.push_back(static_cast<Integer>(bits));
    }
    return values;
}

/// The integers of a small constant operand.
std::optional<Dims> constantIntegers(const Graph& graph, const Operator& op, std::size_t input)
{
    if (input >= op.inputs.size() || !op.inputs[input].isValid())
        return std::nullopt;
    const Tensor& tensor = graph.tensor(op.inputs[input]);
    if (tensor.isActivation() || !tensor.source || tensor.source->inlineBytes.empty())
        return std::nullopt;
    if (tensor.type == ElementType::Int32)
        return decoded<std::int32_t>(tensor.source->inlineBytes);
    if (tensor.type == ElementType::Int64)
        return decoded<std::int64_t>(tensor.source->inlineBytes);
    return std::nullopt;
}

/// In TensorFlow Lite an operator that moves elements may quantise them anew; ONNX has operators of their own for that.
bool isQuantizedAlike(const Tensor& a, const Tensor& b, const Operator& op)
{
    if (op.kind == "Concat" || op.kind == "Split" || op.kind == "Slice")
        return true;
    if (!a.quantization || !b.quantization)
        return a.quantization.has_value() == b.quantization.has_value();
    return a.quantization->scales == b.quantization->scales && a.quantization->zeroPoints == b.quantization->zeroPoints
        && a.quantization->axis == b.quantization->axis;
}

/// Bytes of a tensor whose elements fill them exactly.
std::optional<Bytes> wholeBytes(const Tensor& tensor)
{
    const int bits = bitsPerElement(tensor.type);
    const auto count = tensor.shape.isStatic() ? tensor.shape.elementCount() : std::nullopt;
    const auto sum = count && bits > 0 ? checkedMultiply(*count, bits) : std::nullopt;
    if (!sum || *sum % 8 != 0 || *sum / 8 != tensor.bytes)
        return std::nullopt;
    return tensor.bytes;
}

bool isMoved(const Tensor& part, const Tensor& whole, const Operator& op)
{
    return part.type == whole.type && isQuantizedAlike(part, whole, op) && wholeBytes(part) && wholeBytes(whole);
}

/// Whether everything before the axis is one element thick, so that what is put together along it lies end to end.
bool isOutermost(const Shape& shape, std::int64_t axis)
{
    const auto rank = static_cast<std::int64_t>(shape.dims.size());
    axis += axis < 0 ? rank : 0;
    if (!shape.isStatic() || axis < 0 || axis >= rank)
        return false;
    return std::all_of(shape.dims.begin(), shape.dims.begin() + axis, [](std::int64_t dim) { return dim == 1; });
}

/// Pieces end to end, from the start of the whole to its end.
std::vector<OperatorPart> endToEnd(const Graph& graph, const Operator& op, const std::vector<TensorId>& pieces, TensorId whole,
                                   AliasReason reason)
{
    std::vector<OperatorPart> parts;
    Bytes end = 0;
    for (const TensorId piece : pieces) {
        // What has no name has no size: where the next one begins is not known.
        if (!piece.isValid() || !isMoved(graph.tensor(piece), graph.tensor(whole), op))
            return {};
        parts.push_back({piece, whole, end, reason});
        const auto next = checkedAdd(end, graph.tensor(piece).bytes);
        if (!next)
            return {};
        end = *next;
    }
    return end == graph.tensor(whole).bytes ? parts : std::vector<OperatorPart>();
}

std::vector<OperatorPart> concatParts(const Graph& graph, const Operator& op)
{
    if (op.outputs.size() != 1 || !op.outputs[0].isValid() || !op.fusedActivation.empty())
        return {};
    const std::int64_t usual = op.kind == "Concat" ? 1 : 0; // up to opset 3 Concat's axis could be left out
    if (!isOutermost(graph.tensor(op.outputs[0]).shape, integer(op, "axis").value_or(usual)))
        return {};
    return endToEnd(graph, op, op.inputs, op.outputs[0], AliasReason::ConcatPart);
}

/// Operand and axis of an operator that splits.
struct Cut {
    std::size_t input = 0;
    std::optional<std::int64_t> axis;
};

std::optional<std::int64_t> firstOf(const std::optional<Dims>& values)
{
    return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

Cut cutOf(const Graph& graph, const Operator& op)
{
    if (op.kind == "SPLIT")
        return {1, firstOf(constantIntegers(graph, op, 0))};
    if (op.kind == "SPLIT_V")
        return {0, firstOf(constantIntegers(graph, op, 2))};
    return {0, integer(op, "axis").value_or(0)};
}

std::vector<OperatorPart> splitParts(const Graph& graph, const Operator& op)
{
    const Cut cut = cutOf(graph, op);
    if (!cut.axis || cut.input >= op.inputs.size() || !op.inputs[cut.input].isValid())
        return {};
    const TensorId whole = op.inputs[cut.input];
    if (!isOutermost(graph.tensor(whole).shape, *cut.axis))
        return {};
    return endToEnd(graph, op, op.outputs, whole, AliasReason::SplitPart);
}

/// What a slice takes of each dimension of its input.
struct Window {
    Dims starts;
    Dims extents;
};

Window whole(const Dims& dims)
{
    return {Dims(dims.size(), 0), dims};
}

/// [start, end) of a dimension, counted from its end where negative; nothing is taken where they cross.
void narrow(Window& window, std::size_t axis, std::int64_t start, std::int64_t end)
{
    const std::int64_t dim = window.extents[axis];
    const auto clamped = [dim](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? std::max(at, -dim) + dim : at, 0, dim); };
    window.starts[axis] = clamped(start);
    window.extents[axis] = std::max<std::int64_t>(clamped(end) - window.starts[axis], 0);
}

std::optional<Window> onnxWindow(const Graph& graph, const Operator& op, const Dims& dims)
{
    const bool byAttributes = integers(op, "starts").has_value(); // up to opset 9
    const auto starts = byAttributes ? integers(op, "starts") : constantIntegers(graph, op, 1);
    const auto ends = byAttributes ? integers(op, "ends") : constantIntegers(graph, op, 2);
    const bool hasAxes = byAttributes ? integers(op, "axes").has_value() : op.inputs.size() > 3 && op.inputs[3].isValid();
    const bool hasSteps = !byAttributes && op.inputs.size() > 4 && op.inputs[4].isValid();
    if (!starts || !ends || starts->size() != ends->size() || starts->size() > dims.size())
        return std::nullopt;
    std::optional<Dims> axes = byAttributes ? integers(op, "axes") : constantIntegers(graph, op, 3);
    if (!hasAxes) {
        axes = Dims();
        for (std::size_t i = 0; i < starts->size(); ++i)
            axes->push_back(static_cast<std::int64_t>(i));
    }
    const auto steps = hasSteps ? constantIntegers(graph, op, 4) : Dims(starts->size(), 1);
    if (!axes || axes->size() != starts->size() || !steps || steps->size() != starts->size())
        return std::nullopt;
    if (std::any_of(steps->begin(), steps->end(), [](std::int64_t step) { return step != 1; }))
        return std::nullopt;
    Window window = whole(dims);
    std::vector<bool> isSeen(dims.size(), false);
    for (std::size_t i = 0; i < axes->size(); ++i) {
        const auto rank = static_cast<std::int64_t>(dims.size());
        const std::int64_t axis = (*axes)[i] + ((*axes)[i] < 0 ? rank : 0);
        if (axis < 0 || axis >= rank || isSeen[static_cast<std::size_t>(axis)])
            return std::nullopt;
        isSeen[static_cast<std::size_t>(axis)] = true;
        narrow(window, static_cast<std::size_t>(axis), (*starts)[i], (*ends)[i]);
    }
    return window;
}

std::optional<Window> sliceWindow(const Graph& graph, const Operator& op, const Dims& dims)
{
    const auto starts = constantIntegers(graph, op, 1);
    const auto sizes = constantIntegers(graph, op, 2);
    if (!starts || !sizes || starts->size() != dims.size() || sizes->size() != dims.size())
        return std::nullopt;
    Window window = whole(dims);
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::int64_t start = (*starts)[i];
        if (start < 0 || start > dims[i] || (*sizes)[i] < -1 || (*sizes)[i] > dims[i] - start)
            return std::nullopt;
        narrow(window, i, start, (*sizes)[i] < 0 ? dims[i] : start + (*sizes)[i]);
    }
    return window;
}

std::optional<Window> stridedWindow(const Graph& graph, const Operator& op, const Dims& dims)
{
    const auto starts = constantIntegers(graph, op, 1);
    const auto ends = constantIntegers(graph, op, 2);
    const auto strides = constantIntegers(graph, op, 3);
    const auto flag = [&op](std::string_view name) { return integer(op, name).value_or(0); };
    if (!starts || !ends || !strides || starts->size() > dims.size() || ends->size() != starts->size()
        || strides->size() != starts->size() || starts->size() > 32)
        return std::nullopt;
    if (flag("ellipsis_mask") != 0 || flag("new_axis_mask") != 0 || flag("offset") != 0)
        return std::nullopt;
    Window window = whole(dims);
    for (std::size_t i = 0; i < starts->size(); ++i) {
        const auto isSet = [&](std::string_view name) { return (flag(name) >> i & 1) != 0; };
        if (isSet("shrink_axis_mask")) { // one element, whatever end and stride say
            const std::int64_t at = (*starts)[i] + ((*starts)[i] < 0 ? dims[i] : 0);
            if (at < 0 || at >= dims[i])
                return std::nullopt;
            narrow(window, i, at, at + 1);
            continue;
        }
        if ((*strides)[i] != 1)
            return std::nullopt;
        narrow(window, i, isSet("begin_mask") ? 0 : (*starts)[i], isSet("end_mask") ? dims[i] : (*ends)[i]);
    }
    return window;
}

/// Elements before the window, if what it takes is one run: dimensions of one element, then at most one that is cut, then
/// whole ones.
std::optional<std::int64_t> startOfRun(const Window& window, const Dims& dims)
{
    bool isWhole = true; // all dimensions from here on
    std::int64_t stride = 1;
    std::int64_t start = 0;
    for (std::size_t i = dims.size(); i-- > 0;) {
        if (!isWhole && window.extents[i] != 1)
            return std::nullopt;
        isWhole = isWhole && window.extents[i] == dims[i];
        start += window.starts[i] * stride; // inside of the tensor, whose elements were counted
        stride *= dims[i];
    }
    return start;
}

std::vector<OperatorPart> sliceParts(const Graph& graph, const Operator& op)
{
    if (op.inputs.empty() || !op.inputs[0].isValid() || op.outputs.size() != 1 || !op.outputs[0].isValid())
        return {};
    const Tensor& from = graph.tensor(op.inputs[0]);
    const Tensor& to = graph.tensor(op.outputs[0]);
    if (!isMoved(to, from, op) || from.bytes <= 0 || to.bytes <= 0)
        return {};
    const Dims& dims = from.shape.dims;
    const auto window = op.kind == "Slice" ? onnxWindow(graph, op, dims)
        : op.kind == "SLICE"               ? sliceWindow(graph, op, dims)
                                           : stridedWindow(graph, op, dims);
    const auto start = window ? startOfRun(*window, dims) : std::nullopt;
    const auto count = window ? Shape::of(window->extents).elementCount() : std::nullopt;
    if (!start || count != to.shape.elementCount())
        return {};
    const auto bits = checkedMultiply(*start, bitsPerElement(from.type));
    if (!bits || *bits % 8 != 0)
        return {};
    return {{op.outputs[0], op.inputs[0], *bits / 8, AliasReason::SplitPart}};
}

/// A Darknet route that takes one of several groups of channels.
std::vector<OperatorPart> groupPart(const Graph& graph, const Operator& op)
{
    const Tensor& from = graph.tensor(op.inputs[0]);
    const Tensor& to = graph.tensor(op.outputs[0]);
    const std::int64_t group = integer(op, "group_id").value_or(0);
    if (!isMoved(to, from, op) || to.bytes <= 0 || !isOutermost(from.shape, 1) || group < 0 || group >= from.bytes / to.bytes)
        return {};
    return {{op.outputs[0], op.inputs[0], group * to.bytes, AliasReason::SplitPart}};
}

std::vector<OperatorPart> layerParts(const Graph& graph, const Operator& op, LayerFormat format)
{
    if (op.inputs.empty() || op.outputs.empty())
        return {};
    switch (layerBytes(format, op)) {
    case LayerBytes::Concat: return concatParts(graph, op);
    case LayerBytes::Slice: return splitParts(graph, op);
    case LayerBytes::Group: return groupPart(graph, op);
    default: return {};
    }
}

constexpr std::array<std::string_view, 3> kConcatKinds = {"Concat", "CONCATENATION", "PACK"};
constexpr std::array<std::string_view, 4> kSplitKinds = {"Split", "SPLIT", "SPLIT_V", "UNPACK"};
constexpr std::array<std::string_view, 3> kSliceKinds = {"Slice", "SLICE", "STRIDED_SLICE"};

template <std::size_t Count>
bool isOneOf(const std::array<std::string_view, Count>& kinds, std::string_view kind)
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

} // namespace

std::vector<OperatorPart> partsOf(const Graph& graph, const Operator& op)
{
    if (const LayerFormat format = layerFormatOf(graph); format != LayerFormat::None)
        return layerParts(graph, op, format);
    if (!op.domain.empty() && op.domain != "ai.onnx")
        return {};
    if (isOneOf(kConcatKinds, op.kind))
        return concatParts(graph, op);
    if (isOneOf(kSplitKinds, op.kind))
        return splitParts(graph, op);
    return isOneOf(kSliceKinds, op.kind) ? sliceParts(graph, op) : std::vector<OperatorPart>();
}

} // namespace arenascope::detail
