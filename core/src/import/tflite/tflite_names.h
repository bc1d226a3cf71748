// SPDX-License-Identifier: MIT
// Numbers of the TensorFlow Lite format and what they stand for.
#pragma once

#include <arenascope/graph.h>

#include <optional>
#include <string>
#include <string_view>

namespace arenascope::tflite_import {

/// The codes of operators that this program looks at. Everything else about operators goes by their names.
enum class Builtin : std::int32_t { Custom = 32, If = 118, While = 119, CallOnce = 129 };

/// Name of a built-in operator as TensorFlow Lite spells it ("CONV_2D"); "BUILTIN_<n>" for numbers that are newer than this program.
std::string builtinName(std::int32_t code);
/// The element type of a TensorType number; Undefined for numbers that are newer than this program.
ElementType elementTypeFromTflite(std::int32_t type);
/// "RELU6" and so on; "" for none, "ACTIVATION_<n>" for unknown numbers.
std::string activationName(std::int32_t activation);
/// "SAME", "VALID", or the number.
std::string paddingName(std::int32_t padding);
/// Bytes that one element of a tensor takes in the arena of TensorFlow Lite Micro where that is not what its bits say: elements
/// of 4 bits take a whole byte there, handles of resources take four.
std::optional<Bytes> bytesPerElementInArena(ElementType type);

} // namespace arenascope::tflite_import
