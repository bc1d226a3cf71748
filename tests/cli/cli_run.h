// SPDX-License-Identifier: MIT
// Runs the real arenascope-cli and writes tiny models for it.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStringList>

#include <onnx/onnx_pb.h>

#include <string>

namespace arenascope::test {

inline QString cliProgram()
{
    return QStringLiteral(ARENASCOPE_BIN_DIR "/arenascope-cli");
}

struct CliRun {
    int code = -1; ///< exit code; -1 when it crashed or did not end
    QByteArray out;
    QByteArray err;
    /// Lines on standard error.
    QList<QByteArray> complaints() const
    {
        QList<QByteArray> lines = err.split('\n');
        if (!lines.isEmpty() && lines.last().isEmpty())
            lines.removeLast();
        return lines;
    }
};

inline CliRun runCli(const QStringList& arguments, const QString& folder = {})
{
    QProcess process;
    if (!folder.isEmpty())
        process.setWorkingDirectory(folder);
    process.start(cliProgram(), arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000)) {
        process.kill();
        process.waitForFinished();
        return {-1, process.readAllStandardOutput(), "did not end in a minute: " + process.readAllStandardError()};
    }
    const bool crashed = process.exitStatus() != QProcess::NormalExit;
    return {crashed ? -1 : process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

/// Times are the only thing that differs from run to run.
inline QString withoutTimes(const QByteArray& text)
{
    static const QRegularExpression seconds(QStringLiteral("\\d+(\\.\\d+)? m?s\\b"));
    return QString::fromUtf8(text).replace(seconds, QStringLiteral("T"));
}

inline void addNode(onnx::GraphProto& graph, const char* kind, std::initializer_list<const char*> inputs, const char* output)
{
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(kind);
    node.set_name(std::string(kind) + "_" + output);
    for (const char* input : inputs)
        node.add_input(input);
    node.add_output(output);
}

inline void setInts(onnx::NodeProto& node, const char* name, std::initializer_list<std::int64_t> values)
{
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values)
        attribute.add_ints(value);
}

inline void setFloatTensor(onnx::ValueInfoProto& value, const char* name, std::initializer_list<std::int64_t> dims,
                           const char* firstDim = nullptr)
{
    value.set_name(name);
    onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : dims)
        tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    if (firstDim != nullptr)
        tensor.mutable_shape()->mutable_dim(0)->set_dim_param(firstDim);
}

/// Four steps, sizes in bytes, rounded up to 64 on the right of the slash; `batch` names the first dimension of the input.
///
///     x  64/64   |x...|   0 Concat_a             x + a = 192
///     a 128/128  |aa..|   1 Relu_b               a + b = 256  the peak
///     b 128/128  |.bb.|   2 MaxPool_c            b + c = 192
///     c  32/64   |..cc|   3 GlobalAveragePool_d  c + d = 128
///     d   8/64   |...d|   naive = 64 + 128 + 128 + 64 + 64 = 448
inline onnx::ModelProto tinyModel(const char* batch = nullptr)
{
    onnx::ModelProto model;
    model.set_ir_version(7);
    model.set_producer_name("hand");
    onnx::OperatorSetIdProto& opset = *model.add_opset_import();
    opset.set_domain("");
    opset.set_version(13);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("tiny");
    setFloatTensor(*graph.add_input(), "x", {1, 1, 4, 4}, batch);
    addNode(graph, "Concat", {"x", "x"}, "a");
    onnx::AttributeProto& axis = *graph.mutable_node(0)->add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(1);
    addNode(graph, "Relu", {"a"}, "b");
    addNode(graph, "MaxPool", {"b"}, "c");
    setInts(*graph.mutable_node(2), "kernel_shape", {2, 2});
    setInts(*graph.mutable_node(2), "strides", {2, 2});
    addNode(graph, "GlobalAveragePool", {"c"}, "d");
    setFloatTensor(*graph.add_output(), "d", {1, 2, 1, 1}, batch);
    return model;
}

/// Two branches of 64 bytes a tensor, of operators a to d; e adds what they end with. In file order three are alive at once,
/// 192 bytes; in some order all but e are, 320.
///
///     x --> a --> b --\             0 a, 1 b, 2 c, 3 d, 4 Add_e
///      \--> c --> d ---+--> e
inline onnx::ModelProto branchedModel(const char* a, const char* b, const char* c, const char* d)
{
    onnx::ModelProto model = tinyModel();
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.clear_node();
    graph.clear_output();
    addNode(graph, a, {"x"}, "a");
    addNode(graph, b, {"a"}, "b");
    addNode(graph, c, {"x"}, "c");
    addNode(graph, d, {"c"}, "d");
    addNode(graph, "Add", {"b", "d"}, "e");
    setFloatTensor(*graph.add_output(), "e", {1, 1, 4, 4});
    return model;
}

inline bool writeModel(const onnx::ModelProto& model, const QString& path)
{
    QFile file(path);
    const std::string bytes = model.SerializeAsString();
    return file.open(QIODevice::WriteOnly) && file.write(bytes.data(), qint64(bytes.size())) == qint64(bytes.size());
}

} // namespace arenascope::test
