// SPDX-License-Identifier: MIT
// Tensors from files and to files: what a network is fed with, and what comes out of it.
#pragma once

#include <arenascope/executor.h>

#include <filesystem>
#include <vector>

namespace arenascope {

/// The most bytes that a tensor from a file may have: 4 GiB.
inline constexpr Bytes kMostTensorFileBytes = Bytes(1) << 32;

/// Reads NumPy's .npy (versions 1 to 3, either byte order, C or Fortran order) or a serialised onnx.TensorProto (.pb), told
/// apart by their first bytes. What follows the elements is left.
/// Errors: those of opening the file, FormatUnsupported, FileTruncated, FileCorrupt, Unsupported (records, objects, strings, external data),
/// TooLarge, OutOfMemory.
Result<TensorContent> readTensorFile(const std::filesystem::path& path);

/// Writes .npy, version 1, in C order. Types that NumPy lacks (bfloat16, float8, 4-bit integers) are refused.
/// Errors: Unsupported, FileNotWritable.
Status writeNpy(const std::filesystem::path& path, const TensorContent& content);

/// One element by its place in row-major order.
struct ElementValue {
    std::int64_t index = 0;
    double value = 0.0;
};
/// The `count` largest elements, the largest first, equal ones by index; NaN counts as the smallest. Nothing for types that
/// are no plain numbers (float8, bfloat16 and 4-bit integers are none here).
std::vector<ElementValue> largestElements(const TensorContent& content, std::size_t count);

} // namespace arenascope
