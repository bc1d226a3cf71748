// SPDX-License-Identifier: MIT
#include "ui/models/row_model.h"

#include <QFont>

#include <limits>

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

void RowModel::endRows()
{
    ++m_generation;
    endResetModel();
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

bool RowModel::matches(int row, const TextMatcher& matcher) const
{
    if (matcher.isEmpty())
        return true;
    QString all;
    for (int index = 0; index < columnCount(); ++index) {
        if (column(index).isFiltered)
            all += text(row, index) + u' ';
    }
    return matcher.matches(all.trimmed());
}

RowProxy::RowProxy(RowModel* model, QObject* parent)
    : QSortFilterProxyModel(parent)
    , m_model(model)
{
    setSourceModel(model);
    setSortRole(RawRole);
    setDynamicSortFilter(true);
}

void RowProxy::setMatcher(const TextMatcher& matcher)
{
    m_matcher = matcher;
    invalidateFilter();
}

int RowProxy::rowOf(Item item) const
{
    const int row = m_model->rowOf(item);
    if (row < 0)
        return -1;
    return mapFromSource(m_model->index(row, 0)).row();
}

Item RowProxy::itemAt(int row) const
{
    const QModelIndex source = mapToSource(index(row, 0));
    return source.isValid() ? m_model->itemAt(source.row()) : Item();
}

void RowProxy::makeKeys(int column) const
{
    m_keys = { column, m_model->generation(), {}, {} };
    const int count = m_model->rowCount();
    const bool isNumeric = m_model->isNumeric(column);
    for (int row = 0; row < count; ++row) {
        const QVariant value = m_model->raw(row, column);
        if (!isNumeric)
            m_keys.words.push_back(value.toString());
        else if (!value.isValid())
            m_keys.numbers.push_back(-std::numeric_limits<long double>::infinity());
        else if (value.typeId() == QMetaType::Double)
            m_keys.numbers.push_back(value.toDouble());
        else
            m_keys.numbers.push_back(static_cast<long double>(value.toLongLong()));
    }
}

bool RowProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    if (m_keys.column != left.column() || m_keys.generation != m_model->generation())
        makeKeys(left.column());
    const auto a = static_cast<std::size_t>(left.row());
    const auto b = static_cast<std::size_t>(right.row());
    if (m_model->isNumeric(left.column()))
        return m_keys.numbers[a] < m_keys.numbers[b];
    return m_keys.words[a].compare(m_keys.words[b], Qt::CaseInsensitive) < 0;
}

bool RowProxy::filterAcceptsRow(int row, const QModelIndex&) const
{
    return m_model->matches(row, m_matcher);
}

} // namespace arenascope::ui
