// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/assembly.h"

#include "core/src/import/onnx/attributes.h"
#include "core/src/import/onnx/quantization.h"

#include <algorithm>
#include <unordered_set>

namespace arenascope::onnx_import {

namespace {

std::string_view reasonOf(Fate fate)
{
    return fate == Fate::StaticShape ? "shape of a tensor whose shape is static" : "constant inputs";
}

/// The tensor of a Constant operator; null for other operators and for other kinds of constants.
const onnx::TensorProto* constantOf(const onnx::NodeProto& node)
{
    if (node.op_type() != "Constant")
        return nullptr;
    const auto isValue = [](const onnx::AttributeProto& attribute) { return attribute.name() == "value" && attribute.has_t(); };
    const auto it = std::ranges::find_if(node.attribute(), isValue);
    return it == node.attribute().end() ? nullptr : &it->t();
}

std::string domainOf(const onnx::NodeProto& node)
{
    return node.domain() == "ai.onnx" ? std::string() : node.domain();
}

class Assembly {
public:
    Assembly(const GraphRun& run, const RunContext& context, WeightLocator& weights, Findings& findings)
        : m_run(run), m_scope(*run.scope), m_context(context), m_weights(weights), m_findings(findings),
          m_quantizations(quantizationsOf(run)), m_ids(run.values.size())
    {
    }
    Result<std::shared_ptr<const Graph>> build(ModelInfo info);
    /// The folded operators that these slots hang on, with the slots as outputs; null where they do not make a graph.
    std::shared_ptr<const Graph> buildConstants(const std::vector<std::int32_t>& wanted);

private:
    void addInputs();
    void addOperator(std::int32_t index);
    void addOutputs();
    void addOmissions();
    void addWeightBytes(Bytes bytes);
    void addWeightsOf(const Scope& scope, bool isBody);
    std::vector<TensorId> idsOf(const std::vector<std::int32_t>& slots);
    TensorId idOf(std::int32_t slot);
    void setConstantContent(std::int32_t slot, TensorId id);
    bool isFoldedResult(std::int32_t slot) const;
    Operator operatorOf(std::int32_t index);
    void describe(std::int32_t slot, TensorId id);
    void reportType(std::int32_t slot);
    void reportUnknown(std::int32_t index, std::int32_t output);
    std::string remedyFor(std::int32_t output) const;
    std::string nodeName(std::int32_t index) const;
    const Slot& slot(std::int32_t index) const { return m_scope.slots[static_cast<std::size_t>(index)]; }
    std::string name(std::int32_t index) const { return std::string(slot(index).name); }

    const GraphRun& m_run;
    const Scope& m_scope;
    const RunContext& m_context;
    WeightLocator& m_weights;
    Findings& m_findings;
    std::map<std::int32_t, Quantization> m_quantizations; ///< by slot
    GraphBuilder m_builder;
    std::vector<TensorId> m_ids; ///< by slot, invalid until it is needed
    std::vector<std::int32_t> m_withoutContent; ///< constants that only running the folded operators can give
    ModelInfo m_info;
};

std::string Assembly::nodeName(std::int32_t index) const
{
    const onnx::NodeProto& node = *m_scope.nodes[static_cast<std::size_t>(index)].node;
    return node.name().empty() ? node.op_type() + "_" + std::to_string(index) : node.name();
}

void Assembly::describe(std::int32_t index, TensorId id)
{
    const ValueInfo& value = m_run.value(index);
    m_builder.describe(id, value.type, value.shape);
    // What is no plain tensor has no fixed place in an arena, but the network around it can be planned.
    if (!value.otherKind.empty() || value.type == ElementType::String)
        m_builder.setBytes(id, 0);
    if (const auto it = m_quantizations.find(index); it != m_quantizations.end())
        m_builder.setQuantization(id, it->second);
}

void Assembly::reportType(std::int32_t index)
{
    const ValueInfo& value = m_run.value(index);
    std::string kind = value.otherKind;
    if (kind.empty() && value.type == ElementType::String)
        kind = "tensor of strings";
    else if (kind.starts_with("optional"))
        kind = "value of type " + kind;
    if (!kind.empty())
        m_findings.add(Severity::Warning,
                       Error{ErrorCode::UnsupportedType, "tensor '" + name(index) + "'", {name(index), kind}});
}

/// Made by a folded operator whose result was too large to be worked out while importing.
bool Assembly::isFoldedResult(std::int32_t index) const
{
    if (slot(index).origin != Origin::Node || m_run.value(index).value != nullptr)
        return false;
    return constantOf(*m_scope.nodes[static_cast<std::size_t>(slot(index).producer)].node) == nullptr;
}

TensorId Assembly::idOf(std::int32_t index)
{
    if (index < 0)
        return {};
    TensorId& id = m_ids[static_cast<std::size_t>(index)];
    if (id.isValid())
        return id;
    id = m_builder.tensor(slot(index).name);
    describe(index, id);
    if (!m_run.isActivation(index))
        setConstantContent(index, id);
    return id;
}

void Assembly::setConstantContent(std::int32_t index, TensorId id)
{
    const bool isWeight = slot(index).origin == Origin::Initializer;
    m_builder.setRole(id, isWeight ? TensorRole::Weight : TensorRole::Constant);
    if (isFoldedResult(index)) {
        m_withoutContent.push_back(index);
        return;
    }
    const ValueInfo& value = m_run.value(index);
    const onnx::TensorProto* content = slot(index).initializer;
    if (slot(index).origin == Origin::Node)
        content = constantOf(*m_scope.nodes[static_cast<std::size_t>(slot(index).producer)].node);
    if (content != nullptr) {
        if (auto source = m_weights.locate(*content, name(index)))
            m_builder.setSource(id, std::move(*source));
    } else if (value.value != nullptr) {
        m_builder.setSource(id, TensorSource{{}, 0, std::ssize(*value.value), *value.value});
    }
}

std::vector<TensorId> Assembly::idsOf(const std::vector<std::int32_t>& slots)
{
    std::vector<TensorId> ids;
    ids.reserve(slots.size());
    for (const std::int32_t slot : slots)
        ids.push_back(idOf(slot));
    return ids;
}

void Assembly::addInputs()
{
    for (const std::int32_t input : m_scope.inputs) {
        const ValueInfo& value = m_run.value(input);
        const TensorId id = m_builder.addInput(slot(input).name, value.type, value.shape);
        m_ids[static_cast<std::size_t>(input)] = id;
        describe(input, id);
        reportType(input);
        if (!byteSize(value))
            m_findings.add(Severity::Warning,
                           Error{ErrorCode::UnknownShape, "input '" + name(input) + "'",
                                 {name(input), "the caller", "--shape " + name(input) + "=1x3x224x224 (or what it is)"}});
    }
}

Operator Assembly::operatorOf(std::int32_t index)
{
    const NodeLinks& links = m_scope.nodes[static_cast<std::size_t>(index)];
    Operator op;
    op.name = links.node->name();
    op.kind = links.node->op_type();
    op.domain = domainOf(*links.node);
    op.inputs = idsOf(links.inputs);
    op.outputs = idsOf(links.outputs);
    op.captures = idsOf(links.captures);
    op.attributes = attributesOf(*links.node, m_weights);
    op.workspace = m_run.nodes[static_cast<std::size_t>(index)].workspace;
    const Opsets& opsets = m_context.opsetsOf(*links.node);
    if (const auto it = opsets.find(op.domain); it != opsets.end())
        op.opset = static_cast<int>(std::clamp<std::int64_t>(it->second, 0, 1'000'000));
    op.fileIndex = index;
    return op;
}

void Assembly::addOperator(std::int32_t index)
{
    m_builder.addOperator(operatorOf(index));
    for (const std::int32_t output : m_scope.nodes[static_cast<std::size_t>(index)].outputs) {
        if (output < 0)
            continue;
        reportType(output);
        if (!byteSize(m_run.value(output)))
            reportUnknown(index, output);
    }
}

/// Only where all that the operator reads is known: what follows from an unknown shape is unknown, too, and would only
/// hide where it begins.
void Assembly::reportUnknown(std::int32_t index, std::int32_t output)
{
    const NodeLinks& links = m_scope.nodes[static_cast<std::size_t>(index)];
    const auto isKnown = [this](std::int32_t slot) { return slot < 0 || byteSize(m_run.value(slot)).has_value(); };
    if (!std::ranges::all_of(links.inputs, isKnown))
        return;
    m_findings.add(Severity::Warning,
                   Error{ErrorCode::UnknownShape, "operator '" + nodeName(index) + "'",
                         {name(output), nodeName(index), remedyFor(output)}});
}

std::string Assembly::remedyFor(std::int32_t output) const
{
    const ValueInfo& value = m_run.value(output);
    std::string pattern;
    for (std::size_t i = 0; i < value.shape.dims.size(); ++i) {
        pattern += i == 0 ? "" : "x";
        pattern += value.shape.dims[i] == kUnknownDim ? "N" : std::to_string(value.shape.dims[i]);
    }
    return "--shape " + name(output) + "=" + (pattern.empty() ? "NxN" : pattern) + " (with numbers for N)";
}

void Assembly::addOutputs()
{
    std::unordered_set<std::int32_t> seen;
    for (const std::int32_t output : m_scope.outputs) {
        if (!seen.insert(output).second) {
            m_findings.add(Severity::Warning, Error{ErrorCode::DuplicateName, {}, {"network outputs", name(output)}});
            continue;
        }
        if (m_run.isActivation(output)) {
            m_builder.addOutput(idOf(output));
            continue;
        }
        m_builder.addOmission({Omission::What::Tensor, name(output), "output", "constant network output",
                               byteSize(m_run.value(output)).value_or(kUnknownBytes)});
    }
}

void Assembly::addWeightBytes(Bytes bytes)
{
    if (bytes != kUnknownBytes)
        m_info.weightBytes = checkedAdd(m_info.weightBytes, bytes).value_or(m_info.weightBytes);
}

void Assembly::addWeightsOf(const Scope& scope, bool isBody)
{
    const std::string reason = isBody ? "weight of a body" : "weight";
    for (const Slot& weight : scope.slots) {
        if (weight.origin != Origin::Initializer)
            continue;
        ValueInfo value;
        if (weight.initializer != nullptr) {
            value.type = elementTypeFromOnnx(weight.initializer->data_type());
            value.shape = Shape::of({weight.initializer->dims().begin(), weight.initializer->dims().end()});
        } else {
            value.type = elementTypeFromOnnx(weight.sparse->values().data_type());
            value.shape = Shape::of({weight.sparse->dims().begin(), weight.sparse->dims().end()});
            m_findings.add(Severity::Note, Error{ErrorCode::UnsupportedType, "weight '" + std::string(weight.name) + "'",
                                                 {std::string(weight.name), "sparse tensor"}});
        }
        const Bytes bytes = byteSize(value).value_or(kUnknownBytes);
        addWeightBytes(bytes);
        m_builder.addOmission({Omission::What::Tensor, std::string(weight.name), "weight", reason, bytes});
    }
    for (const NodeLinks& links : scope.nodes) {
        for (const auto& body : links.bodies)
            addWeightsOf(*body, true);
    }
}

void Assembly::addOmissions()
{
    for (std::size_t i = 0; i < m_scope.nodes.size(); ++i) {
        const NodeLinks& links = m_scope.nodes[i];
        const Fate fate = m_run.nodes[i].fate;
        if (fate == Fate::Runs)
            continue;
        const bool isConstantNode = links.node->op_type() == "Constant" && domainOf(*links.node).empty();
        const std::string reason(isConstantNode ? "constant" : reasonOf(fate));
        m_builder.addOmission({Omission::What::Operator, nodeName(static_cast<std::int32_t>(i)), links.node->op_type(),
                               reason, kUnknownBytes});
        for (const std::int32_t output : links.outputs) {
            if (output < 0)
                continue;
            const Bytes bytes = byteSize(m_run.value(output)).value_or(kUnknownBytes);
            m_builder.addOmission({Omission::What::Tensor, name(output), "constant", reason, bytes});
            if (isConstantNode) // some exporters write all weights as Constant operators
                addWeightBytes(bytes);
        }
    }
}

std::shared_ptr<const Graph> Assembly::buildConstants(const std::vector<std::int32_t>& wanted)
{
    std::vector<bool> isNeeded(m_scope.nodes.size());
    std::vector<std::int32_t> open = wanted;
    while (!open.empty()) {
        const std::int32_t index = open.back();
        open.pop_back();
        if (index < 0 || !isFoldedResult(index) || isNeeded[static_cast<std::size_t>(slot(index).producer)])
            continue;
        isNeeded[static_cast<std::size_t>(slot(index).producer)] = true;
        const NodeLinks& links = m_scope.nodes[static_cast<std::size_t>(slot(index).producer)];
        open.insert(open.end(), links.inputs.begin(), links.inputs.end());
        open.insert(open.end(), links.captures.begin(), links.captures.end());
    }
    for (const std::int32_t node : m_scope.order) {
        if (isNeeded[static_cast<std::size_t>(node)])
            m_builder.addOperator(operatorOf(node));
    }
    for (std::size_t i = 0; i < m_ids.size(); ++i) { // here they are made, not given
        const auto index = static_cast<std::int32_t>(i);
        if (m_ids[i].isValid() && isFoldedResult(index))
            m_builder.setRole(m_ids[i], TensorRole::Activation);
    }
    for (const std::int32_t index : wanted)
        m_builder.addOutput(idOf(index));
    auto graph = std::move(m_builder).build();
    return graph ? *graph : nullptr;
}

Result<std::shared_ptr<const Graph>> Assembly::build(ModelInfo info)
{
    m_info = std::move(info);
    addInputs();
    for (const std::int32_t node : m_scope.order) {
        if (m_run.nodes[static_cast<std::size_t>(node)].fate == Fate::Runs)
            addOperator(node);
    }
    addOutputs();
    addOmissions();
    addWeightsOf(m_scope, false);
    const std::int64_t inFile = m_info.operatorsInFile;
    m_builder.setInfo(std::move(m_info));
    if (!m_withoutContent.empty())
        m_builder.setConstantNetwork(Assembly(m_run, m_context, m_weights, m_findings).buildConstants(m_withoutContent));
    auto graph = std::move(m_builder).build();
    if (graph || graph.error().code != ErrorCode::EmptyGraph || inFile == 0)
        return graph;
    return Error{ErrorCode::EmptyGraph,
                 "graph (what its " + std::to_string(inFile) + " operators make is known before it runs)", {}};
}

} // namespace

Result<std::shared_ptr<const Graph>> assembleGraph(const GraphRun& run, const RunContext& context,
                                                   WeightLocator& weights, Findings& findings, ModelInfo info)
{
    return Assembly(run, context, weights, findings).build(std::move(info));
}

} // namespace arenascope::onnx_import
