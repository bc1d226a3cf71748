// SPDX-License-Identifier: MIT
// What this program and its layout helper say to each other: frames over a stream, in the byte order of the machine
// that both run on. No name of the user's ever goes in: elements are numbers.
//
//     frame     magic u32, length u32 of the body in bytes, body
//     request   counts, widths, ranks, segments
//     answer    one position in its rank an element; empty if Graphviz could not
#pragma once

#include "core/src/layout/layered_piece.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::layout {

/// A body larger than this is refused by both sides.
inline constexpr std::size_t kLargestFrame = 1U << 28U;
inline constexpr std::size_t kFrameHeader = 8;

std::string frameOf(std::string_view body);
/// Length of the body that follows the header; nothing if it is no header of ours or announces too much.
std::optional<std::size_t> bodyLength(std::string_view header);

std::string encodeRequest(const LayeredPiece& piece);
/// Nothing unless every number in it is in order: what it returns can be used without further checks.
std::optional<LayeredPiece> decodeRequest(std::string_view body);
std::string encodeAnswer(const std::vector<std::int32_t>& positions);
/// Nothing unless there are `count` numbers.
std::optional<std::vector<std::int32_t>> decodeAnswer(std::string_view body, std::size_t count);

} // namespace arenascope::layout
