// SPDX-License-Identifier: MIT
// What instead: the strategies compared. A click takes one.
#pragma once

#include "ui/document.h"

#include <QWidget>

class QLabel;
class QTableView;

namespace arenascope::ui {

class LadderModel;
class RowProxy;

class LadderPanel : public QWidget {
    Q_OBJECT
public:
    explicit LadderPanel(Document* document, QWidget* parent = nullptr);

    QTableView* table() const { return m_table; }
    LadderModel* model() const { return m_model; }

private:
    void refresh();
    void showCurrent();
    QString onDeviceText() const;

    Document* m_document;
    LadderModel* m_model;
    RowProxy* m_proxy;
    QTableView* m_table;
    QLabel* m_summary;
};

} // namespace arenascope::ui
