// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/importer.h>

namespace arenascope {

/// Configurations of Darknet (.cfg); weights are not needed.
const Importer& darknetImporter();

} // namespace arenascope
