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

} // namespace arenascope::io
