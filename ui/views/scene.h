// SPDX-License-Identifier: MIT
// Neutral drawing list: what geometry builders make and what screen, SVG, PDF and PNG replay.
#pragma once

#include "ui/selection.h"

#include <QColor>
#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <vector>

namespace arenascope::ui {

enum class StrokeStyle : std::uint8_t { Solid, Dashed, Dotted };

struct SceneRect {
    QRectF rect;
    QColor fill;          ///< invalid: none
    QColor stroke;        ///< invalid: none
    double strokeWidth = 1.0;
    double radius = 0.0;
    Qt::BrushStyle pattern = Qt::SolidPattern; ///< a second cue beside colour
    Item item;            ///< what a hit on it means
};

struct ScenePath {
    std::vector<QPointF> points;
    QColor stroke;
    double width = 1.0;
    StrokeStyle style = StrokeStyle::Solid;
    bool arrow = false;   ///< head at the last point
    QColor fill;          ///< closed and filled when valid
    Item item;
};

struct SceneText {
    QRectF slot;          ///< shortened in the middle to fit its width
    QString text;
    QColor colour;
    double pixelSize = 12.0;
    bool bold = false;
    Qt::Alignment alignment = Qt::AlignCenter;
    double minimumScale = 0.0; ///< not drawn when the view is zoomed out below this
    Item item;
};

/// Painted in order: rects, paths, texts of each layer.
struct SceneLayer {
    std::vector<SceneRect> rects;
    std::vector<ScenePath> paths;
    std::vector<SceneText> texts;
};

struct Scene {
    QRectF bounds;
    std::vector<SceneLayer> layers;
};

/// Replays what meets `visible` (scene coordinates). `scale` is device pixels per scene unit, for level of detail.
void paintScene(QPainter& painter, const Scene& scene, const QRectF& visible, double scale);

/// Topmost item whose geometry is at `point` (paths within `tolerance`), or none.
Item itemAt(const Scene& scene, QPointF point, double tolerance);

} // namespace arenascope::ui
