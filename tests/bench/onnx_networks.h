// SPDX-License-Identifier: MIT
// Large networks as ONNX files, for benchmarks of the whole way from a file to a proven plan.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace arenascope::bench {

/// Adds nodes to an ONNX model, opset 13; weights of one shape are shared between operators.
class OnnxNetwork {
public:
    OnnxNetwork()
    {
        m_model.set_ir_version(8);
        onnx::OperatorSetIdProto& opset = *m_model.add_opset_import();
        opset.set_domain("");
        opset.set_version(13);
        m_model.mutable_graph()->set_name("bench");
        describe(*m_model.mutable_graph()->add_input(), "input", 16);
        m_channels["input"] = 16;
    }

    int operators() const { return m_model.graph().node_size(); }

    std::string conv(const std::string& x, std::int64_t channels)
    {
        const std::string w = weight(channels, m_channels.at(x));
        const std::string y = node("Conv", {x, w}, channels);
        addInts("kernel_shape", {3, 3});
        addInts("pads", {1, 1, 1, 1});
        return y;
    }

    std::string relu(const std::string& x) { return node("Relu", {x}, m_channels.at(x)); }

    std::string concat(const std::vector<std::string>& parts)
    {
        std::int64_t channels = 0;
        for (const std::string& part : parts)
            channels += m_channels.at(part);
        const std::string y = node("Concat", parts, channels);
        onnx::AttributeProto& axis = *last().add_attribute();
        axis.set_name("axis");
        axis.set_type(onnx::AttributeProto::INT);
        axis.set_i(1);
        return y;
    }

    /// Weights of so many bytes that one operator reads.
    std::string convWithBytes(const std::string& x, std::int64_t bytes)
    {
        const std::int64_t channels = bytes / (m_channels.at(x) * 9 * 4);
        return conv(x, channels);
    }

    bool write(const std::string& output, const std::string& path)
    {
        describe(*m_model.mutable_graph()->add_output(), output, m_channels.at(output));
        std::ofstream file(path, std::ios::binary);
        return m_model.SerializeToOstream(&file) && file.flush().good();
    }

private:
    static void describe(onnx::ValueInfoProto& value, const std::string& name, std::int64_t channels)
    {
        value.set_name(name);
        onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
        tensor.set_elem_type(onnx::TensorProto::FLOAT);
        for (const std::int64_t dim : {std::int64_t(1), channels, std::int64_t(32), std::int64_t(32)})
            tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    }

    onnx::NodeProto& last() { return *m_model.mutable_graph()->mutable_node(operators() - 1); }

    void addInts(const char* name, std::initializer_list<std::int64_t> values)
    {
        onnx::AttributeProto& attribute = *last().add_attribute();
        attribute.set_name(name);
        attribute.set_type(onnx::AttributeProto::INTS);
        for (const std::int64_t value : values)
            attribute.add_ints(value);
    }

    std::string node(const char* kind, const std::vector<std::string>& inputs, std::int64_t channels)
    {
        onnx::NodeProto& node = *m_model.mutable_graph()->add_node();
        node.set_op_type(kind);
        node.set_name(std::string(kind) + "_" + std::to_string(operators()));
        for (const std::string& input : inputs)
            node.add_input(input);
        node.add_output(node.name() + ":0");
        m_channels[node.output(0)] = channels;
        return node.output(0);
    }

    std::string weight(std::int64_t out, std::int64_t in)
    {
        const std::string name = "w_" + std::to_string(out) + "_" + std::to_string(in);
        if (m_channels.emplace(name, 0).second) {
            onnx::TensorProto& tensor = *m_model.mutable_graph()->add_initializer();
            tensor.set_name(name);
            tensor.set_data_type(onnx::TensorProto::FLOAT);
            for (const std::int64_t dim : {out, in, std::int64_t(3), std::int64_t(3)})
                tensor.add_dims(dim);
            tensor.set_raw_data(std::string(static_cast<std::size_t>(out * in * 9 * 4), '\0'));
        }
        return name;
    }

    onnx::ModelProto m_model;
    std::map<std::string, std::int64_t> m_channels;
};

/// Convolutions and activations in a row, of changing widths.
inline bool writeChain(int operators, const std::string& path)
{
    OnnxNetwork net;
    std::string x = "input";
    while (net.operators() < operators)
        x = net.operators() % 2 == 0 ? net.conv(x, 8 + net.operators() % 7) : net.relu(x);
    return net.write(x, path);
}

/// Blocks of four branches of one to four convolutions each, joined by a Concat.
inline bool writeInceptionLike(int operators, const std::string& path)
{
    OnnxNetwork net;
    std::string x = "input";
    while (net.operators() < operators) {
        std::vector<std::string> branches;
        for (int branch = 1; branch <= 4; ++branch) {
            std::string y = x;
            for (int i = 0; i < branch; ++i)
                y = net.relu(net.conv(y, 4 + 2 * branch));
            branches.push_back(y);
        }
        x = net.concat(branches);
    }
    return net.write(x, path);
}

/// A hundred operators with weights of about `bytes` bytes.
inline bool writeHeavy(std::int64_t bytes, const std::string& path)
{
    OnnxNetwork net;
    std::string x = "input";
    for (int i = 0; i < 4; ++i) // there and back; a little wider each time, since equal shapes share their weights
        x = net.conv(net.relu(net.convWithBytes(x, bytes / 8 + i * 1024)), 16);
    while (net.operators() < 100)
        x = net.relu(net.conv(x, 16));
    return net.write(x, path);
}

} // namespace arenascope::bench
