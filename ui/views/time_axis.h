// SPDX-License-Identifier: MIT
// The time axis that the arena view and the memory curve share.
#pragma once

#include <arenascope/types.h>

#include <QObject>

namespace arenascope::ui {

/// The visible part of the schedule, in steps: [first, last). Both plots draw and zoom through one of these, so their
/// columns stay one below the other.
class TimeAxis : public QObject {
    Q_OBJECT
public:
    explicit TimeAxis(QObject* parent = nullptr) : QObject(parent) {}

    Step stepCount() const { return m_stepCount; }
    double first() const { return m_first; }
    double last() const { return m_last; }
    bool isFitted() const { return m_first <= 0.0 && m_last >= static_cast<double>(extent()); }

public slots:
    void setStepCount(arenascope::Step count);      ///< fits all when it changes
    void setRange(double first, double last);       ///< clamped to the schedule, at least two steps
    void zoomAt(double step, double factor);        ///< factor > 1 shows fewer steps; `step` keeps its place
    void pan(double steps);                         ///< to later steps when positive
    void reveal(double first, double last);         ///< pans as little as it can
    void fitAll();

signals:
    void rangeChanged();

private:
    Step extent() const { return m_stepCount > 0 ? m_stepCount : 1; }

    Step m_stepCount = 0;
    double m_first = 0.0;
    double m_last = 1.0;
};

} // namespace arenascope::ui
