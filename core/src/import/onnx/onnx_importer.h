// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/importer.h>

namespace arenascope {

/// ONNX files, opset 1 and later.
const Importer& onnxImporter();

} // namespace arenascope
