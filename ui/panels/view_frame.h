// SPDX-License-Identifier: MIT
// A view with its messages and its progress above it.
#pragma once

#include "ui/panels/busy_strip.h"
#include "ui/panels/message_area.h"

#include <QWidget>

namespace arenascope::ui {

class ViewFrame : public QWidget {
    Q_OBJECT
public:
    /// Takes over `view`. `stages` are those that the view waits for.
    ViewFrame(QWidget* view, Document* document, std::vector<Stage> stages, QWidget* parent = nullptr);

    QWidget* view() const { return m_view; }
    MessageArea* messages() const { return m_messages; }

private:
    QWidget* m_view;
    MessageArea* m_messages;
};

} // namespace arenascope::ui
