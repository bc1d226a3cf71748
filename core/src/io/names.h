// SPDX-License-Identifier: MIT
// Names from model files made fit for other formats.
#pragma once

#include <string>
#include <string_view>

namespace arenascope::io {

/// The text with U+FFFD for what is no UTF-8, exactly as it stands in exported JSON.
std::string validUtf8(std::string_view text);
/// Between double quotes of DOT: valid UTF-8, quotes and backslashes escaped, control characters replaced.
std::string dotQuoted(std::string_view text);
/// For fields of text files without quoting: control characters, '%', bytes of `unfit`, and blanks at the ends as %2C; nothing
/// as "%".
std::string percentEncoded(std::string_view name, std::string_view unfit = {});
/// What percentEncoded() was given; the text itself where that function cannot have made it.
std::string percentDecoded(std::string_view text, std::string_view unfit = {});

} // namespace arenascope::io
