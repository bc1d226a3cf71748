// SPDX-License-Identifier: MIT
// ONNX attributes as the graph keeps them.
#pragma once

#include "core/src/import/onnx/weights.h"

namespace arenascope::onnx_import {

/// All attributes but graphs, types and lists of tensors. Longer lists than 65,536 entries are left out.
Attributes attributesOf(const onnx::NodeProto& node, WeightLocator& weights);

} // namespace arenascope::onnx_import
