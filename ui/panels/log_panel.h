// SPDX-License-Identifier: MIT
// Everything that was said, with the time.
#pragma once

#include "ui/theme.h"

#include <arenascope/result.h>

#include <QWidget>

class QPlainTextEdit;

namespace arenascope::ui {

class LogPanel : public QWidget {
    Q_OBJECT
public:
    explicit LogPanel(QWidget* parent = nullptr);

    void add(Severity severity, const QString& text);
    QString text() const;

private:
    QPlainTextEdit* m_edit;
};

} // namespace arenascope::ui
