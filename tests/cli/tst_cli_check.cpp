// SPDX-License-Identifier: MIT
// A plan goes out, comes back and is proven; a plan that was tampered with is not.
#include "cli/cli_run.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace arenascope::test;

class TestCliCheck : public QObject {
    Q_OBJECT
private slots:
    void init();
    void exportedPlanIsValid_data();
    void exportedPlanIsValid();
    void modelIsFoundBesideThePlan();
    void missingModelNamesTheOption();
    void modelThatHasChangedIsRefused();
    void clashIsNamed();
    void clashAsJson();
    void brokenPlansAreOneLine_data();
    void brokenPlansAreOneLine();
    void plansOfOthersAreChecked_data();
    void plansOfOthersAreChecked();
    void plansOfOthersNeedNoModel();
    void plansOfOthersAreCompared();
    void clashesOfOthersAreNamed();
    void problemsAreNoPlans();
    void otherFilesAreNoPlans();

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }
    QJsonObject plan() const
    {
        QFile file(path("plan.json"));
        return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
    }
    bool write(const QString& name, const QByteArray& content) const
    {
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    }
    /// The plan with its buffers a and b at one offset, where both are alive.
    bool writeClash() const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCliCheck::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    QVERIFY(writeModel(tinyModel(), path("tiny.onnx")));
    const CliRun run = runCli({"plan", "tiny.onnx", "--strategy", "greedy-by-size", "--export", "plan.json"}, m_folder->path());
    QCOMPARE(run.err, QByteArray());
    QCOMPARE(run.code, 0);
}

bool TestCliCheck::writeClash() const
{
    QJsonObject json = plan();
    QJsonArray buffers = json["buffers"].toArray();
    for (qsizetype i = 0; i < buffers.size(); ++i) {
        QJsonObject buffer = buffers[i].toObject();
        buffer["offset"] = 0;
        buffers[i] = buffer;
    }
    json["buffers"] = buffers;
    return write("plan.json", QJsonDocument(json).toJson());
}

void TestCliCheck::exportedPlanIsValid_data()
{
    QTest::addColumn<QString>("options");
    for (const char* options : {"--strategy naive", "--strategy pingpong", "--strategy pingpong-tight", "--strategy pingpong-arena",
                                "--strategy pingpong-pooled", "--strategy pingpong-escape", "--strategy greedy-by-size",
                                "--strategy greedy-by-breadth", "--strategy auto", "--alias inplace --align 16",
                                "--io outside --schedule depth-first", "--shape x=2x1x8x8 --align 1", "--join none --workspace count"})
        QTest::newRow(options) << options;
}

void TestCliCheck::exportedPlanIsValid()
{
    QFETCH(QString, options);
    QStringList arguments{"plan", "tiny.onnx", "--json", "summary.json", "--export", "again.json"};
    arguments += options.split(' ');
    QCOMPARE(runCli(arguments, m_folder->path()).code, 0);
    QFile summary(path("summary.json"));
    QVERIFY(summary.open(QIODevice::ReadOnly));
    const int arena = QJsonDocument::fromJson(summary.readAll()).object()["arena_bytes"].toInt();
    const CliRun run = runCli({"check", "again.json", "--json", "-"}, m_folder->path());
    QCOMPARE(run.err, QByteArray());
    QCOMPARE(run.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(run.out).object();
    QCOMPARE(json["valid"].toBool(), true);
    QCOMPARE(json["arena_bytes"].toInt(), arena);
}

void TestCliCheck::modelIsFoundBesideThePlan()
{
    // The whole folder may move, and the plan may be checked from anywhere.
    const CliRun here = runCli({"check", "plan.json"}, m_folder->path());
    QCOMPARE(here.out, QByteArray("plan.json: valid: 5 buffers in an arena of 256 B (256 bytes), checked and replayed without a "
                                  "clash\n"
                                  "  yours 256 B (256 bytes), best here 256 B (256 bytes), bound 256 B (256 bytes): proven smallest\n"));
    QCOMPARE(here.code, 0);
    QCOMPARE(runCli({"check", path("plan.json")}).code, 0);
}

void TestCliCheck::missingModelNamesTheOption()
{
    QVERIFY(QFile::rename(path("tiny.onnx"), path("moved.onnx")));
    const CliRun run = runCli({"check", "plan.json"}, m_folder->path());
    QCOMPARE(run.code, 2);
    QCOMPARE(run.complaints().size(), 1);
    QVERIFY2(run.err.contains("tiny.onnx") && run.err.contains("--model"), run.err.constData());
    QCOMPARE(runCli({"check", "plan.json", "--model", "moved.onnx"}, m_folder->path()).code, 0);
}

void TestCliCheck::modelThatHasChangedIsRefused()
{
    onnx::ModelProto other = tinyModel();
    other.mutable_graph()->mutable_node(1)->set_output(0, "renamed");
    other.mutable_graph()->mutable_node(2)->set_input(0, "renamed");
    QVERIFY(writeModel(other, path("tiny.onnx")));
    const CliRun run = runCli({"check", "plan.json"}, m_folder->path());
    QCOMPARE(run.code, 2);
    QCOMPARE(run.out, QByteArray());
    QCOMPARE(run.complaints().size(), 1);
    QVERIFY2(run.err.contains("does not belong to this model"), run.err.constData());
}

void TestCliCheck::clashIsNamed()
{
    QVERIFY(writeClash());
    const CliRun run = runCli({"check", "plan.json"}, m_folder->path());
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.startsWith("plan.json: NOT valid: "), run.out.constData());
    QVERIFY2(run.out.contains("'a'") && run.out.contains("'b'"), run.out.constData());
    QVERIFY2(run.out.contains("Relu_b"), run.out.constData()); // the replay says who reads what is gone
}

void TestCliCheck::clashAsJson()
{
    QVERIFY(writeClash());
    const CliRun run = runCli({"check", "plan.json", "--json", "-"}, m_folder->path());
    QCOMPARE(run.code, 1);
    const QJsonObject json = QJsonDocument::fromJson(run.out).object();
    QCOMPARE(json["valid"].toBool(true), false);
    // All at offset 0: x-a, a-b, b-c, c-d are alive together.
    QCOMPARE(json["clashes"]["checker"].toInt(), 4);
    QVERIFY(json["clashes"]["replay"].toInt() > 0);
    QVERIFY(json["clash_list"].toArray().size() > 4);
}

void TestCliCheck::brokenPlansAreOneLine_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty file") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("hello");
    QTest::newRow("other JSON") << QByteArray("[1, 2, 3]");
    QTest::newRow("an object without anything") << QByteArray("{}");
    QTest::newRow("cut short") << QByteArray("{\"version\": 1, \"model\": {");
    QTest::newRow("no UTF-8") << QByteArray("{\"version\": \"\xff\"}");
    QTest::newRow("ten thousand brackets") << QByteArray(10000, '[');
    QTest::newRow("a model file") << QByteArray::fromStdString(tinyModel().SerializeAsString());
}

void TestCliCheck::brokenPlansAreOneLine()
{
    QFETCH(QByteArray, content);
    QVERIFY(write("broken.json", content));
    const CliRun run = runCli({"check", "broken.json"}, m_folder->path());
    QCOMPARE(run.code, 2);
    QCOMPARE(run.out, QByteArray());
    QCOMPARE(run.complaints().size(), 1);
    QVERIFY2(run.err.startsWith("arenascope-cli: broken.json: "), run.err.constData());
}

void TestCliCheck::plansOfOthersAreChecked_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"p.csv", "p.minimalloc.csv", "p.vela.txt"})
        QTest::newRow(name) << name;
}

void TestCliCheck::plansOfOthersAreChecked()
{
    QFETCH(QString, name);
    for (const char* alias : {"none", "inplace"}) {
        QCOMPARE(runCli({"plan", "tiny.onnx", "--strategy", "naive", "--alias", alias, "--export", name}, m_folder->path()).code, 0);
        const CliRun run = runCli({"check", name, "--model", "tiny.onnx", "--json", "-"}, m_folder->path());
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.code, 0);
        const QJsonObject json = QJsonDocument::fromJson(run.out).object();
        QCOMPARE(json["valid"].toBool(), true);
        QCOMPARE(json["model"].toString(), "tiny.onnx");
        // In place b is a: x 64, a 128, c 64, d 64; a and c are alive together, as are x and a.
        const bool isInPlace = alias == QByteArray("inplace");
        QCOMPARE(json["arena_bytes"].toInt(), isInPlace ? 320 : 448);
        QCOMPARE(json["lower_bound_bytes"].toInt(), isInPlace ? 192 : 256);
        QCOMPARE(json["best"]["arena_bytes"].toInt(), isInPlace ? 192 : 256);
        QVERIFY(json["warnings"].toArray().isEmpty());
    }
}

void TestCliCheck::plansOfOthersNeedNoModel()
{
    QCOMPARE(runCli({"plan", "tiny.onnx", "--strategy", "naive", "--export", "p.vela.txt"}, m_folder->path()).code, 0);
    const CliRun run = runCli({"check", "p.vela.txt"}, m_folder->path());
    QCOMPARE(run.err, QByteArray());
    QCOMPARE(run.code, 0);
    QCOMPARE(QString(run.out), "p.vela.txt: valid: 5 buffers in an arena of 448 B (448 bytes), checked for overlaps without a clash (--model would replay it)\n"
                               "  yours 448 B (448 bytes), best here 256 B (256 bytes), bound 256 B (256 bytes): 42.9 % less with " + run.out.trimmed().split(' ').last() + "\n");
    const QJsonObject json = QJsonDocument::fromJson(runCli({"check", "p.vela.txt", "--json", "-"}, m_folder->path()).out).object();
    QVERIFY(json["model"].isNull());
    QCOMPARE(json["format"].toString(), "vela");
}

void TestCliCheck::plansOfOthersAreCompared()
{
    // The model is another one: what does not fit is told, and what is missing is a clash.
    QCOMPARE(runCli({"plan", "tiny.onnx", "--export", "p.csv"}, m_folder->path()).code, 0);
    QVERIFY(writeModel(branchedModel("Relu", "Sigmoid", "Relu", "Tanh"), path("other.onnx")));
    const CliRun run = runCli({"check", "p.csv", "--model", "other.onnx"}, m_folder->path());
    QCOMPARE(run.code, 1);
    QVERIFY2(run.err.contains("'a' has another size there") && run.err.count('\n') > 2, run.err.constData());
    QVERIFY2(run.out.contains("'e' has no place"), run.out.constData());
}

void TestCliCheck::clashesOfOthersAreNamed()
{
    QVERIFY(write("p.csv", "id,lower,upper,size,offset\nx,0,1,64,0\na,0,2,128,32\nb,1,3,128,160\n"));
    const CliRun run = runCli({"check", "p.csv"}, m_folder->path());
    QCOMPARE(run.code, 1);
    QVERIFY2(run.out.startsWith("p.csv: NOT valid: 1 clashes found by the checker\n  "), run.out.constData());
    QVERIFY2(run.out.contains("'x'") && run.out.contains("'a'") && run.out.contains("[32, 64)"), run.out.constData());
    QVERIFY2(run.out.contains("yours 288 B (288 bytes), best here 256 B (256 bytes)"), run.out.constData());
}

void TestCliCheck::problemsAreNoPlans()
{
    QVERIFY(write("p.csv", "id,lower,upper,size\nx,0,1,64\n"));
    const CliRun run = runCli({"check", "p.csv"}, m_folder->path());
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("solve"), run.err.constData());
}

void TestCliCheck::otherFilesAreNoPlans()
{
    QCOMPARE(runCli({"plan", "tiny.onnx", "--export", "plan.h"}, m_folder->path()).code, 0);
    const CliRun header = runCli({"check", "plan.h"}, m_folder->path());
    QCOMPARE(header.code, 2);
    QVERIFY2(header.err.contains("This kind of file as a plan") && header.err.contains(".vela.txt"), header.err.constData());
    // A pipe that nobody writes to would be waited for without end.
    QCOMPARE(::mkfifo(path("pipe").toLocal8Bit().constData(), 0600), 0);
    const CliRun pipe = runCli({"check", "pipe"}, m_folder->path());
    QCOMPARE(pipe.code, 2);
    QVERIFY2(pipe.err.contains("not a regular file"), pipe.err.constData());
}

QTEST_GUILESS_MAIN(TestCliCheck)
#include "tst_cli_check.moc"
