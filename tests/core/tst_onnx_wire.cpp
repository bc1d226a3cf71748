// SPDX-License-Identifier: MIT
// The walk over the wire format: what is kept, what stays in the file, what is refused and where.
#include "core/src/import/onnx/slim_model.h"
#include "core/src/import/onnx/wire.h"
#include "tests/core/onnx_models.h"

#include <QtTest>

using namespace arenascope;
using namespace arenascope::onnx_import;
using namespace onnx_test;

namespace {

ByteSource memory(const QByteArray& bytes)
{
    return ByteSource(std::as_bytes(std::span(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
}

Result<SlimModel> slim(const QByteArray& bytes)
{
    ByteSource source = memory(bytes);
    return readSlimModel(source, {}, {});
}

QString textOf(const Error& error)
{
    return QString::fromStdString(describe(error));
}

/// A field's key, its length and its content.
QByteArray field(int number, const QByteArray& content)
{
    std::string out;
    appendBytesField(out, static_cast<std::uint32_t>(number),
                     std::as_bytes(std::span(content.constData(), static_cast<std::size_t>(content.size()))));
    return QByteArray::fromStdString(out);
}

} // namespace

class TestOnnxWire : public QObject {
    Q_OBJECT

private slots:
    void numbers();
    void keepsStructure();
    void leavesLongContentInTheFile();
    void typedContent_data();
    void typedContent();
    void dropsWhatPlanningDoesNotNeed();
    void makesNamesValidUtf8();
    void refuses_data();
    void refuses();
    void refusesDeepNesting();
    void refusesCountlessMessages();
    void hashIgnoresWeightsOfLargeFiles();
    void stops();
};

void TestOnnxWire::numbers()
{
    for (const std::uint64_t value : {0ULL, 1ULL, 127ULL, 128ULL, 300ULL, 1ULL << 32, ~0ULL}) {
        std::string out;
        appendKey(out, 5, WireType::Varint);
        appendVarint(out, value);
        ByteSource source(std::as_bytes(std::span(out)));
        WireReader reader(source);
        const auto found = reader.next();
        QVERIFY(found);
        QCOMPARE(found->number, 5U);
        QCOMPARE(found->value, value);
        QVERIFY(reader.atEnd());
    }
    // 300 is 0xAC 0x02 in the specification's own example.
    std::string three;
    appendVarint(three, 300);
    QCOMPARE(QByteArray::fromStdString(three), QByteArray("\xAC\x02"));
}

void TestOnnxWire::keepsStructure()
{
    onnx::ModelProto made = model(11);
    auto& graph = *made.mutable_graph();
    addInput(graph, "x", {1, "rows", -1});
    addFloats(graph, "w", {4});
    auto& node = addNode(graph, "Pad", {"x", "w", ""}, {"y"}, "pad");
    addAttribute(node, "axis", -3);
    auto* mode = node.add_attribute();
    mode->set_name("mode");
    mode->set_type(onnx::AttributeProto::STRING);
    mode->set_s("reflect");
    addOutput(graph, "y");
    const auto read = slim(bytesOf(made));
    QVERIFY(read);
    QVERIFY(read->skipped.empty());
    QCOMPARE(QByteArray::fromStdString(read->proto.SerializeAsString()), bytesOf(made));
}

void TestOnnxWire::leavesLongContentInTheFile()
{
    onnx::ModelProto made = model();
    addFloats(*made.mutable_graph(), "short", {1024}); // 4096 bytes
    addFloats(*made.mutable_graph(), "long", {1025}).set_raw_data(std::string(4100, '\7'));
    const QByteArray bytes = bytesOf(made);
    const auto read = slim(bytes);
    QVERIFY(read);
    QCOMPARE(read->skipped.size(), std::size_t{1});
    const auto& kept = read->proto.graph().initializer(0);
    const auto& left = read->proto.graph().initializer(1);
    QCOMPARE(kept.raw_data().size(), std::size_t{4096});
    QVERIFY(skippedData(*read, kept) == nullptr);
    QVERIFY(!left.has_raw_data());
    const SkippedData* data = skippedData(*read, left);
    QVERIFY(data != nullptr);
    QVERIFY(data->encoding == TensorEncoding::Elements);
    QCOMPARE(data->length, std::int64_t{4100});
    QCOMPARE(bytes.mid(data->offset, data->length), QByteArray(4100, '\7'));
    QVERIFY(bytes[static_cast<qsizetype>(data->offset) - 1] != '\7');
}

void TestOnnxWire::typedContent_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<bool>("isRaw");
    QTest::newRow("floats lie in the file as they are") << int(onnx::TensorProto::FLOAT) << true;
    QTest::newRow("doubles lie in the file as they are") << int(onnx::TensorProto::DOUBLE) << true;
    QTest::newRow("int32 is packed as numbers") << int(onnx::TensorProto::INT32) << false;
    QTest::newRow("int64 is packed as numbers") << int(onnx::TensorProto::INT64) << false;
    QTest::newRow("uint64 is packed as numbers") << int(onnx::TensorProto::UINT64) << false;
}

void TestOnnxWire::typedContent()
{
    QFETCH(int, type);
    QFETCH(bool, isRaw);
    onnx::ModelProto made = model();
    auto* tensor = made.mutable_graph()->add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(type);
    tensor->add_dims(5000);
    for (int i = 0; i < 5000; ++i) {
        switch (type) {
        case onnx::TensorProto::FLOAT: tensor->add_float_data(1.0F); break;
        case onnx::TensorProto::DOUBLE: tensor->add_double_data(1.0); break;
        case onnx::TensorProto::INT32: tensor->add_int32_data(1); break;
        case onnx::TensorProto::INT64: tensor->add_int64_data(1); break;
        default: tensor->add_uint64_data(1); break;
        }
    }
    const QByteArray bytes = bytesOf(made);
    const auto read = slim(bytes);
    QVERIFY(read);
    const SkippedData* data = skippedData(*read, read->proto.graph().initializer(0));
    QVERIFY(data != nullptr);
    QCOMPARE(data->encoding == TensorEncoding::Elements, isRaw);
    if (type == onnx::TensorProto::FLOAT) {
        const float one = 1.0F;
        QCOMPARE(data->length, std::int64_t{20000});
        QCOMPARE(bytes.mid(data->offset, 4), QByteArray(reinterpret_cast<const char*>(&one), 4));
    }
}

void TestOnnxWire::dropsWhatPlanningDoesNotNeed()
{
    onnx::ModelProto made = model();
    made.set_doc_string(std::string(100'000, 'd'));
    auto& node = addNode(*made.mutable_graph(), "Relu", {"x"}, {"y"});
    node.set_doc_string("a stack trace");
    made.add_training_info()->mutable_algorithm()->set_name("training");
    made.add_metadata_props()->set_key("k");
    const auto read = slim(bytesOf(made));
    QVERIFY(read);
    QVERIFY(!read->proto.has_doc_string());
    QVERIFY(!read->proto.graph().node(0).has_doc_string());
    QCOMPARE(read->proto.training_info_size(), 0);
    QCOMPARE(read->proto.metadata_props_size(), 0);
}

void TestOnnxWire::makesNamesValidUtf8()
{
    onnx::ModelProto made = model();
    addNode(*made.mutable_graph(), "Relu", {std::string("a\xff\0b", 4)}, {"gr\xc3\xbc\xc3\x9f"});
    const auto read = slim(bytesOf(made));
    QVERIFY(read);
    QCOMPARE(read->proto.graph().node(0).input(0), std::string("a\\xff\\x00b"));
    QCOMPARE(read->proto.graph().node(0).output(0), std::string("gr\xc3\xbc\xc3\x9f"));
}

void TestOnnxWire::refuses_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const QByteArray version("\x08\x07");
    QTest::newRow("a length beyond the end") << version + QByteArray("\x3a\x10\x0a", 3)
                                             << "model, byte 2: The file ends too early: a length goes beyond the end. "
                                                "Copy or download it again.";
    QTest::newRow("a length of almost 2^64")
        << version + QByteArray("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11)
        << "model, byte 2: The file ends too early: a length goes beyond the end. Copy or download it again.";
    QTest::newRow("a number without an end")
        << QByteArray("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
        << "model, byte 0: The file is damaged: a number has more than ten bytes. Copy, download or export it again.";
    QTest::newRow("a graph that is a number")
        << QByteArray("\x08\x07\x38\x01")
        << "model, byte 2: The file is damaged: field 'graph' has another type. Copy, download or export it again.";
    QTest::newRow("a group") << QByteArray("\x08\x07\x13")
                             << "model, byte 2: The file is damaged: a field has an impossible type. Copy, download or "
                                "export it again.";
    QTest::newRow("a cut node inside names its place")
        << version + field(7, field(1, QByteArray("\x0a\x05" "ab")))
        << "graph.node[0], byte 6: The file is damaged: a length goes beyond the end. Copy, download or export it again.";
}

void TestOnnxWire::refuses()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const auto read = slim(bytes);
    QVERIFY(!read);
    QCOMPARE(textOf(read.error()), message);
}

void TestOnnxWire::refusesDeepNesting()
{
    QByteArray type;
    for (int i = 0; i < 200; ++i)
        type = field(4, field(1, type)); // a sequence of sequences of ...
    const auto read = slim(field(7, field(11, field(2, type))));
    QVERIFY(!read);
    QVERIFY(read.error().code == ErrorCode::TooLarge);
    QVERIFY(textOf(read.error()).contains(QStringLiteral("nesting of messages is larger than the limit of 100 levels")));
}

void TestOnnxWire::refusesCountlessMessages()
{
    // Three million empty nodes in six megabytes.
    QByteArray nodes;
    for (int i = 0; i < 3'000'000; ++i)
        nodes.append("\x0a\x00", 2);
    const auto read = slim(field(7, nodes));
    QVERIFY(!read);
    QVERIFY(read.error().code == ErrorCode::TooLarge);
    QVERIFY(textOf(read.error()).contains(QStringLiteral("the structure of the network is larger than the limit of 512 MiB")));
}

void TestOnnxWire::hashIgnoresWeightsOfLargeFiles()
{
    onnx::ModelProto made = model();
    addFloats(*made.mutable_graph(), "w", {2'000'000});
    const QByteArray bytes = bytesOf(made);
    QByteArray otherWeights = bytes;
    otherWeights[otherWeights.size() / 2] = '\5';
    made.mutable_graph()->mutable_initializer(0)->set_name("v");
    QCOMPARE(slim(bytes)->hash, slim(otherWeights)->hash);
    QVERIFY(slim(bytes)->hash != slim(bytesOf(made))->hash);
    QCOMPARE(slim(bytes)->hash.size(), std::size_t{16});
    // A small file counts as a whole.
    QVERIFY(slim(QByteArray("\x08\x07"))->hash != slim(QByteArray("\x08\x08"))->hash);
}

void TestOnnxWire::stops()
{
    onnx::ModelProto made = model();
    for (int i = 0; i < 5000; ++i)
        addNode(*made.mutable_graph(), "Relu", {"x"}, {"y"});
    std::stop_source source;
    source.request_stop();
    const QByteArray bytes = bytesOf(made);
    ByteSource file = memory(bytes);
    const auto read = readSlimModel(file, source.get_token(), {});
    QVERIFY(!read);
    QVERIFY(read.error().code == ErrorCode::Cancelled);
}

QTEST_GUILESS_MAIN(TestOnnxWire)
#include "tst_onnx_wire.moc"
