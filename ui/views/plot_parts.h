// SPDX-License-Identifier: MIT
// Parts that the arena plot and the curve have in common.
#pragma once

#include "ui/views/plot_scene.h"

#include <QString>

#include <vector>

namespace arenascope::ui {

/// A level over the whole time, named at its right end.
struct PlotLine {
    double bytes = 0.0;
    QString name;
    QColor colour;
    double width = 1.0;
    StrokeStyle style = StrokeStyle::Solid;
    std::optional<Bytes> size{}; ///< told instead of the level
};

void addAxes(SceneLayer& layer, const PlotFrame& frame, const Theme& theme, const QString& bytesTitle);
void addLines(SceneLayer& layer, const PlotFrame& frame, std::vector<PlotLine> lines, const Theme& theme);
std::vector<PlotLine> plotLines(const PlotInput& input, const Theme& theme, bool isCurve);
void addPlayhead(SceneLayer& layer, const PlotFrame& frame, const Theme& theme, Step step);

} // namespace arenascope::ui
