// SPDX-License-Identifier: MIT
// Sequences, optionals and strings. A sequence's value carries type and common shape of its elements.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

constexpr const char* kSequence = "sequence";
constexpr const char* kOptional = "optional";
constexpr const char* kOptionalSequence = "optional sequence";

/// Elements of one type; extents that differ are unknown.
void joinElement(ValueInfo& elements, const ValueInfo& element, bool first)
{
    if (elements.type == Undefined)
        elements.type = element.type;
    if (first) {
        elements.shape = element.shape;
        return;
    }
    Shape& shape = elements.shape;
    if (!shape.rankKnown || !element.shape.rankKnown || shape.dims.size() != element.shape.dims.size()) {
        shape = {};
        return;
    }
    for (std::size_t d = 0; d < shape.dims.size(); ++d) {
        if (shape.dims[d] != element.shape.dims[d])
            shape.dims[d] = kUnknownDim;
    }
}

void setSequence(NodeContext& c, ValueInfo elements)
{
    ValueInfo sequence;
    sequence.type = elements.type;
    sequence.shape = std::move(elements.shape);
    sequence.otherKind = kSequence;
    c.setOutput(0, std::move(sequence));
}

bool sequenceConstruct(NodeContext& c)
{
    ValueInfo elements;
    for (std::size_t i = 0; i < c.inputCount(); ++i) {
        if (c.input(i))
            joinElement(elements, *c.input(i), i == 0);
    }
    setSequence(c, std::move(elements));
    return true;
}

bool sequenceEmpty(NodeContext& c)
{
    ValueInfo elements;
    elements.type = typeAttribute(c, "dtype", Float32);
    setSequence(c, std::move(elements));
    return true;
}

bool sequenceInsert(NodeContext& c)
{
    if (!c.input(0) || !c.input(1))
        return true;
    ValueInfo elements = *c.input(0);
    // An empty sequence has no shape yet, but neither has one of unlike elements.
    joinElement(elements, *c.input(1), false);
    setSequence(c, std::move(elements));
    return true;
}

bool sequenceErase(NodeContext& c)
{
    if (c.input(0))
        setSequence(c, *c.input(0));
    return true;
}

bool sequenceAt(NodeContext& c)
{
    if (!c.input(0))
        return true;
    ValueInfo element;
    element.type = c.input(0)->type;
    element.shape = c.input(0)->shape;
    c.setOutput(0, std::move(element));
    return true;
}

bool sequenceLength(NodeContext& c)
{
    c.set(0, Int64, {});
    return true;
}

bool splitToSequence(NodeContext& c)
{
    ValueInfo elements;
    elements.type = c.type(0);
    if (c.hasShape(0)) {
        Dims dims = c.dims(0);
        const std::size_t axis = normalizedAxis(c.intAttribute("axis", 0), dims.size());
        const auto sizes = c.integersOf(1);
        const bool even = sizes && !sizes->empty() && (*sizes)[0] > 0
            && std::all_of(sizes->begin(), sizes->end(), [&](std::int64_t size) { return size == sizes->front(); });
        const bool whole = even && (sizes->size() > 1 || (isKnown(dims[axis]) && dims[axis] % sizes->front() == 0));
        if (!c.hasInput(1) && c.intAttribute("keepdims", 1) == 0)
            dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
        else
            dims[axis] = !c.hasInput(1) ? 1 : whole ? sizes->front() : kUnknownDim;
        c.setDims(0, std::move(dims));
        elements.shape = c.output(0) ? c.output(0)->shape : Shape();
    }
    setSequence(c, std::move(elements));
    return true;
}

bool concatFromSequence(NodeContext& c)
{
    if (!c.input(0))
        return true;
    c.setType(0, c.input(0)->type);
    if (!c.input(0)->shape.rankKnown)
        return true;
    Dims dims = c.input(0)->shape.dims;
    std::replace_if(dims.begin(), dims.end(), [](std::int64_t extent) { return extent < 0; }, kUnknownDim);
    const bool newAxis = c.intAttribute("new_axis", 0) != 0;
    const std::size_t axis = normalizedAxis(c.intAttribute("axis", 0), dims.size() + (newAxis ? 1 : 0));
    if (newAxis)
        dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), kUnknownDim);
    else
        dims[axis] = kUnknownDim;
    c.setDims(0, std::move(dims));
    return true;
}

/// The body runs once an element of the first sequence; further inputs are sequences too, or tensors for all rounds.
bool sequenceMap(NodeContext& c)
{
    const onnx::GraphProto* body = c.graphAttribute("body");
    if (!body)
        failInference("the graph body is missing");
    std::vector<ValueInfo> inputs;
    for (std::size_t i = 0; i < c.inputCount(); ++i) {
        ValueInfo element;
        if (c.input(i)) {
            element.type = c.input(i)->type;
            element.shape = c.input(i)->shape;
        }
        inputs.push_back(std::move(element));
    }
    const std::vector<ValueInfo> outputs = c.runSubgraph(*body, inputs);
    for (std::size_t o = 0; o < c.outputCount(); ++o) {
        ValueInfo sequence;
        sequence.otherKind = kSequence;
        if (o < outputs.size()) {
            sequence.type = outputs[o].type;
            sequence.shape = outputs[o].shape;
        }
        c.setOutput(o, std::move(sequence));
    }
    return true;
}

bool optional(NodeContext& c)
{
    ValueInfo value;
    value.otherKind = kOptional;
    if (c.input(0)) {
        value.type = c.input(0)->type;
        value.shape = c.input(0)->shape;
        if (c.input(0)->otherKind == kSequence)
            value.otherKind = kOptionalSequence;
    } else if (const auto* type = c.attribute("type"); type && type->has_tp()) {
        const onnx::TypeProto& declared = type->tp();
        value.otherKind = declared.has_sequence_type() ? kOptionalSequence : kOptional;
        const onnx::TypeProto& element = declared.has_sequence_type() ? declared.sequence_type().elem_type() : declared;
        value.type = elementTypeFromOnnx(element.tensor_type().elem_type());
    }
    c.setOutput(0, std::move(value));
    return true;
}

/// Opset 18 also takes what is no optional, and gives it back.
bool optionalGetElement(NodeContext& c)
{
    if (!c.input(0))
        return true;
    ValueInfo element;
    element.type = c.input(0)->type;
    element.shape = c.input(0)->shape;
    const std::string& kind = c.input(0)->otherKind;
    element.otherKind = kind == kOptional ? "" : kind == kOptionalSequence ? kSequence : kind;
    c.setOutput(0, std::move(element));
    return true;
}

bool optionalHasElement(NodeContext& c)
{
    c.set(0, Bool, {});
    return true;
}

constexpr ShapeRuleEntry kSequences[] = {
    {"SequenceConstruct", sequenceConstruct},
    {"SequenceEmpty", sequenceEmpty},
    {"SequenceInsert", sequenceInsert},
    {"SequenceErase", sequenceErase},
    {"SequenceAt", sequenceAt},
    {"SequenceLength", sequenceLength},
    {"SplitToSequence", splitToSequence},
    {"ConcatFromSequence", concatFromSequence},
    {"SequenceMap", sequenceMap},
    {"Optional", optional},
    {"OptionalGetElement", optionalGetElement},
    {"OptionalHasElement", optionalHasElement},
};

bool stringConcat(NodeContext& c)
{
    c.setType(0, String);
    if (c.hasShape(0) && c.hasShape(1))
        c.setDims(0, broadcastDims(c.dims(0), c.dims(1)));
    return true;
}

/// The substrings in a new last dimension as long as the longest list needs, and how many there are.
bool stringSplit(NodeContext& c)
{
    c.setType(0, String);
    c.setType(1, Int64);
    c.copyDims(0, 1);
    if (!c.hasShape(0))
        return true;
    Dims dims = c.dims(0);
    dims.push_back(kUnknownDim);
    c.setDims(0, std::move(dims));
    return true;
}

bool regexFullMatch(NodeContext& c)
{
    c.setType(0, Bool);
    c.copyDims(0, 0);
    return true;
}

/// Without stopwords every string stays.
bool stringNormalizer(NodeContext& c)
{
    c.setType(0, String);
    const auto* stopwords = c.attribute("stopwords");
    if (!stopwords || stopwords->strings().empty()) {
        c.copyDims(0, 0);
        return true;
    }
    if (!c.hasShape(0) || c.rank(0) == 0)
        return true;
    Dims dims = c.dims(0);
    dims.back() = kUnknownDim;
    c.setDims(0, std::move(dims));
    return true;
}

bool tfIdfVectorizer(NodeContext& c)
{
    c.setType(0, Float32);
    const auto indices = c.intsAttribute("ngram_indexes");
    if (!c.hasShape(0) || !indices || indices->empty())
        return true;
    const std::int64_t last = *std::max_element(indices->begin(), indices->end());
    if (last < 0)
        failInference("negative ngram_indexes");
    Dims dims = c.dims(0);
    if (dims.empty())
        dims.push_back(0);
    dims.back() = addExtents(last, 1);
    c.setDims(0, std::move(dims));
    return true;
}

constexpr ShapeRuleEntry kTexts[] = {
    {"StringConcat", stringConcat},
    {"StringSplit", stringSplit},
    {"RegexFullMatch", regexFullMatch},
    {"StringNormalizer", stringNormalizer},
    {"TfIdfVectorizer", tfIdfVectorizer},
};

} // namespace

std::span<const ShapeRuleEntry> sequenceRules()
{
    return kSequences;
}

std::span<const ShapeRuleEntry> textRules()
{
    return kTexts;
}

} // namespace arenascope::onnx_import
