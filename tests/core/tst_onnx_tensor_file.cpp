// SPDX-License-Identifier: MIT
// Tensors from .npy and .pb files, written here byte by byte.
#include <arenascope/tensor_file.h>

#include <onnx/onnx_pb.h>

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <fstream>

using namespace arenascope;

namespace {

std::string npy(const std::string& dict, const std::string& elements, int version = 1)
{
    std::string file("\x93NUMPY");
    file += static_cast<char>(version);
    file += '\0';
    file += static_cast<char>(dict.size() & 0xff);
    file += static_cast<char>(dict.size() >> 8);
    if (version > 1)
        file += std::string(2, '\0');
    return file + dict + elements;
}

template <class T>
std::string raw(std::initializer_list<T> elements)
{
    std::string bytes;
    for (const T element : elements)
        bytes.append(reinterpret_cast<const char*>(&element), sizeof element);
    return bytes;
}

template <class T>
std::vector<T> elementsOf(const TensorContent& content)
{
    std::vector<T> elements(content.bytes.size() / sizeof(T));
    std::memcpy(elements.data(), content.bytes.data(), elements.size() * sizeof(T));
    return elements;
}

TensorContent floats(std::vector<std::int64_t> dims, std::vector<float> elements)
{
    TensorContent content{ElementType::Float32, Shape::of(std::move(dims)), {}};
    content.bytes.resize(elements.size() * sizeof(float));
    std::memcpy(content.bytes.data(), elements.data(), content.bytes.size());
    return content;
}

} // namespace

class TestOnnxTensorFile : public QObject {
    Q_OBJECT

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void arrays_data();
    void arrays();
    void whatIsNoArray_data();
    void whatIsNoArray();
    void cutAtEveryByte();
    void writtenAndReadAgain();
    void messages();
    void whatIsNoMessage();
    void largest();

private:
    std::filesystem::path write(const std::string& bytes)
    {
        const auto path = std::filesystem::path(m_folder->filePath("tensor.bin").toStdString());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestOnnxTensorFile::arrays_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("shape");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QList<int>>("elements");
    const auto row = [](const char* name, const std::string& file, const char* shape, const char* type, const QList<int>& elements) {
        QTest::newRow(name) << QByteArray(file.data(), qsizetype(file.size())) << shape << type << elements;
    };
    row("float32, as NumPy writes it", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }      \n", raw({1.f, 2.f, 3.f, 4.f})), "2x2",
        "float32", {1, 2, 3, 4});
    row("one dimension", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", raw({1.f, 2.f})), "2", "float32", {1, 2});
    row("a scalar", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", raw({7.f})), "scalar", "float32", {7});
    row("nothing in it", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4), }\n", ""), "0x4", "float32", {});
    row("other order of keys, other quotes, no blanks", npy("{\"shape\":(1,2),'fortran_order':False,\"descr\":'<f4'}", raw({1.f, 2.f})), "1x2", "float32",
        {1, 2});
    row("written by Python 2", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L), }\n", raw({1.f, 2.f})), "2x1", "float32", {1, 2});
    row("version 2", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", raw({1.f, 2.f}), 2), "2", "float32", {1, 2});
    row("something behind it", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", raw({1.f, 2.f})), "1", "float32", {1});
    row("big-endian", npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n", std::string("\x3f\x80\0\0\x40\0\0\0", 8)), "2", "float32", {1, 2});
    // Columns first: (0,0) (1,0) (0,1) (1,1) (0,2) (1,2).
    row("Fortran order", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", raw({1.f, 4.f, 2.f, 5.f, 3.f, 6.f})), "2x3", "float32",
        {1, 2, 3, 4, 5, 6});
}

void TestOnnxTensorFile::arrays()
{
    QFETCH(QByteArray, file);
    const auto content = readTensorFile(write(file.toStdString()));
    QVERIFY2(content, content ? "" : describe(content.error()).c_str());
    QTEST(QString::fromStdString(toString(content->shape)), "shape");
    QTEST(QString::fromUtf8(elementTypeName(content->type).data()), "type");
    QList<int> elements;
    for (const float element : elementsOf<float>(*content))
        elements << static_cast<int>(element);
    QTEST(elements, "elements");
}

void TestOnnxTensorFile::whatIsNoArray_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const std::string& file, ErrorCode code) {
        QTest::newRow(name) << QByteArray(file.data(), qsizetype(file.size())) << static_cast<int>(code);
    };
    const std::string four = raw({1.f, 2.f, 3.f, 4.f});
    row("a text", "Three tensors walk into a bar", ErrorCode::FormatUnsupported);
    row("records", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n", four), ErrorCode::FileCorrupt);
    row("objects", npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n", four), ErrorCode::Unsupported);
    row("strings", npy("{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }\n", four), ErrorCode::Unsupported);
    row("no shape", npy("{'descr': '<f4', 'fortran_order': False, }\n", four), ErrorCode::FileCorrupt);
    row("a negative extent", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -2), }\n", four), ErrorCode::FileCorrupt);
    row("too few elements", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }\n", four), ErrorCode::FileTruncated);
    row("a size above 63 bits", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }\n", four), ErrorCode::TooLarge);
    row("a size above the limit", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,), }\n", four), ErrorCode::TooLarge);
    row("an extent above 64 bits", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }\n", four), ErrorCode::FileCorrupt);
    row("code", npy("__import__('os').system('true')\n", four), ErrorCode::FileCorrupt);
    row("something behind the dictionary", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } or 1\n", four), ErrorCode::FileCorrupt);
    row("a version from the future", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", four, 9), ErrorCode::FileCorrupt);
    row("a header longer than the file", std::string("\x93NUMPY\x01\0\xff\xff{", 11), ErrorCode::FileTruncated);
    row("a header of 4 GiB", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13), ErrorCode::FileCorrupt);
}

void TestOnnxTensorFile::whatIsNoArray()
{
    QFETCH(QByteArray, file);
    QFETCH(int, code);
    const auto content = readTensorFile(write(file.toStdString()));
    QVERIFY(!content);
    QCOMPARE(static_cast<int>(content.error().code), code);
    QVERIFY(content.error().where.find("tensor.bin") != std::string::npos);
}

void TestOnnxTensorFile::cutAtEveryByte()
{
    const std::string whole = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n", raw({1.f, 2.f, 3.f, 4.f}));
    for (std::size_t length = 0; length < whole.size(); ++length)
        QVERIFY2(!readTensorFile(write(whole.substr(0, length))), qPrintable(QString::number(length)));
    QVERIFY(!readTensorFile(m_folder->filePath("missing.npy").toStdString()));
    QVERIFY(!readTensorFile(m_folder->path().toStdString()));
}

void TestOnnxTensorFile::writtenAndReadAgain()
{
    const std::filesystem::path path(m_folder->filePath("again.npy").toStdString());
    for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{}, {6}, {2, 3}, {1, 2, 3}, {0}}) {
        TensorContent content = floats(dims, {});
        const std::int64_t count = *content.shape.elementCount();
        content.bytes.resize(static_cast<std::size_t>(count) * 4, std::byte(count));
        QVERIFY(writeNpy(path, content));
        const auto again = readTensorFile(path);
        QVERIFY(again && again->type == content.type && again->shape == content.shape && again->bytes == content.bytes);
    }
    for (const ElementType type : {ElementType::Float64, ElementType::Float16, ElementType::Int8, ElementType::UInt8, ElementType::Int16, ElementType::UInt16,
                                   ElementType::Int32, ElementType::UInt32, ElementType::Int64, ElementType::UInt64, ElementType::Bool,
                                   ElementType::Complex64, ElementType::Complex128}) {
        TensorContent content{type, Shape::of({2}), std::vector<std::byte>(static_cast<std::size_t>(bitsPerElement(type) / 4), std::byte(1))};
        QVERIFY(writeNpy(path, content));
        const auto again = readTensorFile(path);
        QVERIFY2(again && again->type == type && again->bytes == content.bytes, elementTypeName(type).data());
    }
    QVERIFY(writeNpy(path, floats({2, 2}, {1, 2, 3, 4})));
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    QCOMPARE(bytes.size() - 16, std::size_t(128)); // what comes before is a multiple of 64
    QCOMPARE(bytes.substr(10, 55), std::string("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }").substr(0, 55));
    QCOMPARE(writeNpy(path, {ElementType::BFloat16, Shape::of({1}), {}}).error().code, ErrorCode::Unsupported);
    QCOMPARE(writeNpy(m_folder->filePath("no/such/folder.npy").toStdString(), floats({1}, {1})).error().code, ErrorCode::FileNotWritable);
}

void TestOnnxTensorFile::messages()
{
    onnx::TensorProto proto;
    proto.set_name("x");
    proto.add_dims(2);
    proto.add_dims(2);
    proto.set_data_type(onnx::TensorProto::FLOAT);
    for (const float element : {1.f, 2.f, 3.f, 4.f})
        proto.add_float_data(element);
    auto content = readTensorFile(write(proto.SerializeAsString()));
    QVERIFY(content && content->type == ElementType::Float32 && content->shape == Shape::of({2, 2}));
    QCOMPARE(elementsOf<float>(*content), (std::vector<float>{1, 2, 3, 4}));
    proto.clear_float_data();
    proto.set_raw_data(raw({5.f, 6.f, 7.f, 8.f}));
    content = readTensorFile(write(proto.SerializeAsString()));
    QCOMPARE(elementsOf<float>(*content), (std::vector<float>{5, 6, 7, 8}));
    onnx::TensorProto scalar;
    scalar.set_data_type(onnx::TensorProto::INT64);
    scalar.add_int64_data(-3);
    content = readTensorFile(write(scalar.SerializeAsString()));
    QVERIFY(content && content->shape == Shape::of({}));
    QCOMPARE(elementsOf<std::int64_t>(*content), std::vector<std::int64_t>{-3});
}

void TestOnnxTensorFile::whatIsNoMessage()
{
    const auto code = [this](const onnx::TensorProto& proto) {
        const auto content = readTensorFile(write(proto.SerializeAsString()));
        return content ? ErrorCode::Internal : content.error().code;
    };
    onnx::TensorProto proto;
    proto.add_dims(3);
    proto.set_data_type(onnx::TensorProto::FLOAT);
    proto.set_raw_data(raw({1.f, 2.f}));
    QCOMPARE(code(proto), ErrorCode::FileCorrupt); // too few elements
    proto.set_dims(0, -1);
    QCOMPARE(code(proto), ErrorCode::FileCorrupt);
    proto.set_dims(0, std::int64_t(1) << 40);
    QCOMPARE(code(proto), ErrorCode::TooLarge);
    proto.set_dims(0, std::int64_t(1) << 62);
    QCOMPARE(code(proto), ErrorCode::FileCorrupt);
    proto.set_dims(0, 2);
    proto.set_data_type(onnx::TensorProto::STRING);
    QCOMPARE(code(proto), ErrorCode::Unsupported);
    proto.set_data_type(onnx::TensorProto::FLOAT);
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    QCOMPARE(code(proto), ErrorCode::Unsupported);
    proto.clear_data_location();
    const std::string whole = proto.SerializeAsString();
    QVERIFY(readTensorFile(write(whole)));
    for (std::size_t length = 0; length < whole.size(); ++length)
        QVERIFY2(!readTensorFile(write(whole.substr(0, length))), qPrintable(QString::number(length)));
}

void TestOnnxTensorFile::largest()
{
    const auto text = [](const std::vector<ElementValue>& values) {
        QStringList list;
        for (const ElementValue& one : values)
            list << QString("%1:%2").arg(one.index).arg(one.value);
        return list.join(' ');
    };
    QCOMPARE(text(largestElements(floats({5}, {1, 9, std::nanf(""), 9, -2}), 3)), QString("1:9 3:9 0:1"));
    QCOMPARE(text(largestElements(floats({2}, {1, 2}), 9)), QString("1:2 0:1"));
    QCOMPARE(text(largestElements(floats({2}, {std::nanf(""), -1}), 2)), QString("1:-1 0:nan"));
    // 1.0, -2.0, the smallest subnormal, infinity
    const std::string half("\x00\x3c\x00\xc0\x01\x00\x00\x7c", 8);
    TensorContent halves{ElementType::Float16, Shape::of({4}), {}};
    for (const char c : half)
        halves.bytes.push_back(static_cast<std::byte>(c));
    QCOMPARE(text(largestElements(halves, 4)), QString("3:inf 0:1 2:5.96046e-08 1:-2"));
    QVERIFY(largestElements({ElementType::BFloat16, Shape::of({1}), std::vector<std::byte>(2)}, 1).empty());
}

QTEST_APPLESS_MAIN(TestOnnxTensorFile)
#include "tst_onnx_tensor_file.moc"
