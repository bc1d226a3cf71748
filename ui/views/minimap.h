// SPDX-License-Identifier: MIT
// The whole network in a corner, with the part that is shown.
#pragma once

#include "ui/theme.h"
#include "ui/views/scene.h"

#include <QImage>
#include <QRectF>

namespace arenascope::ui {

/// A picture of a scene in a corner of a view. Very long scenes are squeezed, each axis on its own, so that they stay
/// wide enough to see and to point at.
class Minimap {
public:
    /// The scene or its colours have changed: the picture is shown until there is another.
    void invalidate() { m_isStale = true; }
    /// The pixels of the picture that is wanted; empty: there is one.
    QSize missingPixels(const Scene& scene, const QRectF& visible, QSize view, double pixelRatio) const;
    /// For setPicture(); may be painted on a worker.
    static QImage picture(const Scene& scene, QSize pixels);
    void setPicture(QImage picture);
    /// Whether there is room for one: in a small view it would cover what it is there to find.
    static bool fits(QSize view);
    /// Where it lies in a view of that size; empty when everything is shown already.
    QRectF place(const Scene& scene, const QRectF& visible, QSize view) const;
    void paint(QPainter& painter, const Scene& scene, const QRectF& visible, QSize view, const Theme& theme) const;
    /// The point of the scene below a point of the map.
    static QPointF toScene(const Scene& scene, const QRectF& place, QPointF point);

private:
    static QSize pixelsOf(const QRectF& frame, double pixelRatio);

    QImage m_picture;
    bool m_isStale = false;
};

} // namespace arenascope::ui
