// SPDX-License-Identifier: MIT
// Standard output and standard error. Text is written whole or not at all, and a reader that has gone is no error.
#pragma once

#include <arenascope/result.h>

#include <string>
#include <string_view>

namespace arenascope::cli {

/// Writes to standard output. False when nobody reads it any more, or when it cannot be written (said on standard error once).
bool print(std::string_view text);
/// Whether a print() failed for another reason than a reader that has gone (a full disk).
bool outputFailed();

/// One line on standard error, with the program's name before it and without control characters.
void complain(std::string_view line);
/// describe(error), with `file` before it where the error does not name it itself.
void complain(const Error& error, std::string_view file);
/// The text that complain() would print for an error, without the program's name.
std::string errorLine(const Error& error, std::string_view file);

/// Text to a file, or to standard output for "-". False when it failed, which is said.
bool deliver(std::string_view text, const std::string& target);

} // namespace arenascope::cli
