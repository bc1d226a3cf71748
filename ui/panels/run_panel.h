// SPDX-License-Identifier: MIT
// Runs the network in its arena and shows what came of it.
#pragma once

#include "ui/document.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace arenascope::ui {

class RunModel;
class TablePanel;

/// Run and Stop, the verdict (identical or not, memory, time), pictures of what the step at the playhead wrote, and where the
/// time went.
class RunPanel : public QWidget {
    Q_OBJECT
public:
    explicit RunPanel(Document* document, QWidget* parent = nullptr);

public slots:
    void start(); ///< or nothing where no plan is shown

private:
    void showState();
    void showRun();

    Document* m_document;
    RunModel* m_model;
    TablePanel* m_table;
    QPushButton* m_run;
    QCheckBox* m_guard;
    QSpinBox* m_repeat;
    QLabel* m_verdict;
    QLabel* m_memory;
};

} // namespace arenascope::ui
