// SPDX-License-Identifier: MIT
#include "ui/models/branches_model.h"

namespace arenascope::ui {

BranchesModel::BranchesModel(QObject* parent)
    : RowModel(
        {
            { tr("Branch"), Format::Count, tr("Numbered by their first operators' steps"), 64 },
            { tr("From"), Format::Text, tr("First operator"), 170, true },
            { tr("To"), Format::Text, tr("Last operator"), 170, true },
            { tr("Operators"), Format::Count, {}, 80 },
            { tr("Units"), Format::Count, tr("Outputs that take turns in its two memories"), 60 },
            { tr("First memory"), Format::Size, tr("Bytes of its largest unit"), 100 },
            { tr("Second memory"), Format::Size, tr("Bytes of its second largest unit"), 110 },
            { tr("Designated unit"), Format::Text, tr("The one that needs the whole first memory; none where both memories are equal"), 170, true },
        },
        parent)
{
}

void BranchesModel::setStudy(std::shared_ptr<const Study> study)
{
    beginRows();
    m_study = std::move(study);
    endRows();
}

int BranchesModel::rows() const
{
    return m_study ? static_cast<int>(m_study->branches.branches.size()) : 0;
}

Item BranchesModel::itemAt(int row) const
{
    return Item::of(BranchId(row));
}

int BranchesModel::rowOf(Item item) const
{
    return item.kind == Item::Kind::Branch && item.id < rows() ? item.id : -1;
}

QVariant BranchesModel::nameOf(OpId id) const
{
    return toQString(m_study->graph->op(id).name);
}

QVariant BranchesModel::raw(int row, int column) const
{
    const Branch& branch = m_study->branches.branches[static_cast<std::size_t>(row)];
    switch (column) {
    case NumberColumn:
        return static_cast<qlonglong>(row + 1);
    case FromColumn:
        return branch.units.empty() ? QVariant() : nameOf(branch.units.front().operators.front());
    case ToColumn:
        return branch.units.empty() ? QVariant() : nameOf(branch.units.back().operators.back());
    case OperatorsColumn: {
        std::size_t count = 0;
        for (const BranchUnit& unit : branch.units)
            count += unit.operators.size();
        return static_cast<qlonglong>(count);
    }
    case UnitsColumn:
        return static_cast<qlonglong>(branch.units.size());
    case FirstColumn:
        return static_cast<qlonglong>(branch.firstMemory);
    case SecondColumn:
        return static_cast<qlonglong>(branch.secondMemory);
    case DesignatedColumn: {
        if (branch.designatedUnit < 0)
            return QString();
        return nameOf(branch.units[static_cast<std::size_t>(branch.designatedUnit)].operators.front());
    }
    default:
        return {};
    }
}

} // namespace arenascope::ui
