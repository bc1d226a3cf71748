// SPDX-License-Identifier: MIT
#include "samples/model_writer.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace arenascope::samples {

namespace {

void setInts(onnx::NodeProto& node, const char* name, const std::vector<std::int64_t>& values)
{
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values)
        attribute.add_ints(value);
}

void setInt(onnx::NodeProto& node, const char* name, std::int64_t value)
{
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
}

void describeTensor(onnx::ValueInfoProto& info, const std::string& name, const std::vector<std::int64_t>& dims)
{
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : dims)
        type.mutable_shape()->add_dim()->set_dim_value(dim);
}

std::int64_t product(const std::vector<std::int64_t>& dims)
{
    std::int64_t count = 1;
    for (const std::int64_t dim : dims)
        count *= dim;
    return count;
}

// Uniform in [-1, 1) from the generator's own bits: std::uniform_real_distribution may differ between libraries.
float uniform(std::mt19937& random)
{
    return static_cast<float>(static_cast<double>(random()) / 2147483648.0 - 1.0);
}

} // namespace

ModelWriter::ModelWriter(const std::string& name, Weights weights)
    : m_weights(weights)
{
    m_model.set_ir_version(7);
    m_model.set_producer_name("arenascope-make-samples");
    m_model.add_opset_import()->set_version(13);
    m_model.mutable_graph()->set_name(name);
}

std::string ModelWriter::input(const std::string& name, std::vector<std::int64_t> dims)
{
    describeTensor(*m_model.mutable_graph()->add_input(), name, dims);
    m_channels.emplace_back(name, dims[1]);
    return name;
}

void ModelWriter::output(const std::string& tensor, std::vector<std::int64_t> dims)
{
    describeTensor(*m_model.mutable_graph()->add_output(), tensor, dims);
}

std::int64_t ModelWriter::channels(const std::string& tensor) const
{
    const auto found = std::find_if(m_channels.begin(), m_channels.end(), [&](const auto& entry) { return entry.first == tensor; });
    assert(found != m_channels.end() && "tensor was not made by this writer");
    return found->second;
}

onnx::NodeProto& ModelWriter::node(const std::string& kind, const std::vector<std::string>& inputs, std::int64_t outputChannels)
{
    onnx::NodeProto& node = *m_model.mutable_graph()->add_node();
    const std::string name = kind + "_" + std::to_string(m_count++);
    node.set_name(name);
    node.set_op_type(kind);
    for (const std::string& tensor : inputs)
        node.add_input(tensor);
    node.add_output(name + ":0");
    m_channels.emplace_back(name + ":0", outputChannels);
    return node;
}

std::string ModelWriter::weight(const std::string& name, const std::vector<std::int64_t>& dims, std::int64_t fanIn)
{
    const auto scale = static_cast<float>(std::sqrt(3.0 / static_cast<double>(std::max<std::int64_t>(1, fanIn))));
    if (m_weights == Weights::Random) {
        onnx::TensorProto& tensor = *m_model.mutable_graph()->add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::FLOAT);
        for (const std::int64_t dim : dims)
            tensor.add_dims(dim);
        std::vector<float> values(static_cast<std::size_t>(product(dims)));
        std::generate(values.begin(), values.end(), [&] { return scale * uniform(m_random); });
        tensor.set_raw_data(values.data(), values.size() * sizeof(float));
        return name;
    }
    onnx::TensorProto& shape = *m_model.mutable_graph()->add_initializer();
    shape.set_name(name + ":shape");
    shape.set_data_type(onnx::TensorProto::INT64);
    shape.add_dims(static_cast<std::int64_t>(dims.size()));
    for (const std::int64_t dim : dims)
        shape.add_int64_data(dim);
    onnx::NodeProto& fill = *m_model.mutable_graph()->add_node();
    fill.set_name(name + ":fill");
    fill.set_op_type("ConstantOfShape");
    fill.add_input(name + ":shape");
    fill.add_output(name);
    onnx::AttributeProto& value = *fill.add_attribute();
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    value.mutable_t()->add_dims(1);
    value.mutable_t()->add_float_data(0.5F * scale);
    return name;
}

std::string ModelWriter::scalar(const std::string& name, float value)
{
    onnx::TensorProto& tensor = *m_model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(value);
    return name;
}

std::string ModelWriter::conv(const std::string& x, std::int64_t outputChannels, ConvOptions options)
{
    const std::int64_t perGroup = channels(x) / options.groups;
    const std::string id = "w" + std::to_string(m_count);
    const std::string w = weight(id, {outputChannels, perGroup, options.kernel, options.kernel},
                                 perGroup * options.kernel * options.kernel);
    const std::string b = weight(id + "b", {outputChannels}, outputChannels);
    onnx::NodeProto& added = node("Conv", {x, w, b}, outputChannels);
    const std::int64_t pad = options.kernel / 2;
    setInts(added, "kernel_shape", {options.kernel, options.kernel});
    setInts(added, "strides", {options.stride, options.stride});
    setInts(added, "pads", {pad, pad, pad, pad});
    setInt(added, "group", options.groups);
    return added.output(0);
}

std::string ModelWriter::transposedConv(const std::string& x, std::int64_t outputChannels)
{
    const std::string id = "w" + std::to_string(m_count);
    const std::string w = weight(id, {channels(x), outputChannels, 2, 2}, channels(x) * 4);
    onnx::NodeProto& added = node("ConvTranspose", {x, w}, outputChannels);
    setInts(added, "kernel_shape", {2, 2});
    setInts(added, "strides", {2, 2});
    return added.output(0);
}

std::string ModelWriter::relu(const std::string& x)
{
    return node("Relu", {x}, channels(x)).output(0);
}

std::string ModelWriter::relu6(const std::string& x)
{
    const std::string id = "clip" + std::to_string(m_count);
    const std::string low = scalar(id + ":min", 0.0F);
    const std::string high = scalar(id + ":max", 6.0F);
    return node("Clip", {x, low, high}, channels(x)).output(0);
}

std::string ModelWriter::add(const std::string& a, const std::string& b)
{
    return node("Add", {a, b}, channels(a)).output(0);
}

std::string ModelWriter::concat(const std::vector<std::string>& parts)
{
    std::int64_t sum = 0;
    for (const std::string& part : parts)
        sum += channels(part);
    onnx::NodeProto& added = node("Concat", parts, sum);
    setInt(added, "axis", 1);
    return added.output(0);
}

std::string ModelWriter::maxPool(const std::string& x, std::int64_t kernel, std::int64_t stride)
{
    onnx::NodeProto& added = node("MaxPool", {x}, channels(x));
    const std::int64_t pad = (kernel - 1) / 2;
    setInts(added, "kernel_shape", {kernel, kernel});
    setInts(added, "strides", {stride, stride});
    setInts(added, "pads", {pad, pad, pad, pad});
    return added.output(0);
}

std::string ModelWriter::globalAveragePool(const std::string& x)
{
    return node("GlobalAveragePool", {x}, channels(x)).output(0);
}

std::string ModelWriter::flatten(const std::string& x)
{
    return node("Flatten", {x}, channels(x)).output(0);
}

std::string ModelWriter::linear(const std::string& x, std::int64_t features)
{
    const std::string id = "w" + std::to_string(m_count);
    const std::string w = weight(id, {features, channels(x)}, channels(x));
    const std::string b = weight(id + "b", {features}, features);
    onnx::NodeProto& added = node("Gemm", {x, w, b}, features);
    setInt(added, "transB", 1);
    return added.output(0);
}

std::string ModelWriter::softmax(const std::string& x)
{
    return node("Softmax", {x}, channels(x)).output(0);
}

std::string ModelWriter::serialize() const
{
    return m_model.SerializeAsString();
}

} // namespace arenascope::samples
