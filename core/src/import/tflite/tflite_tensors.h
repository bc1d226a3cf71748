// SPDX-License-Identifier: MIT
// Tensors of a .tflite file as tensors of a graph.
#pragma once

#include "core/src/import/tflite/tflite_file.h"

#include <arenascope/graph_builder.h>

#include <string>
#include <vector>

namespace arenascope::tflite_import {

/// One name a tensor, all sub-graphs in order: the file's own where it is the first of that name. Others get "#2", "#3" ...,
/// and what has none is called "tensor_<index>" or, in other sub-graphs than the main one, "subgraph_<s>/tensor_<index>".
std::vector<std::string> uniqueNames(const TfliteFile& file);

/// Extents as the file stores them.
Shape storedShape(const tflite_file::Tensor& tensor);

/// What is the same for all tensors of a file.
struct TensorContext {
    const TfliteFile& file;
    std::string path;                      ///< of the file, for the content of weights
    const std::vector<std::string>& names; ///< of all tensors
    const std::vector<Shape>& shapes;      ///< of all tensors
    Diagnostics& diagnostics;
};

/// Adds all tensors of all sub-graphs, so that TensorIds are positions in that list (the one that offline plans have, too).
/// Roles are Input, Weight, Variable and Activation; what turns out not to be made by any operator is set later.
/// Returns the bytes of all constants, each counted once.
Bytes addTensors(const TensorContext& context, GraphBuilder& builder);

} // namespace arenascope::tflite_import
