// SPDX-License-Identifier: MIT
#include "ui/views/curve_view.h"

#include "ui/document.h"
#include "ui/views/plot_scene.h"
#include "ui/views/related.h"
#include "ui/views/time_axis.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>
#include <QToolTip>
#include <QWheelEvent>

#include <cmath>

namespace arenascope::ui {

namespace {
constexpr double kWheelStep = 1.2;
}

struct CurveView::Private {
    explicit Private(CurveView* view) : q(view) {}

    void takeFromDocument();
    void adopt(std::shared_ptr<const PlanOutcome> fresh);
    void stale();
    void setPlayheadAt(double x);
    PlotInput input() const { return {outcome.get(), nullptr, ColourBy::Buffer, budget}; }

    CurveView* q;
    QPointer<Document> document;
    Selection* selection = nullptr;
    QPointer<TimeAxis> axis;
    Theme theme = Theme::light();
    std::shared_ptr<const PlanOutcome> outcome;
    std::optional<Bytes> budget;
    PlotFrame frame;
    QPixmap base; ///< everything that does not move with the playhead
    bool baseIsStale = true;
    bool playheadIsActive = false;
    bool dragging = false;
};

CurveView::CurveView(Document* document, QWidget* parent) : QWidget(parent), d(std::make_unique<Private>(this))
{
    d->document = document;
    d->selection = document ? document->selection() : new Selection(this);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Live memory"));
    setMinimumSize(240, 90);
    setTimeAxis(new TimeAxis(this));
    connect(d->selection, &Selection::playheadChanged, this, [this] {
        d->playheadIsActive = true;
        update();
    });
    if (!document)
        return;
    connect(document, &Document::outcomeChanged, this, [this] { d->takeFromDocument(); });
    connect(document, &Document::graphChanged, this, [this] { d->takeFromDocument(); });
    connect(document, &Document::budgetChanged, this, &CurveView::setBudget);
    d->budget = document->budget();
    d->takeFromDocument();
}

CurveView::~CurveView() = default;

void CurveView::Private::takeFromDocument()
{
    if (!document)
        return;
    auto fresh = document->outcome();
    adopt(fresh && fresh->study->graph == document->graph() ? fresh : nullptr);
}

void CurveView::Private::adopt(std::shared_ptr<const PlanOutcome> fresh)
{
    if (fresh == outcome)
        return;
    if (!fresh || !outcome || fresh->study->graph != outcome->study->graph)
        playheadIsActive = false;
    outcome = std::move(fresh);
    if (axis)
        axis->setStepCount(outcome ? outcome->study->schedule.stepCount() : 0);
    stale();
}

void CurveView::Private::stale()
{
    baseIsStale = true;
    frame = plotFrame(QRectF(q->rect()), axis ? axis->first() : 0.0, axis ? axis->last() : 1.0, 0.0, fullHeight(input()));
    q->update();
}

void CurveView::Private::setPlayheadAt(double x)
{
    if (!outcome)
        return;
    playheadIsActive = true;
    selection->setPlayhead(frame.time.stepAt(x, outcome->study->schedule.stepCount()));
    q->update();
}

void CurveView::setTheme(const Theme& theme)
{
    d->theme = theme;
    d->stale();
}

void CurveView::setTimeAxis(TimeAxis* axis)
{
    if (!axis || axis == d->axis)
        return;
    if (d->axis) {
        disconnect(d->axis, nullptr, this, nullptr);
        if (d->axis->parent() == this)
            d->axis->deleteLater();
    }
    d->axis = axis;
    connect(axis, &TimeAxis::rangeChanged, this, [this] { d->stale(); });
    if (d->outcome)
        axis->setStepCount(d->outcome->study->schedule.stepCount());
    d->stale();
}

void CurveView::setOutcome(std::shared_ptr<const PlanOutcome> outcome)
{
    d->adopt(std::move(outcome));
    if (d->outcome)
        d->selection->setStepCount(d->outcome->study->schedule.stepCount());
}

void CurveView::setBudget(std::optional<Bytes> budget)
{
    d->budget = budget;
    d->stale();
}

Selection* CurveView::selection() const
{
    return d->selection;
}

QRectF CurveView::plotArea() const
{
    return d->frame.plot;
}

QSize CurveView::sizeHint() const
{
    return {760, 170};
}

void CurveView::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    const QSize pixels = (QSizeF(size()) * ratio).toSize();
    if (d->baseIsStale || d->base.size() != pixels) {
        if (d->base.size() != pixels)
            d->base = QPixmap(pixels);
        d->base.setDevicePixelRatio(ratio);
        d->base.fill(d->theme.canvas);
        QPainter painter(&d->base);
        paintScene(painter, curveScene(d->input(), d->frame, d->theme), QRectF(rect()), ratio);
        d->baseIsStale = false;
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, d->base);
    if (d->outcome && d->playheadIsActive)
        paintScene(painter, curveNowScene(d->input(), d->frame, d->theme, d->selection->playhead()), QRectF(rect()), ratio);
}

void CurveView::resizeEvent(QResizeEvent*)
{
    d->stale();
}

void CurveView::wheelEvent(QWheelEvent* event)
{
    event->accept();
    if (!d->outcome || !d->axis)
        return;
    const bool touch = !event->pixelDelta().isNull() && event->phase() != Qt::NoScrollPhase;
    if (touch && !(event->modifiers() & Qt::ControlModifier)) {
        d->axis->pan(-event->pixelDelta().x() / d->frame.time.stepWidth());
        return;
    }
    const int delta = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (event->modifiers() & Qt::ShiftModifier)
        d->axis->pan(-delta / 2.0 / d->frame.time.stepWidth());
    else
        d->axis->zoomAt(d->frame.time.step(event->position().x()), std::pow(kWheelStep, delta / 120.0));
}

void CurveView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    d->dragging = true;
    d->setPlayheadAt(event->position().x());
}

void CurveView::mouseMoveEvent(QMouseEvent* event)
{
    if (d->dragging)
        d->setPlayheadAt(event->position().x());
}

void CurveView::mouseReleaseEvent(QMouseEvent*)
{
    d->dragging = false;
}

void CurveView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F && d->axis) {
        d->axis->fitAll();
        return;
    }
    event->ignore();
}

bool CurveView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || !d->outcome)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Study& study = *d->outcome->study;
    if (!d->frame.plot.contains(help->pos()) || study.schedule.stepCount() == 0) {
        QToolTip::hideText();
        return true;
    }
    const auto step = static_cast<std::size_t>(d->frame.time.stepAt(help->pos().x(), study.schedule.stepCount()));
    const Operator& op = study.graph->op(study.schedule.order[step]);
    QToolTip::showText(help->globalPos(),
                       tr("<p style='white-space:pre'>Step %1  <b>%2</b>  %3<br>%4 live</p>")
                           .arg(step)
                           .arg(textOf(op.name).toHtmlEscaped(), textOf(op.kind).toHtmlEscaped(), exactBytesText(study.profile.liveBytes[step])),
                       this);
    return true;
}

} // namespace arenascope::ui
