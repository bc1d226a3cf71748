// SPDX-License-Identifier: MIT
// The signs on the buttons of the timeline.
#pragma once

#include <QColor>
#include <QIcon>

namespace arenascope::ui {

enum class TimelineGlyph { First, Back, Play, Pause, Step, Last, Peak };
inline constexpr int kGlyphSize = 16; ///< logical pixels a side

/// Drawn, not loaded, so that they have the theme's colour and are sharp at any pixel ratio.
QIcon glyphIcon(TimelineGlyph glyph, const QColor& colour, const QColor& disabled);

} // namespace arenascope::ui
