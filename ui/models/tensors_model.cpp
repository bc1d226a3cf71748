// SPDX-License-Identifier: MIT
#include "ui/models/tensors_model.h"

namespace arenascope::ui {

TensorsModel::TensorsModel(QObject* parent)
    : RowModel(
        {
            { tr("Tensor"), Format::Text, {}, 200, true },
            { tr("Type"), Format::Text, {}, 70, true },
            { tr("Shape"), Format::Text, {}, 130, true },
            { tr("Size"), Format::Size, tr("Bytes, without rounding"), 90 },
            { tr("Role"), Format::Text, {}, 80, true },
            { tr("First step"), Format::Count, tr("Step that writes it"), 76 },
            { tr("Last step"), Format::Count, tr("Last step that reads it"), 76 },
            { tr("Offset"), Format::Size, tr("Distance of its bytes from the start of the arena"), 90 },
            { tr("Shares bytes with"), Format::Text, tr("The tensor whose bytes it takes on purpose, as a view or in place"), 140 },
            { tr("Readers"), Format::Count, tr("Operators that read it"), 70 },
        },
        parent)
{
}

void TensorsModel::setContent(std::shared_ptr<const Graph> graph, std::shared_ptr<const PlanOutcome> outcome)
{
    beginRows();
    m_graph = std::move(graph);
    m_outcome = outcome && outcome->study->graph == m_graph ? std::move(outcome) : nullptr;
    m_ranges = m_outcome ? tensorLiveRanges(*m_graph, m_outcome->study->schedule) : std::vector<LiveRange>();
    collect();
    endRows();
}

void TensorsModel::setShowsWeights(bool on)
{
    if (on == m_showsWeights)
        return;
    beginRows();
    m_showsWeights = on;
    collect();
    endRows();
}

void TensorsModel::collect()
{
    m_ids.clear();
    m_rowOf.clear();
    if (!m_graph)
        return;
    const auto tensors = m_graph->tensors();
    m_rowOf.assign(tensors.size(), -1);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!tensors[i].isActivation() && !m_showsWeights)
            continue;
        m_rowOf[i] = static_cast<int>(m_ids.size());
        m_ids.push_back(TensorId::fromIndex(i));
    }
}

Item TensorsModel::itemAt(int row) const
{
    return Item::of(m_ids[static_cast<std::size_t>(row)]);
}

int TensorsModel::rowOf(Item item) const
{
    const bool isOurs = item.kind == Item::Kind::Tensor && item.id >= 0 && static_cast<std::size_t>(item.id) < m_rowOf.size();
    return isOurs ? m_rowOf[static_cast<std::size_t>(item.id)] : -1;
}

QVariant TensorsModel::raw(int row, int column) const
{
    const TensorId id = m_ids[static_cast<std::size_t>(row)];
    const Tensor& tensor = m_graph->tensor(id);
    switch (column) {
    case NameColumn:
        return toQString(tensor.name);
    case TypeColumn:
        return toQString(elementTypeName(tensor.type));
    case ShapeColumn:
        return toQString(toString(tensor.shape));
    case SizeColumn:
        return static_cast<qlonglong>(tensor.bytes);
    case RoleColumn:
        return roleTitle(tensor.role);
    case ReadersColumn:
        return static_cast<qlonglong>(tensor.consumers.size());
    default:
        return m_outcome && tensor.isActivation() ? planned(id, column) : QVariant();
    }
}

QVariant TensorsModel::planned(TensorId id, int column) const
{
    const LiveRange live = m_ranges[id.index()];
    const Study& study = *m_outcome->study;
    switch (column) {
    case FirstColumn:
        return live.length() > 0 ? QVariant(static_cast<qlonglong>(live.begin)) : QVariant();
    case LastColumn:
        return live.length() > 0 ? QVariant(static_cast<qlonglong>(live.end - 1)) : QVariant();
    case OffsetColumn: {
        const auto offset = tensorOffset(study, m_outcome->plan, id);
        return offset ? QVariant(static_cast<qlonglong>(*offset)) : QVariant();
    }
    case SharesColumn: {
        const BufferId buffer = study.bufferOf[id.index()];
        if (!buffer.isValid())
            return tr("outside the arena");
        for (const AliasMember& member : study.problem.buffer(buffer).tensors) {
            if (member.tensor == id && member.sharesWith.isValid())
                return toQString(m_graph->tensor(member.sharesWith).name);
        }
        return QString();
    }
    default:
        return {};
    }
}

QString TensorsModel::toolTip(int row, int column) const
{
    if (column != ReadersColumn)
        return RowModel::toolTip(row, column);
    constexpr std::size_t kMaxNames = 12;
    QStringList names;
    const Tensor& tensor = m_graph->tensor(m_ids[static_cast<std::size_t>(row)]);
    for (const OpId reader : tensor.consumers) {
        if (static_cast<std::size_t>(names.size()) == kMaxNames) {
            names << tr("and %1 more").arg(tensor.consumers.size() - kMaxNames);
            break;
        }
        names << toQString(m_graph->op(reader).name);
    }
    return names.join(u'\n');
}

} // namespace arenascope::ui
