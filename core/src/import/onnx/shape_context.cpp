// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/shape_context.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace arenascope::onnx_import {

bool allKnown(std::span<const std::int64_t> dims)
{
    return std::all_of(dims.begin(), dims.end(), isKnown);
}

void failInference(std::string message)
{
    throw InferenceFailure(message);
}

std::int64_t addExtents(std::int64_t a, std::int64_t b)
{
    if (!isKnown(a) || !isKnown(b))
        return b == 0 ? a : a == 0 ? b : kUnknownDim;
    const auto sum = checkedAdd(a, b);
    if (!sum)
        failInference("a size does not fit 63 bits");
    return *sum;
}

std::int64_t multiplyExtents(std::int64_t a, std::int64_t b)
{
    if (a == 0 || b == 0)
        return 0;
    if (!isKnown(a) || !isKnown(b))
        return b == 1 ? a : a == 1 ? b : kUnknownDim;
    const auto product = checkedMultiply(a, b);
    if (!product)
        failInference("a size does not fit 63 bits");
    return *product;
}

std::int64_t productOf(std::span<const std::int64_t> dims)
{
    // A zero makes the whole product zero, even where the others would overflow.
    if (std::find(dims.begin(), dims.end(), 0) != dims.end())
        return 0;
    std::int64_t product = 1;
    for (const std::int64_t extent : dims)
        product = multiplyExtents(product, extent);
    return product;
}

std::int64_t divideExtents(std::int64_t a, std::int64_t b)
{
    if (b == 1)
        return a;
    if (!isKnown(a) || !isKnown(b))
        return kUnknownDim;
    if (b == 0 || a % b != 0)
        failInference(fmt::format("{} is not divisible by {}", a, b));
    return a / b;
}

std::int64_t mergeExtents(std::int64_t a, std::int64_t b)
{
    if (!isKnown(a))
        return b == kUnknownDim ? a : b;
    if (isKnown(b) && a != b)
        failInference(fmt::format("extents {} and {} should be equal", a, b));
    return a;
}

std::int64_t broadcastExtents(std::int64_t a, std::int64_t b)
{
    if (a == b || b == 1)
        return a;
    if (a == 1)
        return b;
    if (isKnown(a) && isKnown(b))
        failInference(fmt::format("extents {} and {} cannot be broadcast to each other", a, b));
    // One is unknown: it must be 1 or equal to the other, which is known and not 1.
    if (isKnown(a))
        return a;
    return isKnown(b) ? b : kUnknownDim;
}

Dims broadcastDims(std::span<const std::int64_t> a, std::span<const std::int64_t> b)
{
    if (a.size() < b.size())
        std::swap(a, b);
    Dims result(a.begin(), a.end());
    const std::size_t shift = a.size() - b.size();
    for (std::size_t i = 0; i < b.size(); ++i)
        result[shift + i] = broadcastExtents(a[shift + i], b[i]);
    return result;
}

std::size_t normalizedAxis(std::int64_t axis, std::size_t rank)
{
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (axis < -signedRank || axis >= signedRank)
        failInference(fmt::format("axis {} is outside a tensor with {} dimensions", axis, rank));
    return static_cast<std::size_t>(axis < 0 ? axis + signedRank : axis);
}

std::vector<bool> axisMask(std::span<const std::int64_t> axes, std::size_t rank)
{
    std::vector<bool> mask(rank, false);
    for (const std::int64_t axis : axes) {
        const std::size_t position = normalizedAxis(axis, rank);
        if (mask[position])
            failInference(fmt::format("axis {} is given twice", axis));
        mask[position] = true;
    }
    return mask;
}

NodeContext::NodeContext(const onnx::NodeProto& node, std::span<const ValueInfo* const> inputs, std::int64_t opset,
                         const SubgraphInference& subgraph)
    : m_node(node)
    , m_inputs(inputs)
    , m_subgraph(subgraph)
    , m_opset(opset)
    , m_dims(inputs.size())
    , m_outputs(static_cast<std::size_t>(node.output_size()))
{
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ValueInfo* value = inputs[i];
        if (!value || !value->otherKind.empty() || !value->shape.rankKnown || value->shape.dims.size() > kMaxRank)
            continue;
        Dims& dims = m_dims[i].emplace(value->shape.dims);
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            if (dims[axis] < 0)
                dims[axis] = codeOf(value->shape, axis);
        }
    }
}

std::int64_t NodeContext::codeOf(const Shape& shape, std::size_t axis)
{
    if (axis >= shape.symbols.size() || shape.symbols[axis].empty())
        return kUnknownDim;
    const auto found = std::find(m_symbols.begin(), m_symbols.end(), shape.symbols[axis]);
    const auto index = found - m_symbols.begin();
    if (found == m_symbols.end())
        m_symbols.push_back(shape.symbols[axis]);
    return -2 - index;
}

Shape NodeContext::decoded(Dims dims) const
{
    Shape shape = Shape::of(std::move(dims));
    for (std::size_t axis = 0; axis < shape.dims.size(); ++axis) {
        std::int64_t& extent = shape.dims[axis];
        if (extent >= kUnknownDim)
            continue;
        shape.symbols.resize(shape.dims.size());
        const auto index = static_cast<std::uint64_t>(-2 - extent);
        if (index < m_symbols.size())
            shape.symbols[axis] = m_symbols[index];
        extent = kUnknownDim;
    }
    return shape;
}

std::optional<std::vector<std::int64_t>> NodeContext::integersOf(std::size_t i) const
{
    if (!hasInput(i))
        return std::nullopt;
    if (auto known = integers(*m_inputs[i]))
        return known;
    const std::vector<std::int64_t>& partial = m_inputs[i]->partialValue;
    if (partial.empty() || !allKnown(partial))
        return std::nullopt;
    return partial;
}

std::optional<std::vector<std::int64_t>> NodeContext::partialIntegersOf(std::size_t i) const
{
    if (!hasInput(i))
        return std::nullopt;
    if (auto known = integers(*m_inputs[i]))
        return known;
    if (!m_inputs[i]->partialValue.empty())
        return m_inputs[i]->partialValue;
    // Even where no element is known, their number may be.
    if (!hasShape(i) || rank(i) != 1 || !isKnown(dims(i)[0]) || dims(i)[0] > static_cast<std::int64_t>(kMaxRank))
        return std::nullopt;
    return std::vector<std::int64_t>(static_cast<std::size_t>(dims(i)[0]), kUnknownDim);
}

std::optional<std::int64_t> NodeContext::integerOf(std::size_t i) const
{
    const auto all = integersOf(i);
    if (!all || all->size() != 1)
        return std::nullopt;
    return all->front();
}

std::optional<std::vector<double>> NodeContext::floatsOf(std::size_t i) const
{
    if (!hasInput(i) || !m_inputs[i]->value)
        return std::nullopt;
    const std::vector<std::byte>& bytes = *m_inputs[i]->value;
    const auto widen = [&bytes](auto example) {
        std::vector<double> result(bytes.size() / sizeof(example));
        for (std::size_t k = 0; k < result.size(); ++k) {
            std::memcpy(&example, bytes.data() + k * sizeof(example), sizeof(example));
            result[k] = static_cast<double>(example);
        }
        return result;
    };
    if (m_inputs[i]->type == ElementType::Float32)
        return widen(float());
    if (m_inputs[i]->type == ElementType::Float64)
        return widen(double());
    return std::nullopt;
}

const onnx::AttributeProto* NodeContext::attribute(std::string_view name) const
{
    for (const onnx::AttributeProto& candidate : m_node.attribute()) {
        if (candidate.name() == name)
            return &candidate;
    }
    return nullptr;
}

std::int64_t NodeContext::intAttribute(std::string_view name, std::int64_t fallback) const
{
    const auto* found = attribute(name);
    return found && found->has_i() ? found->i() : fallback;
}

double NodeContext::floatAttribute(std::string_view name, double fallback) const
{
    const auto* found = attribute(name);
    return found && found->has_f() ? static_cast<double>(found->f()) : fallback;
}

std::string_view NodeContext::stringAttribute(std::string_view name, std::string_view fallback) const
{
    const auto* found = attribute(name);
    return found && found->has_s() ? std::string_view(found->s()) : fallback;
}

std::optional<std::vector<std::int64_t>> NodeContext::intsAttribute(std::string_view name) const
{
    const auto* found = attribute(name);
    // A list of none has no element to tell it from a list of something else, so its type decides where given.
    if (!found || (found->ints().empty() && found->has_type() && found->type() != onnx::AttributeProto::INTS))
        return std::nullopt;
    return std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<std::vector<double>> NodeContext::floatsAttribute(std::string_view name) const
{
    const auto* found = attribute(name);
    if (!found || found->floats().empty())
        return std::nullopt;
    return std::vector<double>(found->floats().begin(), found->floats().end());
}

const onnx::GraphProto* NodeContext::graphAttribute(std::string_view name) const
{
    const auto* found = attribute(name);
    return found && found->has_g() ? &found->g() : nullptr;
}

std::vector<ValueInfo> NodeContext::runSubgraph(const onnx::GraphProto& body, std::span<const ValueInfo> inputs) const
{
    if (!m_subgraph)
        return {};
    return m_subgraph(body, inputs);
}

void NodeContext::setType(std::size_t o, ElementType type)
{
    if (o < m_outputs.size())
        m_outputs[o].type = type;
}

void NodeContext::setDims(std::size_t o, Dims dims)
{
    if (dims.size() > kMaxRank)
        failInference(fmt::format("{} dimensions are more than any operator takes", dims.size()));
    if (o < m_outputs.size())
        m_outputs[o].shape = decoded(std::move(dims));
}

void NodeContext::set(std::size_t o, ElementType type, Dims dims)
{
    setType(o, type);
    setDims(o, std::move(dims));
}

void NodeContext::copyInput(std::size_t i, std::size_t o)
{
    setType(o, type(i));
    copyDims(i, o);
}

void NodeContext::copyDims(std::size_t i, std::size_t o)
{
    if (hasShape(i) && o < m_outputs.size())
        m_outputs[o].shape = m_inputs[i]->shape;
}

void NodeContext::setOutput(std::size_t o, ValueInfo value)
{
    if (o < m_outputs.size())
        m_outputs[o] = std::move(value);
}

} // namespace arenascope::onnx_import
