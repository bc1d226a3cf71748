// SPDX-License-Identifier: MIT
#include "ui/views/minimap.h"

#include <algorithm>

namespace arenascope::ui {

namespace {
constexpr double kMargin = 10.0;
constexpr double kInset = 4.0;
constexpr double kLeastSide = 56.0;
constexpr double kMostWidth = 180.0;
constexpr double kShareOfHeight = 0.62;
constexpr QSize kLeastView(400, 240);
}

bool Minimap::fits(QSize view)
{
    return view.width() >= kLeastView.width() && view.height() >= kLeastView.height();
}

QRectF Minimap::place(const Scene& scene, const QRectF& visible, QSize view) const
{
    const QRectF all = scene.bounds;
    if (all.isEmpty() || !fits(view))
        return {};
    if (visible.contains(all.center()) && visible.width() >= all.width() * 0.999 && visible.height() >= all.height() * 0.999)
        return {};
    const double mostWidth = std::min(kMostWidth, view.width() * 0.3);
    const double mostHeight = view.height() * kShareOfHeight;
    const double scale = std::min(mostWidth / all.width(), mostHeight / all.height());
    const double width = std::clamp(all.width() * scale, kLeastSide, mostWidth);
    const double height = std::clamp(all.height() * scale, kLeastSide, mostHeight);
    return QRectF(view.width() - width - 2 * kInset - kMargin, kMargin, width + 2 * kInset, height + 2 * kInset);
}

QSize Minimap::pixelsOf(const QRectF& frame, double pixelRatio)
{
    return (frame.adjusted(kInset, kInset, -kInset, -kInset).size() * pixelRatio).toSize();
}

QSize Minimap::missingPixels(const Scene& scene, const QRectF& visible, QSize view, double pixelRatio) const
{
    const QRectF frame = place(scene, visible, view);
    const QSize pixels = frame.isEmpty() ? QSize() : pixelsOf(frame, pixelRatio);
    return pixels == m_picture.size() && !m_isStale ? QSize() : pixels;
}

void Minimap::setPicture(QImage picture)
{
    m_picture = std::move(picture);
    m_isStale = false;
}

QImage Minimap::picture(const Scene& scene, QSize pixels)
{
    QImage image(pixels, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    const double scaleX = pixels.width() / scene.bounds.width(), scaleY = pixels.height() / scene.bounds.height();
    QPainter map(&image);
    map.scale(scaleX, scaleY);
    map.translate(-scene.bounds.topLeft());
    // Seen from afar whatever its size: colour and course, no words.
    paintScene(map, scene, scene.bounds, std::min({scaleX, scaleY, kDetailScale * 0.99}));
    return image;
}

QPointF Minimap::toScene(const Scene& scene, const QRectF& place, QPointF point)
{
    const QRectF inner = place.adjusted(kInset, kInset, -kInset, -kInset);
    const double x = std::clamp((point.x() - inner.left()) / inner.width(), 0.0, 1.0);
    const double y = std::clamp((point.y() - inner.top()) / inner.height(), 0.0, 1.0);
    return {scene.bounds.left() + x * scene.bounds.width(), scene.bounds.top() + y * scene.bounds.height()};
}

void Minimap::paint(QPainter& painter, const Scene& scene, const QRectF& visible, QSize view, const Theme& theme) const
{
    const QRectF frame = place(scene, visible, view);
    if (frame.isEmpty() || m_picture.isNull())
        return;
    const QRectF inner = frame.adjusted(kInset, kInset, -kInset, -kInset);
    const double scaleX = inner.width() / scene.bounds.width(), scaleY = inner.height() / scene.bounds.height();
    QColor ground = theme.panel;
    ground.setAlphaF(0.93f);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(frame, 4, 4);
    painter.drawImage(inner, m_picture);

    QRectF shown((visible.left() - scene.bounds.left()) * scaleX, (visible.top() - scene.bounds.top()) * scaleY,
                 visible.width() * scaleX, visible.height() * scaleY);
    shown = shown.translated(inner.topLeft()).intersected(inner.adjusted(-2, -2, 2, 2));
    if (shown.height() < 5) // a sliver would not be seen
        shown.adjust(0, -(5 - shown.height()) / 2, 0, (5 - shown.height()) / 2);
    QColor wash = theme.selection;
    wash.setAlphaF(0.12f);
    painter.setBrush(wash);
    painter.setPen(QPen(theme.selection, 1.5));
    painter.drawRect(shown);
}

} // namespace arenascope::ui
