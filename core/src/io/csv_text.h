// SPDX-License-Identifier: MIT
// Fields of a CSV without quoting.
#pragma once

#include <arenascope/problem.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::io {

/// Takes the text up to the next newline off the front, without CR and LF; nothing at the end.
std::optional<std::string_view> takeLine(std::string_view& text);
/// Between the commas, without blanks around.
std::vector<std::string_view> splitFields(std::string_view line);
std::string_view trimmed(std::string_view text);
/// The whole text as a decimal number that fits 63 bits; a sign only if negative.
std::optional<std::int64_t> parseWhole(std::string_view text);
/// Percent-encodes what such a field cannot hold: commas, quotes, percent signs, control characters, blanks at the
/// ends. An empty name becomes "%".
std::string csvField(std::string_view name);
/// "7-8 9-10@1:17": see problemFromCsv().
std::string gapsField(std::span<const BufferGap> gaps);

} // namespace arenascope::io
