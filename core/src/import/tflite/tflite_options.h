// SPDX-License-Identifier: MIT
#pragma once

#include "core/src/import/tflite/tflite_file.h"

#include <arenascope/graph.h>

namespace arenascope::tflite_import {

/// Sets the attributes that are worth showing, named as the format names them ("stride_h"), and the fused activation.
void readOptions(const tflite_file::Operator& from, Operator& op);

} // namespace arenascope::tflite_import
