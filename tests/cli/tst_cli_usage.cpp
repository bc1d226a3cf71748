// SPDX-License-Identifier: MIT
// What is said to wrong usage, and the answers that need no model.
#include "cli/cli_run.h"

#include <arenascope/version.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

class TestCliUsage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void wrongUsageIsOneLineAndTwo_data();
    void wrongUsageIsOneLineAndTwo();
    void emptyValueIsNotNone();
    void helpGoesToStandardOutput_data();
    void helpGoesToStandardOutput();
    void versionIsTheProjects();
    void strategiesAreListed();
    void formatsAreListed();
    void fullDiskIsAnError();
    void readerThatGoesIsNoError();
    void failedFilesKeepTheirEntries_data();
    void failedFilesKeepTheirEntries();
    void stopLeavesWholeFiles();

private:
    QTemporaryDir m_folder;
};

void TestCliUsage::initTestCase()
{
    QVERIFY(m_folder.isValid());
    QVERIFY(writeModel(tinyModel(), m_folder.filePath("tiny.onnx")));
}

void TestCliUsage::wrongUsageIsOneLineAndTwo_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* arguments, const char* complaint) {
        QTest::newRow(arguments[0] != 0 ? arguments : "(nothing)") << arguments << complaint;
    };
    row("", "There is no command ''. Known: plan, compare, inspect, run, solve, check, diff, strategies, formats; see arenascope-cli --help.");
    row("destroy",
        "There is no command 'destroy'. Known: plan, compare, inspect, run, solve, check, diff, strategies, formats; see arenascope-cli --help.");
    row("--colour", "A subcommand is required; see arenascope-cli --help");
    row("plan", "models is required; see arenascope-cli plan --help");
    row("plan tiny.onnx --colour red", "The following argument was not expected: --colour; see arenascope-cli plan --help");
    row("plan tiny.onnx --alias", "--alias: 1 required MODE missing; see arenascope-cli plan --help");
    row("plan nowhere.onnx", "nowhere.onnx: The file cannot be opened: there is no such file. Check the path.");
    row("plan tiny.onnx --budget=", "--budget: 1 required 256K missing; see arenascope-cli plan --help");
    row("plan tiny.onnx --json x.json --export x.json",
        "Option --export cannot be 'x.json'. Accepted: a file that nothing else is written to.");
    row("plan tiny.onnx --export x.csv --export ./x.csv",
        "Option --export cannot be './x.csv'. Accepted: a file that nothing else is written to.");
    row("plan tiny.onnx --export {name}.csv --export tiny.csv",
        "Option --export cannot be 'tiny.csv'. Accepted: a file that nothing else is written to.");
    row("plan tiny.onnx --json ./tiny.onnx",
        "Option --json cannot be './tiny.onnx'. Accepted: a file that is no model and no plan to be read, since it is "
        "written over.");
    row("plan tiny.onnx --json other.onnx",
        "Option --json cannot be 'other.onnx'. Accepted: a file that is no model and no plan to be read, since it is "
        "written over.");
    row("plan tiny.onnx --alias sideways", "Option --alias cannot be 'sideways'. Accepted: none, views, inplace, all.");
    row("plan tiny.onnx --schedule random", "Option --schedule cannot be 'random'. Accepted: file, depth-first, min-peak.");
    row("plan tiny.onnx --align 48", "Option --align cannot be '48'. Accepted: a power of two, such as 1, 16 or 64.");
    row("plan tiny.onnx --align 0", "Option --align cannot be '0'. Accepted: a power of two, such as 1, 16 or 64.");
    row("plan tiny.onnx --io nowhere",
        "Option --io cannot be 'nowhere'. Accepted: arena, outside, inputs-outside, outputs-outside.");
    row("plan tiny.onnx --join first", "Option --join cannot be 'first'. Accepted: longest, last, none.");
    row("plan tiny.onnx --workspace free", "Option --workspace cannot be 'free'. Accepted: apart, count.");
    row("plan tiny.onnx --format xml",
        "Option --format cannot be 'xml'. Accepted: text, json, github; standard output takes one of them.");
    row("plan tiny.onnx --format github --json -",
        "Option --format cannot be 'github'. Accepted: text, json, github; standard output takes one of them.");
    row("plan tiny.onnx --budget lots",
        "Option --budget cannot be 'lots'. Accepted: bytes, or a number with K, M, G or T (binary), such as 4096, 256K or 1.5M.");
    row("plan tiny.onnx --budget 9999999999G",
        "Option --budget cannot be '9999999999G'. Accepted: bytes, or a number with K, M, G or T (binary), such as 4096, 256K or "
        "1.5M.");
    row("plan tiny.onnx --shape x", "Option --shape cannot be 'x'. Accepted: NAME=1x3x224x224, extents of at least 1, or "
                                    "NAME=scalar.");
    row("plan tiny.onnx --shape x=1x0", "Option --shape cannot be 'x=1x0'. Accepted: NAME=1x3x224x224, extents of at least 1, or "
                                        "NAME=scalar.");
    row("plan tiny.onnx --shape x=1x99999999999999999999",
        "Option --shape cannot be 'x=1x99999999999999999999'. Accepted: NAME=1x3x224x224, extents of at least 1, or NAME=scalar.");
    row("plan tiny.onnx --shape x=1x1x4x4 --shape x=1x1x4x8",
        "Option --shape cannot be 'x=1x1x4x8'. Accepted: one shape for each input.");
    row("plan tiny.onnx --shape y=1x1x4x4", "tiny.onnx, --shape: There is no input or tensor 'y'. Known: 'x'.");
    row("plan tiny.onnx --dim N=0", "Option --dim cannot be 'N=0'. Accepted: NAME=N, N at least 1.");
    row("plan tiny.onnx --dim =3", "Option --dim cannot be '=3'. Accepted: NAME=N, N at least 1.");
    row("plan tiny.onnx --default-dim many", "Option --default-dim cannot be 'many'. Accepted: a number of at least 1, or none.");
    row("plan tiny.onnx --export plan.bmp",
        "Option --export cannot be 'plan.bmp'. Accepted: a file that ends in .svg, .pdf, .png, .h, .tflite, .tflm.c, .json, .csv, .minimalloc.csv, .vela.txt, .tflm.txt, .trace.json, "
        ".address.trace.json, .netron.json, .dot.");
    row("plan tiny.onnx tiny.onnx --export plan.csv",
        "Option --export cannot be 'plan.csv'. Accepted: a file for each model, such as {name}.svg.");
    row("plan tiny.onnx --export no/such/folder/plan.csv",
        "no/such/folder/plan.csv: The file cannot be written: No such file or directory. Choose another folder or free some "
        "space.");
    row("plan tiny.onnx --json no/such/folder/plan.json",
        "no/such/folder/plan.json: The file cannot be written: No such file or directory. Choose another folder or free some "
        "space.");
    row("compare tiny.onnx --json - --csv -",
        "Option --csv cannot be '-'. Accepted: a file, since --json has standard output.");
    row("check nowhere.json", "nowhere.json: The file cannot be opened: there is no such file. Check the path.");
}

void TestCliUsage::wrongUsageIsOneLineAndTwo()
{
    QFETCH(QString, arguments);
    QFETCH(QString, complaint);
    const CliRun run = runCli(arguments.split(' ', Qt::SkipEmptyParts), m_folder.path());
    QCOMPARE(QString::fromUtf8(run.err), "arenascope-cli: " + complaint + "\n");
    QCOMPARE(run.code, 2);
    if (!arguments.contains("folder"))
        QCOMPARE(run.out, QByteArray());
}

/// A script's unset variable must not switch a budget off.
void TestCliUsage::emptyValueIsNotNone()
{
    const CliRun run = runCli({"plan", "tiny.onnx", "--budget", ""}, m_folder.path());
    QCOMPARE(run.code, 2);
    QCOMPARE(run.out, QByteArray());
    QCOMPARE(run.err, QByteArray("arenascope-cli: Option --budget cannot be ''. Accepted: 256K.\n"));
}

void TestCliUsage::helpGoesToStandardOutput_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QStringList>("words");
    QTest::newRow("of the program") << QStringList{"--help"}
                                    << QStringList{"plan", "compare", "inspect", "check", "strategies", "formats", "Exit codes:"};
    QTest::newRow("of plan") << QStringList{"plan", "--help"}
                             << QStringList{"--strategy", "--alias", "--align", "--io", "--schedule", "--shape", "--dim",
                                            "--default-dim", "--join", "--workspace", "--budget", "--json", "--export", "--explain"};
    QTest::newRow("of compare") << QStringList{"compare", "--help"} << QStringList{"--csv", "--json"};
    QTest::newRow("of inspect") << QStringList{"inspect", "--help"} << QStringList{"--explain", "--json"};
    QTest::newRow("of check") << QStringList{"check", "-h"} << QStringList{"--model"};
}

void TestCliUsage::helpGoesToStandardOutput()
{
    QFETCH(QStringList, arguments);
    QFETCH(QStringList, words);
    const CliRun run = runCli(arguments);
    QCOMPARE(run.code, 0);
    QCOMPARE(run.err, QByteArray());
    for (const QString& word : words)
        QVERIFY2(run.out.contains(word.toUtf8()), qPrintable(word));
    for (const QByteArray& line : run.out.split('\n'))
        QVERIFY2(line.size() <= 132, line.constData());
}

void TestCliUsage::versionIsTheProjects()
{
    const CliRun run = runCli({"--version"});
    QCOMPARE(run.code, 0);
    QCOMPARE(run.out, QByteArray("arenascope-cli ") + arenascope::kVersion + "\n");
}

void TestCliUsage::strategiesAreListed()
{
    const CliRun text = runCli({"strategies"});
    QCOMPARE(text.code, 0);
    const QJsonArray list = QJsonDocument::fromJson(runCli({"strategies", "--json", "-"}).out).array();
    QStringList ids;
    for (const QJsonValue& entry : list) {
        ids << entry["id"].toString();
        QVERIFY2(text.out.contains(ids.last().toUtf8()), qPrintable(ids.last()));
        QVERIFY(!entry["summary"].toString().isEmpty());
    }
    for (const char* id : {"naive", "pingpong", "pingpong-tight", "pingpong-arena", "pingpong-pooled", "pingpong-escape",
                           "greedy-by-size", "greedy-by-breadth", "greedy-by-conflicts", "best-fit", "tflm",
                           "shared-objects", "hill-climb", "auto"})
        QVERIFY2(ids.contains(id), id);
}

void TestCliUsage::formatsAreListed()
{
    const CliRun text = runCli({"formats"});
    QCOMPARE(text.code, 0);
    QVERIFY(text.out.contains(".onnx"));
    const QJsonObject formats = QJsonDocument::fromJson(runCli({"formats", "--json", "-"}).out).object();
    QVERIFY(!formats["import"].toArray().isEmpty());
    QVERIFY(formats["export"].toArray().size() >= 14); // tst_cli_export names them
}

void TestCliUsage::fullDiskIsAnError()
{
    if (!QFile::exists("/dev/full"))
        QSKIP("no /dev/full here");
    QProcess process;
    process.setStandardOutputFile("/dev/full");
    process.start(cliProgram(), {"plan", m_folder.filePath("tiny.onnx")});
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 2);
    QCOMPARE(process.readAllStandardError(),
             QByteArray("arenascope-cli: standard output: The file cannot be written: No space left on device. Choose another "
                        "folder or free some space.\n"));
}

void TestCliUsage::readerThatGoesIsNoError()
{
    // `true` reads nothing and ends; the sleep makes sure that it has gone before the answer is written.
    QProcess shell;
    shell.start("/bin/bash", {"-c", "(sleep 0.3; \"$0\" inspect \"$1\" --json -; echo \"code $?\" >&2) | true", cliProgram(),
                              m_folder.filePath("tiny.onnx")});
    QVERIFY(shell.waitForFinished(60000));
    QCOMPARE(shell.readAllStandardError(), QByteArray("code 0\n"));
}

void TestCliUsage::failedFilesKeepTheirEntries_data()
{
    QTest::addColumn<QString>("command");
    for (const char* command : {"plan", "compare", "inspect"})
        QTest::newRow(command) << command;
}

void TestCliUsage::failedFilesKeepTheirEntries()
{
    QFETCH(QString, command);
    const CliRun run = runCli({command, "nowhere.onnx", "tiny.onnx", "--json", "-"}, m_folder.path());
    QCOMPARE(run.code, 2);
    QCOMPARE(run.complaints().size(), 1);
    const QJsonArray entries = QJsonDocument::fromJson(run.out).array();
    QCOMPARE(entries.size(), 2);
    QCOMPARE(entries[0].toObject()["model"].toString(), QStringLiteral("nowhere.onnx"));
    QCOMPARE(entries[0].toObject()["error"].toObject()["code"].toString(), QStringLiteral("file-not-found"));
    QVERIFY(!entries[1].toObject().contains("error"));
}

void TestCliUsage::stopLeavesWholeFiles()
{
    // Far more models than can be planned before the signal comes.
    QStringList arguments{"plan", "--json", "answer.json"};
    for (int i = 0; i < 5000; ++i)
        arguments.append("tiny.onnx");
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    process.start(cliProgram(), arguments);
    QVERIFY(process.waitForReadyRead(60000)); // the first answer
    process.terminate();
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    QByteArray said = process.readAllStandardError();
    const QByteArray halfDone = "arenascope-cli: tiny.onnx: Stopped on request. Start again to finish.\n";
    if (said.startsWith(halfDone)) // the signal came in the middle of one
        said.remove(0, halfDone.size());
    QVERIFY2(said.startsWith("arenascope-cli: stopped: "), said.constData());
    QVERIFY2(said.endsWith(" of 5000 files are left, from 'tiny.onnx' on\n"), said.constData());
    QFile answer(m_folder.filePath("answer.json"));
    QVERIFY(answer.open(QIODevice::ReadOnly));
    const auto count = QJsonDocument::fromJson(answer.readAll()).array().size();
    QVERIFY(count > 0 && count < 5000);
    QCOMPARE(QDir(m_folder.path()).entryList({"*.part"}, QDir::Files | QDir::Hidden), QStringList());
}

QTEST_GUILESS_MAIN(TestCliUsage)
#include "tst_cli_usage.moc"
