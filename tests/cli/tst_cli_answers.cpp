// SPDX-License-Identifier: MIT
// plan, compare and inspect on a tiny model whose figures are worked out by hand (cli_run.h).
#include "cli/cli_run.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

class TestCliAnswers : public QObject {
    Q_OBJECT
private slots:
    void init();
    void planPrintsASummary();
    void planAsJson();
    void optionsReachThePlan_data();
    void optionsReachThePlan();
    void assumedDimensionIsToldAndCanBeGiven();
    void severalModelsGiveOneLineEach();
    void oneBadModelDoesNotStopTheOthers();
    void severalModelsGiveOneJsonArray();
    void modelThatFailsAloneGivesNoJson();
    void budgetThatHolds();
    void budgetThatIsExceeded();
    void budgetForWorkflows();
    void formatJsonIsJsonOnStandardOutput();
    void regionsAreFilledInTurn();
    void regionsThatAreTooSmall();
    void explainAddsUp();
    void exportsAreWritten_data();
    void exportsAreWritten();
    void exportNamesFollowTheModels();
    void compareHasTheLadder();
    void compareAsJsonAndCsv();
    void inspectListsTheNetwork();
    void inspectAsJson();
    void answersAreTheSameEveryTime();
    void namesCannotReachTheTerminal();

private:
    QString path(const char* name) const { return m_folder->filePath(name); }
    QByteArray contentOf(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCliAnswers::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    QVERIFY(writeModel(tinyModel(), path("tiny.onnx")));
}

void TestCliAnswers::planPrintsASummary()
{
    const CliRun run = runCli({"plan", "tiny.onnx", "--strategy", "greedy-by-size"}, m_folder->path());
    QCOMPARE(run.err, QByteArray());
    QCOMPARE(run.code, 0);
    QCOMPARE(withoutTimes(run.out), QString(R"(tiny.onnx, ONNX opset 13, by hand
  operators  4
  tensors    5 in the arena
  branches   1  (the longest has 4 units)
  options    order file, alias none, alignment 64, inputs and outputs in the arena

  arena        256 B
  lower bound  256 B
  gap          0 %
  naive        448 B; the arena is 57.1 % of it
  strategy     greedy-by-size
  completion   optimal, no smaller arena exists for this order and these options
  proof        valid by checker and by replay

Peak: 256 B live at step 1 of 4, Relu 'Relu_b'
    128 B  1x2x4x4 float32  'a'  read here
    128 B  1x2x4x4 float32  'b'  written here
Planned in T, T in all
)"));
}

void TestCliAnswers::planAsJson()
{
    const CliRun run = runCli({"plan", path("tiny.onnx"), "--json", "-", "--strategy", "naive"});
    QCOMPARE(run.code, 0);
    QJsonParseError error;
    const QJsonObject json = QJsonDocument::fromJson(run.out, &error).object();
    QCOMPARE(error.error, QJsonParseError::NoError);
    QCOMPARE(json["model"].toString(), QString("tiny.onnx"));
    QCOMPARE(json["path"].toString(), path("tiny.onnx"));
    QCOMPARE(json["format"].toString(), QString("ONNX"));
    QCOMPARE(json["operators"].toInt(), 4);
    QCOMPARE(json["tensors"].toInt(), 5);
    QCOMPARE(json["branches"].toInt(), 1);
    QCOMPARE(json["strategy"].toString(), QString("naive"));
    QCOMPARE(json["arena_bytes"].toInt(), 448);
    QCOMPARE(json["lower_bound_bytes"].toInt(), 256);
    QCOMPARE(json["naive_bytes"].toInt(), 448);
    QCOMPARE(json["optimality_gap"].toDouble(), 0.75);
    QCOMPARE(json["completion"].toString(), QString("heuristic"));
    QCOMPARE(json["valid"].toBool(), true);
    QCOMPARE(json["peak"]["step"].toInt(), 1);
    QCOMPARE(json["peak"]["operator"].toString(), QString("Relu_b"));
    QCOMPARE(json["peak"]["live_bytes"].toInt(), 256);
    QCOMPARE(json["peak"]["tensors"].toArray().size(), 2);
    QVERIFY(json["planning_seconds"].isDouble());
    QVERIFY(json["total_seconds"].toDouble() >= json["planning_seconds"].toDouble());
}

void TestCliAnswers::optionsReachThePlan_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<int>("naive");
    QTest::addColumn<int>("bound");
    QTest::newRow("as they are") << "" << 448 << 256;
    QTest::newRow("alignment 1: 64 + 128 + 128 + 32 + 8") << "--align 1" << 360 << 256;
    QTest::newRow("alignment 16: the last has 16") << "--align 16" << 368 << 256;
    QTest::newRow("inputs outside") << "--io inputs-outside" << 384 << 256;
    QTest::newRow("outputs outside") << "--io outputs-outside" << 384 << 256;
    QTest::newRow("both outside") << "--io outside" << 320 << 256;
    QTest::newRow("b over a: 64 + 128 + 64 + 64, peak x + a") << "--alias inplace" << 320 << 192;
    QTest::newRow("views: there are none") << "--alias views" << 448 << 256;
    QTest::newRow("depth first: a chain has one order") << "--schedule depth-first" << 448 << 256;
    QTest::newRow("twice the width") << "--shape x=1x1x4x8" << 128 + 256 + 256 + 64 + 64 << 512;
}

void TestCliAnswers::optionsReachThePlan()
{
    QFETCH(QString, arguments);
    QStringList all{"plan", path("tiny.onnx"), "--json", "-", "--strategy", "greedy-by-size"};
    all += arguments.split(' ', Qt::SkipEmptyParts);
    const CliRun run = runCli(all);
    QCOMPARE(run.err, QByteArray());
    QCOMPARE(run.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(run.out).object();
    QTEST(json["naive_bytes"].toInt(), "naive");
    QTEST(json["lower_bound_bytes"].toInt(), "bound");
    QCOMPARE(json["arena_bytes"].toInt(), json["lower_bound_bytes"].toInt());
}

void TestCliAnswers::assumedDimensionIsToldAndCanBeGiven()
{
    QVERIFY(writeModel(tinyModel("batch"), path("batch.onnx")));
    const CliRun assumed = runCli({"plan", "batch.onnx", "--json", "-"}, m_folder->path());
    QCOMPARE(assumed.code, 0);
    QVERIFY2(assumed.err.startsWith("arenascope-cli: note: batch.onnx: "), assumed.err.constData());
    QVERIFY2(assumed.err.contains("batch"), assumed.err.constData());
    const QJsonObject one = QJsonDocument::fromJson(assumed.out).object();
    QCOMPARE(one["lower_bound_bytes"].toInt(), 256);
    QVERIFY(!one["diagnostics"].toArray().isEmpty());

    QCOMPARE(runCli({"plan", "batch.onnx", "--quiet"}, m_folder->path()).err, QByteArray());
    for (const char* option : {"--dim=batch=3", "--default-dim=3", "--shape=x=3x1x4x4"}) {
        const CliRun given = runCli({"plan", "batch.onnx", "--json", "-", "-q", option}, m_folder->path());
        QCOMPARE(given.code, 0);
        QCOMPARE(QJsonDocument::fromJson(given.out).object()["lower_bound_bytes"].toInt(), 768);
    }

    const CliRun open = runCli({"plan", "batch.onnx", "--default-dim", "none"}, m_folder->path());
    QCOMPARE(open.code, 2);
    QCOMPARE(open.out, QByteArray());
    QCOMPARE(open.complaints().size(), 1);
    QVERIFY2(open.err.contains("--dim") || open.err.contains("--shape"), open.err.constData());
}

void TestCliAnswers::severalModelsGiveOneLineEach()
{
    QVERIFY(writeModel(tinyModel(), path("other.onnx")));
    const CliRun run = runCli({"plan", "tiny.onnx", "other.onnx", "--strategy", "greedy-by-size"}, m_folder->path());
    QCOMPARE(run.code, 0);
    const QList<QByteArray> lines = run.out.split('\n');
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0].simplified(), QByteArray("arena bound gap naive of it ops proof strategy model"));
    QCOMPARE(lines[1].simplified(), QByteArray("256 B 256 B 0 % 448 B 57.1 % 4 valid greedy-by-size tiny.onnx"));
    QCOMPARE(lines[2].simplified(), QByteArray("256 B 256 B 0 % 448 B 57.1 % 4 valid greedy-by-size other.onnx"));
    QCOMPARE(lines[3], QByteArray());
}

void TestCliAnswers::oneBadModelDoesNotStopTheOthers()
{
    const CliRun run = runCli({"plan", "gone.onnx", "tiny.onnx"}, m_folder->path());
    QCOMPARE(run.code, 2);
    QCOMPARE(run.err, QByteArray("arenascope-cli: gone.onnx: The file cannot be opened: there is no such file. Check the path.\n"));
    QVERIFY(run.out.contains("tiny.onnx"));
}

void TestCliAnswers::severalModelsGiveOneJsonArray()
{
    const CliRun run = runCli({"plan", "gone.onnx", "tiny.onnx", "--json", "-"}, m_folder->path());
    QCOMPARE(run.code, 2);
    const QJsonArray array = QJsonDocument::fromJson(run.out).array();
    QCOMPARE(array.size(), 2);
    QCOMPARE(array[0]["model"].toString(), QString("gone.onnx"));
    QCOMPARE(array[0]["error"]["code"].toString(), QString("file-not-found"));
    QVERIFY(array[0]["error"]["message"].toString().startsWith("gone.onnx: "));
    QCOMPARE(array[1]["arena_bytes"].toInt(), 256);
}

void TestCliAnswers::modelThatFailsAloneGivesNoJson()
{
    const CliRun run = runCli({"plan", "gone.onnx", "--json", "plan.json"}, m_folder->path());
    QCOMPARE(run.code, 2);
    QCOMPARE(run.out, QByteArray());
    QVERIFY(!QFile::exists(path("plan.json")));
}

void TestCliAnswers::budgetThatHolds()
{
    const CliRun run = runCli({"plan", path("tiny.onnx"), "--budget", "256"});
    QCOMPARE(run.code, 0);
    QCOMPARE(run.err, QByteArray());
    QVERIFY(run.out.contains("Budget: 256 B leaves 0 B free\n"));
}

void TestCliAnswers::budgetThatIsExceeded()
{
    const CliRun run = runCli({"plan", "tiny.onnx", "--budget", "0.2K", "--json", "plan.json"}, m_folder->path());
    QCOMPARE(run.code, 1);
    // 0.2 KiB are 204 bytes.
    QCOMPARE(run.err, QByteArray("arenascope-cli: tiny.onnx: over the budget of 204 B by 52 bytes: the arena needs 256; peak at "
                                 "step 1, Relu 'Relu_b', with 256 B live: 'a' 128 B, 'b' 128 B\n"));
    const QJsonObject budget = QJsonDocument::fromJson(contentOf("plan.json")).object()["budget"].toObject();
    QCOMPARE(budget["bytes"].toInt(), 204);
    QCOMPARE(budget["fits"].toBool(true), false);
    QCOMPARE(budget["over_by_bytes"].toInt(), 52);
    QVERIFY(run.out.contains("exceeded by 52 bytes"));
    // a and b in the same bytes: 64 + 128 at steps 0 and 1, 128 + 64 after.
    QVERIFY2(run.out.contains("    --alias inplace                  192 B  element-wise kernels must write over their input\n"),
             run.out.constData());
    const QJsonObject way = budget["ways_to_fit"].toArray().first().toObject();
    QCOMPARE(way["options"].toString(), QString("--alias inplace"));
    QCOMPARE(way["arena_bytes"].toInt(), 192);
    QCOMPARE(runCli({"plan", path("tiny.onnx"), "--budget", "204", "--alias", "inplace"}).code, 0); // as promised
    QCOMPARE(runCli({"plan", path("tiny.onnx"), "--budget", "204", "--region", "fast=204", "--region", "slow"}).code, 0);
}

void TestCliAnswers::budgetForWorkflows()
{
    QVERIFY(writeModel(tinyModel(), path("second.onnx")));
    const CliRun run = runCli({"plan", "tiny.onnx", "second.onnx", "--budget", "204", "--format", "github"}, m_folder->path());
    QCOMPARE(run.code, 1);
    QCOMPARE(run.err, QByteArray());
    const QList<QByteArray> lines = run.out.split('\n');
    QCOMPARE(lines.size(), 3); // one a model
    QVERIFY2(lines[0].startsWith("::error file=tiny.onnx,title=Arena over budget::tiny.onnx: the arena needs 256 B.%0ABudget: 204 B"),
             run.out.constData());
    QVERIFY(lines[0].contains("Peak at step 1, Relu 'Relu_b', with 256 B live:%0A"));
    QVERIFY(lines[1].startsWith("::error file=second.onnx,"));
    const CliRun good = runCli({"plan", "tiny.onnx", "--budget", "256", "--format", "github"}, m_folder->path());
    QCOMPARE(good.code, 0);
    QVERIFY(good.out.startsWith("::notice file=tiny.onnx,title=Arena within budget::"));
    const CliRun gone = runCli({"plan", "gone.onnx", "--format", "github"}, m_folder->path());
    QCOMPARE(gone.code, 2);
    QVERIFY2(gone.out.startsWith("::error file=gone.onnx,title=Cannot be planned::"), gone.out.constData());
}

void TestCliAnswers::formatJsonIsJsonOnStandardOutput()
{
    const CliRun run = runCli({"plan", path("tiny.onnx"), "--format", "json"});
    QCOMPARE(run.code, 0);
    QCOMPARE(QJsonDocument::fromJson(run.out).object()["arena_bytes"].toInt(), 256);
}

void TestCliAnswers::regionsAreFilledInTurn()
{
    const QStringList regions{"--region", "sram=128", "--region", "psram"};
    const CliRun run = runCli(QStringList{"plan", "tiny.onnx", "--json", "-", "--export", "plan.json"} + regions, m_folder->path());
    QCOMPARE(run.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(run.out).object();
    QVERIFY(json["valid"].toBool());
    QCOMPARE(json["regions"][0]["name"].toString(), QString("sram"));
    QVERIFY(json["regions"][0]["bytes"].toInt() > 0 && json["regions"][0]["bytes"].toInt() <= 128);
    QCOMPARE(json["regions"][0]["bytes"].toInt() + json["regions"][1]["bytes"].toInt(), json["arena_bytes"].toInt());
    QVERIFY(!json["spills"].toArray().isEmpty());
    QCOMPARE(json["spills"][0]["from"].toString(), QString("sram"));
    const CliRun text = runCli(QStringList{"plan", "tiny.onnx"} + regions, m_folder->path());
    QVERIFY(text.out.contains("Spilled: ") && text.out.contains("sram is "));
    // The plan file keeps the regions, and a replay finds it valid.
    QCOMPARE(runCli({"check", "plan.json"}, m_folder->path()).code, 0);
}

void TestCliAnswers::regionsThatAreTooSmall()
{
    const CliRun run = runCli({"plan", "tiny.onnx", "--region", "sram=64", "--region", "psram=64"}, m_folder->path());
    QCOMPARE(run.code, 1);
    QVERIFY(run.err.contains("do not fit the arena or the capacity"));
    for (const char* bad : {"=64", "sram=64X", "sram=-1"}) {
        const CliRun refused = runCli({"plan", "tiny.onnx", "--region", bad}, m_folder->path());
        QCOMPARE(refused.code, 2);
        QVERIFY(refused.err.contains("--region"));
    }
    QCOMPARE(runCli({"plan", "tiny.onnx", "--region", "a=64", "--region", "a=64"}, m_folder->path()).code, 2);
}

void TestCliAnswers::explainAddsUp()
{
    const CliRun run = runCli({"plan", path("tiny.onnx"), "--explain", "--strategy", "greedy-by-size"});
    QCOMPARE(run.code, 0);
    const QString text = QString::fromUtf8(run.out);
    QVERIFY(text.contains("1*2*4*4 float32 of 4 bytes"));
    // 64 + 128 + 128 + 32 + 8 bytes; rounding adds 32 to c and 56 to d.
    QVERIFY2(text.contains("    360  sizes of 5 tensors\n"
                           "    - 0  shared on purpose (alias none)\n"
                           "   + 88  rounding 5 buffers up to 64 bytes\n"
                           "  = 448  naive\n"), run.out.constData());
    QVERIFY2(text.contains("    128  buffer 1, 'a'\n"
                           "  + 128  buffer 2, 'b'\n"
                           "  = 256  lower bound\n"
                           "    + 0  lost to fragmentation by greedy-by-size\n"
                           "  = 256  arena\n"), run.out.constData());
}

void TestCliAnswers::exportsAreWritten_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("begins");
    QTest::newRow("plan as JSON") << "plan.json" << QByteArray("{");
    QTest::newRow("buffers as CSV") << "plan.csv" << QByteArray("id,");
    QTest::newRow("network for Graphviz") << "plan.dot" << QByteArray("digraph");
    QTest::newRow("picture as SVG") << "plan.svg" << QByteArray("<?xml");
    QTest::newRow("picture as PDF") << "plan.pdf" << QByteArray("%PDF-");
    QTest::newRow("picture as PNG") << "plan.PNG" << QByteArray("\x89PNG");
}

void TestCliAnswers::exportsAreWritten()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, begins);
    const CliRun run = runCli({"plan", "tiny.onnx", "--export", name}, m_folder->path());
    QCOMPARE(run.err, QByteArray());
    QCOMPARE(run.code, 0);
    const QByteArray content = contentOf(name.toUtf8());
    QVERIFY2(content.startsWith(begins), content.left(80).constData());
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files).size(), 2); // the model and the export, no leftovers
}

void TestCliAnswers::exportNamesFollowTheModels()
{
    QVERIFY(writeModel(tinyModel(), path("other.v2.onnx")));
    const CliRun run = runCli({"plan", "tiny.onnx", "other.v2.onnx", "--export", "{name}.csv", "--export", "{name}-{name}.dot"},
                              m_folder->path());
    QCOMPARE(run.code, 0);
    for (const char* name : {"tiny.csv", "other.v2.csv", "tiny-tiny.dot", "other.v2-other.v2.dot"})
        QVERIFY2(QFile::exists(path(name)), name);
}

void TestCliAnswers::compareHasTheLadder()
{
    const CliRun run = runCli({"compare", "tiny.onnx"}, m_folder->path());
    QCOMPARE(run.code, 0);
    QVERIFY(run.out.startsWith("tiny.onnx: lower bound 256 B, naive 448 B\n"));
    // One branch of 128, 128, 32, 8: two memories of 128 beside the input of 64.
    const QString text = withoutTimes(run.out).simplified();
    QVERIFY2(text.contains("naive 448 B 448 75.0 % 100.0 % T valid "), qPrintable(text));
    QVERIFY2(text.contains("pingpong 320 B 320 25.0 % 71.4 % T valid "), qPrintable(text));
    QVERIFY2(text.contains("greedy-by-size 256 B 256 0 % 57.1 % T valid, optimal"), qPrintable(text));
}

void TestCliAnswers::compareAsJsonAndCsv()
{
    const CliRun run = runCli({"compare", "tiny.onnx", "--json", "-", "--csv", "ladder.csv"}, m_folder->path());
    QCOMPARE(run.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(run.out).object();
    QCOMPARE(json["lower_bound_bytes"].toInt(), 256);
    const QJsonArray rungs = json["strategies"].toArray();
    QVERIFY(rungs.size() >= 8);
    const QList<QByteArray> lines = contentOf("ladder.csv").trimmed().split('\n');
    QCOMPARE(lines.size(), rungs.size() + 1);
    for (qsizetype i = 0; i < rungs.size(); ++i) {
        const QList<QByteArray> cells = lines[i + 1].split(',');
        QCOMPARE(cells.size(), lines[0].split(',').size());
        QCOMPARE(QString::fromUtf8(cells[1]), rungs[i]["strategy"].toString());
        QCOMPARE(cells[2].toInt(), rungs[i]["arena_bytes"].toInt());
        QVERIFY(rungs[i]["valid"].toBool());
    }
}

void TestCliAnswers::inspectListsTheNetwork()
{
    const CliRun run = runCli({"inspect", path("tiny.onnx"), "--explain"});
    QCOMPARE(run.code, 0);
    for (const char* words : {"Concat 'Concat_a'", "Relu 'Relu_b'", "'x'", "'d'", "Cut operators", "Forks", "Joins", "Branches",
                              "Regions", "b0.0 first", "b0.1 second", "= 448  naive"})
        QVERIFY2(run.out.contains(words), words);
}

void TestCliAnswers::inspectAsJson()
{
    const CliRun run = runCli({"inspect", path("tiny.onnx"), "--json", "-"});
    QCOMPARE(run.code, 0);
    const QJsonObject json = QJsonDocument::fromJson(run.out).object();
    QCOMPARE(json["operators"].toArray().size(), 4);
    QCOMPARE(json["tensors"].toArray().size(), 5);
    const QJsonObject branch = json["branches"].toArray().at(0).toObject();
    QCOMPARE(branch["first_memory_bytes"].toInt(), 128);
    QCOMPARE(branch["second_memory_bytes"].toInt(), 128);
    QVERIFY(branch["designated_unit"].isNull()); // both are equal
    QCOMPARE(json["cut_operators"].toArray().size(), 4);
}

void TestCliAnswers::answersAreTheSameEveryTime()
{
    for (const char* command : {"plan", "compare", "inspect"}) {
        const CliRun first = runCli({command, path("tiny.onnx")});
        const CliRun second = runCli({command, path("tiny.onnx")});
        QCOMPARE(withoutTimes(first.out), withoutTimes(second.out));
    }
}

void TestCliAnswers::namesCannotReachTheTerminal()
{
    onnx::ModelProto model = tinyModel();
    model.set_producer_name("\x1b[31mred");
    model.mutable_graph()->mutable_node(1)->set_name("evil\x1b]0;title\x07\n\xff");
    QVERIFY(writeModel(model, path("evil\x1b[2J.onnx")));
    const QString file = path("evil\x1b[2J.onnx");
    for (const QStringList& arguments : {QStringList{"plan", file, "--explain", "--budget", "1"}, QStringList{"inspect", file},
                                         QStringList{"compare", file}, QStringList{"plan", file, file}}) {
        const CliRun run = runCli(arguments);
        QVERIFY(!run.out.isEmpty());
        QVERIFY2(!run.out.contains('\x1b') && !run.out.contains('\x07') && !run.out.contains('\xff'), run.out.constData());
        QVERIFY2(!run.err.contains('\x1b'), run.err.constData());
    }
    QJsonParseError error;
    QJsonDocument::fromJson(runCli({"inspect", file, "--json", "-"}).out, &error);
    QCOMPARE(error.error, QJsonParseError::NoError);
}

QTEST_GUILESS_MAIN(TestCliAnswers)
#include "tst_cli_answers.moc"
