// SPDX-License-Identifier: MIT
// run: the network of two branches of cli_run.h in its arena.
#include "cli/cli_run.h"

#include <arenascope/tensor_file.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>

using namespace arenascope::test;
using arenascope::ElementType;
using arenascope::Shape;
using arenascope::TensorContent;

namespace {

onnx::ModelProto twoBranches()
{
    return branchedModel("Relu", "Sigmoid", "Tanh", "Sigmoid");
}

std::vector<float> floatsOf(const TensorContent& content)
{
    std::vector<float> elements(content.bytes.size() / sizeof(float));
    std::memcpy(elements.data(), content.bytes.data(), content.bytes.size());
    return elements;
}

QList<QJsonObject> linesOf(const QByteArray& text)
{
    QList<QJsonObject> lines;
    for (const QByteArray& line : text.split('\n')) {
        if (!line.isEmpty())
            lines << QJsonDocument::fromJson(line).object();
    }
    return lines;
}

} // namespace

class TestCliRun : public QObject {
    Q_OBJECT
private slots:
    void init();
    void isIdentical_data();
    void isIdentical();
    void computesWhatTheNetworkSays();
    void textHasATable();
    void pictures();
    void brokenPlansAreCaught();
    void aPlanForAnotherModel();
    void regionsOfAPlan();
    void oneKindOfPass();
    void progressIsWrittenLineByLine();
    void progressOfABrokenRun();
    void whatCannotBeDone_data();
    void whatCannotBeDone();
    void whatCannotBeRun();

private:
    CliRun run(const QStringList& arguments) const { return runCli(arguments, m_folder->path()); }
    QString path(const char* name) const { return m_folder->filePath(name); }
    void writeInput(const char* name) const;
    void breakPlan() const;

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCliRun::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(writeModel(twoBranches(), path("two.onnx")));
}

void TestCliRun::writeInput(const char* name) const
{
    TensorContent content{ElementType::Float32, Shape::of({1, 1, 4, 4}), std::vector<std::byte>(64)};
    for (int i = 0; i < 16; ++i) {
        const float element = static_cast<float>(i - 8) / 4;
        std::memcpy(content.bytes.data() + i * 4, &element, 4);
    }
    QVERIFY(arenascope::writeNpy(path(name).toStdString(), content));
}

/// d over b, which e needs.
void TestCliRun::breakPlan() const
{
    QCOMPARE(run({"plan", "two.onnx", "--strategy", "naive", "--export", "plan.json"}).code, 0);
    QFile file(path("plan.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject plan = QJsonDocument::fromJson(file.readAll()).object();
    QJsonArray buffers = plan["buffers"].toArray();
    QJsonObject d = buffers[4].toObject();
    QCOMPARE(d["name"].toString(), QString("d"));
    d["offset"] = buffers[2].toObject()["offset"];
    buffers[4] = d;
    plan["buffers"] = buffers;
    file.close();
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(plan).toJson());
}

void TestCliRun::isIdentical_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("arena");
    QTest::newRow("as it is") << QStringList{} << 192;
    QTest::newRow("guarded") << QStringList{"--guard"} << 192;
    QTest::newRow("several times") << QStringList{"--repeat", "3"} << 192;
    QTest::newRow("zeros") << QStringList{"--input", "x=zeros"} << 192;
    QTest::newRow("another seed") << QStringList{"--input", "x=random:7"} << 192;
    QTest::newRow("naive") << QStringList{"--strategy", "naive"} << 384;
    QTest::newRow("in place") << QStringList{"--alias", "inplace", "--guard"} << 192; // x, which nobody may write over, b over a, d over c
    QTest::newRow("for any order") << QStringList{"--concurrency", "parallel"} << 320;
}

void TestCliRun::isIdentical()
{
    QFETCH(QStringList, options);
    const CliRun answer = run(QStringList{"run", "two.onnx", "--json", "-"} + options);
    QVERIFY2(answer.code == 0, answer.err.constData());
    const QJsonObject json = QJsonDocument::fromJson(answer.out).object();
    QTEST(json["arena_bytes"].toInt(), "arena");
    QCOMPARE(json["operators_run"].toInt(), 5);
    QCOMPARE(json["bit_identical"].toBool(), true);
    QCOMPARE(json["violations"].toArray().size(), 0);
    QCOMPARE(json["per_operator"].toArray().size(), 5);
    QCOMPARE(json["per_operator"][1]["kind"].toString(), QString("Sigmoid"));
    QCOMPARE(json["per_operator"][4]["bytes_read"].toInt(), 128);
    QCOMPARE(json["per_operator"][4]["bytes_written"].toInt(), 64);
    QCOMPARE(json["outputs"][0]["name"].toString(), QString("e"));
    for (const char* key : {"workspace_bytes", "seconds_arena", "seconds_unplanned", "seconds_loading", "peak_rss"})
        QVERIFY2(json.contains(key), key);
}

void TestCliRun::computesWhatTheNetworkSays()
{
    writeInput("in.npy");
    const CliRun answer = run({"run", "two.onnx", "--input", "x=in.npy", "--output", "out", "--top", "2"});
    QVERIFY2(answer.code == 0, answer.err.constData());
    const auto output = arenascope::readTensorFile(path("out/e.npy").toStdString());
    QVERIFY(output && output->shape == Shape::of({1, 1, 4, 4}));
    const std::vector<float> elements = floatsOf(*output);
    const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    for (int i = 0; i < 16; ++i) {
        const double x = (i - 8) / 4.0;
        QVERIFY(std::abs(elements[static_cast<std::size_t>(i)] - (sigmoid(std::max(x, 0.0)) + sigmoid(std::tanh(x)))) < 1e-5);
    }
    QVERIFY(answer.out.contains("written to out/e.npy"));
    // The function grows with x: the last two elements are the largest.
    QVERIFY2(answer.out.contains("      15  1.5") && answer.out.contains("      14  1.5"), answer.out.constData());
    // A single input needs no name, and dimensions of 1 may differ.
    TensorContent flat{ElementType::Float32, Shape::of({4, 4}), std::vector<std::byte>(64)};
    QVERIFY(arenascope::writeNpy(path("flat.npy").toStdString(), flat));
    QCOMPARE(run({"run", "two.onnx", "--input", "flat.npy"}).code, 0);
}

void TestCliRun::textHasATable()
{
    const CliRun answer = run({"run", "two.onnx"});
    QCOMPARE(answer.code, 0);
    for (const char* text : {"operators   5 run of 5", "arena       192 B; 384 B without a plan", "identical   yes, every tensor bit for bit", "workspace", "memory",
                             "Add 'Add_e'", "'e' 1x1x4x4 float32"})
        QVERIFY2(answer.out.contains(text), answer.out.constData());
}

void TestCliRun::pictures()
{
    QFile picture(path("picture.pgm"));
    QVERIFY(picture.open(QIODevice::WriteOnly));
    picture.write("P5 4 4 255\n" + QByteArray(15, '\x64') + QByteArray(1, '\x6e'));
    picture.close();
    // (100 - 100) / 10 and, for the last one, 1.
    const CliRun answer = run({"run", "two.onnx", "--input", "x=picture.pgm", "--mean", "100", "--scale", "0.1", "--output", "out"});
    QVERIFY2(answer.code == 0, answer.err.constData());
    const std::vector<float> elements = floatsOf(*arenascope::readTensorFile(path("out/e.npy").toStdString()));
    QVERIFY(std::abs(elements[0] - 1.0f) < 1e-5f);
    QVERIFY(std::abs(elements[15] - (0.7310586f + 0.6816997f)) < 1e-5f);
    QCOMPARE(run({"run", "two.onnx", "--input", "x=picture.pgm", "--mean", "1,2"}).code, 2);
}

void TestCliRun::brokenPlansAreCaught()
{
    breakPlan();
    CliRun answer = run({"run", "two.onnx", "--plan", "plan.json", "--json", "-"});
    QCOMPARE(answer.code, 1);
    QJsonObject json = QJsonDocument::fromJson(answer.out).object();
    QCOMPARE(json["bit_identical"].toBool(true), false);
    QCOMPARE(json["first_difference"].toObject()["tensor"].toString(), QString("e"));
    QCOMPARE(json["valid"].toBool(true), false);
    QVERIFY2(answer.err.contains("differ") && answer.err.contains("'e' at step 4"), answer.err.constData());
    QVERIFY2(answer.err.contains("'b'") && answer.err.contains("'d'"), answer.err.constData()); // the checker's first clash

    answer = run({"run", "two.onnx", "--plan", "plan.json", "--guard", "--json", "-"});
    QCOMPARE(answer.code, 1);
    json = QJsonDocument::fromJson(answer.out).object();
    QCOMPARE(json["violations"].toArray().at(0).toObject()["kind"].toString(), QString("overwritten"));
    QCOMPARE(json["violations"].toArray().at(0).toObject()["step"].toInt(), 3);
    QCOMPARE(json["violations"].toArray().at(0).toObject()["tensor"].toString(), QString("b"));
    QCOMPARE(json["violations"].toArray().at(0).toObject()["by"].toString(), QString("d"));
    QVERIFY(json["bit_identical"].isNull());
    QCOMPARE(json["operators_run"].toInt(), 4);
}

void TestCliRun::aPlanForAnotherModel()
{
    const QString samples = QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples/");
    QCOMPARE(run({"plan", samples + "residual.onnx", "--export", "residual.json"}).code, 0);
    const CliRun answer = run({"run", samples + "chain.onnx", "--plan", "residual.json"});
    QCOMPARE(answer.code, 2);
    QVERIFY2(answer.err.contains("does not belong to this model"), answer.err.constData());
}

void TestCliRun::regionsOfAPlan()
{
    const QStringList regions{"--region", "fast=128", "--region", "slow"};
    QCOMPARE(run(QStringList{"plan", "two.onnx", "--export", "plan.json"} + regions).code, 0);
    const CliRun answer = run({"run", "two.onnx", "--plan", "plan.json", "--guard", "--json", "-"});
    QVERIFY2(answer.code == 0, answer.err.constData());
    const QJsonObject json = QJsonDocument::fromJson(answer.out).object();
    QCOMPARE(json["arena_bytes"].toInt(), 192);
    QCOMPARE(json["bit_identical"].toBool(), true);
}

void TestCliRun::oneKindOfPass()
{
    QJsonObject json = QJsonDocument::fromJson(run({"run", "two.onnx", "--passes", "arena", "--json", "-"}).out).object();
    QVERIFY(json["bit_identical"].isNull() && json["used_plan"].toBool());
    QCOMPARE(json["seconds_unplanned"].toDouble(), 0.0);
    json = QJsonDocument::fromJson(run({"run", "two.onnx", "--passes", "unplanned", "--json", "-"}).out).object();
    QVERIFY(json["bit_identical"].isNull() && !json["used_plan"].toBool());
    QCOMPARE(json["arena_bytes"].toInt(), 0);
    QCOMPARE(json["operators_run"].toInt(), 5);
}

void TestCliRun::progressIsWrittenLineByLine()
{
    const CliRun answer = run({"run", "two.onnx", "--progress", "-", "--pictures", "16", "--repeat", "2"});
    QCOMPARE(answer.code, 0);
    const QList<QJsonObject> lines = linesOf(answer.out);
    QStringList steps;
    bool isOpen = false;
    for (const QJsonObject& line : lines) {
        const QString event = line["event"].toString();
        QVERIFY(!event.isEmpty()); // each line is an object
        if (event != "begin" && event != "end")
            continue;
        QCOMPARE(isOpen, event == "end");
        isOpen = event == "begin";
        if (event == "end") {
            steps << line["pass"].toString() + line["step"].toVariant().toString() + line["operator"].toString();
            QVERIFY(line["seconds"].toDouble(-1) >= 0);
            QCOMPARE(line["pictures"].toArray().size(), 1); // an operator of these writes one tensor
            const QJsonObject picture = line["pictures"].toArray().first().toObject();
            QCOMPARE(QByteArray::fromBase64(picture["rgb"].toString().toLatin1()).size(), picture["width"].toInt() * picture["height"].toInt() * 3);
            QVERIFY(picture["width"].toInt() > 0);
        }
    }
    QCOMPARE(steps.size(), 10);
    QCOMPARE(steps.first(), QString("arena0Relu_a"));
    QCOMPARE(steps.last(), QString("unplanned4Add_e"));
    QCOMPARE(lines.last()["event"].toString(), QString("report"));
    QCOMPARE(lines.last()["report"].toObject()["bit_identical"].toBool(), true);
    QVERIFY(std::any_of(lines.begin(), lines.end(), [](const QJsonObject& line) { return line["event"] == "start" && line["operators"].toInt() == 5; }));
    // To a file, the text stays.
    const CliRun beside = run({"run", "two.onnx", "--progress", "progress.jsonl"});
    QVERIFY(beside.out.contains("identical"));
    QFile file(path("progress.jsonl"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(linesOf(file.readAll()).last()["event"].toString(), QString("report"));
}

void TestCliRun::progressOfABrokenRun()
{
    const CliRun answer = run({"run", "two.onnx", "--progress", "-", "--input", "x=missing.npy"});
    QCOMPARE(answer.code, 2);
    const QList<QJsonObject> lines = linesOf(answer.out);
    QCOMPARE(lines.last()["event"].toString(), QString("error"));
    QCOMPARE(lines.last()["code"].toString(), QString("file-not-found"));
}

void TestCliRun::whatCannotBeDone_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("says");
    QTest::newRow("no such input") << QStringList{"--input", "y=zeros"} << "NAME one of x";
    QTest::newRow("a file that is not there") << QStringList{"--input", "x=missing.npy"} << "missing.npy";
    QTest::newRow("a seed that is no number") << QStringList{"--input", "x=random:many"} << "random:SEED";
    QTest::newRow("twice the same input") << QStringList{"--input", "x=zeros", "--input", "x=random"} << "one value for each input";
    QTest::newRow("a model as input") << QStringList{"--input", "x=two.onnx"} << "two.onnx";
    QTest::newRow("a plan that is not there") << QStringList{"--plan", "missing.json"} << "missing.json";
    QTest::newRow("a plan, and options that it brings") << QStringList{"--plan", "plan.json", "--alias", "all"} << "--alias";
    QTest::newRow("a plan, and another shape") << QStringList{"--plan", "plan.json", "--shape", "x=1x2"} << "--shape";
    QTest::newRow("no runs") << QStringList{"--repeat", "0"} << "--repeat";
    QTest::newRow("a mean of letters") << QStringList{"--mean", "a,b,c"} << "--mean";
    QTest::newRow("channels") << QStringList{"--channels", "rgba"} << "rgb, bgr";
    QTest::newRow("passes") << QStringList{"--passes", "none"} << "both, arena, unplanned";
    QTest::newRow("a guard without an arena") << QStringList{"--guard", "--passes", "unplanned"} << "--guard";
    QTest::newRow("two answers on standard output") << QStringList{"--progress", "-", "--json", "-"} << "--progress";
    QTest::newRow("progress into a folder that is not there") << QStringList{"--progress", "no/such/file"} << "no/such/file";
    QTest::newRow("progress over the model") << QStringList{"--progress", "two.onnx"} << "--progress";
}

void TestCliRun::whatCannotBeDone()
{
    QFETCH(QStringList, options);
    QFETCH(QString, says);
    const CliRun answer = run(QStringList{"run", "two.onnx"} + options);
    QCOMPARE(answer.code, 2);
    QCOMPARE(answer.complaints().size(), 1);
    QVERIFY2(answer.err.contains(says.toUtf8()), answer.err.constData());
    QVERIFY(answer.out.isEmpty());
}

void TestCliRun::whatCannotBeRun()
{
    onnx::ModelProto model = twoBranches();
    model.mutable_graph()->mutable_node(3)->set_op_type("Bernoulli");
    model.mutable_opset_import(0)->set_version(15);
    QVERIFY(writeModel(model, path("strange.onnx")));
    const CliRun answer = run({"run", "strange.onnx"});
    QCOMPARE(answer.code, 2);
    QVERIFY2(answer.err.contains("Bernoulli") && answer.err.contains("4 of 5 operators can be run here"), answer.err.constData());
    QCOMPARE(run({"plan", "strange.onnx"}).code, 0);
}

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
