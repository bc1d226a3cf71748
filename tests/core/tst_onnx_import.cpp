// SPDX-License-Identifier: MIT
// What becomes of an ONNX network on its way into a Graph. Figures worked out by hand.
#include <arenascope/importer.h>

#include "tests/core/onnx_imports.h"

#include <QtTest>

#include <set>

using namespace arenascope;
using namespace onnx_test;

class TestOnnxImport : public QObject {
    Q_OBJECT

private slots:
    void facts();
    void isRecognisedByContentToo();
    void unsortedFilesAreSortedSmallestIndexFirst();
    void foldsShapeOfStaticTensors();
    void keepsShapeOfDataDependentTensors();
    void randomGeneratorsStay();
    void constantOutputsAreNoActivations();
    void deadOperatorsStay();
    void bodiesAreWorkspace();
    void nestedBodies();
    void functionsAreInlined();
    void sequencesAreSaid();
    void unknownOperators();
    void missingOpset();
    void attributes();
    void unnamedAndRepeatedNames();
    void theBranchThatFitsIsTaken();
    void stopsOnRequest();
    void progressGoesUp();
};

void TestOnnxImport::facts()
{
    onnx::ModelProto made = reluModel({2, 3});
    made.set_producer_version("1.5");
    addOpset(made, 1, "extra");
    const ImportedModel imported = load(made);
    const ModelInfo& info = imported.graph->info();
    QCOMPARE(info.name, std::string("model.onnx"));
    QCOMPARE(info.format, std::string("ONNX"));
    QCOMPARE(info.producer, std::string("test 1.5"));
    QCOMPARE(info.opsets.at(""), std::int64_t{13});
    QCOMPARE(info.opsets.at("extra"), std::int64_t{1});
    QCOMPARE(info.hash.size(), std::size_t{16});
    QCOMPARE(info.fileBytes, bytesOf(made).size());
    QCOMPARE(info.operatorsInFile, std::int64_t{1});
    QVERIFY(imported.diagnostics.empty());
    const Operator& relu = imported.graph->operators()[0];
    QCOMPARE(relu.name, std::string("relu"));
    QCOMPARE(relu.opset, 13);
    QCOMPARE(relu.fileIndex, 0);
    QCOMPARE(tensor(*imported.graph, "y").bytes, Bytes{24});
    QVERIFY(tensor(*imported.graph, "y").role == TensorRole::Output);
    QVERIFY(tensor(*imported.graph, "x").role == TensorRole::Input);
}

void TestOnnxImport::isRecognisedByContentToo()
{
    const auto imported = importModel(ModelFile(bytesOf(reluModel({2})), QStringLiteral("weights.bin")).path());
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    QCOMPARE(imported->graph->info().format, std::string("ONNX"));
}

void TestOnnxImport::unsortedFilesAreSortedSmallestIndexFirst()
{
    // File order: last(b, c), b(a), c(a), a(x). Ready: a; then b and c, of which b comes first in the file; then last.
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    addNode(graph, "Add", {"b", "c"}, {"y"}, "last");
    addNode(graph, "Relu", {"a"}, {"b"}, "b");
    addNode(graph, "Neg", {"a"}, {"c"}, "c");
    addNode(graph, "Abs", {"x"}, {"a"}, "a");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(kinds(*imported.graph), QStringLiteral("Abs Relu Neg Add"));
    QCOMPARE(imported.graph->operators()[0].fileIndex, 3);
    QCOMPARE(imported.graph->operators()[3].fileIndex, 0);
}

void TestOnnxImport::foldsShapeOfStaticTensors()
{
    // The usual chain of exporters: Shape -> Gather -> Unsqueeze -> Concat -> Reshape.
    onnx::ModelProto made = model(11);
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {"n", 2, 3, 4});
    addInts(graph, "zero", {0});
    addInts(graph, "rest", {-1});
    addNode(graph, "Relu", {"x"}, {"r"}, "relu");
    addNode(graph, "Shape", {"r"}, {"s"}, "shape");
    addNode(graph, "Gather", {"s", "zero"}, {"batch"}, "gather");
    addAttribute(addNode(graph, "Concat", {"batch", "rest"}, {"target"}, "concat"), "axis", 0);
    addNode(graph, "Reshape", {"r", "target"}, {"y"}, "reshape");
    addOutput(graph, "y");
    ImportOptions options;
    options.dims["n"] = 5;
    const ImportedModel imported = load(made, options);
    const Graph& g = *imported.graph;
    QCOMPARE(kinds(g), QStringLiteral("Relu Reshape"));
    QCOMPARE(QString::fromStdString(toString(tensor(g, "y").shape)), QStringLiteral("5x24"));
    QVERIFY(tensor(g, "target").role == TensorRole::Constant);
    QVERIFY(omitted(g).contains(QStringLiteral("operator shape, Shape: shape of a tensor whose shape is static, -1")));
    QVERIFY(omitted(g).contains(QStringLiteral("operator gather, Gather: constant inputs, -1")));
    QVERIFY(omitted(g).contains(QStringLiteral("tensor target, constant: constant inputs, 16")));
}

void TestOnnxImport::keepsShapeOfDataDependentTensors()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    addNode(graph, "NonZero", {"x"}, {"i"}, "nonzero");
    addNode(graph, "Shape", {"i"}, {"y"}, "shape");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(kinds(*imported.graph), QStringLiteral("NonZero Shape"));
    QCOMPARE(tensor(*imported.graph, "y").bytes, Bytes{16});
}

void TestOnnxImport::randomGeneratorsStay()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    auto& node = addNode(graph, "RandomNormal", {}, {"r"}, "random");
    auto* shape = node.add_attribute();
    shape->set_name("shape");
    shape->set_type(onnx::AttributeProto::INTS);
    shape->add_ints(6);
    addNode(graph, "Relu", {"r"}, {"y"});
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(kinds(*imported.graph), QStringLiteral("RandomNormal Relu"));
    QCOMPARE(tensor(*imported.graph, "y").bytes, Bytes{24});
}

void TestOnnxImport::constantOutputsAreNoActivations()
{
    onnx::ModelProto made = reluModel({4});
    addFloats(*made.mutable_graph(), "w", {3});
    addNode(*made.mutable_graph(), "Neg", {"w"}, {"c"}, "neg");
    addOutput(*made.mutable_graph(), "c");
    addOutput(*made.mutable_graph(), "w");
    const ImportedModel imported = load(made);
    QCOMPARE(kinds(*imported.graph), QStringLiteral("Relu"));
    QCOMPARE(imported.graph->outputs().size(), std::size_t{1});
    QVERIFY(omitted(*imported.graph).contains(QStringLiteral("tensor c, output: constant network output, 12")));
    QVERIFY(omitted(*imported.graph).contains(QStringLiteral("tensor w, output: constant network output, 12")));
}

void TestOnnxImport::deadOperatorsStay()
{
    onnx::ModelProto made = reluModel({4});
    addNode(*made.mutable_graph(), "Neg", {"x"}, {"nobody"}, "dead");
    const ImportedModel imported = load(made);
    QCOMPARE(kinds(*imported.graph), QStringLiteral("Relu Neg"));
    QVERIFY(!imported.graph->operators()[0].isDead);
    QVERIFY(imported.graph->operators()[1].isDead);
    QCOMPARE(tensor(*imported.graph, "nobody").bytes, Bytes{16});
}

void TestOnnxImport::bodiesAreWorkspace()
{
    // then: t1 = Relu(x), t2 = Neg(t1): 16 + 16 bytes at once.   else: e = Abs(x): 16 bytes.
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "flag", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {4});
    addNode(graph, "Identity", {"x"}, {"outer"}, "id");
    auto& node = addNode(graph, "If", {"flag"}, {"y"}, "if");
    auto& then = addBody(node, "then_branch");
    addNode(then, "Relu", {"outer"}, {"t1"});
    addNode(then, "Neg", {"t1"}, {"t2"});
    addOutput(then, "t2");
    auto& other = addBody(node, "else_branch");
    addNode(other, "Abs", {"x"}, {"e"});
    addOutput(other, "e");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    const Graph& g = *imported.graph;
    QCOMPARE(kinds(g), QStringLiteral("Identity If"));
    const Operator& branch = g.operators()[1];
    QCOMPARE(branch.workspace, Bytes{32});
    QCOMPARE(branch.captures, (std::vector<TensorId>{g.findTensor("x"), g.findTensor("outer")}));
    QCOMPARE(tensor(g, "outer").consumers, std::vector<OpId>{OpId(1)});
    QCOMPARE(tensor(g, "y").bytes, Bytes{16});
    QVERIFY(!g.findTensor("t1").isValid());
}

void TestOnnxImport::nestedBodies()
{
    // The inner If needs 16 + 16 bytes in its step, beside its own 16-byte output: 48; nothing else lives then.
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "flag", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {4});
    auto& outer = addNode(graph, "If", {"flag"}, {"y"}, "outer");
    auto& then = addBody(outer, "then_branch");
    auto& inner = addNode(then, "If", {"flag"}, {"z"}, "inner");
    auto& innerThen = addBody(inner, "then_branch");
    addNode(innerThen, "Relu", {"x"}, {"t1"});
    addNode(innerThen, "Neg", {"t1"}, {"t2"});
    addOutput(innerThen, "t2");
    auto& innerElse = addBody(inner, "else_branch");
    addNode(innerElse, "Abs", {"x"}, {"e1"});
    addOutput(innerElse, "e1");
    addOutput(then, "z");
    auto& other = addBody(outer, "else_branch");
    addNode(other, "Abs", {"x"}, {"e"});
    addOutput(other, "e");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(imported.graph->operators()[0].workspace, Bytes{48});
    QCOMPARE(imported.graph->operators()[0].captures.size(), std::size_t{2}); // flag and x, read further in
}

void TestOnnxImport::functionsAreInlined()
{
    onnx::ModelProto made = model();
    addOpset(made, 1, "local");
    auto* function = made.add_functions();
    function->set_domain("local");
    function->set_name("LeakyTwice");
    function->add_input("a");
    function->add_output("b");
    function->add_attribute("slope");
    for (int i = 0; i < 2; ++i) {
        auto* node = function->add_node();
        node->set_op_type("LeakyRelu");
        node->add_input(i == 0 ? "a" : "mid");
        node->add_output(i == 0 ? "mid" : "b");
        auto* alpha = node->add_attribute();
        alpha->set_name("alpha");
        alpha->set_type(onnx::AttributeProto::FLOAT);
        alpha->set_ref_attr_name("slope");
    }
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    for (int i = 0; i < 2; ++i) {
        auto& call = addNode(graph, "LeakyTwice", {i == 0 ? "x" : "h"}, {i == 0 ? "h" : "y"}, "call");
        call.set_domain("local");
        auto* slope = call.add_attribute();
        slope->set_name("slope");
        slope->set_type(onnx::AttributeProto::FLOAT);
        slope->set_f(0.25F + static_cast<float>(i));
    }
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    const Graph& g = *imported.graph;
    QCOMPARE(kinds(g), QStringLiteral("LeakyRelu LeakyRelu LeakyRelu LeakyRelu"));
    QCOMPARE(tensor(g, "call/mid").bytes, Bytes{16});
    QCOMPARE(tensor(g, "call#2/mid").bytes, Bytes{16});
    QCOMPARE(std::get<double>(g.operators()[1].attributes.at("alpha")), 0.25);
    QCOMPARE(std::get<double>(g.operators()[3].attributes.at("alpha")), 1.25);
}

void TestOnnxImport::sequencesAreSaid()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    addNode(graph, "SequenceConstruct", {"x", "x"}, {"s"}, "pack");
    addOutput(graph, "s");
    const ImportedModel imported = load(made);
    QCOMPARE(said(imported), QStringList{"tensor 's': 's' is a sequence, which has no fixed place in memory. Export the "
                                         "model with plain tensors."});
    QCOMPARE(tensor(*imported.graph, "s").bytes, Bytes{0});
    QVERIFY(imported.graph->tensorsOfUnknownSize().empty());
}

void TestOnnxImport::unknownOperators()
{
    onnx::ModelProto made = reluModel({4});
    addOpset(made, 2, "vendor");
    auto& graph = *made.mutable_graph();
    addNode(graph, "Magic", {"y"}, {"z"}, "magic").set_domain("vendor");
    auto* declared = graph.add_output();
    declared->set_name("z");
    setTensorType(*declared->mutable_type(), onnx::TensorProto::FLOAT, {10});
    const ImportedModel imported = load(made);
    QCOMPARE(tensor(*imported.graph, "z").bytes, Bytes{40});
    QCOMPARE(said(imported), QStringList{"Operator kind 'Magic' of domain 'vendor' (opset 2) is not known, so its outputs "
                                         "have no shape unless the file gives one. Run shape inference in the exporter."});
}

void TestOnnxImport::missingOpset()
{
    onnx::ModelProto made = reluModel({4});
    made.clear_opset_import();
    made.set_ir_version(3);
    const ImportedModel imported = load(made);
    QCOMPARE(said(imported), QStringList{"model: The file does not say which opset of domain 'ai.onnx' it uses; 8 is "
                                         "assumed. Export it again."});
    QCOMPARE(imported.graph->operators()[0].opset, 8);
}

void TestOnnxImport::attributes()
{
    onnx::ModelProto made = reluModel({4});
    auto& node = *made.mutable_graph()->mutable_node(0);
    addAttribute(node, "i", -7);
    auto* s = node.add_attribute();
    s->set_name("s");
    s->set_s("text"); // no type, as IR version 1 wrote them
    auto* f = node.add_attribute();
    f->set_name("fs");
    f->set_type(onnx::AttributeProto::FLOATS);
    f->add_floats(0.5F);
    auto* t = node.add_attribute();
    t->set_name("t");
    t->set_type(onnx::AttributeProto::TENSOR);
    t->mutable_t()->set_data_type(onnx::TensorProto::INT64);
    t->mutable_t()->add_dims(1);
    t->mutable_t()->add_int64_data(258);
    const ImportedModel imported = load(made);
    const Attributes& attributes = imported.graph->operators()[0].attributes;
    QCOMPARE(std::get<std::int64_t>(attributes.at("i")), std::int64_t{-7});
    QCOMPARE(std::get<std::string>(attributes.at("s")), std::string("text"));
    QCOMPARE(std::get<std::vector<double>>(attributes.at("fs")), std::vector<double>{0.5});
    const auto& value = std::get<TensorValue>(attributes.at("t"));
    QVERIFY(value.type == ElementType::Int64);
    QCOMPARE(value.source.inlineBytes.size(), std::size_t{8});
    QCOMPARE(value.source.inlineBytes[0], std::byte{2});
    QCOMPARE(value.source.inlineBytes[1], std::byte{1});
}

void TestOnnxImport::unnamedAndRepeatedNames()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    addNode(graph, "Relu", {"x"}, {"a"}, "same");
    addNode(graph, "Relu", {"a"}, {"b"}, "same");
    addNode(graph, "Relu", {"b"}, {"y"});
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    std::set<std::string> names;
    for (const Operator& op : imported.graph->operators())
        names.insert(op.name);
    QCOMPARE(names.size(), std::size_t{3});
    QVERIFY(!names.contains(""));
}

void TestOnnxImport::theBranchThatFitsIsTaken()
{
    // then: MatMul of [2,3] by [4,5], which cannot be; else: Relu.
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "flag", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {2, 3});
    addFloats(graph, "w", {4, 5});
    auto& node = addNode(graph, "If", {"flag"}, {"y"}, "if");
    auto& then = addBody(node, "then_branch");
    addNode(then, "MatMul", {"x", "w"}, {"t"}, "matmul");
    addOutput(then, "t");
    auto& other = addBody(node, "else_branch");
    addNode(other, "Relu", {"x"}, {"e"}, "relu");
    addOutput(other, "e");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(tensor(*imported.graph, "y").bytes, Bytes{24});
    QCOMPARE(imported.graph->operators()[0].workspace, Bytes{24});
    QCOMPARE(imported.diagnostics.size(), std::size_t{1});
    QVERIFY(imported.diagnostics[0].severity == Severity::Note);
    const QString text = said(imported)[0];
    QVERIFY(text.startsWith(QStringLiteral("Operator 'if' does not fit its inputs: one of its branches cannot work with them "
                                           "('matmul: ")));
    QVERIFY(text.contains(QStringLiteral("so the other one is taken")));
}

void TestOnnxImport::stopsOnRequest()
{
    std::stop_source source;
    source.request_stop();
    const auto imported = importModel(ModelFile(reluModel({4})).path(), {}, source.get_token());
    QVERIFY(!imported);
    QVERIFY(imported.error().code == ErrorCode::Cancelled);
}

void TestOnnxImport::progressGoesUp()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    for (int i = 0; i < 500; ++i)
        addNode(graph, "Relu", {i == 0 ? "x" : "t" + std::to_string(i - 1)}, {"t" + std::to_string(i)});
    addOutput(graph, "t499");
    double last = 0.0;
    bool isRising = true;
    int calls = 0;
    const auto imported = importModel(ModelFile(made).path(), {}, {}, [&](double fraction, std::string_view stage) {
        isRising &= fraction >= last && fraction <= 1.0 && !stage.empty();
        last = fraction;
        ++calls;
    });
    QVERIFY(imported);
    QVERIFY(isRising);
    QVERIFY(calls > 10);
    QVERIFY(last > 0.9);
}

QTEST_GUILESS_MAIN(TestOnnxImport)
#include "tst_onnx_import.moc"
