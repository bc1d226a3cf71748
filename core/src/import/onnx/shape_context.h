// SPDX-License-Identifier: MIT
// What a shape rule sees of one ONNX node, and where it puts what it finds out.
#pragma once

#include "core/src/import/onnx/inference.h"

#include <stdexcept>
#include <string_view>

namespace arenascope::onnx_import {

/// Extents while inferring: >= 0 known, kUnknownDim unknown, below that a symbol of the node at hand
/// (equal numbers are equal symbols). Rules copy them freely and do arithmetic only on known ones.
using Dims = std::vector<std::int64_t>;

/// More dimensions than any real tensor has; above this a shape is treated as unknown.
inline constexpr std::size_t kMaxRank = 64;
/// The opset to assume where the file does not say: every operator in its newest form.
inline constexpr std::int64_t kNewestOpset = 1000;

constexpr bool isKnown(std::int64_t extent) { return extent >= 0; }
bool allKnown(std::span<const std::int64_t> dims);

/// The inputs of a node do not fit the operator, or a size does not fit 63 bits. Stays inside the inference.
class InferenceFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};
[[noreturn]] void failInference(std::string message);

/// Sums, products and quotients of extents: unknown where an operand is; fail on overflow or where the result is below 0.
std::int64_t addExtents(std::int64_t a, std::int64_t b);
std::int64_t multiplyExtents(std::int64_t a, std::int64_t b);
std::int64_t productOf(std::span<const std::int64_t> dims);
/// a / b where b > 0 divides a; fails otherwise.
std::int64_t divideExtents(std::int64_t a, std::int64_t b);
/// The same extent from two sources: the known one; fails where both are known and differ.
std::int64_t mergeExtents(std::int64_t a, std::int64_t b);
/// One extent of tensors that are stretched to each other (numpy broadcasting).
std::int64_t broadcastExtents(std::int64_t a, std::int64_t b);
Dims broadcastDims(std::span<const std::int64_t> a, std::span<const std::int64_t> b);
/// axis in [-rank, rank) as [0, rank); fails outside.
std::size_t normalizedAxis(std::int64_t axis, std::size_t rank);
/// For each dimension of a tensor of that rank whether it is among the axes; fails on repeated ones.
std::vector<bool> axisMask(std::span<const std::int64_t> axes, std::size_t rank);

class NodeContext {
public:
    NodeContext(const onnx::NodeProto& node, std::span<const ValueInfo* const> inputs, std::int64_t opset,
                const SubgraphInference& subgraph);

    const onnx::NodeProto& node() const { return m_node; }
    std::string_view kind() const { return m_node.op_type(); }
    /// Version of the node's domain.
    std::int64_t opset() const { return m_opset; }

    // Inputs. Indices may be out of range: such an input is left out.
    std::size_t inputCount() const { return m_inputs.size(); }
    bool hasInput(std::size_t i) const { return i < m_inputs.size() && m_inputs[i]; }
    const ValueInfo* input(std::size_t i) const { return i < m_inputs.size() ? m_inputs[i] : nullptr; }
    ElementType type(std::size_t i) const { return hasInput(i) ? m_inputs[i]->type : ElementType::Undefined; }
    /// A tensor whose rank is known.
    bool hasShape(std::size_t i) const { return i < m_dims.size() && m_dims[i].has_value(); }
    const Dims& dims(std::size_t i) const { return *m_dims[i]; }
    std::size_t rank(std::size_t i) const { return m_dims[i]->size(); }
    /// All elements of an integer input where each is known, constant or not.
    std::optional<std::vector<std::int64_t>> integersOf(std::size_t i) const;
    /// The same with kUnknownDim for unknown elements (a known -1 looks alike); nothing where not tracked at all.
    std::optional<std::vector<std::int64_t>> partialIntegersOf(std::size_t i) const;
    /// The only element of a known integer input.
    std::optional<std::int64_t> integerOf(std::size_t i) const;
    /// All elements of a known floating-point input.
    std::optional<std::vector<double>> floatsOf(std::size_t i) const;

    // Attributes; the fallback also where the attribute is of another type.
    const onnx::AttributeProto* attribute(std::string_view name) const;
    std::int64_t intAttribute(std::string_view name, std::int64_t fallback) const;
    double floatAttribute(std::string_view name, double fallback) const;
    std::string_view stringAttribute(std::string_view name, std::string_view fallback) const;
    std::optional<std::vector<std::int64_t>> intsAttribute(std::string_view name) const;
    std::optional<std::vector<double>> floatsAttribute(std::string_view name) const;
    const onnx::GraphProto* graphAttribute(std::string_view name) const;
    std::vector<ValueInfo> runSubgraph(const onnx::GraphProto& body, std::span<const ValueInfo> inputs) const;

    // Outputs. Indices may be out of range: the node does not make that output.
    std::size_t outputCount() const { return m_outputs.size(); }
    void setType(std::size_t o, ElementType type);
    /// Fails on more than kMaxRank dimensions.
    void setDims(std::size_t o, Dims dims);
    void set(std::size_t o, ElementType type, Dims dims);
    /// Type and shape of input i.
    void copyInput(std::size_t i, std::size_t o);
    /// Shape of input i, where it is known.
    void copyDims(std::size_t i, std::size_t o);
    void setOutput(std::size_t o, ValueInfo value);
    ValueInfo* output(std::size_t o) { return o < m_outputs.size() ? &m_outputs[o] : nullptr; }
    std::vector<ValueInfo> takeOutputs() { return std::move(m_outputs); }

private:
    std::int64_t codeOf(const Shape& shape, std::size_t axis);
    Shape decoded(Dims dims) const;

    const onnx::NodeProto& m_node;
    std::span<const ValueInfo* const> m_inputs;
    const SubgraphInference& m_subgraph;
    std::int64_t m_opset;
    std::vector<std::optional<Dims>> m_dims;
    std::vector<std::string> m_symbols; ///< code -2 - i is symbol i
    std::vector<ValueInfo> m_outputs;
};

/// Fills the outputs of the context; false: the rule does not cover this form of the operator.
using ShapeRule = bool (*)(NodeContext&);

} // namespace arenascope::onnx_import
