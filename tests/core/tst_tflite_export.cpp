// SPDX-License-Identifier: MIT
// Offline plans out: the copy holds the plan, and all else of the model file as it was.
#include <arenascope/graph_builder.h>
#include <arenascope/importer.h>
#include <arenascope/runtime.h>
#include <arenascope/tflite_export.h>

#include "tests/support/model_table.h"
#include "tests/support/tflite_writer.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::string contentOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const fb::Model& modelOf(const std::string& bytes)
{
    return *fb::GetModel(bytes.data());
}

bool isVerified(const std::string& bytes)
{
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return fb::VerifyModelBuffer(verifier);
}

template <class Vector>
std::string bytesOf(const Vector* vector)
{
    return vector ? std::string(reinterpret_cast<const char*>(vector->Data()), vector->size() * sizeof(*vector->begin())) : "none";
}

std::string textOf(const flatbuffers::String* text)
{
    return text ? text->str() : "none";
}

/// All of a tensor or operator that can be said in one line.
std::string lineOf(const fb::Tensor& t)
{
    const auto* q = t.quantization();
    return textOf(t.name()) + "|" + bytesOf(t.shape()) + "|" + bytesOf(t.shape_signature()) + "|" + std::to_string(t.type()) + "|"
        + std::to_string(t.buffer()) + "|" + std::to_string(t.is_variable()) + "|" + std::to_string(t.sparsity() != nullptr) + "|"
        + (q ? bytesOf(q->scale()) + bytesOf(q->zero_point()) + std::to_string(q->quantized_dimension()) : "");
}

std::string lineOf(const fb::Operator& op)
{
    return std::to_string(op.opcode_index()) + "|" + bytesOf(op.inputs()) + "|" + bytesOf(op.outputs()) + "|"
        + bytesOf(op.custom_options()) + "|" + bytesOf(op.intermediates()) + "|" + std::to_string(int(op.options_type()));
}

/// Everything but metadata and the list of buffers.
QStringList linesOf(const fb::Model& model)
{
    QStringList lines{QString::number(model.version()), QString::fromStdString(textOf(model.description()))};
    for (const auto* code : *model.operator_codes())
        lines << QString("%1 %2 %3 %4").arg(code->short_code()).arg(code->code()).arg(code->version())
                     .arg(QString::fromStdString(textOf(code->custom_code())));
    for (const auto* graph : *model.subgraphs()) {
        lines << QString::fromStdString(textOf(graph->name()) + bytesOf(graph->inputs()) + bytesOf(graph->outputs()));
        for (const auto* tensor : *graph->tensors())
            lines << QString::fromStdString(lineOf(*tensor));
        for (const auto* op : *graph->operators())
            lines << QString::fromStdString(lineOf(*op));
    }
    for (std::size_t i = 0; model.signature_defs() && i < model.signature_defs()->size(); ++i)
        lines << QString::fromStdString(textOf(model.signature_defs()->Get(static_cast<unsigned>(i))->signature_key()));
    return lines;
}

std::vector<std::int32_t> planIn(const std::string& bytes)
{
    std::vector<std::int32_t> numbers;
    for (const auto* entry : *modelOf(bytes).metadata()) {
        if (textOf(entry->name()) != "OfflineMemoryAllocation")
            continue;
        const auto* data = modelOf(bytes).buffers()->Get(entry->buffer())->data();
        if ((reinterpret_cast<const char*>(data->data()) - bytes.data()) % 16 != 0)
            return {}; // not aligned
        numbers.resize(data->size() / 4);
        std::memcpy(numbers.data(), data->data(), numbers.size() * 4);
    }
    return numbers;
}

Result<std::shared_ptr<const PlanOutcome>> planned(const std::string& path, std::string_view strategy, StudyOptions options = {})
{
    const auto model = importModel(path);
    if (!model)
        return model.error();
    options.problem.alignment = std::max<Bytes>(options.problem.alignment == 64 ? 16 : options.problem.alignment, 1);
    const auto study = makeStudy(model->graph, options);
    return study ? planStudy(*study, strategy) : Result<std::shared_ptr<const PlanOutcome>>(study.error());
}

QHash<QString, qint64> offsetsOf(const PlanOutcome& outcome)
{
    QHash<QString, qint64> offsets;
    for (std::size_t i = 0; i < outcome.study->graph->tensors().size(); ++i) {
        if (const auto offset = tensorOffset(*outcome.study, outcome.plan, TensorId::fromIndex(i)))
            offsets[QString::fromStdString(outcome.study->graph->tensors()[i].name)] = *offset;
    }
    return offsets;
}

/// x -> a -> b -> y, with a weight and a tensor that nothing touches.
TfliteModel smallModel()
{
    TfliteGraph graph;
    graph.tensors = {{.name = "x", .shape = {1, 64}}, {.name = "w", .shape = {4, 4}, .content = std::vector<std::uint8_t>(16, 7)},
                     {.name = "a", .shape = {1, 128}, .scales = {0.5f}, .zeroPoints = {3}}, {.name = "b", .shape = {1, 32}},
                     {.name = "y", .shape = {1, 96}}, {.name = "idle", .shape = {1, 400}}};
    graph.ops = {{.code = kCustom, .inputs = {0, 1}, .outputs = {2}, .customName = "mine", .customOptions = {1, 2, 3}},
                 {.code = kRelu, .inputs = {2}, .outputs = {3}},
                 {.code = kRelu, .inputs = {3}, .outputs = {4}}};
    graph.inputs = {0};
    graph.outputs = {4};
    return {.graphs = {graph}, .metadata = {{"min_runtime_version", {1, 2}}}};
}

} // namespace

class TestTfliteExport : public QObject {
    Q_OBJECT

private slots:
    void holdsThePlan();
    void realFilesKeepAllElse_data();
    void realFilesKeepAllElse();
    void aPlanIsReplaced();
    void unknownFieldsStay();
    void contentOutsideIsShifted();
    void refusesWhatTheRuntimeCannotDo_data();
    void refusesWhatTheRuntimeCannotDo();
    void theModelItselfIsNotWritten();
    void calledSubgraphsAreRefused();
    void overlapsOfTheFileAreNotes();
    void summaryOfTheRuntime();

private:
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }
    QTemporaryDir m_folder;
};

void TestTfliteExport::holdsThePlan()
{
    writeBytes(path("a.tflite"), tfliteFile(smallModel()));
    const auto outcome = planned(path("a.tflite"), "greedy-by-size");
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    const auto written = planToTflite(**outcome, path("b.tflite"));
    QVERIFY2(written, written ? "" : describe(written.error()).c_str());
    const std::string bytes = contentOf(path("b.tflite"));
    QVERIFY(isVerified(bytes));
    const auto offsets = offsetsOf(**outcome);
    // Version, sub-graphs, tensors, then x, w (a constant), a, b, y, and what nothing touches.
    QCOMPARE(planIn(bytes), (std::vector<std::int32_t>{0, 1, 6, int(offsets["x"]), -1, int(offsets["a"]), int(offsets["b"]),
                                                       int(offsets["y"]), 0}));
    QCOMPARE(linesOf(modelOf(bytes)), linesOf(modelOf(contentOf(path("a.tflite")))));
    QCOMPARE(textOf(modelOf(bytes).metadata()->Get(0)->name()), std::string("min_runtime_version"));

    const auto again = planned(path("b.tflite"), "file");
    QVERIFY2(again, again ? "" : describe(again.error()).c_str());
    QCOMPARE(offsetsOf(**again), offsets);
    QVERIFY((*again)->isValid());
    QCOMPARE((*again)->plan.strategy, std::string("file"));
    QCOMPARE((*again)->plan.idleOffsets, std::vector<Offset>{0});
    QVERIFY(planned(path("a.tflite"), "file").error().code == ErrorCode::Unsupported);
}

void TestTfliteExport::realFilesKeepAllElse_data()
{
    QTest::addColumn<QString>("file");
    const QDir folder(modelPath("tflite"));
    if (!folder.exists())
        QSKIP("models/tflite is missing (set ARENASCOPE_SHARED_DIR)");
    for (const QString& name : folder.entryList({"*.tflite"}, QDir::Files))
        QTest::newRow(qPrintable(name)) << folder.filePath(name);
}

void TestTfliteExport::realFilesKeepAllElse()
{
    QFETCH(QString, file);
    for (const AliasMode alias : {AliasMode::None, AliasMode::All}) {
        StudyOptions options;
        options.alias = alias;
        const auto outcome = planned(file.toStdString(), "auto", options);
        QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
        const auto written = planToTflite(**outcome, path("out.tflite"));
        QVERIFY2(written, written ? "" : describe(written.error()).c_str());
        const std::string before = contentOf(file.toStdString());
        const std::string after = contentOf(path("out.tflite"));
        QVERIFY(isVerified(after));
        QVERIFY(after.ends_with(before));
        QCOMPARE((after.size() - before.size()) % 16, std::size_t(0));
        QCOMPARE(linesOf(modelOf(after)), linesOf(modelOf(before)));
        const auto& old = *modelOf(before).buffers();
        for (unsigned i = 0; i < old.size(); ++i)
            QCOMPARE(bytesOf(modelOf(after).buffers()->Get(i)->data()), bytesOf(old.Get(i)->data()));
        const auto again = planned(path("out.tflite"), "file", options);
        QVERIFY2(again, again ? "" : describe(again.error()).c_str());
        QVERIFY((*again)->isValid());
        QCOMPARE(offsetsOf(**again), offsetsOf(**outcome));
        QVERIFY((*again)->plan.arenaSize <= std::max<Bytes>((*outcome)->plan.arenaSize, 64)); // idle tensors lie at 0
    }
}

void TestTfliteExport::aPlanIsReplaced()
{
    TfliteModel model = smallModel();
    model.metadata.insert(model.metadata.begin(), {"OfflineMemoryAllocation", {0, 1, 6, 1024, -1, 2048, -1, -1, -1}});
    writeBytes(path("a.tflite"), tfliteFile(model));
    // As the runtime: what the file places lies there, the rest around it.
    const auto before = planned(path("a.tflite"), "tflm");
    QVERIFY(before);
    QCOMPARE(offsetsOf(**before)["x"], 1024);
    QCOMPARE(offsetsOf(**before)["a"], 2048);
    QCOMPARE(offsetsOf(**before)["y"], 0);
    QCOMPARE(offsetsOf(**before)["b"], 96); // above y, which it meets
    const auto outcome = planned(path("a.tflite"), "greedy-by-size"); // others do not look at it
    QVERIFY(outcome && (*outcome)->plan.arenaSize < 1024);
    QVERIFY(planToTflite(**outcome, path("b.tflite")));
    const std::string bytes = contentOf(path("b.tflite"));
    QVERIFY(isVerified(bytes));
    QCOMPARE(modelOf(bytes).metadata()->size(), 2u);
    QCOMPARE(modelOf(bytes).buffers()->size(), modelOf(contentOf(path("a.tflite"))).buffers()->size());
    QCOMPARE(offsetsOf(**planned(path("b.tflite"), "file")), offsetsOf(**outcome));
    // And once more, from the copy.
    const auto third = planned(path("b.tflite"), "naive");
    QVERIFY(planToTflite(**third, path("c.tflite")));
    QCOMPARE(offsetsOf(**planned(path("c.tflite"), "file")), offsetsOf(**third));
    QCOMPARE(modelOf(contentOf(path("c.tflite"))).metadata()->size(), 2u);
}

// A root table of a newer schema: a number and a text in fields that this program does not know.
void TestTfliteExport::unknownFieldsStay()
{
    flatbuffers::FlatBufferBuilder builder;
    const auto text = builder.CreateString("from the future");
    const std::vector<std::int32_t> shape{1, 16};
    std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
    for (const char* name : {"x", "y"}) {
        const auto dims = builder.CreateVector(shape);
        const auto named = builder.CreateString(name);
        const auto start = builder.StartTable();
        builder.AddOffset(4, dims);
        builder.AddOffset(10, named);
        builder.AddElement<std::int8_t>(6, 9, 0);
        builder.AddElement<std::uint64_t>(4 + 2 * 30, 77, 0); // a field of the future
        tensors.push_back(flatbuffers::Offset<fb::Tensor>(builder.EndTable(start)));
    }
    std::vector<flatbuffers::Offset<fb::Buffer>> buffers{fb::CreateBuffer(builder)};
    const std::vector<std::int32_t> in{0}, out{1};
    std::vector<flatbuffers::Offset<fb::Operator>> ops{fb::CreateOperatorDirect(builder, 0, &in, &out)};
    std::vector<flatbuffers::Offset<fb::SubGraph>> graphs{fb::CreateSubGraphDirect(builder, &tensors, &in, &out, &ops)};
    std::vector<flatbuffers::Offset<fb::OperatorCode>> codes{fb::CreateOperatorCodeDirect(builder, kRelu, nullptr, 1, kRelu)};
    const auto codeVector = builder.CreateVector(codes);
    const auto graphVector = builder.CreateVector(graphs);
    const auto bufferVector = builder.CreateVector(buffers);
    const auto start = builder.StartTable();
    builder.AddElement<std::uint32_t>(4, 3, 0);
    builder.AddOffset(6, codeVector);
    builder.AddOffset(8, graphVector);
    builder.AddOffset(12, bufferVector);
    builder.AddOffset(4 + 2 * 8, text);
    builder.AddElement<std::uint32_t>(4 + 2 * 9, 4242, 0);
    builder.AddElement<std::uint64_t>(4 + 2 * 11, 0x123456789aULL, 0);
    builder.Finish(flatbuffers::Offset<fb::Model>(builder.EndTable(start)), "TFL3");
    writeBytes(path("a.tflite"), {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});

    const auto outcome = planned(path("a.tflite"), "naive");
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    const auto written = planToTflite(**outcome, path("b.tflite"));
    QVERIFY2(written, written ? "" : describe(written.error()).c_str());
    const std::string bytes = contentOf(path("b.tflite"));
    QVERIFY(isVerified(bytes));
    const auto& root = reinterpret_cast<const flatbuffers::Table&>(modelOf(bytes));
    QCOMPARE(textOf(root.GetPointer<const flatbuffers::String*>(4 + 2 * 8)), std::string("from the future"));
    QCOMPARE(root.GetField<std::uint32_t>(4 + 2 * 9, 0), 4242u);
    QCOMPARE(root.GetField<std::uint64_t>(4 + 2 * 11, 0), std::uint64_t(0x123456789a));
    const auto& tensor = reinterpret_cast<const flatbuffers::Table&>(*modelOf(bytes).subgraphs()->Get(0)->tensors()->Get(1));
    QCOMPARE(tensor.GetField<std::uint64_t>(4 + 2 * 30, 0), std::uint64_t(77));
    QCOMPARE(offsetsOf(**planned(path("b.tflite"), "file")), offsetsOf(**outcome));
}

// Files above 2 GB name content by its position in the file.
void TestTfliteExport::contentOutsideIsShifted()
{
    const auto at = [](std::uint64_t offset) {
        flatbuffers::FlatBufferBuilder own;
        TfliteGraph graph = smallModel().graphs[0];
        std::vector<flatbuffers::Offset<fb::Buffer>> list{fb::CreateBuffer(own), fb::CreateBuffer(own, 0, offset, 16)};
        std::vector<flatbuffers::Offset<fb::Tensor>> tensors;
        for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
            const std::vector<std::int32_t> shape(graph.tensors[i].shape.begin(), graph.tensors[i].shape.end());
            tensors.push_back(fb::CreateTensorDirect(own, &shape, 9, i == 1 ? 1 : 0, graph.tensors[i].name.c_str()));
        }
        std::vector<flatbuffers::Offset<fb::Operator>> ops;
        for (const TfliteOp& op : graph.ops) {
            const std::vector<std::int32_t> in(op.inputs.begin(), op.inputs.end()), out(op.outputs.begin(), op.outputs.end());
            ops.push_back(fb::CreateOperatorDirect(own, 0, &in, &out));
        }
        const std::vector<std::int32_t> in{0}, out{4};
        std::vector<flatbuffers::Offset<fb::SubGraph>> graphs{fb::CreateSubGraphDirect(own, &tensors, &in, &out, &ops)};
        std::vector<flatbuffers::Offset<fb::OperatorCode>> codes{fb::CreateOperatorCodeDirect(own, kRelu, nullptr, 1, kRelu)};
        own.Finish(fb::CreateModelDirect(own, 3, &codes, &graphs, nullptr, &list), "TFL3");
        return std::string(reinterpret_cast<const char*>(own.GetBufferPointer()), own.GetSize());
    };
    const std::uint64_t place = at(1000).size();
    writeBytes(path("a.tflite"), at(place) + "sixteen bytes ..");
    const auto outcome = planned(path("a.tflite"), "naive");
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    QVERIFY(planToTflite(**outcome, path("b.tflite")));
    const std::string after = contentOf(path("b.tflite"));
    const auto* buffer = modelOf(after).buffers()->Get(1);
    QCOMPARE(after.substr(buffer->offset(), buffer->size()), std::string("sixteen bytes .."));
    const auto again = importModel(path("b.tflite"));
    QVERIFY(again);
    QCOMPARE(again->graph->tensors()[1].source->offset, std::int64_t(buffer->offset()));
    // A file that does not have what it names.
    writeBytes(path("c.tflite"), at(place) + "short");
    QCOMPARE(importModel(path("c.tflite")).error().code, ErrorCode::FileTruncated);
}

void TestTfliteExport::refusesWhatTheRuntimeCannotDo_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("says");
    QTest::newRow("another order") << 0 << "another order of the operators than the file's";
    QTest::newRow("several memories") << 1 << "several memories";
    QTest::newRow("a small alignment") << 2 << "an alignment of 8";
    QTest::newRow("inputs outside") << 3 << "inputs or outputs outside of the arena";
    QTest::newRow("another format") << 4 << "in a file of the format";
    QTest::newRow("a plan with clashes") << 5 << "it has clashes";
    QTest::newRow("a file that has changed") << 6 << "the file has changed";
    QTest::newRow("other shapes") << 7 << "other shapes than the file's";
}

void TestTfliteExport::refusesWhatTheRuntimeCannotDo()
{
    QFETCH(int, which);
    QFETCH(QString, says);
    TfliteModel model = smallModel();
    TfliteGraph& graph = model.graphs[0];
    graph.tensors[0].signature = {-1, 64};
    graph.tensors.push_back({.name = "side", .shape = {1, 640}}); // 6: read last, so min-peak makes it last
    graph.ops.insert(graph.ops.begin(), {.code = kRelu, .inputs = {0}, .outputs = {6}});
    graph.ops.back().inputs = {3, 6};
    writeBytes(path("a.tflite"), tfliteFile(model));
    StudyOptions options;
    options.problem.alignment = which == 2 ? 8 : 16;
    options.problem.io.inputsInArena = which != 3;
    if (which == 0)
        options.schedule = ScheduleKind::MinPeak;
    if (which == 1)
        options.problem.regions = {{"fast", 4096}, {"slow", 4096}};
    ImportOptions import;
    if (which == 7)
        import.dims["batch"] = 2;
    const auto imported = importModel(path("a.tflite"), import);
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    std::shared_ptr<const Graph> network = imported->graph;
    if (which == 4) {
        GraphBuilder builder;
        builder.addOutput(builder.addSimple("Relu", {}, "y", 16));
        network = *std::move(builder).build();
    }
    if (which == 7) { // custom kinds have no rules here: the shapes are given
        ImportOptions all = import;
        all.shapes = {{"a", {2, 128}}};
        network = importModel(path("a.tflite"), all)->graph;
    }
    const auto study = makeStudy(network, options);
    QVERIFY2(study, study ? "" : describe(study.error()).c_str());
    auto outcome = planStudy(*study, "greedy-by-size");
    QVERIFY(outcome);
    auto broken = std::make_shared<PlanOutcome>(**outcome);
    if (which == 5)
        broken->placement.clashCount = 1;
    if (which == 6) {
        model.description = "Made again.";
        writeBytes(path("a.tflite"), tfliteFile(model));
    }
    const auto written = planToTflite(*broken, path("refused.tflite"));
    QVERIFY(!written);
    QVERIFY2(QString::fromStdString(describe(written.error())).contains(says), describe(written.error()).c_str());
    QVERIFY(!QFile::exists(m_folder.filePath("refused.tflite")));
}

void TestTfliteExport::theModelItselfIsNotWritten()
{
    writeBytes(path("a.tflite"), tfliteFile(smallModel()));
    const std::string before = contentOf(path("a.tflite"));
    const auto outcome = planned(path("a.tflite"), "naive");
    QVERIFY(outcome);
    QCOMPARE(planToTflite(**outcome, path("a.tflite")).error().code, ErrorCode::FileNotWritable);
    QVERIFY(planToTflite(**outcome, path("b.tflite")));
    QVERIFY(contentOf(path("a.tflite")) == before);
}

// That runtime reads the first sub-graph's offsets for all of them.
void TestTfliteExport::calledSubgraphsAreRefused()
{
    TfliteModel model = smallModel();
    model.graphs[0].ops[1] = {.code = kWhile, .inputs = {2}, .outputs = {3}, .calls = {1, 1}};
    TfliteGraph body{{{.name = "in", .shape = {1, 100}}, {.name = "out", .shape = {1, 50}}}, {}, {0}, {1}};
    body.ops = {{.code = kRelu, .inputs = {0}, .outputs = {1}}};
    model.graphs.push_back(body);
    writeBytes(path("a.tflite"), tfliteFile(model));
    const auto outcome = planned(path("a.tflite"), "naive");
    QVERIFY2(outcome, outcome ? "" : describe(outcome.error()).c_str());
    const auto written = planToTflite(**outcome, path("calls.tflite"));
    QVERIFY(!written);
    QVERIFY(QString::fromStdString(describe(written.error())).contains("calls sub-graphs (tensor 'in')"));
    const auto report = tflmReport((*outcome)->study->graph);
    QVERIFY(report && *report && !(*report)->offlineBytes && (*report)->whyNotOffline);
}

void TestTfliteExport::overlapsOfTheFileAreNotes()
{
    TfliteModel model = smallModel();
    model.metadata = {{"OfflineMemoryAllocation", {0, 1, 6, 0, -1, 32, 160, 0, -1}}};
    writeBytes(path("a.tflite"), tfliteFile(model));
    const auto own = planned(path("a.tflite"), "file");
    QVERIFY2(own, own ? "" : describe(own.error()).c_str());
    QVERIFY((*own)->isValid());
    const auto& problem = (*own)->study->problem;
    const std::vector<Clash> overlaps = fileOverlaps(problem, (*own)->plan);
    QCOMPARE(overlaps.size(), std::size_t(1)); // x [0, 64) and a [32, 160) at step 0
    QCOMPARE(overlaps[0].step, Step(0));
    QCOMPARE(overlaps[0].begin, Offset(32));
    QCOMPARE(overlaps[0].end, Offset(64));
    // The same overlap in a plan that is not the file's own is a clash, for checker and replay.
    Plan other = (*own)->plan;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        if (problem.buffers[i].name == "y")
            other.placements[i].offset = 320;
    }
    other.arenaSize = 4096;
    QVERIFY(!validatePlan(problem, other).isValid());
    QVERIFY(!replayPlan(*(*own)->study->graph, (*own)->study->schedule, problem, other).isValid());
    QVERIFY(fileOverlaps(problem, other).empty());
    // Plans that do not fit are told, and not followed.
    for (const std::vector<std::int32_t>& wrong : {std::vector<std::int32_t>{0, 1}, {1, 1, 6, 0, 0, 0, 0, 0, 0}, {0, 1, 7, 0, 0, 0, 0, 0, 0, 0},
                                                   {0, 1, 6, 0, 0}, {0, 1, 6, 0, 0, -2, 0, 0, 0}}) {
        model.metadata = {{"OfflineMemoryAllocation", wrong}};
        writeBytes(path("a.tflite"), tfliteFile(model));
        const auto imported = importModel(path("a.tflite"));
        QVERIFY(imported);
        QCOMPARE(imported->diagnostics.size(), std::size_t(1));
        QCOMPARE(imported->diagnostics[0].error.code, ErrorCode::InvalidPlan);
        QVERIFY(!imported->graph->tensors()[0].plannedOffset);
    }
}

void TestTfliteExport::summaryOfTheRuntime()
{
    // a (128) and b (32) meet, b and y (96) meet, x (64) and a meet: 192. The largest are placed first: y and a at 0, x and b above.
    writeBytes(path("a.tflite"), tfliteFile(smallModel()));
    const auto model = importModel(path("a.tflite"));
    QVERIFY(model);
    const auto report = tflmReport(model->graph);
    QVERIFY(report && *report);
    QCOMPARE((*report)->todayBytes, Bytes(400)); // what nothing touches
    QCOMPARE((*report)->idleBytes, Bytes(400));
    QCOMPARE((*report)->offlineBytes, std::optional<Bytes>(400)); // it is still the largest
    QVERIFY(!(*report)->hasFilePlan);
    QVERIFY(tflmText(**report).find("TensorFlow Lite Micro today needs 400 B, with an offline plan 400 B, bound 400 B.") == 0);
    QCOMPARE(preferredAlignment(*model->graph), Bytes(16));
    GraphBuilder builder;
    builder.addOutput(builder.addSimple("Relu", {}, "y", 16));
    const auto other = std::move(builder).build();
    QVERIFY(!*tflmReport(*other));
    QCOMPARE(preferredAlignment(**other), Bytes(64));
}

QTEST_GUILESS_MAIN(TestTfliteExport)
#include "tst_tflite_export.moc"
