// SPDX-License-Identifier: MIT
#include <arenascope/plan_io.h>

#include "core/src/io/names.h"

#include <array>

namespace arenascope {

namespace {

/// Light enough for black text, apart for colour-blind eyes by lightness as well as by hue.
constexpr std::array<std::string_view, 10> kFills = {"#8dd3c7", "#ffffb3", "#bebada", "#fb8072", "#80b1d3",
                                                     "#fdb462", "#b3de69", "#fccde5", "#d9d9d9", "#ccebc5"};

class DotWriter {
public:
    explicit DotWriter(const PlanOutcome& outcome)
        : m_study(*outcome.study)
        , m_plan(outcome.plan)
    {
    }

    std::string write();

private:
    void addNode(const std::string& node, const std::string& label, std::string_view shape, TensorId written);
    void addOperator(OpId id);
    void addEdges(TensorId id);
    std::string placeText(BufferId id) const;
    BufferId bufferOf(TensorId id) const { return id.isValid() ? m_study.bufferOf[id.index()] : BufferId(); }

    const Study& m_study;
    const Plan& m_plan;
    std::string m_dot;
};

/// "bytes [0, 64), first memory"
std::string DotWriter::placeText(BufferId id) const
{
    if (!id.isValid() || id.index() >= m_plan.placements.size())
        return "outside the arena";
    const Placement& placement = m_plan.placements[id.index()];
    std::string text = "bytes [" + std::to_string(placement.offset) + ", "
        + std::to_string(placement.offset + m_study.problem.reserved(id)) + ")";
    if (placement.side != PingPongSide::None)
        text += placement.side == PingPongSide::First ? ", first memory" : ", second memory";
    return text;
}

void DotWriter::addNode(const std::string& node, const std::string& label, std::string_view shape, TensorId written)
{
    const BufferId buffer = bufferOf(written);
    const std::string_view fill
        = buffer.isValid() ? kFills[buffer.index() % kFills.size()] : std::string_view("#ffffff");
    m_dot += "  " + node + " [shape=" + std::string(shape) + ", fillcolor=\"" + std::string(fill) + "\", label=" + label
        + ", tooltip=" + io::dotQuoted(buffer.isValid() ? "buffer " + m_study.problem.buffer(buffer).name : "no buffer")
        + "];\n";
}

void DotWriter::addOperator(OpId id)
{
    const Operator& op = m_study.graph->op(id);
    TensorId first;
    for (const TensorId tensor : op.outputs)
        first = first.isValid() ? first : tensor;
    addNode("op" + std::to_string(id.value()),
            io::dotQuoted(op.kind + "\n" + op.name + "\n" + placeText(bufferOf(first))), "box", first);
}

void DotWriter::addEdges(TensorId id)
{
    const Tensor& tensor = m_study.graph->tensor(id);
    if (!tensor.isActivation())
        return;
    const std::string from = tensor.producer.isValid() ? "op" + std::to_string(tensor.producer.value())
                                                       : "in" + std::to_string(id.value());
    const std::string label = io::dotQuoted(tensor.shape.rankKnown ? toString(tensor.shape) : tensor.name);
    for (const OpId reader : tensor.consumers)
        m_dot += "  " + from + " -> op" + std::to_string(reader.value()) + " [label=" + label + "];\n";
    if (tensor.isOutput)
        m_dot += "  " + from + " -> out" + std::to_string(id.value()) + " [label=" + label + "];\n";
}

std::string DotWriter::write()
{
    const Graph& graph = *m_study.graph;
    m_dot = "digraph " + io::dotQuoted(graph.info().name) + " {\n"
            "  node [style=filled, fontname=\"sans-serif\", fontsize=10];\n"
            "  edge [fontname=\"sans-serif\", fontsize=8];\n"
            "  label=" + io::dotQuoted(m_plan.strategy + ": " + std::to_string(m_plan.arenaSize) + " bytes") + ";\n";
    for (const TensorId id : graph.inputs())
        addNode("in" + std::to_string(id.value()),
                io::dotQuoted(graph.tensor(id).name + "\n" + placeText(bufferOf(id))), "ellipse", id);
    for (const OpId op : m_study.schedule.order)
        addOperator(op);
    for (const TensorId id : graph.outputs())
        addNode("out" + std::to_string(id.value()), io::dotQuoted(graph.tensor(id).name), "ellipse", id);
    for (std::size_t i = 0; i < graph.tensors().size(); ++i)
        addEdges(TensorId::fromIndex(i));
    return m_dot + "}\n";
}

} // namespace

std::string planToDot(const PlanOutcome& outcome)
{
    return DotWriter(outcome).write();
}

} // namespace arenascope
