// SPDX-License-Identifier: MIT
// Small ONNX models for tests, written with libonnx's own classes.
#pragma once

#include <onnx/onnx_pb.h>

#include <QByteArray>
#include <QFile>
#include <QTemporaryDir>

#include <cstdint>
#include <initializer_list>
#include <string>

namespace onnx_test {

inline void addOpset(onnx::ModelProto& model, std::int64_t version, const std::string& domain = {})
{
    auto* opset = model.add_opset_import();
    opset->set_domain(domain);
    opset->set_version(version);
}

inline onnx::ModelProto model(std::int64_t opset = 13)
{
    onnx::ModelProto made;
    made.set_ir_version(8);
    made.set_producer_name("test");
    addOpset(made, opset);
    made.mutable_graph()->set_name("g");
    return made;
}

/// A dimension: a number, or a name.
struct Dim {
    Dim(int v) : value(v) {}
    Dim(std::int64_t v) : value(v) {}
    Dim(const char* s) : symbol(s) {}
    std::int64_t value = -1;
    std::string symbol;
};

inline void setTensorType(onnx::TypeProto& type, int elementType, std::initializer_list<Dim> dims)
{
    type.mutable_tensor_type()->set_elem_type(elementType);
    auto* shape = type.mutable_tensor_type()->mutable_shape();
    for (const Dim& dim : dims) {
        auto* added = shape->add_dim();
        if (!dim.symbol.empty())
            added->set_dim_param(dim.symbol);
        else if (dim.value >= 0)
            added->set_dim_value(dim.value);
    }
}

inline void addInput(onnx::GraphProto& graph, const std::string& name, std::initializer_list<Dim> dims,
                     int type = onnx::TensorProto::FLOAT)
{
    auto* input = graph.add_input();
    input->set_name(name);
    setTensorType(*input->mutable_type(), type, dims);
}

/// An output without a type.
inline void addOutput(onnx::GraphProto& graph, const std::string& name)
{
    graph.add_output()->set_name(name);
}

inline onnx::NodeProto& addNode(onnx::GraphProto& graph, const std::string& kind,
                                std::initializer_list<std::string> inputs, std::initializer_list<std::string> outputs,
                                const std::string& name = {})
{
    auto* node = graph.add_node();
    node->set_op_type(kind);
    node->set_name(name);
    for (const std::string& input : inputs)
        node->add_input(input);
    for (const std::string& output : outputs)
        node->add_output(output);
    return *node;
}

inline void addInts(onnx::GraphProto& graph, const std::string& name, std::initializer_list<std::int64_t> values)
{
    auto* tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::INT64);
    tensor->add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values)
        tensor->add_int64_data(value);
}

/// A float weight with its content in raw_data.
inline onnx::TensorProto& addFloats(onnx::GraphProto& graph, const std::string& name,
                                    std::initializer_list<std::int64_t> dims)
{
    auto* tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) {
        tensor->add_dims(dim);
        count *= dim;
    }
    tensor->set_raw_data(std::string(static_cast<std::size_t>(count) * 4, '\1'));
    return *tensor;
}

inline void addAttribute(onnx::NodeProto& node, const std::string& name, std::int64_t value)
{
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
}

inline onnx::GraphProto& addBody(onnx::NodeProto& node, const std::string& name)
{
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    attribute->mutable_g()->set_name(name);
    return *attribute->mutable_g();
}

inline QByteArray bytesOf(const onnx::ModelProto& model)
{
    return QByteArray::fromStdString(model.SerializeAsString());
}

/// A file in a folder that goes away with the test.
class ModelFile {
public:
    explicit ModelFile(const QByteArray& bytes, const QString& name = QStringLiteral("model.onnx"))
        : m_path(m_folder.filePath(name))
    {
        write(bytes);
    }
    explicit ModelFile(const onnx::ModelProto& model) : ModelFile(bytesOf(model)) {}

    void write(const QByteArray& bytes) const
    {
        // Not truncated to nothing first: some file systems write such files to the disk at once.
        QFile file(m_path);
        if (file.open(QIODevice::ReadWrite)) {
            file.write(bytes);
            file.resize(bytes.size());
        }
    }
    std::string path() const { return m_path.toStdString(); }
    QString folder() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
    QString m_path;
};

} // namespace onnx_test
