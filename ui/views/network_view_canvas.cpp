// SPDX-License-Identifier: MIT
#include "ui/views/network_view_p.h"

#include <QScrollBar>

#include <algorithm>

namespace arenascope::ui {

namespace {
constexpr double kMostScale = 4.0;
constexpr double kReadableScale = 0.8;  // words of 11 px are then 9 high, kinds 10: the smallest that a first view has
constexpr double kMargin = 24.0;        // around a fitted scene, in pixels
constexpr double kMinimapRoom = 84.0;
constexpr qint64 kRestAfterPanMs = 4000;
}


QRectF NetworkView::Private::visible() const
{
    return QRectF(toScene(QPointF(0, 0)), QSizeF(q->viewport()->size()) / scale);
}

bool NetworkView::Private::glides() const
{
    return motion && q->isVisible();
}

double NetworkView::Private::leastScale() const
{
    const QRectF all = scene().bounds;
    if (all.isEmpty())
        return 0.01;
    const QSizeF view = q->viewport()->size();
    return std::min(0.5, 0.6 * std::min(view.width() / all.width(), view.height() / all.height()));
}

void NetworkView::Private::setTransform(double newScale, QPointF newOrigin)
{
    const double before = scale;
    scale = std::clamp(newScale, std::min(leastScale(), kMostScale), kMostScale);
    origin = newOrigin;
    // The network never leaves the view altogether: a fifth of the view at least stays covered.
    const QRectF all = scene().bounds;
    const QSizeF view = q->viewport()->size();
    if (!all.isEmpty()) {
        const QPointF keep(std::min(view.width() * 0.2, all.width() * scale), std::min(view.height() * 0.2, all.height() * scale));
        origin.setX(std::clamp(origin.x(), keep.x() - all.right() * scale, view.width() - keep.x() - all.left() * scale));
        origin.setY(std::clamp(origin.y(), keep.y() - all.bottom() * scale, view.height() - keep.y() - all.top() * scale));
    }
    baseIsStale = true;
    syncScrollBars();
    q->viewport()->update();
    if (scale != before)
        emit q->zoomChanged(scale);
}

void NetworkView::Private::zoomAt(QPointF view, double factor)
{
    const QPointF fixed = toScene(view);
    const double wanted = std::clamp(scale * factor, std::min(leastScale(), kMostScale), kMostScale);
    setTransform(wanted, view - fixed * wanted);
    userMoved = true;
}

void NetworkView::Private::centreOn(QPointF scene, bool gliding)
{
    const QPointF wanted = QRectF(q->viewport()->rect()).center() - scene * scale;
    glide.stop();
    if (!gliding) {
        setTransform(scale, wanted);
        return;
    }
    glideFrom = origin;
    glideTo = wanted;
    glide.setStartValue(0.0);
    glide.setEndValue(1.0);
    glide.setDuration(180);
    glide.setEasingCurve(QEasingCurve::OutCubic);
    glide.start();
}

void NetworkView::Private::fit(const QRectF& rect, double mostScale)
{
    if (rect.isEmpty())
        return;
    const QSizeF view = QSizeF(q->viewport()->size()) - QSizeF(2 * kMargin, 2 * kMargin);
    const double wanted = std::min({std::max(view.width(), 1.0) / rect.width(), std::max(view.height(), 1.0) / rect.height(), mostScale});
    scale = wanted; // before the origin, which is in its pixels
    setTransform(wanted, QRectF(q->viewport()->rect()).center() - rect.center() * wanted);
}

/// All of it where its words can be read so; else from the top, as wide as fits, at a readable size.
void NetworkView::Private::startView()
{
    const QRectF all = scene().bounds;
    if (all.isEmpty() || !shown.layout)
        return;
    QSizeF view = QSizeF(q->viewport()->size()) - QSizeF(2 * kMargin, 2 * kMargin);
    const double whole = std::min(view.width() / all.width(), view.height() / all.height());
    if (whole >= kReadableScale) {
        fit(all, 1.0);
        return;
    }
    if (showsMinimap && Minimap::fits(q->viewport()->size())) // it stands at the right
        view.rwidth() -= kMinimapRoom;
    const double wide = std::clamp(view.width() / all.width(), kReadableScale, 1.0);
    const double high = std::clamp(view.height() / all.height(), kReadableScale, 1.0);
    const bool isTall = all.height() * view.width() >= all.width() * view.height();
    const double wanted = isTall ? wide : high;
    // What comes first is in the middle: the first node, or all when that fits.
    QPointF anchor = all.topLeft();
    if (!shown.layout->nodes.empty()) {
        const auto first = std::find_if(shown.layout->nodes.begin(), shown.layout->nodes.end(),
                                        [](const Rect& node) { return node.width > 0; });
        if (first != shown.layout->nodes.end())
            anchor = QPointF(first->x + first->width / 2, first->y + first->height / 2);
    }
    QPointF start;
    const auto along = [](double low, double length, double viewLength, double at, double zoom) {
        if (length * zoom <= viewLength)
            return (viewLength - length * zoom) / 2 - low * zoom; // all of it, centred
        return std::clamp(viewLength / 2 - at * zoom, viewLength - (low + length) * zoom, -low * zoom);
    };
    start.setX(kMargin + along(all.left(), all.width(), view.width(), anchor.x(), wanted));
    start.setY(kMargin + along(all.top(), all.height(), view.height(), isTall ? all.top() : anchor.y(), wanted));
    setTransform(wanted, start);
}

void NetworkView::Private::syncScrollBars()
{
    if (syncing)
        return;
    syncing = true;
    const QRectF all = scene().bounds;
    const QRectF seen = visible();
    const auto set = [this](QScrollBar* bar, double low, double high, double seenLow, double seenLength) {
        const double first = std::min(low, seenLow), last = std::max(high, seenLow + seenLength);
        const bool fits = low >= seenLow && high <= seenLow + seenLength;
        const double unit = scale;
        bar->setRange(static_cast<int>(first * unit), fits ? static_cast<int>(first * unit) : static_cast<int>((last - seenLength) * unit));
        bar->setPageStep(std::max(1, static_cast<int>(seenLength * unit)));
        bar->setSingleStep(40);
        bar->setValue(static_cast<int>(seenLow * unit));
    };
    set(q->horizontalScrollBar(), all.left(), all.right(), seen.left(), seen.width());
    set(q->verticalScrollBar(), all.top(), all.bottom(), seen.top(), seen.height());
    syncing = false;
}

void NetworkView::scrollContentsBy(int dx, int dy)
{
    if (d->syncing)
        return;
    d->glide.stop();
    d->sincePan.start();
    d->userMoved = true;
    d->setTransform(d->scale, d->origin + QPointF(dx, dy));
}

/// Keeps the running operator in view while the playhead moves, unless the user has just moved the view himself.
void NetworkView::Private::follow()
{
    if (!state.isActive() || (sincePan.isValid() && sincePan.elapsed() < kRestAfterPanMs))
        return;
    const std::int32_t node = nodeOf(Item::of(state.running));
    if (node < 0 || built->network.nodes[static_cast<std::size_t>(node)].box < 0)
        return;
    const auto box = static_cast<std::size_t>(built->network.nodes[static_cast<std::size_t>(node)].box);
    const QRectF rect = scene().layers[NetworkScene::Boxes].rects[box].rect;
    const QRectF seen = visible();
    const QRectF calm = seen.adjusted(seen.width() * 0.08, seen.height() * 0.16, -seen.width() * 0.08, -seen.height() * 0.16);
    if (calm.contains(rect))
        return;
    userMoved = true;
    const bool far = !seen.adjusted(-seen.width(), -seen.height(), seen.width(), seen.height()).intersects(rect);
    centreOn(rect.center(), glides() && !far);
}

void NetworkView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    if (!d->userMoved)
        d->startView();
    d->baseIsStale = true;
    d->syncScrollBars();
}

} // namespace arenascope::ui
