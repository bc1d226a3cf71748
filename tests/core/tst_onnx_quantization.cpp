// SPDX-License-Identifier: MIT
// Scales and zero points that quantised networks give for their tensors.
#include "tests/core/onnx_imports.h"

#include <QtTest>

using namespace arenascope;
using namespace onnx_test;

namespace {

void addScales(onnx::GraphProto& graph, const std::string& name, std::vector<float> values, bool isScalar = false)
{
    auto* tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    if (!isScalar)
        tensor->add_dims(static_cast<std::int64_t>(values.size()));
    for (const float value : values)
        tensor->add_float_data(value);
}

void addZeros(onnx::GraphProto& graph, const std::string& name, std::vector<int> values, int type,
              bool isScalar = false)
{
    auto* tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    if (!isScalar)
        tensor->add_dims(static_cast<std::int64_t>(values.size()));
    for (const int value : values)
        tensor->add_int32_data(value);
}

/// "scales; zero points; axis", or "none".
QString said(const Graph& graph, const char* name)
{
    const Tensor& found = tensor(graph, name);
    if (!found.quantization)
        return QStringLiteral("none");
    QStringList scales;
    for (const float scale : found.quantization->scales)
        scales.append(QString::number(double(scale)));
    QStringList zeros;
    for (const std::int64_t zero : found.quantization->zeroPoints)
        zeros.append(QString::number(zero));
    return scales.join(QLatin1Char(' ')) + QStringLiteral("; ") + zeros.join(QLatin1Char(' ')) + QStringLiteral("; ")
        + QString::number(found.quantization->axis);
}

} // namespace

class TestOnnxQuantization : public QObject {
    Q_OBJECT

private slots:
    void quantizeAndDequantize_data();
    void quantizeAndDequantize();
    void whatIsNotKnownIsLeftOut();
    void convolution();
    void concat();
    void annotations();
    void halfPrecisionScales();
};

void TestOnnxQuantization::quantizeAndDequantize_data()
{
    QTest::addColumn<QList<float>>("scales");
    QTest::addColumn<QList<int>>("zeros"); // empty: no such operand
    QTest::addColumn<int>("axis");         // 100: none given
    QTest::addColumn<QString>("expected");
    QTest::newRow("one scale") << QList<float>{0.5F} << QList<int>{128} << 100 << "0.5; 128; -1";
    QTest::newRow("without a zero point") << QList<float>{0.25F} << QList<int>{} << 100 << "0.25; 0; -1";
    QTest::newRow("a scale a channel, along axis 1") << QList<float>{1, 2, 4} << QList<int>{7, 8, 9} << 100
                                                     << "1 2 4; 7 8 9; 1";
    QTest::newRow("along a given axis") << QList<float>{1, 2} << QList<int>{0, 1} << 0 << "1 2; 0 1; 0";
    QTest::newRow("along an axis from the end") << QList<float>{1, 2, 3, 4} << QList<int>{} << -1
                                                << "1 2 3 4; 0 0 0 0; 2";
    QTest::newRow("scales that do not fit the axis") << QList<float>{1, 2} << QList<int>{} << 100 << "none";
    QTest::newRow("an axis that is not there") << QList<float>{1, 2} << QList<int>{} << 9 << "none";
}

void TestOnnxQuantization::quantizeAndDequantize()
{
    QFETCH(QList<float>, scales);
    QFETCH(QList<int>, zeros);
    QFETCH(int, axis);
    QFETCH(QString, expected);
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {2, 3, 4});
    addInput(graph, "given", {2, 3, 4}, onnx::TensorProto::UINT8);
    addScales(graph, "s", {scales.begin(), scales.end()}, scales.size() == 1);
    if (!zeros.isEmpty())
        addZeros(graph, "z", {zeros.begin(), zeros.end()}, onnx::TensorProto::UINT8, scales.size() == 1);
    const auto link = [&](const char* kind, const char* in, const char* out) {
        auto& node = addNode(graph, kind, {in, "s"}, {out});
        if (!zeros.isEmpty())
            node.add_input(std::string("z"));
        if (axis != 100)
            addAttribute(node, "axis", axis);
        addOutput(graph, out);
    };
    link("QuantizeLinear", "x", "q");
    link("DequantizeLinear", "given", "y");
    const ImportedModel imported = load(made);
    QCOMPARE(said(*imported.graph, "q"), expected);
    QCOMPARE(said(*imported.graph, "given"), expected);
    QCOMPARE(said(*imported.graph, "x"), QStringLiteral("none"));
    QCOMPARE(said(*imported.graph, "y"), QStringLiteral("none"));
}

void TestOnnxQuantization::whatIsNotKnownIsLeftOut()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    addInput(graph, "scale", {});
    addScales(graph, "known", {1.0F}, true);
    addInput(graph, "zero", {}, onnx::TensorProto::UINT8);
    addNode(graph, "QuantizeLinear", {"x", "scale"}, {"a"});
    addNode(graph, "QuantizeLinear", {"x", "known", "zero"}, {"b"});
    addNode(graph, "DynamicQuantizeLinear", {"x"}, {"c", "cs", "cz"});
    for (const char* output : {"a", "b", "c"})
        addOutput(graph, output);
    const ImportedModel imported = load(made);
    QCOMPARE(imported.graph->operators().size(), std::size_t{3});
    for (const char* output : {"a", "b", "c"})
        QCOMPARE(said(*imported.graph, output), QStringLiteral("none"));
}

void TestOnnxQuantization::convolution()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {1, 3, 8, 8}, onnx::TensorProto::UINT8);
    auto* w = graph.add_initializer();
    w->set_name("w");
    w->set_data_type(onnx::TensorProto::INT8);
    for (const int extent : {2, 3, 1, 1})
        w->add_dims(extent);
    w->set_raw_data(std::string(6, '\1'));
    addScales(graph, "xs", {0.5F}, true);
    addZeros(graph, "xz", {100}, onnx::TensorProto::UINT8, true);
    addScales(graph, "ws", {0.25F, 0.125F});
    addZeros(graph, "wz", {0, 1}, onnx::TensorProto::INT8);
    addScales(graph, "ys", {2.0F}, true);
    addZeros(graph, "yz", {-3}, onnx::TensorProto::INT8, true);
    addNode(graph, "QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz"}, {"y"});
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(said(*imported.graph, "x"), QStringLiteral("0.5; 100; -1"));
    QCOMPARE(said(*imported.graph, "w"), QStringLiteral("0.25 0.125; 0 1; 0"));
    QCOMPARE(said(*imported.graph, "y"), QStringLiteral("2; -3; -1"));
}

void TestOnnxQuantization::concat()
{
    onnx::ModelProto made = model();
    addOpset(made, 1, "com.microsoft");
    auto& graph = *made.mutable_graph();
    addInput(graph, "a", {1, 2}, onnx::TensorProto::UINT8);
    addInput(graph, "b", {1, 2}, onnx::TensorProto::UINT8);
    for (const char* name : {"s1", "s2", "s3"})
        addScales(graph, name, {static_cast<float>(name[1] - '0')}, true);
    for (const char* name : {"z1", "z2", "z3"})
        addZeros(graph, name, {name[1] - '0'}, onnx::TensorProto::UINT8, true);
    auto& node = addNode(graph, "QLinearConcat", {"s3", "z3", "a", "s1", "z1", "b", "s2", "z2"}, {"y"});
    node.set_domain("com.microsoft");
    addAttribute(node, "axis", 1);
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(said(*imported.graph, "a"), QStringLiteral("1; 1; -1"));
    QCOMPARE(said(*imported.graph, "b"), QStringLiteral("2; 2; -1"));
    QCOMPARE(said(*imported.graph, "y"), QStringLiteral("3; 3; -1"));
}

void TestOnnxQuantization::annotations()
{
    onnx::ModelProto made = reluModel({4});
    auto& graph = *made.mutable_graph();
    addScales(graph, "s", {0.75F}, true);
    auto* annotation = graph.add_quantization_annotation();
    annotation->set_tensor_name("y");
    auto* entry = annotation->add_quant_parameter_tensor_names();
    entry->set_key("SCALE_TENSOR");
    entry->set_value("s");
    graph.add_quantization_annotation()->set_tensor_name("nowhere");
    const ImportedModel imported = load(made);
    QCOMPARE(said(*imported.graph, "y"), QStringLiteral("0.75; 0; -1"));
}

void TestOnnxQuantization::halfPrecisionScales()
{
    onnx::ModelProto made = model(19);
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {5}, onnx::TensorProto::FLOAT16);
    // 1, -2, the smallest above 0 (2^-24), the smallest normal one (2^-14), the largest
    addZeros(graph, "s", {0x3C00, 0xC000, 0x0001, 0x0400, 0x7BFF}, onnx::TensorProto::FLOAT16);
    auto& node = addNode(graph, "QuantizeLinear", {"x", "s"}, {"q"});
    addAttribute(node, "axis", 0);
    addOutput(graph, "q");
    const ImportedModel imported = load(made);
    const auto& found = tensor(*imported.graph, "q").quantization;
    QVERIFY(found);
    QCOMPARE(found->scales, (std::vector<float>{1.0F, -2.0F, 5.9604644775390625e-8F, 6.103515625e-5F, 65504.0F}));
}

QTEST_GUILESS_MAIN(TestOnnxQuantization)
#include "tst_onnx_quantization.moc"
