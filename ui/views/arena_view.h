// SPDX-License-Identifier: MIT
// The arena over time: one rectangle a buffer's stay.
#pragma once

#include "ui/views/plot_view.h"

#include <QVariantAnimation>

#include <vector>

namespace arenascope::ui {

/// Address on y; with Ctrl the wheel zooms it. Dragging pans what is zoomed, dragging the budget line moves it, a click
/// selects a buffer and moves the playhead, a double click fits a buffer's stay.
class ArenaView : public PlotView {
    Q_OBJECT
public:
    /// `document` may be null: then setOutcome() feeds it.
    explicit ArenaView(Document* document, QWidget* parent = nullptr);

    void setMotion(bool on) { m_hasMotion = on; }
    QRectF bufferRect(BufferId buffer) const; ///< in widget coordinates, clipped to the plot
    /// The parts of it that the buffer needs: see stayPieces().
    std::vector<QRectF> bufferPieces(BufferId buffer) const;
    QSize sizeHint() const override { return { 760, 300 }; }

public slots:
    void setBudget(std::optional<arenascope::Bytes> budget) override;
    void fitAll() override;
    void reveal(arenascope::ui::Item item);

signals:
    /// The user dragged the budget line, or asked for one.
    void budgetChanged(std::optional<arenascope::Bytes> budget);

protected:
    std::pair<double, double> byteRange() const override { return { m_low, m_high }; }
    void outcomeReplaced(bool isOtherGraph) override;
    void movePlayhead(Step step) override;
    void paintOver(QPainter& painter, double pixelRatio) override;
    QString tooltipAt(QPointF at) const override;
    bool isLarge() const override;

    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void relate();
    void setBytes(double low, double high);
    void paintMarks(QPainter& painter) const;
    bool isOnBudget(QPointF at) const;
    bool isOnPlayhead(QPointF at) const;
    Bytes roundBytesAt(double y) const;
    void dragTo(QPointF at);

    bool m_hasMotion = true;
    double m_low = 0.0, m_high = 1.0; ///< of the address axis
    bool m_fitsBytes = true;          ///< all addresses are shown, also when there are others
    Step m_lastStep = -1, m_stepBefore = -1;
    double m_blend = 1.0;
    QVariantAnimation m_fade;
    const Study* m_study = nullptr; ///< whose buffers these are; only compared
    std::vector<BufferId> m_selected, m_hovered;

    enum class Drag { None, Press, Pan, Budget, Playhead } m_drag = Drag::None;
    QPointF m_dragFrom;
    double m_dragFirst = 0, m_dragLow = 0, m_dragHigh = 0;
};

} // namespace arenascope::ui
