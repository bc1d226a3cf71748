// SPDX-License-Identifier: MIT
// Working out the content of small tensors: what shape arithmetic comes to.
#pragma once

#include "core/src/import/onnx/eval_cells.h"

namespace arenascope::onnx_import {

/// One operator with what is known of its inputs' contents; its output shapes are inferred already.
struct Evaluation {
    NodeContext& node;
    std::vector<std::optional<Cells>> inputs;  ///< nothing where left out
    std::vector<std::optional<Cells>> outputs; ///< nothing where not worked out

    bool has(std::size_t i) const { return i < inputs.size() && inputs[i].has_value(); }
    const Cells& in(std::size_t i) const ///< fails where it is left out
    {
        if (!has(i))
            failInference("an input is missing");
        return *inputs[i];
    }
    ElementType outputType(std::size_t o) { return node.output(o)->type; }
    /// Extents of an output that is there, has a fixed shape and is worth keeping; fails otherwise.
    const Dims& outputDims(std::size_t o);
};

/// Fills outputs; leaves them empty (or fails) where it cannot.
using Evaluator = void (*)(Evaluation&);

struct EvaluatorEntry {
    std::string_view kind;
    Evaluator evaluate;
};
std::span<const EvaluatorEntry> movementEvaluators();
std::span<const EvaluatorEntry> indexingEvaluators();
std::span<const EvaluatorEntry> arithmeticEvaluators();
std::span<const EvaluatorEntry> reductionEvaluators();

/// Works out the node's outputs where what is known of its inputs allows; `constant` says that all of them are constants.
/// Bounded by kMaxKeptElements a tensor. Never fails: what cannot be worked out stays unknown.
void evaluateNode(NodeContext& node, bool constant);

} // namespace arenascope::onnx_import
