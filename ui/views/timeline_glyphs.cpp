// SPDX-License-Identifier: MIT
#include "ui/views/timeline_glyphs.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>

namespace arenascope::ui {

QIcon glyphIcon(TimelineGlyph glyph, const QColor& colour, const QColor& disabled)
{
    const auto paint = [glyph](const QColor& ink, int scale) {
        QPixmap pixmap(kGlyphSize * scale, kGlyphSize * scale);
        pixmap.setDevicePixelRatio(scale);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        const auto triangle = [&](double left, double tip) {
            const QPointF points[3] = {{left, 3}, {left, 13}, {tip, 8}};
            painter.drawPolygon(points, 3);
        };
        switch (glyph) {
        case TimelineGlyph::First:
            painter.drawRect(QRectF(3, 3, 2, 10));
            triangle(13, 5.5);
            break;
        case TimelineGlyph::Back:
            triangle(9, 2.5);
            painter.drawRect(QRectF(11, 3, 2, 10));
            break;
        case TimelineGlyph::Play:
            triangle(4, 13);
            break;
        case TimelineGlyph::Pause:
            painter.drawRect(QRectF(4, 3, 3, 10));
            painter.drawRect(QRectF(9, 3, 3, 10));
            break;
        case TimelineGlyph::Step:
            painter.drawRect(QRectF(3, 3, 2, 10));
            triangle(7, 13.5);
            break;
        case TimelineGlyph::Last:
            triangle(3, 10.5);
            painter.drawRect(QRectF(11, 3, 2, 10));
            break;
        case TimelineGlyph::Peak: {
            QPainterPath curve({2, 12});
            curve.lineTo(6, 9);
            curve.lineTo(9, 3.5);
            curve.lineTo(12, 10);
            curve.lineTo(14.5, 11);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(ink, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.drawPath(curve);
            painter.setBrush(ink);
            painter.drawEllipse(QPointF(9, 3.5), 1.8, 1.8);
            break;
        }
        }
        return pixmap;
    };
    QIcon icon;
    for (const int scale : {1, 2, 3}) {
        icon.addPixmap(paint(colour, scale), QIcon::Normal);
        icon.addPixmap(paint(disabled, scale), QIcon::Disabled);
    }
    return icon;
}

} // namespace arenascope::ui
