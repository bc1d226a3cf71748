// SPDX-License-Identifier: MIT
// Putting scenes together and cutting long ones into pieces.
#pragma once

#include "ui/views/scene.h"

#include <vector>

namespace arenascope::ui {

/// Adds `part`, scaled and then moved, behind what is there.
void append(Scene& scene, const Scene& part, QPointF offset, double scale = 1.0);

/// Where a scene is cut so that no piece is higher than `most`: below the last box that fits, so that no rectangle of
/// `boxes` is cut unless it is higher than a piece. First and last are the scene's own ends.
std::vector<double> breaksOf(const Scene& scene, const std::vector<SceneRect>& boxes, double most);

/// A path that goes over a cut.
struct Crossing {
    double x = 0.0;
    bool leaves = true; ///< at the lower end of the piece; false: comes in at its upper end
    Item item;
    QColor colour;
};
struct ScenePiece {
    Scene scene;
    std::vector<Crossing> crossings; ///< ordered by end and x; one an item and place
};
/// What lies in [top, bottom): rectangles and words by their middle, paths cut at the ends.
ScenePiece cutPiece(const Scene& scene, double top, double bottom);

} // namespace arenascope::ui
