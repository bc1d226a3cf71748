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
/// Between blanks, none of them empty.
std::vector<std::string_view> splitWords(std::string_view text);
/// The whole text as a decimal number that fits 63 bits; a sign only if negative.
std::optional<std::int64_t> parseWhole(std::string_view text);
/// Percent-encodes what such a field cannot hold: commas, quotes, percent signs, control characters, blanks at the
/// ends. An empty name becomes "%".
std::string csvField(std::string_view name);
/// The name that csvField() was given; the field itself where that function cannot have made it.
std::string nameFromField(std::string_view field);
/// The same for one of several names in a field, which holds no blanks either.
std::string csvWord(std::string_view name);
std::string nameFromWord(std::string_view word);
/// "7-8 9-10@1:17": see problemFromCsv().
std::string gapsField(std::span<const BufferGap> gaps);

} // namespace arenascope::io
