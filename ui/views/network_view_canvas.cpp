// SPDX-License-Identifier: MIT
#include "ui/views/legend.h"
#include "ui/views/network_view_p.h"

#include <QPainter>
#include <QScrollBar>
#include <QTimerEvent>

#include <algorithm>

namespace arenascope::ui {

namespace {
constexpr double kMostScale = 4.0;
constexpr double kReadableScale = 0.8;  // words of 11 px are then 9 high, kinds 10: the smallest that a first view has
constexpr double kMargin = 24.0;        // around a fitted scene, in pixels
constexpr double kMinimapRoom = 84.0;
constexpr qint64 kRestAfterPanMs = 4000;
constexpr qint64 kFrameMs = 14;
constexpr int kRestMs = 60;
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
    const QRectF all = network.scene.bounds;
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
    const QRectF all = network.scene.bounds;
    const QSizeF view = q->viewport()->size();
    if (!all.isEmpty()) {
        const QPointF keep(std::min(view.width() * 0.2, all.width() * scale), std::min(view.height() * 0.2, all.height() * scale));
        origin.setX(std::clamp(origin.x(), keep.x() - all.right() * scale, view.width() - keep.x() - all.left() * scale));
        origin.setY(std::clamp(origin.y(), keep.y() - all.bottom() * scale, view.height() - keep.y() - all.top() * scale));
    }
    onlyMoved = onlyMoved || !baseIsStale;
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
    const QRectF all = network.scene.bounds;
    if (all.isEmpty() || !shown.layout)
        return;
    QSizeF view = QSizeF(q->viewport()->size()) - QSizeF(2 * kMargin, 2 * kMargin);
    const double whole = std::min(view.width() / all.width(), view.height() / all.height());
    if (whole >= kReadableScale) {
        fit(all, 1.0);
        return;
    }
    if (showsMinimap && view.width() > 320) // it stands at the right
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
    const QRectF all = network.scene.bounds;
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
    if (node < 0 || network.nodes[static_cast<std::size_t>(node)].box < 0)
        return;
    const auto box = static_cast<std::size_t>(network.nodes[static_cast<std::size_t>(node)].box);
    const QRectF rect = network.scene.layers[NetworkScene::Boxes].rects[box].rect;
    const QRectF seen = visible();
    const QRectF calm = seen.adjusted(seen.width() * 0.08, seen.height() * 0.16, -seen.width() * 0.08, -seen.height() * 0.16);
    if (calm.contains(rect))
        return;
    userMoved = true;
    const bool far = !seen.adjusted(-seen.width(), -seen.height(), seen.width(), seen.height()).intersects(rect);
    centreOn(rect.center(), glides() && !far);
}

void NetworkView::Private::paintBase(double ratio)
{
    const QSize pixels = (QSizeF(q->viewport()->size()) * ratio).toSize();
    if (!baseIsStale && base.size() == pixels)
        return;
    QElapsedTimer cost;
    cost.start();
    if (base.size() != pixels)
        base = QPixmap(pixels);
    base.setDevicePixelRatio(ratio);
    base.fill(theme.canvas);
    QPainter painter(&base);
    painter.translate(origin);
    painter.scale(scale, scale);
    paintScene(painter, network.scene, index, visible(), scale * ratio);
    baseIsStale = false;
    baseScale = scale;
    baseOrigin = origin;
    baseCost = cost.elapsed();
}

void NetworkView::paintEvent(QPaintEvent*)
{
    const double ratio = viewport()->devicePixelRatioF();
    QPainter painter(viewport());
    // A scene that takes longer than a frame follows the hand as the picture that there is, and is drawn anew at rest.
    const bool isMoving = d->onlyMoved && d->baseCost > kFrameMs && !d->base.isNull() && isVisible();
    if (isMoving) {
        painter.fillRect(viewport()->rect(), d->theme.canvas);
        painter.save();
        const double grown = d->scale / d->baseScale;
        painter.translate(d->origin - d->baseOrigin * grown);
        painter.scale(grown, grown);
        painter.drawPixmap(0, 0, d->base);
        painter.restore();
        d->rest.start(kRestMs, this);
    } else {
        d->paintBase(ratio);
        painter.drawPixmap(0, 0, d->base);
        d->onlyMoved = false;
    }
    d->paintHighlights(painter);
    if (d->network.scene.bounds.isEmpty())
        d->paintEmpty(painter);
    if (d->showsLegend)
        d->paintLegend(painter);
    if (!d->showsMinimap)
        return;
    // The map shows all colours in full, whatever is alive.
    const bool lit = d->state.isActive() && d->minimap.needsPicture(d->network.scene, d->visible(), viewport()->size(), ratio);
    if (lit)
        lightNetwork(d->network, d->input(), {}, d->theme);
    d->minimap.paint(painter, d->network.scene, d->visible(), viewport()->size(), ratio, d->theme);
    if (lit)
        lightNetwork(d->network, d->input(), d->state, d->theme);
}

void NetworkView::timerEvent(QTimerEvent* event)
{
    if (event->timerId() != d->rest.timerId()) {
        QAbstractScrollArea::timerEvent(event);
        return;
    }
    d->rest.stop();
    d->onlyMoved = false;
    viewport()->update();
}

void NetworkView::Private::paintHighlights(QPainter& painter)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    const QRectF seen = visible();
    const auto mark = [&](const std::vector<std::int32_t>& nodes, const std::vector<std::int32_t>& edges, const QColor& colour,
                          double width) {
        painter.setBrush(Qt::NoBrush);
        for (const std::int32_t edge : edges) {
            const std::int32_t at = network.edges[static_cast<std::size_t>(edge)].path;
            if (at < 0)
                continue;
            const ScenePath& path = network.scene.layers[NetworkScene::Edges].paths[static_cast<std::size_t>(at)];
            QPolygonF line;
            for (const QPointF& p : path.points)
                line << toView(p);
            painter.setPen(QPen(colour, std::max(width, path.width * scale), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.drawPolyline(line);
        }
        for (const std::int32_t node : nodes) {
            const std::int32_t at = network.nodes[static_cast<std::size_t>(node)].box;
            if (at < 0)
                continue;
            const SceneRect& box = network.scene.layers[NetworkScene::Boxes].rects[static_cast<std::size_t>(at)];
            if (!box.rect.intersects(seen))
                continue;
            const double gap = width / 2 + (scale > kDetailScale ? 2.0 : 0.0);
            const QRectF frame = QRectF(toView(box.rect.topLeft()), box.rect.size() * scale).adjusted(-gap, -gap, gap, gap);
            painter.setPen(QPen(colour, width));
            painter.drawRoundedRect(frame, box.radius * scale + 2, box.radius * scale + 2);
        }
    };
    mark(hoveredNodes, hoveredEdges, theme.hover, 2.0);
    mark(selectedNodes, selectedEdges, theme.selection, 3.0);
}

/// A strip along the lower edge, or, folded by a click, a word in the corner.
Scene NetworkView::Private::legendNow(QRectF& frame) const
{
    const QSizeF view = q->viewport()->size();
    frame = {};
    if (!showsLegend || !shown.outcome || view.height() < 300 || view.width() < 260)
        return {};
    Scene legend;
    if (legendIsFolded) {
        legend.layers.resize(1);
        legend.bounds = QRectF(0, 0, 52, 16);
        legend.layers[0].texts.push_back({legend.bounds, NetworkView::tr("Legend"), theme.mutedText, 11.0, false, Qt::AlignCenter, 0.0, {}});
    } else {
        LegendOptions options;
        options.isPingPong = colours->isPingPong;
        options.colourBy = colourBy;
        options.playhead = state.isActive();
        options.mostWidth = view.width() - 40;
        legend = legendScene(options, theme);
    }
    frame = QRectF(8, view.height() - legend.bounds.height() - 16, legend.bounds.width() + 18, legend.bounds.height() + 8);
    return legend;
}

void NetworkView::Private::paintLegend(QPainter& painter)
{
    QRectF frame;
    const Scene legend = legendNow(frame);
    if (frame.isEmpty())
        return;
    QColor ground = theme.panel;
    ground.setAlphaF(0.92f);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(frame, 4, 4);
    painter.save();
    painter.translate(frame.topLeft() + QPointF(9, 4));
    paintScene(painter, legend, legend.bounds, 1.0);
    painter.restore();
}

void NetworkView::Private::paintEmpty(QPainter& painter)
{
    if (!shown.graph)
        return;
    painter.setPen(theme.mutedText);
    painter.drawText(q->viewport()->rect(), Qt::AlignCenter, NetworkView::tr("Laying out %n operator(s)", nullptr,
                     static_cast<int>(shown.graph->operators().size())));
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
