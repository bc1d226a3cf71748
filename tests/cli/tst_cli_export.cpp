// SPDX-License-Identifier: MIT
// Plans for runtimes and tools, as files.
#include "cli/cli_run.h"
#include "support/compiler.h"

#include <arenascope/plan_export.h>

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

class TestCliExport : public QObject {
    Q_OBJECT
private slots:
    void init();
    void suffixesChooseTheFormat_data();
    void suffixesChooseTheFormat();
    void idsChooseTheFormat();
    void wrongFormatsAreTold();
    void whatAFormatCannotSayIsTold();
    void solveKeepsTheOffsets();
    void jsonIsReadByPython();
    void formatsListThemAll();

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }
    QByteArray contentOf(const QString& name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    CliRun run(QStringList arguments) const { return runCli(arguments, m_folder->path()); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCliExport::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(writeModel(tinyModel(), path("tiny.onnx")));
}

void TestCliExport::suffixesChooseTheFormat_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("holds");
    const auto row = [](const char* name, const char* holds) { QTest::newRow(name) << QString(name) << QByteArray(holds); };
    row("tiny.h", "#define TINY_ARENA_SIZE 256u\n");
    row("tiny.H", "#define TINY_OFFSET_x ");
    row("tiny.tflm.c", "const struct BufferPlan tiny_buffer_plan = {\n    5,\n");
    row("tiny.tflm.txt", "0 (id=0): size=64, offset=");
    row("tiny.vela.txt", "Start Time -   End Time: Start Addr");
    row("tiny.minimalloc.csv", "id,lower,upper,size,alignment,offset\nx,0,1,64,64,");
    row("tiny.trace.json", "\"traceEvents\"");
    row("tiny.address.trace.json", "memory_allocation");
    row("tiny.netron.json", "\"signature\": \"netron:attachment\"");
    row("tiny.json", "\"format\": \"arenascope-plan\"");
    row("tiny.csv", "id,name,tensors,");
}

void TestCliExport::suffixesChooseTheFormat()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, holds);
    const CliRun done = run({"plan", "tiny.onnx", "--strategy", "greedy-by-size", "--export", name});
    QCOMPARE(done.err, QByteArray());
    QCOMPARE(done.code, 0);
    QVERIFY2(contentOf(name).contains(holds), contentOf(name).left(2000).constData());
}

void TestCliExport::idsChooseTheFormat()
{
    for (const auto& format : arenascope::planExports()) {
        if (format.id == "tflite") // only for networks that came from such a file: tst_cli_tflite
            continue;
        const QString id = QString::fromLatin1(format.id.data(), qsizetype(format.id.size()));
        const QString bySuffix = "by-suffix" + QString::fromLatin1(format.suffix.data(), qsizetype(format.suffix.size()));
        const CliRun done = run({"plan", "tiny.onnx", "--strategy", "greedy-by-size", "--export-as", id, "{name}.out", "--export", bySuffix});
        QCOMPARE(done.err, QByteArray());
        QCOMPARE(done.code, 0);
        QVERIFY(!contentOf("tiny.out").isEmpty());
        QCOMPARE(contentOf("tiny.out"), contentOf(bySuffix));
    }
    // Several in one call.
    QCOMPARE(run({"plan", "tiny.onnx", "--export-as", "c-header", "a.txt", "--export-as", "vela", "b.txt"}).code, 0);
    QVERIFY(contentOf("a.txt").contains("TINY_ARENA_SIZE"));
    QVERIFY(contentOf("b.txt").contains("Start Time"));
}

void TestCliExport::wrongFormatsAreTold()
{
    const CliRun id = run({"plan", "tiny.onnx", "--export-as", "c-haeder", "a.h"});
    QCOMPARE(id.code, 2);
    QVERIFY2(id.err.contains("--export-as") && id.err.contains("c-haeder") && id.err.contains("tflm-c"), id.err.constData());
    const CliRun suffix = run({"plan", "tiny.onnx", "--export", "a.txt"});
    QCOMPARE(suffix.code, 2);
    QVERIFY2(suffix.err.contains(".tflm.txt") && suffix.err.contains(".svg"), suffix.err.constData());
    QCOMPARE(run({"plan", "tiny.onnx", "--export-as", "c-header"}).code, 2);
    const CliRun model = run({"plan", "tiny.onnx", "--export-as", "c-header", "tiny.onnx"});
    QCOMPARE(model.code, 2);
    const CliRun twice = run({"plan", "tiny.onnx", "--export", "a.h", "--export-as", "json", "a.h"});
    QCOMPARE(twice.code, 2);
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{"tiny.onnx"});
}

void TestCliExport::whatAFormatCannotSayIsTold()
{
    const CliRun several = run({"plan", "tiny.onnx", "--region", "fast=128", "--region", "slow", "--export", "a.minimalloc.csv", "--export", "a.h"});
    QCOMPARE(several.code, 2);
    QCOMPARE(several.complaints().size(), 1);
    QVERIFY2(several.err.contains("several memories") && several.err.contains("--region"), several.err.constData());
    QVERIFY(!QFile::exists(path("a.minimalloc.csv")));
    QVERIFY(contentOf("a.h").contains("TINY_MEMORY_SIZE_fast"));
}

void TestCliExport::solveKeepsTheOffsets()
{
    QCOMPARE(run({"plan", "tiny.onnx", "--export", "a.minimalloc.csv"}).code, 0);
    const CliRun solved = run({"solve", "a.minimalloc.csv", "--output", "b.csv", "--json", "-"});
    QCOMPARE(solved.err, QByteArray());
    QCOMPARE(solved.code, 0);
    QCOMPARE(contentOf("b.csv"), contentOf("a.minimalloc.csv"));
}

void TestCliExport::jsonIsReadByPython()
{
    const QString python = QStandardPaths::findExecutable("python3");
    if (python.isEmpty())
        QSKIP("python3 is needed to read exported JSON with another parser");
    const QStringList names{"a.json", "a.trace.json", "a.address.trace.json", "a.netron.json"};
    QStringList arguments{"plan", "tiny.onnx"};
    for (const QString& name : names)
        arguments << "--export" << name;
    QCOMPARE(run(arguments).code, 0);
    QProcess process;
    process.setWorkingDirectory(m_folder->path());
    process.start(python, QStringList{"-c", "import json, sys\nfor name in sys.argv[1:]: json.load(open(name, encoding='utf-8'))"} + names);
    QVERIFY(process.waitForFinished(60000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
}

void TestCliExport::formatsListThemAll()
{
    const CliRun text = run({"formats"});
    QSet<QString> ids;
    for (const QJsonValue& format : QJsonDocument::fromJson(run({"formats", "--json", "-"}).out).object()["export"].toArray())
        ids << format["id"].toString();
    for (const auto& format : arenascope::planExports()) {
        QVERIFY(ids.contains(QString::fromLatin1(format.id.data(), qsizetype(format.id.size()))));
        QVERIFY(text.out.contains(QByteArray(format.id.data(), qsizetype(format.id.size()))));
        QVERIFY(text.out.contains(QByteArray(format.suffix.data(), qsizetype(format.suffix.size()))));
    }
}

QTEST_GUILESS_MAIN(TestCliExport)
#include "tst_cli_export.moc"
