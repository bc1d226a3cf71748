// SPDX-License-Identifier: MIT
#include "ui/models/operators_model.h"

#include <algorithm>

namespace arenascope::ui {

namespace {

// Sum over distinct activations; an unknown size makes the sum unknown.
QVariant sumOfActivations(const Graph& graph, std::vector<TensorId> ids)
{
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    Bytes sum = 0;
    for (const TensorId id : ids) {
        if (!id.isValid() || !graph.tensor(id).isActivation())
            continue;
        const Bytes bytes = graph.tensor(id).bytes;
        const auto next = bytes < 0 ? std::nullopt : checkedAdd(sum, bytes);
        if (!next)
            return static_cast<qlonglong>(kUnknownBytes);
        sum = *next;
    }
    return static_cast<qlonglong>(sum);
}

QString shapesOf(const Graph& graph, const Operator& op)
{
    QStringList shapes;
    for (const TensorId id : op.outputs) {
        if (id.isValid())
            shapes << toQString(toString(graph.tensor(id).shape));
    }
    return shapes.join(QStringLiteral(", "));
}

} // namespace

OperatorsModel::OperatorsModel(QObject* parent)
    : RowModel(
        {
            { tr("Step"), Format::Count, tr("Position in the chosen order, from 0"), 56 },
            { tr("Operator"), Format::Text, {}, 200, true },
            { tr("Kind"), Format::Text, {}, 130, true },
            { tr("Output shape"), Format::Text, {}, 130, true },
            { tr("Writes"), Format::Size, tr("Bytes of its outputs, without rounding"), 90 },
            { tr("Reads"), Format::Size, tr("Bytes of the activations that it reads"), 90 },
            { tr("Live"), Format::Size, tr("Bytes that must be kept while it runs, rounded up to the alignment"), 90 },
            { tr("Branch"), Format::Count, {}, 70 },
            { tr("Memory"), Format::Text, tr("Which of its branch's two memories it writes"), 80 },
        },
        parent)
{
}

void OperatorsModel::setContent(std::shared_ptr<const Graph> graph, std::shared_ptr<const Study> study)
{
    beginRows();
    m_graph = std::move(graph);
    m_study = std::move(study);
    endRows();
}

int OperatorsModel::rows() const
{
    return m_graph ? static_cast<int>(m_graph->operators().size()) : 0;
}

Item OperatorsModel::itemAt(int row) const
{
    return Item::of(OpId(row));
}

int OperatorsModel::rowOf(Item item) const
{
    return item.kind == Item::Kind::Operator && item.id < rows() ? item.id : -1;
}

QVariant OperatorsModel::raw(int row, int column) const
{
    const OpId id(row);
    const Operator& op = m_graph->op(id);
    switch (column) {
    case NameColumn:
        return toQString(op.name);
    case KindColumn:
        return toQString(op.kind);
    case ShapeColumn:
        return shapesOf(*m_graph, op);
    case WritesColumn:
        return sumOfActivations(*m_graph, op.outputs);
    case ReadsColumn: {
        std::vector<TensorId> read = op.inputs;
        read.insert(read.end(), op.captures.begin(), op.captures.end());
        return sumOfActivations(*m_graph, std::move(read));
    }
    default:
        break;
    }
    if (!m_study)
        return {};
    const Step step = m_study->schedule.stepOf[id.index()];
    const BranchId branch = m_study->branches.branchOf[id.index()];
    switch (column) {
    case StepColumn:
        return static_cast<qlonglong>(step);
    case LiveColumn:
        return static_cast<qlonglong>(m_study->profile.liveBytes[static_cast<std::size_t>(step)]);
    case BranchColumn:
        return branch.isValid() ? QVariant(static_cast<qlonglong>(branch.value() + 1)) : QVariant();
    case SideColumn: {
        if (!branch.isValid())
            return {};
        const auto unit = static_cast<std::size_t>(m_study->branches.unitOf[id.index()]);
        return sideTitle(m_study->branches.branches[branch.index()].units[unit].side);
    }
    default:
        return {};
    }
}

QString OperatorsModel::toolTip(int row, int column) const
{
    const Operator& op = m_graph->op(OpId(row));
    if (column == NameColumn && op.isDead)
        return tr("%1: nothing that it makes reaches an output of the network; it runs all the same").arg(toQString(op.name));
    if (column == KindColumn && !op.domain.empty())
        return QStringLiteral("%1.%2").arg(toQString(op.domain), toQString(op.kind));
    return RowModel::toolTip(row, column);
}

} // namespace arenascope::ui
