// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/graph_run.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

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
    /// `isBranch`: the graph is one of an If's, so that it need not fit: the other one may be taken.
    Runner(RunContext& context, Findings& findings, GraphRun& run, const GraphRun* outer, bool isBranch)
        : m_context(context), m_findings(findings), m_run(run), m_outer(outer), m_isBranch(isBranch)
    {
    }

    Status start(std::span<const ValueInfo> formalInputs);
    Status nodes();
    /// Whether every operator so far could work with what it reads.
    bool fits() const { return m_fits; }

private:
    /// What one walk over a body gave.
    struct BodyResult {
        const Scope* scope = nullptr;
        std::vector<ValueInfo> outputs;
        bool fits = true;
        Bytes peak = 0;
        Diagnostics findings;
    };

    void node(std::int32_t index);
    std::vector<const ValueInfo*> inputsOf(const NodeLinks& links) const;
    bool readsConstantsOnly(const NodeLinks& links) const;
    InferenceOutcome infer(const NodeLinks& links, NodeState& state);
    BodyResult runBody(const NodeLinks& links, const Scope& body, std::span<const ValueInfo> inputs);
    /// Whether the first input, an If's condition, is a constant.
    bool isSettled(const NodeLinks& links) const
    {
        return !links.inputs.empty() && links.inputs[0] >= 0 && m_run.value(links.inputs[0]).isConstant;
    }
    const BodyResult* takenBranch(const NodeLinks& links, const std::vector<BodyResult>& bodies) const;
    void reportBodies(const NodeLinks& links, std::vector<BodyResult>& bodies, const BodyResult* taken);
    void useBranch(const BodyResult& taken, const NodeLinks& links, std::vector<ValueInfo>& outputs) const;
    static Bytes workspaceOf(const std::vector<BodyResult>& bodies);
    void report(const NodeLinks& links, const InferenceOutcome& outcome);
    void settle(std::int32_t slot, ValueInfo info, const NodeLinks& links);
    void mergeDeclared(ValueInfo& info, const Slot& slot, const NodeLinks& links);
    const Slot& slot(std::int32_t index) const { return m_run.scope->slots[static_cast<std::size_t>(index)]; }

    RunContext& m_context;
    Findings& m_findings; ///< of this graph
    GraphRun& m_run;
    const GraphRun* m_outer;
    bool m_isBranch;
    bool m_fits = true;
};

Status Runner::start(std::span<const ValueInfo> formalInputs)
{
    m_run.values.resize(m_run.scope->slots.size());
    m_run.nodes.resize(m_run.scope->nodes.size());
    for (std::size_t i = 0; i < m_run.values.size(); ++i) {
        const Slot& slot = m_run.scope->slots[i];
        if (slot.origin == Origin::Initializer)
            m_run.values[i] = initializerValue(slot);
        else if (slot.origin == Origin::Outer)
            m_run.values[i] = m_outer->value(slot.outerSlot);
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
        info.isDynamic = info.isDynamic || !info.shape.isStatic();
        m_run.value(index) = std::move(info);
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

void Runner::node(std::int32_t index)
{
    const NodeLinks& links = m_run.scope->nodes[static_cast<std::size_t>(index)];
    NodeState& nodeState = m_run.nodes[static_cast<std::size_t>(index)];
    const std::string& kind = links.node->op_type();
    if (readsConstantsOnly(links))
        nodeState.fate = Fate::ConstantInputs;

    InferenceOutcome outcome = infer(links, nodeState);
    outcome.outputs.resize(links.outputs.size());
    report(links, outcome);
    // Inference knows when Shape and Size are settled; what else reads constants only is constant whatever it is.
    const bool isShape = kind == "Shape" || kind == "Size";
    if (isShape && nodeState.fate == Fate::Runs && !outcome.outputs.empty() && outcome.outputs[0].isConstant)
        nodeState.fate = Fate::StaticShape;
    const bool isConstant = nodeState.fate != Fate::Runs;
    for (std::size_t i = 0; i < links.outputs.size(); ++i) {
        const std::int32_t slot = links.outputs[i];
        if (slot < 0)
            continue;
        settle(slot, std::move(outcome.outputs[i]), links);
        m_run.value(slot).isConstant = isConstant;
        if (isConstant)
            m_run.value(slot).isDynamic = false;
    }
}

InferenceOutcome Runner::infer(const NodeLinks& links, NodeState& nodeState)
{
    const std::vector<const ValueInfo*> inputs = inputsOf(links);
    std::vector<BodyResult> bodies;
    const SubgraphInference body = [&](const onnx::GraphProto& graph, std::span<const ValueInfo> formal) {
        const auto it = std::ranges::find_if(links.bodies, [&](const auto& scope) { return scope->graph == &graph; });
        if (it == links.bodies.end())
            return std::vector<ValueInfo>();
        bodies.push_back(runBody(links, **it, formal));
        return bodies.back().outputs;
    };
    InferenceOutcome outcome = inferNode(*links.node, inputs, m_context.opsetsOf(*links.node), body);
    for (const auto& scope : links.bodies) { // those that inference did not ask for
        if (std::ranges::find(bodies, scope.get(), &BodyResult::scope) == bodies.end())
            bodies.push_back(runBody(links, *scope, {}));
    }
    const BodyResult* taken = links.node->op_type() == "If" ? takenBranch(links, bodies) : nullptr;
    if (taken != nullptr)
        useBranch(*taken, links, outcome.outputs);
    m_fits = m_fits && (taken != nullptr ? taken->fits : bodies.empty() || std::ranges::any_of(bodies, &BodyResult::fits));
    reportBodies(links, bodies, taken);
    nodeState.workspace = taken != nullptr ? taken->peak : workspaceOf(bodies);
    nodeState.isKnown = outcome.operatorKnown;
    return outcome;
}

Runner::BodyResult Runner::runBody(const NodeLinks& links, const Scope& body, std::span<const ValueInfo> inputs)
{
    BodyResult result;
    result.scope = &body;
    result.outputs.resize(body.outputs.size());
    m_context.bodyWork += std::ssize(body.nodes) + std::ssize(body.slots) + 1;
    if (m_context.bodyWork > kMaxBodyWork) {
        // Built in two steps: GCC 12 warns falsely of the bounds of a list that holds a sum of strings.
        std::vector<std::string> args{"the work for bodies within bodies", std::to_string(kMaxBodyWork)};
        args.back() += " operators and values";
        m_findings.add(Severity::Warning, Error{ErrorCode::TooLarge, "operator '" + nameOf(*links.node) + "'", args});
        return result;
    }
    GraphRun inner;
    inner.scope = &body;
    Findings findings;
    Runner runner(m_context, findings, inner, &m_run, links.node->op_type() == "If");
    if (!runner.start(inputs) || !runner.nodes())
        return result; // cancelled: the walk around stops at its next operator
    for (std::size_t i = 0; i < result.outputs.size(); ++i)
        result.outputs[i] = inner.value(body.outputs[i]);
    result.fits = runner.fits();
    result.peak = livePeak(inner);
    result.findings = findings.take();
    return result;
}

/// What is odd about a branch that is not taken is no news, only that it is not.
void Runner::reportBodies(const NodeLinks& links, std::vector<BodyResult>& bodies, const BodyResult* taken)
{
    for (BodyResult& body : bodies) {
        if (taken == nullptr || &body == taken) {
            m_findings.addAll(std::move(body.findings));
            continue;
        }
        const auto isProblem = [](const Diagnostic& d) { return d.error.code == ErrorCode::ShapeMismatch; };
        const auto isContradiction = [](const Diagnostic& d) { return d.error.code == ErrorCode::BadShape; };
        auto it = std::ranges::find_if(body.findings, isProblem);
        if (it == body.findings.end())
            it = std::ranges::find_if(body.findings, isContradiction);
        if (it == body.findings.end() || isSettled(links))
            continue;
        const std::string why = it->error.args[0] + ": " + it->error.args[1];
        m_findings.add(Severity::Note, Error{ErrorCode::ShapeMismatch, {},
                                             {nameOf(*links.node), "one of its branches cannot work with them ('" + why
                                                  + "'), so the other one is taken"}});
    }
}

/// The branch of an If that runs, where that is settled: by a constant condition, or because the other one cannot work
/// with these shapes (exporters write a branch for each sample rate, say, and the condition is an input).
const Runner::BodyResult* Runner::takenBranch(const NodeLinks& links, const std::vector<BodyResult>& bodies) const
{
    if (isSettled(links)) {
        const auto condition = integers(m_run.value(links.inputs[0]));
        const std::string_view wanted = condition && !condition->empty() && condition->front() == 0 ? "else_branch"
                                                                                                    : "then_branch";
        for (const auto& attribute : links.node->attribute()) {
            const auto isIt = [&](const BodyResult& body) { return body.scope->graph == &attribute.g(); };
            const auto it = std::ranges::find_if(bodies, isIt);
            if (condition && attribute.name() == wanted && it != bodies.end())
                return &*it;
        }
    }
    if (bodies.size() < 2 || std::ranges::count_if(bodies, &BodyResult::fits) != 1)
        return nullptr;
    return &*std::ranges::find_if(bodies, &BodyResult::fits);
}

void Runner::useBranch(const BodyResult& taken, const NodeLinks& links, std::vector<ValueInfo>& outputs) const
{
    for (std::size_t i = 0; i < outputs.size() && i < taken.outputs.size(); ++i) {
        outputs[i] = taken.outputs[i];
        outputs[i].value.reset();
        outputs[i].partialValue.clear();
        // By convention what an If of the network makes never counts as static. Inside of bodies the better answer
        // does no harm, and chains of nested Ifs hang on it.
        outputs[i].isDynamic = outputs[i].isDynamic || m_outer == nullptr || !isSettled(links);
    }
}

Bytes Runner::workspaceOf(const std::vector<BodyResult>& bodies)
{
    Bytes workspace = 0;
    for (const BodyResult& body : bodies)
        workspace = std::max(workspace, body.peak);
    return workspace;
}

void Runner::report(const NodeLinks& links, const InferenceOutcome& outcome)
{
    const onnx::NodeProto& node = *links.node;
    if (!outcome.operatorKnown) {
        const Opsets& opsets = m_context.opsetsOf(node);
        const auto opset = opsets.find(node.domain() == "ai.onnx" ? std::string() : node.domain());
        m_findings.add(
            Severity::Warning,
            Error{ErrorCode::UnknownOperator, {},
                  {node.op_type(), node.domain().empty() ? "ai.onnx" : node.domain(),
                   opset == opsets.end() ? std::string("?") : std::to_string(opset->second)}});
    }
    if (outcome.problem.empty())
        return;
    m_fits = false;
    m_findings.add(Severity::Warning, Error{ErrorCode::ShapeMismatch, {}, {nameOf(node), outcome.problem}});
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
    if (!contradicts || links.node == nullptr || !m_fits)
        return;
    m_fits = m_fits && !m_isBranch; // a branch written for other shapes than these
    m_findings.add(Severity::Warning,
                   Error{ErrorCode::BadShape, "tensor '" + std::string(slot.name) + "'",
                         {std::string(slot.name), "the file says " + toString(declared.shape) + ", but '"
                              + nameOf(*links.node) + "' makes " + toString(info.shape) + ", which is taken"}});
}

void Runner::settle(std::int32_t index, ValueInfo info, const NodeLinks& links)
{
    mergeDeclared(info, slot(index), links);
    if (m_outer == nullptr) {
        if (auto given = m_context.dims.given(std::string(slot(index).name)))
            info.shape = std::move(*given);
    }
    m_run.value(index) = std::move(info);
}

} // namespace

bool GraphRun::isActivation(std::int32_t slot) const
{
    const Slot& named = scope->slots[static_cast<std::size_t>(slot)];
    if (named.origin == Origin::Input)
        return true;
    return named.origin == Origin::Node && nodes[static_cast<std::size_t>(named.producer)].fate == Fate::Runs;
}

const Opsets& RunContext::opsetsOf(const onnx::NodeProto& node) const
{
    const auto it = nodeOpsets.find(&node);
    return it == nodeOpsets.end() ? opsets : *it->second;
}

Result<GraphRun> runGraph(RunContext& context, const Scope& scope)
{
    GraphRun run;
    run.scope = &scope;
    Runner runner(context, context.findings, run, nullptr, false);
    if (auto started = runner.start({}); !started)
        return started.error();
    if (auto done = runner.nodes(); !done)
        return done.error();
    return run;
}

} // namespace arenascope::onnx_import
