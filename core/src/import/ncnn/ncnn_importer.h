// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/importer.h>

namespace arenascope {

/// Networks of ncnn in their text form (.param); weights are not needed.
const Importer& ncnnImporter();

} // namespace arenascope
