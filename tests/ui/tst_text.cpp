// SPDX-License-Identifier: MIT
#include "ui/text.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::ui;

class TestText : public QObject {
    Q_OBJECT
private slots:
    void sizes();
    void changes_data();
    void changes();
    void durations();
    void errorNamesPlaceAndArguments();
    void argumentsAreNotExpandedAgain();
    void everyCodeHasAMessage();
    void shapes_data();
    void shapes();
    void matcher_data();
    void matcher();
};

void TestText::sizes()
{
    QCOMPARE(sizeText(512), QStringLiteral("512 B"));
    QCOMPARE(sizeText(kUnknownBytes), QStringLiteral("unknown"));
    QCOMPARE(exactText(6021120), QStringLiteral("6,021,120 bytes"));
    QCOMPARE(exactText(1), QStringLiteral("1 byte"));
}

void TestText::changes_data()
{
    QTest::addColumn<double>("fraction");
    QTest::addColumn<QString>("text");
    QTest::newRow("no change") << 0.0 << "0 %";
    QTest::newRow("a large saving is whole") << -0.784 << QStringLiteral(u"\u221278 %");
    QTest::newRow("a small gap keeps a decimal") << 0.0153 << "+1.5 %";
    QTest::newRow("a tiny gap is no zero") << 0.0001 << "+<0.1 %";
    QTest::newRow("nearly everything is not everything") << -0.9999 << QStringLiteral(u"\u221299.9 %");
    QTest::newRow("more than double") << 1.5 << "+150 %";
}

void TestText::changes()
{
    QFETCH(double, fraction);
    QTEST(changeText(fraction), "text");
}

void TestText::durations()
{
    QCOMPARE(durationText(0.000123), QStringLiteral("0.12 ms"));
    QCOMPARE(durationText(0.0123), QStringLiteral("12.3 ms"));
    QCOMPARE(durationText(0.25), QStringLiteral("250 ms"));
    QCOMPARE(durationText(1.25), QStringLiteral("1.25 s"));
}

void TestText::errorNamesPlaceAndArguments()
{
    const Error error { ErrorCode::UnknownShape, "yolox.onnx", { "boxes", "nms", "--dim n=1" } };
    const QString text = errorText(error);
    QVERIFY(text.startsWith(QLatin1String("yolox.onnx: ")));
    for (const char* word : { "boxes", "nms", "--dim n=1" })
        QVERIFY2(text.contains(QLatin1String(word)), word);
}

void TestText::argumentsAreNotExpandedAgain()
{
    const QString text = messageText({ ErrorCode::DuplicateName, {}, { "%2", "%1" } });
    QVERIFY2(text.contains(QLatin1String("%2")) && text.contains(QLatin1String("%1")), qPrintable(text));
}

void TestText::everyCodeHasAMessage()
{
    for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code) {
        const QString text = messageText({ static_cast<ErrorCode>(code), {}, { "a", "b", "c" } });
        QVERIFY(!text.isEmpty());
        QVERIFY2(!text.contains(u'?'), qPrintable(text));
    }
}

void TestText::shapes_data()
{
    using Extents = QList<qlonglong>;
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isShape");
    QTest::addColumn<Extents>("extents");
    QTest::newRow("with x") << "1x3x224x224" << true << Extents { 1, 3, 224, 224 };
    QTest::newRow("with commas and brackets") << "[1, 3, 8]" << true << Extents { 1, 3, 8 };
    QTest::newRow("one extent") << "7" << true << Extents { 7 };
    QTest::newRow("an unknown extent") << "?x4" << true << Extents { -1, 4 };
    QTest::newRow("scalar") << "scalar" << true << Extents {};
    QTest::newRow("zero elements") << "0x4" << true << Extents { 0, 4 };
    QTest::newRow("empty") << "" << false << Extents {};
    QTest::newRow("a word") << "batch" << false << Extents {};
    QTest::newRow("negative") << "-3x4" << false << Extents {};
    QTest::newRow("a missing extent") << "3xx4" << false << Extents {};
    QTest::newRow("beyond 63 bits") << "99999999999999999999" << false << Extents {};
}

void TestText::shapes()
{
    QFETCH(QString, text);
    QFETCH(bool, isShape);
    const auto shape = parseShape(text);
    QCOMPARE(shape.has_value(), isShape);
    if (!shape)
        return;
    QTEST(QList<qlonglong>(shape->begin(), shape->end()), "extents");
}

void TestText::matcher_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isHit");
    QTest::newRow("nothing matches everything") << "" << "conv1" << true;
    QTest::newRow("any case") << "CONV" << "conv1 Conv" << true;
    QTest::newRow("all words, any order") << "relu 12" << "block12/Relu" << true;
    QTest::newRow("one word missing") << "relu 13" << "block12/Relu" << false;
    QTest::newRow("regular expression") << "/conv[0-9]+$/" << "conv12" << true;
    QTest::newRow("regular expression without a hit") << "/^conv$/" << "conv12" << false;
    QTest::newRow("a broken expression hits nothing") << "/conv[/" << "conv[" << false;
    QTest::newRow("special characters are plain in words") << "a.b" << "axb" << false;
}

void TestText::matcher()
{
    QFETCH(QString, pattern);
    QFETCH(QString, text);
    QTEST(TextMatcher(pattern).matches(text), "isHit");
}

QTEST_APPLESS_MAIN(TestText)
#include "tst_text.moc"
