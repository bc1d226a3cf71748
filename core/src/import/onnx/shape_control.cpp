// SPDX-License-Identifier: MIT
// Operators whose body is a graph: If, Loop, Scan. What happens inside is asked back from the importer.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

/// A loop-carried shape may grow from round to round; after this many its changing extents are given up.
constexpr int kMaxRounds = 4;

const onnx::GraphProto& bodyOf(NodeContext& c, std::string_view name)
{
    const onnx::GraphProto* body = c.graphAttribute(name);
    if (!body)
        failInference(fmt::format("the graph {} is missing", name));
    return *body;
}

/// Type and shape alone: what a body's input is known to be in every round.
ValueInfo withoutContent(ValueInfo value)
{
    value.value.reset();
    value.partialValue.clear();
    value.isConstant = false;
    return value;
}

ValueInfo scalarOf(ElementType type)
{
    ValueInfo value;
    value.type = type;
    value.shape = Shape::of({});
    return value;
}

/// What holds for both shapes: extents that differ are unknown.
Shape commonShape(const Shape& a, const Shape& b)
{
    if (!a.rankKnown || !b.rankKnown || a.dims.size() != b.dims.size())
        return {};
    Shape common = Shape::of(a.dims);
    if (a.symbols == b.symbols)
        common.symbols = a.symbols;
    for (std::size_t d = 0; d < a.dims.size(); ++d) {
        if (a.dims[d] != b.dims[d])
            common.dims[d] = kUnknownDim;
    }
    return common;
}

ValueInfo commonValue(const ValueInfo& a, const ValueInfo& b)
{
    ValueInfo common;
    common.type = a.type != Undefined ? a.type : b.type;
    common.shape = commonShape(a.shape, b.shape);
    // An optional sequence that goes in may come out as a sequence: what comes out counts.
    common.otherKind = b.otherKind;
    return common;
}

bool ifRule(NodeContext& c)
{
    const onnx::GraphProto& thenBody = bodyOf(c, "then_branch");
    const onnx::GraphProto& elseBody = bodyOf(c, "else_branch");
    const std::vector<ValueInfo> thenOutputs = c.runSubgraph(thenBody, {});
    const std::vector<ValueInfo> elseOutputs = c.runSubgraph(elseBody, {});
    const auto condition = c.integerOf(0);
    // A branch that cannot run with these shapes will not be the one that is taken.
    const bool decided = condition && c.input(0)->isConstant;
    const bool onlyThen = decided ? *condition != 0 : elseOutputs.empty();
    const bool onlyElse = decided ? *condition == 0 : thenOutputs.empty();
    for (std::size_t o = 0; o < c.outputCount(); ++o) {
        if (onlyThen && o < thenOutputs.size())
            c.setOutput(o, withoutContent(thenOutputs[o]));
        else if (onlyElse && o < elseOutputs.size())
            c.setOutput(o, withoutContent(elseOutputs[o]));
        else if (o < thenOutputs.size() && o < elseOutputs.size())
            c.setOutput(o, commonValue(thenOutputs[o], elseOutputs[o]));
    }
    return true;
}

/// Shape of an element with a dimension for the rounds put in.
void setStacked(NodeContext& c, std::size_t o, const ValueInfo& element, std::int64_t axis, std::int64_t rounds)
{
    c.setType(o, element.type);
    if (!element.shape.rankKnown)
        return;
    Dims dims = element.shape.dims;
    const std::size_t position = normalizedAxis(axis, dims.size() + 1);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(position), rounds);
    c.setDims(o, std::move(dims));
}

/// Runs a body until the shapes of its first `carried` inputs (from `first` on), fed by its outputs (from
/// `firstOutput` on), no longer change. Returns the body's outputs; `inputs` then hold for every round.
std::vector<ValueInfo> settle(NodeContext& c, const onnx::GraphProto& body, std::vector<ValueInfo>& inputs,
                              std::size_t first, std::size_t firstOutput, std::size_t carried)
{
    std::vector<ValueInfo> outputs;
    for (int round = 0; round < kMaxRounds; ++round) {
        outputs = c.runSubgraph(body, inputs);
        bool changed = false;
        for (std::size_t i = 0; i < carried && firstOutput + i < outputs.size(); ++i) {
            ValueInfo& state = inputs[first + i];
            ValueInfo common = commonValue(state, outputs[firstOutput + i]);
            changed = changed || common.shape != state.shape;
            if (round + 1 == kMaxRounds && common.shape != state.shape)
                common.shape = {};
            state = std::move(common);
        }
        if (!changed)
            break;
    }
    return outputs;
}

/// Rounds of a loop where the body never stops it early.
std::int64_t tripCount(NodeContext& c, const std::vector<ValueInfo>& bodyOutputs)
{
    const auto count = c.integerOf(0);
    const auto start = c.hasInput(1) ? c.integerOf(1) : std::optional<std::int64_t>(1);
    if (start && *start == 0)
        return 0;
    const auto goesOn = bodyOutputs.empty() ? std::nullopt : integers(bodyOutputs[0]);
    const bool forever = start && goesOn && goesOn->size() == 1 && (*goesOn)[0] != 0;
    return count && forever ? std::max<std::int64_t>(*count, 0) : kUnknownDim;
}

bool loop(NodeContext& c)
{
    const onnx::GraphProto& body = bodyOf(c, "body");
    const std::size_t carried = c.inputCount() > 2 ? c.inputCount() - 2 : 0;
    std::vector<ValueInfo> inputs{scalarOf(Int64), scalarOf(Bool)};
    for (std::size_t i = 0; i < carried; ++i)
        inputs.push_back(c.input(i + 2) ? withoutContent(*c.input(i + 2)) : ValueInfo());
    const std::vector<ValueInfo> outputs = settle(c, body, inputs, 2, 1, carried);
    const std::int64_t rounds = tripCount(c, outputs);
    for (std::size_t o = 0; o < c.outputCount() && o + 1 < outputs.size(); ++o) {
        if (o < carried)
            c.setOutput(o, inputs[o + 2]);
        else
            setStacked(c, o, outputs[o + 1], 0, rounds);
    }
    return true;
}

/// Takes the dimension at `axis` out of a shape and says its extent.
std::int64_t takeDimension(ValueInfo& value, std::int64_t axis)
{
    if (!value.shape.rankKnown)
        return kUnknownDim;
    const auto position = static_cast<std::ptrdiff_t>(normalizedAxis(axis, value.shape.dims.size()));
    const std::int64_t extent = value.shape.dims[static_cast<std::size_t>(position)];
    value.shape.dims.erase(value.shape.dims.begin() + position);
    if (!value.shape.symbols.empty())
        value.shape.symbols.erase(value.shape.symbols.begin() + position);
    return extent;
}

std::int64_t axisAt(const std::optional<std::vector<std::int64_t>>& axes, std::size_t i)
{
    return axes && i < axes->size() ? (*axes)[i] : 0;
}

/// Opset 9 and later: states, then scanned inputs. Before, everything had a batch dimension in front and the inputs
/// began with the optional lengths.
bool scan(NodeContext& c)
{
    const onnx::GraphProto& body = bodyOf(c, "body");
    const bool batched = c.opset() < 9;
    const std::size_t first = batched ? 1 : 0;
    const std::int64_t wantedScans = c.intAttribute("num_scan_inputs", 0);
    if (c.inputCount() < first || wantedScans < 1 || wantedScans > static_cast<std::int64_t>(c.inputCount() - first))
        failInference("num_scan_inputs does not fit the inputs");
    const auto scans = static_cast<std::size_t>(wantedScans);
    const std::size_t states = c.inputCount() - first - scans;
    const auto axes = c.intsAttribute("scan_input_axes");
    const auto outputAxes = c.intsAttribute("scan_output_axes");
    std::int64_t rounds = kUnknownDim;
    std::int64_t batch = kUnknownDim;
    std::vector<ValueInfo> inputs;
    for (std::size_t i = 0; i < states + scans; ++i) {
        ValueInfo value = c.input(first + i) ? withoutContent(*c.input(first + i)) : ValueInfo();
        if (batched)
            batch = mergeExtents(batch, takeDimension(value, 0));
        if (i >= states)
            rounds = mergeExtents(rounds, takeDimension(value, batched ? 0 : axisAt(axes, i - states)));
        inputs.push_back(std::move(value));
    }
    const std::vector<ValueInfo> outputs = settle(c, body, inputs, 0, 0, states);
    for (std::size_t o = 0; o < c.outputCount() && o < outputs.size(); ++o) {
        if (o >= states)
            setStacked(c, o, outputs[o], batched ? 0 : axisAt(outputAxes, o - states), rounds);
        else
            c.setOutput(o, inputs[o]);
        ValueInfo* made = c.output(o);
        if (batched && made->shape.rankKnown)
            setStacked(c, o, ValueInfo(*made), 0, batch);
    }
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    {"If", ifRule},
    {"Loop", loop},
    {"Scan", scan},
};

} // namespace

std::span<const ShapeRuleEntry> controlRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
