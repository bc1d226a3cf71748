// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/slim_schema.h"

#include <algorithm>
#include <span>

namespace arenascope::onnx_import {

namespace {

using enum FieldForm;
using K = MessageKind;

// Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
constexpr FieldRule kModel[] = {
    {1, Number, "ir_version"}, {2, Name, "producer_name"}, {3, Name, "producer_version"}, {4, Name, "domain"},
    {5, Number, "model_version"}, {7, Message, "graph", K::Graph}, {8, Message, "opset_import", K::Opset},
    {25, Message, "functions", K::Function},
};
constexpr FieldRule kOpset[] = {{1, Name, "domain"}, {2, Number, "version"}};
constexpr FieldRule kFunction[] = {
    {1, Name, "name"}, {4, Name, "input"}, {5, Name, "output"}, {6, Name, "attribute"},
    {7, Message, "node", K::Node}, {9, Message, "opset_import", K::Opset}, {10, Name, "domain"},
    {11, Message, "attribute_proto", K::Attribute}, {12, Message, "value_info", K::ValueInfo}, {13, Name, "overload"},
};
constexpr FieldRule kGraph[] = {
    {1, Message, "node", K::Node}, {2, Name, "name"}, {5, Message, "initializer", K::Tensor},
    {11, Message, "input", K::ValueInfo}, {12, Message, "output", K::ValueInfo},
    {13, Message, "value_info", K::ValueInfo}, {14, Message, "quantization_annotation", K::QuantAnnotation},
    {15, Message, "sparse_initializer", K::SparseTensor},
};
constexpr FieldRule kNode[] = {
    {1, Name, "input"}, {2, Name, "output"}, {3, Name, "name"}, {4, Name, "op_type"},
    {5, Message, "attribute", K::Attribute}, {7, Name, "domain"}, {8, Name, "overload"},
};
constexpr FieldRule kAttribute[] = {
    {1, Name, "name"}, {2, Real, "f"}, {3, Number, "i"}, {4, Blob, "s"}, {5, Message, "t", K::Tensor},
    {6, Message, "g", K::Graph}, {7, Real, "floats"}, {8, Number, "ints"}, {9, Blob, "strings"},
    {10, Message, "tensors", K::Tensor}, {11, Message, "graphs", K::Graph}, {14, Message, "tp", K::Type},
    {15, Message, "type_protos", K::Type}, {20, Number, "type"}, {21, Name, "ref_attr_name"},
    {22, Message, "sparse_tensor", K::SparseTensor}, {23, Message, "sparse_tensors", K::SparseTensor},
};
constexpr FieldRule kTensor[] = {
    {1, Number, "dims"}, {2, Number, "data_type"}, {4, Content, "float_data"}, {5, Content, "int32_data"},
    {7, Content, "int64_data"}, {8, Name, "name"}, {9, Content, "raw_data"}, {10, Content, "double_data"},
    {11, Content, "uint64_data"}, {13, Message, "external_data", K::StringPair}, {14, Number, "data_location"},
};
constexpr FieldRule kSparseTensor[] = {
    {1, Message, "values", K::Tensor}, {2, Message, "indices", K::Tensor}, {3, Number, "dims"}};
constexpr FieldRule kStringPair[] = {{1, Name, "key"}, {2, Name, "value"}};
constexpr FieldRule kQuantAnnotation[] = {
    {1, Name, "tensor_name"}, {2, Message, "quant_parameter_tensor_names", K::StringPair}};
constexpr FieldRule kValueInfo[] = {{1, Name, "name"}, {2, Message, "type", K::Type}};
constexpr FieldRule kType[] = {
    {1, Message, "tensor_type", K::TensorType}, {4, Message, "sequence_type", K::SequenceType},
    {5, Message, "map_type", K::MapType}, {6, Name, "denotation"},
    {8, Message, "sparse_tensor_type", K::TensorType}, {9, Message, "optional_type", K::OptionalType},
};
constexpr FieldRule kTensorType[] = {{1, Number, "elem_type"}, {2, Message, "shape", K::TensorShape}};
constexpr FieldRule kSequenceType[] = {{1, Message, "elem_type", K::Type}};
constexpr FieldRule kMapType[] = {{1, Number, "key_type"}, {2, Message, "value_type", K::Type}};
constexpr FieldRule kOptionalType[] = {{1, Message, "elem_type", K::Type}};
constexpr FieldRule kTensorShape[] = {{1, Message, "dim", K::Dimension}};
constexpr FieldRule kDimension[] = {{1, Number, "dim_value"}, {2, Name, "dim_param"}};

std::span<const FieldRule> rulesOf(MessageKind kind)
{
    switch (kind) {
    case K::Model: return kModel;
    case K::Opset: return kOpset;
    case K::Function: return kFunction;
    case K::Graph: return kGraph;
    case K::Node: return kNode;
    case K::Attribute: return kAttribute;
    case K::Tensor: return kTensor;
    case K::SparseTensor: return kSparseTensor;
    case K::StringPair: return kStringPair;
    case K::QuantAnnotation: return kQuantAnnotation;
    case K::ValueInfo: return kValueInfo;
    case K::Type: return kType;
    case K::TensorType: return kTensorType;
    case K::SequenceType: return kSequenceType;
    case K::MapType: return kMapType;
    case K::OptionalType: return kOptionalType;
    case K::TensorShape: return kTensorShape;
    case K::Dimension: return kDimension;
    }
    return {};
}

} // namespace

const FieldRule* findRule(MessageKind kind, std::uint32_t number)
{
    const auto rules = rulesOf(kind);
    const auto it = std::ranges::find(rules, number, &FieldRule::number);
    return it == rules.end() ? nullptr : &*it;
}

bool accepts(FieldForm form, WireType type)
{
    switch (form) {
    case Message:
    case Name:
    case Blob:
        return type == WireType::Bytes;
    case Number:
        return type == WireType::Varint || type == WireType::Bytes;
    case Real:
        return type == WireType::Fixed32 || type == WireType::Fixed64 || type == WireType::Bytes;
    case Content:
        return type != WireType::GroupBegin && type != WireType::GroupEnd;
    }
    return false;
}

} // namespace arenascope::onnx_import
