// SPDX-License-Identifier: MIT
// Neutral drawing list: what geometry builders make and what screen, SVG, PDF and PNG replay.
#pragma once

#include "ui/selection.h"

#include <QColor>
#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <compare>
#include <cstdint>
#include <utility>
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
    double minimumScale = 0.0; ///< not drawn when the view is zoomed out below this
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
    QRectF slot;          ///< shortened in the middle to fit its width, unless `isWhole`
    QString text;
    QColor colour;
    double pixelSize = 12.0;
    bool bold = false;
    Qt::Alignment alignment = Qt::AlignCenter;
    double minimumScale = 0.0; ///< not drawn when the view is zoomed out below this
    Item item;
    bool isWhole = false; ///< a number: left out where it does not fit, never shortened
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

/// What is drawn of a scene when it is seen from afar, in device pixels: below these, shapes go first to plain lines and
/// filled boxes, then to nothing but colour.
inline constexpr double kDetailScale = 0.35;

/// Finds what is near a point or in a rectangle without looking at everything: a grid over the scene.
/// Holds no pointer to its scene: colours may change under it, geometry must not.
class SceneIndex {
public:
    SceneIndex() = default;
    explicit SceneIndex(const Scene& scene);

    /// One thing of a scene; the order of keys is the order of painting.
    struct Key {
        std::uint8_t layer = 0;
        enum class Kind : std::uint8_t { Rect, Path, Text } kind = Kind::Rect;
        std::uint32_t index = 0;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    /// Everything whose bounding box meets `area` (and perhaps a little more), in painting order.
    std::vector<Key> meeting(const QRectF& area) const;

private:

    QRectF m_bounds;
    double m_cell = 1.0;
    int m_columns = 0;
    int m_rows = 0;
    std::vector<std::uint32_t> m_starts; ///< by cell, into m_keys; one more at the end
    std::vector<Key> m_keys;
    std::vector<std::pair<Key, QRectF>> m_wide; ///< what meets too many cells to be listed in each
};

/// Replays what meets `visible` (scene coordinates). `scale` is device pixels per scene unit, for level of detail.
void paintScene(QPainter& painter, const Scene& scene, const QRectF& visible, double scale);
/// The same with less to look through. `index` is of this scene.
void paintScene(QPainter& painter, const Scene& scene, const SceneIndex& index, const QRectF& visible, double scale);

/// Topmost item whose geometry is at `point` (paths within `tolerance`), or none.
Item itemAt(const Scene& scene, QPointF point, double tolerance);
Item itemAt(const Scene& scene, const SceneIndex& index, QPointF point, double tolerance);

/// Bounding box of everything in the scene, strokes included.
QRectF extentOf(const Scene& scene);

} // namespace arenascope::ui
