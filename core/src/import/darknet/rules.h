// SPDX-License-Identifier: MIT
// What each kind of Darknet layer makes of its input. Source: the parse_* and make_*_layer functions of
// https://github.com/AlexeyAB/darknet and https://github.com/pjreddie/darknet.
#pragma once

#include "core/src/import/darknet/cfg_file.h"

#include <string_view>

namespace arenascope::darknet {

/// A section while its output is worked out. Shapes are N x C x H x W, or N x C where there is no picture.
struct DarknetLayer : layered::Layer {
    const Section& section;
    std::int64_t batch = 1;

    std::int64_t option(const std::string& key, std::int64_t usual, std::int64_t low = 0,
                        std::int64_t high = layered::kLargestExtent) const
    {
        return inRange(key, section.integer(key, usual), low, high);
    }
};

using Rule = Shape (*)(DarknetLayer&);

/// Nothing where the kind is not known.
Rule findRule(std::string_view kind);

/// How a layer is connected.
enum class Wiring {
    Previous,        ///< reads the layer before
    PreviousAndFrom, ///< ... and those that `from` names
    Route,           ///< reads those that `layers` names
    Nothing,         ///< holds weights
    Training,        ///< does nothing while a network is used
};
Wiring wiringOf(std::string_view kind);
/// Whether its output is one of the network's, read or not.
bool isDetection(std::string_view kind);

} // namespace arenascope::darknet
