// SPDX-License-Identifier: MIT
// The whole network in a corner, with the part that is shown.
#pragma once

#include "ui/theme.h"
#include "ui/views/scene.h"

#include <QPixmap>
#include <QRectF>

namespace arenascope::ui {

/// A picture of a scene in a corner of a view. Very long scenes are squeezed, each axis on its own, so that they stay
/// wide enough to see and to point at.
class Minimap {
public:
    /// Forgets the picture: the scene or its colours have changed.
    void invalidate() { m_picture = {}; }
    /// Whether paint() would have to draw the scene first.
    bool needsPicture(const Scene& scene, const QRectF& visible, QSize view, double pixelRatio) const;
    /// Where it lies in a view of that size; empty when everything is shown already.
    QRectF place(const Scene& scene, const QRectF& visible, QSize view) const;
    void paint(QPainter& painter, const Scene& scene, const QRectF& visible, QSize view, double pixelRatio, const Theme& theme);
    /// The point of the scene below a point of the map.
    static QPointF toScene(const Scene& scene, const QRectF& place, QPointF point);

private:
    static QSize pixelsOf(const QRectF& frame, double pixelRatio);

    QPixmap m_picture;
};

} // namespace arenascope::ui
