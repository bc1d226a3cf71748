// SPDX-License-Identifier: MIT
// Which fields of which ONNX messages are kept while reading, and how.
#pragma once

#include "core/src/import/onnx/wire.h"

namespace arenascope::onnx_import {

enum class MessageKind : std::uint8_t {
    Model, Opset, Function, Graph, Node, Attribute, Tensor, SparseTensor, StringPair, QuantAnnotation,
    ValueInfo, Type, TensorType, SequenceType, MapType, OptionalType, TensorShape, Dimension,
};

enum class FieldForm : std::uint8_t {
    Message, ///< of kind `message`
    Name,    ///< text; made valid UTF-8
    Blob,    ///< bytes that are dropped where they are long
    Number,  ///< a varint, or several packed
    Real,    ///< a float or double, or several packed
    Content, ///< a tensor's numbers: left in the file where they are long
};

struct FieldRule {
    std::uint32_t number = 0;
    FieldForm form = FieldForm::Number;
    const char* name = "";
    MessageKind message = MessageKind::Model;
};

/// The rule of a field; null: it is dropped (documentation, training, metadata, fields of later versions).
const FieldRule* findRule(MessageKind kind, std::uint32_t number);

/// Whether a field of this form may come with this wire type.
bool accepts(FieldForm form, WireType type);

} // namespace arenascope::onnx_import
