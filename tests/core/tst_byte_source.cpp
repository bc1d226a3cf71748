// SPDX-License-Identifier: MIT
// Files read piece by piece: every byte in its place, and a file that shrinks meanwhile is an error, not a death.
#include "core/src/import/byte_source.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cstring>
#include <random>

#include <sys/stat.h>

using namespace arenascope;

namespace {

/// Byte i of the test files.
std::byte byteAt(std::int64_t i)
{
    return static_cast<std::byte>((i * 2654435761LL) >> 13);
}

bool isRight(std::span<const std::byte> piece, std::int64_t at)
{
    for (const std::byte byte : piece) {
        if (byte != byteAt(at++))
            return false;
    }
    return true;
}

QString textOf(const Error& error)
{
    return QString::fromStdString(describe(error));
}

} // namespace

class TestByteSource : public QObject {
    Q_OBJECT

private slots:
    void givesEveryByteInItsPlace_data();
    void givesEveryByteInItsPlace();
    void piecesFollowEachOther();
    void aFileThatShrinksIsAnError();
    void whatIsInMemoryStaysReadable();
    void refuses_data();
    void refuses();

private:
    std::string write(std::int64_t size);
    QTemporaryDir m_folder;
};

std::string TestByteSource::write(std::int64_t size)
{
    QByteArray bytes(static_cast<qsizetype>(size), '\0');
    for (std::int64_t i = 0; i < size; ++i)
        bytes[static_cast<qsizetype>(i)] = static_cast<char>(byteAt(i));
    QFile file(m_folder.filePath(QStringLiteral("bytes")));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != size)
        qFatal("the test file cannot be written");
    return file.fileName().toStdString();
}

void TestByteSource::givesEveryByteInItsPlace_data()
{
    QTest::addColumn<qint64>("size");
    QTest::newRow("one byte") << qint64{1};
    QTest::newRow("less than a piece") << qint64{4095};
    QTest::newRow("a byte more than a piece") << qint64{4097};
    QTest::newRow("many pieces") << qint64{1'000'003};
}

void TestByteSource::givesEveryByteInItsPlace()
{
    QFETCH(qint64, size);
    auto source = ByteSource::open(write(size));
    QVERIFY(source);
    QCOMPARE(qint64(source->size()), size);
    std::mt19937_64 random(7);
    qint64 at = 0;
    for (int i = 0; i < 2000; ++i) {
        const bool goesOn = i % 3 != 0; // straight on, or a jump to anywhere
        if (!goesOn || at >= size)
            at = static_cast<qint64>(random() % static_cast<quint64>(size));
        const qint64 count = std::min(size - at, static_cast<qint64>(random() % (i % 50 == 0 ? 200'000 : 40)));
        const auto piece = source->read(at, count);
        QVERIFY(piece);
        QCOMPARE(qint64(piece->size()), count);
        QVERIFY(isRight(*piece, at));
        at += count;
    }
    QVERIFY(!source->failure());
}

void TestByteSource::piecesFollowEachOther()
{
    auto source = ByteSource::open(write(300'000));
    QVERIFY(source);
    std::int64_t at = 17;
    QVERIFY(source->forEachPiece(17, 299'000, [&](std::span<const std::byte> piece) {
        QVERIFY(isRight(piece, at));
        at += std::ssize(piece);
    }));
    QCOMPARE(at, std::int64_t{299'017});
}

void TestByteSource::aFileThatShrinksIsAnError()
{
    const std::string path = write(100'000);
    auto source = ByteSource::open(path);
    QVERIFY(source);
    QVERIFY(source->read(0, 10));
    QVERIFY(QFile::resize(QString::fromStdString(path), 50'000));
    QVERIFY(!source->read(90'000, 1));
    QVERIFY(source->failure());
    QCOMPARE(textOf(*source->failure()),
             QStringLiteral("The file ends too early: it became shorter while it was read. Copy or download it again."));
}

void TestByteSource::whatIsInMemoryStaysReadable()
{
    const QByteArray text("arenascope");
    ByteSource source(std::as_bytes(std::span(text.constData(), 10)));
    QCOMPARE(source.size(), std::int64_t{10});
    const auto piece = source.read(5, 5);
    QVERIFY(piece);
    QVERIFY(std::memcmp(piece->data(), "scope", 5) == 0);
}

void TestByteSource::refuses_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("message");
    QTest::newRow("nothing there") << "none" << "The file cannot be opened: there is no such file. Check the path.";
    QTest::newRow("below a file") << "below" << "The file cannot be opened: there is no such file. Check the path.";
    QTest::newRow("a folder") << "folder" << "The file cannot be read: it is a folder. Check its permissions.";
    QTest::newRow("a pipe without a writer")
        << "pipe" << "The file cannot be read: it is not a regular file. Check its permissions.";
    QTest::newRow("a device") << "device" << "The file cannot be read: it is not a regular file. Check its permissions.";
    QTest::newRow("an empty file") << "empty"
                                   << "The file ends too early: it is empty. Copy or download it again.";
}

void TestByteSource::refuses()
{
    QFETCH(QString, kind);
    QFETCH(QString, message);
    QString path = m_folder.filePath(kind);
    if (kind == QLatin1String("below"))
        path = QString::fromStdString(write(1)) + QStringLiteral("/model.onnx");
    else if (kind == QLatin1String("folder"))
        QVERIFY(QDir().mkpath(path));
    else if (kind == QLatin1String("pipe"))
        QCOMPARE(::mkfifo(path.toLocal8Bit().constData(), 0600), 0);
    else if (kind == QLatin1String("device"))
        path = QStringLiteral("/dev/zero");
    else if (kind == QLatin1String("empty"))
        QVERIFY(QFile(path).open(QIODevice::WriteOnly));
    const auto source = ByteSource::open(path.toStdString());
    QVERIFY(!source);
    QCOMPARE(textOf(source.error()), path + QStringLiteral(": ") + message);
    const auto head = readHead(path.toStdString(), 10);
    QVERIFY(!head);
    QCOMPARE(textOf(head.error()), textOf(source.error()));
}

QTEST_GUILESS_MAIN(TestByteSource)
#include "tst_byte_source.moc"
