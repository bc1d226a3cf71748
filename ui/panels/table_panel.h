// SPDX-License-Identifier: MIT
// One table with its filter, joined to the shared selection in both directions.
#pragma once

#include "ui/document.h"
#include "ui/models/row_proxy.h"

#include <QWidget>

#include <functional>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTableView;

namespace arenascope::ui {

/// The filter is the document's, so all tables show the same part of the network. Clicking or moving to a row selects its
/// item; a selection made elsewhere is followed to the row that stands for it. Double click or Enter shows it everywhere.
class TablePanel : public QWidget {
    Q_OBJECT
public:
    /// Takes over `model`.
    TablePanel(RowModel* model, Document* document, const QString& name, QWidget* parent = nullptr);

    QTableView* table() const { return m_table; }
    RowProxy* proxy() const { return m_proxy; }
    QLineEdit* filterEdit() const { return m_filter; }
    /// Room beside the filter for a panel's own controls.
    QHBoxLayout* bar() const { return m_bar; }
    void sortBy(int column, Qt::SortOrder order);
    /// How the model gets its rows: `fill(true)` takes the document's content, `fill(false)` empties it. Called at once
    /// where the table is seen; a hidden one is emptied, which costs nothing, and filled when it is shown.
    void setSource(std::function<void(bool)> fill);
    /// Said instead of an empty table.
    void setEmptyText(const QString& text);

public slots:
    /// The document's content has changed.
    void refill();

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void selectFromTable(const QModelIndex& current);
    void followSelection();
    void activate(const QModelIndex& index);
    void showFilter(const QString& text);
    void showCount();
    void copySelection() const;

    Document* m_document;
    RowModel* m_model;
    RowProxy* m_proxy;
    QTableView* m_table;
    QLineEdit* m_filter;
    QLabel* m_count;
    QLabel* m_empty;
    QHBoxLayout* m_bar;
    std::function<void(bool)> m_fill;
    bool m_isStale = false;     ///< emptied while hidden
    bool m_isFollowing = false; ///< the table moves because the selection did, not the other way round
};

} // namespace arenascope::ui
