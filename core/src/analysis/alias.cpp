// SPDX-License-Identifier: MIT
#include <arenascope/alias.h>

#include "core/src/analysis/layer_kinds.h"
#include "core/src/analysis/part_joiner.h"
#include "core/src/graph/precedence.h"

#include <algorithm>
#include <iterator>

namespace arenascope {

namespace {

constexpr std::string_view kViewKinds[] = {
    "Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze", // ONNX
    "EXPAND_DIMS", "RESHAPE", "SQUEEZE",                                 // TensorFlow Lite
};

// Operators that any kernel can run element by element; Softmax, norms, LRN, Cast and quantise kinds are not among them.
constexpr std::string_view kInPlaceKinds[] = {
    "Relu", "LeakyRelu", "PRelu", "ThresholdedRelu", "Clip", "Sigmoid", "HardSigmoid", "HardSwish", "Tanh", "Elu", "Selu",
    "Celu", "Softplus", "Softsign", "Mish", "Swish", "Gelu", "Erf", "Exp", "Log", "Sqrt", "Pow", "Reciprocal", "Neg", "Abs",
    "Sign", "Sin", "Cos", "Floor", "Ceil", "Round", "Add", "Sub", "Mul", "Div", "Mod", "Sum", "Mean", "Max", "Min", "Where",
    "Not", "And", "Or", "Xor", "BatchNormalization", "Affine", // ONNX; Affine: up to opset 10, alpha * x + beta
    "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "LEAKY_RELU", "PRELU", "LOGISTIC", "TANH", "ELU", "HARD_SWISH", "GELU", "ADD", "SUB",
    "MUL", "DIV", "ABS", "NEG", "EXP", "SQRT", "RSQRT", // TensorFlow Lite
};

// Kinds whose further operands are parameters, not data.
constexpr std::string_view kOneOperandKinds[] = {
    "BatchNormalization", "Clip", "LeakyRelu", "PRelu", "LEAKY_RELU", "PRELU",
};

template <class Names>
bool contains(const Names& names, std::string_view name)
{
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool isBuiltIn(const Operator& op)
{
    return op.domain.empty() || op.domain == "ai.onnx";
}

std::int64_t integerAttribute(const Operator& op, std::string_view name)
{
    const auto found = op.attributes.find(name);
    if (found == op.attributes.end())
        return 0;
    const auto* value = std::get_if<std::int64_t>(&found->second);
    return value ? *value : 0;
}

// Dropout drops only where its third input (opset 12 and later) says that this is training.
bool isInferenceDropout(const Graph& graph, const Operator& op)
{
    if (op.inputs.size() < 3 || !op.inputs[2].isValid())
        return true;
    const std::optional<TensorSource>& source = graph.tensor(op.inputs[2]).source;
    return source && source->inlineBytes.size() == 1 && source->inlineBytes.front() == std::byte(0);
}

bool isView(const Graph& graph, const Operator& op)
{
    if (const auto format = detail::layerFormatOf(graph); format != detail::LayerFormat::None)
        return !op.inputs.empty() && detail::layerBytes(format, op) == detail::LayerBytes::View;
    if (!isBuiltIn(op) || !isViewKind(op.kind) || op.inputs.empty() || op.outputs.empty())
        return false;
    return op.kind != "Dropout" || isInferenceDropout(graph, op);
}

bool mayRunInPlace(const Graph& graph, const Operator& op)
{
    if (const auto format = detail::layerFormatOf(graph); format != detail::LayerFormat::None)
        return !op.outputs.empty() && detail::layerBytes(format, op) == detail::LayerBytes::InPlace;
    if (!isBuiltIn(op) || !isInPlaceKind(op.kind) || op.outputs.empty())
        return false;
    if (op.kind != "BatchNormalization")
        return true;
    const auto named = std::count_if(op.outputs.begin(), op.outputs.end(), [](TensorId id) { return id.isValid(); });
    return named == 1 && integerAttribute(op, "training_mode") == 0;
}

// Grows groups while walking the schedule; what is known of a group is what has run so far.
class Grouper {
public:
    /// `precedence`: null where operators run as scheduled.
    Grouper(const Graph& graph, const Schedule& schedule, AliasMode mode, const detail::Precedence* precedence)
        : m_graph(graph), m_schedule(schedule), m_precedence(precedence)
    {
        m_result.mode = mode;
        m_result.groupOf.assign(graph.tensors().size(), -1);
    }

    AliasGroups run()
    {
        for (std::size_t i = 0; i < m_graph.tensors().size(); ++i) {
            const Tensor& tensor = m_graph.tensors()[i];
            const bool isUsedScratch = tensor.role == TensorRole::Scratch && (!tensor.consumers.empty() || tensor.isOutput);
            if (tensor.role == TensorRole::Input || isUsedScratch)
                begin(TensorId::fromIndex(i));
        }
        for (std::size_t step = 0; step < m_schedule.order.size(); ++step)
            addOutputs(m_graph.op(m_schedule.order[step]), static_cast<Step>(step));
        return std::move(m_result);
    }

private:
    struct GroupState {
        Step lastRead = -1;
        bool isFixed = false; ///< holds a network input, output or scratch: nothing may be written over it
        std::vector<OpId> readers; ///< of what was written last, where the schedule does not order them
    };

    void begin(TensorId tensor)
    {
        m_result.groupOf[tensor.index()] = static_cast<std::int32_t>(m_result.groups.size());
        m_result.groups.emplace_back();
        m_state.emplace_back();
        add(tensor, AliasReason::Alone, {});
    }

    void add(TensorId tensor, AliasReason reason, TensorId sharesWith)
    {
        const Tensor& t = m_graph.tensor(tensor);
        const std::int32_t index = sharesWith.isValid() ? groupOf(sharesWith) : groupOf(tensor);
        m_result.groupOf[tensor.index()] = index;
        AliasGroup& group = m_result.groups[static_cast<std::size_t>(index)];
        const bool isKnown = t.bytes >= 0 && group.bytes >= 0;
        group.bytes = isKnown ? std::max(group.bytes, t.bytes) : kUnknownBytes;
        group.members.push_back({tensor, 0, reason, sharesWith});
        GroupState& state = m_state[static_cast<std::size_t>(index)];
        state.isFixed = state.isFixed || t.role == TensorRole::Input || t.role == TensorRole::Scratch || t.isOutput;
        for (const OpId consumer : t.consumers)
            state.lastRead = std::max(state.lastRead, m_schedule.stepOf[consumer.index()]);
        if (!m_precedence)
            return;
        if (reason == AliasReason::InPlace) // all readers before come before this operator, and so before what comes after it
            state.readers.clear();
        state.readers.insert(state.readers.end(), t.consumers.begin(), t.consumers.end());
    }

    void addOutputs(const Operator& op, Step step)
    {
        for (std::size_t i = 0; i < op.outputs.size(); ++i) {
            const TensorId output = op.outputs[i];
            if (!output.isValid() || !m_graph.tensor(output).isActivation())
                continue;
            const bool mayJoin = i == 0 || joinsAllOutputs(op);
            const AliasMember joined = mayJoin ? partner(op, output, step) : AliasMember{};
            if (joined.sharesWith.isValid())
                add(output, joined.reason, joined.sharesWith);
            else
                begin(output);
        }
    }

    /// A Split of Caffe or ncnn hands its input out under several names (elsewhere a Split cuts).
    bool joinsAllOutputs(const Operator& op) const
    {
        return m_layers != detail::LayerFormat::None && detail::layerBytes(m_layers, op) == detail::LayerBytes::View;
    }

    /// The tensor that this output of `op` joins, and why; invalid: none.
    AliasMember partner(const Operator& op, TensorId output, Step step) const
    {
        const AliasMode mode = m_result.mode;
        if (mode != AliasMode::None && isView(m_graph, op)) {
            const TensorId input = op.inputs.front();
            if (input.isValid() && groupOf(input) >= 0)
                return {output, 0, AliasReason::View, input};
        }
        const bool mayOverwrite = mode == AliasMode::InPlace || mode == AliasMode::All;
        if (!mayOverwrite || !mayRunInPlace(m_graph, op))
            return {};
        const std::size_t operands = contains(kOneOperandKinds, op.kind) ? 1 : op.inputs.size();
        for (std::size_t i = 0; i < std::min(operands, op.inputs.size()); ++i) {
            if (isOverwritable(op.inputs[i], output, step))
                return {output, 0, AliasReason::InPlace, op.inputs[i]};
        }
        return {};
    }

    // Members that join later cannot undo this: they would have to read the group after `step`.
    bool isOverwritable(TensorId operand, TensorId output, Step step) const
    {
        if (!operand.isValid() || groupOf(operand) < 0)
            return false;
        const Bytes bytes = m_graph.tensor(output).bytes;
        if (bytes < 0 || m_graph.tensor(operand).bytes != bytes)
            return false;
        const GroupState& state = m_state[static_cast<std::size_t>(groupOf(operand))];
        if (state.isFixed || state.lastRead != step)
            return false;
        const OpId op = m_schedule.order[static_cast<std::size_t>(step)];
        return !m_precedence || std::all_of(state.readers.begin(), state.readers.end(), [&](OpId reader) {
            return reader == op || m_precedence->isBefore(reader, op);
        });
    }

    std::int32_t groupOf(TensorId tensor) const { return m_result.groupOf[tensor.index()]; }

    const Graph& m_graph;
    const Schedule& m_schedule;
    const detail::Precedence* m_precedence;
    const detail::LayerFormat m_layers = detail::layerFormatOf(m_graph);
    AliasGroups m_result;
    std::vector<GroupState> m_state; ///< by group
};

} // namespace

std::string_view aliasName(AliasMode mode)
{
    switch (mode) {
    case AliasMode::None: return "none";
    case AliasMode::Views: return "views";
    case AliasMode::InPlace: return "inplace";
    case AliasMode::All: return "all";
    }
    return "unknown";
}

std::optional<AliasMode> aliasFromName(std::string_view name)
{
    for (const AliasMode mode : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All}) {
        if (aliasName(mode) == name)
            return mode;
    }
    return std::nullopt;
}

bool isViewKind(std::string_view kind)
{
    return contains(kViewKinds, kind);
}

bool isInPlaceKind(std::string_view kind)
{
    return contains(kInPlaceKinds, kind);
}

AliasGroups makeAliasGroups(const Graph& graph, const Schedule& schedule, AliasMode mode, const PeakOptions& options,
                            Concurrency concurrency)
{
    std::optional<detail::Precedence> precedence;
    const bool overwrites = mode == AliasMode::InPlace || mode == AliasMode::All;
    if (overwrites && concurrency == Concurrency::Parallel) {
        auto made = detail::Precedence::of(graph, schedule);
        if (!made) // refused where the problem is made
            return Grouper(graph, schedule, AliasMode::Views, nullptr).run();
        precedence = *std::move(made);
    }
    const detail::Precedence* order = precedence ? &*precedence : nullptr;
    AliasGroups groups = Grouper(graph, schedule, mode, order).run();
    if (mode == AliasMode::All)
        return detail::joinParts(graph, schedule, std::move(groups), options, order);
    return groups;
}

} // namespace arenascope
