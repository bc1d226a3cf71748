// SPDX-License-Identifier: MIT
#include "ui/models/run_model.h"

namespace arenascope::ui {

RunModel::RunModel(QObject* parent)
    : RowModel(
        {
            { tr("Step"), Format::Count, {}, 56 },
            { tr("Operator"), Format::Text, {}, 190, true },
            { tr("Kind"), Format::Text, {}, 120, true },
            { tr("Time"), Format::Duration, tr("In the arena; the median where it ran several times"), 80 },
            { tr("Share"), Format::Share, tr("Of the time of all operators"), 70 },
            { tr("Unplanned"), Format::Duration, tr("Time with every tensor in its own memory"), 90 },
            { tr("Reads"), Format::Size, tr("Bytes that it reads, weights included"), 90 },
            { tr("Writes"), Format::Size, {}, 90 },
            { tr("Workspace"), Format::Size, tr("Memory beside tensors and weights while it runs"), 90 },
            { tr("Computed by"), Format::Text, tr("The OpenCV layer, or loop for a plain loop"), 120, true },
        },
        parent)
{
}

void RunModel::setRun(std::shared_ptr<const RunRecord> run)
{
    beginRows();
    m_run = std::move(run);
    m_total = 0.0;
    if (m_run) {
        for (const OperatorTime& time : m_run->operators)
            m_total += std::max(time.arena, 0.0);
    }
    endRows();
}

int RunModel::rows() const
{
    return m_run ? static_cast<int>(m_run->outcome->study->schedule.order.size()) : 0;
}

OpId RunModel::opAt(int row) const
{
    return m_run->outcome->study->schedule.order[static_cast<std::size_t>(row)];
}

Item RunModel::itemAt(int row) const
{
    return Item::of(opAt(row));
}

int RunModel::rowOf(Item item) const
{
    if (!m_run || item.kind != Item::Kind::Operator)
        return -1;
    const auto& steps = m_run->outcome->study->schedule.stepOf;
    const auto index = static_cast<std::size_t>(item.id);
    return index < steps.size() ? static_cast<int>(steps[index]) : -1;
}

QVariant RunModel::raw(int row, int column) const
{
    const OpId id = opAt(row);
    const Operator& op = m_run->outcome->study->graph->op(id);
    const OperatorTime& time = m_run->operators[id.index()];
    const auto seconds = [](double value) { return value < 0.0 ? QVariant() : QVariant(value); };
    switch (column) {
    case StepColumn:
        return static_cast<qlonglong>(row);
    case NameColumn:
        return toQString(op.name);
    case KindColumn:
        return toQString(op.kind);
    case TimeColumn:
        return seconds(time.arena);
    case ShareColumn:
        return time.arena < 0.0 || m_total <= 0.0 ? QVariant() : QVariant(time.arena / m_total);
    case UnplannedColumn:
        return seconds(time.unplanned);
    case ReadColumn:
        return static_cast<qlonglong>(time.read);
    case WrittenColumn:
        return static_cast<qlonglong>(time.written);
    case WorkspaceColumn:
        return static_cast<qlonglong>(time.workspace);
    case EngineColumn:
        return time.engine;
    default:
        return {};
    }
}

} // namespace arenascope::ui
