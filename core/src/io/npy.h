// SPDX-License-Identifier: MIT
// NumPy's format for one array. Source: numpy.lib.format, "Format Specification".
#pragma once

#include "core/src/import/byte_source.h"

#include <arenascope/executor.h>

#include <string>
#include <string_view>

namespace arenascope::io {

/// Whether a file's first bytes are those of an array.
bool looksLikeNpy(std::string_view head);

/// Errors (`where` is the place in the file): FileCorrupt, FileTruncated, Unsupported, TooLarge, and those of
/// ByteSource::failure().
Result<TensorContent> readNpy(ByteSource& file, Bytes limit);

/// Everything before the elements, 64 bytes or a multiple of it. Errors: Unsupported.
Result<std::string> npyHeader(const TensorContent& content);

} // namespace arenascope::io
