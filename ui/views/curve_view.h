// SPDX-License-Identifier: MIT
// Live bytes at each step, with the peak.
#pragma once

#include "ui/views/plot_view.h"

namespace arenascope::ui {

/// Shares the arena view's time axis. A click or drag moves the playhead.
class CurveView : public PlotView {
    Q_OBJECT
public:
    /// `document` may be null: then setOutcome() feeds it.
    explicit CurveView(Document* document, QWidget* parent = nullptr);

    QSize sizeHint() const override { return { 760, 170 }; }

protected:
    void paintOver(QPainter& painter, double pixelRatio) override;
    QString tooltipAt(QPointF at) const override;
    bool isLarge() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void setPlayheadAt(double x);

    bool m_isDragging = false;
};

} // namespace arenascope::ui
