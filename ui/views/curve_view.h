// SPDX-License-Identifier: MIT
// Live bytes at each step, with the peak.
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

/// Shares the arena view's time axis. A click or drag moves the playhead, the wheel zooms time at the pointer.
class CurveView : public QWidget {
    Q_OBJECT
public:
    /// `document` may be null: then setOutcome() feeds it.
    explicit CurveView(Document* document, QWidget* parent = nullptr);
    ~CurveView() override;

    void setTheme(const Theme& theme);
    void setTimeAxis(TimeAxis* axis); ///< of the ArenaView above; its own until then
    void setOutcome(std::shared_ptr<const PlanOutcome> outcome);
    void setBudget(std::optional<Bytes> budget);
    Selection* selection() const;
    QRectF plotArea() const; ///< in widget coordinates
    QSize sizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace arenascope::ui
