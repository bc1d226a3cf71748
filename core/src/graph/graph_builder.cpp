// SPDX-License-Identifier: MIT
#include <arenascope/graph_builder.h>

#include "core/src/graph/boost_graph.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace arenascope {

namespace {

// Bytes of `count` elements; parts of a byte count as a whole one.
std::optional<Bytes> bytesOf(std::int64_t count, int bits)
{
    // In two steps, so that 63-bit sizes of 4-bit types do not overflow on the way.
    const auto whole = checkedMultiply(count / 8, bits);
    return whole ? checkedAdd(*whole, (count % 8 * bits + 7) / 8) : std::nullopt;
}

constexpr std::size_t kMaxNamedCycle = 12;

std::string cycleText(const std::vector<detail::Vertex>& cycle, std::span<const Operator> operators)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(cycle.size(), kMaxNamedCycle); ++i)
        text += operators[cycle[i]].name + " -> ";
    if (cycle.size() > kMaxNamedCycle)
        text += "... (" + std::to_string(cycle.size() - kMaxNamedCycle) + " more) -> ";
    return text + operators[cycle.front()].name;
}

template <class IdType, class Items>
std::vector<IdType> sortedByName(const Items& items)
{
    std::vector<IdType> ids;
    ids.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        ids.push_back(IdType::fromIndex(i));
    std::sort(ids.begin(), ids.end(), [&items](IdType a, IdType b) {
        const auto order = items[a.index()].name <=> items[b.index()].name;
        return order == 0 ? a < b : order < 0;
    });
    return ids;
}

} // namespace

struct GraphBuilder::Impl {
    std::vector<Operator> operators;
    std::vector<Tensor> tensors;
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    std::vector<Omission> omissions;
    std::unordered_map<std::string, TensorId> byName;
    ModelInfo info;
    std::shared_ptr<const Graph> constantNetwork;
    std::optional<Error> error; ///< the first thing that was wrong while collecting

    Tensor& at(TensorId id)
    {
        assert(id.isValid() && id.index() < tensors.size() && "tensor of another builder");
        return tensors[id.index()];
    }
    void fail(Error e)
    {
        if (!error)
            error = std::move(e);
    }
    void nameOperators();
    std::optional<Error> connectOutputs();
    void connectInputs();
    std::optional<Error> connectOrder();
    std::optional<Error> checkTensors() const;
    void markDead();
};

GraphBuilder::GraphBuilder() : m_impl(std::make_unique<Impl>()) {}
GraphBuilder::~GraphBuilder() = default;
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;

TensorId GraphBuilder::tensor(std::string_view name)
{
    const auto [found, isNew] = m_impl->byName.try_emplace(std::string(name), TensorId::fromIndex(m_impl->tensors.size()));
    if (isNew)
        m_impl->tensors.emplace_back().name = found->first;
    return found->second;
}

void GraphBuilder::describe(TensorId id, ElementType type, Shape shape)
{
    Tensor& t = m_impl->at(id);
    t.type = type;
    t.shape = std::move(shape);
    t.bytes = kUnknownBytes;
    const auto isBad = [](std::int64_t dim) { return dim < 0 && dim != kUnknownDim; };
    if (std::any_of(t.shape.dims.begin(), t.shape.dims.end(), isBad))
        return m_impl->fail({ErrorCode::BadShape, {}, {t.name, "an extent is negative"}});
    if (!t.shape.isStatic() || bitsPerElement(type) == 0)
        return;
    const auto count = t.shape.elementCount();
    const auto bytes = count ? bytesOf(*count, bitsPerElement(type)) : std::nullopt;
    if (!bytes)
        return m_impl->fail({ErrorCode::SizeOverflow, {}, {t.name}});
    t.bytes = *bytes;
}

void GraphBuilder::setBytes(TensorId id, Bytes bytes)
{
    m_impl->at(id).bytes = bytes < 0 ? kUnknownBytes : bytes;
}

void GraphBuilder::setRole(TensorId id, TensorRole role)
{
    m_impl->at(id).role = role;
}

void GraphBuilder::setSource(TensorId id, TensorSource source)
{
    m_impl->at(id).source = std::move(source);
}

void GraphBuilder::setQuantization(TensorId id, Quantization quantization)
{
    m_impl->at(id).quantization = std::move(quantization);
}

void GraphBuilder::setPlace(TensorId id, std::int32_t subgraph, std::int32_t fileIndex)
{
    Tensor& t = m_impl->at(id);
    t.subgraph = subgraph;
    t.fileIndex = fileIndex;
}

void GraphBuilder::setPlannedOffset(TensorId id, Offset offset)
{
    m_impl->at(id).plannedOffset = offset;
}

TensorId GraphBuilder::addInput(std::string_view name, ElementType type, Shape shape)
{
    const TensorId id = tensor(name);
    describe(id, type, std::move(shape));
    if (m_impl->at(id).role == TensorRole::Input)
        m_impl->fail({ErrorCode::DuplicateName, {}, {"network input", std::string(name)}});
    else
        m_impl->inputs.push_back(id);
    setRole(id, TensorRole::Input);
    return id;
}

TensorId GraphBuilder::addWeight(std::string_view name, ElementType type, Shape shape)
{
    const TensorId id = tensor(name);
    describe(id, type, std::move(shape));
    setRole(id, TensorRole::Weight);
    return id;
}

void GraphBuilder::addOutput(TensorId id)
{
    Tensor& t = m_impl->at(id);
    if (t.isOutput)
        return m_impl->fail({ErrorCode::DuplicateName, {}, {"network output", t.name}});
    t.isOutput = true;
    m_impl->outputs.push_back(id);
}

OpId GraphBuilder::addOperator(Operator op)
{
    const OpId id = OpId::fromIndex(m_impl->operators.size());
    std::sort(op.captures.begin(), op.captures.end());
    op.captures.erase(std::unique(op.captures.begin(), op.captures.end()), op.captures.end());
    std::sort(op.runsAfter.begin(), op.runsAfter.end());
    op.runsAfter.erase(std::unique(op.runsAfter.begin(), op.runsAfter.end()), op.runsAfter.end());
    if (op.fileIndex < 0)
        op.fileIndex = id.value();
    m_impl->operators.push_back(std::move(op));
    return id;
}

TensorId GraphBuilder::addSimple(std::string_view kind, std::vector<TensorId> inputs, std::string_view output, Bytes bytes)
{
    const TensorId made = tensor(output);
    setBytes(made, bytes);
    Operator op;
    op.kind = kind;
    op.inputs = std::move(inputs);
    op.outputs = {made};
    addOperator(std::move(op));
    return made;
}

void GraphBuilder::addOmission(Omission omission)
{
    m_impl->omissions.push_back(std::move(omission));
}

void GraphBuilder::setInfo(ModelInfo info)
{
    m_impl->info = std::move(info);
}

void GraphBuilder::setConstantNetwork(std::shared_ptr<const Graph> network)
{
    m_impl->constantNetwork = std::move(network);
}

// Names given by the file win over names made up; of equal ones the first keeps its name.
void GraphBuilder::Impl::nameOperators()
{
    std::unordered_set<std::string> taken;
    std::unordered_map<std::string, int> copies;
    std::vector<std::size_t> unnamed;
    const auto makeUnique = [&](std::string& name) {
        const std::string wanted = name;
        for (int& copy = copies.try_emplace(wanted, 1).first->second; !taken.insert(name).second;)
            name = wanted + '#' + std::to_string(++copy);
    };
    std::vector<std::size_t> repeated;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        if (operators[i].name.empty())
            unnamed.push_back(i);
        else if (!taken.insert(operators[i].name).second)
            repeated.push_back(i);
    }
    for (const std::size_t i : repeated)
        makeUnique(operators[i].name);
    for (const std::size_t i : unnamed) {
        operators[i].name = operators[i].kind + '_' + std::to_string(operators[i].fileIndex);
        makeUnique(operators[i].name);
    }
}

std::optional<Error> GraphBuilder::Impl::connectOutputs()
{
    for (std::size_t i = 0; i < operators.size(); ++i) {
        for (const TensorId output : operators[i].outputs) {
            if (!output.isValid())
                continue;
            Tensor& t = at(output);
            if (t.producer.isValid())
                return Error{ErrorCode::DuplicateProducer, {},
                             {t.name, operators[t.producer.index()].name, operators[i].name}};
            const bool isGiven = t.role == TensorRole::Input || t.role == TensorRole::Weight || t.role == TensorRole::Constant;
            if (isGiven)
                return Error{ErrorCode::DuplicateProducer, {},
                             {t.name, "the model file (" + std::string(roleName(t.role)) + ")", operators[i].name}};
            t.producer = OpId::fromIndex(i);
            if (t.role == TensorRole::Activation && t.isOutput)
                t.role = TensorRole::Output;
        }
    }
    return std::nullopt;
}

// Operators are visited in order, so consumers come out ascending.
void GraphBuilder::Impl::connectInputs()
{
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const OpId reader = OpId::fromIndex(i);
        const auto connect = [&](TensorId input) {
            if (!input.isValid())
                return;
            std::vector<OpId>& consumers = at(input).consumers;
            if (consumers.empty() || consumers.back() != reader)
                consumers.push_back(reader);
        };
        std::for_each(operators[i].inputs.begin(), operators[i].inputs.end(), connect);
        std::for_each(operators[i].captures.begin(), operators[i].captures.end(), connect);
    }
}

std::optional<Error> GraphBuilder::Impl::connectOrder()
{
    for (std::size_t i = 0; i < operators.size(); ++i) {
        for (const OpId before : operators[i].runsAfter) {
            if (!before.isValid() || before.index() >= operators.size())
                return Error{ErrorCode::Internal, {}, {"order of '" + operators[i].name + "'"}};
            operators[before.index()].runsBefore.push_back(OpId::fromIndex(i));
        }
    }
    return std::nullopt;
}

std::optional<Error> GraphBuilder::Impl::checkTensors() const
{
    for (const Tensor& t : tensors) {
        const bool needsProducer = t.role == TensorRole::Activation || t.role == TensorRole::Output;
        if (!needsProducer || t.producer.isValid())
            continue;
        if (!t.consumers.empty())
            return Error{ErrorCode::DanglingTensor, {}, {t.name, operators[t.consumers.front().index()].name}};
        if (t.isOutput)
            return Error{ErrorCode::DanglingTensor, {}, {t.name, "the network's outputs"}};
    }
    return std::nullopt;
}

// Walks back from the network's outputs, and from operators that write nothing: these run for what they do to variables, or
// mark where a called sub-graph ends. Without any output there is nothing to be dead for.
void GraphBuilder::Impl::markDead()
{
    if (outputs.empty())
        return;
    std::vector<OpId> open;
    for (Operator& op : operators)
        op.isDead = true;
    const auto reach = [&](TensorId id) {
        if (!id.isValid() || !at(id).producer.isValid())
            return;
        Operator& op = operators[at(id).producer.index()];
        if (op.isDead)
            open.push_back(at(id).producer);
        op.isDead = false;
    };
    std::for_each(outputs.begin(), outputs.end(), reach);
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const auto& made = operators[i].outputs;
        if (std::any_of(made.begin(), made.end(), [](TensorId id) { return id.isValid(); }))
            continue;
        operators[i].isDead = false;
        open.push_back(OpId::fromIndex(i));
    }
    while (!open.empty()) {
        const Operator& op = operators[open.back().index()];
        open.pop_back();
        std::for_each(op.inputs.begin(), op.inputs.end(), reach);
        std::for_each(op.captures.begin(), op.captures.end(), reach);
    }
}

Result<std::shared_ptr<const Graph>> GraphBuilder::build() &&
{
    Impl& b = *m_impl;
    if (b.error)
        return std::move(*b.error);
    if (b.operators.empty())
        return Error{ErrorCode::EmptyGraph, {}, {}};
    b.nameOperators();
    if (auto error = b.connectOutputs())
        return std::move(*error);
    b.connectInputs();
    if (auto error = b.connectOrder())
        return std::move(*error);
    if (auto error = b.checkTensors())
        return std::move(*error);
    const auto cycle = detail::findCycle(detail::dependencyGraph(b.operators, b.tensors));
    if (!cycle.empty())
        return Error{ErrorCode::CyclicGraph, {}, {cycleText(cycle, b.operators)}};
    b.markDead();

    auto graph = std::make_shared<Graph>();
    graph->m_operatorsByName = sortedByName<OpId>(b.operators);
    graph->m_tensorsByName = sortedByName<TensorId>(b.tensors);
    graph->m_operators = std::move(b.operators);
    graph->m_tensors = std::move(b.tensors);
    graph->m_inputs = std::move(b.inputs);
    graph->m_outputs = std::move(b.outputs);
    graph->m_omissions = std::move(b.omissions);
    graph->m_info = std::move(b.info);
    graph->m_constantNetwork = std::move(b.constantNetwork);
    return std::shared_ptr<const Graph>(std::move(graph));
}

} // namespace arenascope
