// SPDX-License-Identifier: MIT
// `solve`, and `compare` of bare problems, on problems worked out by hand.
#include "cli/cli_run.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace arenascope::test;

namespace {

// Closed: (0,1,32)(1,4,28)(2,5,36)(3,5,16)(4,5,8)(5,7,64)(6,8,10)(7,8,40): bound and optimum 124, in all 234.
constexpr char kRecords[] = "id,lower,upper,size\na,0,2,32\nb,1,5,28\nc,2,6,36\nd,3,6,16\ne,4,6,8\nf,5,8,64\ng,6,9,10\nh,7,9,40\n";

QJsonObject objectOf(const QByteArray& json)
{
    return QJsonDocument::fromJson(json).object();
}

} // namespace

class TestCliSolve : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void textIsShort();
    void jsonSaysEverything();
    void capacities_data();
    void capacities();
    void severalProblems();
    void solutionsCanBeReadAgain();
    void alignmentCounts();
    void sharedObjectsAreListed();
    void wrongUsage_data();
    void wrongUsage();
    void theLadderOfAProblem();
    void searchesEndAtTheirNodes();
    void tflmAlignsAsTheRuntimeDoes();

private:
    CliRun run(const QString& arguments) const
    {
        return runCli(arguments.split(' ', Qt::SkipEmptyParts), m_folder.path());
    }
    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(m_folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), qint64(content.size()));
    }

    QTemporaryDir m_folder;
};

void TestCliSolve::initTestCase()
{
    QVERIFY(m_folder.isValid());
    write("records.csv", kRecords);
    write("two.csv", "id,lower,upper,size\nx,0,2,10\ny,1,3,6\n");
    write("bad.csv", "id,lower,upper,size\nx,0,2,ten\n");
    write("plain.txt", kRecords);
    write("fixed.csv", "id,lower,upper,size,offset\nx,0,2,10,0\ny,1,3,6,4\n");
    QVERIFY(writeModel(tinyModel(), m_folder.filePath("tiny.onnx")));
}

void TestCliSolve::textIsShort()
{
    const CliRun answer = run("solve records.csv --strategy greedy-by-size");
    QCOMPARE(answer.code, 0);
    QCOMPARE(answer.err, QByteArray());
    QCOMPARE(withoutTimes(answer.out), QString("records.csv: 8 buffers, 9 steps\n"
                                               "  arena        124 bytes (124 B)\n"
                                               "  lower bound  124 bytes\n"
                                               "  gap          0 %\n"
                                               "  strategy     greedy-by-size\n"
                                               "  completion   optimal\n"
                                               "  proof        valid by checker\n"
                                               "  solved in    T, 0 positions\n"));
}

void TestCliSolve::jsonSaysEverything()
{
    const CliRun answer = run("solve records.csv --strategy naive --json -");
    QCOMPARE(answer.code, 0);
    const QJsonObject json = objectOf(answer.out);
    QCOMPARE(json["problem"].toString(), QString("records.csv"));
    QCOMPARE(json["buffers"].toInt(), 8);
    QCOMPARE(json["steps"].toInt(), 9);
    QCOMPARE(json["strategy"].toString(), QString("naive"));
    QCOMPARE(json["arena_bytes"].toInt(), 234);
    QCOMPARE(json["lower_bound_bytes"].toInt(), 124);
    QCOMPARE(json["proven_bound_bytes"].toInt(), 124);
    QCOMPARE(json["optimality_gap"].toDouble(), 234.0 / 124.0 - 1.0);
    QCOMPARE(json["completion"].toString(), QString("heuristic"));
    QVERIFY(json["capacity_bytes"].isNull());
    QCOMPARE(json["verdict"].toString(), QString("not-asked"));
    QVERIFY(json["conflict"].toArray().isEmpty());
    QVERIFY(json["valid"].toBool());
    QVERIFY(json.contains("nodes") && json.contains("seconds"));
    QCOMPARE(objectOf(run("solve records.csv --json -").out)["arena_bytes"].toInt(), 124); // auto
}

void TestCliSolve::capacities_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("verdict");
    QTest::addColumn<QString>("complaint");
    QTest::newRow("fits") << "--strategy greedy-by-size --capacity 124" << 0 << "fits" << "";
    QTest::newRow("over, and nothing is known") << "--strategy naive --capacity 200" << 1 << "unknown"
        << "arenascope-cli: records.csv: the arena of 234 bytes is 34 bytes over the capacity; whether a smaller one exists is not "
           "known (at least 124 bytes are needed)\n";
    // At step 5: c 36, d 16, e 8, f 64. Of 116 bytes the 8 of e can be spared, of 100 also the 16 of d; of 63 f alone is too much.
    QTest::newRow("cannot fit: all four") << "--strategy greedy-by-size --capacity 123" << 1 << "cannot-fit"
        << "arenascope-cli: records.csv: does not fit 123 bytes, proven: these 4 buffers cannot fit together, and without any of "
           "them they would: f, c, d, e\n";
    QTest::newRow("cannot fit: without the smallest") << "--strategy greedy-by-size --capacity 115" << 1 << "cannot-fit"
        << "arenascope-cli: records.csv: does not fit 115 bytes, proven: these 3 buffers cannot fit together, and without any of "
           "them they would: f, c, d\n";
    QTest::newRow("cannot fit: one is enough") << "--strategy naive --capacity 63" << 1 << "cannot-fit"
        << "arenascope-cli: records.csv: does not fit 63 bytes, proven: not even f does\n";
}

void TestCliSolve::capacities()
{
    QFETCH(QString, arguments);
    QFETCH(int, code);
    QFETCH(QString, verdict);
    QFETCH(QString, complaint);
    const CliRun answer = run("solve records.csv --json - " + arguments);
    QCOMPARE(answer.code, code);
    QCOMPARE(QString::fromUtf8(answer.err), complaint);
    QCOMPARE(objectOf(answer.out)["verdict"].toString(), verdict);
    QCOMPARE(objectOf(answer.out)["conflict"].toArray().isEmpty(), verdict != "cannot-fit");
}

void TestCliSolve::severalProblems()
{
    const CliRun answer = run("solve records.csv bad.csv two.csv --strategy greedy-by-size");
    QCOMPARE(answer.code, 2);
    QCOMPARE(answer.complaints().size(), 1);
    QVERIFY(answer.err.contains("bad.csv"));
    const QList<QByteArray> lines = answer.out.split('\n');
    QCOMPARE(lines.size(), 4); // header, two problems, the end
    QVERIFY(lines[1].contains("124") && lines[1].endsWith("records.csv"));
    QVERIFY(lines[2].contains(" 16 ") && lines[2].endsWith("two.csv"));
    const CliRun json = run("solve records.csv bad.csv two.csv --json -");
    const QJsonArray list = QJsonDocument::fromJson(json.out).array();
    QCOMPARE(list.size(), 3);
    QCOMPARE(list[1].toObject()["error"].toObject()["code"].toString(), QString("file-corrupt"));
    QCOMPARE(list[2].toObject()["arena_bytes"].toInt(), 16);
}

void TestCliSolve::solutionsCanBeReadAgain()
{
    QCOMPARE(run("solve records.csv --strategy greedy-by-size -o solution.csv").code, 0);
    // The offsets of the solution are fixed now: the program finds the same arena, and any strategy must keep them.
    const CliRun again = run("solve solution.csv --strategy naive --json -");
    QCOMPARE(again.code, 0);
    QCOMPARE(objectOf(again.out)["arena_bytes"].toInt(), 124);
    const CliRun out = run("solve two.csv --strategy greedy-by-size -o -");
    QCOMPARE(out.out, QByteArray("id,lower,upper,size,offset\nx,0,2,10,0\ny,1,3,6,10\n"));
    QCOMPARE(run("solve records.csv two.csv -o {name}.out.csv").code, 0);
    QVERIFY(QFile::exists(m_folder.filePath("records.out.csv")) && QFile::exists(m_folder.filePath("two.out.csv")));
    QCOMPARE(run("solve two.csv -o nowhere/solution.csv").code, 2);
}

void TestCliSolve::alignmentCounts()
{
    const QJsonObject json = objectOf(run("solve two.csv --align 64 --json -").out);
    QCOMPARE(json["arena_bytes"].toInt(), 128);
    QCOMPARE(json["lower_bound_bytes"].toInt(), 128);
    QCOMPARE(json["alignment"].toInt(), 64);
}

void TestCliSolve::sharedObjectsAreListed()
{
    const CliRun text = run("solve records.csv --strategy shared-objects");
    QVERIFY2(text.out.contains("  objects      4, which take 128 bytes at least\n"), text.out);
    QVERIFY2(text.out.contains("  completion   best for shared objects\n"), text.out);
    const QJsonObject json = objectOf(run("solve records.csv --strategy shared-objects --json -").out);
    QCOMPARE(json["arena_bytes"].toInt(), 128);
    QCOMPARE(json["shared_object_bound_bytes"].toInt(), 128);
    QCOMPARE(json["completion"].toString(), QString("heuristic"));
    int buffers = 0;
    for (const QJsonValue& object : json["objects"].toArray())
        buffers += object.toObject()["buffers"].toArray().size();
    QCOMPARE(json["objects"].toArray().size(), 4);
    QCOMPARE(buffers, 8);
}

void TestCliSolve::wrongUsage_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* arguments, const char* complaint) { QTest::newRow(arguments) << arguments << complaint; };
    row("solve", "problems is required; see arenascope-cli solve --help");
    row("solve nowhere.csv", "nowhere.csv: The file cannot be opened: there is no such file. Check the path.");
    row("solve bad.csv", "bad.csv: The file is damaged: line 2, column 'size': 'ten' is no whole number of at most 63 bits. Copy, "
                         "download or export it again.");
    row("solve two.csv --strategy pingpong",
        "two.csv: Strategy 'pingpong' needs a network with branches. Choose an offset strategy for a bare problem.");
    row("solve fixed.csv --strategy shared-objects",
        "fixed.csv: A fixed offset (buffer 'x') with the strategy shared-objects is not supported. Choose one of the greedy "
        "strategies.");
    row("solve fixed.csv --strategy best-fit",
        "fixed.csv: The plan is not valid: the fixed offset of 'y' is taken by another fixed buffer. Plan again.");
    row("solve two.csv --time soon", "Option --time cannot be 'soon'. Accepted: seconds from 0 to 1000000, such as 10 or 0.5.");
    row("solve two.csv --time -1", "Option --time cannot be '-1'. Accepted: seconds from 0 to 1000000, such as 10 or 0.5.");
    row("solve two.csv --time nan", "Option --time cannot be 'nan'. Accepted: seconds from 0 to 1000000, such as 10 or 0.5.");
    row("solve two.csv --nodes 1.5", "Option --nodes cannot be '1.5'. Accepted: a whole number.");
    row("solve two.csv --threads 0", "Option --threads cannot be '0'. Accepted: a whole number from 1 to 1024.");
    row("solve two.csv --capacity much", "Option --capacity cannot be 'much'. Accepted: bytes, or a number with K, M, G or T "
                                         "(binary), such as 4096, 256K or 1.5M.");
    row("solve two.csv records.csv -o out.csv",
        "Option --output cannot be 'out.csv'. Accepted: a file for each problem, such as {name}.csv.");
    row("solve two.csv -o - --json -", "Option --output cannot be '-'. Accepted: a file, since --json has standard output.");
}

void TestCliSolve::wrongUsage()
{
    QFETCH(QString, arguments);
    QFETCH(QString, complaint);
    const CliRun answer = run(arguments);
    QCOMPARE(answer.code, 2);
    QCOMPARE(QString::fromUtf8(answer.err), "arenascope-cli: " + complaint + "\n");
    QCOMPARE(answer.out, QByteArray());
}

void TestCliSolve::theLadderOfAProblem()
{
    const CliRun text = run("compare records.csv");
    QCOMPARE(text.code, 0);
    QVERIFY2(text.out.startsWith("records.csv: 8 buffers, lower bound 124 bytes, naive 234 bytes\n  strategy "), text.out);
    QVERIFY(!text.out.contains("pingpong"));
    QVERIFY(text.out.contains("best for shared objects"));
    const QJsonObject json = objectOf(run("compare records.csv --json -").out);
    QCOMPARE(json["problem"].toString(), QString("records.csv"));
    QStringList ids;
    for (const QJsonValue& rung : json["strategies"].toArray()) {
        ids << rung.toObject()["strategy"].toString();
        QVERIFY(rung.toObject()["valid"].toBool());
        QVERIFY(rung.toObject()["arena_bytes"].toInt() >= 124);
    }
    for (const char* id : {"naive", "greedy-by-size", "best-fit", "tflm", "shared-objects", "hill-climb"})
        QVERIFY2(ids.contains(id), id);
    QVERIFY(!ids.contains("auto"));

    // By content where the suffix says nothing, and models beside problems.
    const CliRun both = run("compare plain.txt tiny.onnx --csv -");
    QCOMPARE(both.code, 0);
    const QList<QByteArray> lines = both.out.split('\n');
    QVERIFY(lines[0].startsWith("model,strategy,arena_bytes,"));
    QVERIFY(lines[1].startsWith("plain.txt,naive,234,124,"));
    QCOMPARE(both.out.count("model,strategy"), 1);
    QVERIFY(both.out.contains("tiny.onnx,pingpong,"));
    // A strategy that refuses a problem has a row that says why.
    QVERIFY(run("compare fixed.csv").out.contains("is taken by another fixed buffer"));
    QCOMPARE(run("compare bad.csv").code, 2);
}

void TestCliSolve::searchesEndAtTheirNodes()
{
    const QJsonObject json = objectOf(run("solve records.csv --strategy hill-climb --nodes 1 --json -").out);
    QVERIFY(json["nodes"].toInt() >= 8);
    QVERIFY(json["valid"].toBool());
    QCOMPARE(run("plan tiny.onnx --strategy hill-climb --time 0.1 --nodes 100 --threads 1").code, 0);
}

void TestCliSolve::tflmAlignsAsTheRuntimeDoes()
{
    // In 16 bytes: x 64, a 128, b 128, c 32, d 16.
    const QJsonObject sixteen = objectOf(run("plan tiny.onnx --strategy tflm --json -").out);
    QCOMPARE(sixteen["naive_bytes"].toInt(), 64 + 128 + 128 + 32 + 16);
    const QJsonObject wide = objectOf(run("plan tiny.onnx --strategy tflm --align 64 --json -").out);
    QCOMPARE(wide["naive_bytes"].toInt(), 448);
}

QTEST_GUILESS_MAIN(TestCliSolve)
#include "tst_cli_solve.moc"
