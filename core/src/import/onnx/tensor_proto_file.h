// SPDX-License-Identifier: MIT
// A file that is one onnx.TensorProto.
#pragma once

#include "core/src/import/byte_source.h"

#include <arenascope/executor.h>

namespace arenascope::onnx_import {

/// Whether its first bytes may be a TensorProto's: the keys of dims, data_type or content.
bool looksLikeTensorProto(std::string_view head);

/// Errors (`where` is the place in the file): FileCorrupt, Unsupported (strings, external data), TooLarge, and those of
/// ByteSource::failure().
Result<TensorContent> readTensorProto(ByteSource& file, Bytes limit);

} // namespace arenascope::onnx_import
