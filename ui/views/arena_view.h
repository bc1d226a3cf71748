// SPDX-License-Identifier: MIT
// The arena over time: one rectangle a buffer's stay.
#pragma once

#include "ui/selection.h"
#include "ui/theme.h"

#include <arenascope/study.h>

#include <QWidget>

#include <memory>
#include <optional>

namespace arenascope::ui {

class Document;
class TimeAxis;

/// Time on x, address on y. The wheel zooms time at the pointer, with Ctrl the address; dragging pans what is zoomed,
/// dragging the budget line moves it, a click selects a buffer and moves the playhead, F fits all.
class ArenaView : public QWidget {
    Q_OBJECT
public:
    /// `document` may be null: then setOutcome() feeds it.
    explicit ArenaView(Document* document, QWidget* parent = nullptr);
    ~ArenaView() override;

    void setTheme(const Theme& theme);
    void setMotion(bool on);
    void setOutcome(std::shared_ptr<const PlanOutcome> outcome, std::shared_ptr<const Trace> trace = nullptr);
    TimeAxis* timeAxis() const; ///< give it to the CurveView below
    Selection* selection() const;
    std::optional<Bytes> budget() const;
    QRectF plotArea() const;    ///< in widget coordinates
    QRectF bufferRect(BufferId buffer) const; ///< in widget coordinates, clipped to the plot
    QSize sizeHint() const override;

public slots:
    void setBudget(std::optional<arenascope::Bytes> budget);
    void fitAll();
    void reveal(arenascope::ui::Item item);

signals:
    /// The user dragged the budget line, or asked for one.
    void budgetChanged(std::optional<arenascope::Bytes> budget);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace arenascope::ui
