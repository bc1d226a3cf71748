// SPDX-License-Identifier: MIT
#include "ui/panels/view_frame.h"

#include <QVBoxLayout>

namespace arenascope::ui {

ViewFrame::ViewFrame(QWidget* view, Document* document, std::vector<Stage> stages, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_messages(new MessageArea(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_messages);
    layout->addWidget(new BusyStrip(document, std::move(stages), this));
    layout->addWidget(view, 1);
}

} // namespace arenascope::ui
