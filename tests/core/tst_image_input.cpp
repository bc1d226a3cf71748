// SPDX-License-Identifier: MIT
// Pictures as network inputs, from portable pixmaps written here by hand.
#include <arenascope/image_input.h>

#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>

using namespace arenascope;

namespace {

// Red, then grey (10, 20, 30).
const std::string kTwoPixels("P6 2 1 255\n\xff\x00\x00\x0a\x14\x1e", 17);

template <class T>
QList<double> elementsOf(const TensorContent& content)
{
    QList<double> list;
    for (std::size_t at = 0; at + sizeof(T) <= content.bytes.size(); at += sizeof(T)) {
        T element;
        std::memcpy(&element, content.bytes.data() + at, sizeof(T));
        list << static_cast<double>(element);
    }
    return list;
}

} // namespace

class TestImageInput : public QObject {
    Q_OBJECT

private slots:
    void layouts_data();
    void layouts();
    void meanAndScaleAreOfTheTensorsChannels();
    void integersAreRoundedAndClipped();
    void greyAndResized();
    void whatIsNoPicture();

private:
    std::filesystem::path write(const std::string& bytes)
    {
        const auto path = std::filesystem::path(m_folder.filePath("picture.ppm").toStdString());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }

    QTemporaryDir m_folder;
};

void TestImageInput::layouts_data()
{
    QTest::addColumn<QList<int>>("shape");
    QTest::addColumn<bool>("isBgr");
    QTest::addColumn<QList<double>>("elements");
    QTest::newRow("channels first") << QList<int>{1, 3, 1, 2} << false << QList<double>{255, 10, 0, 20, 0, 30};
    QTest::newRow("channels first, blue first") << QList<int>{1, 3, 1, 2} << true << QList<double>{0, 30, 0, 20, 255, 10};
    QTest::newRow("channels last") << QList<int>{1, 2, 2, 3} << false
                                               << QList<double>{255, 0, 0, 10, 20, 30, 255, 0, 0, 10, 20, 30};
    QTest::newRow("no batch") << QList<int>{3, 1, 2} << false << QList<double>{255, 10, 0, 20, 0, 30};
    QTest::newRow("the same picture twice") << QList<int>{2, 3, 1, 2} << false
                                            << QList<double>{255, 10, 0, 20, 0, 30, 255, 10, 0, 20, 0, 30};
}

void TestImageInput::layouts()
{
    QFETCH(QList<int>, shape);
    QFETCH(bool, isBgr);
    QFETCH(QList<double>, elements);
    ImageOptions options;
    options.order = isBgr ? ChannelOrder::Bgr : ChannelOrder::Rgb;
    const auto content = readImage(write(kTwoPixels), "x", Shape::of({shape.begin(), shape.end()}), ElementType::Float32, options);
    QVERIFY(content);
    QCOMPARE(elementsOf<float>(*content), elements);
    QCOMPARE(content->shape.dims, std::vector<std::int64_t>(shape.begin(), shape.end()));
}

void TestImageInput::meanAndScaleAreOfTheTensorsChannels()
{
    ImageOptions options;
    options.mean = {5, 10, 20};
    options.scale = {1, 2, 0.5};
    auto content = readImage(write(kTwoPixels), "x", Shape::of({1, 3, 1, 2}), ElementType::Float32, options);
    QCOMPARE(elementsOf<float>(*content), (QList<double>{250, 5, -20, 20, -10, 5}));
    options.order = ChannelOrder::Bgr;
    content = readImage(write(kTwoPixels), "x", Shape::of({1, 3, 1, 2}), ElementType::Float32, options);
    QCOMPARE(elementsOf<float>(*content), (QList<double>{-5, 25, -20, 20, 117.5, -5}));
}

void TestImageInput::integersAreRoundedAndClipped()
{
    ImageOptions options;
    options.mean = {15, 15, 15};
    options.scale = {0.5, 0.5, 0.5};
    auto content = readImage(write(kTwoPixels), "x", Shape::of({1, 3, 1, 2}), ElementType::Int8, options);
    QCOMPARE(elementsOf<std::int8_t>(*content), (QList<double>{120, -2, -8, 2, -8, 8})); // halves go to the even number
    options.scale = {2, 2, 2};
    content = readImage(write(kTwoPixels), "x", Shape::of({1, 3, 1, 2}), ElementType::UInt8, options);
    QCOMPARE(elementsOf<std::uint8_t>(*content), (QList<double>{255, 0, 0, 10, 0, 30}));
}

void TestImageInput::greyAndResized()
{
    const std::string grey("P5 2 2 255\n\x00\x64\x64\xc8", 15);
    auto content = readImage(write(grey), "x", Shape::of({1, 1, 2, 2}), ElementType::Float32, {});
    QCOMPARE(elementsOf<float>(*content), (QList<double>{0, 100, 100, 200}));
    content = readImage(write(grey), "x", Shape::of({1, 1, 1, 1}), ElementType::Float32, {});
    QCOMPARE(elementsOf<float>(*content), QList<double>{100}); // the mean of all
    content = readImage(write(grey), "x", Shape::of({2, 2}), ElementType::Float32, {});
    QCOMPARE(elementsOf<float>(*content).size(), 4);
    content = readImage(write(grey), "x", Shape::of({1, 8, 8, 3}), ElementType::Float32, {});
    QCOMPARE(elementsOf<float>(*content).size(), 192);
    content = readImage(write(grey), "x", Shape::of({1, 1, 2, 3}), ElementType::Float32, {}); // one channel, 2 rows, 3 columns
    QCOMPARE(elementsOf<float>(*content).size(), 6);
}

void TestImageInput::whatIsNoPicture()
{
    const auto code = [&](const std::filesystem::path& path, std::vector<std::int64_t> dims, ElementType type = ElementType::Float32) {
        const auto content = readImage(path, "x", Shape::of(std::move(dims)), type, {});
        return content ? ErrorCode::Internal : content.error().code;
    };
    const auto good = write(kTwoPixels);
    QCOMPARE(code(m_folder.filePath("missing.png").toStdString(), {1, 3, 2, 2}), ErrorCode::FileNotFound);
    QCOMPARE(code(good, {1, 4, 2, 2}), ErrorCode::WrongInput);
    QCOMPARE(code(good, {3}), ErrorCode::WrongInput);
    QCOMPARE(code(good, {1, 1, 3, 2, 2}), ErrorCode::WrongInput);
    QCOMPARE(code(good, {1, 3, 0, 2}), ErrorCode::WrongInput);
    QCOMPARE(code(good, {1, 3, 1 << 20, 2}), ErrorCode::WrongInput);
    QCOMPARE(code(good, {1, 3, kUnknownDim, 2}), ErrorCode::WrongInput);
    QCOMPARE(code(good, {1, 3, 2, 2}, ElementType::Int64), ErrorCode::WrongInput);
    QCOMPARE(code(good, {4096, 3, 30000, 30000}), ErrorCode::TooLarge);
    QCOMPARE(code(write("no picture at all"), {1, 3, 2, 2}), ErrorCode::FileUnreadable);
    QCOMPARE(code(write("P6 60000 60000 255\n"), {1, 3, 2, 2}), ErrorCode::FileUnreadable);
}

QTEST_APPLESS_MAIN(TestImageInput)
#include "tst_image_input.moc"
