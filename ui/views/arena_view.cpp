// SPDX-License-Identifier: MIT
#include "ui/views/arena_view.h"

#include "ui/views/related.h"
#include "ui/views/time_axis.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
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

ArenaView::ArenaView(Document* document, QWidget* parent)
    : PlotView(document, arenaScene, parent)
    , m_hasMotion(style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0)
{
    setAccessibleName(tr("Arena"));
    setMinimumSize(240, 110);
    m_fade.setDuration(kFadeMs);
    m_fade.setStartValue(0.0);
    m_fade.setEndValue(1.0);
    connect(&m_fade, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        m_blend = value.toDouble();
        update();
    });
    connect(selection(), &Selection::selectedChanged, this, &ArenaView::relate);
    connect(selection(), &Selection::hoveredChanged, this, &ArenaView::relate);
    connect(selection(), &Selection::revealRequested, this, &ArenaView::reveal);
    follow();
}

void ArenaView::relate()
{
    const auto buffersOf = [this](Item item) {
        return outcome() ? relatedTo(*outcome()->study->graph, outcome().get(), item).buffers : std::vector<BufferId>();
    };
    m_selected = buffersOf(selection()->selected());
    m_hovered = buffersOf(selection()->hovered());
    update();
}

// ---- What is shown

void ArenaView::outcomeReplaced(bool isOtherGraph)
{
    m_fade.stop();
    m_blend = 1.0;
    m_lastStep = m_stepBefore = -1;
    const Study* study = outcome() ? outcome()->study.get() : nullptr;
    if (std::exchange(m_study, study) != study || !study) { // other plans of a study have the same buffers
        m_selected.clear();
        m_hovered.clear();
    }
    if (!isOtherGraph && !m_fitsBytes)
        return;
    m_fitsBytes = true;
    m_low = 0.0;
    m_high = fullHeight(input());
}

bool ArenaView::isLarge() const
{
    constexpr std::size_t kMostAtOnce = 3000;
    return outcome()->study->problem.buffers.size() > kMostAtOnce;
}

void ArenaView::movePlayhead(Step step)
{
    if (!outcome())
        return;
    const bool wasFading = m_fade.state() == QAbstractAnimation::Running;
    m_fade.stop();
    m_stepBefore = std::exchange(m_lastStep, step);
    m_blend = 1.0;
    if (m_hasMotion && isVisible() && isPlayheadActive() && !wasFading)
        m_fade.start();
    const auto at = static_cast<double>(selection()->playhead());
    if (!timeAxis()->isFitted())
        timeAxis()->reveal(at - 0.5, at + 1.5);
    PlotView::movePlayhead(step);
}

void ArenaView::setBytes(double low, double high)
{
    const double full = fullHeight(input());
    const double length = std::clamp(high - low, std::min(64.0, full), full);
    m_low = std::clamp(low, 0.0, full - length);
    m_high = m_low + length;
    m_fitsBytes = length >= full;
    stale();
}

QRectF ArenaView::bufferRect(BufferId buffer) const
{
    return outcome() ? stayRect(*outcome(), buffer, frame()).intersected(frame().plot) : QRectF();
}

std::vector<QRectF> ArenaView::bufferPieces(BufferId buffer) const
{
    if (!outcome())
        return {};
    std::vector<QRectF> pieces = stayPieces(*outcome(), buffer, frame());
    for (QRectF& piece : pieces)
        piece = piece.intersected(frame().plot);
    std::erase_if(pieces, [](const QRectF& piece) { return piece.isEmpty(); });
    return pieces;
}

void ArenaView::setBudget(std::optional<Bytes> budget)
{
    PlotView::setBudget(budget);
    const double full = fullHeight(input());
    if (m_fitsBytes && m_drag != Drag::Budget) // under the hand the axis stands still
        m_high = full;
    m_high = std::max(m_low + 1.0, std::min(m_high, full));
    stale();
}

void ArenaView::fitAll()
{
    m_low = 0.0;
    m_high = fullHeight(input());
    m_fitsBytes = true;
    PlotView::fitAll();
    stale();
}

void ArenaView::reveal(Item item)
{
    if (!outcome())
        return;
    const Study& study = *outcome()->study;
    const Related related = relatedTo(*study.graph, outcome().get(), item);
    if (related.buffers.empty())
        return;
    const BufferId id = related.buffers.front();
    const LiveRange live = study.problem.buffer(id).live;
    timeAxis()->reveal(static_cast<double>(live.begin), static_cast<double>(live.end));
    const auto low = static_cast<double>(drawnOffset(*outcome(), id).value_or(0));
    const double high = low + static_cast<double>(study.problem.reserved(id));
    if (low >= m_low && high <= m_high)
        return;
    const double length = std::max(m_high - m_low, high - low);
    setBytes(low < m_low ? low : high - length, low < m_low ? low + length : high);
}

// ---- Painting

void ArenaView::paintOver(QPainter& painter, double pixelRatio)
{
    if (isPlayheadActive()) {
        const ArenaNow now { selection()->playhead(), m_stepBefore, m_blend };
        paintScene(painter, arenaNowScene(input(), frame(), theme(), now), QRectF(rect()), pixelRatio);
    }
    paintMarks(painter);
}

void ArenaView::paintMarks(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    const auto mark = [&](const std::vector<BufferId>& buffers, const QColor& colour, double width) {
        for (const BufferId id : buffers) {
            for (const auto& points : pieceOutlines(bufferPieces(id))) {
                painter.setPen(QPen(theme().panel, width + 2));
                painter.drawPolyline(points.data(), static_cast<int>(points.size()));
                painter.setPen(QPen(colour, width));
                painter.drawPolyline(points.data(), static_cast<int>(points.size()));
            }
        }
    };
    mark(m_hovered, theme().hover, 2.0);
    mark(m_selected, theme().selection, 3.0);
    if (!budget())
        return;
    const QRectF& plot = frame().plot;
    const double y = frame().bytes.y(static_cast<double>(*budget()));
    if (y < plot.top() - 1 || y > plot.bottom() + 1)
        return;
    painter.setPen(Qt::NoPen); // a handle shows that it can be dragged
    painter.setBrush(theme().budget);
    painter.drawRoundedRect(QRectF(plot.left() - 4, y - 7, 8, 14), 3, 3);
}

// ---- Events

bool ArenaView::isOnBudget(QPointF at) const
{
    return budget() && at.x() >= frame().plot.left() - 6 && at.x() <= frame().now.right()
        && std::abs(at.y() - frame().bytes.y(static_cast<double>(*budget()))) <= kGripReach;
}

bool ArenaView::isOnPlayhead(QPointF at) const
{
    const QRectF& plot = frame().plot;
    if (!outcome() || at.x() < plot.left() || at.x() > plot.right())
        return false;
    if (at.y() > plot.bottom() || at.y() < plot.top())
        return true; // the rulers above and below
    return isPlayheadActive() && std::abs(at.x() - frame().time.x(static_cast<double>(selection()->playhead()) + 0.5)) <= kGripReach
        && itemAtPoint(at).isNone();
}

void ArenaView::wheelEvent(QWheelEvent* event)
{
    const bool zoomsBytes = event->modifiers() & Qt::ControlModifier;
    const bool isTouch = !event->pixelDelta().isNull() && event->phase() != Qt::NoScrollPhase;
    if (outcome() && zoomsBytes) {
        const int delta = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
        const double factor = std::pow(kWheelStep, delta / 120.0);
        const double fixed = frame().bytes.offset(event->position().y());
        setBytes(fixed - (fixed - m_low) / factor, fixed + (m_high - fixed) / factor);
        event->accept();
        return;
    }
    if (outcome() && isTouch) {
        const double bytes = event->pixelDelta().y() * (m_high - m_low) / frame().plot.height();
        setBytes(m_low + bytes, m_high + bytes);
    }
    PlotView::wheelEvent(event);
}

void ArenaView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !outcome())
        return;
    m_dragFrom = event->position();
    m_dragFirst = timeAxis()->first();
    m_dragLow = m_low;
    m_dragHigh = m_high;
    m_drag = isOnBudget(m_dragFrom) ? Drag::Budget : isOnPlayhead(m_dragFrom) ? Drag::Playhead : Drag::Press;
    if (m_drag == Drag::Playhead)
        dragTo(m_dragFrom);
}

/// The size at a height, to the power of two that a pixel stands for.
Bytes ArenaView::roundBytesAt(double y) const
{
    const double perPixel = (frame().bytes.high - frame().bytes.low) / frame().plot.height();
    const double grain = std::max(1.0, std::exp2(std::floor(std::log2(std::max(perPixel, 1.0)))));
    const double bytes = std::clamp(frame().bytes.offset(y), 0.0, frame().bytes.high);
    return static_cast<Bytes>(std::round(bytes / grain) * grain);
}

void ArenaView::dragTo(QPointF at)
{
    switch (m_drag) {
    case Drag::Budget:
        assignBudget(roundBytesAt(at.y()));
        emit budgetChanged(budget());
        return;
    case Drag::Playhead:
        selection()->setPlayhead(stepAt(at.x()));
        if (!isPlayheadActive())
            movePlayhead(selection()->playhead());
        return;
    case Drag::Pan: {
        const QPointF moved = at - m_dragFrom;
        const double length = timeAxis()->last() - timeAxis()->first();
        const double first = m_dragFirst - moved.x() / frame().time.stepWidth();
        timeAxis()->setRange(first, first + length);
        const double bytes = moved.y() * (m_dragHigh - m_dragLow) / frame().plot.height();
        setBytes(m_dragLow + bytes, m_dragHigh + bytes);
        return;
    }
    case Drag::None:
    case Drag::Press:
        return;
    }
}

void ArenaView::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_drag == Drag::Press && (at - m_dragFrom).manhattanLength() >= QApplication::startDragDistance()) {
        m_drag = Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag != Drag::None) {
        dragTo(at);
        return;
    }
    const Item item = frame().plot.contains(at) || frame().now.contains(at) ? itemAtPoint(at) : Item {};
    if (isOnBudget(at))
        setCursor(Qt::SizeVerCursor);
    else if (isOnPlayhead(at))
        setCursor(Qt::SizeHorCursor);
    else
        setCursor(item.isNone() ? Qt::ArrowCursor : Qt::PointingHandCursor);
    selection()->hover(item);
}

void ArenaView::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag was = std::exchange(m_drag, Drag::None);
    unsetCursor();
    if (was != Drag::Press || event->button() != Qt::LeftButton || !outcome())
        return;
    selection()->select(itemAtPoint(event->position()));
    if (!frame().plot.contains(event->position()))
        return;
    m_drag = Drag::Playhead;
    dragTo(event->position());
    m_drag = Drag::None;
}

void ArenaView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const Item item = itemAtPoint(event->position());
    if (item.kind != Item::Kind::Buffer || !outcome()) {
        fitAll();
        return;
    }
    const BufferId id(item.id);
    const LiveRange live = outcome()->study->problem.buffer(id).live;
    const double around = std::max(1.0, static_cast<double>(live.length()) * 0.5);
    timeAxis()->setRange(static_cast<double>(live.begin) - around, static_cast<double>(live.end) + around);
    const auto low = static_cast<double>(drawnOffset(*outcome(), id).value_or(0));
    const auto size = static_cast<double>(outcome()->study->problem.reserved(id));
    setBytes(low - size * 0.5, low + size * 1.5);
}

void ArenaView::leaveEvent(QEvent*)
{
    selection()->hover({});
}

void ArenaView::contextMenuEvent(QContextMenuEvent* event)
{
    if (!outcome())
        return;
    QMenu menu(this);
    const Bytes bytes = roundBytesAt(event->pos().y());
    const QAction* set = menu.addAction(tr("Set budget to %1").arg(bytesText(bytes)));
    QAction* remove = menu.addAction(tr("Remove budget"));
    remove->setEnabled(budget().has_value());
    menu.addSeparator();
    const QAction* fit = menu.addAction(tr("Fit all"));
    const QAction* chosen = menu.exec(event->globalPos());
    if (chosen == fit && fit)
        fitAll();
    if (chosen != set && chosen != remove)
        return;
    setBudget(chosen == set ? std::optional(bytes) : std::nullopt);
    emit budgetChanged(budget());
}

QString ArenaView::tooltipAt(QPointF at) const
{
    return itemTooltip(*outcome()->study->graph, outcome().get(), itemAtPoint(at));
}

} // namespace arenascope::ui
