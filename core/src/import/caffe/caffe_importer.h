// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/importer.h>

namespace arenascope {

/// Networks of Caffe as text (.prototxt), in phase TEST; weights are not needed.
const Importer& caffeImporter();

} // namespace arenascope
