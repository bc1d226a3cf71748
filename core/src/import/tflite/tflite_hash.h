// SPDX-License-Identifier: MIT
#pragma once

#include "core/src/import/tflite/tflite_file.h"

#include <string>

namespace arenascope::tflite_import {

/// ModelInfo::hash: of the whole file or, above 4 MiB, of all but the content of its buffers.
std::string hashOf(const TfliteFile& file);

} // namespace arenascope::tflite_import
