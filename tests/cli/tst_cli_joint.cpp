// SPDX-License-Identifier: MIT
// plan --one-arena: the tiny model of cli_run.h (256 bytes) and one of two Relus (128 bytes).
#include "cli/cli_run.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

class TestCliJoint : public QObject {
    Q_OBJECT
private slots:
    void init();
    void theLargestAndWhatIsKept_data();
    void theLargestAndWhatIsKept();
    void textAndBudget();
    void exportedPlansAreInTheOneArena();
    void whatCannotBeDone_data();
    void whatCannotBeDone();

private:
    CliRun run(const QStringList& arguments) const { return runCli(arguments, m_folder->path()); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCliJoint::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(writeModel(tinyModel(), m_folder->filePath("tiny.onnx")));
    onnx::ModelProto small = tinyModel();
    onnx::GraphProto& graph = *small.mutable_graph();
    graph.clear_node();
    graph.clear_output();
    addNode(graph, "Relu", {"x"}, "a:0");
    addNode(graph, "Relu", {"a:0"}, "b");
    setFloatTensor(*graph.add_output(), "b", {1, 1, 4, 4});
    QVERIFY(writeModel(small, m_folder->filePath("small.onnx")));
}

void TestCliJoint::theLargestAndWhatIsKept_data()
{
    QTest::addColumn<QStringList>("keeps");
    QTest::addColumn<int>("shared");
    QTest::addColumn<int>("arena");
    QTest::newRow("nothing") << QStringList{} << 256 << 256;
    QTest::newRow("by file name") << QStringList{"tiny.onnx:d"} << 256 << 320;
    QTest::newRow("by file name without suffix") << QStringList{"tiny:d"} << 256 << 320;
    QTest::newRow("by number, all outputs") << QStringList{"1:@outputs"} << 256 << 320;
    QTest::newRow("a name with a colon") << QStringList{"small:a:0"} << 256 << 320;
    QTest::newRow("of both") << QStringList{"tiny:d", "2:b"} << 256 << 384;
    QTest::newRow("what makes the peak") << QStringList{"tiny:a"} << 192 << 320;
}

void TestCliJoint::theLargestAndWhatIsKept()
{
    QFETCH(QStringList, keeps);
    QStringList arguments{"plan", "tiny.onnx", "small.onnx", "--one-arena", "--json", "-"};
    for (const QString& keep : keeps)
        arguments << "--keep" << keep;
    const CliRun plan = run(arguments);
    QVERIFY2(plan.code == 0, plan.err.constData());
    const QJsonObject json = QJsonDocument::fromJson(plan.out).object();
    QTEST(json["shared_bytes"].toInt(), "shared");
    QTEST(json["arena_bytes"].toInt(), "arena");
    QCOMPARE(json["kept"].toArray().size(), keeps.size());
    QCOMPARE(json["models"].toArray().size(), 2);
    QCOMPARE(json["models"][1]["shared_bytes"].toInt(), keeps.contains("small:a:0") ? 64 : 128);
    QCOMPARE(json["valid"].toBool(), true);
}

void TestCliJoint::textAndBudget()
{
    // One model in two turns has no name but its numbers.
    const CliRun twice = run({"plan", "tiny.onnx", "tiny.onnx", "--one-arena", "--keep", "tiny:d"});
    QCOMPARE(twice.code, 2);
    QVERIFY2(twice.err.contains("1 or 2"), twice.err.constData());
    QCOMPARE(run({"plan", "tiny.onnx", "tiny.onnx", "--one-arena", "--keep", "2:d"}).code, 0);
    const CliRun good = run({"plan", "tiny.onnx", "small.onnx", "--one-arena", "--keep", "tiny:d", "--budget", "320"});
    QCOMPARE(good.code, 0);
    QVERIFY(good.out.contains("One arena for 2 models") && good.out.contains("'tiny.onnx'") && good.out.contains("at 256"));
    const CliRun over = run({"plan", "tiny.onnx", "small.onnx", "--one-arena", "--keep", "tiny:d", "--budget", "300"});
    QCOMPARE(over.code, 1);
    QVERIFY2(over.err.contains("over the budget of 300 B by 20 bytes") && over.err.contains("64 kept"), over.err.constData());
}

void TestCliJoint::exportedPlansAreInTheOneArena()
{
    QCOMPARE(run({"plan", "tiny.onnx", "small.onnx", "--one-arena", "--keep", "small:b", "--export", "{name}.json"}).code, 0);
    for (const char* plan : {"tiny.json", "small.json"})
        QCOMPARE(run({"check", plan}).code, 0);
    QFile file(m_folder->filePath("small.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray buffers = QJsonDocument::fromJson(file.readAll()).object()["buffers"].toArray();
    QCOMPARE(buffers[2]["name"].toString(), QString("b"));
    QCOMPARE(buffers[2]["offset"].toInt(), 256); // above what the larger model needs
}

void TestCliJoint::whatCannotBeDone_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("says");
    QTest::newRow("keeping without one arena") << QStringList{"--keep", "tiny:d"} << "--one-arena";
    QTest::newRow("regions") << QStringList{"--one-arena", "--region", "sram=1K"} << "--region";
    QTest::newRow("no such model") << QStringList{"--one-arena", "--keep", "large:d"} << "one of the models";
    QTest::newRow("number 0") << QStringList{"--one-arena", "--keep", "0:d"} << "one of the models";
    QTest::newRow("no such tensor") << QStringList{"--one-arena", "--keep", "tiny:e"} << "a tensor of that model";
    QTest::newRow("no colon") << QStringList{"--one-arena", "--keep", "tiny"} << "MODEL:TENSOR";
    QTest::newRow("kept outside") << QStringList{"--one-arena", "--io", "outside", "--keep", "tiny:d"} << "takes no bytes of the arena";
    QTest::newRow("a model that is not there") << QStringList{"--one-arena", "missing.onnx"} << "missing.onnx";
}

void TestCliJoint::whatCannotBeDone()
{
    QFETCH(QStringList, options);
    QFETCH(QString, says);
    const CliRun plan = run(QStringList{"plan", "tiny.onnx", "small.onnx"} + options);
    QCOMPARE(plan.code, 2);
    QVERIFY(plan.out.isEmpty());
    QCOMPARE(plan.complaints().size(), 1);
    QVERIFY2(plan.err.contains(says.toUtf8()), plan.err.constData());
}

QTEST_GUILESS_MAIN(TestCliJoint)
#include "tst_cli_joint.moc"
