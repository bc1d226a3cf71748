// SPDX-License-Identifier: MIT
#include "ui/export/scene_cut.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace arenascope::ui {

namespace {

QRectF moved(const QRectF& rect, QPointF offset, double scale)
{
    return QRectF(rect.topLeft() * scale + offset, rect.size() * scale);
}

/// The part of segment a-b with top <= y <= bottom; false when there is none.
bool cutSegment(QPointF& a, QPointF& b, double top, double bottom)
{
    const auto at = [&](double y) {
        const double t = (y - a.y()) / (b.y() - a.y());
        return QPointF(a.x() + t * (b.x() - a.x()), y);
    };
    if (std::max(a.y(), b.y()) < top || std::min(a.y(), b.y()) > bottom)
        return false;
    const QPointF from = a, to = b;
    if (from.y() < top)
        a = at(top);
    else if (from.y() > bottom)
        a = at(bottom);
    // `at` divides by the whole segment: it must see the old ends.
    const auto atOld = [&](double y) {
        const double t = (y - from.y()) / (to.y() - from.y());
        return QPointF(from.x() + t * (to.x() - from.x()), y);
    };
    if (to.y() < top)
        b = atOld(top);
    else if (to.y() > bottom)
        b = atOld(bottom);
    return true;
}

void cutPath(const ScenePath& path, double top, double bottom, SceneLayer& layer, std::vector<Crossing>& crossings)
{
    ScenePath piece = path;
    piece.points.clear();
    const auto finish = [&](bool isEnd) {
        if (piece.points.size() > 1) {
            piece.arrow = path.arrow && isEnd;
            layer.paths.push_back(piece);
        }
        piece.points.clear();
    };
    for (std::size_t i = 1; i < path.points.size(); ++i) {
        QPointF a = path.points[i - 1], b = path.points[i];
        const QPointF from = a, to = b;
        if (!cutSegment(a, b, top, bottom)) {
            finish(false);
            continue;
        }
        if (piece.points.empty())
            piece.points.push_back(a);
        piece.points.push_back(b);
        if (a != from) // came in
            crossings.push_back({a.x(), a.y() >= bottom, path.item, path.stroke});
        if (b != to) {
            crossings.push_back({b.x(), b.y() >= bottom, path.item, path.stroke});
            finish(false);
        }
    }
    finish(true);
}

} // namespace

void append(Scene& scene, const Scene& part, QPointF offset, double scale)
{
    for (const SceneLayer& layer : part.layers) {
        SceneLayer& to = scene.layers.emplace_back(layer);
        for (SceneRect& rect : to.rects) {
            rect.rect = moved(rect.rect, offset, scale);
            rect.radius *= scale;
            rect.strokeWidth *= scale;
        }
        for (ScenePath& path : to.paths) {
            for (QPointF& p : path.points)
                p = p * scale + offset;
            path.width *= scale;
        }
        for (SceneText& text : to.texts) {
            text.slot = moved(text.slot, offset, scale);
            text.pixelSize *= scale;
            text.minimumScale = 0.0;
        }
    }
    scene.bounds |= moved(part.bounds, offset, scale);
}

std::vector<double> breaksOf(const Scene& scene, const std::vector<SceneRect>& boxes, double most)
{
    std::vector<std::pair<double, double>> taken; // merged vertical ranges
    std::vector<std::pair<double, double>> all;
    for (const SceneRect& box : boxes)
        all.emplace_back(box.rect.top() - 4, box.rect.bottom() + 4);
    std::sort(all.begin(), all.end());
    for (const auto& range : all) {
        if (!taken.empty() && range.first <= taken.back().second)
            taken.back().second = std::max(taken.back().second, range.second);
        else
            taken.push_back(range);
    }
    std::vector<double> breaks{scene.bounds.top()};
    const double end = scene.bounds.bottom();
    while (end - breaks.back() > most) {
        const double start = breaks.back();
        double at = start + most;
        const auto next = std::upper_bound(taken.begin(), taken.end(), std::pair(at, 1e300));
        if (next != taken.begin()) {
            const auto& range = *std::prev(next);
            if (at < range.second && range.first > start + most * 0.25)
                at = range.first; // before the box; a wall of boxes without any gap is cut through
        }
        breaks.push_back(at);
    }
    breaks.push_back(end);
    return breaks;
}

ScenePiece cutPiece(const Scene& scene, double top, double bottom)
{
    ScenePiece piece;
    piece.scene.bounds = QRectF(scene.bounds.left(), top, scene.bounds.width(), bottom - top);
    const auto isIn = [&](const QRectF& rect) { return rect.center().y() >= top && rect.center().y() < bottom; };
    for (const SceneLayer& layer : scene.layers) {
        SceneLayer& to = piece.scene.layers.emplace_back();
        std::copy_if(layer.rects.begin(), layer.rects.end(), std::back_inserter(to.rects),
                     [&](const SceneRect& rect) { return isIn(rect.rect); });
        std::copy_if(layer.texts.begin(), layer.texts.end(), std::back_inserter(to.texts),
                     [&](const SceneText& text) { return isIn(text.slot); });
        for (const ScenePath& path : layer.paths)
            cutPath(path, top, bottom, to, piece.crossings);
    }
    auto& crossings = piece.crossings;
    const auto key = [](const Crossing& c) { return std::tuple(c.leaves, std::lround(c.x), c.item.kind, c.item.id); };
    std::stable_sort(crossings.begin(), crossings.end(), [&](const Crossing& a, const Crossing& b) { return key(a) < key(b); });
    crossings.erase(std::unique(crossings.begin(), crossings.end(), [&](const Crossing& a, const Crossing& b) { return key(a) == key(b); }),
                    crossings.end());
    return piece;
}

} // namespace arenascope::ui
