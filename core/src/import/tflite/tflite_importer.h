// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/importer.h>

namespace arenascope {

/// TensorFlow Lite (.tflite), schema version 3.
const Importer& tfliteImporter();

} // namespace arenascope
