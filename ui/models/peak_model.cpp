// SPDX-License-Identifier: MIT
#include "ui/models/peak_model.h"

#include <arenascope/trace.h>

#include <algorithm>

namespace arenascope::ui {

PeakModel::PeakModel(QObject* parent)
    : RowModel(
        {
            { tr("Alive"), Format::Text, tr("Buffer, named after its first tensor"), 200, true },
            { tr("Bytes"), Format::Size, tr("That it needs in this step, rounded up to the alignment"), 90 },
            { tr("Share"), Format::Share, tr("Of all bytes that are alive in this step"), 70 },
            { tr("Why"), Format::Text, {}, 230, true },
            { tr("Made by"), Format::Text, {}, 150, true },
            { tr("First step"), Format::Count, {}, 76 },
            { tr("Last step"), Format::Count, {}, 76 },
        },
        parent)
{
}

void PeakModel::setContent(std::shared_ptr<const Study> study, Step step)
{
    beginRows();
    m_study = std::move(study);
    m_step = step;
    const bool hasSteps = m_study && step >= 0 && step < m_study->problem.stepCount;
    m_buffers = hasSteps ? buffersAliveAt(m_study->problem, step) : std::vector<BufferId>();
    endRows();
}

Item PeakModel::itemAt(int row) const
{
    return Item::of(m_buffers[static_cast<std::size_t>(row)]);
}

int PeakModel::rowOf(Item item) const
{
    if (item.kind != Item::Kind::Buffer)
        return -1;
    const auto found = std::find(m_buffers.begin(), m_buffers.end(), BufferId(item.id));
    return found == m_buffers.end() ? -1 : static_cast<int>(found - m_buffers.begin());
}

QVariant PeakModel::raw(int row, int column) const
{
    const BufferId id = m_buffers[static_cast<std::size_t>(row)];
    const Buffer& buffer = m_study->problem.buffer(id);
    const Bytes bytes = neededAt(m_study->problem, id, m_step);
    switch (column) {
    case NameColumn:
        return toQString(buffer.name);
    case SizeColumn:
        return static_cast<qlonglong>(bytes);
    case ShareColumn: {
        const Bytes all = m_study->profile.liveBytes[static_cast<std::size_t>(m_step)];
        return all > 0 ? static_cast<double>(bytes) / static_cast<double>(all) : 0.0;
    }
    case WhyColumn:
        return why(buffer);
    case MadeByColumn: {
        if (buffer.tensors.empty())
            return buffer.op.isValid() ? toQString(m_study->graph->op(buffer.op).name) : QString();
        const OpId producer = m_study->graph->tensor(buffer.tensors.front().tensor).producer;
        return producer.isValid() ? toQString(m_study->graph->op(producer).name) : tr("network input");
    }
    case FirstColumn:
        return static_cast<qlonglong>(buffer.live.begin);
    case LastColumn:
        return static_cast<qlonglong>(buffer.live.end - 1);
    default:
        return {};
    }
}

QString PeakModel::why(const Buffer& buffer) const
{
    const Graph& graph = *m_study->graph;
    if (buffer.kind == BufferKind::Workspace)
        return tr("workspace of the running operator");
    const auto& stepOf = m_study->schedule.stepOf;
    bool isWritten = false;
    bool isRead = false;
    bool isOutput = false;
    OpId nextReader;
    for (const AliasMember& member : buffer.tensors) {
        const Tensor& tensor = graph.tensor(member.tensor);
        isWritten |= tensor.producer.isValid() && stepOf[tensor.producer.index()] == m_step;
        isOutput |= tensor.isOutput;
        for (const OpId reader : tensor.consumers) {
            const Step at = stepOf[reader.index()];
            isRead |= at == m_step;
            const bool isNext = at > m_step && (!nextReader.isValid() || at < stepOf[nextReader.index()]);
            if (isNext)
                nextReader = reader;
        }
    }
    if (isRead && isWritten)
        return tr("read and written here");
    if (isWritten)
        return tr("written here");
    const QString next = nextReader.isValid()
        ? tr("%1 (step %2)").arg(toQString(graph.op(nextReader).name)).arg(stepOf[nextReader.index()])
        : QString();
    if (isRead)
        return nextReader.isValid() ? tr("read here, and by %1").arg(next) : tr("read here");
    if (nextReader.isValid())
        return tr("kept for %1").arg(next);
    return isOutput ? tr("network output, kept to the end") : tr("kept");
}

} // namespace arenascope::ui
