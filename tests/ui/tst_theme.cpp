// SPDX-License-Identifier: MIT
#include "ui/theme.h"

#include <QTest>

using namespace arenascope::ui;

class TestTheme : public QObject {
    Q_OBJECT
private slots:
    void contrastOfBlackOnWhiteIs21();
    void textReadsOnEveryBackground_data();
    void textReadsOnEveryBackground();
    void textOnHueReads_data();
    void textOnHueReads();
    void tonesOfAHueDiffer_data() { textOnHueReads_data(); }
    void tonesOfAHueDiffer();
    void paletteTextReads_data() { themes(); }
    void paletteTextReads();
    void huesAreDistinct_data() { themes(); }
    void huesAreDistinct();
    void hueIndexWraps();

private:
    static void themes();
    static const Theme& theme() { return *rowTheme(); }
    static const Theme* rowTheme();
};

void TestTheme::themes()
{
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
}

const Theme* TestTheme::rowTheme()
{
    const bool dark = *static_cast<bool*>(QTest::qData("dark", qMetaTypeId<bool>()));
    return dark ? &Theme::darkTheme() : &Theme::light();
}

void TestTheme::contrastOfBlackOnWhiteIs21()
{
    QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrastRatio(Qt::white, Qt::black), 21.0);
    QCOMPARE(contrastRatio(Qt::red, Qt::red), 1.0);
}

void TestTheme::textReadsOnEveryBackground_data()
{
    themes();
}

void TestTheme::textReadsOnEveryBackground()
{
    const Theme& t = theme();
    for (const QColor& background : { t.window, t.panel, t.canvas, t.node, t.curveFill }) {
        QVERIFY2(contrastRatio(t.text, background) >= 4.5, qPrintable(background.name()));
    }
    for (const QColor& background : { t.window, t.panel, t.canvas }) {
        for (const QColor& word : { t.mutedText, t.bound, t.arenaTop, t.budget, t.peak, t.clash, t.edgeHighlight })
            QVERIFY2(contrastRatio(word, background) >= 4.5, qPrintable(word.name() + " on " + background.name()));
    }
}

void TestTheme::textOnHueReads_data()
{
    themes();
}

void TestTheme::textOnHueReads()
{
    for (int index = 0; index < hueCount(); ++index) {
        for (int tone = 0; tone < 3; ++tone) {
            const QColor background = hue(index, tone, theme());
            QVERIFY2(contrastRatio(textOn(background), background) >= 4.5, qPrintable(background.name()));
        }
    }
}

void TestTheme::tonesOfAHueDiffer()
{
    for (int index = 0; index < hueCount(); ++index) {
        const double ratio = contrastRatio(hue(index, 1, theme()), hue(index, 2, theme()));
        QVERIFY2(ratio >= 2.0, qPrintable(QStringLiteral("hue %1: %2").arg(index).arg(ratio)));
    }
}

void TestTheme::paletteTextReads()
{
    const QPalette palette = theme().palette();
    const auto reads = [&](QPalette::ColorRole text, QPalette::ColorRole background) {
        return contrastRatio(palette.color(text), palette.color(background)) >= 4.5;
    };
    QVERIFY(reads(QPalette::WindowText, QPalette::Window));
    QVERIFY(reads(QPalette::Text, QPalette::Base));
    QVERIFY(reads(QPalette::Text, QPalette::AlternateBase));
    QVERIFY(reads(QPalette::ButtonText, QPalette::Button));
    QVERIFY(reads(QPalette::HighlightedText, QPalette::Highlight));
    QVERIFY(reads(QPalette::ToolTipText, QPalette::ToolTipBase));
    QVERIFY(reads(QPalette::PlaceholderText, QPalette::Base));
    QVERIFY(reads(QPalette::Link, QPalette::Base));
}

void TestTheme::huesAreDistinct()
{
    for (int a = 0; a < hueCount(); ++a) {
        for (int b = a + 1; b < hueCount(); ++b)
            QVERIFY(hue(a, 0, theme()) != hue(b, 0, theme()));
    }
}

void TestTheme::hueIndexWraps()
{
    QCOMPARE(hue(hueCount() + 3, 1, Theme::light()), hue(3, 1, Theme::light()));
    QCOMPARE(hue(-1, 0, Theme::light()), hue(hueCount() - 1, 0, Theme::light()));
}

QTEST_APPLESS_MAIN(TestTheme)
#include "tst_theme.moc"
