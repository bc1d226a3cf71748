// SPDX-License-Identifier: MIT
#include "ui/views/arena_view.h"

#include "ui/document.h"
#include "ui/views/plot_scene.h"
#include "ui/views/related.h"
#include "ui/views/time_axis.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>
#include <QStyle>
#include <QToolTip>
#include <QVariantAnimation>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace arenascope::ui {

namespace {
constexpr double kWheelStep = 1.2;
constexpr double kGripReach = 5.0; // pixels beside a line that can be dragged
constexpr int kFadeMs = 150;
}

struct ArenaView::Private {
    explicit Private(ArenaView* view) : q(view) {}

    void takeFromDocument();
    void adopt(std::shared_ptr<const PlanOutcome> fresh);
    void movePlayhead(Step step);
    void stale();
    void updateFrame();
    void setBytes(double newLow, double newHigh);
    void paintMarks(QPainter& painter) const;
    bool isOnBudget(QPointF at) const;
    bool isOnPlayhead(QPointF at) const;
    bool isZoomed() const { return !axis->isFitted() || low > 0 || high < fullHeight(input()); }
    Bytes roundBytesAt(double y) const;
    void dragTo(QMouseEvent* event);
    PlotInput input() const { return {outcome.get(), colours.get(), ColourBy::Buffer, budget}; }
    ArenaNow now() const { return {playheadIsActive ? selection->playhead() : -1, stepBefore, blend}; }

    ArenaView* q;
    QPointer<Document> document;
    Selection* selection = nullptr;
    ColourKeeper* keeper = nullptr;
    TimeAxis* axis = nullptr;
    Theme theme = Theme::light();
    bool motion = true;

    std::shared_ptr<const PlanOutcome> outcome;
    std::shared_ptr<const BufferColours> colours;
    std::optional<Bytes> budget;
    double low = 0.0, high = 1.0; ///< of the address axis
    PlotFrame frame;
    Scene scene;
    SceneIndex index;
    QPixmap base;                 ///< everything that does not move with the playhead
    bool baseIsStale = true;
    bool playheadIsActive = false;
    Step lastStep = -1, stepBefore = -1;
    double blend = 1.0;
    QVariantAnimation fade;
    std::vector<BufferId> selected, hovered;

    enum class Drag { None, Press, Pan, Budget, Playhead } drag = Drag::None;
    QPointF dragFrom;
    double dragFirst = 0, dragLow = 0, dragHigh = 0;
};

ArenaView::ArenaView(Document* document, QWidget* parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    d->document = document;
    d->selection = document ? document->selection() : new Selection(this);
    d->keeper = ColourKeeper::of(document ? static_cast<QObject*>(document) : this);
    d->axis = new TimeAxis(this);
    d->motion = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Arena"));
    setMinimumSize(240, 110);
    d->fade.setDuration(kFadeMs);
    d->fade.setStartValue(0.0);
    d->fade.setEndValue(1.0);

    connect(&d->fade, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        d->blend = value.toDouble();
        update();
    });
    connect(d->axis, &TimeAxis::rangeChanged, this, [this] { d->stale(); });
    connect(d->selection, &Selection::playheadChanged, this, [this](Step step) { d->movePlayhead(step); });
    const auto relate = [this] {
        const auto buffersOf = [this](Item item) {
            return d->outcome ? relatedTo(*d->outcome->study->graph, d->outcome.get(), item).buffers : std::vector<BufferId>();
        };
        d->selected = buffersOf(d->selection->selected());
        d->hovered = buffersOf(d->selection->hovered());
        update();
    };
    connect(d->selection, &Selection::selectedChanged, this, relate);
    connect(d->selection, &Selection::hoveredChanged, this, relate);
    connect(d->selection, &Selection::revealRequested, this, &ArenaView::reveal);
    if (!document)
        return;
    connect(document, &Document::outcomeChanged, this, [this] { d->takeFromDocument(); });
    connect(document, &Document::graphChanged, this, [this] { d->takeFromDocument(); });
    connect(document, &Document::budgetChanged, this, &ArenaView::setBudget);
    setBudget(document->budget());
    d->takeFromDocument();
}

ArenaView::~ArenaView() = default;

void ArenaView::Private::takeFromDocument()
{
    if (!document)
        return;
    auto fresh = document->outcome();
    adopt(fresh && fresh->study->graph == document->graph() ? fresh : nullptr);
}

void ArenaView::Private::adopt(std::shared_ptr<const PlanOutcome> fresh)
{
    if (fresh == outcome)
        return;
    const bool otherGraph = !fresh || !outcome || fresh->study->graph != outcome->study->graph;
    const bool wasZoomed = isZoomed();
    outcome = std::move(fresh);
    colours = outcome ? keeper->coloursOf(outcome) : nullptr;
    fade.stop();
    blend = 1.0;
    lastStep = stepBefore = -1;
    if (otherGraph)
        playheadIsActive = false;
    selected.clear();
    hovered.clear();
    axis->setStepCount(outcome ? outcome->study->schedule.stepCount() : 0);
    if (otherGraph || !wasZoomed) {
        low = 0.0;
        high = fullHeight(input());
    }
    stale();
}

void ArenaView::Private::movePlayhead(Step step)
{
    if (!outcome)
        return;
    const bool wasFading = fade.state() == QAbstractAnimation::Running;
    fade.stop();
    stepBefore = std::exchange(lastStep, step);
    blend = 1.0;
    if (motion && q->isVisible() && playheadIsActive && !wasFading)
        fade.start();
    playheadIsActive = true;
    const double at = static_cast<double>(selection->playhead());
    if (!axis->isFitted())
        axis->reveal(at - 0.5, at + 1.5);
    q->update();
}

void ArenaView::Private::stale()
{
    baseIsStale = true;
    updateFrame();
    q->update();
}

void ArenaView::Private::updateFrame()
{
    frame = plotFrame(QRectF(q->rect()), axis->first(), axis->last(), low, high);
}

void ArenaView::Private::setBytes(double newLow, double newHigh)
{
    const double full = fullHeight(input());
    const double length = std::clamp(newHigh - newLow, std::min(64.0, full), full);
    low = std::clamp(newLow, 0.0, full - length);
    high = low + length;
    stale();
}

void ArenaView::setTheme(const Theme& theme)
{
    d->theme = theme;
    d->stale();
}

void ArenaView::setMotion(bool on)
{
    d->motion = on;
}

void ArenaView::setOutcome(std::shared_ptr<const PlanOutcome> outcome, std::shared_ptr<const Trace>)
{
    d->adopt(std::move(outcome));
    if (d->outcome)
        d->selection->setStepCount(d->outcome->study->schedule.stepCount());
}

TimeAxis* ArenaView::timeAxis() const
{
    return d->axis;
}

Selection* ArenaView::selection() const
{
    return d->selection;
}

std::optional<Bytes> ArenaView::budget() const
{
    return d->budget;
}

QRectF ArenaView::plotArea() const
{
    return d->frame.plot;
}

QRectF ArenaView::bufferRect(BufferId buffer) const
{
    return d->outcome ? stayRect(*d->outcome, buffer, d->frame).intersected(d->frame.plot) : QRectF();
}

QSize ArenaView::sizeHint() const
{
    return {760, 300};
}

void ArenaView::setBudget(std::optional<Bytes> budget)
{
    if (budget == d->budget)
        return;
    const bool wasZoomed = d->isZoomed();
    d->budget = budget;
    if (!wasZoomed || d->drag == Private::Drag::None)
        d->high = std::max(d->low + 1.0, wasZoomed ? std::min(d->high, fullHeight(d->input())) : fullHeight(d->input()));
    d->stale();
}

void ArenaView::fitAll()
{
    d->low = 0.0;
    d->high = fullHeight(d->input());
    d->axis->fitAll();
    d->stale();
}

void ArenaView::reveal(Item item)
{
    if (!d->outcome)
        return;
    const Related related = relatedTo(*d->outcome->study->graph, d->outcome.get(), item);
    if (related.buffers.empty())
        return;
    const LiveRange live = d->outcome->study->problem.buffer(related.buffers.front()).live;
    d->axis->reveal(static_cast<double>(live.begin), static_cast<double>(live.end));
    const auto low = static_cast<double>(d->outcome->plan.placements[related.buffers.front().index()].offset);
    const double high = low + static_cast<double>(d->outcome->study->problem.reserved(related.buffers.front()));
    if (low < d->low || high > d->high) {
        const double length = std::max(d->high - d->low, high - low);
        d->setBytes(low < d->low ? low : high - length, low < d->low ? low + length : high);
    }
}

// ---- painting --------------------------------------------------------------------------------------------------------

void ArenaView::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    const QSize pixels = (QSizeF(size()) * ratio).toSize();
    if (d->baseIsStale || d->base.size() != pixels) {
        if (d->base.size() != pixels)
            d->base = QPixmap(pixels);
        d->base.setDevicePixelRatio(ratio);
        d->base.fill(d->theme.canvas);
        d->scene = arenaScene(d->input(), d->frame, d->theme);
        d->index = SceneIndex(d->scene);
        QPainter painter(&d->base);
        paintScene(painter, d->scene, QRectF(rect()), ratio);
        d->baseIsStale = false;
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, d->base);
    if (!d->outcome)
        return;
    if (d->now().step >= 0)
        paintScene(painter, arenaNowScene(d->input(), d->frame, d->theme, d->now()), QRectF(rect()), ratio);
    d->paintMarks(painter);
}

void ArenaView::Private::paintMarks(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    const auto mark = [&](const std::vector<BufferId>& buffers, const QColor& colour, double width) {
        for (const BufferId id : buffers) {
            const QRectF rect = q->bufferRect(id);
            if (rect.isEmpty())
                continue;
            painter.setPen(QPen(theme.panel, width + 2));
            painter.drawRect(rect);
            painter.setPen(QPen(colour, width));
            painter.drawRect(rect);
        }
    };
    mark(hovered, theme.hover, 2.0);
    mark(selected, theme.selection, 3.0);
    if (!budget)
        return;
    const double y = frame.bytes.y(static_cast<double>(*budget));
    if (y < frame.plot.top() - 1 || y > frame.plot.bottom() + 1)
        return;
    painter.setPen(Qt::NoPen); // a handle shows that it can be dragged
    painter.setBrush(theme.budget);
    painter.drawRoundedRect(QRectF(frame.plot.left() - 4, y - 7, 8, 14), 3, 3);
}

void ArenaView::resizeEvent(QResizeEvent*)
{
    d->stale();
}

// ---- events ----------------------------------------------------------------------------------------------------------

bool ArenaView::Private::isOnBudget(QPointF at) const
{
    return budget && at.x() >= frame.plot.left() - 6 && at.x() <= frame.now.right()
        && std::abs(at.y() - frame.bytes.y(static_cast<double>(*budget))) <= kGripReach;
}

bool ArenaView::Private::isOnPlayhead(QPointF at) const
{
    if (!outcome || at.x() < frame.plot.left() || at.x() > frame.plot.right())
        return false;
    if (at.y() > frame.plot.bottom() || at.y() < frame.plot.top())
        return true; // the rulers above and below
    return playheadIsActive && std::abs(at.x() - frame.time.x(static_cast<double>(selection->playhead()) + 0.5)) <= kGripReach
        && itemAt(scene, index, at, 0.0).isNone();
}

void ArenaView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (!d->outcome)
        return;
    const QPointF at = event->position();
    const bool touch = !event->pixelDelta().isNull() && event->phase() != Qt::NoScrollPhase;
    if (touch && !(event->modifiers() & Qt::ControlModifier)) {
        d->axis->pan(-event->pixelDelta().x() / d->frame.time.stepWidth());
        const double bytes = event->pixelDelta().y() * (d->high - d->low) / d->frame.plot.height();
        d->setBytes(d->low + bytes, d->high + bytes);
        return;
    }
    const int delta = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    const double factor = std::pow(kWheelStep, delta / 120.0);
    if (event->modifiers() & Qt::ControlModifier) {
        const double fixed = d->frame.bytes.offset(at.y());
        d->setBytes(fixed - (fixed - d->low) / factor, fixed + (d->high - fixed) / factor);
    } else if (event->modifiers() & Qt::ShiftModifier) {
        d->axis->pan(-delta / 2.0 / d->frame.time.stepWidth());
    } else {
        d->axis->zoomAt(d->frame.time.step(at.x()), factor);
    }
}

void ArenaView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !d->outcome)
        return;
    d->dragFrom = event->position();
    d->dragFirst = d->axis->first();
    d->dragLow = d->low;
    d->dragHigh = d->high;
    if (d->isOnBudget(event->position())) {
        d->drag = Private::Drag::Budget;
    } else if (d->isOnPlayhead(event->position())) {
        d->drag = Private::Drag::Playhead;
        d->dragTo(event);
    } else {
        d->drag = Private::Drag::Press;
    }
}

/// The size at a height, to the power of two that a pixel stands for.
Bytes ArenaView::Private::roundBytesAt(double y) const
{
    const double perPixel = (frame.bytes.high - frame.bytes.low) / frame.plot.height();
    const double grain = std::max(1.0, std::exp2(std::floor(std::log2(std::max(perPixel, 1.0)))));
    const double bytes = std::clamp(frame.bytes.offset(y), 0.0, frame.bytes.high);
    return static_cast<Bytes>(std::round(bytes / grain) * grain);
}

void ArenaView::Private::dragTo(QMouseEvent* event)
{
    const QPointF at = event->position();
    switch (drag) {
    case Drag::Budget: {
        budget = roundBytesAt(at.y());
        stale();
        emit q->budgetChanged(budget);
        return;
    }
    case Drag::Playhead:
        selection->setPlayhead(frame.time.stepAt(at.x(), outcome->study->schedule.stepCount()));
        if (!playheadIsActive)
            movePlayhead(selection->playhead());
        return;
    case Drag::Pan: {
        const QPointF moved = at - dragFrom;
        const double length = axis->last() - axis->first();
        const double first = dragFirst - moved.x() / frame.time.stepWidth();
        axis->setRange(first, first + length);
        const double bytes = moved.y() * (dragHigh - dragLow) / frame.plot.height();
        setBytes(dragLow + bytes, dragHigh + bytes);
        return;
    }
    case Drag::None:
    case Drag::Press:
        return;
    }
}

void ArenaView::mouseMoveEvent(QMouseEvent* event)
{
    if (d->drag == Private::Drag::Press && (event->position() - d->dragFrom).manhattanLength() >= QApplication::startDragDistance()) {
        d->drag = Private::Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
    }
    if (d->drag != Private::Drag::None) {
        d->dragTo(event);
        return;
    }
    const Item item = d->frame.plot.contains(event->position()) || d->frame.now.contains(event->position())
        ? itemAt(d->scene, d->index, event->position(), 0.0) : Item{};
    if (d->isOnBudget(event->position()))
        setCursor(Qt::SizeVerCursor);
    else if (d->isOnPlayhead(event->position()))
        setCursor(Qt::SizeHorCursor);
    else
        setCursor(item.isNone() ? Qt::ArrowCursor : Qt::PointingHandCursor);
    d->selection->hover(item);
}

void ArenaView::mouseReleaseEvent(QMouseEvent* event)
{
    const Private::Drag was = d->drag;
    d->drag = Private::Drag::None;
    unsetCursor();
    if (was != Private::Drag::Press || event->button() != Qt::LeftButton || !d->outcome)
        return;
    d->selection->select(itemAt(d->scene, d->index, event->position(), 0.0));
    if (!d->frame.plot.contains(event->position()))
        return;
    d->drag = Private::Drag::Playhead;
    d->dragTo(event);
    d->drag = Private::Drag::None;
}

void ArenaView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Item item = itemAt(d->scene, d->index, event->position(), 0.0);
    if (item.kind != Item::Kind::Buffer || !d->outcome) {
        fitAll();
        return;
    }
    const BufferId id(item.id);
    const LiveRange live = d->outcome->study->problem.buffer(id).live;
    const double around = std::max(1.0, static_cast<double>(live.length()) * 0.5);
    d->axis->setRange(static_cast<double>(live.begin) - around, static_cast<double>(live.end) + around);
    const auto low = static_cast<double>(d->outcome->plan.placements[id.index()].offset);
    const auto size = static_cast<double>(d->outcome->study->problem.reserved(id));
    d->setBytes(low - size * 0.5, low + size * 1.5);
}

void ArenaView::leaveEvent(QEvent*)
{
    d->selection->hover({});
}

void ArenaView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F) {
        fitAll();
        return;
    }
    if (event->key() == Qt::Key_Escape)
        d->selection->clear();
    event->ignore();
}

void ArenaView::contextMenuEvent(QContextMenuEvent* event)
{
    if (!d->outcome)
        return;
    QMenu menu(this);
    const Bytes bytes = d->roundBytesAt(event->pos().y());
    const QAction* set = menu.addAction(tr("Set budget to %1").arg(bytesText(bytes)));
    QAction* remove = menu.addAction(tr("Remove budget"));
    remove->setEnabled(d->budget.has_value());
    menu.addSeparator();
    const QAction* fit = menu.addAction(tr("Fit all"));
    const QAction* chosen = menu.exec(event->globalPos());
    if (chosen == fit && fit)
        fitAll();
    if (chosen != set && chosen != remove)
        return;
    setBudget(chosen == set ? std::optional(bytes) : std::nullopt);
    emit budgetChanged(d->budget);
}

bool ArenaView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Item item = itemAt(d->scene, d->index, help->pos(), 0.0);
    const QString words = d->outcome ? itemTooltip(*d->outcome->study->graph, d->outcome.get(), item) : QString();
    if (words.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), words, this);
    return true;
}

} // namespace arenascope::ui
