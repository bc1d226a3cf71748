// SPDX-License-Identifier: MIT
// What a panel shows while it waits: a thin bar, what is being done, and Cancel.
#pragma once

#include "ui/document.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QLabel;
class QProgressBar;

namespace arenascope::ui {

/// Appears when one of its stages has been busy for kDelay milliseconds; goes when none is.
class BusyStrip : public QWidget {
    Q_OBJECT
public:
    static constexpr int kDelay = 300;

    BusyStrip(Document* document, std::vector<Stage> stages, QWidget* parent = nullptr);

private:
    void follow();
    void showProgress(Stage stage, double fraction, const QString& text);
    bool isOurs(Stage stage) const;

    Document* m_document;
    std::vector<Stage> m_stages;
    QTimer m_delay;
    QProgressBar* m_bar;
    QLabel* m_text;
};

} // namespace arenascope::ui
