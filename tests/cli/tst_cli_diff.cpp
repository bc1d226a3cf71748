// SPDX-License-Identifier: MIT
// `diff` on tiny models whose figures are worked out by hand (cli_run.h).
#include "cli/cli_run.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

class TestCliDiff : public QObject {
    Q_OBJECT
private slots:
    void init();
    void sameModelTwice();
    void modelWithoutItsRelu();
    void plansOfOneModel();
    void modelAgainstPlan();
    void largerFailsOnlyWhenAsked();
    void asJson();
    void missingFile();
    void oneFileIsTooFew();

private:
    CliRun run(const QStringList& arguments) const { return runCli(arguments, m_folder->path()); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCliDiff::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    QVERIFY(writeModel(tinyModel(), m_folder->filePath("tiny.onnx")));
    // Without Relu_b: x + a = 192 is the peak.
    onnx::ModelProto shorter = tinyModel();
    shorter.mutable_graph()->mutable_node()->DeleteSubrange(1, 1);
    shorter.mutable_graph()->mutable_node(1)->set_input(0, "a");
    QVERIFY(writeModel(shorter, m_folder->filePath("shorter.onnx")));
}

void TestCliDiff::sameModelTwice()
{
    const CliRun same = run({"diff", "tiny.onnx", "tiny.onnx"});
    QCOMPARE(same.code, 0);
    QVERIFY2(same.out.endsWith("No difference: the same network, planned to the same bytes\n"), same.out.constData());
}

void TestCliDiff::modelWithoutItsRelu()
{
    const CliRun shorter = run({"diff", "tiny.onnx", "shorter.onnx"});
    QCOMPARE(shorter.code, 0);
    QVERIFY2(shorter.out.contains("  arena         256 B  192 B  -64 B (-25.0 %)\n"), shorter.out.constData());
    QVERIFY(shorter.out.contains("  before 256 B live at step 1 of 4, Relu 'Relu_b'\n"));
    QVERIFY(shorter.out.contains("  after  192 B live at step 0 of 3, Concat 'Concat_a'\n"));
    QVERIFY(shorter.out.contains("Operators: 0 added, 1 removed, 1 changed\n"));
    QVERIFY(shorter.out.contains("  -  Relu 'Relu_b'\n"));
    QVERIFY(shorter.out.contains("Tensors: 0 added, 1 removed, 0 changed\n"));
}

void TestCliDiff::plansOfOneModel()
{
    QCOMPARE(run({"plan", "tiny.onnx", "--export", "a.json"}).code, 0);
    QCOMPARE(run({"plan", "tiny.onnx", "--alias", "inplace", "--export", "b.json"}).code, 0);
    const CliRun plans = run({"diff", "a.json", "b.json"});
    QCOMPARE(plans.code, 0);
    QVERIFY2(plans.out.contains("The networks are the same; what the plans decide:\n"), plans.out.constData());
    QVERIFY(plans.out.contains("Operators: 0 added, 0 removed, 0 changed\n"));
}

void TestCliDiff::modelAgainstPlan()
{
    QCOMPARE(run({"plan", "tiny.onnx", "--strategy", "naive", "--export", "naive.json"}).code, 0);
    const CliRun mixed = run({"diff", "naive.json", "tiny.onnx"});
    QCOMPARE(mixed.code, 0);
    QVERIFY2(mixed.out.contains("  arena         448 B  256 B  -192 B (-42.9 %)\n"), mixed.out.constData());
}

void TestCliDiff::largerFailsOnlyWhenAsked()
{
    QCOMPARE(run({"diff", "shorter.onnx", "tiny.onnx"}).code, 0);
    QCOMPARE(run({"diff", "shorter.onnx", "tiny.onnx", "--fail-if-larger"}).code, 1);
    QCOMPARE(run({"diff", "tiny.onnx", "shorter.onnx", "--fail-if-larger"}).code, 0);
    QCOMPARE(run({"diff", "tiny.onnx", "tiny.onnx", "--fail-if-larger"}).code, 0);
}

void TestCliDiff::asJson()
{
    const CliRun json = run({"diff", "tiny.onnx", "shorter.onnx", "--json", "-"});
    QCOMPARE(json.code, 0);
    const QJsonObject all = QJsonDocument::fromJson(json.out).object();
    QCOMPARE(all["arena_growth_bytes"].toInt(), -64);
    QCOMPARE(all["operators"].toObject()["removed"].toArray().first().toObject()["name"].toString(), QString("Relu_b"));
    QCOMPARE(all["before"].toObject()["peak"].toObject()["operator"].toString(), QString("Relu_b"));
}

void TestCliDiff::missingFile()
{
    const CliRun missing = run({"diff", "tiny.onnx", "gone.onnx"});
    QCOMPARE(missing.code, 2);
    QVERIFY2(missing.err.startsWith("arenascope-cli: gone.onnx: "), missing.err.constData());
    QCOMPARE(missing.out, QByteArray());
}

void TestCliDiff::oneFileIsTooFew()
{
    QCOMPARE(run({"diff", "tiny.onnx"}).code, 2);
}

QTEST_APPLESS_MAIN(TestCliDiff)
#include "tst_cli_diff.moc"
