// SPDX-License-Identifier: MIT
// All options that a plan depends on, with words about them.
#pragma once

#include "ui/document.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;

namespace arenascope::ui {

class OptionsPanel : public QWidget {
    Q_OBJECT
public:
    explicit OptionsPanel(Document* document, QWidget* parent = nullptr);

private:
    void showOptions();
    void showBudget();
    void takeBudget();

    Document* m_document;
    QLabel* m_summary;
    QCheckBox* m_workspace;
    QLineEdit* m_budget;
};

} // namespace arenascope::ui
