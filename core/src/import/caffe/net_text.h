// SPDX-License-Identifier: MIT
// The text of a Caffe network (.prototxt) as messages.
#pragma once

#include <caffe_net.pb.h>

#include <string>

namespace arenascope::caffe {

/// Layers of all generations are in `layer` afterwards, with their kinds by name. Throws Failure: FileCorrupt with the line,
/// TooLarge (messages), FormatUnsupported (solvers, and layers of the first generation).
NetParameter readNet(const std::string& text);

/// Whether the layer is part of the network when it is used: phase TEST, and the network's own level and stages.
bool isIncluded(const LayerParameter& layer, const NetParameter& net);

} // namespace arenascope::caffe
