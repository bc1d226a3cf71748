// SPDX-License-Identifier: MIT
// All options that a plan depends on, with words about them.
#pragma once

#include "ui/document.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QDoubleSpinBox;
class QLineEdit;

namespace arenascope::ui {

class OptionsPanel : public QWidget {
    Q_OBJECT
public:
    explicit OptionsPanel(Document* document, QWidget* parent = nullptr);

private:
    void showOptions();
    void showSearchSeconds();
    void showBudget();
    void takeBudget();
    void showRegions();
    void takeRegions();

    Document* m_document;
    QLabel* m_summary;
    QCheckBox* m_workspace;
    QLineEdit* m_budget;
    QLineEdit* m_regions;
    QDoubleSpinBox* m_seconds;
};

} // namespace arenascope::ui
