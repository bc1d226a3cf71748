// SPDX-License-Identifier: MIT
#include "ui/models/row_model.h"

#include <QFont>

namespace arenascope::ui {

RowModel::RowModel(std::vector<Column> columns, QObject* parent)
    : QAbstractTableModel(parent)
    , m_columns(std::move(columns))
{
}

int RowModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

int RowModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : rows();
}

bool RowModel::isNumeric(int index) const
{
    return column(index).format != Format::Text;
}

QVariant RowModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const int row = index.row();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return toolTip(row, index.column());
    case Qt::TextAlignmentRole:
        return isNumeric(index.column()) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::FontRole: {
        if (!isEmphasised(row))
            return {};
        QFont font;
        font.setBold(true);
        return font;
    }
    case RawRole:
        return raw(row, index.column());
    case ItemRole:
        return QVariant::fromValue(itemAt(row));
    default:
        return {};
    }
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::DisplayRole)
        return column(section).title;
    if (role == Qt::ToolTipRole && !column(section).toolTip.isEmpty())
        return column(section).toolTip;
    if (role == Qt::TextAlignmentRole)
        return isNumeric(section) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

QString RowModel::text(int row, int index) const
{
    const QVariant value = raw(row, index);
    if (!value.isValid())
        return {};
    switch (column(index).format) {
    case Format::Text:
        return value.toString();
    case Format::Count:
        return QString::number(value.toLongLong());
    case Format::Size:
        return sizeText(value.toLongLong());
    case Format::Share:
        return shareText(value.toDouble());
    case Format::Change:
        return changeText(value.toDouble());
    case Format::Duration:
        return durationText(value.toDouble());
    }
    return {};
}

QString RowModel::toolTip(int row, int index) const
{
    const QVariant value = raw(row, index);
    if (column(index).format == Format::Size && value.isValid())
        return exactText(value.toLongLong());
    if (column(index).format == Format::Text)
        return text(row, index);
    return {};
}

bool RowModel::isEmphasised(int) const
{
    return false;
}

QString RowModel::filterText(int row) const
{
    QString all;
    for (int index = 0; index < columnCount(); ++index) {
        if (column(index).isFiltered)
            all += text(row, index) + u' ';
    }
    return all.trimmed();
}

} // namespace arenascope::ui
