// SPDX-License-Identifier: MIT
// What quantised ONNX networks say of their tensors: scale and zero point.
#pragma once

#include "core/src/import/onnx/graph_run.h"

#include <arenascope/graph.h>

#include <cstdint>
#include <map>

namespace arenascope::onnx_import {

/// By slot: the parameters that operators (QuantizeLinear, DequantizeLinear, the QLinear kinds) give for the tensors that
/// they read and write, and the file's own annotations. Left out where scale or zero point is no constant of known value
/// (long ones stay in the file), and where the scales are of blocks. Where two differ, the earlier operator's counts.
std::map<std::int32_t, Quantization> quantizationsOf(const GraphRun& run);

} // namespace arenascope::onnx_import
