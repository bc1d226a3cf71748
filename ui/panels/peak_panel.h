// SPDX-License-Identifier: MIT
// Why so much: what is alive at the peak, or at the playhead.
#pragma once

#include "ui/panels/table_panel.h"

class QComboBox;

namespace arenascope::ui {

class PeakModel;

class PeakPanel : public QWidget {
    Q_OBJECT
public:
    explicit PeakPanel(Document* document, QWidget* parent = nullptr);

    TablePanel* panel() const { return m_panel; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();

    Document* m_document;
    PeakModel* m_model;
    TablePanel* m_panel;
    QComboBox* m_where;
    QLabel* m_summary;
};

} // namespace arenascope::ui
