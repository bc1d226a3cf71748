// SPDX-License-Identifier: MIT
// What the graph says of .tflite files made here, worked out by hand.
#include <arenascope/importer.h>
#include <arenascope/study.h>
#include <arenascope/tensor_data.h>

#include "tests/support/tflite_writer.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::vector<std::uint8_t> int32s(std::initializer_list<std::int32_t> numbers)
{
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t number : numbers) {
        for (int i = 0; i < 4; ++i)
            bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(number) >> (8 * i)));
    }
    return bytes;
}

/// x [?, 8, 8, 3] -> conv [?, 4, 4, 5] -> reshape [?, 80] -> softmax.
TfliteModel convolutionModel()
{
    TfliteGraph graph;
    graph.tensors = {
        {.name = "x", .shape = {1, 8, 8, 3}, .type = kFloat32, .signature = {-1, 8, 8, 3}},
        {.name = "w", .shape = {5, 3, 3, 3}, .type = kFloat32, .content = std::vector<std::uint8_t>(540, 1)},
        {.name = "c", .shape = {1, 4, 4, 5}, .type = kFloat32, .signature = {-1, 4, 4, 5}},
        {.name = "to", .shape = {2}, .type = kInt32, .content = int32s({-1, 80})},
        {.name = "r", .shape = {1, 80}, .type = kFloat32, .signature = {-1, 80}},
        {.name = "y", .shape = {1, 80}, .type = kFloat32, .signature = {-1, 80}},
    };
    TfliteOp conv{.code = kConv2D, .inputs = {0, 1, -1}, .outputs = {2}, .version = 3};
    conv.optionsType = fb::Options::Conv2D;
    conv.options = [](flatbuffers::FlatBufferBuilder& builder) { return fb::CreateConv2DOptions(builder, 0, 2, 2, 3).Union(); };
    graph.ops = {conv, {.code = kReshape, .inputs = {2, 3}, .outputs = {4}}, {.code = kSoftmax, .inputs = {4}, .outputs = {5}}};
    graph.inputs = {0};
    graph.outputs = {5};
    return {.graphs = {graph}};
}

} // namespace

class TestTfliteImport : public QObject {
    Q_OBJECT

private slots:
    void operatorsAndTensors();
    void namesAreUnique();
    void elementTypes_data();
    void elementTypes();
    void quantization();
    void rolesOfTensors();
    void namesOfOperators();
    void otherShapes_data();
    void otherShapes();
    void wrongOptions_data();
    void wrongOptions();
    void operatorsThatNeverRunAreListed();
    void contentOfWeights();
    void largeFilesAreHashedWithoutContent();

private:
    Result<ImportedModel> read(const TfliteModel& model, const ImportOptions& options = {});
    QTemporaryDir m_folder;
};

Result<ImportedModel> TestTfliteImport::read(const TfliteModel& model, const ImportOptions& options)
{
    const std::string path = m_folder.filePath("model.tflite").toStdString();
    writeBytes(path, tfliteFile(model));
    return importModel(path, options);
}

void TestTfliteImport::operatorsAndTensors()
{
    const auto model = read(convolutionModel());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const Graph& graph = *model->graph;
    QCOMPARE(graph.info().format, std::string("TensorFlow Lite"));
    QCOMPARE(graph.info().producer, std::string("Made by a test"));
    QCOMPARE(graph.info().operatorsInFile, 3);
    QCOMPARE(graph.info().weightBytes, Bytes(548));
    QCOMPARE(graph.info().hash.size(), std::size_t(16));
    QCOMPARE(graph.operators().size(), std::size_t(3));
    const Operator& conv = graph.operators()[0];
    QCOMPARE(conv.kind, std::string("CONV_2D"));
    QCOMPARE(conv.name, std::string("c")); // operators have no names: what it makes has
    QCOMPARE(conv.opset, 3);
    QCOMPARE(conv.fusedActivation, std::string("RELU6"));
    QCOMPARE(std::get<std::string>(conv.attributes.at("padding")), std::string("SAME"));
    QCOMPARE(std::get<std::int64_t>(conv.attributes.at("stride_h")), 2);
    QCOMPARE(std::get<std::int64_t>(conv.attributes.at("dilation_w")), 1);
    QCOMPARE(conv.inputs, (std::vector<TensorId>{TensorId(0), TensorId(1), TensorId()}));
    QCOMPARE(graph.tensor(TensorId(2)).bytes, Bytes(4 * 4 * 5 * 4));
    QCOMPARE(graph.tensor(TensorId(1)).role, TensorRole::Weight);
    QCOMPARE(graph.tensor(TensorId(0)).role, TensorRole::Input);
    QCOMPARE(graph.tensor(TensorId(5)).role, TensorRole::Output);
    QCOMPARE(graph.tensor(TensorId(4)).fileIndex, 4);
    QCOMPARE(model->diagnostics.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(describe(model->diagnostics[0].error)),
             QString("input 'x': Dimension 'batch' of input 'x' is not fixed in the file; 1 is assumed. Give another with --dim batch=N."));
}

void TestTfliteImport::namesAreUnique()
{
    TfliteModel model = convolutionModel();
    for (const std::size_t i : {2, 4})
        model.graphs[0].tensors[i].name = "x";
    model.graphs[0].tensors[1].name = "";
    model.graphs[0].tensors[5].name = "x#2";
    model.graphs.push_back(convolutionModel().graphs[0]); // never runs
    model.graphs[1].tensors[0].name = "";
    const auto imported = read(model);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    QStringList names;
    for (const Tensor& tensor : imported->graph->tensors())
        names << QString::fromStdString(tensor.name);
    QCOMPARE(names.mid(0, 7), (QStringList{"x", "tensor_1", "x#3", "to", "x#4", "x#2", "subgraph_1/tensor_0"}));
    QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), names.size());
    QCOMPARE(imported->graph->tensors().size(), std::size_t(12));
}

void TestTfliteImport::elementTypes_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("name");
    QTest::addColumn<qint64>("bytes"); // of [3, 3] in the arena of TensorFlow Lite Micro
    const auto row = [](int type, const char* name, qint64 bytes) { QTest::newRow(name) << type << QString(name) << bytes; };
    row(0, "float32", 36);
    row(1, "float16", 18);
    row(2, "int32", 36);
    row(3, "uint8", 9);
    row(4, "int64", 72);
    row(6, "bool", 9);
    row(7, "int16", 18);
    row(8, "complex64", 72);
    row(9, "int8", 9);
    row(10, "float64", 72);
    row(11, "complex128", 144);
    row(12, "uint64", 72);
    row(13, "resource", 36);
    row(15, "uint32", 36);
    row(16, "uint16", 18);
    row(17, "int4", 9);
    row(18, "bfloat16", 18);
    row(5, "string", -1);
    row(14, "variant", -1);
    row(99, "undefined", -1);
}

void TestTfliteImport::elementTypes()
{
    QFETCH(int, type);
    QFETCH(QString, name);
    QFETCH(qint64, bytes);
    TfliteModel model;
    model.graphs = {{{{.name = "x", .shape = {4}}, {.name = "y", .shape = {3, 3}, .type = type}}, {{.inputs = {0}, .outputs = {1}}}, {0}, {1}}};
    const auto imported = read(model);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    QCOMPARE(QString::fromLatin1(elementTypeName(imported->graph->tensors()[1].type).data()), name);
    QCOMPARE(imported->graph->tensors()[1].bytes, Bytes(bytes));
    QCOMPARE(imported->graph->tensorsOfUnknownSize().size(), std::size_t(bytes < 0 ? 1 : 0));
}

void TestTfliteImport::quantization()
{
    TfliteModel model = convolutionModel();
    model.graphs[0].tensors[0].scales = {0.5f};
    model.graphs[0].tensors[0].zeroPoints = {-3};
    model.graphs[0].tensors[1].scales = {1, 2, 3, 4, 5};
    model.graphs[0].tensors[1].zeroPoints = {0, 0, 0, 0, 7};
    model.graphs[0].tensors[2].scales = {1, 2};
    model.graphs[0].tensors[2].axis = 3;
    const auto imported = read(model);
    QVERIFY(imported);
    const auto tensors = imported->graph->tensors();
    QCOMPARE(tensors[0].quantization->scales, std::vector<float>{0.5f});
    QCOMPARE(tensors[0].quantization->zeroPoints, std::vector<std::int64_t>{-3});
    QCOMPARE(tensors[0].quantization->axis, -1);
    QCOMPARE(tensors[1].quantization->zeroPoints, (std::vector<std::int64_t>{0, 0, 0, 0, 7}));
    QCOMPARE(tensors[1].quantization->axis, 0);
    QCOMPARE(tensors[2].quantization->zeroPoints, (std::vector<std::int64_t>{0, 0})); // left out: 0
    QCOMPARE(tensors[2].quantization->axis, 3);
    QVERIFY(!tensors[4].quantization);
}

void TestTfliteImport::rolesOfTensors()
{
    TfliteModel model;
    TfliteGraph graph;
    graph.tensors = {{.name = "x", .shape = {16}}, {.name = "scratch", .shape = {100}}, {.name = "y", .shape = {16}},
                     {.name = "state", .shape = {32}, .isVariable = true}, {.name = "idle", .shape = {48}},
                     {.name = "empty", .shape = {0}}};
    graph.ops = {{.code = kCustom, .inputs = {0, 1, 3}, .outputs = {2}, .customName = "ethos-u"}};
    graph.inputs = {0};
    graph.outputs = {2, 2}; // twice is once
    model.graphs = {graph};
    const auto imported = read(model);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const Graph& network = *imported->graph;
    QCOMPARE(network.operators()[0].kind, std::string("ethos-u"));
    QCOMPARE(network.tensors()[1].role, TensorRole::Scratch);
    QCOMPARE(network.tensors()[3].role, TensorRole::Variable);
    QCOMPARE(network.tensors()[4].role, TensorRole::Scratch);
    QCOMPARE(network.outputs().size(), std::size_t(1));
    const auto study = makeStudy(imported->graph, {.problem = {.alignment = 16}});
    QVERIFY(study);
    QStringList buffers, idle;
    for (const Buffer& buffer : (*study)->problem.buffers)
        buffers << QString::fromStdString(buffer.name);
    for (const Buffer& buffer : (*study)->problem.idle)
        idle << QString::fromStdString(buffer.name);
    QCOMPARE(buffers, (QStringList{"x", "scratch", "y"}));
    QCOMPARE(idle, QStringList{"idle"});
    QCOMPARE((*study)->profile.peak, Bytes(16 + 112 + 16));
    QCOMPARE((*study)->problem.buffers[1].live, (LiveRange{0, 1}));
    const auto tflm = planStudy(*study, "tflm");
    QVERIFY(tflm && (*tflm)->isValid());
    // scratch (112) first, idle (48) beside it: both are there before the run; x and y above scratch.
    QCOMPARE((*tflm)->plan.idleOffsets, std::vector<Offset>{112});
    QCOMPARE((*tflm)->plan.arenaSize, Bytes(160));
}

void TestTfliteImport::namesOfOperators()
{
    TfliteModel model;
    TfliteGraph graph;
    graph.tensors = {{.name = "x", .shape = {16}}, {.name = "y", .shape = {16}}, {.name = "z", .shape = {16}}, {.name = "q", .shape = {16}}};
    graph.ops = {{.code = 150, .inputs = {0}, .outputs = {1}},
                 {.code = 9999, .inputs = {1}, .outputs = {2}},
                 {.code = kCustom, .inputs = {2}, .outputs = {3}}};
    graph.inputs = {0};
    graph.outputs = {3};
    model.graphs = {graph};
    const auto imported = read(model);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    QCOMPARE(imported->graph->operators()[0].kind, std::string("GELU")); // above what the first field for codes holds
    QCOMPARE(imported->graph->operators()[1].kind, std::string("BUILTIN_9999"));
    QCOMPARE(imported->graph->operators()[2].kind, std::string("CUSTOM"));
}

void TestTfliteImport::otherShapes_data()
{
    QTest::addColumn<QStringList>("options"); // "x=..", "batch=..", "default=.."
    QTest::addColumn<QStringList>("shapes");  // of c, r, y
    QTest::newRow("as stored") << QStringList() << QStringList{"1x4x4x5", "1x80", "1x80"};
    QTest::newRow("a batch by its name") << QStringList{"batch=3"} << QStringList{"3x4x4x5", "3x80", "3x80"};
    QTest::newRow("a batch by the shape") << QStringList{"x=2x8x8x3"} << QStringList{"2x4x4x5", "2x80", "2x80"};
    QTest::newRow("larger pictures") << QStringList{"x=1x16x16x3"} << QStringList{"1x8x8x5", "4x80", "4x80"};
    QTest::newRow("another default") << QStringList{"default=7"} << QStringList{"7x4x4x5", "7x80", "7x80"};
    QTest::newRow("no default: unknown") << QStringList{"default=none"} << QStringList{"?x4x4x5", "?x80", "?x80"};
    QTest::newRow("a shape in the middle") << QStringList{"c=6x4x4x5"} << QStringList{"6x4x4x5", "6x80", "6x80"};
}

void TestTfliteImport::otherShapes()
{
    QFETCH(QStringList, options);
    QFETCH(QStringList, shapes);
    ImportOptions import;
    for (const QString& option : options) {
        const QString value = option.section('=', 1);
        if (option.startsWith("batch="))
            import.dims["batch"] = value.toLongLong();
        else if (option == "default=none")
            import.defaultDim.reset();
        else if (option.startsWith("default="))
            import.defaultDim = value.toLongLong();
        else
            for (const QString& dim : value.split('x'))
                import.shapes[option.section('=', 0, 0).toStdString()].push_back(dim.toLongLong());
    }
    const auto model = read(convolutionModel(), import);
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QStringList found;
    for (const int i : {2, 4, 5})
        found << QString::fromStdString(toString(model->graph->tensor(TensorId(i)).shape));
    QCOMPARE(found, shapes);
}

void TestTfliteImport::wrongOptions_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QList<int>>("dims");
    QTest::addColumn<QString>("says");
    QTest::newRow("a name that is not there") << "z" << QList<int>{1} << "--shape: There is no input or tensor 'z'. Known: 'x'.";
    QTest::newRow("another rank") << "x" << QList<int>{1, 2} << "it has 4 dimensions in the file and 2 were given";
    QTest::newRow("a negative extent") << "x" << QList<int>{-4, 8, 8, 3} << "a dimension is negative";
    QTest::newRow("a dimension that is not there") << "" << QList<int>{} << "--dim: There is no dimension 'time'. Known: 'batch'.";
}

void TestTfliteImport::wrongOptions()
{
    QFETCH(QString, name);
    QFETCH(QList<int>, dims);
    QFETCH(QString, says);
    ImportOptions options;
    if (name.isEmpty())
        options.dims["time"] = 3;
    else
        options.shapes[name.toStdString()] = std::vector<std::int64_t>(dims.begin(), dims.end());
    const auto model = read(convolutionModel(), options);
    QVERIFY(!model);
    QVERIFY2(QString::fromStdString(describe(model.error())).contains(says), describe(model.error()).c_str());
}

void TestTfliteImport::operatorsThatNeverRunAreListed()
{
    TfliteModel model = convolutionModel();
    model.graphs.push_back({{{.name = "p", .shape = {8}}, {.name = "q", .shape = {8}}}, {{.inputs = {0}, .outputs = {1}}}, {0}, {1}});
    const auto imported = read(model);
    QVERIFY(imported);
    QCOMPARE(imported->graph->operators().size(), std::size_t(3));
    QCOMPARE(imported->graph->info().operatorsInFile, 4);
    QCOMPARE(imported->graph->omissions().size(), std::size_t(1));
    QCOMPARE(imported->graph->omissions()[0].name, std::string("q"));
    QCOMPARE(imported->graph->omissions()[0].reason, std::string("sub-graph 1 is not called by the main one"));
}

void TestTfliteImport::contentOfWeights()
{
    TfliteModel model = convolutionModel();
    for (std::size_t i = 0; i < 540; ++i)
        model.graphs[0].tensors[1].content[i] = static_cast<std::uint8_t>(i);
    const auto imported = read(model);
    QVERIFY(imported);
    const Tensor& weight = imported->graph->tensors()[1];
    QVERIFY(weight.source && weight.source->offset % 16 == 0);
    const auto content = readTensorData(*weight.source, weight.type, weight.bytes);
    QVERIFY(content);
    for (std::size_t i = 0; i < 540; ++i)
        QCOMPARE(std::to_integer<int>((*content)[i]), int(i & 255));
    const Tensor& axes = imported->graph->tensors()[3]; // short lists of integers are kept
    QCOMPARE(axes.source->inlineBytes.size(), std::size_t(8));
    // Content that is too short for its shape is told; planning goes on.
    model.graphs[0].tensors[1].content.resize(100);
    const auto cut = read(model);
    QVERIFY(cut);
    QCOMPARE(cut->diagnostics.back().error.code, ErrorCode::MissingData);
}

void TestTfliteImport::largeFilesAreHashedWithoutContent()
{
    TfliteModel model = convolutionModel();
    model.graphs[0].tensors[1].shape = {5, 3, 3, 30000};
    model.graphs[0].tensors[1].content.assign(5 * 9 * 30000 * 4, 1);
    const auto one = read(model);
    model.graphs[0].tensors[1].content[12345] = 2;
    const auto other = read(model);
    model.graphs[0].tensors[5].name = "z";
    const auto third = read(model);
    QVERIFY(one && other && third);
    QCOMPARE(one->graph->info().hash, other->graph->info().hash);
    QVERIFY(one->graph->info().hash != third->graph->info().hash);
}

QTEST_GUILESS_MAIN(TestTfliteImport)
#include "tst_tflite_import.moc"
