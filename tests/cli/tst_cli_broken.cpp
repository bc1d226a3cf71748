// SPDX-License-Identifier: MIT
// Files that cannot be read: one line each, never a crash; and all real models give a sound answer.
#include "cli/cli_run.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

namespace {

const QString kModels = QStringLiteral(ARENASCOPE_SHARED_DIR "/models/");

void addRows(const QString& folder, const QStringList& filters)
{
    QStringList files;
    QDirIterator iterator(folder, filters, QDir::Files, QDirIterator::Subdirectories);
    while (iterator.hasNext())
        files << iterator.next();
    files.sort();
    for (const QString& file : files)
        QTest::newRow(qPrintable(QDir(kModels).relativeFilePath(file))) << file;
}

} // namespace

class TestCliBroken : public QObject {
    Q_OBJECT
private slots:
    void brokenModelIsOneLine_data();
    void brokenModelIsOneLine();
    void sampleThatIsBrokenOnPurpose();
    void damagedModelIsOneLine();
    void folderIsNoModel();
    void realModelGivesASoundPlan_data();
    void realModelGivesASoundPlan();
};

void TestCliBroken::brokenModelIsOneLine_data()
{
    if (!QDir(kModels).exists())
        QSKIP("no real model files at " ARENASCOPE_SHARED_DIR);
    QTest::addColumn<QString>("file");
    addRows(kModels + "broken", {"*"});
}

void TestCliBroken::brokenModelIsOneLine()
{
    QFETCH(QString, file);
    const CliRun run = runCli({"plan", file, "--json", "-", "--quiet"});
    if (run.code == 0) { // odd, but it opens: then the answer is whole
        QCOMPARE(run.err, QByteArray());
        QVERIFY(QJsonDocument::fromJson(run.out).object()["valid"].toBool());
        return;
    }
    QCOMPARE(run.code, 2);
    QCOMPARE(run.out, QByteArray());
    QCOMPARE(run.complaints().size(), 1);
    // The file, perhaps the place in it, what is wrong.
    QVERIFY2(run.err.startsWith("arenascope-cli: " + file.toUtf8() + ": ")
                 || run.err.startsWith("arenascope-cli: " + file.toUtf8() + ", "), run.err.constData());
    QVERIFY2(run.err.endsWith(".\n"), run.err.constData()); // what to do about it is a sentence
}

void TestCliBroken::sampleThatIsBrokenOnPurpose()
{
    const CliRun run = runCli({"plan", QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples/broken.onnx")});
    QCOMPARE(run.code, 2);
    QCOMPARE(run.out, QByteArray());
    QCOMPARE(run.complaints().size(), 1);
}

void TestCliBroken::damagedModelIsOneLine()
{
    // One byte of a sound file is changed, or the file ends early: an answer or one line, and no crash.
    const QTemporaryDir folder;
    const QByteArray sound = QByteArray::fromStdString(tinyModel("batch").SerializeAsString());
    for (qsizetype at = 0; at < sound.size(); at += 5) {
        QByteArray damaged = sound;
        damaged[at] = char(damaged[at] ^ (at % 3 == 0 ? 0x80 : 0x07));
        if (at % 2 == 0)
            damaged.truncate(at);
        QFile file(folder.filePath("damaged.onnx"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(damaged) == damaged.size());
        file.close();
        const CliRun run = runCli({"plan", file.fileName(), "--quiet"});
        QVERIFY2(run.code == 0 || run.code == 2, qPrintable(QString("byte %1: %2").arg(at).arg(QString(run.err))));
        QCOMPARE(run.complaints().size(), run.code == 0 ? 0 : 1);
        QCOMPARE(run.out.isEmpty(), run.code != 0);
    }
}

void TestCliBroken::folderIsNoModel()
{
    const CliRun run = runCli({"plan", QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples")});
    QCOMPARE(run.code, 2);
    QCOMPARE(run.out, QByteArray());
    QCOMPARE(run.complaints().size(), 1);
}

void TestCliBroken::realModelGivesASoundPlan_data()
{
    if (!QDir(kModels).exists())
        QSKIP("no real model files at " ARENASCOPE_SHARED_DIR);
    QTest::addColumn<QString>("file");
    addRows(kModels + "onnx", {"*.onnx"});
    addRows(kModels + "torch", {"*.onnx"});
}

void TestCliBroken::realModelGivesASoundPlan()
{
    QFETCH(QString, file);
    const CliRun run = runCli({"plan", file, "--json", "-", "--quiet"});
    if (run.code == 2) { // sizes that depend on data: one line that says how to go on
        QCOMPARE(run.out, QByteArray());
        QCOMPARE(run.complaints().size(), 1);
        QVERIFY2(run.err.contains("--shape") || run.err.contains("--dim"), run.err.constData());
        return;
    }
    QCOMPARE(run.err, QByteArray());
    QCOMPARE(run.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(run.out).object();
    QVERIFY(json["valid"].toBool());
    QVERIFY(json["operators"].toInt() > 0);
    QVERIFY(json["arena_bytes"].toDouble() >= json["lower_bound_bytes"].toDouble());
    QVERIFY(json["arena_bytes"].toDouble() <= json["naive_bytes"].toDouble());
    QCOMPARE(json["peak"]["live_bytes"].toDouble(), json["lower_bound_bytes"].toDouble());
}

QTEST_GUILESS_MAIN(TestCliBroken)
#include "tst_cli_broken.moc"
