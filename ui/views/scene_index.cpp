// SPDX-License-Identifier: MIT
// What is where in a scene.
#include "ui/views/scene.h"
#include "ui/views/scene_bounds.h"

#include <QLineF>
#include <QPolygonF>

#include <algorithm>
#include <cmath>

namespace arenascope::ui {

namespace {

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
