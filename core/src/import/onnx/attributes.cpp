// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/attributes.h"

#include "core/src/import/onnx/inference.h"

namespace arenascope::onnx_import {

namespace {

constexpr int kMaxListed = 65536;

/// Files of IR version 1 leave the type out; then the filled field tells.
onnx::AttributeProto::AttributeType typeOf(const onnx::AttributeProto& attribute)
{
    using A = onnx::AttributeProto;
    if (attribute.type() != A::UNDEFINED)
        return attribute.type();
    if (attribute.has_f())
        return A::FLOAT;
    if (attribute.has_i())
        return A::INT;
    if (attribute.has_s())
        return A::STRING;
    if (attribute.has_t())
        return A::TENSOR;
    if (attribute.floats_size() > 0)
        return A::FLOATS;
    if (attribute.ints_size() > 0)
        return A::INTS;
    return attribute.strings_size() > 0 ? A::STRINGS : A::UNDEFINED;
}

template <class T, class List>
std::optional<AttributeValue> listOf(const List& list)
{
    if (list.size() > kMaxListed)
        return std::nullopt;
    return std::vector<T>(list.begin(), list.end());
}

std::optional<AttributeValue> valueOf(const onnx::NodeProto& node, const onnx::AttributeProto& attribute,
                                      WeightLocator& weights)
{
    using A = onnx::AttributeProto;
    switch (typeOf(attribute)) {
    case A::INT:
        return std::int64_t{attribute.i()};
    case A::FLOAT:
        return double{attribute.f()};
    case A::STRING:
        return attribute.s();
    case A::INTS:
        return listOf<std::int64_t>(attribute.ints());
    case A::FLOATS:
        return listOf<double>(attribute.floats());
    case A::STRINGS:
        return listOf<std::string>(attribute.strings());
    case A::TENSOR: {
        TensorValue value;
        value.type = elementTypeFromOnnx(attribute.t().data_type());
        value.shape = Shape::of({attribute.t().dims().begin(), attribute.t().dims().end()});
        if (auto source = weights.locate(attribute.t(), node.name() + "." + attribute.name()))
            value.source = std::move(*source);
        return value;
    }
    default:
        return std::nullopt;
    }
}

} // namespace

Attributes attributesOf(const onnx::NodeProto& node, WeightLocator& weights)
{
    Attributes attributes;
    for (const auto& attribute : node.attribute()) {
        if (auto value = valueOf(node, attribute, weights))
            attributes.insert_or_assign(attribute.name(), std::move(*value));
    }
    return attributes;
}

} // namespace arenascope::onnx_import
