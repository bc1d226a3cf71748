// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/scope.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_set>

namespace arenascope::onnx_import {

namespace {

constexpr std::array<std::string_view, 6> kRandomKinds = {
    "Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"};
constexpr std::size_t kMaxNamedOnCycle = 8;

std::string nodeName(const NodeLinks& links, std::size_t index)
{
    const onnx::NodeProto& node = *links.node;
    return node.name().empty() ? node.op_type() + " #" + std::to_string(index) : node.name();
}

std::string graphPlace(const onnx::GraphProto& graph)
{
    return graph.name().empty() ? std::string("graph") : "graph '" + graph.name() + "'";
}

class Resolver {
public:
    Resolver(const onnx::GraphProto& graph, Resolver* outer) : m_graph(graph), m_outer(outer) {}
    Result<std::unique_ptr<Scope>> run();

private:
    std::int32_t addSlot(const std::string& name, Origin origin);
    void addInitializers();
    void addInputs();
    Status addOutputsOfNodes();
    void addDeclared();
    Status linkNodes();
    /// Finds a name here or further out, where it is added to each graph on the way; gives the slot of this graph.
    std::optional<std::int32_t> find(const std::string& name);
    Result<std::int32_t> use(const std::string& name, const std::string& reader);
    Status addBody(NodeLinks& links, const onnx::GraphProto& body);
    Status addBodies(NodeLinks& links);
    Status sort();
    Error cycleError(const std::vector<std::int32_t>& missing) const;
    template <class Visit>
    void forEachRead(const NodeLinks& links, Visit visit) const;

    const onnx::GraphProto& m_graph;
    Resolver* m_outer; ///< of the graph around; null at the top
    std::unique_ptr<Scope> m_scope = std::make_unique<Scope>();
};

std::int32_t Resolver::addSlot(const std::string& name, Origin origin)
{
    const auto index = static_cast<std::int32_t>(m_scope->slots.size());
    const auto [it, isNew] = m_scope->slotOf.try_emplace(name, index);
    if (!isNew)
        return -1;
    m_scope->slots.push_back(Slot{.name = name, .origin = origin});
    return index;
}

void Resolver::addInitializers()
{
    // Where a name comes twice, the later one counts, as in ONNX Runtime.
    const auto slotFor = [this](const std::string& name) {
        const std::int32_t added = addSlot(name, Origin::Initializer);
        return added >= 0 ? added : m_scope->slotOf.at(name);
    };
    for (const auto& tensor : m_graph.initializer()) {
        if (!tensor.name().empty())
            m_scope->slots[static_cast<std::size_t>(slotFor(tensor.name()))].initializer = &tensor;
    }
    for (const auto& sparse : m_graph.sparse_initializer()) {
        if (!sparse.values().name().empty())
            m_scope->slots[static_cast<std::size_t>(slotFor(sparse.values().name()))].sparse = &sparse;
    }
}

void Resolver::addInputs()
{
    for (const auto& input : m_graph.input()) {
        const std::int32_t slot = addSlot(input.name(), Origin::Input);
        if (slot >= 0)
            m_scope->inputs.push_back(slot);
    }
}

Status Resolver::addOutputsOfNodes()
{
    m_scope->nodes.reserve(static_cast<std::size_t>(m_graph.node_size()));
    for (const auto& node : m_graph.node()) {
        NodeLinks links;
        links.node = &node;
        const auto index = static_cast<std::int32_t>(m_scope->nodes.size());
        for (const std::string& name : node.output()) {
            std::int32_t slot = -1;
            if (!name.empty()) {
                slot = addSlot(name, Origin::Node);
                if (slot < 0) {
                    const Slot& taken = m_scope->slots[static_cast<std::size_t>(m_scope->slotOf.at(name))];
                    const std::string first = taken.producer < 0 ? "the network's inputs and weights"
                        : taken.producer == index
                        ? nodeName(links, static_cast<std::size_t>(index))
                        : nodeName(m_scope->nodes[static_cast<std::size_t>(taken.producer)],
                                   static_cast<std::size_t>(taken.producer));
                    return Error{ErrorCode::DuplicateProducer, graphPlace(m_graph),
                                 {name, first, nodeName(links, static_cast<std::size_t>(index))}};
                }
                m_scope->slots[static_cast<std::size_t>(slot)].producer = index;
            }
            links.outputs.push_back(slot);
        }
        m_scope->nodes.push_back(std::move(links));
    }
    return Ok{};
}

void Resolver::addDeclared()
{
    const auto declare = [this](const onnx::ValueInfoProto& info) {
        const auto it = m_scope->slotOf.find(info.name());
        if (it != m_scope->slotOf.end() && info.has_type())
            m_scope->slots[static_cast<std::size_t>(it->second)].declared = &info.type();
    };
    std::ranges::for_each(m_graph.value_info(), declare);
    std::ranges::for_each(m_graph.output(), declare);
    std::ranges::for_each(m_graph.input(), declare);
}

std::optional<std::int32_t> Resolver::find(const std::string& name)
{
    const auto it = m_scope->slotOf.find(name);
    if (it != m_scope->slotOf.end())
        return it->second;
    if (m_outer == nullptr)
        return std::nullopt;
    const auto outside = m_outer->find(name);
    if (!outside)
        return std::nullopt;
    const std::int32_t slot = addSlot(name, Origin::Outer);
    m_scope->slots.back().outerSlot = *outside;
    return slot;
}

Result<std::int32_t> Resolver::use(const std::string& name, const std::string& reader)
{
    if (name.empty())
        return std::int32_t{-1};
    if (const auto slot = find(name))
        return *slot;
    return Error{ErrorCode::DanglingTensor, graphPlace(m_graph), {name, reader}};
}

Status Resolver::addBody(NodeLinks& links, const onnx::GraphProto& body)
{
    Resolver inner(body, this);
    auto scope = inner.run();
    if (!scope)
        return scope.error();
    std::unordered_set<std::int32_t> known(links.captures.begin(), links.captures.end());
    for (const Slot& slot : (*scope)->slots) {
        if (slot.origin == Origin::Outer && known.insert(slot.outerSlot).second)
            links.captures.push_back(slot.outerSlot);
    }
    m_scope->isRandom |= (*scope)->isRandom;
    links.bodies.push_back(std::move(*scope));
    return Ok{};
}

Status Resolver::addBodies(NodeLinks& links)
{
    for (const auto& attribute : links.node->attribute()) {
        if (attribute.has_g()) {
            if (auto added = addBody(links, attribute.g()); !added)
                return added;
        }
        for (const auto& graph : attribute.graphs()) {
            if (auto added = addBody(links, graph); !added)
                return added;
        }
    }
    return Ok{};
}

Status Resolver::linkNodes()
{
    for (std::size_t i = 0; i < m_scope->nodes.size(); ++i) {
        NodeLinks& links = m_scope->nodes[i];
        for (const std::string& name : links.node->input()) {
            auto slot = use(name, nodeName(links, i));
            if (!slot)
                return slot.error();
            links.inputs.push_back(*slot);
        }
        if (auto added = addBodies(links); !added)
            return added;
        m_scope->isRandom |= isRandomKind(links.node->op_type());
    }
    for (const auto& output : m_graph.output()) {
        // A body may hand out a value of the graph around it.
        auto slot = use(output.name(), "the outputs of " + graphPlace(m_graph));
        if (!slot)
            return slot.error();
        if (*slot >= 0)
            m_scope->outputs.push_back(*slot);
    }
    return Ok{};
}

template <class Visit>
void Resolver::forEachRead(const NodeLinks& links, Visit visit) const
{
    const auto one = [&](std::int32_t slot) {
        if (slot >= 0 && m_scope->slots[static_cast<std::size_t>(slot)].producer >= 0)
            visit(m_scope->slots[static_cast<std::size_t>(slot)].producer);
    };
    std::ranges::for_each(links.inputs, one);
    std::ranges::for_each(links.captures, one);
}

Status Resolver::sort()
{
    const std::size_t count = m_scope->nodes.size();
    std::vector<std::int32_t> missing(count, 0); // reads whose producer has not run yet
    std::vector<std::vector<std::int32_t>> readers(count);
    for (std::size_t i = 0; i < count; ++i) {
        forEachRead(m_scope->nodes[i], [&](std::int32_t producer) {
            readers[static_cast<std::size_t>(producer)].push_back(static_cast<std::int32_t>(i));
            ++missing[i];
            m_scope->isSorted &= static_cast<std::size_t>(producer) < i;
        });
    }
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < count; ++i) {
        if (missing[i] == 0)
            ready.push(static_cast<std::int32_t>(i));
    }
    m_scope->order.reserve(count);
    while (!ready.empty()) {
        const std::int32_t node = ready.top();
        ready.pop();
        m_scope->order.push_back(node);
        for (const std::int32_t reader : readers[static_cast<std::size_t>(node)]) {
            if (--missing[static_cast<std::size_t>(reader)] == 0)
                ready.push(reader);
        }
    }
    return m_scope->order.size() == count ? Status(Ok{}) : Status(cycleError(missing));
}

Error Resolver::cycleError(const std::vector<std::int32_t>& missing) const
{
    // Every node that is left waits for another one that is left: walking back must come round.
    const auto first = std::ranges::find_if(missing, [](std::int32_t n) { return n > 0; });
    auto node = static_cast<std::int32_t>(first - missing.begin());
    std::vector<std::int32_t> path;
    std::vector<bool> seen(missing.size(), false);
    while (!seen[static_cast<std::size_t>(node)]) {
        seen[static_cast<std::size_t>(node)] = true;
        path.push_back(node);
        std::int32_t next = -1;
        forEachRead(m_scope->nodes[static_cast<std::size_t>(node)], [&](std::int32_t producer) {
            if (next < 0 && missing[static_cast<std::size_t>(producer)] > 0)
                next = producer;
        });
        node = next;
    }
    path.erase(path.begin(), std::ranges::find(path, node));
    std::ranges::reverse(path);
    std::string names;
    for (std::size_t i = 0; i < path.size() && i < kMaxNamedOnCycle; ++i) {
        const auto index = static_cast<std::size_t>(path[i]);
        names += (i == 0 ? "'" : ", '") + nodeName(m_scope->nodes[index], index) + "'";
    }
    if (path.size() > kMaxNamedOnCycle)
        names += " and " + std::to_string(path.size() - kMaxNamedOnCycle) + " more";
    return Error{ErrorCode::CyclicGraph, graphPlace(m_graph), {names}};
}

Result<std::unique_ptr<Scope>> Resolver::run()
{
    m_scope->graph = &m_graph;
    addInitializers();
    addInputs();
    if (auto added = addOutputsOfNodes(); !added)
        return added.error();
    if (auto linked = linkNodes(); !linked)
        return linked.error();
    addDeclared();
    if (auto sorted = sort(); !sorted)
        return sorted.error();
    return std::move(m_scope);
}

} // namespace

bool isRandomKind(std::string_view kind)
{
    return std::ranges::find(kRandomKinds, kind) != kRandomKinds.end();
}

Result<std::unique_ptr<Scope>> resolveScope(const onnx::GraphProto& graph)
{
    return Resolver(graph, nullptr).run();
}

} // namespace arenascope::onnx_import
