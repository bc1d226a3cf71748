// SPDX-License-Identifier: MIT
#include "support/compiler.h"
#include "support/networks.h"
#include "support/problems.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <arenascope/bare_study.h>
#include <arenascope/plan_export.h>
#include <arenascope/plan_io.h>
#include <arenascope/problem_io.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(describe(error));
}

std::shared_ptr<const PlanOutcome> planned(std::shared_ptr<const Graph> graph, const StudyOptions& options = {}, const char* strategy = "greedy-by-size")
{
    return *planStudy(*makeStudy(std::move(graph), options), strategy);
}

// The network of tst_plan_io: x 4, a 10, r 10, b 20, c 5, d 10 bytes.
std::shared_ptr<const Graph> smallGraph()
{
    return textGraph(R"(
        in: x 4
        x    -> Conv A -> a 10
        a    -> Relu R -> r 10
        r    -> Conv B -> b 20
        b    -> Conv C -> c 5
        a, c -> Add  D -> d 10
        out: d
    )");
}

// Concat parts inside of one buffer.
std::shared_ptr<const Graph> concatGraph()
{
    NetworkMaker net;
    const Map x = net.input(4, 8);
    const Map a = net.conv(x, 4);
    const Map b = net.conv(a, 8, 3);
    const Map c = net.concat({a, b});
    return net.finish(net.conv(c, 2));
}

// The known case of the runtime's own tests, with its offsets.
std::shared_ptr<const PlanOutcome> knownCase()
{
    const PlacementProblem problem = problemOf({{0, 5, 400}, {0, 2, 401}, {1, 3, 10}, {2, 5, 201}, {2, 4, 11}, {3, 4, 202}, {3, 5, 12}, {4, 5, 200}, {4, 5, 13}});
    Plan plan;
    plan.strategy = plan.chosen = "by-hand";
    for (const Offset offset : {401, 0, 1002, 801, 202, 0, 213, 0, 200}) {
        Placement placement;
        placement.offset = offset;
        plan.placements.push_back(placement);
    }
    plan.arenaSize = 1012;
    return provePlan(*makeBareStudy(problem), plan);
}

/// Names that would end comments, lines or identifiers, or that come out alike.
std::shared_ptr<const Graph> oddGraph()
{
    GraphBuilder builder;
    TensorId last = builder.addInput("x*/ int injected; /*", ElementType::Float32, Shape::of({2, 2}));
    const char* names[] = {"a b", "a_b", "a/b", "trigraph ?\?/", "line\nbreak", "\\", "", "\xff\xfe", "arena_size", "__x__", "int", "7", "*", "/", "\u202e", "quote\"'"};
    for (const char* name : names)
        last = builder.addSimple("Conv", {last}, *name ? name : "\t", 40);
    builder.addOutput(last);
    ModelInfo info;
    info.name = "9 odd*model.onnx";
    info.hash = "abc*/def";
    builder.setInfo(info);
    return *std::move(builder).build();
}

QByteArray bytes(const Result<std::string>& content)
{
    if (!content)
        qFatal("%s", describe(content.error()).c_str());
    return QByteArray::fromStdString(*content);
}

/// "PREFIX_OFFSET_name" -> value of each macro that has a number.
QMap<QByteArray, qlonglong> macrosOf(const QByteArray& header)
{
    QMap<QByteArray, qlonglong> macros;
    for (const QByteArray& line : header.split('\n')) {
        const QList<QByteArray> words = line.split(' ');
        if (words.size() == 3 && words[0] == "#define" && words[2].endsWith('u'))
            macros[words[1]] = words[2].chopped(1).toLongLong();
    }
    return macros;
}

QJsonArray eventsOf(const QByteArray& json, const char* phase)
{
    QJsonArray events;
    for (const QJsonValue& event : QJsonDocument::fromJson(json).object()["traceEvents"].toArray()) {
        if (event["ph"].toString() == QLatin1String(phase))
            events.append(event);
    }
    return events;
}

} // namespace

class TestPlanExport : public QObject {
    Q_OBJECT

private slots:
    void formatsAreFoundBySuffixAndId();
    void headerHasEveryTensor();
    void headerCompiles_data();
    void headerCompiles();
    void assertionsOfTheHeaderFail();
    void oddNamesMakeSoundCode();
    void invalidPlansAreNoCode();
    void knownCaseOfTflm();
    void bufferPlanCompiles();
    void bufferPlanFollowsTheFile();
    void bufferPlanRefuses();
    void textPlanIsDrawn();
    void velaTableHasItsColumns();
    void miniMallocIsSolvedTheSame();
    void traceIsSound();
    void addressTraceHasAddresses();
    void netronFindsItsTargets();
    void severalMemoriesAreTold();
    void sameBytesEachTime();
    void bareStudiesKeepTheirRanges();
    void bareStudiesJoinSteps();
    void bareStudiesRefuse();
};

void TestPlanExport::formatsAreFoundBySuffixAndId()
{
    QSet<QString> ids;
    QSet<QString> suffixes;
    for (const PlanExport& format : planExports()) {
        ids << QString::fromUtf8(format.id.data(), qsizetype(format.id.size()));
        suffixes << QString::fromUtf8(format.suffix.data(), qsizetype(format.suffix.size()));
        QCOMPARE(findPlanExport(format.id), &format);
        QCOMPARE(planExportFor("some.folder/model.v2" + std::string(format.suffix)), &format);
        QVERIFY(!format.title.empty() && !format.summary.empty());
    }
    QCOMPARE(ids.size(), qsizetype(planExports().size()));
    QCOMPARE(suffixes.size(), qsizetype(planExports().size()));
    QCOMPARE(planExportFor("x.json")->id, std::string_view("json"));
    QCOMPARE(planExportFor("x.trace.json")->id, std::string_view("trace"));
    QCOMPARE(planExportFor("x.address.trace.JSON")->id, std::string_view("address-trace"));
    QCOMPARE(planExportFor("x.minimalloc.csv")->id, std::string_view("minimalloc"));
    QCOMPARE(planExportFor("trace.json")->id, std::string_view("json"));
    QCOMPARE(planExportFor(".json"), nullptr);
    QCOMPARE(planExportFor("x.svg"), nullptr);
    QCOMPARE(findPlanExport("C-header"), nullptr);
}

void TestPlanExport::headerHasEveryTensor()
{
    const auto outcome = planned(smallGraph(), {}, "naive");
    const QByteArray header = bytes(planToCHeader(*outcome));
    const auto macros = macrosOf(header);
    QCOMPARE(macros["UNNAMED_ARENA_SIZE"], 384);
    QCOMPARE(macros["UNNAMED_ARENA_ALIGNMENT"], 64);
    const std::pair<const char*, int> sizes[] = {{"x", 4}, {"a", 10}, {"r", 10}, {"b", 20}, {"c", 5}, {"d", 10}};
    int offset = 0;
    for (const auto& [name, size] : sizes) {
        QCOMPARE(macros[QByteArray("UNNAMED_OFFSET_") + name], offset);
        QCOMPARE(macros[QByteArray("UNNAMED_SIZE_") + name], size);
        offset += 64;
    }
    QCOMPARE(macros.size(), 14);
    for (const char* fact : {"alignment 64, alias none, schedule file", "Strategy: naive", "Arena:    384 bytes; lower bound 192 bytes; checked and replayed without a clash; 100.0 % above the bound"})
        QVERIFY2(header.contains(fact), header.constData());
}

void TestPlanExport::headerCompiles_data()
{
    QTest::addColumn<QString>("standard");
    QTest::addColumn<int>("network");
    for (const char* standard : {"c99", "c11", "c17", "c++98", "c++17"}) {
        QTest::addRow("%s, a small network", standard) << standard << 0;
        QTest::addRow("%s, parts of a Concat", standard) << standard << 1;
    }
    QTest::addRow("c99, ResNet-18") << "c99" << 2;
    QTest::addRow("c99, odd names") << "c99" << 3;
    QTest::addRow("c++17, odd names") << "c++17" << 3;
}

void TestPlanExport::headerCompiles()
{
    QFETCH(QString, standard);
    QFETCH(int, network);
    const QString compiler = standard.startsWith("c++") ? cxxCompiler() : cCompiler();
    if (compiler.isEmpty())
        QSKIP("a C and C++ compiler is needed to compile exported headers");
    StudyOptions options;
    options.alias = AliasMode::All;
    options.problem.alignment = 16;
    const std::shared_ptr<const Graph> graphs[] = {smallGraph(), concatGraph(), resNet18(), oddGraph()};
    const auto outcome = planned(graphs[network], options, "auto");
    const QByteArray header = bytes(planToCHeader(*outcome));

    // A program that prints what the header says about every tensor, twice included, is held against the plan.
    const auto macros = macrosOf(header);
    QByteArray program = "#include \"plan.h\"\n#include \"plan.h\"\n#include <stdio.h>\nint main(void) {\n";
    QByteArray expected;
    for (auto macro = macros.begin(); macro != macros.end(); ++macro) {
        program += "    printf(\"" + macro.key() + " %llu\\n\", (unsigned long long)" + macro.key() + ");\n";
        expected += macro.key() + " " + QByteArray::number(macro.value()) + "\n";
    }
    program += "    return 0;\n}\n";
    if (standard == "c++98") // long long came later
        program.replace("unsigned long long", "unsigned long").replace("%llu", "%lu");
    QTemporaryDir dir;
    QVERIFY(writeText(dir.filePath("plan.h"), header));
    const QString source = standard.startsWith("c++") ? "main.cpp" : "main.c";
    QVERIFY(writeText(dir.filePath(source), program));
    QByteArray errors;
    const QByteArray printed = compileAndRun(compiler, {"-std=" + standard, "-Wall", "-Wextra", "-Werror", "-pedantic", source}, dir.path(), errors);
    QVERIFY2(errors.isEmpty(), errors + header.left(3000));
    QCOMPARE(printed, expected);

    qlonglong tensors = 0;
    QList<qlonglong> offsets;
    for (std::size_t i = 0; i < outcome->study->graph->tensors().size(); ++i) {
        if (const auto offset = tensorOffset(*outcome->study, outcome->plan, TensorId::fromIndex(i))) {
            ++tensors;
            offsets << *offset;
        }
    }
    QCOMPARE(macros.size(), 2 + 2 * tensors);
    QList<qlonglong> said;
    for (auto macro = macros.begin(); macro != macros.end(); ++macro) {
        if (macro.key().contains("_OFFSET_"))
            said << macro.value();
    }
    std::sort(offsets.begin(), offsets.end());
    std::sort(said.begin(), said.end());
    QCOMPARE(said, offsets);
}

void TestPlanExport::assertionsOfTheHeaderFail()
{
    if (cCompiler().isEmpty())
        QSKIP("a C compiler is needed to compile exported headers");
    // Somebody makes the arena smaller by hand.
    QByteArray header = bytes(planToCHeader(*planned(smallGraph())));
    QVERIFY(header.contains("_ARENA_SIZE 192u"));
    header.replace("_ARENA_SIZE 192u", "_ARENA_SIZE 128u");
    QTemporaryDir dir;
    QVERIFY(writeText(dir.filePath("plan.h"), header));
    QVERIFY(writeText(dir.filePath("main.c"), "#include \"plan.h\"\nint main(void) { return 0; }\n"));
    for (const char* standard : {"-std=c99", "-std=c11"}) {
        QByteArray errors;
        compileAndRun(cCompiler(), {standard, "main.c"}, dir.path(), errors);
        QVERIFY2(errors.startsWith("compiler: ") && errors.contains("_size_"), errors.constData());
    }
}

void TestPlanExport::oddNamesMakeSoundCode()
{
    const QByteArray header = bytes(planToCHeader(*planned(oddGraph())));
    QVERIFY(header.contains("MODEL_9_ODD_MODEL_ARENA_SIZE"));
    // What is outside of comments and macros is nothing that came with a name.
    QString code = QString::fromUtf8(header);
    code.remove(QRegularExpression("/\\*.*?\\*/", QRegularExpression::DotMatchesEverythingOption));
    QVERIFY2(!code.contains("injected") || code.contains("_x_int_injected"), qPrintable(code));
    for (const QString& line : code.split('\n')) {
        const bool isKnown = line.isEmpty() || line.startsWith('#') || QRegularExpression("^MODEL_\\w+\\(\\w+, [\\w +<=()-]+\\);$").match(line).hasMatch();
        QVERIFY2(isKnown, qPrintable(line));
    }
    QVERIFY(!header.contains("??"));
    for (const char c : header)
        QVERIFY(c == '\n' || (c >= ' ' && c < 0x7f));
}

void TestPlanExport::invalidPlansAreNoCode()
{
    const auto sound = planned(smallGraph(), {}, "naive");
    Plan plan = sound->plan;
    plan.placements[4].offset = plan.placements[1].offset; // c over a, which D still reads
    const auto outcome = provePlan(sound->study, plan);
    QVERIFY(!outcome->isValid());
    for (const auto& result : {planToCHeader(*outcome), planToTflmC(*outcome)}) {
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::InvalidPlan);
        QVERIFY2(text(result.error()).contains("'a'"), qPrintable(text(result.error())));
        QVERIFY2(!text(result.error()).contains(".."), qPrintable(text(result.error())));
    }
}

void TestPlanExport::knownCaseOfTflm()
{
    const auto outcome = knownCase();
    QVERIFY(outcome->isValid());
    QCOMPARE(outcome->study->lowerBound(), Bytes(826));
    const QByteArray code = bytes(planToTflmC(*outcome));
    QList<QByteArray> offsets;
    QRegularExpression entry("^        \\{(\\d+)\\},", QRegularExpression::MultilineOption);
    for (auto match = entry.globalMatch(code); match.hasNext();)
        offsets << match.next().captured(1).toUtf8();
    QCOMPARE(offsets, (QList<QByteArray>{"401", "0", "1002", "801", "202", "0", "213", "0", "200"}));
    QVERIFY(code.contains("struct BufferPlan {"));
    QVERIFY(code.contains("records_arena_size = 1012;"));
}

void TestPlanExport::bufferPlanCompiles()
{
    if (cCompiler().isEmpty() || cxxCompiler().isEmpty())
        QSKIP("a C and C++ compiler is needed to compile exported plans");
    // The runtime's own declaration, whose layout the exported object must have.
    const QByteArray reader = "#include <stdint.h>\n#include <stdio.h>\n"
                              "struct RuntimePlan { int32_t buffer_count; struct { int32_t offset; } buffer_plan_entries[1]; };\n"
                              "struct BufferPlan;\n"
                              "#ifdef __cplusplus\nextern \"C++\" {\n#endif\n"
                              "extern const struct BufferPlan PLAN;\n"
                              "#ifdef __cplusplus\n}\n#endif\n"
                              "int main(void) {\n"
                              "    const int32_t* words = (const int32_t*)&PLAN;\n"
                              "    const struct RuntimePlan* plan = (const struct RuntimePlan*)&PLAN;\n"
                              "    int32_t i;\n"
                              "    for (i = 0; i < plan->buffer_count; ++i) printf(\"%d \", (int)words[1 + i]);\n"
                              "    return 0;\n}\n";
    for (const auto& [outcome, name] : {std::pair(knownCase(), "records_buffer_plan"), std::pair(planned(oddGraph(), {}, "tflm"), "model_9_odd_model_buffer_plan")}) {
        const QByteArray code = bytes(planToTflmC(*outcome));
        QByteArray expected;
        for (const Placement& placement : outcome->plan.placements)
            expected += QByteArray::number(qlonglong(placement.offset)) + ' ';
        for (const auto& [compiler, standard, suffix] : {std::tuple(cCompiler(), "-std=c99", ".c"), std::tuple(cxxCompiler(), "-std=c++17", ".cpp")}) {
            QTemporaryDir dir;
            QVERIFY(writeText(dir.filePath(QString("plan") + suffix), code));
            QVERIFY(writeText(dir.filePath(QString("main") + suffix), QByteArray(reader).replace("PLAN", name)));
            QByteArray errors;
            const QByteArray printed = compileAndRun(compiler, {standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fno-strict-aliasing",
                                                                QString("main") + suffix, QString("plan") + suffix}, dir.path(), errors);
            QVERIFY2(errors.isEmpty(), errors + code);
            QCOMPARE(printed, expected);
        }
    }
}

void TestPlanExport::bufferPlanFollowsTheFile()
{
    // The file lists its tensors otherwise than the operators name them; one that nothing touches has an entry, too.
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(x, 16);
    const TensorId a = builder.addSimple("Conv", {x}, "a", 32);
    const TensorId b = builder.addSimple("Conv", {a}, "b", 48);
    builder.addOutput(b);
    builder.setPlace(x, 0, 2);
    builder.setPlace(a, 0, 0);
    builder.setPlace(b, 0, 1);
    const auto outcome = planned(*std::move(builder).build(), {}, "naive"); // offsets: x 0, a 64, b 128
    const QString code = bytes(planToTflmC(*outcome));
    QVERIFY2(code.contains("3,\n    {\n        {64}, /* a: 32 bytes */\n        {128}, /* b: 48 bytes */\n        {0}, /* x: 16 bytes */\n"), qPrintable(code));
}

void TestPlanExport::bufferPlanRefuses()
{
    StudyOptions outside;
    outside.problem.io = {false, true};
    const auto result = planToTflmC(*planned(smallGraph(), outside));
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Unsupported);
    QVERIFY2(text(result.error()).contains("'x'") && text(result.error()).contains("--io arena"), qPrintable(text(result.error())));

    const auto huge = planToTflmC(*planned(textGraph("in: x 2147483647\nx -> Conv -> y 64\nout: y"), {}, "naive"));
    QVERIFY(!huge);
    QCOMPARE(huge.error().code, ErrorCode::TooLarge);
}

void TestPlanExport::textPlanIsDrawn()
{
    const QByteArray plan = bytes(planToTflmText(*knownCase()));
    const QList<QByteArray> lines = plan.split('\n');
    QCOMPARE(lines.size(), 9 + 5 + 1);
    QCOMPARE(lines[0], QByteArray("0 (id=0): size=400, offset=401, first_used=0 last_used=4"));
    QCOMPARE(lines[8], QByteArray("8 (id=8): size=13, offset=200, first_used=4 last_used=4"));
    // 1012 bytes in 80 columns: [0, 401) is columns 0 to 30, [401, 801) is 31 to 62; 801 bytes are 1 KiB.
    QCOMPARE(lines[9], " 0: " + QByteArray(31, '1') + QByteArray(32, '0') + QByteArray(17, '.') + " (1k)");
    // Step 3: [0, 202) lives in this step only, [202, 213) and [213, 225) take column 16, [801, 1002) 63 to 78.
    QCOMPARE(lines[12], " 3: " + QByteArray(15, '*') + "46" + QByteArray(14, '.') + QByteArray(32, '0') + QByteArray(16, '3') + ". (1k)");

    // Two buffers in the same bytes are shown as that.
    const auto known = knownCase();
    Plan broken = known->plan;
    broken.placements[1].offset = 401;
    const QByteArray clash = bytes(planToTflmText(*provePlan(known->study, broken)));
    QVERIFY(clash.contains(" 0: " + QByteArray(31, '.') + QByteArray(32, '!')));

    PlacementProblem many = problemOf({{0, 200'000, 8}});
    many.stepCount = 200'000;
    Plan plan200k;
    plan200k.placements.resize(1);
    auto outcome = std::make_shared<PlanOutcome>(*known);
    auto study = std::make_shared<Study>(*known->study);
    study->problem = many;
    outcome->study = study;
    QCOMPARE(planToTflmText(*outcome).error().code, ErrorCode::TooLarge);
}

void TestPlanExport::velaTableHasItsColumns()
{
    const QByteArray table = bytes(planToVela(*knownCase()));
    const QList<QByteArray> lines = table.split('\n');
    QCOMPARE(lines[0], QByteArray(80, '#'));
    QVERIFY(lines[1].startsWith("Tensor Allocation for mem_area arena,"));
    QCOMPARE(lines[2], QByteArray("Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : Name"));
    // By first step, last step, size: b1 ends first. 801 bytes are alive at step 0, 811 at step 1, 826 at the peak.
    QCOMPARE(lines[3], QByteArray("         0 -          1:        0x0 -      0x191:         401:          801: FeatureMap  : b1"));
    QCOMPARE(lines[4], QByteArray("         0 -          4:      0x191 -      0x321:         400:          801: FeatureMap  : b0"));
    QCOMPARE(lines[12], QByteArray("Allocation Peak Tensor Size:        826 (     0x33a) Bytes     0.81 KiB"));
    QCOMPARE(lines[13], QByteArray("Allocation Peak Memory Usage:      1012 (     0x3f4) Bytes     0.99 KiB"));
    QCOMPARE(lines[14], QByteArray("Allocation Overhead:                186 Bytes (22.52 %)"));
}

void TestPlanExport::miniMallocIsSolvedTheSame()
{
    StudyOptions options;
    options.alias = AliasMode::All;
    for (const auto& graph : {smallGraph(), concatGraph(), resNet18(), oddGraph()}) {
        const auto outcome = planned(graph, options, "auto");
        const auto problem = problemFromCsv(*planToMiniMalloc(*outcome), "plan.minimalloc.csv");
        QVERIFY2(problem, problem ? "" : qPrintable(text(problem.error())));
        const auto solved = planWith("auto", *problem, shortSearch());
        QVERIFY2(solved, solved ? "" : qPrintable(text(solved.error())));
        QVERIFY(validatePlan(*problem, *solved).isValid());
        QCOMPARE(solved->placements.size(), outcome->plan.placements.size());
        for (std::size_t i = 0; i < solved->placements.size(); ++i)
            QCOMPARE(solved->placements[i].offset, outcome->plan.placements[i].offset);
    }
}

void TestPlanExport::traceIsSound()
{
    const auto outcome = knownCase();
    const QByteArray json = bytes(planToTrace(*outcome));
    QJsonParseError error;
    QJsonDocument::fromJson(json, &error);
    QCOMPARE(error.error, QJsonParseError::NoError);
    int buffers = 0;
    QMap<int, QList<QPair<int, int>>> rows; // bars of a row, none of which meet
    for (const QJsonValue& event : eventsOf(json, "X")) {
        if (event["cat"].toString() != "buffer")
            continue;
        ++buffers;
        const std::size_t id = std::size_t(event["args"]["buffer"].toInt());
        const Buffer& buffer = outcome->study->problem.buffers[id];
        QCOMPARE(event["name"].toString().toStdString(), buffer.name);
        QCOMPARE(event["ts"].toInt(), int(buffer.live.begin));
        QCOMPARE(event["dur"].toInt(), int(buffer.live.length()));
        QCOMPARE(event["args"]["offset"].toInt(), int(outcome->plan.placements[id].offset));
        const QPair<int, int> bar(int(buffer.live.begin), int(buffer.live.end));
        for (const auto& other : rows[event["tid"].toInt()])
            QVERIFY(bar.first >= other.second || other.first >= bar.second);
        rows[event["tid"].toInt()] << bar;
    }
    QCOMPARE(buffers, 9);
    // Counters by hand: live 801, 811, 622, 826, 826; top 801, 1012, 1012, 1002, 1002.
    QMap<QString, QList<QPair<int, int>>> counters;
    for (const QJsonValue& event : eventsOf(json, "C"))
        counters[event["name"].toString()] << QPair(event["ts"].toInt(), event["args"]["bytes"].toInt());
    QCOMPARE(counters["live bytes"], (QList<QPair<int, int>>{{0, 801}, {1, 811}, {2, 622}, {3, 826}, {5, 0}}));
    QCOMPARE(counters["arena top"], (QList<QPair<int, int>>{{0, 801}, {1, 1012}, {3, 1002}, {5, 0}}));

    QJsonDocument::fromJson(bytes(planToTrace(*planned(oddGraph()))), &error);
    QCOMPARE(error.error, QJsonParseError::NoError);
}

void TestPlanExport::addressTraceHasAddresses()
{
    const auto outcome = knownCase();
    const QByteArray json = bytes(planToAddressTrace(*outcome));
    const QJsonArray bars = eventsOf(json, "X");
    QCOMPARE(bars.size(), 5 + 2 + 2 + 3 + 2 + 1 + 2 + 1 + 1);
    QCOMPARE(bars[0]["ts"].toInt(), 401);
    QCOMPARE(bars[0]["dur"].toInt(), 400);
    QCOMPARE(bars[4]["tid"].toInt(), 4);
}

void TestPlanExport::netronFindsItsTargets()
{
    const auto outcome = planned(smallGraph(), {}, "naive");
    const QJsonObject json = QJsonDocument::fromJson(bytes(planToNetron(*outcome))).object();
    QCOMPARE(json["signature"].toString(), "netron:attachment");
    QMap<QString, int> of;
    QSet<QString> keys;
    const QJsonArray metrics = json["metrics"].toArray();
    for (const QJsonValue& entry : metrics) {
        const QString key = entry["kind"].toString() + '|' + entry["target"].toString() + '|' + entry["name"].toString();
        QVERIFY2(!keys.contains(key), qPrintable(key)); // a later one would hide it
        keys << key;
        of[key] = entry["value"].toInt();
    }
    QCOMPARE(of["model||arena bytes"], 384);
    QCOMPARE(of["value|b|arena offset"], 192);
    QCOMPARE(of["value|b|bytes"], 20);
    QCOMPARE(of["value|a|first step"], 0);
    QCOMPARE(of["value|a|last step"], 4);
    QCOMPARE(of["node|D|step"], 4);
    QCOMPARE(of["node|D|live bytes"], 192);
    QVERIFY(!json["metadata"].toArray().isEmpty());
    const QJsonDocument odd = QJsonDocument::fromJson(bytes(planToNetron(*planned(oddGraph()))));
    for (const QJsonValue& entry : odd["metrics"].toArray())
        QVERIFY(!entry["target"].toString().contains('\n'));
}

void TestPlanExport::severalMemoriesAreTold()
{
    StudyOptions options;
    options.problem.regions = {{"fast */", 128, 0, 0.0}, {"slow", std::nullopt, 0, 1.0}};
    const auto outcome = planned(smallGraph(), options, "greedy-by-size");
    QVERIFY(outcome->isValid());
    QCOMPARE(outcome->plan.regionSizes.size(), std::size_t(2));
    for (const auto& result : {planToMiniMalloc(*outcome), planToTflmC(*outcome), planToTflmText(*outcome)}) {
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Unsupported);
    }
    const QByteArray header = bytes(planToCHeader(*outcome));
    const auto macros = macrosOf(header);
    QCOMPARE(macros["UNNAMED_MEMORY_SIZE_fast"], qlonglong(outcome->plan.regionSizes[0]));
    QCOMPARE(macros["UNNAMED_MEMORY_SIZE_slow"], qlonglong(outcome->plan.regionSizes[1]));
    QCOMPARE(header.count("#define UNNAMED_MEMORY_OF_"), 6);
    if (!cCompiler().isEmpty()) {
        QTemporaryDir dir;
        QVERIFY(writeText(dir.filePath("plan.h"), header));
        QVERIFY(writeText(dir.filePath("main.c"), "#include \"plan.h\"\nint main(void) { return UNNAMED_MEMORY_OF_x > 1; }\n"));
        QByteArray errors;
        compileAndRun(cCompiler(), {"-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c"}, dir.path(), errors);
        QVERIFY2(errors.isEmpty(), errors.constData());
    }
    QCOMPARE(bytes(planToVela(*outcome)).count("Start Time"), 2);
    const QByteArray csv = QByteArray::fromStdString(planToCsv(*outcome));
    QVERIFY2(csv.startsWith("id,name,tensors,lower,upper,size,alignment,offset,region\n"), csv.constData());
    QCOMPARE(csv.count(",fast */\n") + csv.count(",slow\n"), 6);
    QSet<int> processes;
    for (const QJsonValue& event : eventsOf(bytes(planToTrace(*outcome)), "X"))
        processes << event["pid"].toInt();
    QCOMPARE(processes, (QSet<int>{0, 1, 2}));
}

void TestPlanExport::sameBytesEachTime()
{
    StudyOptions options;
    options.alias = AliasMode::All;
    for (const PlanExport& format : planExports()) {
        if (format.id == "tflite") // only for networks that came from such a file: tst_tflite_export
            continue;
        const auto once = format.write(*planned(concatGraph(), options), {});
        const auto again = format.write(*planned(concatGraph(), options), {});
        QVERIFY2(once && again, format.id.data());
        if (format.id != "json") // holds how long planning took
            QVERIFY2(*once == *again, format.id.data());
        QVERIFY(once->ends_with("\n"));
    }
}

void TestPlanExport::bareStudiesKeepTheirRanges()
{
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const PlacementProblem problem = randomProblem(seed);
        const auto study = makeBareStudy(problem);
        QVERIFY2(study, study ? "" : qPrintable(text(study.error())));
        // What the network says, by itself, is what was given.
        const auto ranges = tensorLiveRanges(*(*study)->graph, (*study)->schedule);
        QCOMPARE(ranges.size(), problem.buffers.size());
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            QCOMPARE(ranges[i], problem.buffers[i].live);
            QCOMPARE((*study)->graph->tensors()[i].bytes, problem.buffers[i].size);
            QCOMPARE((*study)->graph->tensors()[i].name, problem.buffers[i].name);
        }
        QCOMPARE((*study)->lowerBound(), liveProfile(problem).peak);
        QCOMPARE((*study)->schedule.stepCount(), problem.stepCount);
        const auto outcome = planStudy(*study, "greedy-by-size");
        QVERIFY(outcome && (*outcome)->isValid());
        QVERIFY(replayPlan(*(*study)->graph, (*study)->schedule, (*study)->problem, (*outcome)->plan).isValid());
        QCOMPARE(planStudy(*study, "pingpong").error().code, ErrorCode::StrategyNeedsBranches);
    }
}

void TestPlanExport::bareStudiesJoinSteps()
{
    PlacementProblem problem = problemOf({{0, 5'000'000, 100}, {4'000'000, 16'000'000, 50}, {4'999'999, 5'000'000, 7}});
    problem.buffers[1].gaps = {{{9'000'000, 9'000'010}, 0, 0}};
    problem.stepCount = 16'000'000;
    const auto study = makeBareStudy(problem);
    QVERIFY(study);
    // Kept: 0, 4000000, 4999999, 5000000, 9000000, 9000010.
    QCOMPARE((*study)->schedule.stepCount(), Step(6));
    QCOMPARE((*study)->graph->operators()[2].name, std::string("step 4999999"));
    QCOMPARE((*study)->problem.buffers[0].live, (LiveRange{0, 3}));
    QCOMPARE((*study)->problem.buffers[1].live, (LiveRange{1, 6}));
    QCOMPARE((*study)->problem.buffers[1].gaps[0].steps, (LiveRange{4, 5}));
    QCOMPARE((*study)->problem.buffers[2].live, (LiveRange{2, 3}));
    QCOMPARE((*study)->lowerBound(), Bytes(157));
}

void TestPlanExport::bareStudiesRefuse()
{
    PlacementProblem turned = problemOf({{3, 2, 1}});
    turned.stepCount = 4;
    QCOMPARE(makeBareStudy(turned).error().code, ErrorCode::InvalidPlan);
    const Bytes half = Bytes(1) << 62;
    QCOMPARE(makeBareStudy(problemOf({{0, 1, half}, {0, 1, half}})).error().code, ErrorCode::SizeOverflow);
    QCOMPARE(makeBareStudy(problemOf({{0, 1, 4}}, 3)).error().code, ErrorCode::BadOption);
    QVERIFY(makeBareStudy(PlacementProblem()).hasValue());
    // Two of one name are told apart.
    PlacementProblem twins = problemOf({{0, 1, 4}, {0, 1, 4}});
    twins.buffers[1].name = "b0";
    QCOMPARE((*makeBareStudy(twins))->problem.buffers[1].name, std::string("b0#2"));
}

QTEST_GUILESS_MAIN(TestPlanExport)
#include "tst_plan_export.moc"
