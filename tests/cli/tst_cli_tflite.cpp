// SPDX-License-Identifier: MIT
// The command line on a real .tflite file: what its runtime needs, an offline plan out, and in again.
#include "cli/cli_run.h"
#include "support/model_table.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

class TestCliTflite : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void saysWhatTheRuntimeNeeds();
    void alignmentIsTheRuntimes();
    void exportsAndReadsAPlan();
    void refusesWhatCannotBe();

private:
    CliRun run(QStringList arguments) const { return runCli(arguments, m_folder.path()); }
    QJsonObject json(QStringList arguments) const
    {
        return QJsonDocument::fromJson(run(arguments << "--json" << "-" << "-q").out).object();
    }
    QTemporaryDir m_folder;
};

void TestCliTflite::initTestCase()
{
    const QString model = modelPath("tflite/yunet_int8.tflite");
    if (!QFile::exists(model))
        QSKIP("models/tflite is missing (set ARENASCOPE_SHARED_DIR)");
    QVERIFY(QFile::copy(model, m_folder.filePath("yunet.tflite")));
}

void TestCliTflite::saysWhatTheRuntimeNeeds()
{
    const CliRun done = run({"plan", "yunet.tflite", "-q"});
    QCOMPARE(done.code, 0);
    QVERIFY2(done.out.contains("TensorFlow Lite Micro today needs 234 KiB (239,616 bytes), with an offline plan 159 KiB (162,816 bytes), "
                               "bound 159 KiB (162,816 bytes)."), done.out.constData());
    QVERIFY(done.out.contains("Scratch buffers of kernels and persistent bytes come on top."));
    const QJsonObject tflm = json({"plan", "yunet.tflite"})["tflm"].toObject();
    QCOMPARE(tflm["today_bytes"].toInteger(), 239616);
    QCOMPARE(tflm["offline_bytes"].toInteger(), 162816);
    QCOMPARE(tflm["bound_bytes"].toInteger(), 162816);
    QCOMPARE(tflm["file_plan"].toBool(), false);
}

void TestCliTflite::alignmentIsTheRuntimes()
{
    QCOMPARE(json({"plan", "yunet.tflite"}).value("options").toObject().value("alignment").toInt(), 16);
    QCOMPARE(json({"plan", "yunet.tflite", "--align", "64"}).value("options").toObject().value("alignment").toInt(), 64);
    QCOMPARE(json({"plan", "yunet.tflite", "--strategy", "tflm"})["arena_bytes"].toInteger(), 239616);
}

void TestCliTflite::exportsAndReadsAPlan()
{
    const CliRun written = run({"plan", "yunet.tflite", "-q", "--export", "planned.tflite"});
    QCOMPARE(written.err, QByteArray());
    QCOMPARE(written.code, 0);
    QCOMPARE(json({"plan", "planned.tflite", "--strategy", "file"})["arena_bytes"].toInteger(), 162816);
    const QJsonObject tflm = json({"plan", "planned.tflite", "--strategy", "tflm"});
    QCOMPARE(tflm["arena_bytes"].toInteger(), 162816); // that runtime follows the file
    QCOMPARE(tflm.value("tflm").toObject().value("file_plan").toBool(), true);
    const CliRun checked = run({"check", "planned.tflite"});
    QCOMPARE(checked.code, 0);
    QVERIFY2(checked.out.contains("valid: 92 buffers in an arena of 159 KiB (162,816 bytes)"), checked.out.constData());
    QCOMPARE(run({"check", "yunet.tflite"}).code, 2); // has no plan
    QCOMPARE(run({"plan", "yunet.tflite", "-q", "--export", "yunet.tflite"}).code, 2);
    QCOMPARE(run({"plan", "yunet.tflite", "-q", "--export-as", "tflite", "other.bin"}).code, 0);
    QVERIFY(run({"formats"}).out.contains("TensorFlow Lite"));
}

void TestCliTflite::refusesWhatCannotBe()
{
    const CliRun none = run({"plan", "yunet.tflite", "-q", "--strategy", "file"});
    QCOMPARE(none.code, 2);
    QVERIFY2(none.err.contains("The plan of a model file that has none is not supported."), none.err.constData());
    const CliRun outside = run({"plan", "yunet.tflite", "-q", "--io", "outside", "--export", "a.tflite"});
    QCOMPARE(outside.code, 2);
    QVERIFY2(outside.err.contains("plan with --io arena"), outside.err.constData());
    QCOMPARE(run({"plan", "yunet.tflite", "yunet.tflite", "-q", "--strategy", "file", "--one-arena"}).code, 2);
    QVERIFY(!QFile::exists(m_folder.filePath("a.tflite")));
}

QTEST_GUILESS_MAIN(TestCliTflite)
#include "tst_cli_tflite.moc"
