// SPDX-License-Identifier: MIT
// The content of an ONNX tensor whose message lies somewhere in a file.
#pragma once

#include "core/src/import/byte_source.h"

#include <arenascope/graph.h>

namespace arenascope::onnx_import {

/// Decodes raw_data or the typed field of the TensorProto at [begin, end) of the file, in parts or whole, packed or
/// not, into little-endian elements; at most `limit` bytes and whatever one number adds to that.
/// Errors (`where` is the place in the file): FileCorrupt, and those of ByteSource::failure().
Result<std::vector<std::byte>> readTensorMessage(ByteSource& file, std::int64_t begin, std::int64_t end,
                                                 ElementType type, Bytes limit);

} // namespace arenascope::onnx_import
