// SPDX-License-Identifier: MIT
#include "ui/views/scene.h"

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
constexpr double kArrowHalfWidth = 3.5;
constexpr double kHatchGap = 6.0;

QRectF boundsOf(const ScenePath& path)
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

QRectF boundsOf(const SceneRect& rect)
{
    const double margin = rect.stroke.isValid() ? rect.strokeWidth / 2 : 0.0;
    return rect.rect.adjusted(-margin, -margin, margin, margin);
}

/// QRectF::intersects() says no to rectangles without area; edges often have none.
bool meet(const QRectF& a, const QRectF& b)
{
    return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
}

double distanceToSegment(QPointF p, QPointF a, QPointF b)
{
    const QPointF along = b - a;
    const double length2 = QPointF::dotProduct(along, along);
    const double t = length2 > 0 ? std::clamp(QPointF::dotProduct(p - a, along) / length2, 0.0, 1.0) : 0.0;
    return QLineF(p, a + along * t).length();
}

bool hits(const ScenePath& path, QPointF point, double tolerance)
{
    if (path.fill.isValid() && path.points.size() > 2
        && QPolygonF(QList<QPointF>(path.points.begin(), path.points.end())).containsPoint(point, Qt::OddEvenFill))
        return true;
    const double reach = tolerance + path.width / 2;
    for (std::size_t i = 1; i < path.points.size(); ++i) {
        if (distanceToSegment(point, path.points[i - 1], path.points[i]) <= reach)
            return true;
    }
    return false;
}

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
        const QRgb colour = path.stroke.rgba();
        auto group = std::find_if(m_lines.begin(), m_lines.end(), [&](const auto& g) { return g.first == colour; });
        if (group == m_lines.end())
            group = m_lines.insert(m_lines.end(), {colour, {}});
        QPointF last = path.points.front();
        const double step = 1.0 / m_scale;
        for (int i = 1; i < count; ++i) {
            const QPointF next = path.points[static_cast<std::size_t>(i)];
            if (i + 1 < count && (next - last).manhattanLength() < step)
                continue;
            group->second << QLineF(last, next);
            last = next;
        }
        return;
    }
    setAntialiasing(true);
    setPen(path.stroke, path.width, path.style);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPolyline(path.points.data(), count);
    if (path.arrow && kArrowLength * m_scale >= 3.0)
        arrowHead(path);
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

void ScenePainter::flush()
{
    if (m_lines.empty())
        return;
    setAntialiasing(false);
    for (const auto& [colour, lines] : m_lines) {
        m_painter.setPen(QPen(QColor::fromRgba(colour), 0)); // one pixel at any zoom
        m_painter.drawLines(lines);
    }
    m_lines.clear();
}

bool hitsKey(const SceneLayer& layer, SceneIndex::Key key, QPointF point, double tolerance, Item& item)
{
    switch (key.kind) {
    case SceneIndex::Key::Kind::Rect:
        item = layer.rects[key.index].item;
        return !item.isNone() && layer.rects[key.index].rect.contains(point);
    case SceneIndex::Key::Kind::Path:
        item = layer.paths[key.index].item;
        return !item.isNone() && hits(layer.paths[key.index], point, tolerance);
    case SceneIndex::Key::Kind::Text:
        item = layer.texts[key.index].item;
        return !item.isNone() && layer.texts[key.index].slot.contains(point);
    }
    return false;
}

/// Calls `visit` with key and bounding box of everything, in painting order.
template <class Visit>
void forEachThing(const Scene& scene, Visit visit)
{
    using Kind = SceneIndex::Key::Kind;
    for (std::size_t l = 0; l < scene.layers.size(); ++l) {
        const auto layer = static_cast<std::uint8_t>(l);
        for (std::size_t i = 0; i < scene.layers[l].rects.size(); ++i)
            visit({layer, Kind::Rect, static_cast<std::uint32_t>(i)}, boundsOf(scene.layers[l].rects[i]));
        for (std::size_t i = 0; i < scene.layers[l].paths.size(); ++i)
            visit({layer, Kind::Path, static_cast<std::uint32_t>(i)}, boundsOf(scene.layers[l].paths[i]));
        for (std::size_t i = 0; i < scene.layers[l].texts.size(); ++i)
            visit({layer, Kind::Text, static_cast<std::uint32_t>(i)}, scene.layers[l].texts[i].slot);
    }
}

struct CellRange {
    int left, top, right, bottom; // inclusive
    std::int64_t count() const { return std::int64_t(right - left + 1) * (bottom - top + 1); }
};

CellRange cellsOf(const QRectF& area, const QRectF& bounds, double cell, int columns, int rows)
{
    const auto at = [cell](double distance, int count) {
        return static_cast<int>(std::clamp(std::floor(distance / cell), 0.0, static_cast<double>(count - 1)));
    };
    return {at(area.left() - bounds.left(), columns), at(area.top() - bounds.top(), rows),
            at(area.right() - bounds.left(), columns), at(area.bottom() - bounds.top(), rows)};
}

constexpr std::int64_t kWideCells = 512;

} // namespace

QRectF extentOf(const Scene& scene)
{
    QRectF all;
    bool any = false;
    forEachThing(scene, [&](SceneIndex::Key, const QRectF& box) {
        if (!any) {
            all = box;
            any = true;
            return;
        }
        const double left = std::min(all.left(), box.left()), top = std::min(all.top(), box.top());
        const double right = std::max(all.right(), box.right()), bottom = std::max(all.bottom(), box.bottom());
        all = QRectF(left, top, right - left, bottom - top);
    });
    return all;
}

SceneIndex::SceneIndex(const Scene& scene) : m_bounds(extentOf(scene))
{
    std::size_t count = 0;
    for (const SceneLayer& layer : scene.layers)
        count += layer.rects.size() + layer.paths.size() + layer.texts.size();
    if (count == 0)
        return;
    // About four things a cell; a flat scene gets a single row of cells.
    const double cells = static_cast<double>(count) / 4.0 + 1.0;
    const double area = std::max(m_bounds.width(), 1.0) * std::max(m_bounds.height(), 1.0);
    m_cell = std::max({std::sqrt(area / cells), m_bounds.width() / 4096, m_bounds.height() / 65536, 1e-6});
    m_columns = static_cast<int>(m_bounds.width() / m_cell) + 1;
    m_rows = static_cast<int>(m_bounds.height() / m_cell) + 1;

    const auto cellCount = static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows);
    const auto visitCells = [&](const QRectF& box, auto perCell) {
        const CellRange range = cellsOf(box, m_bounds, m_cell, m_columns, m_rows);
        if (range.count() > kWideCells)
            return false;
        for (int row = range.top; row <= range.bottom; ++row)
            for (int column = range.left; column <= range.right; ++column)
                perCell(static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns)
                        + static_cast<std::size_t>(column));
        return true;
    };
    m_starts.assign(cellCount + 1, 0);
    forEachThing(scene, [&](Key key, const QRectF& box) {
        if (!visitCells(box, [&](std::size_t cell) { ++m_starts[cell + 1]; }))
            m_wide.emplace_back(key, box);
    });
    for (std::size_t cell = 0; cell < cellCount; ++cell)
        m_starts[cell + 1] += m_starts[cell];
    m_keys.resize(m_starts.back());
    std::vector<std::uint32_t> next(m_starts.begin(), m_starts.end() - 1);
    forEachThing(scene,
                 [&](Key key, const QRectF& box) { visitCells(box, [&](std::size_t cell) { m_keys[next[cell]++] = key; }); });
}

std::vector<SceneIndex::Key> SceneIndex::meeting(const QRectF& area) const
{
    if (m_columns == 0)
        return {};
    std::vector<Key> found;
    for (const auto& [key, box] : m_wide) {
        if (meet(box, area))
            found.push_back(key);
    }
    if (meet(area, m_bounds)) {
        const CellRange range = cellsOf(area, m_bounds, m_cell, m_columns, m_rows);
        for (int row = range.top; row <= range.bottom; ++row) {
            const auto first = static_cast<std::size_t>(row) * static_cast<std::size_t>(m_columns);
            found.insert(found.end(), m_keys.begin() + m_starts[first + static_cast<std::size_t>(range.left)],
                         m_keys.begin() + m_starts[first + static_cast<std::size_t>(range.right) + 1]);
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

void paintScene(QPainter& painter, const Scene& scene, const QRectF& visible, double scale)
{
    painter.save();
    ScenePainter scenePainter(painter, scale);
    for (const SceneLayer& layer : scene.layers) {
        for (const SceneRect& rect : layer.rects)
            if (meet(boundsOf(rect), visible))
                scenePainter.paint(rect);
        for (const ScenePath& path : layer.paths)
            if (meet(boundsOf(path), visible))
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

Item itemAt(const Scene& scene, QPointF point, double tolerance)
{
    Item top;
    forEachThing(scene, [&](SceneIndex::Key key, const QRectF& box) {
        Item item;
        if (meet(box, QRectF(point, QSizeF(0, 0)).adjusted(-tolerance, -tolerance, tolerance, tolerance))
            && hitsKey(scene.layers[key.layer], key, point, tolerance, item))
            top = item;
    });
    return top;
}

Item itemAt(const Scene& scene, const SceneIndex& index, QPointF point, double tolerance)
{
    const auto near = index.meeting(QRectF(point, QSizeF(0, 0)).adjusted(-tolerance, -tolerance, tolerance, tolerance));
    for (auto key = near.rbegin(); key != near.rend(); ++key) {
        Item item;
        if (hitsKey(scene.layers[key->layer], *key, point, tolerance, item))
            return item;
    }
    return {};
}

} // namespace arenascope::ui
