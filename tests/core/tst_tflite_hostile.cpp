// SPDX-License-Identifier: MIT
// Damaged and hostile .tflite files: one clear error, or a graph; never a crash, a hang or endless memory.
#include <arenascope/importer.h>
#include <arenascope/runtime.h>
#include <arenascope/study.h>

#include "tests/support/model_table.h"
#include "tests/support/random_graph.h"
#include "tests/support/tflite_writer.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

TfliteModel smallModel()
{
    TfliteGraph graph;
    graph.tensors = {{.name = "x", .shape = {1, 64}}, {.name = "w", .shape = {16}, .content = std::vector<std::uint8_t>(16, 7)},
                     {.name = "y", .shape = {1, 128}}};
    graph.ops = {{.code = kFullyConnected, .inputs = {0, 1}, .outputs = {2}}};
    graph.inputs = {0};
    graph.outputs = {2};
    return {.graphs = {graph}, .metadata = {{"OfflineMemoryAllocation", {0, 1, 3, 0, -1, 64}}}};
}

} // namespace

class TestTfliteHostile : public QObject {
    Q_OBJECT

private slots:
    void damage_data();
    void damage();
    void truncation();
    void randomBytes();
    void randomBytesOfRealFiles();
    void sharedVectorsAreLimited();
    void fieldsThatExportsFollowAreVerified();

private:
    Result<ImportedModel> read(const std::string& bytes);
    void digest(const std::string& bytes);
    QTemporaryDir m_folder;
};

Result<ImportedModel> TestTfliteHostile::read(const std::string& bytes)
{
    const std::string path = m_folder.filePath("model.tflite").toStdString();
    writeBytes(path, bytes);
    return importModel(path);
}

/// Opens and plans what opens. Errors must say something.
void TestTfliteHostile::digest(const std::string& bytes)
{
    const auto model = read(bytes);
    if (!model) {
        QVERIFY(!model.error().where.empty() && model.error().code != ErrorCode::Internal);
        return;
    }
    const auto study = makeStudy(model->graph, {.problem = {.alignment = 16}});
    if (!study)
        return;
    const auto outcome = planStudy(*study, "tflm");
    QVERIFY(!outcome || (*outcome)->plan.arenaSize >= 0);
}

void TestTfliteHostile::damage_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, TfliteModel model, const char* says) {
        QTest::newRow(name) << QByteArray::fromStdString(tfliteFile(model)) << QString(says);
    };
    const auto changed = [](auto change) {
        TfliteModel model = smallModel();
        change(model, model.graphs[0]);
        return model;
    };
    row("a tensor that is not there", changed([](auto&, auto& g) { g.ops[0].inputs = {0, 3}; }),
        ", subgraph 0, operator 0 (FULLY_CONNECTED), inputs: The file is damaged: number 1 is tensor 3 of 3.");
    row("a negative tensor", changed([](auto&, auto& g) { g.ops[0].outputs = {-2}; }), "outputs: The file is damaged: number 0 is tensor -2 of 3.");
    row("an input that is left out", changed([](auto&, auto& g) { g.inputs = {-1}; }), "subgraph 0, inputs: The file is damaged: number 0 is tensor -1 of 3.");
    row("an output that is not there", changed([](auto&, auto& g) { g.outputs = {1000000}; }), "subgraph 0, outputs: The file is damaged: number 0 is tensor 1000000 of 3.");
    row("a negative dimension", changed([](auto&, auto& g) { g.tensors[2].shape = {1, -128}; }),
        "subgraph 0, tensor 2 'y': The file is damaged: dimension 1 of its shape is -128.");
    row("a signature below -1", changed([](auto&, auto& g) { g.tensors[0].signature = {-2, 64}; }), "dimension 0 of its shape signature is -2.");
    row("sizes beyond 63 bits", changed([](auto&, auto& g) { g.tensors[2].shape = {2147483647, 2147483647, 2147483647}; }),
        "The size of 'y' does not fit 63 bits.");
    row("no sub-graph", {}, "it holds no sub-graph");
    row("no operators", changed([](auto&, auto& g) { g.ops.clear(); g.outputs = {}; }), "The network has no operators.");
    row("another schema", changed([](auto& m, auto&) { m.version = 2; }), "TensorFlow Lite schema version 2 files cannot be read.");
    row("no buffers", changed([](auto& m, auto& g) { m.hasBuffers = false; g.tensors[1].content.clear(); m.metadata.clear(); }),
        "tensor 0 'x': The file is damaged: its content is buffer 0, and the file has 0 buffers.");
    row("a constant that is written", changed([](auto&, auto& g) { g.ops[0].outputs = {1}; }),
        "it writes tensor 'w', which has content in the file.");
    row("two that write one tensor", changed([](auto&, auto& g) { g.ops.push_back(g.ops[0]); }), "Tensor 'y' is written by both");
    row("an operator that reads what it writes", changed([](auto&, auto& g) { g.ops[0].inputs = {2}; }), "The operators form a cycle");
    row("a call without sub-graphs", changed([](auto&, auto& g) { g.ops[0].code = kIf; }), "(IF): The file is damaged: it does not say which sub-graphs it runs.");
    row("a call of a sub-graph that is not there", changed([](auto&, auto& g) { g.ops[0].code = kWhile; g.ops[0].calls = {1, 2}; }),
        "it runs sub-graph 1 of 1.");
    row("a call of a negative sub-graph", changed([](auto&, auto& g) { g.ops[0].code = kCallOnce; g.ops[0].calls = {-1}; }), "it runs sub-graph -1 of 1.");
    QTest::newRow("nothing but a name") << QByteArray("\x20\0\0\0TFL3", 8) << "its FlatBuffers structure is broken";
    QTest::newRow("too short") << QByteArray("TFL3", 4) << "The file ends too early: a model has at least 8 bytes.";
    QTest::newRow("another identifier") << QByteArray("\x10\0\0\0ABCD\0\0\0\0\0\0\0\0\0\0\0\0", 20) << "it does not have the identifier TFL3";
}

void TestTfliteHostile::damage()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    const auto model = read(bytes.toStdString());
    QVERIFY(!model);
    const QString text = QString::fromStdString(describe(model.error()));
    QVERIFY2(text.startsWith(m_folder.filePath("model.tflite")), qPrintable(text));
    QVERIFY2(text.contains(says), qPrintable(text));
}

void TestTfliteHostile::truncation()
{
    const std::string bytes = tfliteFile(smallModel());
    for (std::size_t length = 1; length < bytes.size(); ++length)
        digest(bytes.substr(0, length));
}

void TestTfliteHostile::randomBytes()
{
    const std::string bytes = tfliteFile(smallModel());
    Random random(1);
    for (int i = 0; i < 3000; ++i) {
        std::string damaged = bytes;
        for (std::int64_t n = 1 + random.below(3); n-- > 0;)
            damaged[static_cast<std::size_t>(random.below(std::ssize(bytes)))] = static_cast<char>(random.below(3) == 0 ? 255 : random.below(256));
        digest(damaged);
    }
}

void TestTfliteHostile::randomBytesOfRealFiles()
{
    const QDir folder(modelPath("tflite"));
    if (!folder.exists())
        QSKIP("models/tflite is missing (set ARENASCOPE_SHARED_DIR)");
    Random random(2);
    for (const char* name : {"two_signatures.tflite", "hello_world_float.tflite", "micro_speech_int8.tflite", "keyword_svdf_int8.tflite", "dtln.tflite"}) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string bytes = file.readAll().toStdString();
        const bool isSmall = bytes.size() < 50'000;
        // The structure is at both ends; what lies between is content mostly.
        const std::int64_t ends = std::min<std::int64_t>(std::ssize(bytes), 6000);
        for (int i = 0; i < (isSmall ? 250 : 25); ++i) {
            std::string damaged = bytes;
            for (std::int64_t n = 1 + random.below(4); n-- > 0;) {
                const std::int64_t at = random.below(ends);
                damaged[static_cast<std::size_t>(random.chance(0.5) ? at : std::ssize(bytes) - 1 - at)] = static_cast<char>(random.below(256));
            }
            digest(damaged);
        }
        for (int i = 0; i < (isSmall ? 30 : 5); ++i)
            digest(bytes.substr(0, static_cast<std::size_t>(random.below(std::ssize(bytes)))));
    }
}

// A thousand operators that share one list of a hundred thousand operands, and tensors that share one long name.
void TestTfliteHostile::sharedVectorsAreLimited()
{
    flatbuffers::FlatBufferBuilder builder;
    const auto operands = builder.CreateVector(std::vector<std::int32_t>(100'000, 0));
    const auto name = builder.CreateString(std::string(100'000, 'n'));
    const auto shape = builder.CreateVector(std::vector<std::int32_t>{4});
    std::vector<flatbuffers::Offset<fb::Operator>> ops;
    for (int i = 0; i < 1000; ++i)
        ops.push_back(fb::CreateOperator(builder, 0, operands));
    std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
    for (int i = 0; i < 10; ++i)
        tensors.push_back(fb::CreateTensor(builder, shape, 9, 0, name));
    std::vector<flatbuffers::Offset<fb::SubGraph>> graphs{fb::CreateSubGraphDirect(builder, &tensors, nullptr, nullptr, &ops)};
    std::vector<flatbuffers::Offset<fb::OperatorCode>> codes{fb::CreateOperatorCodeDirect(builder, kRelu, nullptr, 1, kRelu)};
    std::vector<flatbuffers::Offset<fb::Buffer>> buffers{fb::CreateBuffer(builder)};
    builder.Finish(fb::CreateModelDirect(builder, 3, &codes, &graphs, nullptr, &buffers), "TFL3");
    const auto model = read({reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});
    QVERIFY(!model);
    const QString text = QString::fromStdString(describe(model.error()));
    QVERIFY2(text.contains("would be many times as long as the file"), qPrintable(text));
}

// Nothing reads the field `metadata_buffer`, but a copy of the file leads to where it leads.
void TestTfliteHostile::fieldsThatExportsFollowAreVerified()
{
    for (const std::uint32_t offset : {0x7ffffff0u, 12u}) {
        flatbuffers::FlatBufferBuilder builder;
        const std::vector<std::int32_t> shape{4}, in{0}, out{1};
        std::vector<flatbuffers::Offset<fb::Tensor>> tensors{fb::CreateTensorDirect(builder, &shape, 9), fb::CreateTensorDirect(builder, &shape, 9)};
        std::vector<flatbuffers::Offset<fb::Operator>> ops{fb::CreateOperatorDirect(builder, 0, &in, &out)};
        std::vector<flatbuffers::Offset<fb::SubGraph>> graphs{fb::CreateSubGraphDirect(builder, &tensors, &in, &out, &ops)};
        std::vector<flatbuffers::Offset<fb::OperatorCode>> codes{fb::CreateOperatorCodeDirect(builder, kRelu, nullptr, 1, kRelu)};
        std::vector<flatbuffers::Offset<fb::Buffer>> buffers{fb::CreateBuffer(builder)};
        const auto codeVector = builder.CreateVector(codes);
        const auto graphVector = builder.CreateVector(graphs);
        const auto bufferVector = builder.CreateVector(buffers);
        const auto start = builder.StartTable();
        builder.AddElement<std::uint32_t>(fb::Model::VT_VERSION, 3, 0);
        builder.AddOffset(fb::Model::VT_OPERATOR_CODES, codeVector);
        builder.AddOffset(fb::Model::VT_SUBGRAPHS, graphVector);
        builder.AddOffset(fb::Model::VT_BUFFERS, bufferVector);
        if (offset > 12)
            builder.AddElement<std::uint32_t>(fb::Model::VT_METADATA_BUFFER, offset, 0);
        builder.Finish(flatbuffers::Offset<fb::Model>(builder.EndTable(start)), "TFL3");
        const auto model = read({reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});
        QCOMPARE(bool(model), offset == 12); // without the field it is a sound file
        QVERIFY(model || model.error().code == ErrorCode::FileCorrupt);
    }
}

QTEST_GUILESS_MAIN(TestTfliteHostile)
#include "tst_tflite_hostile.moc"
