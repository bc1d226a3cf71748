// SPDX-License-Identifier: MIT
#include "ui/views/network_view.h"

#include "ui/document.h"
#include "ui/views/network_view_p.h"

#include <QApplication>
#include <QGesture>
#include <QGestureEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStyle>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace arenascope::ui {

namespace {
constexpr double kWheelStep = 1.2; // a notch of 15 degrees
constexpr double kHitReach = 4.0;  // pixels beside an edge
constexpr int kRoomForAll = 640;   // as wide as boxes and minimap side by side
}

NetworkView::NetworkView(Document* document, QWidget* parent)
    : QAbstractScrollArea(parent), d(std::make_unique<Private>(this))
{
    d->document = document;
    d->selection = document ? document->selection() : new Selection(this);
    d->keeper = ColourKeeper::of(document ? static_cast<QObject*>(document) : this);
    d->motion = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Network"));
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    viewport()->grabGesture(Qt::PinchGesture);

    connect(&d->fade, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) { d->light(value.toDouble()); });
    connect(&d->building, &QFutureWatcherBase::finished, this, [this] {
        if (d->buildAgain)
            d->startBuild(); // what was built is of yesterday
        else
            d->install(d->building.result());
    });
    connect(&d->glide, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        d->setTransform(d->scale, d->glideFrom + (d->glideTo - d->glideFrom) * value.toDouble());
    });
    connect(d->selection, &Selection::playheadChanged, this, [this](Step step) { d->movePlayhead(step); });
    connect(d->selection, &Selection::selectedChanged, this, [this] { d->updateHighlights(); });
    connect(d->selection, &Selection::hoveredChanged, this, [this] { d->updateHighlights(); });
    connect(d->selection, &Selection::revealRequested, this, &NetworkView::reveal);
    if (!document)
        return;
    document->setNodeSizer([](const Graph& graph, const LayoutNode& node) { return nodeSizeFor(node, graph); });
    const auto take = [this] { d->takeFromDocument(); };
    connect(document, &Document::graphChanged, this, take);
    connect(document, &Document::layoutChanged, this, take);
    connect(document, &Document::outcomeChanged, this, take);
    connect(document, &Document::matchesChanged, this, take);
    connect(document, &Document::runChanged, this, take);
    take();
}

NetworkView::~NetworkView()
{
    d->building.waitForFinished(); // it measures words: fonts are gone once the application is
}

void NetworkView::setTheme(const Theme& theme)
{
    d->theme = theme;
    d->rebuildScene();
}

void NetworkView::setColourBy(ColourBy by)
{
    if (by == d->colourBy)
        return;
    d->colourBy = by;
    d->rebuildScene();
}

ColourBy NetworkView::colourBy() const
{
    return d->colourBy;
}

void NetworkView::setMotion(bool on)
{
    d->motion = on;
}

void NetworkView::setMinimapVisible(bool on)
{
    d->showsMinimap = on;
    d->baseIsStale = true; // its picture may be missing
    viewport()->update();
}

void NetworkView::setLegendVisible(bool on)
{
    d->showsLegend = on;
    viewport()->update();
}

void NetworkView::setSnapshot(const NetworkSnapshot& snapshot)
{
    d->adopt(snapshot);
}

Selection* NetworkView::selection() const
{
    return d->selection;
}

bool NetworkView::isPlayheadActive() const
{
    return d->state.isActive();
}

bool NetworkView::isSettled() const
{
    return !d->building.isRunning() && !d->painting.isBusy() && (!d->baseIsStale || !isVisible());
}

double NetworkView::zoom() const
{
    return d->scale;
}

QRectF NetworkView::visibleScene() const
{
    return d->visible();
}

QRectF NetworkView::sceneBounds() const
{
    return d->scene().bounds;
}

QRectF NetworkView::minimapRect() const
{
    const QRectF map = d->showsMinimap ? d->minimap.place(d->scene(), d->visible(), viewport()->size()) : QRectF();
    // Where there is little room it gives way to boxes that can be read, except under the hand.
    const bool givesWay = viewport()->width() < kRoomForAll && d->scale >= kDetailScale && d->drag != Private::Drag::Minimap;
    return givesWay && d->coversBox(map) ? QRectF() : map;
}

bool NetworkView::Private::coversBox(const QRectF& map) const
{
    const QRectF below(toScene(map.topLeft()), map.size() / scale);
    const auto keys = map.isEmpty() ? std::vector<SceneIndex::Key>() : built->index.meeting(below);
    return std::any_of(keys.begin(), keys.end(), [&](SceneIndex::Key key) {
        return key.layer == NetworkScene::Boxes && key.kind == SceneIndex::Key::Kind::Rect
            && scene().layers[key.layer].rects[key.index].rect.intersects(below);
    });
}

QPointF NetworkView::toView(QPointF scene) const
{
    return d->toView(scene);
}

QPointF NetworkView::toScene(QPointF view) const
{
    return d->toScene(view);
}

void NetworkView::fitAll()
{
    d->glide.stop();
    d->fit(d->scene().bounds, 1.25);
    d->userMoved = true;
}

void NetworkView::fitWidth()
{
    d->glide.stop();
    d->startView();
}

void NetworkView::zoomBy(double factor)
{
    d->glide.stop();
    d->zoomAt(QRectF(viewport()->rect()).center(), factor);
}

void NetworkView::reveal(Item item)
{
    const QRectF rect = d->rectOfItem(item);
    if (rect.isEmpty())
        return;
    if (d->scale < 0.5) // so small that the item would still not be seen
        d->setTransform(0.9, d->origin);
    const QRectF seen = d->visible();
    const double margin = 40.0 / d->scale;
    if (!seen.adjusted(margin, margin, -margin, -margin).contains(rect))
        d->centreOn(rect.center(), d->glides());
    d->userMoved = true;
}


void NetworkView::wheelEvent(QWheelEvent* event)
{
    d->glide.stop();
    d->sincePan.start();
    // A touchpad says pixels: two fingers pan, with Ctrl they zoom. A wheel says notches: it zooms.
    const bool touch = !event->pixelDelta().isNull() && event->source() != Qt::MouseEventSynthesizedByApplication
        && event->phase() != Qt::NoScrollPhase;
    if (touch && !(event->modifiers() & Qt::ControlModifier)) {
        d->userMoved = true;
        d->setTransform(d->scale, d->origin + QPointF(event->pixelDelta()));
        event->accept();
        return;
    }
    const QPoint angle = event->angleDelta();
    const int delta = angle.y() != 0 ? angle.y() : angle.x();
    if (event->modifiers() & Qt::ShiftModifier) {
        d->userMoved = true;
        d->setTransform(d->scale, d->origin + QPointF(delta, 0));
    } else if (delta != 0) {
        d->zoomAt(event->position(), std::pow(kWheelStep, delta / 120.0));
    }
    event->accept();
}

void NetworkView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    d->glide.stop();
    d->dragFrom = event->pos();
    d->dragOrigin = d->origin;
    const QRectF map = minimapRect();
    if (map.contains(event->position())) {
        d->drag = Private::Drag::Minimap;
        d->sincePan.start();
        d->userMoved = true;
        d->centreOn(Minimap::toScene(d->scene(), map, event->position()), false);
        return;
    }
    QRectF legend;
    d->legendNow(legend);
    if (legend.contains(event->position())) {
        d->legendIsFolded = !d->legendIsFolded;
        viewport()->update();
        return;
    }
    d->drag = Private::Drag::Press;
}

void NetworkView::mouseMoveEvent(QMouseEvent* event)
{
    if (d->drag == Private::Drag::Minimap) {
        const QRectF map = minimapRect();
        if (!map.isEmpty())
            d->centreOn(Minimap::toScene(d->scene(), map, event->position()), false);
        return;
    }
    if (d->drag == Private::Drag::Press && (event->pos() - d->dragFrom).manhattanLength() >= QApplication::startDragDistance()) {
        d->drag = Private::Drag::Pan;
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    if (d->drag == Private::Drag::Pan) {
        d->sincePan.start();
        d->userMoved = true;
        d->setTransform(d->scale, d->dragOrigin + QPointF(event->pos() - d->dragFrom));
        return;
    }
    d->hoverAt(event->position());
}

void NetworkView::mouseReleaseEvent(QMouseEvent* event)
{
    const Private::Drag was = d->drag;
    d->drag = Private::Drag::None;
    viewport()->unsetCursor();
    if (was == Private::Drag::Press && event->button() == Qt::LeftButton)
        d->selection->select(itemAt(d->scene(), d->built->index, d->toScene(event->position()), kHitReach / d->scale));
}

void NetworkView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const Item item = itemAt(d->scene(), d->built->index, d->toScene(event->position()), kHitReach / d->scale);
    const QRectF rect = d->rectOfItem(item);
    if (rect.isEmpty()) {
        fitAll();
        return;
    }
    d->selection->select(item);
    const double around = 1.2 * std::max(rect.width(), rect.height());
    d->fit(rect.adjusted(-around, -around, around, around), 1.6);
    d->userMoved = true;
}

void NetworkView::Private::hoverAt(QPointF view)
{
    const Item item = q->minimapRect().contains(view) ? Item{} : itemAt(scene(), built->index, toScene(view), kHitReach / scale);
    q->viewport()->setCursor(item.isNone() ? Qt::ArrowCursor : Qt::PointingHandCursor);
    selection->hover(item);
}

bool NetworkView::viewportEvent(QEvent* event)
{
    switch (event->type()) {
    case QEvent::ToolTip: {
        const auto* help = static_cast<QHelpEvent*>(event);
        QRectF legend;
        d->legendNow(legend);
        if (legend.contains(help->pos())) {
            QToolTip::showText(help->globalPos(), d->legendIsFolded ? tr("Show the legend") : tr("Fold the legend"), viewport());
            return true;
        }
        const Item item = itemAt(d->scene(), d->built->index, d->toScene(help->pos()), kHitReach / d->scale);
        const QString words = d->shown.graph ? itemTooltip(*d->shown.graph, d->shown.outcome.get(), item) : QString();
        if (words.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), words, viewport());
        return true;
    }
    case QEvent::Leave:
        d->selection->hover({});
        break;
    case QEvent::Gesture: {
        auto* gesture = static_cast<QGestureEvent*>(event);
        if (auto* pinch = static_cast<QPinchGesture*>(gesture->gesture(Qt::PinchGesture))) {
            d->zoomAt(viewport()->mapFromGlobal(pinch->centerPoint().toPoint()), pinch->scaleFactor());
            return true;
        }
        break;
    }
    default:
        break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void NetworkView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_F:
        fitAll();
        return;
    case Qt::Key_W:
        fitWidth();
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1.25);
        return;
    case Qt::Key_Minus:
        zoomBy(0.8);
        return;
    case Qt::Key_Escape:
        d->selection->clear();
        event->ignore(); // the window lets go as well
        return;
    default:
        event->ignore();
    }
}

} // namespace arenascope::ui
