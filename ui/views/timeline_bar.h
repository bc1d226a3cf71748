// SPDX-License-Identifier: MIT
// Walks the execution step by step.
#pragma once

#include "ui/selection.h"
#include "ui/theme.h"

#include <arenascope/study.h>

#include <QWidget>

#include <memory>

class QAction;

namespace arenascope::ui {

class Document;

struct RunRecord;

/// First, back, play or pause, step, last, jump to the peak, speed, a slider and one line of words about the step.
/// Once the network has been run, steps can last as long as they did: the whole run takes the same time as without.
class TimelineBar : public QWidget {
    Q_OBJECT
public:
    /// `document` may be null: then setOutcome() feeds it.
    explicit TimelineBar(Document* document, QWidget* parent = nullptr);
    ~TimelineBar() override;

    void setTheme(const Theme& theme);
    void setOutcome(std::shared_ptr<const PlanOutcome> outcome, std::shared_ptr<const Trace> trace);
    /// Times to play by; null, or without times: there are none.
    void setRun(std::shared_ptr<const RunRecord> run);
    Selection* selection() const;

    bool isPlaying() const;
    int speed() const; ///< steps a second, 1 to 60; in the mean where steps last as long as they did
    bool playsMeasuredTime() const;
    QString stepText() const;

    /// For the window's menus; they carry the shortcuts Home, Left, Space, Right, End and P.
    QAction* firstAction() const;
    QAction* backAction() const;
    QAction* playAction() const;
    QAction* stepAction() const;
    QAction* lastAction() const;
    QAction* peakAction() const;
    QList<QAction*> timelineActions() const; ///< all, in the order of the bar

public slots:
    void play();
    void pause();
    void setSpeed(int stepsPerSecond);
    void setMeasuredTime(bool on); ///< takes effect while there are times

signals:
    void playingChanged(bool playing);
    void speedChanged(int stepsPerSecond);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace arenascope::ui
