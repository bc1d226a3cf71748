// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/eval.h"

#include <unordered_map>

namespace arenascope::onnx_import {

namespace {

using EvaluatorTable = std::unordered_map<std::string_view, Evaluator>;

const EvaluatorTable& evaluatorTable()
{
    static const EvaluatorTable table = [] {
        EvaluatorTable made;
        for (const auto entries :
             {movementEvaluators(), indexingEvaluators(), arithmeticEvaluators(), reductionEvaluators()}) {
            for (const EvaluatorEntry& entry : entries)
                made.emplace(entry.kind, entry.evaluate);
        }
        return made;
    }();
    return table;
}

bool isTracked(const ValueInfo& value)
{
    return value.value || !value.partialValue.empty();
}

/// Decodes all inputs; false where one is not tracked at all.
bool readInputs(Evaluation& evaluation)
{
    NodeContext& node = evaluation.node;
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (node.input(i) && !isTracked(*node.input(i)))
            return false;
    }
    for (std::size_t i = 0; i < node.inputCount(); ++i) {
        if (!node.input(i))
            continue;
        evaluation.inputs[i] = cellsOf(*node.input(i));
        if (!evaluation.inputs[i])
            return false;
    }
    return true;
}

void storeOutputs(Evaluation& evaluation, bool constant)
{
    for (std::size_t o = 0; o < evaluation.outputs.size(); ++o) {
        const auto& cells = evaluation.outputs[o];
        ValueInfo& output = *evaluation.node.output(o);
        if (cells && cells->type == output.type && cells->dims == output.shape.dims)
            storeCells(*cells, constant, output);
    }
}

} // namespace

const Dims& Evaluation::outputDims(std::size_t o)
{
    const ValueInfo* output = node.output(o);
    if (!output || !output->shape.isStatic())
        failInference("the shape of an output is not fixed");
    const auto count = keptCount(output->shape.dims);
    if (!count || !canKeep(output->type, static_cast<std::int64_t>(*count)))
        failInference("a constant is too large to be worked out");
    return output->shape.dims;
}

void evaluateNode(NodeContext& node, bool constant)
{
    const auto found = evaluatorTable().find(node.kind());
    if (found == evaluatorTable().end() || node.outputCount() == 0 || node.outputCount() > kMaxRank)
        return;
    try {
        Evaluation evaluation{node, std::vector<std::optional<Cells>>(node.inputCount()),
                              std::vector<std::optional<Cells>>(node.outputCount())};
        // Shape and Size look at the shape alone.
        const bool needsContent = node.kind() != "Shape" && node.kind() != "Size";
        if (needsContent && !readInputs(evaluation))
            return;
        found->second(evaluation);
        storeOutputs(evaluation, constant);
    } catch (const InferenceFailure&) {
        // Known inputs that the operator cannot compute with (a division by zero, an index outside): no value.
    }
}

} // namespace arenascope::onnx_import
