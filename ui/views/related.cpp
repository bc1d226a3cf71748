// SPDX-License-Identifier: MIT
#include "ui/views/related.h"

#include "ui/text.h"

#include <arenascope/report.h>

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>

namespace arenascope::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(arenascope::ui::Words)
};

template <class T>
void sortUnique(std::vector<T>& values)
{
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

bool inRange(std::int32_t id, std::size_t count)
{
    return id >= 0 && static_cast<std::size_t>(id) < count;
}

void addOperator(Related& related, const Graph& graph, OpId op)
{
    related.operators.push_back(op);
    for (const TensorId output : graph.op(op).outputs) {
        if (output.isValid())
            related.tensors.push_back(output);
    }
}

void addBuffer(Related& related, const Graph& graph, const Buffer& buffer)
{
    for (const AliasMember& member : buffer.tensors) {
        related.tensors.push_back(member.tensor);
        if (graph.tensor(member.tensor).producer.isValid())
            related.operators.push_back(graph.tensor(member.tensor).producer);
    }
    if (buffer.op.isValid())
        related.operators.push_back(buffer.op);
}

QString row(const QString& name, const QString& value)
{
    return QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>").arg(name, value);
}

QString page(const QString& title, const QString& kind, const QString& rows)
{
    return QStringLiteral("<p style='white-space:pre'><b>%1</b>  %2</p><table>%3</table>").arg(title, kind, rows);
}

QString escaped(std::string_view words)
{
    constexpr qsizetype kLongest = 120;
    QString all = textOf(words);
    if (all.size() > kLongest)
        all = all.left(kLongest / 2) + QChar(0x2026) + all.right(kLongest / 2);
    return all.toHtmlEscaped();
}

QString shapeText(const Tensor& tensor)
{
    return textOf(toString(tensor.shape)) + QLatin1Char(' ') + textOf(elementTypeName(tensor.type));
}

QString stepsText(LiveRange live)
{
    if (live.length() <= 0)
        return Words::tr("never");
    if (live.length() == 1)
        return Words::tr("step %1").arg(live.begin);
    return Words::tr("steps %1 to %2").arg(live.begin).arg(live.end - 1);
}

QString sideText(PingPongSide side)
{
    switch (side) {
    case PingPongSide::First:
        return Words::tr("first memory");
    case PingPongSide::Second:
        return Words::tr("second memory");
    case PingPongSide::None:
        break;
    }
    return {};
}

QString bufferRows(const PlanOutcome& outcome, BufferId id)
{
    const Study& study = *outcome.study;
    const Buffer& buffer = study.problem.buffer(id);
    const Placement& placement = outcome.plan.placements[id.index()];
    QString rows = row(Words::tr("Buffer"), Words::tr("%1, %2").arg(escaped(buffer.name), exactBytesText(buffer.size)));
    const QLocale locale;
    rows += row(Words::tr("Address"),
                Words::tr("%1 to %2").arg(locale.toString(static_cast<qlonglong>(placement.offset)),
                                          locale.toString(static_cast<qlonglong>(placement.offset + study.problem.reserved(id)))));
    rows += row(Words::tr("Alive"), stepsText(buffer.live));
    if (placement.side != PingPongSide::None)
        rows += row(Words::tr("Memory"), sideText(placement.side));
    if (const QString region = regionTitle(outcome, id); !region.isEmpty())
        rows += row(Words::tr("Memory"), region.toHtmlEscaped());
    return rows;
}

QString tensorRows(const Graph& graph, const PlanOutcome* outcome, TensorId id)
{
    const Tensor& tensor = graph.tensor(id);
    QString rows = row(Words::tr("Shape"), shapeText(tensor).toHtmlEscaped());
    rows += row(Words::tr("Size"), exactBytesText(tensor.bytes));
    if (tensor.producer.isValid())
        rows += row(Words::tr("Written by"), escaped(graph.op(tensor.producer).name));
    if (!tensor.consumers.empty()) {
        constexpr std::size_t kMost = 4;
        QStringList names;
        for (std::size_t i = 0; i < std::min(kMost, tensor.consumers.size()); ++i)
            names << escaped(graph.op(tensor.consumers[i]).name);
        if (tensor.consumers.size() > kMost)
            names << Words::tr("%1 more").arg(tensor.consumers.size() - kMost);
        rows += row(Words::tr("Read by"), names.join(QStringLiteral(", ")));
    }
    if (outcome && outcome->study->bufferOf[id.index()].isValid())
        rows += bufferRows(*outcome, outcome->study->bufferOf[id.index()]);
    return rows;
}

QString operatorPage(const Graph& graph, const PlanOutcome* outcome, OpId id)
{
    const Operator& op = graph.op(id);
    QString rows;
    if (outcome)
        rows += row(Words::tr("Step"), Words::tr("%1 of 0 to %2").arg(outcome->study->schedule.stepOf[id.index()])
                                           .arg(outcome->study->schedule.stepCount() - 1));
    TensorId only;
    int count = 0;
    for (const TensorId output : op.outputs) {
        if (!output.isValid())
            continue;
        only = output;
        const Tensor& tensor = graph.tensor(output);
        if (++count <= 4)
            rows += row(Words::tr("Writes"), QStringLiteral("%1, %2, %3").arg(escaped(tensor.name),
                                                 shapeText(tensor).toHtmlEscaped(), exactBytesText(tensor.bytes)));
    }
    if (op.workspace > 0)
        rows += row(Words::tr("Workspace"), exactBytesText(op.workspace));
    if (outcome && count == 1 && outcome->study->bufferOf[only.index()].isValid())
        rows += bufferRows(*outcome, outcome->study->bufferOf[only.index()]);
    if (op.isDead)
        rows += row(Words::tr("Note"), Words::tr("no network output needs it"));
    return page(escaped(op.name), escaped(op.kind), rows);
}

} // namespace

Related relatedTo(const Graph& graph, const PlanOutcome* outcome, Item item)
{
    Related related;
    const auto id = item.id;
    switch (item.kind) {
    case Item::Kind::Operator:
        if (inRange(id, graph.operators().size()))
            addOperator(related, graph, OpId(id));
        break;
    case Item::Kind::Tensor:
        if (!inRange(id, graph.tensors().size()))
            break;
        related.tensors.push_back(TensorId(id));
        if (graph.tensor(TensorId(id)).producer.isValid())
            related.operators.push_back(graph.tensor(TensorId(id)).producer);
        break;
    case Item::Kind::Buffer:
        if (!outcome || !inRange(id, outcome->study->problem.buffers.size()))
            break;
        related.buffers.push_back(BufferId(id));
        addBuffer(related, graph, outcome->study->problem.buffer(BufferId(id)));
        break;
    case Item::Kind::Branch:
        if (!outcome || !inRange(id, outcome->study->branches.branches.size()))
            break;
        for (const BranchUnit& unit : outcome->study->branches.branches[static_cast<std::size_t>(id)].units) {
            for (const OpId op : unit.operators)
                addOperator(related, graph, op);
        }
        break;
    case Item::Kind::None:
        break;
    }
    if (outcome && item.kind != Item::Kind::Buffer) {
        for (const TensorId tensor : related.tensors) {
            if (outcome->study->bufferOf[tensor.index()].isValid())
                related.buffers.push_back(outcome->study->bufferOf[tensor.index()]);
        }
    }
    sortUnique(related.operators);
    sortUnique(related.tensors);
    sortUnique(related.buffers);
    return related;
}

QString itemTooltip(const Graph& graph, const PlanOutcome* outcome, Item item)
{
    switch (item.kind) {
    case Item::Kind::Operator:
        return inRange(item.id, graph.operators().size()) ? operatorPage(graph, outcome, OpId(item.id)) : QString();
    case Item::Kind::Tensor: {
        if (!inRange(item.id, graph.tensors().size()))
            return {};
        const Tensor& tensor = graph.tensor(TensorId(item.id));
        return page(escaped(tensor.name), escaped(roleName(tensor.role)), tensorRows(graph, outcome, TensorId(item.id)));
    }
    case Item::Kind::Buffer: {
        if (!outcome || !inRange(item.id, outcome->study->problem.buffers.size()))
            return {};
        const Buffer& buffer = outcome->study->problem.buffer(BufferId(item.id));
        if (buffer.tensors.size() == 1)
            return itemTooltip(graph, outcome, Item::of(buffer.tensors.front().tensor));
        QStringList names;
        for (std::size_t i = 0; i < std::min<std::size_t>(6, buffer.tensors.size()); ++i)
            names << escaped(graph.tensor(buffer.tensors[i].tensor).name);
        if (buffer.tensors.size() > 6)
            names << Words::tr("%1 more").arg(buffer.tensors.size() - 6);
        QString rows = bufferRows(*outcome, BufferId(item.id));
        if (!names.isEmpty())
            rows += row(Words::tr("Tensors"), names.join(QStringLiteral("<br>")));
        return page(escaped(buffer.name), Words::tr("buffer"), rows);
    }
    case Item::Kind::Branch: {
        if (!outcome || !inRange(item.id, outcome->study->branches.branches.size()))
            return {};
        const Branch& branch = outcome->study->branches.branches[static_cast<std::size_t>(item.id)];
        return page(Words::tr("Branch %1").arg(item.id + 1), Words::tr("%n unit(s)", nullptr, static_cast<int>(branch.units.size())),
                    row(Words::tr("First memory"), exactBytesText(branch.firstMemory))
                        + row(Words::tr("Second memory"), exactBytesText(branch.secondMemory)));
    }
    case Item::Kind::None:
        break;
    }
    return {};
}

QString bytesText(Bytes bytes)
{
    return bytes < 0 ? Words::tr("unknown size") : textOf(formatBytes(bytes));
}

QString exactBytesText(Bytes bytes)
{
    if (bytes < 1024)
        return bytesText(bytes);
    return QStringLiteral("%1 (%2 B)").arg(bytesText(bytes), QLocale().toString(static_cast<qlonglong>(bytes)));
}

QString textOf(std::string_view words)
{
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

} // namespace arenascope::ui
