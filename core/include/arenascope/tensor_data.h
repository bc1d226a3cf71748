// SPDX-License-Identifier: MIT
// The content of weights and constants, which planning leaves in the files.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/result.h>

#include <cstddef>
#include <vector>

namespace arenascope {

/// Reads `bytes` bytes (>= 0, the tensor's Tensor::bytes) of content: little-endian elements of `type`, row-major;
/// elements of 4 bits two a byte, the first in the low half. Where the source holds more, the rest is left.
/// Errors: those of opening the file, FileTruncated (it is shorter than it was), FileCorrupt (the source holds less, or
/// numbers of another type), OutOfMemory.
Result<std::vector<std::byte>> readTensorData(const TensorSource& source, ElementType type, Bytes bytes);

} // namespace arenascope
