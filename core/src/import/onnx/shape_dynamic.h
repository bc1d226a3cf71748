// SPDX-License-Identifier: MIT
// Which operators' shapes follow from other shapes alone.
#pragma once

#include <cstddef>
#include <string_view>

namespace arenascope::onnx_import {

/// Whether the content of operand `index` decides the shape of the outputs (Reshape's second, Slice's starts ...).
bool isShapeGiving(std::string_view kind, std::size_t index);
/// Whether the shape of the outputs depends on the content of the data (NonZero, If ...).
bool hasDataDependentShape(std::string_view kind);

} // namespace arenascope::onnx_import
