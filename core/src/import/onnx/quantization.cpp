// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/quantization.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

namespace arenascope::onnx_import {

namespace {

constexpr int kFromAttribute = -100; ///< the axis is that of the attribute "axis", 1 where there is none
constexpr int kNoAxis = -101;        ///< one scale only
constexpr int kOutput = -1;

/// A quantised operand: positions of the tensor (kOutput: the first output), its scale and zero point among the inputs.
struct Operand {
    int tensor = 0;
    int scale = 0;
    int zeroPoint = 0;
    int axis = kNoAxis; ///< of several scales; negative ones count from the last dimension
};

struct Kind {
    std::string_view name;
    std::array<Operand, 3> operands; ///< those that are not filled in are none
};

// https://onnx.ai/onnx/operators/ and ONNX Runtime's docs/ContribOperators.md
constexpr Kind kKinds[] = {
    {"QuantizeLinear", {{{kOutput, 1, 2, kFromAttribute}}}},
    {"DequantizeLinear", {{{0, 1, 2, kFromAttribute}}}},
    {"QLinearConv", {{{0, 1, 2}, {3, 4, 5, 0}, {kOutput, 6, 7}}}},
    {"QLinearMatMul", {{{0, 1, 2, -2}, {3, 4, 5, -1}, {kOutput, 6, 7, -2}}}},
    {"QGemm", {{{0, 1, 2}, {3, 4, 5}, {kOutput, 7, 8}}}},
    {"QLinearAdd", {{{0, 1, 2}, {3, 4, 5}, {kOutput, 6, 7}}}},
    {"QLinearMul", {{{0, 1, 2}, {3, 4, 5}, {kOutput, 6, 7}}}},
    {"QLinearWhere", {{{1, 2, 3}, {4, 5, 6}, {kOutput, 7, 8}}}},
    {"QLinearLeakyRelu", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearSigmoid", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearSoftmax", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearAveragePool", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearGlobalAveragePool", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearReduceMean", {{{0, 1, 2}, {kOutput, 3, 4}}}},
};
constexpr std::string_view kConcat = "QLinearConcat";

/// IEEE 754 half precision.
float fromFloat16(std::uint16_t bits)
{
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    float value = 0;
    if (exponent == 0)
        value = std::ldexp(static_cast<float>(fraction), -24);
    else if (exponent == 31)
        value = fraction == 0 ? INFINITY : NAN;
    else
        value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

template <class Stored, class Convert>
std::vector<float> converted(const std::vector<std::byte>& bytes, Convert convert)
{
    std::vector<float> result(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < result.size(); ++i) {
        Stored element;
        std::memcpy(&element, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        result[i] = convert(element);
    }
    return result;
}

std::vector<float> realsOf(const ValueInfo& value)
{
    const auto cast = [](auto element) { return static_cast<float>(element); };
    switch (value.type) {
    case ElementType::Float32: return converted<float>(*value.value, cast);
    case ElementType::Float64: return converted<double>(*value.value, cast);
    case ElementType::Float16: return converted<std::uint16_t>(*value.value, fromFloat16);
    case ElementType::BFloat16:
        return converted<std::uint16_t>(
            *value.value, [](std::uint32_t bits) { return std::bit_cast<float>(bits << 16); });
    default: return {};
    }
}

class Reader {
public:
    explicit Reader(const GraphRun& run) : m_run(run), m_scope(*run.scope) {}
    std::map<std::int32_t, Quantization> read();

private:
    void readNode(const NodeLinks& links);
    void readConcat(const NodeLinks& links);
    void readAnnotation(const onnx::TensorAnnotation& annotation);
    void add(const NodeLinks& links, const Operand& operand);
    void addSlots(std::int32_t tensor, std::int32_t scale, std::optional<std::int32_t> zeroPoint, std::int64_t axis);
    std::int32_t slotOf(const std::string& name) const;

    const GraphRun& m_run;
    const Scope& m_scope;
    std::map<std::int32_t, Quantization> m_found;
};

std::int32_t inputOf(const NodeLinks& links, int position)
{
    const auto index = static_cast<std::size_t>(position);
    return index < links.inputs.size() ? links.inputs[index] : -1;
}

std::int64_t axisOf(const onnx::NodeProto& node, std::int64_t axis)
{
    if (axis != kFromAttribute)
        return axis;
    const auto it = std::ranges::find(node.attribute(), "axis", &onnx::AttributeProto::name);
    return it != node.attribute().end() && it->has_i() ? it->i() : 1;
}

void Reader::add(const NodeLinks& links, const Operand& operand)
{
    std::int32_t tensor = -1;
    if (operand.tensor != kOutput)
        tensor = inputOf(links, operand.tensor);
    else if (!links.outputs.empty())
        tensor = links.outputs.front();
    const std::int32_t zeroPoint = inputOf(links, operand.zeroPoint);
    addSlots(tensor, inputOf(links, operand.scale), zeroPoint < 0 ? std::nullopt : std::optional(zeroPoint),
             axisOf(*links.node, operand.axis));
}

void Reader::addSlots(std::int32_t tensor, std::int32_t scale, std::optional<std::int32_t> zeroPoint, std::int64_t axis)
{
    if (tensor < 0 || scale < 0 || m_found.contains(tensor))
        return;
    const ValueInfo& scales = m_run.value(scale);
    if (!scales.isConstant || scales.value == nullptr || scales.shape.dims.size() > 1)
        return; // more dimensions: a scale for each block
    Quantization found;
    found.scales = realsOf(scales);
    if (found.scales.empty())
        return;
    found.zeroPoints.assign(found.scales.size(), 0);
    if (zeroPoint) {
        const ValueInfo& zeros = m_run.value(*zeroPoint);
        const auto values = zeros.isConstant ? integers(zeros) : std::nullopt;
        if (!values || values->size() != found.scales.size())
            return;
        found.zeroPoints = *values;
    }
    if (found.scales.size() > 1) {
        const auto& dims = m_run.value(tensor).shape.dims;
        const std::int64_t positive = axis < 0 ? axis + std::ssize(dims) : axis;
        if (axis == kNoAxis || positive < 0 || positive >= std::ssize(dims)
            || dims[static_cast<std::size_t>(positive)] != std::ssize(found.scales))
            return;
        found.axis = static_cast<int>(positive);
    }
    m_found.emplace(tensor, std::move(found));
}

/// Scale and zero point of the output, then a triple an input.
void Reader::readConcat(const NodeLinks& links)
{
    add(links, {kOutput, 0, 1});
    for (int i = 2; i + 2 < static_cast<int>(links.inputs.size()); i += 3)
        add(links, {i, i + 1, i + 2});
}

void Reader::readNode(const NodeLinks& links)
{
    const std::string& domain = links.node->domain();
    if (!domain.empty() && domain != "ai.onnx" && domain != "com.microsoft")
        return;
    const std::string_view name = links.node->op_type();
    if (name == kConcat)
        readConcat(links);
    const auto kind = std::ranges::find(kKinds, name, &Kind::name);
    if (kind == std::end(kKinds))
        return;
    for (const Operand& operand : kind->operands) {
        if (operand.zeroPoint != 0)
            add(links, operand);
    }
}

std::int32_t Reader::slotOf(const std::string& name) const
{
    const auto it = m_scope.slotOf.find(name);
    return it == m_scope.slotOf.end() ? -1 : it->second;
}

void Reader::readAnnotation(const onnx::TensorAnnotation& annotation)
{
    std::int32_t scale = -1;
    std::optional<std::int32_t> zeroPoint;
    for (const auto& entry : annotation.quant_parameter_tensor_names()) {
        const std::int32_t slot = slotOf(entry.value());
        if (entry.key() == "SCALE_TENSOR")
            scale = slot;
        else if (entry.key() == "ZERO_POINT_TENSOR" && slot >= 0)
            zeroPoint = slot;
    }
    addSlots(slotOf(annotation.tensor_name()), scale, zeroPoint, kNoAxis);
}

std::map<std::int32_t, Quantization> Reader::read()
{
    for (const std::int32_t node : m_scope.order)
        readNode(m_scope.nodes[static_cast<std::size_t>(node)]);
    for (const auto& annotation : m_scope.graph->quantization_annotation())
        readAnnotation(annotation);
    return std::move(m_found);
}

} // namespace

std::map<std::int32_t, Quantization> quantizationsOf(const GraphRun& run)
{
    return Reader(run).read();
}

} // namespace arenascope::onnx_import
