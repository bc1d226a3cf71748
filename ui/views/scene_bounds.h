// SPDX-License-Identifier: MIT
// How far the things of a scene reach, strokes included.
#pragma once

#include "ui/views/scene.h"

#include <algorithm>

namespace arenascope::ui {

inline constexpr double kArrowHalfWidth = 3.5;

inline QRectF boundsOf(const ScenePath& path)
{
    if (path.points.empty())
        return {};
    double left = path.points[0].x(), right = left, top = path.points[0].y(), bottom = top;
    for (const QPointF& p : path.points) {
        left = std::min(left, p.x());
        right = std::max(right, p.x());
        top = std::min(top, p.y());
        bottom = std::max(bottom, p.y());
    }
    const double margin = path.width / 2 + (path.arrow ? kArrowHalfWidth : 0.0);
    return QRectF(left, top, right - left, bottom - top).adjusted(-margin, -margin, margin, margin);
}

inline QRectF boundsOf(const SceneRect& rect)
{
    const double margin = rect.stroke.isValid() ? rect.strokeWidth / 2 : 0.0;
    return rect.rect.adjusted(-margin, -margin, margin, margin);
}

/// QRectF::intersects() says no to rectangles without area; edges often have none.
inline bool meet(const QRectF& a, const QRectF& b)
{
    return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
}

} // namespace arenascope::ui
