// SPDX-License-Identifier: MIT
#include "support/networks.h"
#include "support/problems.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <arenascope/plan_io.h>
#include <arenascope/problem_io.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::shared_ptr<const Study> studyOf(std::shared_ptr<const Graph> graph, StudyOptions options = {})
{
    return *makeStudy(std::move(graph), options);
}

std::shared_ptr<const PlanOutcome> smallOutcome(const char* strategy = "pingpong")
{
    const auto study = studyOf(textGraph(R"(
        in: x 4
        x    -> Conv A -> a 10
        a    -> Relu R -> r 10
        r    -> Conv B -> b 20
        b    -> Conv C -> c 5
        a, c -> Add  D -> d 10
        out: d
    )"));
    return *planStudy(study, strategy);
}

QString text(const Error& error)
{
    return QString::fromStdString(describe(error));
}

/// Replaces what stands once in the text.
std::string changed(std::string json, std::string_view from, std::string_view to)
{
    const std::size_t at = json.find(from);
    if (at == std::string::npos)
        qFatal("'%s' is not in the document", std::string(from).c_str());
    return json.replace(at, from.size(), to);
}

void comparePlans(const Plan& a, const Plan& b)
{
    QCOMPARE(a.strategy, b.strategy);
    QCOMPARE(a.chosen, b.chosen);
    QCOMPARE(a.arenaSize, b.arenaSize);
    QCOMPARE(a.completion, b.completion);
    QCOMPARE(a.planningSeconds, b.planningSeconds);
    QCOMPARE(a.placements.size(), b.placements.size());
    for (std::size_t i = 0; i < a.placements.size(); ++i) {
        QCOMPARE(a.placements[i].offset, b.placements[i].offset);
        QCOMPARE(a.placements[i].region, b.placements[i].region);
        QCOMPARE(a.placements[i].memory, b.placements[i].memory);
        QCOMPARE(a.placements[i].side, b.placements[i].side);
    }
    QCOMPARE(a.memories.size(), b.memories.size());
    for (std::size_t i = 0; i < a.memories.size(); ++i) {
        QCOMPARE(a.memories[i].branch, b.memories[i].branch);
        QCOMPARE(a.memories[i].side, b.memories[i].side);
        QCOMPARE(a.memories[i].offset, b.memories[i].offset);
        QCOMPARE(a.memories[i].size, b.memories[i].size);
        QCOMPARE(a.memories[i].live, b.memories[i].live);
    }
}

} // namespace

class TestPlanIo : public QObject {
    Q_OBJECT

private slots:
    void goesOutAndComesBack_data();
    void goesOutAndComesBack();
    void randomPlansComeBack();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void hostileDocumentsAreBounded();
    void damagedDocumentsNeverCrash();
    void brokenPlansAreReadAndChecked();
    void otherModelsAreRefused_data();
    void otherModelsAreRefused();
    void limitsOfTheFileAreKept();
    void importOptionsAreKept();
    void oddNamesSurvive();
    void idleTensorsAreKept();
    void exportsFollowTheSchema();
    void csvHasMiniMallocsColumns();
    void dotIsReadByGraphviz();
    void readsFiles();
    void writesFilesAtomically();
    void refusesWhereItCannotWrite();
};

void TestPlanIo::goesOutAndComesBack_data()
{
    QTest::addColumn<QString>("strategy");
    for (const Planner* planner : planners())
        QTest::newRow(planner->info().id.data()) << QString(planner->info().id.data());
}

void TestPlanIo::goesOutAndComesBack()
{
    QFETCH(QString, strategy);
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    options.schedule = ScheduleKind::DepthFirst;
    options.branches.join = JoinRule::LastScheduled;
    options.problem.io = {true, false};
    options.problem.alignment = 16;
    const auto outcome = *planStudy(studyOf(mobileNetV2(), options), strategy.toStdString());
    const std::string json = planToJson(*outcome);
    QVERIFY(json.ends_with("}\n"));

    const auto document = planFromJson(json, "plan.json");
    QVERIFY2(document, document ? "" : qPrintable(text(document.error())));
    comparePlans(document->plan, outcome->plan);
    QVERIFY(document->options == outcome->study->options);
    QCOMPARE(document->problem.stepCount, outcome->study->problem.stepCount);
    QCOMPARE(document->shapes.at("input"), (std::vector<std::int64_t>{1, 3, 224, 224}));
    QCOMPARE(document->problem.branches.size(), outcome->study->problem.branches.size());

    const auto attached = attachPlan(*document, outcome->study->graph);
    QVERIFY2(attached, attached ? "" : qPrintable(text(attached.error())));
    QVERIFY((*attached)->isValid());
    QCOMPARE(QString::fromStdString(planToJson(**attached)), QString::fromStdString(json));
}

void TestPlanIo::randomPlansComeBack()
{
    RandomGraphOptions graphOptions;
    graphOptions.workspaceChance = 0.2;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        StudyOptions options;
        options.alias = seed % 2 == 0 ? AliasMode::Views : AliasMode::InPlace;
        options.problem.countWorkspace = seed % 3 == 0;
        options.problem.alignment = 1;
        const auto outcome = *planStudy(studyOf(randomGraph(seed, graphOptions), options), "pingpong-escape");
        const auto document = planFromJson(planToJson(*outcome), "plan.json");
        QVERIFY2(document, document ? "" : qPrintable(text(document.error())));
        const auto attached = attachPlan(*document, outcome->study->graph);
        QVERIFY2(attached, attached ? "" : qPrintable(text(attached.error())));
        QCOMPARE(planToJson(**attached), planToJson(*outcome));
    }
}

void TestPlanIo::saysWhatIsWrong_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* from, const char* to, const char* message) {
        QTest::newRow(name) << QString(from) << QString(to) << QString(message);
    };
    row("another format", "\"arenascope-plan\"", "\"other\"", "$.format is not 'arenascope-plan': this is no plan of Arenascope");
    row("a newer version", "\"version\": 1", "\"version\": 2", "$.version is newer than 1, the newest that is known");
    row("version as text", "\"version\": 1", "\"version\": \"1\"", "$.version is no whole number of at most 63 bits");
    row("no model", "\"model\":", "\"Model\":", "$ has no member 'model'");
    row("model is a list", "\"model\": {", "\"model\": [], \"m\": {", "$.model is no object");
    row("unknown alias mode", "\"alias\": \"none\"", "\"alias\": \"some\"", "$.options.alias is 'some', which is not known");
    row("odd alignment", "\"alignment\": 64", "\"alignment\": 24", "$.options.alignment is no power of two");
    row("alignment zero", "\"alignment\": 64", "\"alignment\": 0", "$.options.alignment is 0, below 1");
    row("flag as number", "\"count_workspace\": false", "\"count_workspace\": 0", "$.options.count_workspace is neither true nor false");
    row("unknown completion", "\"completion\": \"", "\"completion\": \"x", "not one of heuristic, optimal, best-known, interrupted");
    row("too many steps", "\"steps\": 5", "\"steps\": 99999999", "$.steps is 99999999, above 16777216");
    row("a live range beyond the steps", "\"end\": 1,", "\"end\": 6,", "$.buffers[0].end is 6, above 5");
    row("a live range turned round", "\"begin\": 0,\n   \"end\": 1,", "\"begin\": 2,\n   \"end\": 1,", "$.buffers[0] ends before it begins");
    row("a negative size", "\"size\": 4,", "\"size\": -4,", "$.buffers[0].size is -4, below 0");
    row("a fraction", "\"size\": 4,", "\"size\": 4.5,", "$.buffers[0].size is no whole number of at most 63 bits");
    row("64 bits", "\"size\": 4,", "\"size\": 18446744073709551615,", "$.buffers[0].size is no whole number of at most 63 bits");
    row("a huge size", "\"size\": 4,", "\"size\": 9223372036854775807,", "$.buffers[0].size is 9223372036854775807, above 1152921504606846976");
    row("sizes that add up too high", "\"size\": 4,", "\"size\": 1152921504606846976,", "$.buffers[1].size is too large together with the sizes before");
    row("ids out of order", "\"id\": 1,\n   \"name\": \"a\"", "\"id\": 7,\n   \"name\": \"a\"", "$.buffers[1].id is 7, above 1");
    row("a unit with an unknown buffer", "\"buffers\": [\n      1\n", "\"buffers\": [\n      77\n", "$.branches[0].units[0].buffers[0] is 77, above 5");
    row("not even JSON", "\"version\": 1,", "\"version\": ,", "no JSON from line 3, column 13 on");
    row("cut off", "\"buffers\":", "", "no JSON from line");
}

void TestPlanIo::saysWhatIsWrong()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, message);
    const std::string json = changed(planToJson(*smallOutcome()), from.toStdString(), to.toStdString());
    const auto document = planFromJson(json, "dir/plan.json");
    QVERIFY(!document);
    QCOMPARE(document.error().code, ErrorCode::FileCorrupt);
    QCOMPARE(document.error().where, std::string("dir/plan.json"));
    QVERIFY2(text(document.error()).contains(message), qPrintable(text(document.error())));
    QVERIFY(!text(document.error()).contains('\n'));
}

void TestPlanIo::hostileDocumentsAreBounded()
{
    const auto deep = planFromJson(std::string(1 << 20, '['), "deep.json");
    QVERIFY(!deep);
    QVERIFY2(text(deep.error()).contains("nested deeper than 64 at line 1, column 65"), qPrintable(text(deep.error())));
    const auto wide = planFromJson("[" + std::string(5 << 20, ',') + "]", "wide.json");
    QVERIFY(!wide);
    QCOMPARE(wide.error().code, ErrorCode::TooLarge);
    for (const char* json : {"", " ", "null", "7", "\"", "[]", "{}", "{\"format\":", "\xEF\xBB\xBF{}", "{\"format\":\"arenascope-plan\"}", "1e999", "\"\\ud800\"", "\xff"})
        QVERIFY2(!planFromJson(json, "odd.json"), json);
    // Brackets in strings are no brackets, and a string may end in an escaped quote.
    QVERIFY(text(planFromJson("{\"format\": \"" + std::string(100, '[') + "\\\"\"}", "x").error()).contains("$.format"));
}

void TestPlanIo::damagedDocumentsNeverCrash()
{
    const auto outcome = smallOutcome();
    const std::string json = planToJson(*outcome);
    Random random(1);
    static constexpr char kBytes[] = "0123456789-{}[],:\"\\eE. tfn\x01\xff";
    int readable = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = json;
        for (std::int64_t i = random.below(3); i >= 0; --i) {
            const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(damaged.size())));
            if (random.chance(0.5))
                damaged[at] = kBytes[random.below(sizeof kBytes - 1)];
            else if (random.chance(0.5))
                damaged.erase(at, static_cast<std::size_t>(random.below(20)));
            else
                damaged.insert(at, 1, kBytes[random.below(sizeof kBytes - 1)]);
        }
        const auto document = planFromJson(damaged, "damaged.json");
        if (!document)
            continue;
        ++readable;
        const auto attached = attachPlan(*document, outcome->study->graph);
        if (attached) {
            planToDot(**attached);
            planToCsv(**attached);
            makeTrace(*outcome->study->graph, (*attached)->study->schedule, (*attached)->study->problem, (*attached)->plan);
        }
    }
    QVERIFY(readable > 20);
}

void TestPlanIo::brokenPlansAreReadAndChecked()
{
    // x | a b ... : `c` is moved over `a`, which D still reads.
    const auto outcome = smallOutcome("naive");
    std::string json = planToJson(*outcome);
    const std::size_t c = json.find("\"name\": \"c\"");
    const std::size_t offset = json.find("\"offset\": 256", c);
    QVERIFY(offset != std::string::npos);
    json.replace(offset, 13, "\"offset\": 64");
    const auto document = planFromJson(json, "broken.json");
    QVERIFY(document);
    const auto attached = attachPlan(*document, outcome->study->graph);
    QVERIFY(attached);
    QVERIFY(!(*attached)->placement.isValid());
    QCOMPARE((*attached)->replay.clashCount, std::int64_t(1));
    QCOMPARE(describe((*attached)->replay.clashes[0], (*attached)->study->problem, (*attached)->study->graph.get()),
             std::string("Operator 'D' at step 4 wants 'a' but finds 'c' in bytes [64, 69)."));
}

void TestPlanIo::otherModelsAreRefused_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* picture, const char* message) {
        QTest::newRow(name) << QString(picture) << QString(message);
    };
    row("more operators", "in: x 4\nx -> Conv A -> a 8\na -> Conv B -> b 8\nb -> Conv C -> c 8\nout: c", "it has 2 steps, the model has 3");
    row("another operator", "in: x 4\nx -> Conv A -> a 8\na -> Conv Z -> b 8\nout: b", "at step 1 it runs 'B', the model 'Z'");
    row("another size", "in: x 4\nx -> Conv A -> a 8\na -> Conv B -> b 9\nout: b", "buffer 'b' has 8 bytes, in the model 9");
    row("another tensor", "in: x 4\nx -> Conv A -> a 8\na -> Conv B -> q 8\nout: q", "buffer 2 is 'b', in the model 'q'");
    row("another live range", "in: x 4\nx -> Conv A -> a 8\na, x -> Conv B -> b 8\nout: b", "buffer 'x' lives in other steps");
    row("more tensors", "in: x 4\nx -> Conv A -> a 8\na -> Conv B -> b 8, e 1\nout: b", "it has 3 buffers, the model has 4");
    row("unknown sizes", "in: x 4\nx -> Conv A -> a\na -> Conv B -> b 8\nout: b", "'a'");
}

void TestPlanIo::otherModelsAreRefused()
{
    QFETCH(QString, picture);
    QFETCH(QString, message);
    const auto study = studyOf(textGraph("in: x 4\nx -> Conv A -> a 8\na -> Conv B -> b 8\nout: b"));
    const auto document = planFromJson(planToJson(**planStudy(study, "auto")), "plan.json");
    QVERIFY(document);
    QVERIFY(attachPlan(*document, study->graph));
    const auto attached = attachPlan(*document, textGraph(picture.toStdString()));
    QVERIFY(!attached);
    QVERIFY2(text(attached.error()).contains(message), qPrintable(text(attached.error())));
}

void TestPlanIo::limitsOfTheFileAreKept()
{
    // Regions, fixed offsets, alignments and gaps are no part of the model: they come from the file and are checked.
    const auto outcome = smallOutcome("naive");
    std::string json = changed(planToJson(*outcome), "\"cost\": 0.0", "\"cost\": 0.0, \"capacity\": 100");
    json = changed(json, "\"kind\": \"tensors\"", "\"fixed_offset\": 64, \"alignment\": 8, \"gaps\": [{\"begin\": 0, \"end\": 1, \"low\": 1, \"high\": 2}], \"kind\": \"tensors\"");
    const auto document = planFromJson(json, "plan.json");
    QVERIFY2(document, document ? "" : qPrintable(text(document.error())));
    const auto attached = attachPlan(*document, outcome->study->graph);
    QVERIFY(attached);
    QCOMPARE((*attached)->study->problem.regions[0].capacity, std::optional<Bytes>(100));
    QCOMPARE((*attached)->placement.clashes.front().kind, ClashKind::FixedMoved);
    QCOMPARE((*attached)->study->problem.buffers[0].gaps.size(), std::size_t(1));
    const auto again = planFromJson(planToJson(**attached), "again.json");
    QVERIFY2(again, again ? "" : qPrintable(text(again.error())));
    QCOMPARE(planToJson(**attachPlan(*again, outcome->study->graph)), planToJson(**attached));
}

void TestPlanIo::importOptionsAreKept()
{
    const auto outcome = *planStudy(studyOf(resNet18()), "auto");
    ImportOptions imported;
    imported.shapes = {{"input", {9, 9}}, {"inner", {4, 5}}, {"scalar", {}}};
    imported.dims = {{"batch", 2}};
    const auto document = planFromJson(planToJson(*outcome, imported), "plan.json");
    QVERIFY2(document, document ? "" : qPrintable(text(document.error())));
    QCOMPARE(document->dims, imported.dims);
    const std::map<std::string, std::vector<std::int64_t>> expected = {{"input", {1, 3, 224, 224}}, {"inner", {4, 5}}, {"scalar", {}}};
    QCOMPARE(document->shapes, expected);
}

void TestPlanIo::oddNamesSurvive()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("in,put \"q\"\n%", ElementType::Float32, Shape::of({2, 2}));
    const TensorId y = builder.addSimple("Conv\\", {x}, "\xff\xfe broken", 40);
    const TensorId z = builder.addSimple("<b>&", {y}, " \u00e9\u4e2d ", 40);
    builder.addOutput(z);
    const auto outcome = *planStudy(studyOf(*std::move(builder).build()), "auto");
    const auto document = planFromJson(planToJson(*outcome), "plan.json");
    QVERIFY2(document, document ? "" : qPrintable(text(document.error())));
    const auto attached = attachPlan(*document, outcome->study->graph);
    QVERIFY2(attached, attached ? "" : qPrintable(text(attached.error())));
    const auto problem = problemFromCsv(planToCsv(*outcome), "plan.csv");
    QVERIFY2(problem, problem ? "" : qPrintable(text(problem.error())));
    QCOMPARE(problem->buffers.size(), outcome->study->problem.buffers.size());
}

void TestPlanIo::idleTensorsAreKept()
{
    // What nothing touches has no buffer, but a runtime gives it bytes.
    const auto outcome = smallOutcome("naive");
    auto study = std::make_shared<Study>(*outcome->study);
    for (const auto& [name, size] : {std::pair("second entry", 12), std::pair("scratch", 7)}) {
        Buffer buffer;
        buffer.name = name;
        buffer.size = size;
        study->problem.idle.push_back(buffer);
    }
    auto changedOutcome = std::make_shared<PlanOutcome>(*outcome);
    changedOutcome->study = study;
    changedOutcome->plan.idleOffsets = {16, 400};
    const auto document = planFromJson(planToJson(*changedOutcome), "plan.json");
    QVERIFY2(document, document ? "" : qPrintable(text(document.error())));
    QCOMPARE(document->plan.idleOffsets, (std::vector<Offset>{16, 400}));
    QCOMPARE(document->problem.idle[1].name, std::string("scratch"));
    QCOMPARE(document->problem.idle[1].size, Bytes(7));
    // The model at hand has none: it is another one.
    const auto attached = attachPlan(*document, outcome->study->graph);
    QVERIFY(!attached);
    QCOMPARE(attached.error().code, ErrorCode::PlanMismatch);
    QVERIFY(!planFromJson(changed(planToJson(*changedOutcome), "\"size\": 12", "\"size\": -12"), "plan.json"));

    const QString model = QString(ARENASCOPE_SHARED_DIR) + "/models/tflite/two_signatures.tflite";
    if (!QFileInfo::exists(model))
        QSKIP("the shared models are needed: tflite/two_signatures.tflite");
    StudyOptions options;
    options.problem.alignment = 16;
    const auto graph = importModel(model.toStdString())->graph;
    const auto planned = *planStudy(studyOf(graph, options), "tflm");
    QVERIFY(!planned->plan.idleOffsets.empty());
    const auto again = attachPlan(*planFromJson(planToJson(*planned), "plan.json"), graph);
    QVERIFY2(again, again ? "" : qPrintable(text(again.error())));
    QCOMPARE((*again)->plan.idleOffsets, planned->plan.idleOffsets);
    QCOMPARE(planToJson(**again), planToJson(*planned));
}

void TestPlanIo::exportsFollowTheSchema()
{
    const QString python = QStandardPaths::findExecutable("python3");
    QProcess probe;
    probe.start(python, {"-c", "import jsonschema"});
    if (python.isEmpty() || !probe.waitForFinished(60000) || probe.exitCode() != 0)
        QSKIP("python3 with jsonschema is needed to check exports against resources/plan.schema.json");

    QTemporaryDir dir;
    QStringList files;
    const auto add = [&](const PlanOutcome& outcome) {
        files << dir.filePath(QString("%1.json").arg(files.size()));
        QVERIFY(writeFileAtomically(files.last().toStdString(), planToJson(outcome)));
    };
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    options.problem.countWorkspace = true;
    RandomGraphOptions graphOptions;
    graphOptions.workspaceChance = 0.3;
    const auto study = studyOf(randomGraph(5, graphOptions), options);
    for (const Planner* planner : planners()) {
        add(**planStudy(study, planner->info().id));
        add(**planStudy(studyOf(resNet18()), planner->info().id));
    }
    const auto document = planFromJson(planToJson(*smallOutcome()), "x");
    PlanDocument limited = *document;
    limited.problem.regions[0].capacity = 10;
    limited.problem.buffers[0].gaps = {{{0, 1}, 1, 2}};
    limited.problem.buffers[0].fixedOffset = 0;
    limited.problem.buffers[0].alignment = 2;
    add(**attachPlan(limited, smallOutcome()->study->graph));
    auto idle = std::make_shared<Study>(*smallOutcome()->study);
    idle->problem.idle.emplace_back();
    PlanOutcome withIdle = *smallOutcome();
    withIdle.study = idle;
    withIdle.plan.idleOffsets = {8};
    add(withIdle);

    // And one that must be refused, so that a schema that allows everything is found out.
    const QString wrong = dir.filePath("wrong.json");
    QVERIFY(writeFileAtomically(wrong.toStdString(), changed(planToJson(*smallOutcome()), "\"size\": 4,", "\"size\": \"4\",")));
    const char* script = "import json, sys, jsonschema\n"
                         "schema = json.load(open(sys.argv[1]))\n"
                         "jsonschema.Draft7Validator.check_schema(schema)\n"
                         "check = jsonschema.Draft7Validator(schema)\n"
                         "for path in sys.argv[3:]:\n"
                         "    for error in check.iter_errors(json.load(open(path))):\n"
                         "        sys.exit(f'{path}: {list(error.path)}: {error.message}')\n"
                         "if check.is_valid(json.load(open(sys.argv[2]))): sys.exit('a wrong document passes')\n";
    QProcess process;
    process.start(python, QStringList{"-c", script, QString(ARENASCOPE_SOURCE_DIR) + "/resources/plan.schema.json", wrong} + files);
    QVERIFY(process.waitForFinished(120000));
    QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
}

void TestPlanIo::csvHasMiniMallocsColumns()
{
    const auto outcome = smallOutcome("naive");
    QCOMPARE(QString::fromStdString(planToCsv(*outcome)), QString("id,name,tensors,lower,upper,size,alignment,offset\n"
                                                                  "0,x,x,0,1,64,64,0\n"
                                                                  "1,a,a,0,5,64,64,64\n"
                                                                  "2,r,r,1,3,64,64,128\n"
                                                                  "3,b,b,2,4,64,64,192\n"
                                                                  "4,c,c,3,5,64,64,256\n"
                                                                  "5,d,d,4,5,64,64,320\n"));
    const auto problem = problemFromCsv(planToCsv(*outcome), "plan.csv");
    QVERIFY(problem);
    QCOMPARE(liveProfile(*problem).peak, outcome->study->profile.peak);
    QCOMPARE(planWith("naive", *problem)->arenaSize, outcome->plan.arenaSize);
}

void TestPlanIo::dotIsReadByGraphviz()
{
    const QString dot = QStandardPaths::findExecutable("dot");
    if (dot.isEmpty())
        QSKIP("Graphviz' dot is needed to read exported DOT");
    GraphBuilder builder;
    const TensorId x = builder.addInput("a \"quoted\" \\name\\", ElementType::Float32, Shape::of({2, 2}));
    const TensorId y = builder.addSimple("Conv", {x}, "line\nbreak", 40);
    builder.addOutput(builder.addSimple("\xff->", {y}, "<html>", 40));
    for (const auto& graph : {*std::move(builder).build(), resNet18()}) {
        const auto outcome = *planStudy(studyOf(graph), "pingpong-pooled");
        QProcess process;
        process.start(dot, {"-Tplain"});
        const std::string text = planToDot(*outcome);
        process.write(text.data(), static_cast<qint64>(text.size()));
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(60000));
        QCOMPARE(process.exitCode(), 0);
        const QByteArray plain = process.readAllStandardOutput();
        const auto nodes = graph->operators().size() + graph->inputs().size() + graph->outputs().size();
        QCOMPARE(plain.count("\nnode "), static_cast<qsizetype>(nodes));
        QCOMPARE(process.readAllStandardError(), QByteArray());
    }
}

void TestPlanIo::readsFiles()
{
    QTemporaryDir dir;
    const std::filesystem::path path = dir.filePath("text").toStdString();
    QVERIFY(writeFileAtomically(path, "0123456789"));
    QCOMPARE(*readTextFile(path), std::string("0123456789"));
    QCOMPARE(*readTextFile(path, 10), std::string("0123456789"));
    QCOMPARE(readTextFile(path, 9).error().code, ErrorCode::TooLarge);
    QCOMPARE(readTextFile(path / "below").error().code, ErrorCode::FileNotFound);
    QCOMPARE(readTextFile(dir.filePath("none").toStdString()).error().code, ErrorCode::FileNotFound);
    QCOMPARE(readTextFile(dir.path().toStdString()).error().code, ErrorCode::FileUnreadable);
    QCOMPARE(readTextFile("/dev/zero", 1000).error().code, ErrorCode::TooLarge);
}

void TestPlanIo::writesFilesAtomically()
{
    QTemporaryDir dir;
    const QString path = dir.filePath("plan.json");
    QVERIFY(writeFileAtomically(path.toStdString(), "old"));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
    const auto permissions = QFile::permissions(path);
    QVERIFY(writeFileAtomically(path.toStdString(), "new"));
    QCOMPARE(*readTextFile(path.toStdString()), std::string("new"));
    QCOMPARE(QFile::permissions(path), permissions);

    const QString link = dir.filePath("link.json");
    QVERIFY(QFile::link(path, link));
    QVERIFY(writeFileAtomically(link.toStdString(), "through the link"));
    QVERIFY(QFileInfo(link).isSymLink());
    QCOMPARE(*readTextFile(path.toStdString()), std::string("through the link"));
    QVERIFY(writeFileAtomically("/dev/null", "swallowed"));

    const QString cwd = QDir::currentPath();
    QVERIFY(QDir::setCurrent(dir.path()));
    const auto relative = writeFileAtomically("relative.txt", "here");
    QVERIFY(QDir::setCurrent(cwd));
    QVERIFY(relative);
    QCOMPARE(*readTextFile(dir.filePath("relative.txt").toStdString()), std::string("here"));
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot),
             (QStringList{"link.json", "plan.json", "relative.txt"}));
}

void TestPlanIo::refusesWhereItCannotWrite()
{
    QTemporaryDir dir;
    const auto nowhere = writeFileAtomically(dir.filePath("no/such/folder/plan.json").toStdString(), "x");
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().code, ErrorCode::FileNotWritable);
    QVERIFY(text(nowhere.error()).contains("plan.json"));
    const auto folder = writeFileAtomically(dir.path().toStdString(), "x");
    QVERIFY(!folder);
    QCOMPARE(folder.error().code, ErrorCode::FileNotWritable);
    // A full disk: the old file stays.
    if (QFile::exists("/dev/full"))
        QCOMPARE(writeFileAtomically("/dev/full", "x").hasValue(), false);
}

QTEST_GUILESS_MAIN(TestPlanIo)
#include "tst_plan_io.moc"
