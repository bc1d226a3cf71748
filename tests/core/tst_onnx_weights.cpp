// SPDX-License-Identifier: MIT
// Where the content of weights and constants is, and what is in it.
#include <arenascope/importer.h>
#include <arenascope/tensor_data.h>

#include "core/src/import/onnx/wire.h"
#include "tests/core/onnx_imports.h"

#include <QtTest>

#include <sys/resource.h>

using namespace arenascope;
using namespace arenascope::onnx_import;
using namespace onnx_test;

namespace {

/// A model that adds the weight "w" to its input; `content` are the fields of the weight that hold its numbers.
QByteArray withWeight(int type, std::int64_t count, const std::string& content)
{
    onnx::TensorProto weight;
    weight.set_name("w");
    weight.set_data_type(type);
    weight.add_dims(count);
    const std::string tensor = weight.SerializeAsString() + content;
    onnx::ModelProto made = model();
    addInput(*made.mutable_graph(), "x", {count}, type);
    addNode(*made.mutable_graph(), "Add", {"x", "w"}, {"y"});
    addOutput(*made.mutable_graph(), "y");
    std::string graph = made.graph().SerializeAsString();
    appendBytesField(graph, onnx::GraphProto::kInitializerFieldNumber, std::as_bytes(std::span(tensor)));
    made.clear_graph();
    std::string bytes = made.SerializeAsString();
    appendBytesField(bytes, onnx::ModelProto::kGraphFieldNumber, std::as_bytes(std::span(graph)));
    return QByteArray::fromStdString(bytes);
}

/// Numbers as one packed field of varints.
std::string packed(std::uint32_t field, std::span<const std::int64_t> numbers)
{
    std::string payload;
    for (const std::int64_t number : numbers)
        appendVarint(payload, static_cast<std::uint64_t>(number));
    std::string out;
    appendBytesField(out, field, std::as_bytes(std::span(payload)));
    return out;
}

/// Numbers as one field each.
std::string unpacked(std::uint32_t field, std::span<const std::int64_t> numbers)
{
    std::string out;
    for (const std::int64_t number : numbers) {
        appendKey(out, field, WireType::Varint);
        appendVarint(out, static_cast<std::uint64_t>(number));
    }
    return out;
}

std::string field(std::uint32_t number, const QByteArray& payload)
{
    std::string out;
    appendBytesField(out, number,
                     std::as_bytes(std::span(payload.constData(), static_cast<std::size_t>(payload.size()))));
    return out;
}

/// The low `width` bytes of each number, as they lie in memory.
QByteArray littleEndian(std::span<const std::int64_t> numbers, int width)
{
    QByteArray bytes;
    for (const std::int64_t number : numbers) {
        for (int i = 0; i < width; ++i)
            bytes.append(static_cast<char>(number >> (8 * i)));
    }
    return bytes;
}

/// `count` numbers from `first` on, `step` apart.
std::vector<std::int64_t> series(int count, std::int64_t first, std::int64_t step)
{
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < count; ++i)
        numbers.push_back(first + i * step);
    return numbers;
}

} // namespace

class TestOnnxWeights : public QObject {
    Q_OBJECT

private slots:
    void weightsAndConstants();
    void initializersListedAsInputsAreConstants();
    void weightsMayBeConstantOperators();
    void externalData_data();
    void externalData();
    void filesBeyondFourGigabytes();
    void contentCanBeRead_data();
    void contentCanBeRead();
    void contentThatCannotBeRead_data();
    void contentThatCannotBeRead();
    void contentOfAFileThatChanged();
};

void TestOnnxWeights::weightsAndConstants()
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

void TestOnnxWeights::initializersListedAsInputsAreConstants()
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

void TestOnnxWeights::weightsMayBeConstantOperators()
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

void TestOnnxWeights::externalData_data()
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

void TestOnnxWeights::externalData()
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

void TestOnnxWeights::filesBeyondFourGigabytes()
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

void TestOnnxWeights::contentCanBeRead_data()
{
    using T = onnx::TensorProto;
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("count"); // elements
    QTest::addColumn<QByteArray>("fields");
    QTest::addColumn<QByteArray>("expected");
    QTest::addColumn<bool>("liesInTheFile"); // as it is in memory
    const auto row = [](const char* name, int type, int count, const std::string& fields, const QByteArray& expected,
                        bool liesInTheFile) {
        QTest::newRow(name) << type << count << QByteArray::fromStdString(fields) << expected << liesInTheFile;
    };
    const QByteArray some = littleEndian(series(2000, 7, 1'000'003), 4);
    const auto ints = series(3000, -1500, 1);
    const auto large = series(3000, -(std::int64_t{1} << 60), 123'456'789'012'345);
    row("short: inline", T::FLOAT, 10, field(T::kRawDataFieldNumber, some.left(40)), some.left(40), false);
    row("raw data", T::FLOAT, 2000, field(T::kRawDataFieldNumber, some), some, true);
    row("packed floats", T::FLOAT, 2000, field(T::kFloatDataFieldNumber, some), some, true);
    row("packed doubles", T::DOUBLE, 1000, field(T::kDoubleDataFieldNumber, some), some, true);
    row("packed pairs of floats", T::COMPLEX64, 1000, field(T::kFloatDataFieldNumber, some), some, true);
    row("packed floats in a long and a short part", T::FLOAT, 2000,
        field(T::kFloatDataFieldNumber, some.left(7960)) + field(T::kFloatDataFieldNumber, some.mid(7960)), some, false);
    row("packed floats in a short and a long part", T::FLOAT, 2000,
        field(T::kFloatDataFieldNumber, some.left(40)) + field(T::kFloatDataFieldNumber, some.mid(40)), some, false);
    row("of two versions of raw data the last", T::FLOAT, 2000,
        field(T::kRawDataFieldNumber, QByteArray(8000, 'a')) + field(T::kRawDataFieldNumber, some), some, false);
    row("int32", T::INT32, 3000, packed(T::kInt32DataFieldNumber, ints), littleEndian(ints, 4), false);
    row("int64", T::INT64, 3000, packed(T::kInt64DataFieldNumber, large), littleEndian(large, 8), false);
    row("uint64", T::UINT64, 3000, packed(T::kUint64DataFieldNumber, large), littleEndian(large, 8), false);
    row("uint32 as uint64", T::UINT32, 3000, packed(T::kUint64DataFieldNumber, series(3000, 1 << 30, 1'000'000)),
        littleEndian(series(3000, 1 << 30, 1'000'000), 4), false);
    row("int16 as int32", T::INT16, 3000, packed(T::kInt32DataFieldNumber, ints), littleEndian(ints, 2), false);
    row("float16 as int32", T::FLOAT16, 3000, packed(T::kInt32DataFieldNumber, series(3000, 15000, 3)),
        littleEndian(series(3000, 15000, 3), 2), false);
    row("int8 as int32", T::INT8, 5000, packed(T::kInt32DataFieldNumber, series(5000, -128, 0)),
        QByteArray(5000, '\x80'), false);
    row("two 4-bit numbers in an int32", 22, 10'000, packed(T::kInt32DataFieldNumber, series(5000, 0xA5, 0)),
        QByteArray(5000, '\xA5'), false);
    row("a few 4-bit numbers", 22, 4, packed(T::kInt32DataFieldNumber, series(2, 0xA5, 0)), "\xA5\xA5", false);
    row("numbers in a field each", T::INT64, 3000, unpacked(T::kInt64DataFieldNumber, large), littleEndian(large, 8),
        false);
    row("a hundred thousand numbers in a field each", T::INT32, 100'000,
        unpacked(T::kInt32DataFieldNumber, series(100'000, 0, 1)), littleEndian(series(100'000, 0, 1), 4), false);
}

void TestOnnxWeights::contentCanBeRead()
{
    QFETCH(int, type);
    QFETCH(int, count);
    QFETCH(QByteArray, fields);
    QFETCH(QByteArray, expected);
    QFETCH(bool, liesInTheFile);
    const QByteArray bytes = withWeight(type, count, fields.toStdString());
    const ModelFile file(bytes);
    const auto imported = importModel(file.path());
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const Tensor& w = tensor(*imported->graph, "w");
    QCOMPARE(w.bytes, Bytes{expected.size()});
    QVERIFY(w.source);
    if (liesInTheFile) {
        QVERIFY(w.source->encoding == TensorEncoding::Elements);
        QCOMPARE(bytes.mid(w.source->offset, w.source->length), expected);
    }
    const auto content = readTensorData(*w.source, w.type, w.bytes);
    QVERIFY2(content, content ? "" : describe(content.error()).c_str());
    QCOMPARE(QByteArray(reinterpret_cast<const char*>(content->data()), std::ssize(*content)), expected);
}

void TestOnnxWeights::contentThatCannotBeRead_data()
{
    using T = onnx::TensorProto;
    QTest::addColumn<int>("type");
    QTest::addColumn<QByteArray>("fields");
    QTest::addColumn<QString>("message"); // without the path
    const auto numbers = series(5000, 1, 0);
    QTest::newRow("fewer numbers than elements")
        << int(T::INT32) << QByteArray::fromStdString(packed(T::kInt32DataFieldNumber, numbers))
        << ": The file is damaged: a tensor of 24000 bytes has only 20000 in it. Copy, download or export it again.";
    QTest::newRow("fewer raw bytes than elements")
        << int(T::INT32) << QByteArray::fromStdString(field(T::kRawDataFieldNumber, QByteArray(5000, 'x')))
        << ": The file is damaged: a tensor of 24000 bytes has only 5000 in it. Copy, download or export it again.";
    QTest::newRow("numbers of another type")
        << int(T::INT32) << QByteArray::fromStdString(field(T::kFloatDataFieldNumber, QByteArray(24000, 'x')))
        << ": The file is damaged: a tensor of 24000 bytes has only 0 in it. Copy, download or export it again.";
    QTest::newRow("a number without an end")
        << int(T::INT32) << QByteArray::fromStdString(field(T::kInt32DataFieldNumber, QByteArray(24000, '\xFF')))
        << ", byte N: The file is damaged: a tensor's numbers are not of its type. Copy, download or export it again.";
}

void TestOnnxWeights::contentThatCannotBeRead()
{
    QFETCH(int, type);
    QFETCH(QByteArray, fields);
    QFETCH(QString, message);
    const ModelFile file(withWeight(type, 6000, fields.toStdString()));
    const auto imported = importModel(file.path());
    QVERIFY2(imported, imported ? "" : describe(imported.error()).c_str());
    const Tensor& w = tensor(*imported->graph, "w");
    QVERIFY(w.source);
    const auto content = readTensorData(*w.source, w.type, w.bytes);
    QVERIFY(!content);
    QString text = QString::fromStdString(describe(content.error()));
    QVERIFY(text.startsWith(QString::fromStdString(file.path())));
    text.remove(0, qsizetype(file.path().size()));
    text.replace(QRegularExpression(QStringLiteral("byte [0-9]+")), QStringLiteral("byte N"));
    QCOMPARE(text, message);
}

void TestOnnxWeights::contentOfAFileThatChanged()
{
    const ModelFile file(withWeight(onnx::TensorProto::FLOAT, 2000,
                                    field(onnx::TensorProto::kRawDataFieldNumber, QByteArray(8000, 'x'))));
    const auto imported = importModel(file.path());
    QVERIFY(imported);
    const Tensor& w = tensor(*imported->graph, "w");
    file.write("short");
    const auto cut = readTensorData(*w.source, w.type, w.bytes);
    QVERIFY(!cut && cut.error().code == ErrorCode::FileTruncated);
    QVERIFY(QFile::remove(QString::fromStdString(file.path())));
    const auto gone = readTensorData(*w.source, w.type, w.bytes);
    QVERIFY(!gone && gone.error().code == ErrorCode::FileNotFound);
}

QTEST_GUILESS_MAIN(TestOnnxWeights)
#include "tst_onnx_weights.moc"
