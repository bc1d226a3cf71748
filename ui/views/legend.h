// SPDX-License-Identifier: MIT
// What the colours, marks and outlines mean, as geometry.
#pragma once

#include "ui/buffer_colours.h"
#include "ui/theme.h"
#include "ui/views/scene.h"

namespace arenascope::ui {

struct LegendOptions {
    bool isPingPong = false;  ///< BufferColours::isPingPong
    ColourBy colourBy = ColourBy::Buffer;
    bool network = true;      ///< marks of the network view: edges, forks, sides
    bool playhead = false;    ///< what is read, written and not alive
    double longest = 0.0;     ///< ColourBy::Time: seconds of the longest operator; 0: nothing was measured
    double mostWidth = 0.0;   ///< entries flow into rows of at most this; 0: one entry a row
};

/// Bounds start at (0, 0).
Scene legendScene(const LegendOptions& options, const Theme& theme);

} // namespace arenascope::ui
