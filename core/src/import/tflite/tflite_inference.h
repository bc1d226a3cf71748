// SPDX-License-Identifier: MIT
// Shapes of an operator's outputs, for inputs of other shapes than the file stores.
#pragma once

#include <arenascope/graph.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace arenascope::tflite_import {

using Dims = std::vector<std::int64_t>;

/// What the format can store of an extent; no rule goes beyond it.
inline constexpr std::int64_t kLargestExtent = (std::int64_t{1} << 31) - 1;

/// One operator with shapes that are known.
struct ShapeQuestion {
    const Operator& op;               ///< kind and attributes
    std::vector<Dims> inputs;         ///< empty list for an operand that is left out
    std::vector<std::optional<Dims>> values; ///< by input: its numbers, where it is a short constant of integers
    std::vector<Dims> stored;         ///< of the outputs, as the file has them for its own inputs
};

/// Shapes of all outputs; nothing where the rules of this kind are not known here, or do not fit.
std::optional<std::vector<Dims>> inferShapes(const ShapeQuestion& question);

} // namespace arenascope::tflite_import
