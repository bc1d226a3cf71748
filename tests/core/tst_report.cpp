// SPDX-License-Identifier: MIT
// The reports on small networks whose figures are worked out by hand.
#include <arenascope/report.h>

#include "support/planned.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace arenascope;
using test::planned;
using nlohmann::json;

namespace {

// Steps: 0 first, 1 relu, 2 second, 3 skip, 4 sum. Live bytes, all multiples of 64:
//
//     x     64  |x....|       step 0:  x + a         = 320
//     a    256  |aaaa.|            1:  a + b         = 512
//     b    256  |.bb..|            2:  a + b + c     = 640  the peak
//     c    128  |..ccc|            3:  a + c + d     = 512
//     d    128  |...dd|            4:  c + d + y     = 384
//     y    128  |....y|       naive = 64 + 2 * 256 + 3 * 128 = 960
constexpr char kFork[] = R"(
    in: x 64
    weight: w 36
    x, w -> Conv first  -> a 256
    a    -> Relu relu   -> b 256
    b    -> Conv second -> c 128
    a    -> Conv skip   -> d 128
    c, d -> Add  sum    -> y 128
    out: y
)";

/// Times are the only thing that differs from run to run.
QString withoutTimes(const std::string& text)
{
    static const QRegularExpression seconds("\\d+(\\.\\d+)? m?s\\b");
    return QString::fromStdString(text).replace(seconds, "T");
}

std::vector<std::string> namesOf(const Graph& graph, const std::vector<TensorId>& ids)
{
    std::vector<std::string> names;
    for (const TensorId id : ids)
        names.push_back(graph.tensor(id).name);
    return names;
}

/// A network whose names try to break out of every format that they are printed in.
std::shared_ptr<const Graph> hostileGraph()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("\xff\xfe\"},{\n\x1b[2J", ElementType::Float32, Shape::of({4}));
    Operator op;
    op.name = "op\x1b]0;owned\x07,\"\r\n";
    op.kind = "Re\x9blu";
    op.inputs = {x};
    op.outputs = {builder.tensor("\xed\xa0\x80\xe2\x80\xae</svg>")};
    builder.describe(op.outputs[0], ElementType::Float32, Shape::of({4}));
    const TensorId y = op.outputs[0];
    builder.addOperator(std::move(op));
    builder.addOutput(y);
    builder.addOmission({Omission::What::Operator, "fold\x1b[31m", "Sh\tape", "constant\ninputs", kUnknownBytes});
    ModelInfo info;
    info.name = "evil\x1b[2J.onnx";
    info.path = "/tmp/evil\x1b[2J\xff,\".onnx";
    info.format = "ONNX\n";
    info.producer = "\x1b[31mred";
    builder.setInfo(info);
    auto graph = std::move(builder).build();
    if (!graph)
        qFatal("hostile graph: %s", describe(graph.error()).c_str());
    return *graph;
}

} // namespace

class TestReport : public QObject {
    Q_OBJECT
private slots:
    void peakNamesWhatIsAlive();
    void peakListsBothEndsOfAnInPlacePair();
    void accountAddsUpToNaive_data();
    void accountAddsUpToNaive();
    void accountByHand();
    void workspaceApartIsTheLargest();
    void summaryTextByHand();
    void budgetTextSaysByHowMuchAndWhere();
    void summaryJsonHasAllFields();
    void jsonSaysHowTheBudgetWasKept();
    void heuristicPlanThatMeetsTheBoundIsOptimal();
    void lineHasTheFigures();
    void explainTextByHand();
    void sharedObjectsAreBestForThemselves();
    void ladderHasEveryStrategyOnce();
    void ladderStopsOnRequest();
    void ladderCsvHasOneRowAStrategy();
    void inspectJsonByHand();
    void inspectTextNamesEverything();
    void hostileNamesStayText_data();
    void hostileNamesStayText();
};

void TestReport::peakNamesWhatIsAlive()
{
    const auto outcome = planned(kFork, "naive");
    const PeakReport peak = peakReport(*outcome->study);
    QCOMPARE(peak.step, Step(2));
    QCOMPARE(outcome->study->graph->op(peak.op).name, std::string("second"));
    QCOMPARE(peak.liveBytes, Bytes(640));
    QCOMPARE(namesOf(*outcome->study->graph, peak.tensors), (std::vector<std::string>{"a", "b", "c"}));
    QCOMPARE(peak.buffers.size(), std::size_t(3));
}

void TestReport::peakListsBothEndsOfAnInPlacePair()
{
    // b is written over a: one buffer of 64 bytes; at step 1 both names are alive in it, at step 2 only b is.
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    const auto outcome = planned(R"(
        in: x 64
        x -> Conv c -> a 64
        a -> Relu r -> b 64
        b -> Conv d -> y 128
        out: y
    )", "naive", options);
    const PeakReport peak = peakReport(*outcome->study);
    QCOMPARE(peak.step, Step(2));
    QCOMPARE(namesOf(*outcome->study->graph, peak.tensors), (std::vector<std::string>{"y", "b"}));
}

void TestReport::accountAddsUpToNaive_data()
{
    QTest::addColumn<int>("alias");
    QTest::addColumn<int>("alignment");
    QTest::addColumn<bool>("io");
    QTest::addColumn<bool>("workspace");
    for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace}) {
        for (const int alignment : {1, 16, 64}) {
            for (const int bits : {0, 1, 2, 3}) {
                QTest::addRow("alias %s, alignment %d, %s, workspace %s", std::string(aliasName(alias)).c_str(), alignment,
                              (bits & 1) != 0 ? "io inside" : "io outside", (bits & 2) != 0 ? "counted" : "apart")
                    << int(alias) << alignment << ((bits & 1) != 0) << ((bits & 2) != 0);
            }
        }
    }
}

void TestReport::accountAddsUpToNaive()
{
    QFETCH(int, alias);
    QFETCH(int, alignment);
    QFETCH(bool, io);
    QFETCH(bool, workspace);
    StudyOptions options;
    options.alias = static_cast<AliasMode>(alias);
    options.problem = {alignment, {io, io}, workspace};
    const auto outcome = planned(R"(
        in: x 65, unread 7
        weight: w 1000
        x, w -> Conv   c       -> a 100
        a    -> Relu   r       -> b 100
        b    -> Reshape v      -> e 100
        e    -> Split  s @33   -> f 30, g 70
        f, g -> Concat k       -> h 100
        h, e -> Add    p       -> y 100
        out: y, f
    )", "naive", options);
    const Study& study = *outcome->study;
    const ByteAccount account = accountBytes(study);
    QCOMPARE(account.tensorBytes - account.sharedBytes + account.workspaceBytes + account.paddingBytes, account.naive);
    QCOMPARE(account.naive, outcome->plan.arenaSize); // what the strategy naive really placed
    Bytes sum = 0;
    for (const ByteAccount::Entry& entry : account.counted)
        sum += study.graph->tensor(entry.tensor).bytes;
    QCOMPARE(sum, account.tensorBytes);
    QCOMPARE(account.counted.size() + account.leftOut.size(), study.graph->tensors().size());
}

void TestReport::accountByHand()
{
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    options.problem = {64, {false, true}, true};
    const auto outcome = planned(R"(
        in: x 65
        x -> Conv c @10 -> a 100
        a -> Relu r     -> b 100
        b -> Conv d     -> y 20
        out: y
    )", "naive", options);
    const ByteAccount account = accountBytes(*outcome->study);
    // Buffers: {a, b} 100 -> 128, y 20 -> 64, workspace 10 -> 64; x lies outside.
    QCOMPARE(account.tensorBytes, Bytes(220));
    QCOMPARE(account.sharedBytes, Bytes(100));
    QCOMPARE(account.workspaceBytes, Bytes(10));
    QCOMPARE(account.paddingBytes, Bytes(28 + 44 + 54));
    QCOMPARE(account.naive, Bytes(256));
    QCOMPARE(account.leftOut.size(), std::size_t(1));
    QCOMPARE(outcome->study->graph->tensor(account.leftOut[0].tensor).name, std::string("x"));
    QCOMPARE(account.counted.at(1).reason, AliasReason::InPlace);
    QCOMPARE(outcome->study->graph->tensor(account.counted.at(1).sharesWith).name, std::string("a"));
}

void TestReport::workspaceApartIsTheLargest()
{
    const auto outcome = planned(R"(
        in: x 64
        x -> Conv c @10 -> a 64
        a -> If   i @99 -> b 64
        b -> Conv d @98 -> y 64
        out: y
    )", "naive");
    const ByteAccount account = accountBytes(*outcome->study);
    QCOMPARE(account.workspaceApart, Bytes(99));
    QCOMPARE(outcome->study->graph->op(account.workspaceOp).name, std::string("i"));
    QCOMPARE(account.workspaceBytes, Bytes(0));
    const json summary = json::parse(summaryJson(*outcome));
    QCOMPARE(summary.at("workspace_bytes").get<int>(), 99);
    QVERIFY(QString::fromStdString(summaryText(*outcome)).contains("99 B beside the arena, for If 'i'"));
}

void TestReport::summaryTextByHand()
{
    ReportContext context;
    context.budget = 700;
    context.seconds = 1.5;
    const QString expected = R"((unnamed model)
  operators  5
  tensors    6 in the arena
  branches   3  (the longest has 3 units)
  options    order file, alias none, alignment 64, inputs and outputs in the arena

  arena        640 B
  lower bound  640 B
  gap          0 %
  naive        960 B; the arena is 66.7 % of it
  strategy     greedy-by-size
  completion   optimal, no smaller arena exists for this order and these options
  proof        valid by checker and by replay

Peak: 640 B live at step 2 of 5, Conv 'second'
    256 B  unknown undefined  'a'  kept for step 3, Conv 'skip'
    256 B  unknown undefined  'b'  read here
    128 B  unknown undefined  'c'  written here
Budget: 700 B leaves 60 B free
Planned in T, T in all
)";
    QCOMPARE(withoutTimes(summaryText(*planned(kFork, "greedy-by-size"), context)), expected);
}

void TestReport::budgetTextSaysByHowMuchAndWhere()
{
    const auto outcome = planned(kFork, "greedy-by-size");
    QCOMPARE(budgetText(*outcome, 640), std::string());
    QCOMPARE(budgetText(*outcome, 639),
             std::string("over the budget of 639 B by 1 byte: the arena needs 640; peak at step 2, Conv 'second', with 640 B "
                         "live: 'a' 256 B, 'b' 256 B, 'c' 128 B"));
    QVERIFY(QString::fromStdString(budgetText(*outcome, 0)).startsWith("over the budget of 0 B by 640 bytes: "));
}

void TestReport::summaryJsonHasAllFields()
{
    const Diagnostic note{Severity::Note, {ErrorCode::EmptyGraph, "somewhere", {}}};
    ReportContext context;
    context.diagnostics = std::span(&note, 1);
    const json summary = json::parse(summaryJson(*planned(kFork, "pingpong"), context));
    // Branches: [first], [relu, second, sum], [skip]: 256 + (256 + 128) + 128, and the input's own 64 bytes.
    QCOMPARE(summary.at("arena_bytes").get<int>(), 832);
    QCOMPARE(summary.at("lower_bound_bytes").get<int>(), 640);
    QCOMPARE(summary.at("naive_bytes").get<int>(), 960);
    QCOMPARE(summary.at("optimality_gap").get<double>(), 832.0 / 640.0 - 1.0);
    QCOMPARE(summary.at("completion").get<std::string>(), std::string("heuristic"));
    QCOMPARE(summary.at("strategy").get<std::string>(), std::string("pingpong"));
    QCOMPARE(summary.at("valid").get<bool>(), true);
    QCOMPARE(summary.at("operators").get<int>(), 5);
    QCOMPARE(summary.at("tensors").get<int>(), 6);
    QCOMPARE(summary.at("branches").get<int>(), 3);
    QVERIFY(summary.at("model").is_string());
    QVERIFY(summary.at("planning_seconds").is_number());
    QVERIFY(summary.at("budget").is_null());
    const json& peak = summary.at("peak");
    QCOMPARE(peak.at("step").get<int>(), 2);
    QCOMPARE(peak.at("operator").get<std::string>(), std::string("second"));
    QCOMPARE(peak.at("live_bytes").get<int>(), 640);
    QCOMPARE(peak.at("tensors").size(), std::size_t(3));
    QCOMPARE(peak.at("tensors").at(0).at("name").get<std::string>(), std::string("a"));
    QCOMPARE(peak.at("tensors").at(2).at("bytes").get<int>(), 128);
    QCOMPARE(summary.at("options"), json({{"schedule", "file"}, {"alias", "none"}, {"alignment", 64}, {"io", "arena"},
                                          {"join", "longest"}, {"workspace", "apart"}, {"concurrency", "sequential"}}));
    QCOMPARE(summary.at("diagnostics").at(0).at("code").get<std::string>(), std::string("empty-graph"));
    QCOMPARE(summary.at("diagnostics").at(0).at("severity").get<std::string>(), std::string("note"));
}

void TestReport::jsonSaysHowTheBudgetWasKept()
{
    const auto outcome = planned(kFork, "greedy-by-size");
    ReportContext context;
    context.budget = 600;
    QCOMPARE(json::parse(summaryJson(*outcome, context)).at("budget"),
             json({{"bytes", 600}, {"fits", false}, {"over_by_bytes", 40}, {"ways_to_fit", json::array()}, {"tried", json::array()}}));
    context.budget = 640;
    QCOMPARE(json::parse(summaryJson(*outcome, context)).at("budget"),
             json({{"bytes", 640}, {"fits", true}, {"over_by_bytes", 0}, {"ways_to_fit", json::array()}, {"tried", json::array()}}));
}

void TestReport::heuristicPlanThatMeetsTheBoundIsOptimal()
{
    const auto meets = planned(kFork, "greedy-by-size");
    QCOMPARE(provenCompletion(*meets), Completion::Optimal);
    QCOMPARE(provenCompletion(*planned(kFork, "naive")), Completion::Heuristic);
    PlanOutcome broken = *meets;
    for (Placement& placement : broken.plan.placements)
        placement.offset = 0;
    broken.placement = validatePlan(broken.study->problem, broken.plan);
    QVERIFY(!broken.isValid());
    QCOMPARE(provenCompletion(broken), broken.plan.completion); // a wrong plan proves nothing
    QVERIFY(QString::fromStdString(summaryText(broken)).contains("INVALID: the checker found "));
}

void TestReport::lineHasTheFigures()
{
    const QString line = QString::fromStdString(summaryLine(*planned(kFork, "pingpong")));
    QCOMPARE(line.simplified(), QString("832 B 640 B 30.0 % 960 B 86.7 % 5 valid pingpong"));
    QCOMPARE(QString::fromStdString(summaryHeader()).simplified(),
             QString("arena bound gap naive of it ops proof strategy model"));
}

void TestReport::explainTextByHand()
{
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    options.problem.io.inputsInArena = false;
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape::of({1, 25}));
    const TensorId w = builder.addWeight("w", ElementType::Int8, Shape::of({3}));
    const auto output = [&](std::string_view name, Shape shape) {
        const TensorId id = builder.tensor(name);
        builder.describe(id, ElementType::Float32, std::move(shape));
        return id;
    };
    const TensorId a = output("a", Shape::of({2, 5}));
    const TensorId b = output("b", Shape::of({2, 5}));
    const TensorId y = output("y", Shape::of({}));
    const auto add = [&builder](const char* name, const char* kind, std::vector<TensorId> inputs, TensorId made) {
        Operator op;
        op.name = name;
        op.kind = kind;
        op.inputs = std::move(inputs);
        op.outputs = {made};
        builder.addOperator(std::move(op));
    };
    add("c", "Conv", {x, w}, a);
    add("r", "Relu", {a}, b);
    add("s", "ReduceSum", {b}, y);
    builder.addOutput(y);
    builder.addOmission({Omission::What::Operator, "Shape_3", "Shape", "shape of a static tensor", kUnknownBytes});
    builder.addOmission({Omission::What::Tensor, "three", "constant", "read by folded operators only", 8});
    auto graph = std::move(builder).build();
    QVERIFY(graph.hasValue());
    const QString expected = R"(Counted, by buffer:
  buffer  bytes  elements                tensor  role
       0     40  2*5 float32 of 4 bytes  'a'     activation
       0     40  2*5 float32 of 4 bytes  'b'     is written over 'a'
       1      4  1 float32 of 4 bytes    'y'     output

naive = sum of the buffers, each rounded up to the alignment:
     84  sizes of 3 tensors
   - 40  shared on purpose (alias inplace)
   + 84  rounding 2 buffers up to 64 bytes
  = 128  naive

arena = what is alive at step 2 (sizes rounded up), and what no plan could use:
     64  buffer 0, 'a'
   + 64  buffer 1, 'y'
  = 128  lower bound
    + 0  lost to fragmentation by greedy-by-size
  = 128  arena

Left out of the arena:
  100  1x25 float32  'x'  network input, kept outside (--io)
    3  3 int8        'w'  weight, read-only

In the file, but not in the network:
  Shape     'Shape_3'     shape of a static tensor
  constant  'three'    8  read by folded operators only
)";
    QCOMPARE(QString::fromStdString(explainText(*planned(*graph, "greedy-by-size", options))), expected);
}

void TestReport::sharedObjectsAreBestForThemselves()
{
    // 3, 1, 2, 2: two objects of 3 and 2 are needed, offsets do with 3 + 1.
    StudyOptions options;
    options.problem.alignment = 1;
    options.problem.io.inputsInArena = false;
    const std::string_view chain = "in: x 9\nx -> A -> a 3\na -> B -> b 1\nb -> C -> c 2\nc -> D -> d 2\nout: d";
    const auto outcome = planned(chain, "shared-objects", options);
    QCOMPARE(outcome->plan.arenaSize, Bytes(5));
    const QString summary = QString::fromStdString(summaryText(*outcome));
    QVERIFY2(summary.contains("best for shared objects; offsets may do with less"), qPrintable(summary));
    QCOMPARE(planned(chain, "greedy-by-size", options)->plan.arenaSize, Bytes(4));
}

void TestReport::ladderHasEveryStrategyOnce()
{
    const auto study = makeStudy(test::textGraph(kFork), {});
    QVERIFY(study.hasValue());
    int told = 0;
    const auto rungs = climbLadder(*study, {}, {}, [&](const LadderRung&) { ++told; });
    QCOMPARE(told, int(rungs.size()));
    std::vector<std::string_view> expected;
    for (const Planner* planner : planners()) {
        if (planner->info().id != "auto")
            expected.push_back(planner->info().id);
    }
    QCOMPARE(rungs.size(), expected.size());
    const json ladder = json::parse(ladderJson(**study, rungs));
    for (std::size_t i = 0; i < rungs.size(); ++i) {
        QCOMPARE(rungs[i].strategy, expected[i]);
        QVERIFY(rungs[i].outcome);
        QVERIFY(rungs[i].outcome->isValid());
        QVERIFY(rungs[i].outcome->plan.arenaSize >= 640);
        QCOMPARE(ladder.at("strategies").at(i).at("arena_bytes").get<Bytes>(), rungs[i].outcome->plan.arenaSize);
    }
    QCOMPARE(ladder.at("lower_bound_bytes").get<int>(), 640);
    const QString text = QString::fromStdString(ladderText(**study, rungs));
    QVERIFY(text.startsWith(": lower bound 640 B, naive 960 B\n") || text.startsWith("(unnamed model): lower bound 640 B"));
    QCOMPARE(text.count('\n'), int(rungs.size()) + 2);
}

void TestReport::ladderStopsOnRequest()
{
    const auto study = makeStudy(test::textGraph(kFork), {});
    std::stop_source source;
    const auto rungs = climbLadder(*study, {}, source.get_token(), [&](const LadderRung& rung) {
        if (rung.strategy == "pingpong")
            source.request_stop();
    });
    QCOMPARE(rungs.size(), std::size_t(2)); // naive, pingpong
    QVERIFY(climbLadder(*study, {}, source.get_token()).empty());
}

void TestReport::ladderCsvHasOneRowAStrategy()
{
    const auto study = makeStudy(hostileGraph(), {});
    std::vector<LadderRung> rungs = climbLadder(*study);
    rungs.push_back({"broken", nullptr, Error{ErrorCode::StrategyNeedsBranches, {}, {"broken, really"}}});
    const QString csv = QString::fromLatin1(ladderCsv(**study, rungs).c_str());
    const QStringList lines = csv.split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), qsizetype(rungs.size()) + 1);
    QVERIFY(lines.first().startsWith("model,strategy,arena_bytes,lower_bound_bytes,"));
    QCOMPARE(lines.first().count(','), 10);
    QVERIFY(lines[1].contains("\"\"")); // a quote in the name is doubled
    QVERIFY(lines.last().contains("\"Strategy 'broken, really' needs"));
    QVERIFY(!ladderCsv(**study, rungs, false).starts_with("model,"));
}

void TestReport::inspectJsonByHand()
{
    const json all = json::parse(inspectJson(*planned(kFork, "greedy-by-size")));
    QCOMPARE(all.at("operators").size(), std::size_t(5));
    QCOMPARE(all.at("operators").at(2).at("name").get<std::string>(), std::string("second"));
    QCOMPARE(all.at("operators").at(2).at("live_bytes").get<int>(), 640);
    QCOMPARE(all.at("tensors").size(), std::size_t(7));
    QCOMPARE(all.at("tensors").at(0).at("live"), json({0, 1}));
    QCOMPARE(all.at("branches").size(), std::size_t(3));
    const json& branch = all.at("branches").at(1);
    QCOMPARE(branch.at("first_memory_bytes").get<int>(), 256);
    QCOMPARE(branch.at("second_memory_bytes").get<int>(), 128);
    QCOMPARE(branch.at("designated_unit").get<int>(), 0); // relu needs the 256 bytes
    QCOMPARE(branch.at("units").at(0).at("memory").get<std::string>(), std::string("first"));
    QCOMPARE(branch.at("units").at(1).at("memory").get<std::string>(), std::string("second"));
    QCOMPARE(branch.at("units").at(2).at("memory").get<std::string>(), std::string("first"));
    QCOMPARE(all.at("forks"), json({"first"}));
    QCOMPARE(all.at("joins"), json({"sum"}));
    QCOMPARE(all.at("cut_operators"), json({"first", "sum"}));
    QCOMPARE(all.at("account").at("naive_bytes").get<int>(), 960);
    QCOMPARE(all.at("summary").at("arena_bytes").get<int>(), 640);
}

void TestReport::inspectTextNamesEverything()
{
    const QString text = QString::fromStdString(inspectText(*planned(kFork, "greedy-by-size")));
    for (const char* word : {"'first'", "'relu'", "'second'", "'skip'", "'sum'", "'x'", "'a'", "'y'", "peak 640 B",
                             "b1.0 first", "b1.1 second", "Conv 'skip'", "Forks", "Joins", "Cut operators"})
        QVERIFY2(text.contains(word), word);
}

void TestReport::hostileNamesStayText_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("isJson");
    const auto outcome = planned(hostileGraph(), "greedy-by-size");
    const auto rungs = climbLadder(outcome->study);
    const auto add = [](const char* name, const std::string& text, bool isJson) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << isJson;
    };
    add("summary", summaryText(*outcome), false);
    add("line", summaryLine(*outcome), false);
    add("explanation", explainText(*outcome), false);
    add("inspection", inspectText(*outcome), false);
    add("ladder", ladderText(*outcome->study, rungs), false);
    add("budget", budgetText(*outcome, 0), false);
    add("summary as JSON", summaryJson(*outcome), true);
    add("inspection as JSON", inspectJson(*outcome), true);
    add("ladder as JSON", ladderJson(*outcome->study, rungs), true);
}

void TestReport::hostileNamesStayText()
{
    QFETCH(QByteArray, text);
    QFETCH(bool, isJson);
    const QString decoded = QString::fromUtf8(text);
    if (isJson) {
        QJsonParseError error;
        QJsonDocument::fromJson(text, &error); // Qt's parser refuses what is no UTF-8
        QCOMPARE(error.error, QJsonParseError::NoError);
        return;
    }
    QVERIFY(!decoded.contains(QChar::ReplacementCharacter));
    for (const QChar c : decoded)
        QVERIFY2(c == '\n' || (c.unicode() >= 0x20 && (c.unicode() < 0x7f || c.unicode() > 0x9f) && c != QChar(0x202e)),
                 text.constData());
}

QTEST_APPLESS_MAIN(TestReport)
#include "tst_report.moc"
