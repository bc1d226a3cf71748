// SPDX-License-Identifier: MIT
// What becomes of an ONNX network on its way into a Graph. Figures worked out by hand.
#include <arenascope/importer.h>

#include "core/src/import/onnx/wire.h"
#include "tests/core/onnx_models.h"

#include <QtTest>

#include <set>

#include <sys/resource.h>

using namespace arenascope;
using namespace arenascope::onnx_import;
using namespace onnx_test;

namespace {

/// Imports; fails the test by an empty graph where that does not work.
ImportedModel load(const onnx::ModelProto& model, const ImportOptions& options = {})
{
    auto imported = importModel(ModelFile(model).path(), options);
    if (imported)
        return std::move(*imported);
    qWarning("%s", describe(imported.error()).c_str());
    return {std::make_shared<const Graph>(), {}};
}

QString errorOf(const onnx::ModelProto& model, const ImportOptions& options)
{
    const ModelFile file(model);
    const auto imported = importModel(file.path(), options);
    return imported ? QString() : QString::fromStdString(describe(imported.error())).remove(0, qsizetype(file.path().size()) + 2);
}

QStringList said(const ImportedModel& model)
{
    QStringList lines;
    for (const Diagnostic& diagnostic : model.diagnostics)
        lines.append(QString::fromStdString(describe(diagnostic.error)));
    return lines;
}

QString kinds(const Graph& graph)
{
    QStringList names;
    for (const Operator& op : graph.operators())
        names.append(QString::fromStdString(op.kind));
    return names.join(QLatin1Char(' '));
}

const Tensor& tensor(const Graph& graph, const char* name)
{
    const TensorId id = graph.findTensor(name);
    static const Tensor none;
    return id.isValid() ? graph.tensor(id) : none;
}

QStringList omitted(const Graph& graph)
{
    QStringList lines;
    for (const Omission& o : graph.omissions())
        lines.append(QString::fromStdString((o.what == Omission::What::Operator ? "operator " : "tensor ") + o.name + ", "
                                            + o.kind + ": " + o.reason + ", " + std::to_string(o.bytes)));
    return lines;
}

onnx::ModelProto reluModel(std::initializer_list<Dim> dims)
{
    onnx::ModelProto made = model();
    addInput(*made.mutable_graph(), "x", dims);
    addNode(*made.mutable_graph(), "Relu", {"x"}, {"y"}, "relu");
    addOutput(*made.mutable_graph(), "y");
    return made;
}

} // namespace

class TestOnnxImport : public QObject {
    Q_OBJECT

private slots:
    void facts();
    void isRecognisedByContentToo();
    void dimensions_data();
    void dimensions();
    void assumedDimensionsAreSaid();
    void oneNameTwoValues();
    void wrongOptions_data();
    void wrongOptions();
    void unsortedFilesAreSortedSmallestIndexFirst();
    void weightsAndConstants();
    void initializersListedAsInputsAreConstants();
    void weightsMayBeConstantOperators();
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
    void unknownShapesSayHowToGiveThem();
    void missingOpset();
    void externalData_data();
    void externalData();
    void attributes();
    void unnamedAndRepeatedNames();
    void theBranchThatFitsIsTaken();
    void filesBeyondFourGigabytes();
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

void TestOnnxImport::dimensions_data()
{
    QTest::addColumn<QStringList>("options"); // "x=1x2" shapes, "n:3" dims
    QTest::addColumn<QString>("shape");       // of y
    QTest::newRow("nothing given: 1 is assumed") << QStringList{} << "1x3x1";
    QTest::newRow("a named dimension") << QStringList{"n:4"} << "4x3x1";
    QTest::newRow("a whole shape") << QStringList{"x=2x3x5"} << "2x3x5";
    QTest::newRow("a shape wins over the file") << QStringList{"x=2x7x5"} << "2x7x5";
}

void TestOnnxImport::dimensions()
{
    QFETCH(QStringList, options);
    QFETCH(QString, shape);
    ImportOptions given;
    for (const QString& option : options) {
        if (option.contains(QLatin1Char(':'))) {
            given.dims[option.section(QLatin1Char(':'), 0, 0).toStdString()] = option.section(QLatin1Char(':'), 1).toLongLong();
            continue;
        }
        for (const QString& dim : option.section(QLatin1Char('='), 1).split(QLatin1Char('x')))
            given.shapes[option.section(QLatin1Char('='), 0, 0).toStdString()].push_back(dim.toLongLong());
    }
    const ImportedModel imported = load(reluModel({"n", 3, -1}), given);
    QCOMPARE(QString::fromStdString(toString(tensor(*imported.graph, "y").shape)), shape);
}

void TestOnnxImport::assumedDimensionsAreSaid()
{
    const ImportedModel imported = load(reluModel({"n", 3, -1}));
    QCOMPARE(said(imported),
             (QStringList{"input 'x': Dimension 'n' of input 'x' is not fixed in the file; 1 is assumed. Give another with "
                          "--dim n=N.",
                          "input 'x': Dimension 2 of input 'x' is not fixed in the file; 1 is assumed. Give another with "
                          "--shape x=Nx3xN."}));
    QVERIFY(imported.diagnostics[0].severity == Severity::Note);

    ImportOptions open;
    open.defaultDim = std::nullopt;
    const ImportedModel unknown = load(reluModel({"n", 3, -1}), open);
    QCOMPARE(unknown.graph->tensorsOfUnknownSize().size(), std::size_t{2});
}

void TestOnnxImport::oneNameTwoValues()
{
    onnx::ModelProto made = model();
    addInput(*made.mutable_graph(), "a", {"n"});
    addInput(*made.mutable_graph(), "b", {"n"});
    addNode(*made.mutable_graph(), "Concat", {"a", "b"}, {"y"});
    addAttribute(*made.mutable_graph()->mutable_node(0), "axis", 0);
    addOutput(*made.mutable_graph(), "y");
    ImportOptions options;
    options.shapes["a"] = {2};
    const ImportedModel same = load(made, options);
    QCOMPARE(tensor(*same.graph, "y").bytes, Bytes{16}); // b is 2 long, too
    options.shapes["b"] = {5};
    const ImportedModel other = load(made, options);
    QCOMPARE(said(other), QStringList{"input 'b': The shape of 'b' is not valid: dimension 'n' is 5 here and 2 by input "
                                      "'a'. Give another with --shape or --dim."});
    QCOMPARE(tensor(*other.graph, "y").bytes, Bytes{28});

    ImportOptions square;
    square.shapes["x"] = {2, 3};
    QCOMPARE(said(load(reluModel({"n", "n"}), square)),
             QStringList{"input 'x': The shape of 'x' is not valid: dimension 'n' is 3 here and 2 by input 'x'. Give another "
                         "with --shape or --dim."});
}

void TestOnnxImport::wrongOptions_data()
{
    QTest::addColumn<QString>("shapeName");
    QTest::addColumn<QList<int>>("dims");
    QTest::addColumn<QString>("dimName");
    QTest::addColumn<QString>("message");
    QTest::newRow("a shape for no input") << "z" << QList<int>{1} << ""
                                          << "--shape: There is no input or tensor 'z'. Known: 'x'.";
    QTest::newRow("a dimension nobody uses") << "" << QList<int>{} << "batch"
                                             << "--dim: There is no dimension 'batch'. Known: 'n'.";
    QTest::newRow("a wrong rank") << "x" << QList<int>{1, 2} << ""
                                  << "input 'x': The shape of 'x' is not valid: it has 3 dimensions in the file and 2 were "
                                     "given. Give another with --shape or --dim.";
    QTest::newRow("a negative extent") << "x" << QList<int>{1, 3, -4} << ""
                                       << "input 'x': The shape of 'x' is not valid: a dimension is negative. Give another "
                                          "with --shape or --dim.";
}

void TestOnnxImport::wrongOptions()
{
    QFETCH(QString, shapeName);
    QFETCH(QList<int>, dims);
    QFETCH(QString, dimName);
    QFETCH(QString, message);
    ImportOptions options;
    if (!shapeName.isEmpty())
        options.shapes[shapeName.toStdString()] = {dims.begin(), dims.end()};
    if (!dimName.isEmpty())
        options.dims[dimName.toStdString()] = 2;
    QCOMPARE(errorOf(reluModel({"n", 3, -1}), options), message);
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

void TestOnnxImport::weightsAndConstants()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {1, 3, 8, 8});
    addFloats(graph, "w", {64, 3, 3, 3}); // 6912 bytes: stays in the file
    addFloats(graph, "b", {64});          // 256 bytes: kept
    addFloats(graph, "unused", {2});
    addNode(graph, "Conv", {"x", "w", "b"}, {"y"}, "conv");
    addOutput(graph, "y");
    const ModelFile file(made);
    const auto imported = importModel(file.path());
    QVERIFY(imported);
    const Graph& g = *imported->graph;
    QCOMPARE(tensor(g, "y").bytes, Bytes{64 * 6 * 6 * 4});
    const Tensor& w = tensor(g, "w");
    QVERIFY(w.role == TensorRole::Weight);
    QCOMPARE(w.bytes, Bytes{6912});
    QVERIFY(w.source);
    QCOMPARE(w.source->file, file.path());
    QCOMPARE(w.source->length, std::int64_t{6912});
    QCOMPARE(bytesOf(made).mid(w.source->offset, w.source->length), QByteArray(6912, '\1'));
    const Tensor& b = tensor(g, "b");
    QVERIFY(b.source && b.source->file.empty());
    QCOMPARE(b.source->inlineBytes.size(), std::size_t{256});
    QCOMPARE(g.info().weightBytes, Bytes{6912 + 256 + 8});
    QCOMPARE(omitted(g), (QStringList{"tensor w, weight: weight, 6912", "tensor b, weight: weight, 256",
                                      "tensor unused, weight: weight, 8"}));
}

void TestOnnxImport::initializersListedAsInputsAreConstants()
{
    onnx::ModelProto made = model(7);
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    addInput(graph, "w", {4});
    addFloats(graph, "w", {4});
    addNode(graph, "Add", {"x", "w"}, {"y"});
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(imported.graph->inputs().size(), std::size_t{1});
    QVERIFY(tensor(*imported.graph, "w").role == TensorRole::Weight);
}

void TestOnnxImport::weightsMayBeConstantOperators()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {1, 2000});
    auto& constant = addNode(graph, "Constant", {}, {"w"}, "const");
    auto* value = constant.add_attribute();
    value->set_name("value");
    value->set_type(onnx::AttributeProto::TENSOR);
    value->mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    value->mutable_t()->add_dims(2000);
    value->mutable_t()->set_raw_data(std::string(8000, '\3'));
    addNode(graph, "Add", {"x", "w"}, {"y"}, "add");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    const Graph& g = *imported.graph;
    QCOMPARE(g.info().weightBytes, Bytes{8000});
    const Tensor& w = tensor(g, "w");
    QVERIFY(w.role == TensorRole::Constant);
    QVERIFY(w.source.has_value());
    QCOMPARE(bytesOf(made).mid(w.source->offset, w.source->length), QByteArray(8000, '\3'));
    QCOMPARE(omitted(g), (QStringList{"operator const, Constant: constant, -1", "tensor w, constant: constant, 8000"}));
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

void TestOnnxImport::unknownShapesSayHowToGiveThem()
{
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {2, 4});
    addNode(graph, "NonZero", {"x"}, {"i"}, "nz");
    addNode(graph, "Abs", {"i"}, {"y"}, "abs");
    addOutput(graph, "y");
    const ImportedModel imported = load(made);
    QCOMPARE(imported.graph->tensorsOfUnknownSize().size(), std::size_t{2});
    QCOMPARE(said(imported), QStringList{"operator 'nz': Tensor 'i', made by 'nz', has no fixed size. Give it with --shape "
                                         "i=2xN (with numbers for N)."});
    ImportOptions options;
    options.shapes["i"] = {2, 8};
    const ImportedModel given = load(made, options);
    QVERIFY(given.graph->tensorsOfUnknownSize().empty());
    QCOMPARE(tensor(*given.graph, "y").bytes, Bytes{128});
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

void TestOnnxImport::externalData_data()
{
    QTest::addColumn<QString>("location");
    QTest::addColumn<bool>("exists");
    QTest::addColumn<QString>("message");
    QTest::newRow("beside the model") << "w.bin" << true << "";
    QTest::newRow("in a folder that is not there")
        << "sub/w.bin" << false
        << "weight 'w': The content of 'w' should be in 'sub/w.bin', which is missing or too short. Planning works without "
           "it; put the file beside the model to run it.";
    QTest::newRow("out of the folder") << "../w.bin" << true
                                       << "weight 'w': The content of 'w' is said to be in '../w.bin', outside the model's "
                                          "folder, and is not read. Put the file beside the model and export again.";
    QTest::newRow("out by a detour") << "a/../../w.bin" << true
                                     << "weight 'w': The content of 'w' is said to be in 'a/../../w.bin', outside the "
                                        "model's folder, and is not read. Put the file beside the model and export again.";
    QTest::newRow("an absolute path") << "/etc/passwd" << true
                                      << "weight 'w': The content of 'w' is said to be in '/etc/passwd', outside the "
                                         "model's folder, and is not read. Put the file beside the model and export again.";
}

void TestOnnxImport::externalData()
{
    QFETCH(QString, location);
    QFETCH(bool, exists);
    QFETCH(QString, message);
    onnx::ModelProto made = model();
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {4});
    auto& w = addFloats(graph, "w", {4});
    w.clear_raw_data();
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto entry = [&w](const char* key, const std::string& value) {
        auto* added = w.add_external_data();
        added->set_key(key);
        added->set_value(value);
    };
    entry("location", location.toStdString());
    entry("offset", "8");
    entry("length", "16");
    addNode(graph, "Add", {"x", "w"}, {"y"});
    addOutput(graph, "y");
    const ModelFile file(made);
    if (exists && message.isEmpty()) {
        QFile data(file.folder() + QLatin1Char('/') + location);
        QVERIFY(data.open(QIODevice::WriteOnly));
        data.write(QByteArray(24, 'w'));
    }
    const auto imported = importModel(file.path());
    QVERIFY(imported);
    QCOMPARE(said(*imported), message.isEmpty() ? QStringList() : QStringList{message});
    const Tensor& weight = tensor(*imported->graph, "w");
    QCOMPARE(weight.bytes, Bytes{16});
    QCOMPARE(weight.source.has_value(), message.isEmpty());
    if (weight.source) {
        QCOMPARE(weight.source->offset, std::int64_t{8});
        QCOMPARE(weight.source->length, std::int64_t{16});
        QVERIFY(weight.source->file.ends_with("w.bin"));
    }
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

void TestOnnxImport::filesBeyondFourGigabytes()
{
    // 6 GiB of weights that are a hole in the file: read, they would fill the memory.
    constexpr std::int64_t kHole = std::int64_t{6} << 30;
    onnx::ModelProto head = model();
    auto& graph = *head.mutable_graph();
    addInput(graph, "x", {1, 4});
    addNode(graph, "MatMul", {"x", "w"}, {"y"}, "matmul");
    addOutput(graph, "y");
    onnx::TensorProto weight;
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.add_dims(4);
    weight.add_dims(kHole / 16);
    std::string tensor;
    std::string graphBytes = graph.SerializeAsString();
    head.clear_graph();
    tensor = weight.SerializeAsString();
    appendKey(tensor, onnx::TensorProto::kRawDataFieldNumber, WireType::Bytes);
    appendVarint(tensor, static_cast<std::uint64_t>(kHole));
    appendKey(graphBytes, onnx::GraphProto::kInitializerFieldNumber, WireType::Bytes);
    appendVarint(graphBytes, tensor.size() + static_cast<std::uint64_t>(kHole));
    graphBytes += tensor;
    std::string bytes;
    appendKey(bytes, onnx::ModelProto::kGraphFieldNumber, WireType::Bytes);
    appendVarint(bytes, graphBytes.size() + static_cast<std::uint64_t>(kHole));
    bytes += graphBytes;
    const std::int64_t begin = std::ssize(bytes);

    const ModelFile model(QByteArray::fromStdString(bytes));
    QFile file(QString::fromStdString(model.path()));
    QVERIFY(file.open(QIODevice::ReadWrite));
    if (!file.resize(begin + kHole))
        QSKIP("the file system has no files of 6 GiB");
    QVERIFY(file.seek(begin + kHole));
    const QByteArray tail = bytesOf(head); // the opset comes after the weights
    QCOMPARE(file.write(tail), tail.size());
    file.close();

    const auto imported = importModel(model.path());
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const Graph& g = *imported->graph;
    const Tensor& w = g.tensor(g.findTensor("w"));
    QCOMPARE(w.source->offset, begin);
    QCOMPARE(w.source->length, kHole);
    QCOMPARE(g.info().weightBytes, kHole);
    QCOMPARE(g.info().opsets.at(""), std::int64_t{13});
    QCOMPARE(g.tensor(g.findTensor("y")).bytes, kHole / 4);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    QVERIFY2(usage.ru_maxrss < 150 * 1024, "the weights must not be read");
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
