// SPDX-License-Identifier: MIT
// Shape inference by libonnx's own schemas, one node at a time.
#include "core/src/import/onnx/shape_rules.h"

#include <onnx/defs/schema.h>
#include <onnx/defs/shape_inference.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace arenascope::onnx_import {

namespace {

void writeTensorType(const ValueInfo& value, onnx::TypeProto_Tensor& type)
{
    type.set_elem_type(onnxFromElementType(value.type));
    if (!value.shape.rankKnown || value.shape.dims.size() > kMaxRank)
        return;
    onnx::TensorShapeProto* shape = type.mutable_shape();
    for (std::size_t d = 0; d < value.shape.dims.size(); ++d) {
        auto* dim = shape->add_dim();
        if (value.shape.dims[d] >= 0)
            dim->set_dim_value(value.shape.dims[d]);
        else if (d < value.shape.symbols.size() && !value.shape.symbols[d].empty())
            dim->set_dim_param(value.shape.symbols[d]);
    }
}

/// False where the kind of value has no counterpart.
bool writeType(const ValueInfo& value, onnx::TypeProto& type)
{
    onnx::TypeProto* element = &type;
    if (value.otherKind == "optional sequence")
        element = type.mutable_optional_type()->mutable_elem_type()->mutable_sequence_type()->mutable_elem_type();
    else if (value.otherKind == "optional")
        element = type.mutable_optional_type()->mutable_elem_type();
    else if (value.otherKind == "sequence")
        element = type.mutable_sequence_type()->mutable_elem_type();
    else if (!value.otherKind.empty())
        return false;
    if (value.type == ElementType::Undefined && value.otherKind.empty())
        return false; // libonnx takes a tensor without a type for an error
    writeTensorType(value, *element->mutable_tensor_type());
    return true;
}

void readShape(const onnx::TensorShapeProto& from, Shape& shape)
{
    if (static_cast<std::size_t>(from.dim_size()) > kMaxRank)
        failInference("too many dimensions");
    shape = Shape::of({});
    for (const auto& dim : from.dim()) {
        if (dim.has_dim_value() && dim.dim_value() < 0)
            failInference("a negative extent");
        shape.dims.push_back(dim.has_dim_value() ? dim.dim_value() : kUnknownDim);
        if (dim.has_dim_param() && !dim.dim_param().empty()) {
            shape.symbols.resize(static_cast<std::size_t>(from.dim_size()));
            shape.symbols[shape.dims.size() - 1] = dim.dim_param();
        }
    }
}

ValueInfo readType(const onnx::TypeProto& type)
{
    ValueInfo value;
    const onnx::TypeProto* element = &type;
    if (element->has_optional_type()) {
        value.otherKind = "optional";
        element = &element->optional_type().elem_type();
    }
    if (element->has_sequence_type()) {
        value.otherKind += value.otherKind.empty() ? "sequence" : " sequence";
        element = &element->sequence_type().elem_type();
        if (element->has_map_type())
            value.otherKind = "sequence of maps";
    } else if (element->has_map_type()) {
        value.otherKind = "map";
    }
    if (element->has_sparse_tensor_type()) {
        value.otherKind = "sparse tensor";
        value.type = elementTypeFromOnnx(element->sparse_tensor_type().elem_type());
        if (element->sparse_tensor_type().has_shape())
            readShape(element->sparse_tensor_type().shape(), value.shape);
    } else if (element->has_tensor_type()) {
        value.type = elementTypeFromOnnx(element->tensor_type().elem_type());
        if (element->tensor_type().has_shape())
            readShape(element->tensor_type().shape(), value.shape);
    }
    return value;
}

/// One node as libonnx's inference functions see it. Contents are only copied for those that ask.
class SchemaContext final : public onnx::InferenceContext {
public:
    explicit SchemaContext(NodeContext& context)
        : m_context(context)
        , m_inputs(context.inputCount())
        , m_outputs(context.outputCount())
    {
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            m_inputs[i].isTyped = context.input(i) && writeType(*context.input(i), m_inputs[i].type);
    }

    const onnx::AttributeProto* getAttribute(const std::string& name) const override
    {
        return m_context.attribute(name);
    }
    size_t getNumInputs() const override { return m_inputs.size(); }
    const onnx::TypeProto* getInputType(size_t index) const override
    {
        return at(index).isTyped ? &at(index).type : nullptr;
    }
    const onnx::TensorProto* getInputData(size_t index) const override;
    const onnx::TensorShapeProto* getSymbolicInput(size_t index) const override;
    const onnx::SparseTensorProto* getInputSparseData(size_t) const override { return nullptr; }
    size_t getNumOutputs() const override { return m_outputs.size(); }
    onnx::TypeProto* getOutputType(size_t index) override
    {
        if (index >= m_outputs.size())
            failInference("an output is missing");
        return &m_outputs[index];
    }
    onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override
    {
        failInference("a graph as an attribute"); // operators with bodies have rules of their own
    }

    void publish()
    {
        for (std::size_t o = 0; o < m_outputs.size(); ++o)
            m_context.setOutput(o, readType(m_outputs[o]));
    }

private:
    struct Input {
        bool isTyped = false;
        onnx::TypeProto type;
        mutable std::unique_ptr<onnx::TensorProto> data;
        mutable std::unique_ptr<onnx::TensorShapeProto> symbolic;
    };
    const Input& at(std::size_t index) const
    {
        if (index >= m_inputs.size())
            failInference("an input is missing");
        return m_inputs[index];
    }

    NodeContext& m_context;
    std::vector<Input> m_inputs;
    std::vector<onnx::TypeProto> m_outputs;
};

const onnx::TensorProto* SchemaContext::getInputData(size_t index) const
{
    const Input& input = at(index);
    const ValueInfo* value = m_context.input(index);
    if (!value || !value->value)
        return nullptr;
    if (!input.data) {
        input.data = std::make_unique<onnx::TensorProto>();
        input.data->set_data_type(onnxFromElementType(value->type));
        for (const std::int64_t extent : value->shape.dims)
            input.data->add_dims(extent);
        input.data->set_raw_data(value->value->data(), value->value->size());
    }
    return input.data.get();
}

const onnx::TensorShapeProto* SchemaContext::getSymbolicInput(size_t index) const
{
    const Input& input = at(index);
    const ValueInfo* value = m_context.input(index);
    if (!value || value->partialValue.empty())
        return nullptr;
    if (!input.symbolic) {
        input.symbolic = std::make_unique<onnx::TensorShapeProto>();
        for (const std::int64_t element : value->partialValue) {
            auto* dim = input.symbolic->add_dim();
            if (element >= 0)
                dim->set_dim_value(element);
        }
    }
    return input.symbolic.get();
}

const onnx::OpSchema* findSchema(const std::string& kind, std::int64_t opset, const std::string& domain)
{
    const int version = static_cast<int>(std::clamp<std::int64_t>(opset, 1, kNewestOpset));
    const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(kind, version, domain);
    if (schema && schema->has_type_and_shape_inference_function())
        return schema;
    // Many old schemas cannot infer, but the form that came after them can.
    const onnx::OpSchema* newest = onnx::OpSchemaRegistry::Schema(kind, domain);
    for (int next = version + 1; newest && next <= newest->since_version(); ++next) {
        const onnx::OpSchema* later = onnx::OpSchemaRegistry::Schema(kind, next, domain);
        if (later && later->has_type_and_shape_inference_function())
            return later;
    }
    return schema ? schema : newest;
}

} // namespace

bool inferBySchema(NodeContext& context, const std::string& domain)
{
    const onnx::OpSchema* schema = findSchema(context.node().op_type(), context.opset(), domain);
    if (!schema)
        return false;
    if (!schema->has_type_and_shape_inference_function())
        return true;
    SchemaContext bridge(context);
    schema->GetTypeAndShapeInferenceFunction()(bridge);
    bridge.publish();
    return true;
}

} // namespace arenascope::onnx_import
