// SPDX-License-Identifier: MIT
// Operators that make a tensor from attributes, a shape or a count.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

template <class Number>
std::shared_ptr<const std::vector<std::byte>> bytesOf(const Number* numbers, std::size_t count)
{
    if (count > static_cast<std::size_t>(kMaxKeptElements))
        return nullptr;
    const auto* first = reinterpret_cast<const std::byte*>(numbers);
    return std::make_shared<const std::vector<std::byte>>(first, first + count * sizeof(Number));
}

Dims dimsOf(const onnx::TensorProto& tensor)
{
    if (static_cast<std::size_t>(tensor.dims_size()) > kMaxRank)
        failInference("a constant has too many dimensions");
    Dims dims(tensor.dims().begin(), tensor.dims().end());
    if (!allKnown(dims))
        failInference("a constant has a negative extent");
    return dims;
}

/// Type, shape and content that an attribute of a Constant gives; false where it is none of those.
bool readConstant(const onnx::AttributeProto& attribute, ValueInfo& value)
{
    const std::string& name = attribute.name();
    if (name == "value" && attribute.has_t()) {
        value.type = elementTypeFromOnnx(attribute.t().data_type());
        value.shape = Shape::of(dimsOf(attribute.t()));
        value.value = tensorBytes(attribute.t());
        return true;
    }
    if (name == "sparse_value" && attribute.has_sparse_tensor()) {
        value.type = elementTypeFromOnnx(attribute.sparse_tensor().values().data_type());
        const auto& dims = attribute.sparse_tensor().dims();
        value.shape = Shape::of({dims.begin(), dims.end()});
        return true;
    }
    if (name == "value_int" || name == "value_ints") {
        value.type = Int64;
        const bool scalar = name == "value_int";
        const std::int64_t one = attribute.i();
        value.shape = scalar ? Shape::of({}) : Shape::of({attribute.ints_size()});
        value.value = scalar ? bytesOf(&one, 1)
                             : bytesOf(attribute.ints().data(), static_cast<std::size_t>(attribute.ints_size()));
        return true;
    }
    if (name == "value_float" || name == "value_floats") {
        value.type = Float32;
        const bool scalar = name == "value_float";
        const float one = attribute.f();
        value.shape = scalar ? Shape::of({}) : Shape::of({attribute.floats_size()});
        value.value = scalar ? bytesOf(&one, 1)
                             : bytesOf(attribute.floats().data(), static_cast<std::size_t>(attribute.floats_size()));
        return true;
    }
    if (name == "value_string" || name == "value_strings") {
        value.type = String;
        value.shape = name == "value_string" ? Shape::of({}) : Shape::of({attribute.strings_size()});
        return true;
    }
    return false;
}

bool constant(NodeContext& c)
{
    ValueInfo value;
    for (const onnx::AttributeProto& attribute : c.node().attribute()) {
        if (readConstant(attribute, value))
            break;
    }
    c.setOutput(0, std::move(value));
    return true;
}

} // namespace

std::optional<Dims> shapeOperand(NodeContext& c, std::size_t i)
{
    auto dims = c.partialIntegersOf(i);
    if (!dims)
        return std::nullopt;
    const std::int64_t lowest = c.integersOf(i) ? 0 : kUnknownDim;
    if (std::any_of(dims->begin(), dims->end(), [lowest](std::int64_t extent) { return extent < lowest; }))
        failInference("a shape has a negative extent");
    return dims;
}

namespace {

bool constantOfShape(NodeContext& c)
{
    const auto* filler = c.attribute("value");
    c.setType(0, filler && filler->has_t() ? elementTypeFromOnnx(filler->t().data_type()) : Float32);
    if (auto dims = shapeOperand(c, 0))
        c.setDims(0, std::move(*dims));
    return true;
}

} // namespace

ElementType typeAttribute(NodeContext& c, std::string_view name, ElementType fallback)
{
    if (!c.attribute(name))
        return fallback;
    return elementTypeFromOnnx(static_cast<int>(c.intAttribute(name, 0)));
}

namespace {

bool eyeLike(NodeContext& c)
{
    c.copyDims(0, 0);
    c.setType(0, typeAttribute(c, "dtype", c.type(0)));
    return true;
}

bool random(NodeContext& c)
{
    c.setType(0, typeAttribute(c, "dtype", Float32));
    auto dims = c.intsAttribute("shape");
    if (!dims)
        return true;
    if (!allKnown(*dims))
        failInference("a shape has a negative extent");
    c.setDims(0, std::move(*dims));
    return true;
}

bool randomLike(NodeContext& c)
{
    c.copyDims(0, 0);
    c.setType(0, typeAttribute(c, "dtype", c.type(0)));
    return true;
}

bool multinomial(NodeContext& c)
{
    c.setType(0, typeAttribute(c, "dtype", Int32));
    const std::int64_t samples = c.intAttribute("sample_size", 1);
    if (samples < 0)
        failInference("a negative number of samples");
    c.setDims(0, {c.hasShape(0) && c.rank(0) == 2 ? c.dims(0)[0] : kUnknownDim, samples});
    return true;
}

/// max(ceil((limit - start) / delta), 0), exactly for integers.
std::int64_t rangeCount(std::int64_t start, std::int64_t limit, std::int64_t delta)
{
    if (delta == 0)
        failInference("a range with a step of 0");
    const bool empty = delta > 0 ? limit <= start : limit >= start;
    if (empty)
        return 0;
    // Unsigned differences are exact over the whole range.
    const auto from = static_cast<std::uint64_t>(delta > 0 ? start : limit);
    const auto to = static_cast<std::uint64_t>(delta > 0 ? limit : start);
    const std::uint64_t step = delta > 0 ? static_cast<std::uint64_t>(delta) : 0 - static_cast<std::uint64_t>(delta);
    const std::uint64_t distance = to - from;
    const std::uint64_t count = distance / step + (distance % step != 0);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        failInference("a size does not fit 63 bits");
    return static_cast<std::int64_t>(count);
}

std::int64_t rangeCount(double start, double limit, double delta)
{
    const double count = std::ceil((limit - start) / delta);
    if (!(count > 0))
        return 0;
    if (!(count < 9.0e18))
        failInference("a size does not fit 63 bits");
    return static_cast<std::int64_t>(count);
}

bool range(NodeContext& c)
{
    c.setType(0, c.type(0) != Undefined ? c.type(0) : c.type(1));
    std::int64_t count = kUnknownDim;
    if (const auto start = c.integerOf(0), limit = c.integerOf(1), delta = c.integerOf(2); start && limit && delta) {
        count = rangeCount(*start, *limit, *delta);
    } else {
        const auto from = c.floatsOf(0), to = c.floatsOf(1), by = c.floatsOf(2);
        if (from && to && by && from->size() == 1 && to->size() == 1 && by->size() == 1)
            count = rangeCount((*from)[0], (*to)[0], (*by)[0]);
    }
    c.setDims(0, {count});
    return true;
}

bool shape(NodeContext& c)
{
    c.setType(0, Int64);
    if (!c.hasShape(0)) {
        c.setDims(0, {kUnknownDim});
        return true;
    }
    const auto rank = static_cast<std::int64_t>(c.rank(0));
    const auto clamped = [rank](std::int64_t position) {
        return std::clamp<std::int64_t>(position < 0 ? position + rank : position, 0, rank);
    };
    const std::int64_t start = clamped(c.intAttribute("start", 0));
    const std::int64_t end = clamped(c.intAttribute("end", rank));
    c.setDims(0, {std::max<std::int64_t>(end - start, 0)});
    return true;
}

bool size(NodeContext& c)
{
    c.set(0, Int64, {});
    return true;
}

bool oneHot(NodeContext& c)
{
    c.setType(0, c.type(2));
    if (!c.hasShape(0))
        return true;
    auto depth = c.integerOf(1);
    if (const auto real = c.floatsOf(1); real && real->size() == 1 && (*real)[0] >= 0 && (*real)[0] < 9.0e18)
        depth = static_cast<std::int64_t>((*real)[0]);
    if (depth && *depth < 0)
        failInference("a negative depth");
    Dims dims = c.dims(0);
    const std::size_t axis = normalizedAxis(c.intAttribute("axis", -1), dims.size() + 1);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), depth.value_or(kUnknownDim));
    c.setDims(0, std::move(dims));
    return true;
}

bool window(NodeContext& c)
{
    c.setType(0, typeAttribute(c, "output_datatype", Float32));
    const auto count = c.integerOf(0);
    if (count && *count < 0)
        failInference("a negative window size");
    c.setDims(0, {count.value_or(kUnknownDim)});
    return true;
}

bool melWeightMatrix(NodeContext& c)
{
    c.setType(0, typeAttribute(c, "output_datatype", Float32));
    const auto bins = c.integerOf(0);
    const auto length = c.integerOf(1);
    if ((bins && *bins < 0) || (length && *length < 0))
        failInference("a negative extent");
    c.setDims(0, {length ? *length / 2 + 1 : kUnknownDim, bins.value_or(kUnknownDim)});
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    {"Constant", constant},
    {"ConstantOfShape", constantOfShape},
    {"EyeLike", eyeLike},
    {"RandomNormal", random},
    {"RandomUniform", random},
    {"RandomNormalLike", randomLike},
    {"RandomUniformLike", randomLike},
    {"Bernoulli", randomLike},
    {"Multinomial", multinomial},
    {"Range", range},
    {"Shape", shape},
    {"Size", size},
    {"OneHot", oneHot},
    {"HannWindow", window},
    {"HammingWindow", window},
    {"BlackmanWindow", window},
    {"MelWeightMatrix", melWeightMatrix},
};

} // namespace

std::span<const ShapeRuleEntry> creationRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
