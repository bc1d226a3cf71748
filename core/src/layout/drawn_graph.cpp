// SPDX-License-Identifier: MIT
#include <arenascope/layout.h>

namespace arenascope {
namespace {

class Drawer {
public:
    Drawer(const Graph& graph, const std::function<Size(const LayoutNode&)>& nodeSize)
        : m_graph(graph)
        , m_nodeSize(nodeSize)
        , m_nodeOfOp(graph.operators().size(), -1)
        , m_nodeOfInput(graph.tensors().size(), -1)
    {
    }

    DrawnGraph draw(const Schedule& schedule)
    {
        for (const TensorId id : m_graph.inputs())
            m_nodeOfInput[id.index()] = addNode({ LayoutNode::Kind::Input, {}, id, {} });
        for (const OpId id : schedule.order)
            m_nodeOfOp[id.index()] = addNode({ LayoutNode::Kind::Operator, id, {}, {} });
        for (const TensorId id : m_graph.inputs())
            addReaders(m_nodeOfInput[id.index()], id);
        for (const OpId id : schedule.order)
            addOutputsOf(id);
        for (const TensorId id : m_graph.outputs())
            addNetworkOutput(id);
        return std::move(m_drawn);
    }

private:
    std::int32_t addNode(LayoutNode node)
    {
        node.size = m_nodeSize(node);
        m_drawn.nodes.push_back(node);
        return static_cast<std::int32_t>(m_drawn.nodes.size()) - 1;
    }

    void addOutputsOf(OpId id)
    {
        for (const TensorId tensor : m_graph.op(id).outputs) {
            if (tensor.isValid())
                addReaders(m_nodeOfOp[id.index()], tensor);
        }
    }

    void addReaders(std::int32_t from, TensorId tensor)
    {
        for (const OpId reader : m_graph.tensor(tensor).consumers)
            m_drawn.edges.push_back({ from, m_nodeOfOp[reader.index()], tensor });
    }

    void addNetworkOutput(TensorId id)
    {
        const std::int32_t to = addNode({ LayoutNode::Kind::Output, {}, id, {} });
        const OpId producer = m_graph.tensor(id).producer;
        const std::int32_t from = producer.isValid() ? m_nodeOfOp[producer.index()] : m_nodeOfInput[id.index()];
        if (from >= 0) // a constant may be handed out: nothing drawn makes it
            m_drawn.edges.push_back({ from, to, id });
    }

    const Graph& m_graph;
    const std::function<Size(const LayoutNode&)>& m_nodeSize;
    std::vector<std::int32_t> m_nodeOfOp;
    std::vector<std::int32_t> m_nodeOfInput;
    DrawnGraph m_drawn;
};

} // namespace

DrawnGraph drawnGraph(
    const Graph& graph, const Schedule& schedule, const std::function<Size(const LayoutNode&)>& nodeSize)
{
    return Drawer(graph, nodeSize).draw(schedule);
}

} // namespace arenascope
