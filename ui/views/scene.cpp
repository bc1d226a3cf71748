// SPDX-License-Identifier: MIT
#include "ui/views/scene.h"

#include "ui/views/scene_bounds.h"

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QLineF>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <optional>

namespace arenascope::ui {

namespace {

constexpr double kArrowLength = 8.0;
constexpr double kHatchGap = 6.0;

/// Paints one kind of thing after the other and remembers what the painter is set to: state changes cost more than shapes.
class ScenePainter {
public:
    ScenePainter(QPainter& painter, double scale)
        : m_painter(painter), m_scale(scale), m_detail(scale >= kDetailScale), m_family(QGuiApplication::font())
    {
    }

    void paint(const SceneRect& rect);
    void paint(const ScenePath& path);
    void paint(const SceneText& text);
    /// Draws the lines that were put aside to be drawn together.
    void flush();

private:
    void putAside(const ScenePath& path);
    QList<QLineF> merged(const QList<QLineF>& lines) const;
    void hatch(const SceneRect& rect);
    void arrowHead(const ScenePath& path);
    void setAntialiasing(bool on);
    void setPen(const QColor& colour, double width, StrokeStyle style);
    void setFont(double pixelSize, bool bold);

    QPainter& m_painter;
    double m_scale;
    bool m_detail;
    QFont m_family;
    double m_fontSize = -1;
    bool m_fontBold = false;
    std::optional<QFontMetricsF> m_metrics;
    std::vector<std::pair<QRgb, QList<QLineF>>> m_lines; ///< from afar, by colour
};

void ScenePainter::setAntialiasing(bool on)
{
    if (m_painter.testRenderHint(QPainter::Antialiasing) != on)
        m_painter.setRenderHint(QPainter::Antialiasing, on);
}

void ScenePainter::setPen(const QColor& colour, double width, StrokeStyle style)
{
    if (!colour.isValid()) {
        m_painter.setPen(Qt::NoPen);
        return;
    }
    QPen pen(colour, width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    if (style == StrokeStyle::Dashed)
        pen.setDashPattern({6.0, 4.0});
    if (style == StrokeStyle::Dotted) {
        pen.setCapStyle(Qt::RoundCap);
        pen.setDashPattern({0.1, 2.5});
    }
    m_painter.setPen(pen);
}

void ScenePainter::paint(const SceneRect& rect)
{
    if (m_scale < rect.minimumScale)
        return;
    const double smallest = std::min(rect.rect.width(), rect.rect.height()) * m_scale;
    if (!m_detail || smallest < 3.0) {
        // Too small for corners and outlines. What is thinner than a pixel still leaves one, so that nothing gets lost.
        setAntialiasing(false);
        const double least = 1.0 / m_scale;
        QRectF box = rect.rect;
        box.setWidth(std::max(box.width(), least));
        box.setHeight(std::max(box.height(), least));
        const bool outlined = rect.stroke.isValid() && rect.strokeWidth > 2.0;
        if (outlined && smallest < 3.0)
            m_painter.fillRect(box, rect.stroke);
        else if (rect.fill.isValid())
            m_painter.fillRect(box, rect.fill);
        if (outlined && smallest >= 3.0) {
            m_painter.setBrush(Qt::NoBrush);
            m_painter.setPen(QPen(rect.stroke, 2.0 / m_scale));
            m_painter.drawRect(box);
        }
        return;
    }
    const bool solid = rect.pattern == Qt::SolidPattern || rect.pattern == Qt::NoBrush;
    if (rect.radius <= 0 && !rect.stroke.isValid() && solid) {
        setAntialiasing(true);
        m_painter.fillRect(rect.rect, rect.fill);
        return;
    }
    setAntialiasing(true);
    setPen(rect.stroke, rect.strokeWidth, StrokeStyle::Solid);
    m_painter.setBrush(rect.fill.isValid() ? QBrush(rect.fill) : QBrush(Qt::NoBrush));
    if (rect.radius > 0 && rect.radius * m_scale >= 1.0)
        m_painter.drawRoundedRect(rect.rect, rect.radius, rect.radius);
    else
        m_painter.drawRect(rect.rect);
    if (!solid)
        hatch(rect);
}

/// Brush patterns are lost in SVG and do not scale: the lines are drawn one by one.
void ScenePainter::hatch(const SceneRect& rect)
{
    const QRectF r = rect.rect;
    const double span = r.width() + r.height();
    if (span / kHatchGap > 400 || kHatchGap * m_scale < 3.0)
        return;
    QColor colour = rect.stroke.isValid() ? rect.stroke : QColor(Qt::black);
    colour.setAlphaF(0.45f * static_cast<float>(colour.alphaF()));
    QList<QLineF> lines;
    const bool rising = rect.pattern != Qt::FDiagPattern;
    for (double at = kHatchGap; at < span; at += kHatchGap) {
        // The line x + y = at in the rectangle's own coordinates, cut to it.
        const double x1 = std::max(0.0, at - r.height()), x2 = std::min(r.width(), at);
        const double y1 = at - x1, y2 = at - x2;
        lines << (rising ? QLineF(r.left() + x1, r.top() + y1, r.left() + x2, r.top() + y2)
                         : QLineF(r.right() - x1, r.top() + y1, r.right() - x2, r.top() + y2));
    }
    setPen(colour, 1.0, StrokeStyle::Solid);
    m_painter.drawLines(lines);
}

void ScenePainter::paint(const ScenePath& path)
{
    const int count = static_cast<int>(path.points.size());
    if (count < 2)
        return;
    if (path.fill.isValid()) {
        setAntialiasing(true);
        setPen(path.stroke, path.width, path.style);
        m_painter.setBrush(path.fill);
        m_painter.drawPolygon(path.points.data(), count);
        return;
    }
    if (!path.stroke.isValid())
        return;
    if (!m_detail) {
        putAside(path);
        return;
    }
    setAntialiasing(true);
    setPen(path.stroke, path.width, path.style);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPolyline(path.points.data(), count);
    if (path.arrow && kArrowLength * m_scale >= 3.0)
        arrowHead(path);
}

/// From afar: without corners that cannot be seen, and without what is all in one pixel, which boxes cover anyway.
void ScenePainter::putAside(const ScenePath& path)
{
    const QRgb colour = path.stroke.rgba();
    const double pixel = 1.0 / m_scale;
    QList<QLineF>* group = nullptr; // looked up for the first line only: most paths of a large scene have none
    const auto draw = [&](QPointF from, QPointF to) {
        if (!group) {
            auto found = std::find_if(m_lines.begin(), m_lines.end(), [&](const auto& g) { return g.first == colour; });
            if (found == m_lines.end())
                found = m_lines.insert(m_lines.end(), {colour, {}});
            group = &found->second;
        }
        *group << QLineF(from, to);
    };
    const std::size_t count = path.points.size();
    QPointF last = path.points.front();
    for (std::size_t i = 1; i < count; ++i) {
        const QPointF next = path.points[i];
        const QPointF way = next - last;
        const bool isEnd = i + 1 == count;
        if (way.manhattanLength() < pixel && (!isEnd || !group))
            continue;
        if (!isEnd) { // straight on: no corner
            const QPointF after = path.points[i + 1] - last;
            const double across = std::abs(way.x() * after.y() - way.y() * after.x());
            if (across <= 0.3 * pixel * after.manhattanLength() && QPointF::dotProduct(way, after - way) >= 0)
                continue;
        }
        draw(last, next);
        last = next;
    }
}

void ScenePainter::arrowHead(const ScenePath& path)
{
    const QPointF tip = path.points.back();
    const QLineF line(path.points[path.points.size() - 2], tip);
    if (line.length() <= 0)
        return;
    const QPointF along = (line.p2() - line.p1()) / line.length();
    const QPointF across(-along.y(), along.x());
    const double width = kArrowHalfWidth + path.width / 2;
    const QPointF base = tip - along * kArrowLength;
    const QPointF head[3] = {tip, base + across * width, base - across * width};
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(path.stroke);
    m_painter.drawPolygon(head, 3);
}

void ScenePainter::setFont(double pixelSize, bool bold)
{
    if (m_fontSize == pixelSize && m_fontBold == bold && m_metrics)
        return;
    QFont font = m_family;
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixelSize))));
    font.setBold(bold);
    m_metrics.emplace(font);
    m_painter.setFont(font);
    m_fontSize = pixelSize;
    m_fontBold = bold;
}

void ScenePainter::paint(const SceneText& text)
{
    if (text.text.isEmpty() || m_scale < text.minimumScale || text.pixelSize * m_scale < 4.0)
        return;
    setFont(text.pixelSize, text.bold);
    QString shown = text.text;
    if (text.slot.width() > 0 && m_metrics->horizontalAdvance(shown) > text.slot.width()) {
        if (text.isWhole)
            return;
        shown = m_metrics->elidedText(shown, Qt::ElideMiddle, text.slot.width());
        if (shown.size() <= 3)
            return;
    }
    m_painter.setPen(text.colour);
    m_painter.drawText(text.slot, static_cast<int>(text.alignment) | Qt::TextSingleLine | Qt::TextDontClip, shown);
}

/// Many edges share a pixel's column from afar: each stretch of it is drawn once.
QList<QLineF> ScenePainter::merged(const QList<QLineF>& lines) const
{
    struct Stretch {
        qint64 column;
        double top, bottom;
    };
    QList<QLineF> result;
    std::vector<Stretch> stretches;
    for (const QLineF& line : lines) {
        const qint64 column = std::llround(line.x1() * m_scale);
        if (column == std::llround(line.x2() * m_scale))
            stretches.push_back({column, std::min(line.y1(), line.y2()), std::max(line.y1(), line.y2())});
        else
            result << line;
    }
    std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) {
        return a.column != b.column ? a.column < b.column : a.top < b.top;
    });
    for (std::size_t i = 0; i < stretches.size();) {
        Stretch whole = stretches[i];
        for (++i; i < stretches.size() && stretches[i].column == whole.column && stretches[i].top <= whole.bottom; ++i)
            whole.bottom = std::max(whole.bottom, stretches[i].bottom);
        const double x = static_cast<double>(whole.column) / m_scale;
        result << QLineF(x, whole.top, x, whole.bottom);
    }
    return result;
}

void ScenePainter::flush()
{
    if (m_lines.empty())
        return;
    setAntialiasing(false);
    for (const auto& [colour, lines] : m_lines) {
        m_painter.setPen(QPen(QColor::fromRgba(colour), 0)); // one pixel at any zoom
        m_painter.drawLines(merged(lines));
    }
    m_lines.clear();
}

} // namespace

void paintScene(QPainter& painter, const Scene& scene, const QRectF& visible, double scale)
{
    painter.save();
    ScenePainter scenePainter(painter, scale);
    const bool isAll = visible.contains(scene.bounds); // of long lines, bounds cost more to work out than they save
    for (const SceneLayer& layer : scene.layers) {
        for (const SceneRect& rect : layer.rects)
            if (isAll || meet(boundsOf(rect), visible))
                scenePainter.paint(rect);
        for (const ScenePath& path : layer.paths)
            if (isAll || meet(boundsOf(path), visible))
                scenePainter.paint(path);
        scenePainter.flush();
        for (const SceneText& text : layer.texts)
            if (scale >= text.minimumScale && meet(text.slot, visible))
                scenePainter.paint(text);
    }
    painter.restore();
}

void paintScene(QPainter& painter, const Scene& scene, const SceneIndex& index, const QRectF& visible, double scale)
{
    if (visible.contains(scene.bounds)) { // everything: no list is needed
        paintScene(painter, scene, visible, scale);
        return;
    }
    painter.save();
    ScenePainter scenePainter(painter, scale);
    SceneIndex::Key last;
    for (const SceneIndex::Key key : index.meeting(visible)) {
        if (key.layer != last.layer || key.kind != last.kind)
            scenePainter.flush();
        last = key;
        const SceneLayer& layer = scene.layers[key.layer];
        switch (key.kind) {
        case SceneIndex::Key::Kind::Rect:
            scenePainter.paint(layer.rects[key.index]);
            break;
        case SceneIndex::Key::Kind::Path:
            scenePainter.paint(layer.paths[key.index]);
            break;
        case SceneIndex::Key::Kind::Text:
            scenePainter.paint(layer.texts[key.index]);
            break;
        }
    }
    scenePainter.flush();
    painter.restore();
}

} // namespace arenascope::ui
