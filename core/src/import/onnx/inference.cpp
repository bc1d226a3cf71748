// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/inference.h"

#include "core/src/import/onnx/eval.h"
#include "core/src/import/onnx/shape_dynamic.h"
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>
#include <exception>

namespace arenascope::onnx_import {

namespace {

using KindList = std::span<const std::string_view>;

constexpr std::string_view kRandom[] = {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike",
                                        "Multinomial", "Bernoulli"};
constexpr std::string_view kWithBody[] = {"If", "Loop", "Scan", "SequenceMap"};
bool isOneOf(std::string_view kind, KindList kinds)
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// Whether the shapes of what the node makes may differ from run to run.
bool makesDynamic(const NodeContext& node)
{
    if (hasDataDependentShape(node.kind()))
        return true;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        const ValueInfo* input = node.input(i);
        if (input && (input->isDynamic || (isShapeGiving(node.kind(), i) && !input->isConstant)))
            return true;
    }
    return false;
}

bool makesConstant(const NodeContext& node)
{
    if (isOneOf(node.kind(), kRandom) || isOneOf(node.kind(), kWithBody))
        return false;
    // What Shape and Size say is settled once the shape is, whatever the content.
    if (node.kind() == "Size" && node.hasShape(0) && allKnown(node.dims(0)) && !node.input(0)->isDynamic)
        return true;
    if (node.kind() == "Shape" && node.hasShape(0) && allKnown(node.dims(0)) && !node.input(0)->isDynamic)
        return true;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (node.input(i) && !node.input(i)->isConstant)
            return false;
    }
    return true;
}

std::string normalizedDomain(const std::string& domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

std::int64_t opsetOf(const std::string& domain, const Opsets& opsets)
{
    const auto found = opsets.find(domain);
    if (found == opsets.end() || found->second <= 0)
        return kNewestOpset;
    return found->second;
}

/// Types and shapes of the outputs; false: the operator is not known.
bool inferShapes(NodeContext& context, const std::string& domain)
{
    const ShapeRule rule = findShapeRule(domain, context.kind());
    if (rule && rule(context))
        return true;
    return inferBySchema(context, domain) || rule != nullptr;
}

/// Extents that no real tensor has would only make trouble later: the number of elements must fit 63 bits.
void dropOverflowing(std::vector<ValueInfo>& outputs, std::string& problem)
{
    for (ValueInfo& output : outputs) {
        if (!output.shape.isStatic() || output.shape.elementCount())
            continue;
        output.shape = {};
        if (problem.empty())
            problem = "a size does not fit 63 bits";
    }
}

void finish(NodeContext& context, InferenceOutcome& outcome)
{
    const bool constant = outcome.operatorKnown && makesConstant(context);
    const bool dynamic = makesDynamic(context);
    if (outcome.problem.empty())
        evaluateNode(context, constant);
    outcome.outputs = context.takeOutputs();
    for (ValueInfo& output : outcome.outputs) {
        output.isConstant = constant;
        output.isDynamic = dynamic && !constant;
        if (!constant)
            output.value.reset();
    }
    dropOverflowing(outcome.outputs, outcome.problem);
}

} // namespace

InferenceOutcome inferNode(const onnx::NodeProto& node, std::span<const ValueInfo* const> inputs, const Opsets& opsets,
                           const SubgraphInference& subgraph)
{
    InferenceOutcome outcome;
    try {
        const std::string domain = normalizedDomain(node.domain());
        NodeContext context(node, inputs, opsetOf(domain, opsets), subgraph);
        try {
            outcome.operatorKnown = inferShapes(context, domain);
        } catch (const std::exception& failure) {
            outcome.problem = failure.what();
        }
        finish(context, outcome);
    } catch (const std::exception& failure) {
        // Out of memory, at worst: nothing is known then.
        outcome.problem = failure.what();
        outcome.outputs.clear();
    }
    outcome.outputs.resize(static_cast<std::size_t>(node.output_size()));
    return outcome;
}

} // namespace arenascope::onnx_import
