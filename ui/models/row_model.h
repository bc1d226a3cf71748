// SPDX-License-Identifier: MIT
// Base of all tables: raw values in roles, words only for display.
#pragma once

#include "ui/selection.h"
#include "ui/text.h"

#include <QAbstractTableModel>

#include <vector>

namespace arenascope::ui {

enum ModelRole {
    RawRole = Qt::UserRole, ///< qlonglong or double for numeric columns (invalid: none), QString for the others
    ItemRole,               ///< Item of the row
};

/// One row a thing of the document. A subclass says what the columns hold; values are worked out when they are asked for,
/// so taking over a new snapshot costs nothing but the reset.
class RowModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum class Format { Text, Count, Size, Share, Change, Duration };
    struct Column {
        QString title;
        Format format = Format::Text;
        QString toolTip;
        int width = 90; ///< characters are not known here: pixels at 100 %
        bool isFiltered = false; ///< its text takes part in the filter
    };

    explicit RowModel(std::vector<Column> columns, QObject* parent = nullptr);

    int columnCount(const QModelIndex& parent = {}) const override;
    int rowCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    const Column& column(int index) const { return m_columns[static_cast<std::size_t>(index)]; }
    bool isNumeric(int column) const;
    /// The words of a row that the filter looks at.
    QString filterText(int row) const;

    virtual Item itemAt(int row) const = 0;
    /// The row of an item of this table's kind, or -1.
    virtual int rowOf(Item item) const = 0;
    virtual Item::Kind itemKind() const = 0;
    virtual QVariant raw(int row, int column) const = 0;

protected:
    virtual int rows() const = 0;
    /// What the cell says; by default the raw value in the format of its column.
    virtual QString text(int row, int column) const;
    virtual QString toolTip(int row, int column) const;
    virtual bool isEmphasised(int row) const;

    void beginRows() { beginResetModel(); }
    void endRows() { endResetModel(); }

private:
    std::vector<Column> m_columns;
};

} // namespace arenascope::ui

Q_DECLARE_METATYPE(arenascope::ui::Item)
