// SPDX-License-Identifier: MIT
// What the arena over time and the live-bytes curve have in common.
#pragma once

#include "ui/selection.h"
#include "ui/theme.h"
#include "ui/views/background_painter.h"
#include "ui/views/plot_scene.h"

#include <arenascope/study.h>

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>

namespace arenascope::ui {

class Document;
class TimeAxis;
struct Matches;

/// Time on x, bytes on y. What does not move with the playhead is a cached picture, painted on a worker where there is
/// much of it. The wheel zooms time at the pointer, with Shift it pans; F fits all.
class PlotView : public QWidget {
    Q_OBJECT
public:
    ~PlotView() override;

    void setTheme(const Theme& theme);
    /// For a view without a document.
    void setOutcome(std::shared_ptr<const PlanOutcome> outcome);
    /// Plots that are given the same axis have their columns one below the other. Each has its own until then.
    void setTimeAxis(TimeAxis* axis);
    TimeAxis* timeAxis() const;
    Selection* selection() const { return m_selection; }
    std::optional<Bytes> budget() const { return m_budget; }
    QRectF plotArea() const { return m_frame.plot; } ///< in widget coordinates
    /// Painted as it is now.
    bool isSettled() const;

public slots:
    virtual void setBudget(std::optional<arenascope::Bytes> budget);
    virtual void fitAll();

protected:
    /// What is painted below everything; pure, and called on a worker.
    using MakeScene = Scene (*)(const PlotInput&, const PlotFrame&, const Theme&);
    /// `document` may be null. follow() at the end of the constructor of what is derived.
    PlotView(Document* document, MakeScene makeScene, QWidget* parent);
    void follow();

    /// The bytes that the y axis shows.
    virtual std::pair<double, double> byteRange() const;
    /// Another plan is shown; the time axis knows its steps already.
    virtual void outcomeReplaced(bool isOtherGraph);
    virtual void movePlayhead(Step step);
    /// What moves with the playhead, and marks.
    virtual void paintOver(QPainter& painter, double pixelRatio) = 0;
    virtual QString tooltipAt(QPointF at) const = 0;
    /// Whether its picture takes longer than a few milliseconds.
    virtual bool isLarge() const { return false; }

    const std::shared_ptr<const PlanOutcome>& outcome() const { return m_outcome; }
    const PlotFrame& frame() const { return m_frame; }
    const Theme& theme() const { return m_theme; }
    PlotInput input() const;
    Step stepAt(double x) const; ///< the outcome is not null
    /// The item of the picture at a point.
    Item itemAtPoint(QPointF at) const;
    bool isPlayheadActive() const { return m_playheadIsActive; }
    void activatePlayhead() { m_playheadIsActive = true; }
    void assignBudget(std::optional<Bytes> budget);
    void stale();

    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Picture;
    void takeFromDocument();
    void takeMatches();
    void adopt(std::shared_ptr<const PlanOutcome> fresh);
    void paintPicture(double pixelRatio);
    void take(Picture& picture);

    QPointer<Document> m_document;
    MakeScene m_makeScene;
    Selection* m_selection = nullptr;
    QPointer<TimeAxis> m_axis;
    Theme m_theme = Theme::light();
    std::shared_ptr<const PlanOutcome> m_outcome;
    std::shared_ptr<const BufferColours> m_colours;
    std::shared_ptr<const std::vector<char>> m_lit; ///< by BufferId, while something is searched for
    std::optional<Bytes> m_budget;
    PlotFrame m_frame;
    Scene m_scene;
    SceneIndex m_index;
    QImage m_base; ///< everything that does not move with the playhead
    bool m_isStale = true;
    bool m_playheadIsActive = false;
    BackgroundPainter m_painting;
};

} // namespace arenascope::ui
