// SPDX-License-Identifier: MIT
#include "ui/gui_options.h"

#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace arenascope;
using namespace arenascope::ui;

class TestGuiOptions : public QObject {
    Q_OBJECT
private slots:
    void nothingGiven();
    void everythingGiven();
    void mistakes_data();
    void mistakes();
    void paintsItsWindow_data();
    void paintsItsWindow();
    void brokenModelEndsWithOne();
};

namespace {

QString program()
{
    return QStringLiteral(ARENASCOPE_BIN_DIR "/arenascope");
}

int runProgram(const QStringList& arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(program(), arguments);
    return process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
}

} // namespace

void TestGuiOptions::nothingGiven()
{
    const GuiOptions options = parseGuiOptions({ QStringLiteral("arenascope") });
    QVERIFY2(options.error.isEmpty(), qPrintable(options.error));
    QVERIFY(options.model.isEmpty() && options.screenshot.isEmpty());
    QVERIFY(!options.strategy && !options.alias && !options.schedule && !options.alignment && !options.theme && !options.size);
}

void TestGuiOptions::everythingGiven()
{
    const GuiOptions options = parseGuiOptions({ "arenascope", "net.onnx", "--strategy", "pingpong", "--alias=inplace",
        "--schedule", "depth-first", "--concurrency", "parallel", "--align", "16", "--io", "outside", "--budget", "256K", "--theme", "dark",
        "--screenshot", "out.png", "--size", "1920x1080", "--step", "12" });
    QVERIFY2(options.error.isEmpty(), qPrintable(options.error));
    QCOMPARE(options.model, QStringLiteral("net.onnx"));
    QCOMPARE(options.strategy, QStringLiteral("pingpong"));
    QCOMPARE(options.alias, AliasMode::InPlace);
    QCOMPARE(options.schedule, ScheduleKind::DepthFirst);
    QCOMPARE(options.concurrency, Concurrency::Parallel);
    QCOMPARE(options.alignment, 16);
    QCOMPARE(options.ioInArena, false);
    QCOMPARE(options.budget, 256 * 1024);
    QCOMPARE(options.theme, ThemeChoice::Dark);
    QCOMPARE(options.screenshot, QStringLiteral("out.png"));
    QCOMPARE(options.size, QSize(1920, 1080));
    QCOMPARE(options.step, 12);
}

void TestGuiOptions::mistakes_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("an option that is not there") << QStringList { "--magic" };
    QTest::newRow("a strategy that is not there") << QStringList { "--strategy", "magic" };
    QTest::newRow("an alignment that is no power of two") << QStringList { "--align", "48" };
    QTest::newRow("a concurrency that is not there") << QStringList { "--concurrency", "some" };
    QTest::newRow("an alignment of zero") << QStringList { "--align", "0" };
    QTest::newRow("a size without a height") << QStringList { "--size", "1280" };
    QTest::newRow("a size beyond all screens") << QStringList { "--size", "99999x99999" };
    QTest::newRow("a negative step") << QStringList { "--step", "-1" };
    QTest::newRow("a budget that is no size") << QStringList { "--budget", "much" };
    QTest::newRow("two models") << QStringList { "a.onnx", "b.onnx" };
}

void TestGuiOptions::mistakes()
{
    QFETCH(QStringList, arguments);
    arguments.prepend(QStringLiteral("arenascope"));
    QVERIFY(!parseGuiOptions(arguments).error.isEmpty());
}

void TestGuiOptions::paintsItsWindow_data()
{
    QTest::addColumn<QString>("theme");
    QTest::newRow("light") << "light";
    QTest::newRow("dark") << "dark";
}

void TestGuiOptions::paintsItsWindow()
{
    if (!QFile::exists(program()))
        QSKIP("the program is not built");
    QFETCH(QString, theme);
    const QTemporaryDir folder;
    const QString picture = folder.filePath(QStringLiteral("window.png"));
    QCOMPARE(runProgram({ QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples/residual.onnx"), "--screenshot", picture, "--size",
                 "1000x700", "--theme", theme, "--step", "3" }),
        0);
    const QImage image(picture);
    QCOMPARE(image.size(), QSize(1000, 700));
    // The corner of the window is the theme's own background.
    const bool isDark = image.pixelColor(2, image.height() - 3).lightness() < 128;
    QCOMPARE(isDark, theme == QLatin1String("dark"));
}

void TestGuiOptions::brokenModelEndsWithOne()
{
    if (!QFile::exists(program()))
        QSKIP("the program is not built");
    const QTemporaryDir folder;
    QCOMPARE(runProgram({ QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples/broken.onnx"), "--screenshot", folder.filePath(QStringLiteral("a.png")) }), 1);
    QCOMPARE(runProgram({ QStringLiteral("--magic") }), 2);
}

QTEST_GUILESS_MAIN(TestGuiOptions)
#include "tst_gui_options.moc"
