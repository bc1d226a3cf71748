// SPDX-License-Identifier: MIT
#include "ui/views/curve_view.h"

#include "ui/views/related.h"

#include <QMouseEvent>
#include <QPainter>

namespace arenascope::ui {

CurveView::CurveView(Document* document, QWidget* parent)
    : PlotView(document, curveScene, parent)
{
    setAccessibleName(tr("Live memory"));
    setMinimumSize(240, 90);
    follow();
}

void CurveView::setPlayheadAt(double x)
{
    if (!outcome())
        return;
    activatePlayhead();
    selection()->setPlayhead(stepAt(x));
    update();
}

/// A jagged area of some hundred columns takes as long as a frame to fill smoothly.
bool CurveView::isLarge() const
{
    constexpr Step kMostAtOnce = 500;
    return outcome()->study->schedule.stepCount() > kMostAtOnce;
}

void CurveView::paintOver(QPainter& painter, double pixelRatio)
{
    if (isPlayheadActive())
        paintScene(painter, curveNowScene(input(), frame(), theme(), selection()->playhead()), QRectF(rect()), pixelRatio);
}

void CurveView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_isDragging = true;
    setPlayheadAt(event->position().x());
}

void CurveView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_isDragging)
        setPlayheadAt(event->position().x());
}

void CurveView::mouseReleaseEvent(QMouseEvent*)
{
    m_isDragging = false;
}

QString CurveView::tooltipAt(QPointF at) const
{
    const Study& study = *outcome()->study;
    if (!frame().plot.contains(at) || study.schedule.stepCount() == 0)
        return {};
    const auto step = static_cast<std::size_t>(stepAt(at.x()));
    const Operator& op = study.graph->op(study.schedule.order[step]);
    return tr("<p style='white-space:pre'>Step %1  <b>%2</b>  %3<br>%4 live</p>")
        .arg(step)
        .arg(textOf(op.name).toHtmlEscaped(), textOf(op.kind).toHtmlEscaped(), exactBytesText(study.profile.liveBytes[step]));
}

} // namespace arenascope::ui
