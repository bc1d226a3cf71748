// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/graph_run.h"

#include "core/src/import/onnx/folding.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

/// A tensor in a body counts at most this much, so that the sum over all tensors that fit into a file cannot overflow.
constexpr Bytes kMaxCounted = Bytes{1} << 40;

std::string nameOf(const onnx::NodeProto& node)
{
    return node.name().empty() ? node.op_type() : node.name();
}

ValueInfo initializerValue(const Slot& slot)
{
    ValueInfo info;
    info.isConstant = true;
    if (slot.initializer != nullptr) {
        info.type = elementTypeFromOnnx(slot.initializer->data_type());
        info.value = tensorBytes(*slot.initializer);
        info.shape.rankKnown = true;
        info.shape.dims.assign(slot.initializer->dims().begin(), slot.initializer->dims().end());
    } else if (slot.sparse != nullptr) {
        info.type = elementTypeFromOnnx(slot.sparse->values().data_type());
        info.shape.rankKnown = true;
        info.shape.dims.assign(slot.sparse->dims().begin(), slot.sparse->dims().end());
    }
    for (std::int64_t& dim : info.shape.dims)
        dim = std::max(dim, kUnknownDim); // nonsense below -1 is as good as unknown
    return info;
}

class Runner {
public:
    Runner(RunContext& context, GraphRun& run, const GraphRun* outer) : m_context(context), m_run(run), m_outer(outer)
    {
    }

    Status start(std::span<const ValueInfo> formalInputs);
    Status nodes();

private:
    void node(std::int32_t index);
    std::vector<const ValueInfo*> inputsOf(const NodeLinks& links) const;
    bool readsConstantsOnly(const NodeLinks& links) const;
    bool outputsShapeStatic(const NodeLinks& links) const;
    InferenceOutcome infer(const NodeLinks& links, NodeState& state);
    std::vector<ValueInfo> runBody(const NodeLinks& links, const onnx::GraphProto& body,
                                   std::span<const ValueInfo> inputs, NodeState& state);
    void runUnaskedBodies(const NodeLinks& links, NodeState& state);
    void report(const NodeLinks& links, const InferenceOutcome& outcome);
    void settle(std::int32_t slot, ValueInfo info, const NodeLinks& links);
    void mergeDeclared(ValueInfo& info, const Slot& slot, const NodeLinks& links);
    const Slot& slot(std::int32_t index) const { return m_run.scope->slots[static_cast<std::size_t>(index)]; }
    SlotState& state(std::int32_t index) { return m_run.slots[static_cast<std::size_t>(index)]; }

    RunContext& m_context;
    GraphRun& m_run;
    const GraphRun* m_outer;
};

Status Runner::start(std::span<const ValueInfo> formalInputs)
{
    m_run.slots.resize(m_run.scope->slots.size());
    m_run.nodes.resize(m_run.scope->nodes.size());
    for (std::size_t i = 0; i < m_run.slots.size(); ++i) {
        const Slot& slot = m_run.scope->slots[i];
        if (slot.origin == Origin::Initializer)
            m_run.slots[i] = {initializerValue(slot), true};
        else if (slot.origin == Origin::Outer)
            m_run.slots[i] = m_outer->slots[static_cast<std::size_t>(slot.outerSlot)];
    }
    for (std::size_t i = 0; i < m_run.scope->inputs.size(); ++i) {
        const std::int32_t index = m_run.scope->inputs[i];
        const onnx::TypeProto* declared = slot(index).declared;
        ValueInfo info;
        if (m_outer == nullptr) {
            auto bound = m_context.dims.input(std::string(slot(index).name),
                                              declared != nullptr ? *declared : onnx::TypeProto::default_instance());
            if (!bound)
                return bound.error();
            info = std::move(*bound);
        } else {
            info = i < formalInputs.size() ? formalInputs[i] : ValueInfo();
            mergeDeclared(info, slot(index), NodeLinks());
        }
        info.isConstant = false;
        const bool isStatic = info.shape.isStatic();
        state(index) = {std::move(info), isStatic};
    }
    return Ok{};
}

Status Runner::nodes()
{
    const auto& order = m_run.scope->order;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (m_context.stop.stop_requested())
            return Error{ErrorCode::Cancelled, {}, {}};
        if (m_outer == nullptr && m_context.progress)
            m_context.progress(0.5 + 0.5 * static_cast<double>(i) / static_cast<double>(order.size()), "shapes");
        node(order[i]);
    }
    return Ok{};
}

std::vector<const ValueInfo*> Runner::inputsOf(const NodeLinks& links) const
{
    std::vector<const ValueInfo*> inputs;
    inputs.reserve(links.inputs.size());
    for (const std::int32_t slot : links.inputs)
        inputs.push_back(slot < 0 ? nullptr : &m_run.value(slot));
    return inputs;
}

bool Runner::readsConstantsOnly(const NodeLinks& links) const
{
    const auto isConstant = [this](std::int32_t slot) { return slot < 0 || m_run.value(slot).isConstant; };
    const auto isRandom = [](const std::unique_ptr<Scope>& body) { return body->isRandom; };
    return !isRandomKind(links.node->op_type()) && std::ranges::none_of(links.bodies, isRandom)
        && std::ranges::all_of(links.inputs, isConstant) && std::ranges::all_of(links.captures, isConstant);
}

bool Runner::outputsShapeStatic(const NodeLinks& links) const
{
    const std::string& kind = links.node->op_type();
    if (hasDataDependentShape(kind))
        return false;
    for (std::size_t i = 0; i < links.inputs.size(); ++i) {
        if (links.inputs[i] < 0)
            continue;
        const SlotState& input = m_run.slots[static_cast<std::size_t>(links.inputs[i])];
        if (!input.isShapeStatic || (isShapeGiving(kind, i) && !input.info.isConstant))
            return false;
    }
    return true;
}

void Runner::node(std::int32_t index)
{
    const NodeLinks& links = m_run.scope->nodes[static_cast<std::size_t>(index)];
    NodeState& nodeState = m_run.nodes[static_cast<std::size_t>(index)];
    const std::string& kind = links.node->op_type();
    if (readsConstantsOnly(links))
        nodeState.fate = Fate::ConstantInputs;

    InferenceOutcome outcome = infer(links, nodeState);
    outcome.outputs.resize(links.outputs.size());
    if ((kind == "Shape" || kind == "Size") && nodeState.fate == Fate::Runs && !links.inputs.empty()
        && links.inputs[0] >= 0) {
        const SlotState& input = state(links.inputs[0]);
        if (input.isShapeStatic && input.info.shape.isStatic())
            nodeState.fate = Fate::StaticShape;
    }
    const bool isConstant = nodeState.fate != Fate::Runs;
    const bool isShapeStatic = isConstant || outputsShapeStatic(links);
    for (std::size_t i = 0; i < links.outputs.size(); ++i) {
        const std::int32_t slot = links.outputs[i];
        if (slot < 0)
            continue;
        settle(slot, std::move(outcome.outputs[i]), links);
        state(slot).info.isConstant = isConstant;
        state(slot).isShapeStatic = isShapeStatic;
    }
    report(links, outcome);
}

InferenceOutcome Runner::infer(const NodeLinks& links, NodeState& nodeState)
{
    const std::vector<const ValueInfo*> inputs = inputsOf(links);
    std::size_t asked = 0;
    const SubgraphInference body = [&](const onnx::GraphProto& graph, std::span<const ValueInfo> formal) {
        ++asked;
        return runBody(links, graph, formal, nodeState);
    };
    InferenceOutcome outcome = inferNode(*links.node, inputs, m_context.opsetsOf(*links.node), body);
    if (asked == 0)
        runUnaskedBodies(links, nodeState);
    nodeState.isKnown = outcome.operatorKnown;
    return outcome;
}

std::vector<ValueInfo> Runner::runBody(const NodeLinks& links, const onnx::GraphProto& body,
                                       std::span<const ValueInfo> inputs, NodeState& nodeState)
{
    const auto it = std::ranges::find_if(links.bodies, [&](const auto& scope) { return scope->graph == &body; });
    if (it == links.bodies.end())
        return {};
    std::vector<ValueInfo> outputs((*it)->outputs.size());
    m_context.bodyNodes += std::ssize((*it)->nodes) + 1;
    if (m_context.bodyNodes > kMaxBodyNodes) {
        m_context.findings.add(Severity::Warning,
                               Error{ErrorCode::TooLarge, "operator '" + nameOf(*links.node) + "'",
                                     {"the number of operators in bodies within bodies", std::to_string(kMaxBodyNodes)}});
        return outputs;
    }
    GraphRun inner{.scope = it->get(), .slots = {}, .nodes = {}};
    Runner runner(m_context, inner, &m_run);
    if (!runner.start(inputs) || !runner.nodes())
        return outputs; // cancelled: the walk around stops at its next operator
    for (std::size_t i = 0; i < outputs.size(); ++i)
        outputs[i] = inner.value((*it)->outputs[i]);
    nodeState.workspace = std::max(nodeState.workspace, livePeak(inner));
    return outputs;
}

void Runner::runUnaskedBodies(const NodeLinks& links, NodeState& nodeState)
{
    for (const auto& scope : links.bodies)
        runBody(links, *scope->graph, {}, nodeState);
}

void Runner::report(const NodeLinks& links, const InferenceOutcome& outcome)
{
    const onnx::NodeProto& node = *links.node;
    if (!outcome.operatorKnown) {
        const Opsets& opsets = m_context.opsetsOf(node);
        const auto opset = opsets.find(node.domain() == "ai.onnx" ? std::string() : node.domain());
        m_context.findings.add(
            Severity::Warning,
            Error{ErrorCode::UnknownOperator, {},
                  {node.op_type(), node.domain().empty() ? "ai.onnx" : node.domain(),
                   opset == opsets.end() ? std::string("?") : std::to_string(opset->second)}});
    }
    if (!outcome.problem.empty())
        m_context.findings.add(Severity::Warning, Error{ErrorCode::ShapeMismatch, {}, {nameOf(node), outcome.problem}});
}

void Runner::mergeDeclared(ValueInfo& info, const Slot& slot, const NodeLinks& links)
{
    if (slot.declared == nullptr)
        return;
    ValueInfo declared = m_context.dims.declared(*slot.declared);
    if (info.otherKind.empty() && info.type == ElementType::Undefined && !info.shape.rankKnown)
        info.otherKind = declared.otherKind;
    if (info.type == ElementType::Undefined)
        info.type = declared.type;
    // What the file declares was true for the shapes that the file has: no use once an option has changed those.
    if (!declared.shape.rankKnown || m_context.dims.overridesFile())
        return;
    if (!info.shape.rankKnown) {
        info.shape = std::move(declared.shape);
        return;
    }
    bool contradicts = info.shape.dims.size() != declared.shape.dims.size();
    for (std::size_t i = 0; i < info.shape.dims.size() && !contradicts; ++i) {
        std::int64_t& extent = info.shape.dims[i];
        const std::int64_t said = declared.shape.dims[i];
        if (said <= 0) // exporters write 0 for "any"
            continue;
        contradicts = extent != kUnknownDim && extent != said;
        if (extent == kUnknownDim)
            extent = said;
    }
    if (!contradicts || links.node == nullptr)
        return;
    m_context.findings.add(Severity::Warning,
                           Error{ErrorCode::BadShape, "tensor '" + std::string(slot.name) + "'",
                                 {std::string(slot.name),
                                  "the file says " + toString(declared.shape) + ", but '" + nameOf(*links.node)
                                      + "' makes " + toString(info.shape) + ", which is taken"}});
}

void Runner::settle(std::int32_t index, ValueInfo info, const NodeLinks& links)
{
    mergeDeclared(info, slot(index), links);
    if (m_outer == nullptr) {
        if (auto given = m_context.dims.given(std::string(slot(index).name)))
            info.shape = std::move(*given);
    }
    state(index).info = std::move(info);
}

} // namespace

bool GraphRun::isActivation(std::int32_t slot) const
{
    const Slot& named = scope->slots[static_cast<std::size_t>(slot)];
    if (named.origin == Origin::Input)
        return true;
    return named.origin == Origin::Node && nodes[static_cast<std::size_t>(named.producer)].fate == Fate::Runs;
}

std::optional<Bytes> byteSize(const ValueInfo& value)
{
    if (!value.otherKind.empty() || value.type == ElementType::String)
        return Bytes{0};
    const int bits = bitsPerElement(value.type);
    const auto count = value.shape.elementCount();
    if (bits == 0 || !count)
        return std::nullopt;
    const auto total = checkedMultiply(*count, bits);
    if (!total)
        return std::nullopt;
    return (*total + 7) / 8;
}

const Opsets& RunContext::opsetsOf(const onnx::NodeProto& node) const
{
    const auto it = nodeOpsets.find(&node);
    return it == nodeOpsets.end() ? opsets : *it->second;
}

Bytes livePeak(const GraphRun& run)
{
    const Scope& scope = *run.scope;
    std::vector<std::int64_t> stepOf(scope.nodes.size(), -1);
    std::int64_t steps = 0;
    for (const std::int32_t node : scope.order) {
        if (run.nodes[static_cast<std::size_t>(node)].fate == Fate::Runs)
            stepOf[static_cast<std::size_t>(node)] = steps++;
    }
    std::vector<std::int64_t> lastUse(scope.slots.size(), -1);
    for (std::size_t i = 0; i < scope.nodes.size(); ++i) {
        const auto read = [&](std::int32_t slot) {
            if (slot >= 0)
                lastUse[static_cast<std::size_t>(slot)] = std::max(lastUse[static_cast<std::size_t>(slot)], stepOf[i]);
        };
        std::ranges::for_each(scope.nodes[i].inputs, read);
        std::ranges::for_each(scope.nodes[i].captures, read);
    }
    for (const std::int32_t output : scope.outputs)
        lastUse[static_cast<std::size_t>(output)] = std::max<std::int64_t>(steps - 1, 0);

    std::vector<Bytes> change(static_cast<std::size_t>(steps) + 2, 0); // live bytes rise and fall at these steps
    const auto live = [&](std::int64_t begin, std::int64_t last, Bytes bytes) {
        change[static_cast<std::size_t>(begin)] += bytes;
        change[static_cast<std::size_t>(std::max(begin, last)) + 1] -= bytes;
    };
    for (std::size_t i = 0; i < scope.slots.size(); ++i) {
        const auto slot = static_cast<std::int32_t>(i);
        if (!run.isActivation(slot))
            continue;
        const std::int32_t producer = scope.slots[i].producer;
        const Bytes bytes = std::min(byteSize(run.value(slot)).value_or(0), kMaxCounted);
        live(producer < 0 ? 0 : stepOf[static_cast<std::size_t>(producer)], lastUse[i], bytes);
    }
    for (std::size_t i = 0; i < scope.nodes.size(); ++i) {
        if (stepOf[i] >= 0)
            live(stepOf[i], stepOf[i], std::min(run.nodes[i].workspace, kMaxCounted));
    }
    Bytes now = 0;
    Bytes peak = 0;
    for (const Bytes step : change) {
        now += step;
        peak = std::max(peak, now);
    }
    return peak;
}

Result<GraphRun> runGraph(RunContext& context, const Scope& scope)
{
    GraphRun run{.scope = &scope, .slots = {}, .nodes = {}};
    Runner runner(context, run, nullptr);
    if (auto started = runner.start({}); !started)
        return started.error();
    if (auto done = runner.nodes(); !done)
        return done.error();
    return run;
}

} // namespace arenascope::onnx_import
