// SPDX-License-Identifier: MIT
#include "ui/item_lookup.h"

#include "ui/text.h"

namespace arenascope::ui {

namespace {

OpId firstOperatorOf(const Graph& graph, TensorId id)
{
    const Tensor& tensor = graph.tensor(id);
    if (tensor.producer.isValid())
        return tensor.producer;
    return tensor.consumers.empty() ? OpId() : tensor.consumers.front();
}

OpId operatorOf(const Graph& graph, const Study* study, Item item)
{
    switch (item.kind) {
    case Item::Kind::Operator:
        return OpId(item.id);
    case Item::Kind::Tensor:
        return firstOperatorOf(graph, TensorId(item.id));
    case Item::Kind::Buffer: {
        if (!study)
            return {};
        const Buffer& buffer = study->problem.buffer(BufferId(item.id));
        return buffer.tensors.empty() ? buffer.op : firstOperatorOf(graph, buffer.tensors.front().tensor);
    }
    case Item::Kind::Branch: {
        if (!study)
            return {};
        const Branch& branch = study->branches.branches[static_cast<std::size_t>(item.id)];
        if (branch.units.empty() || branch.units.front().operators.empty())
            return {};
        return branch.units.front().operators.front();
    }
    case Item::Kind::None:
        return {};
    }
    return {};
}

TensorId tensorOf(const Graph& graph, const Study* study, Item item)
{
    if (item.kind == Item::Kind::Tensor)
        return TensorId(item.id);
    if (item.kind == Item::Kind::Buffer) {
        if (!study)
            return {};
        const Buffer& buffer = study->problem.buffer(BufferId(item.id));
        return buffer.tensors.empty() ? TensorId() : buffer.tensors.front().tensor;
    }
    const OpId op = operatorOf(graph, study, item);
    if (!op.isValid())
        return {};
    for (const TensorId output : graph.op(op).outputs) {
        if (output.isValid())
            return output;
    }
    return {};
}

template <class T>
Item itemOrNone(T id)
{
    return id.isValid() ? Item::of(id) : Item();
}

} // namespace

Item counterpart(const Graph& graph, const Study* study, Item item, Item::Kind kind)
{
    if (item.isNone() || item.kind == kind)
        return item;
    switch (kind) {
    case Item::Kind::Operator:
        return itemOrNone(operatorOf(graph, study, item));
    case Item::Kind::Tensor:
        return itemOrNone(tensorOf(graph, study, item));
    case Item::Kind::Buffer: {
        const TensorId tensor = tensorOf(graph, study, item);
        return study && tensor.isValid() ? itemOrNone(study->bufferOf[tensor.index()]) : Item();
    }
    case Item::Kind::Branch: {
        const OpId op = operatorOf(graph, study, item);
        // A network input is in no branch, though its reader is.
        const bool isInput = item.kind == Item::Kind::Tensor && !graph.tensor(TensorId(item.id)).producer.isValid();
        return study && op.isValid() && !isInput ? itemOrNone(study->branches.branchOf[op.index()]) : Item();
    }
    case Item::Kind::None:
        return {};
    }
    return {};
}

Step stepOf(const Graph& graph, const Study& study, Item item)
{
    if (item.kind == Item::Kind::Buffer)
        return study.problem.buffer(BufferId(item.id)).live.begin;
    if (item.kind == Item::Kind::Tensor && !graph.tensor(TensorId(item.id)).producer.isValid())
        return 0;
    const OpId op = operatorOf(graph, &study, item);
    return op.isValid() ? study.schedule.stepOf[op.index()] : -1;
}

QString nameOf(const Graph& graph, const Study* study, Item item)
{
    switch (item.kind) {
    case Item::Kind::Operator:
        return toQString(graph.op(OpId(item.id)).name);
    case Item::Kind::Tensor:
        return toQString(graph.tensor(TensorId(item.id)).name);
    case Item::Kind::Buffer:
        return study ? toQString(study->problem.buffer(BufferId(item.id)).name) : QString();
    case Item::Kind::Branch:
        return QObject::tr("Branch %1").arg(item.id + 1);
    case Item::Kind::None:
        return {};
    }
    return {};
}

} // namespace arenascope::ui
