// SPDX-License-Identifier: MIT
#include "ui/models/buffers_model.h"

#include "ui/item_lookup.h"

namespace arenascope::ui {

BuffersModel::BuffersModel(QObject* parent)
    : RowModel(
        {
            { tr("Buffer"), Format::Text, tr("Named after the tensor that is written first"), 200, true },
            { tr("Size"), Format::Size, tr("Bytes, without rounding"), 90 },
            { tr("Reserved"), Format::Size, tr("Bytes, rounded up to the alignment"), 90 },
            { tr("Offset"), Format::Size, tr("Distance from the start of the arena, or of its memory"), 90 },
            { tr("End"), Format::Size, tr("Offset and reserved bytes together"), 90 },
            { tr("First step"), Format::Count, tr("First step in which it holds its bytes"), 76 },
            { tr("Last step"), Format::Count, tr("Last step in which it holds its bytes"), 76 },
            { tr("Steps"), Format::Count, tr("How many steps it holds its bytes"), 60 },
            { tr("Tensors"), Format::Count, tr("Tensors that share its bytes"), 70 },
            { tr("Branch"), Format::Count, {}, 70 },
            { tr("Memory"), Format::Text, tr("Which of its branch's memories it lies in, or which of the board's"), 80 },
        },
        parent)
{
}

void BuffersModel::setOutcome(std::shared_ptr<const PlanOutcome> outcome)
{
    beginRows();
    m_outcome = std::move(outcome);
    endRows();
}

int BuffersModel::rows() const
{
    return m_outcome ? static_cast<int>(m_outcome->study->problem.buffers.size()) : 0;
}

Item BuffersModel::itemAt(int row) const
{
    return Item::of(BufferId(row));
}

int BuffersModel::rowOf(Item item) const
{
    return item.kind == Item::Kind::Buffer && item.id < rows() ? item.id : -1;
}

QVariant BuffersModel::raw(int row, int column) const
{
    const BufferId id(row);
    const PlacementProblem& problem = m_outcome->study->problem;
    const Buffer& buffer = problem.buffer(id);
    const Placement& placement = m_outcome->plan.placements[id.index()];
    switch (column) {
    case NameColumn:
        return toQString(buffer.name);
    case SizeColumn:
        return static_cast<qlonglong>(buffer.size);
    case ReservedColumn:
        return static_cast<qlonglong>(problem.reserved(id));
    case OffsetColumn:
        return static_cast<qlonglong>(placement.offset);
    case EndColumn:
        return static_cast<qlonglong>(placement.offset + problem.reserved(id));
    case FirstColumn:
        return static_cast<qlonglong>(buffer.live.begin);
    case LastColumn:
        return static_cast<qlonglong>(buffer.live.end - 1);
    case StepsColumn:
        return static_cast<qlonglong>(buffer.live.length());
    case TensorsColumn:
        return static_cast<qlonglong>(buffer.tensors.size());
    case BranchColumn: {
        const Item branch = counterpart(*m_outcome->study->graph, m_outcome->study.get(), Item::of(id), Item::Kind::Branch);
        return branch.isNone() ? QVariant() : QVariant(static_cast<qlonglong>(branch.id + 1));
    }
    case SideColumn: {
        const QString region = regionTitle(*m_outcome, id); // strategies of branches know one memory only
        return region.isEmpty() ? sideTitle(placement.side) : region;
    }
    default:
        return {};
    }
}

QString BuffersModel::toolTip(int row, int column) const
{
    const auto& tensors = m_outcome->study->problem.buffer(BufferId(row)).tensors;
    if (column != TensorsColumn && column != NameColumn)
        return RowModel::toolTip(row, column);
    constexpr std::size_t kMaxNames = 12;
    QStringList names;
    for (const AliasMember& member : tensors) {
        if (static_cast<std::size_t>(names.size()) == kMaxNames) {
            names << tr("and %1 more").arg(tensors.size() - kMaxNames);
            break;
        }
        names << toQString(m_outcome->study->graph->tensor(member.tensor).name);
    }
    return names.join(u'\n');
}

} // namespace arenascope::ui
