// SPDX-License-Identifier: MIT
// Shapes of all tensors for the inputs that the user wants.
#pragma once

#include "core/src/import/tflite/tflite_file.h"

#include <arenascope/importer.h>

#include <string>
#include <vector>

namespace arenascope::tflite_import {

/// A name for a dimension that the file leaves open; the format has none. The outermost is the "batch", others are "dim1",
/// "dim2" ... by their axis. All inputs share them.
std::string symbolOfAxis(std::size_t axis);

/// Shapes of all tensors of all sub-graphs. Without other wishes they are those that the file stores, which every runtime
/// begins with: an open dimension (-1 in the shape signature) is what the converter put there, 1 mostly, and a note says so.
/// Where the options give other shapes or dimensions for inputs, by name of the tensor or of the signature's input, or none,
/// what follows from them is worked out operator by operator; what cannot be is unknown.
/// Errors: BadShape, UnknownName, BadOption.
Result<std::vector<Shape>> resolveShapes(const TfliteFile& file, const std::vector<std::string>& names,
                                         const ImportOptions& options, Diagnostics& diagnostics);

} // namespace arenascope::tflite_import
