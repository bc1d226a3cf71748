// SPDX-License-Identifier: MIT
// From what the walk has found out to the Graph.
#pragma once

#include "core/src/import/onnx/graph_run.h"
#include "core/src/import/onnx/weights.h"

#include <arenascope/graph_builder.h>

#include <memory>

namespace arenascope::onnx_import {

/// Builds the graph of what runs, with an Omission for all else, and reports sizes that stay unknown.
/// Errors: those of GraphBuilder::build().
Result<std::shared_ptr<const Graph>> assembleGraph(const GraphRun& run, const RunContext& context,
                                                   WeightLocator& weights, Findings& findings, ModelInfo info);

} // namespace arenascope::onnx_import
