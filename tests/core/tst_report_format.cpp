// SPDX-License-Identifier: MIT
// Sizes, percentages and names as text.
#include <arenascope/report.h>

#include <QtTest>

#include <limits>

using namespace arenascope;

class TestReportFormat : public QObject {
    Q_OBJECT
private slots:
    void formatBytes_data();
    void formatBytes();
    void formatExact_data();
    void formatExact();
    void formatPercent_data();
    void formatPercent();
    void parseBytes_data();
    void parseBytes();
    void parseBytesRefuses_data();
    void parseBytesRefuses();
    void parseBytesTakesWhatFormatBytesWrites();
    void printable_data();
    void printable();
    void printableLeavesNothingThatATerminalActsOn();
};

void TestReportFormat::formatBytes_data()
{
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("nothing") << qint64(0) << "0 B";
    QTest::newRow("one byte") << qint64(1) << "1 B";
    QTest::newRow("the last size in bytes") << qint64(1023) << "1023 B";
    QTest::newRow("the first KiB") << qint64(1024) << "1.00 KiB";
    QTest::newRow("three digits from 1 to 10") << qint64(1536) << "1.50 KiB";
    QTest::newRow("9.994 stays below 10") << qint64(10234) << "9.99 KiB";
    QTest::newRow("9.996 becomes 10.0, not 10.00") << qint64(10236) << "10.0 KiB";
    QTest::newRow("three digits from 10 to 100") << qint64(57 * 1024 + 410) << "57.4 KiB";
    QTest::newRow("99.96 becomes 100, not 100.0") << qint64(102359) << "100 KiB";
    QTest::newRow("four digits from 1000 on") << qint64(1023) * 1024 << "1023 KiB";
    QTest::newRow("1023.5 KiB becomes 1 MiB, not 1024 KiB") << qint64(1023) * 1024 + 512 << "1.00 MiB";
    QTest::newRow("MobileNetV2's bound") << qint64(6021120) << "5.74 MiB";
    QTest::newRow("4 GiB") << (qint64(4) << 30) << "4.00 GiB";
    QTest::newRow("the largest size") << std::numeric_limits<qint64>::max() << "8.00 EiB";
    QTest::newRow("the smallest number") << std::numeric_limits<qint64>::min() << "-8.00 EiB";
    QTest::newRow("a difference") << qint64(-1536) << "-1.50 KiB";
    QTest::newRow("a size that is not known") << qint64(kUnknownBytes) << "unknown";
}

void TestReportFormat::formatBytes()
{
    QFETCH(qint64, bytes);
    QTEST(QString::fromStdString(arenascope::formatBytes(bytes)), "text");
}

void TestReportFormat::formatExact_data()
{
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("nothing") << qint64(0) << "0";
    QTest::newRow("no group") << qint64(999) << "999";
    QTest::newRow("one group") << qint64(1000) << "1,000";
    QTest::newRow("no leading comma") << qint64(123456) << "123,456";
    QTest::newRow("two groups") << qint64(6021120) << "6,021,120";
    QTest::newRow("negative") << qint64(-123456) << "-123,456";
    QTest::newRow("the largest") << std::numeric_limits<qint64>::max() << "9,223,372,036,854,775,807";
    QTest::newRow("the smallest") << std::numeric_limits<qint64>::min() << "-9,223,372,036,854,775,808";
    QTest::newRow("not known") << qint64(kUnknownBytes) << "unknown";
}

void TestReportFormat::formatExact()
{
    QFETCH(qint64, bytes);
    QTEST(QString::fromStdString(arenascope::formatExact(bytes)), "text");
}

void TestReportFormat::formatPercent_data()
{
    QTest::addColumn<double>("fraction");
    QTest::addColumn<QString>("text");
    QTest::newRow("exactly nothing") << 0.0 << "0 %";
    QTest::newRow("next to nothing is not nothing") << 1e-9 << "<0.1 %";
    QTest::newRow("one in a thousand") << 0.001 << "0.1 %";
    QTest::newRow("an eighth") << 0.125 << "12.5 %";
    QTest::newRow("all") << 1.0 << "100.0 %";
    QTest::newRow("more than all") << 1.802 << "180.2 %";
    QTest::newRow("next to nothing, below") << -1e-9 << ">-0.1 %";
}

void TestReportFormat::formatPercent()
{
    QFETCH(double, fraction);
    QTEST(QString::fromStdString(arenascope::formatPercent(fraction)), "text");
}

void TestReportFormat::parseBytes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("bytes");
    QTest::newRow("plain bytes") << QByteArray("1000") << qint64(1000);
    QTest::newRow("nothing") << QByteArray("0") << qint64(0);
    QTest::newRow("leading zeros") << QByteArray("007") << qint64(7);
    QTest::newRow("bytes, said") << QByteArray("12B") << qint64(12);
    QTest::newRow("K is binary") << QByteArray("256K") << qint64(262144);
    QTest::newRow("so is k") << QByteArray("256k") << qint64(262144);
    QTest::newRow("so is KB") << QByteArray("256KB") << qint64(262144);
    QTest::newRow("KiB") << QByteArray("256KiB") << qint64(262144);
    QTest::newRow("a blank before the unit") << QByteArray("256 KiB") << qint64(262144);
    QTest::newRow("a fraction") << QByteArray("1.5M") << qint64(1572864);
    QTest::newRow("a part of a byte is dropped") << QByteArray("0.3K") << qint64(307);
    QTest::newRow("a budget in MiB as it is printed") << QByteArray("5.74 MiB") << qint64(6018826);
    QTest::newRow("G") << QByteArray("2G") << qint64(2147483648);
    QTest::newRow("T") << QByteArray("1T") << (qint64(1) << 40);
    QTest::newRow("many digits behind the point") << QByteArray("0.5000000000000000001M") << qint64(524288);
    QTest::newRow("the largest") << QByteArray("9223372036854775807") << std::numeric_limits<qint64>::max();
}

void TestReportFormat::parseBytes()
{
    QFETCH(QByteArray, text);
    const auto bytes = arenascope::parseBytes(text.toStdString());
    QVERIFY(bytes.hasValue());
    QTEST(qint64(*bytes), "bytes");
}

void TestReportFormat::parseBytesRefuses_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"", "K", ".5K", "1.", "1.K", "-1", "+1", " 1", "1 ", "1  K", "1e6", "0x10", "1,000", "1KK",
                             "1KiBs", "1Ki", "1Q", "ten", "1.5.5K", "NaN", "1K1"})
        QTest::newRow(text[0] != 0 ? text : "(empty)") << QByteArray(text);
    QTest::newRow("one more than fits 63 bits") << QByteArray("9223372036854775808");
    QTest::newRow("overflow by the unit") << QByteArray("9223372036854775807K");
    QTest::newRow("a hundred digits") << QByteArray(100, '9');
    QTest::newRow("a zero byte inside") << QByteArray("1\0K", 3);
}

void TestReportFormat::parseBytesRefuses()
{
    QFETCH(QByteArray, text);
    const auto bytes = arenascope::parseBytes(text.toStdString());
    QVERIFY(!bytes.hasValue());
    QCOMPARE(bytes.error().code, ErrorCode::BadOption);
    QCOMPARE(bytes.error().args.at(1), text.toStdString());
}

void TestReportFormat::parseBytesTakesWhatFormatBytesWrites()
{
    // Three significant digits: the way back is off by half a unit of the last digit at most, that is by 0.5 %.
    for (Bytes bytes = 1; bytes < (Bytes(1) << 43); bytes = bytes * 3 + 1) {
        const std::string text = arenascope::formatBytes(bytes);
        const auto back = arenascope::parseBytes(text);
        QVERIFY2(back.hasValue(), text.c_str());
        QVERIFY2(std::abs(double(*back) - double(bytes)) <= 0.005 * double(bytes) + 1, text.c_str());
    }
}

void TestReportFormat::printable_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("plain") << QByteArray("Conv_0/out:0") << QByteArray("Conv_0/out:0");
    QTest::newRow("a clear-screen sequence") << QByteArray("a\x1b[2Jb") << QByteArray("a\\x1b[2Jb");
    QTest::newRow("lines and tabs") << QByteArray("a\nb\r\tc") << QByteArray("a\\nb\\r\\tc");
    QTest::newRow("a zero byte") << QByteArray("a\0b", 3) << QByteArray("a\\x00b");
    QTest::newRow("delete") << QByteArray("\x7f") << QByteArray("\\x7f");
    QTest::newRow("umlauts stay") << QByteArray("Gr\xc3\xb6\xc3\x9f""e") << QByteArray("Gr\xc3\xb6\xc3\x9f""e");
    QTest::newRow("an emoji stays") << QByteArray("\xf0\x9f\x98\x80") << QByteArray("\xf0\x9f\x98\x80");
    QTest::newRow("C1 control in UTF-8") << QByteArray("\xc2\x9b""31m") << QByteArray("\\u009b31m");
    QTest::newRow("C1 control as a raw byte") << QByteArray("\x9b""31m") << QByteArray("\\x9b31m");
    QTest::newRow("right-to-left override") << QByteArray("a\xe2\x80\xae""b") << QByteArray("a\\u202eb");
    QTest::newRow("line separator") << QByteArray("\xe2\x80\xa8") << QByteArray("\\u2028");
    QTest::newRow("byte-order mark") << QByteArray("\xef\xbb\xbf""x") << QByteArray("\\ufeffx");
    QTest::newRow("tag characters") << QByteArray("\xf3\xa0\x81\x81") << QByteArray("\\U000e0041");
    QTest::newRow("overlong slash") << QByteArray("\xc0\xaf") << QByteArray("\\xc0\\xaf");
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << QByteArray("\\xed\\xa0\\x80");
    QTest::newRow("above the last code point") << QByteArray("\xf4\x90\x80\x80") << QByteArray("\\xf4\\x90\\x80\\x80");
    QTest::newRow("a sequence cut short") << QByteArray("ab\xe2\x82") << QByteArray("ab\\xe2\\x82");
    QTest::newRow("a cut sequence does not swallow what follows") << QByteArray("\xe2\x82z") << QByteArray("\\xe2\\x82z");
}

void TestReportFormat::printable()
{
    QFETCH(QByteArray, name);
    QTEST(QByteArray::fromStdString(arenascope::printable(name.toStdString())), "text");
}

void TestReportFormat::printableLeavesNothingThatATerminalActsOn()
{
    std::uint32_t state = 12345;
    for (int round = 0; round < 2000; ++round) {
        std::string name;
        for (int i = 0; i < 24; ++i) {
            state = state * 1664525U + 1013904223U;
            name += static_cast<char>(state >> 24);
        }
        const std::string safe = arenascope::printable(name);
        const QString decoded = QString::fromUtf8(safe.data(), qsizetype(safe.size()));
        QVERIFY(!decoded.contains(QChar::ReplacementCharacter)); // Qt's decoder is the independent judge of UTF-8
        for (const QChar c : decoded)
            QVERIFY(c.unicode() >= 0x20 && (c.unicode() < 0x7f || c.unicode() > 0x9f));
        QCOMPARE(arenascope::printable(safe), safe);
    }
}

QTEST_APPLESS_MAIN(TestReportFormat)
#include "tst_report_format.moc"
