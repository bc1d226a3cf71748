// SPDX-License-Identifier: MIT
// The answer in one line: how much, how good that is, and whether it is proven.
#pragma once

#include "ui/document.h"
#include "ui/theme.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace arenascope::ui {

class Headline : public QWidget {
    Q_OBJECT
public:
    explicit Headline(Document* document, QWidget* parent = nullptr);
    void setTheme(const Theme& theme);
    /// All of it as plain text, for the window title, tests and screen readers.
    QString text() const;

private:
    void refresh();
    void say(const PlanOutcome& outcome);
    void sayNothingPlanned();
    void sayProof(const PlanOutcome& outcome);
    void showSearch();

    Document* m_document;
    Theme m_theme;
    QLabel* m_name;
    QLabel* m_arena;
    QLabel* m_gap;
    QLabel* m_saving;
    QLabel* m_proof;
    QLabel* m_budget;
    QLabel* m_search; ///< how far a search has come
    QToolButton* m_stop;
};

} // namespace arenascope::ui
