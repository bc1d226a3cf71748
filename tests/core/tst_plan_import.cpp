// SPDX-License-Identifier: MIT
#include "support/networks.h"
#include "support/problems.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <arenascope/plan_export.h>
#include <arenascope/plan_import.h>
#include <arenascope/problem_io.h>

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <map>

#include <sys/stat.h>

using namespace arenascope;
using namespace arenascope::test;

namespace {

QString text(const Error& error)
{
    return QString::fromStdString(describe(error));
}

template <class T>
const T& good(const Result<T>& result)
{
    if (!result)
        qFatal("%s", describe(result.error()).c_str());
    return *result;
}

std::shared_ptr<const PlanOutcome> planned(std::shared_ptr<const Graph> graph, const StudyOptions& options, std::string_view strategy)
{
    PlannerOptions search;
    search.nodeBudget = 500;
    search.threads = 1;
    return good(planStudy(good(makeStudy(std::move(graph), options)), strategy, search));
}

/// Offsets, regions and sizes by buffer name.
std::map<std::string, std::tuple<Offset, int, Bytes, Step, Step>> placesOf(const PlanOutcome& outcome)
{
    std::map<std::string, std::tuple<Offset, int, Bytes, Step, Step>> places;
    for (std::size_t i = 0; i < outcome.study->problem.buffers.size(); ++i) {
        const Buffer& buffer = outcome.study->problem.buffers[i];
        const Placement& placement = outcome.plan.placements[i];
        places[buffer.name] = {placement.offset, placement.region.value(), outcome.study->problem.reserved(BufferId::fromIndex(i)), buffer.live.begin, buffer.live.end};
    }
    return places;
}

std::map<std::string, Offset> tensorPlaces(const PlanOutcome& outcome)
{
    std::map<std::string, Offset> places;
    for (std::size_t i = 0; i < outcome.study->graph->tensors().size(); ++i) {
        if (const auto offset = tensorOffset(*outcome.study, outcome.plan, TensorId::fromIndex(i)))
            places[outcome.study->graph->tensors()[i].name] = *offset;
    }
    return places;
}

Result<ForeignPlan> readBack(const PlanExport& format, const std::string& content)
{
    if (format.id == "vela")
        return planFromVela(content, "plan.vela.txt");
    return planFromCsv(content, "plan.csv");
}

constexpr std::string_view kCarriers[] = {"csv", "minimalloc", "vela"};

const char kVela[] = R"(
Warning: something that Vela says
################################################################################
Tensor Allocation for mem_area Sram, of mem_type_set (Scratch, Scratch_fast), using allocator HillClimb, in NPU subgraph:
Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : Name
         0 -          1:        0x0 -       0x40:          64:          192: FeatureMap  : serving: in
         0 -          2:       0x40 -       0xc0:         128:          192: FeatureMap  : a
         0 -          2:       0x40 -       0xc0:         128:          192: FeatureMap  : a_reshape
         2 -          3:       0xc0 -      0x140:         128:          256: Scratch     : b
Allocation Peak Tensor Size:        256 (     0x100) Bytes     0.25 KiB
Allocation Peak Memory Usage:       384 (     0x180) Bytes     0.38 KiB
Allocation Overhead:                128 Bytes (50.00 %)
)";

const char kAssignment[] = R"(BufferAssignment:
allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:
 value: <1 param.0 @0> (size=64,offset=0): f32[16]{0}
allocation 1: size 256, preallocated-temp:
 value: <2 dot.1 @0> (size=128,offset=0): f32[32]{0}
 value: <3 add.2 @0> (size=128,offset=0): f32[32]{0}
 value: <4 tuple.3{1} @0> (size=128,offset=128): f32[32]{0}
 value: <5 late.4 @0> (size=128,offset=0): f32[32]{0}
 value: <6 unused.5 @0> (size=4,offset=0): f32[]

Total bytes: 320 (320B)

Used values:
<1 param.0 @0>
 positions:
  value: no value at all
)";

const char kRanges[] = R"(HloLiveRange (max 9):
  InstructionSequence:
    0:param.0
    1:dot.1
  BufferLiveRange:
    param.0{}:0-9
    dot.1{}:1-3
    add.2{}:3-5
    tuple.3{1}:2-6
    late.4{}:6-9
  Live ranges at 3 (peak):
    dot.1{}: 128 bytes (cumulative: 128 bytes)
)";

} // namespace

class TestPlanImport : public QObject {
    Q_OBJECT

private slots:
    void plansComeBackWithTheirModel_data();
    void plansComeBackWithTheirModel();
    void plansComeBackAlone();
    void randomPlansComeBack();
    void severalMemoriesComeBack();
    void parallelPlansComeBack();
    void velaIsReadAsVelaMeansIt();
    void velaOfOtherVersions();
    void xlaPairIsJoined();
    void xlaFilesFindEachOther();
    void formatsAreRecognised();
    void namesMatchModels();
    void sizesMatchWhereNamesDoNot();
    void whatDoesNotMatchIsTold();
    void clashesAreFoundWithTheModel();
    void oneRowForEachTensorOfAPlace();
    void clashesAreFoundWithoutAModel();
    void problemsAreSolved();
    void bestPlanIsBetter();
    void bestPlanKeepsMemories();
    void challengeComesBack();
    void hostileFiles_data();
    void hostileFiles();
    void damagedFilesNeverCrash();
    void sparseFilesEndSoon();
    void listsWithoutEndAreBounded();
};

void TestPlanImport::plansComeBackWithTheirModel_data()
{
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<int>("alias");
    for (const Planner* planner : planners()) {
        for (const AliasMode alias : {AliasMode::None, AliasMode::Views, AliasMode::InPlace, AliasMode::All})
            QTest::addRow("%s, alias %s", planner->info().id.data(), aliasName(alias).data()) << QString(planner->info().id.data()) << int(alias);
    }
}

void TestPlanImport::plansComeBackWithTheirModel()
{
    QFETCH(QString, strategy);
    QFETCH(int, alias);
    StudyOptions options;
    options.alias = static_cast<AliasMode>(alias);
    options.problem.alignment = 16;
    const auto graph = squeezeNet11();
    const auto study = good(makeStudy(graph, options));
    PlannerOptions search;
    search.nodeBudget = 500;
    search.threads = 1;
    const auto result = planStudy(study, strategy.toStdString(), search);
    if (!result && result.error().code == ErrorCode::Unsupported)
        return; // tflm knows no gaps
    const auto outcome = good(result);
    for (const std::string_view id : kCarriers) {
        const PlanExport& format = *findPlanExport(id);
        const std::string content = good(format.write(*outcome, {}));
        const auto foreign = readBack(format, content);
        QVERIFY2(foreign, foreign ? "" : qPrintable(text(foreign.error())));
        const auto attached = attachForeignPlan(*foreign, graph);
        QVERIFY2(attached, attached ? "" : qPrintable(text(attached.error())));
        QVERIFY2(attached->diagnostics.empty(), attached->diagnostics.empty() ? "" : qPrintable(text(attached->diagnostics.front().error)));
        QVERIFY2(attached->outcome->isValid(), id.data());
        QCOMPARE(placesOf(*attached->outcome), placesOf(*outcome));
        QCOMPARE(tensorPlaces(*attached->outcome), tensorPlaces(*outcome));
        // And out again: the same bytes.
        if (id != "vela") // names the strategy
            QCOMPARE(good(format.write(*attached->outcome, {})), content);
    }
}

void TestPlanImport::plansComeBackAlone()
{
    for (const AliasMode alias : {AliasMode::None, AliasMode::InPlace, AliasMode::All}) {
        StudyOptions options;
        options.alias = alias;
        const auto outcome = planned(googLeNet(), options, "greedy-by-size");
        for (const std::string_view id : kCarriers) {
            const PlanExport& format = *findPlanExport(id);
            const auto foreign = readBack(format, good(format.write(*outcome, {})));
            QVERIFY2(foreign, foreign ? "" : qPrintable(text(foreign.error())));
            const auto alone = planAlone(*foreign);
            QVERIFY2(alone, alone ? "" : qPrintable(text(alone.error())));
            // Vela says nothing of bytes that are not needed at a step: with parts there may be clashes where there are none.
            if (id != "vela" || alias != AliasMode::All) {
                QVERIFY2((*alone)->isValid(), id.data());
                QCOMPARE((*alone)->study->lowerBound(), outcome->study->lowerBound());
            }
            QCOMPARE((*alone)->plan.arenaSize, outcome->plan.arenaSize);
            QCOMPARE(placesOf(**alone).size(), placesOf(*outcome).size());
            for (std::size_t i = 0; i < outcome->plan.placements.size() && id != "vela"; ++i)
                QCOMPARE((*alone)->plan.placements[i].offset, outcome->plan.placements[i].offset);
        }
    }
}

void TestPlanImport::randomPlansComeBack()
{
    constexpr std::string_view kStrategies[] = {"greedy-by-size", "best-fit", "naive", "pingpong-escape", "pingpong"};
    RandomGraphOptions graphOptions;
    graphOptions.workspaceChance = 0.2;
    graphOptions.sizeUnit = 4;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        StudyOptions options;
        options.alias = static_cast<AliasMode>(seed % 4);
        options.schedule = seed % 3 == 0 ? ScheduleKind::DepthFirst : ScheduleKind::File;
        options.problem.alignment = Bytes(1) << (seed % 7);
        options.problem.countWorkspace = seed % 5 == 0;
        options.problem.io = {seed % 6 != 0, seed % 8 != 0};
        const auto graph = randomGraph(seed, graphOptions);
        const auto outcome = planned(graph, options, kStrategies[seed % 5]);
        for (const std::string_view id : kCarriers) {
            const PlanExport& format = *findPlanExport(id);
            const auto foreign = readBack(format, good(format.write(*outcome, {})));
            QVERIFY2(foreign, foreign ? "" : qPrintable(text(foreign.error())));
            const auto attached = attachForeignPlan(*foreign, graph);
            QVERIFY2(attached, attached ? "" : qPrintable(text(attached.error())));
            const QByteArray what = "seed " + QByteArray::number(qulonglong(seed)) + ", " + QByteArray(id.data(), qsizetype(id.size()));
            QVERIFY2(attached->diagnostics.empty(), what + (attached->diagnostics.empty() ? "" : qPrintable(text(attached->diagnostics.front().error))));
            QVERIFY2(tensorPlaces(*attached->outcome) == tensorPlaces(*outcome), what);
            QVERIFY2(placesOf(*attached->outcome) == placesOf(*outcome), what);
            QVERIFY2(attached->outcome->isValid() == outcome->isValid(), what);
        }
    }
}

void TestPlanImport::severalMemoriesComeBack()
{
    StudyOptions options;
    options.problem.regions = {{"fast, and \"odd\"", Bytes(1) << 20, 0, 0.0}, {"slow", std::nullopt, 0, 1.0}};
    const auto graph = squeezeNet11();
    const auto outcome = planned(graph, options, "greedy-by-size");
    QVERIFY(outcome->plan.regionSizes[1] > 0);
    for (const std::string_view id : {std::string_view("csv"), std::string_view("vela")}) {
        const PlanExport& format = *findPlanExport(id);
        const auto foreign = readBack(format, good(format.write(*outcome, {})));
        QVERIFY2(foreign, foreign ? "" : qPrintable(text(foreign.error())));
        const auto attached = attachForeignPlan(*foreign, graph);
        QVERIFY2(attached, attached ? "" : qPrintable(text(attached.error())));
        const PlanOutcome& back = *attached->outcome;
        QVERIFY(back.isValid());
        QCOMPARE(back.plan.arenaSize, outcome->plan.arenaSize);
        QCOMPARE(tensorPlaces(back), tensorPlaces(*outcome));
        for (std::size_t i = 0; i < back.plan.placements.size(); ++i) {
            const auto nameOf = [i](const PlanOutcome& o) { return o.study->problem.regions[o.plan.placements[i].region.index()].name; };
            QCOMPARE(nameOf(back), nameOf(*outcome));
        }
    }
}

void TestPlanImport::parallelPlansComeBack()
{
    StudyOptions options;
    options.problem.concurrency = Concurrency::Parallel;
    const auto graph = googLeNet();
    const auto outcome = planned(graph, options, "greedy-by-size");
    for (const std::string_view id : kCarriers) {
        const PlanExport& format = *findPlanExport(id);
        const auto attached = attachForeignPlan(good(readBack(format, good(format.write(*outcome, {})))), graph);
        QVERIFY2(attached, attached ? "" : qPrintable(text(attached.error())));
        QVERIFY(attached->outcome->isValid());
        QCOMPARE(tensorPlaces(*attached->outcome), tensorPlaces(*outcome));
    }
}

void TestPlanImport::velaIsReadAsVelaMeansIt()
{
    const ForeignPlan plan = good(planFromVela(kVela, "log.txt"));
    const PlacementProblem& problem = plan.document.problem;
    QCOMPARE(problem.buffers.size(), std::size_t(3));
    QCOMPARE(problem.regions.size(), std::size_t(1));
    QCOMPARE(problem.regions[0].name, std::string("Sram"));
    QCOMPARE(problem.buffers[0].name, std::string("serving: in"));
    QCOMPARE(problem.buffers[0].live, (LiveRange{0, 2})); // closed there
    QCOMPARE(plan.document.tensorNames[1], (std::vector<std::string>{"a", "a_reshape"}));
    QCOMPARE(plan.document.plan.placements[2].offset, Offset(0xc0));
    QCOMPARE(problem.stepCount, Step(4));
    QCOMPARE(plan.document.plan.arenaSize, Bytes(384)); // as it says, although tensors reach 320 only
    const auto alone = good(planAlone(plan));
    QVERIFY(alone->isValid());
    QCOMPARE(alone->study->lowerBound(), Bytes(256));
    QCOMPARE(alone->study->graph->operators().size(), std::size_t(4));
}

void TestPlanImport::velaOfOtherVersions()
{
    // Without a purpose, and two memories in two tables.
    const ForeignPlan plan = good(planFromVela("Allocation, memory OffChipFlash, usage mask: ReadOnly\r\n"
                                               "Start Time - End Time: Start Addr - End Addr: Tensor Size: Memory Usage: Name\r\n"
                                               "0 - 0: 0x10 - 0x20: 16: 16 : w:0\r\n"
                                               "Allocation Peak Tensor Size: 32 bytes == 0.03 KiB\r\n"
                                               "Allocation, memory Sram, usage mask: FeatureMap\r\n"
                                               "Start Time - End Time: Start Addr - End Addr: Tensor Size: Memory Usage: Name\r\n"
                                               "0 - 3: 0x0 - 0x8: 8: 8 : x\r\n", "u85.txt"));
    QCOMPARE(plan.document.problem.regions.size(), std::size_t(2));
    QCOMPARE(plan.document.problem.regions[0].name, std::string("OffChipFlash"));
    QCOMPARE(plan.document.problem.regions[1].name, std::string("Sram"));
    QCOMPARE(plan.document.problem.buffers[0].name, std::string("w:0"));
    QCOMPARE(plan.document.plan.placements[1].region, RegionId(1));
    QCOMPARE(plan.document.plan.regionSizes, (std::vector<Bytes>{32, 8}));
    QCOMPARE(plan.document.plan.arenaSize, Bytes(40));
}

void TestPlanImport::xlaPairIsJoined()
{
    const ForeignPlan plan = good(planFromXla(kAssignment, kRanges, "m-buffer-assignment.txt"));
    const PlacementProblem& problem = plan.document.problem;
    // dot.1 and add.2 share their bytes at step 3 on purpose; late.4 comes after both.
    QCOMPARE(problem.buffers.size(), std::size_t(4));
    QCOMPARE(problem.buffers[0].name, std::string("param.0"));
    QCOMPARE(problem.buffers[0].live, (LiveRange{0, 10}));
    QCOMPARE(plan.document.tensorNames[1], (std::vector<std::string>{"dot.1", "add.2"}));
    QCOMPARE(problem.buffers[1].live, (LiveRange{1, 6}));
    QCOMPARE(plan.document.plan.placements[1].offset, Offset(64));
    QCOMPARE(problem.buffers[2].name, std::string("late.4"));
    QCOMPARE(problem.buffers[3].name, std::string("tuple.3{1}"));
    QCOMPARE(plan.document.plan.placements[3].offset, Offset(192));
    QCOMPARE(plan.document.plan.arenaSize, Bytes(320));
    QCOMPARE(plan.diagnostics.size(), std::size_t(1));
    QVERIFY2(text(plan.diagnostics[0].error).contains("unused.5"), qPrintable(text(plan.diagnostics[0].error)));
    const auto alone = good(planAlone(plan));
    QVERIFY(alone->isValid());
    QCOMPARE(alone->study->lowerBound(), Bytes(320));
}

void TestPlanImport::xlaFilesFindEachOther()
{
    QTemporaryDir dir;
    const auto path = [&](const char* name) { return std::filesystem::path(dir.filePath(name).toStdString()); };
    QVERIFY(writeFileAtomically(path("module_0001.jit_f-buffer-assignment.txt"), kAssignment));
    const auto lonely = importPlan(path("module_0001.jit_f-buffer-assignment.txt"));
    QVERIFY(!lonely);
    QCOMPARE(lonely.error().code, ErrorCode::FileNotFound);
    QVERIFY2(text(lonely.error()).contains("module_0001.jit_f-live-range.txt"), qPrintable(text(lonely.error())));
    QVERIFY(writeFileAtomically(path("module_0001.jit_f-live-range.txt"), kRanges));
    for (const char* name : {"module_0001.jit_f-buffer-assignment.txt", "module_0001.jit_f-live-range.txt"})
        QCOMPARE(good(importPlan(path(name))).document.problem.buffers.size(), std::size_t(4));
    QVERIFY(writeFileAtomically(path("other.txt"), kRanges));
    QCOMPARE(importPlan(path("other.txt")).error().code, ErrorCode::Unsupported);
}

void TestPlanImport::formatsAreRecognised()
{
    QTemporaryDir dir;
    const auto outcome = planned(squeezeNet11(), {}, "greedy-by-size");
    for (const auto& [id, name, importer] : {std::tuple("json", "a.txt", "json"), std::tuple("csv", "b.dat", "csv"), std::tuple("minimalloc", "c", "csv"), std::tuple("vela", "d.log", "vela")}) {
        const std::filesystem::path path = dir.filePath(name).toStdString();
        QVERIFY(writeFileAtomically(path, good(findPlanExport(id)->write(*outcome, {}))));
        QVERIFY2(planImporterFor(path), name);
        QCOMPARE(planImporterFor(path)->id, std::string_view(importer));
        QCOMPARE(good(importPlan(path)).format, std::string_view(importer));
    }
    // A table far down in a log.
    const std::filesystem::path late = dir.filePath("late.log").toStdString();
    QVERIFY(writeFileAtomically(late, std::string(10000, 'x') + kVela));
    QCOMPARE(good(importPlan(late)).format, std::string_view("vela"));
    const std::filesystem::path none = dir.filePath("none.bin").toStdString();
    QVERIFY(writeFileAtomically(none, "no plan at all"));
    QCOMPARE(planImporterFor(none), nullptr);
    QCOMPARE(importPlan(none).error().code, ErrorCode::FormatUnknown);
    // A pipe that nobody writes to must not be waited for.
    const std::filesystem::path pipe = dir.filePath("pipe").toStdString();
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    QCOMPARE(importPlan(pipe).error().code, ErrorCode::FileUnreadable);
    QCOMPARE(importPlan(dir.filePath("missing").toStdString()).error().code, ErrorCode::FileNotFound);
}

void TestPlanImport::namesMatchModels()
{
    // Written by hand, without alignment, in another order, and with an operator's workspace.
    const auto graph = textGraph("in: x 4\nx -> Conv A @8 -> a 8\na -> Conv B -> b 12\nout: b");
    const ForeignPlan plan = good(planFromCsv("id,lower,upper,size,offset\nb,1,2,12,0\nworkspace of A,0,1,8,12\na,0,2,8,20\nx,0,1,4,0\n", "by-hand.csv"));
    const AttachedPlan attached = good(attachForeignPlan(plan, graph));
    QVERIFY(attached.diagnostics.empty());
    QVERIFY(attached.outcome->isValid());
    QVERIFY(attached.outcome->study->options.problem.countWorkspace);
    QCOMPARE(tensorPlaces(*attached.outcome), (std::map<std::string, Offset>{{"a", 20}, {"b", 0}, {"x", 0}}));
    QCOMPARE(attached.outcome->plan.arenaSize, Bytes(28));
}

void TestPlanImport::sizesMatchWhereNamesDoNot()
{
    const auto graph = textGraph("in: x 4\nx -> Conv A -> a 8\na -> Conv B -> b 12\nout: b");
    const ForeignPlan plan = good(planFromCsv("id,lower,upper,size,offset\n0,0,1,4,8\n1,0,2,8,0\n2,1,2,12,8\n", "numbers.csv"));
    const AttachedPlan attached = good(attachForeignPlan(plan, graph));
    QVERIFY(attached.diagnostics.empty());
    QVERIFY(attached.outcome->isValid());
    QCOMPARE(tensorPlaces(*attached.outcome), (std::map<std::string, Offset>{{"a", 0}, {"b", 8}, {"x", 8}}));
    // Two that are alike cannot be told apart.
    const auto twins = textGraph("in: x 4\nx -> Split A -> a 8, b 8\na, b -> Add B -> c 16\nout: c");
    const AttachedPlan alike = good(attachForeignPlan(good(planFromCsv("id,lower,upper,size,offset\n0,0,1,4,0\n1,0,2,8,8\n2,0,2,8,16\n3,1,2,16,24\n", "twins.csv")), twins));
    QCOMPARE(alike.diagnostics.size(), std::size_t(2));
    QVERIFY(!alike.outcome->isValid()); // a and b are nowhere
    QCOMPARE(alike.outcome->placement.clashes.front().kind, ClashKind::Missing);
}

void TestPlanImport::whatDoesNotMatchIsTold()
{
    const auto graph = textGraph("in: x 4\nx -> Conv A -> a 8\na -> Conv B -> b 12\nout: b");
    const AttachedPlan attached = good(attachForeignPlan(good(planFromCsv("id,lower,upper,size,offset\nx,0,1,4,0\na,0,2,8,8\nq,1,9,100,16\nb,1,2,20,16\n", "other.csv")), graph));
    QStringList told;
    for (const Diagnostic& diagnostic : attached.diagnostics)
        told << text(diagnostic.error);
    QCOMPARE(told.size(), 2);
    QVERIFY2(told[0].contains("'q'") && told[1].contains("'b' has another size"), qPrintable(told.join('\n')));
    const auto stranger = attachForeignPlan(good(planFromCsv("id,lower,upper,size,offset\nq,0,9,100,0\n", "stranger.csv")), graph);
    QVERIFY(!stranger);
    QCOMPARE(stranger.error().code, ErrorCode::PlanMismatch);
    const auto problem = attachForeignPlan(good(planFromCsv("id,lower,upper,size\nx,0,1,4\n", "problem.csv")), graph);
    QVERIFY(!problem);
    QVERIFY2(text(problem.error()).contains("no offsets"), qPrintable(text(problem.error())));
}

void TestPlanImport::clashesAreFoundWithTheModel()
{
    // b lies over a, which B still reads: the checker and the replay both see it.
    const auto graph = textGraph("in: x 4\nx -> Conv A -> a 8\na -> Conv B -> b 12\na, b -> Add C -> c 4\nout: c");
    const AttachedPlan attached = good(attachForeignPlan(good(planFromCsv("id,lower,upper,size,offset\nx,0,1,4,20\na,0,3,8,0\nb,1,3,12,4\nc,2,3,4,20\n", "clash.csv")), graph));
    QVERIFY(attached.diagnostics.empty());
    QCOMPARE(attached.outcome->placement.clashCount, std::int64_t(1));
    QCOMPARE(attached.outcome->placement.clashes[0].begin, Offset(4));
    QCOMPARE(attached.outcome->placement.clashes[0].end, Offset(8));
    QCOMPARE(attached.outcome->replay.clashCount, std::int64_t(2)); // B writes over what it reads, and C finds that
}

void TestPlanImport::oneRowForEachTensorOfAPlace()
{
    // Two tensors of one size that begin and end together, in one place: one buffer for Vela, two for the model, which clash.
    const auto graph = textGraph("in: x 4\nx -> Split A -> a 8, b 8\na, b -> Add B -> c 16\nout: c");
    const AttachedPlan attached = good(attachForeignPlan(good(planFromVela("Start Time - End Time: Start Addr - End Addr: Tensor Size: Memory Usage: Name\n"
                                                                           "0 - 0: 0x18 - 0x1c: 4: 4: x\n0 - 1: 0x0 - 0x8: 8: 8: a\n"
                                                                           "0 - 1: 0x0 - 0x8: 8: 8: b\n1 - 1: 0x8 - 0x18: 16: 16: c\n", "shared.txt")), graph));
    QCOMPARE(tensorPlaces(*attached.outcome), (std::map<std::string, Offset>{{"a", 0}, {"b", 0}, {"c", 8}, {"x", 24}}));
    QCOMPARE(attached.outcome->placement.clashCount, std::int64_t(1));
    QCOMPARE(attached.outcome->placement.clashes[0].kind, ClashKind::Overlap);
}

void TestPlanImport::clashesAreFoundWithoutAModel()
{
    const auto alone = good(planAlone(good(planFromCsv("id,start,end,size,offset\na,0,2,8,0\nb,1,3,8,4\nc,3,4,8,4\n", "clash.csv"))));
    QVERIFY(!alone->isValid());
    QCOMPARE(alone->placement.clashCount, std::int64_t(2)); // a and b at 1 and 2, b and c at 3: ends belong to them
    QCOMPARE(alone->replay.clashCount, std::int64_t(0));    // nothing is read that it could look at
}

void TestPlanImport::problemsAreSolved()
{
    const ForeignPlan plan = good(planFromCsv("id,lower,upper,size\na,0,2,8\nb,1,3,8\nc,2,4,8\n", "problem.csv"));
    QVERIFY(!plan.hasOffsets);
    const auto outcome = good(planAlone(plan, shortSearch()));
    QVERIFY(outcome->isValid());
    QCOMPARE(outcome->plan.arenaSize, Bytes(16));
    QCOMPARE(outcome->plan.strategy, std::string("auto"));
    const auto half = planFromCsv("id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,\n", "half.csv");
    QVERIFY(!half);
    QVERIFY2(text(half.error()).contains("'b' has no offset"), qPrintable(text(half.error())));
}

void TestPlanImport::bestPlanIsBetter()
{
    const auto outcome = planned(squeezeNet11(), {}, "pingpong");
    const auto foreign = good(readBack(*findPlanExport("minimalloc"), good(planToMiniMalloc(*outcome))));
    for (const auto& yours : {good(planAlone(foreign)), good(attachForeignPlan(foreign, squeezeNet11())).outcome}) {
        const Plan best = good(bestPlanFor(*yours, shortSearch()));
        QCOMPARE(best.arenaSize, outcome->study->lowerBound());
        QVERIFY(yours->plan.arenaSize > best.arenaSize);
        QVERIFY(validatePlan(yours->study->problem, best).isValid());
    }
}

void TestPlanImport::bestPlanKeepsMemories()
{
    // Sram: 64 and 128 at once, then 128 beside that 128; another memory with one tensor.
    std::string two = kVela;
    two += "Tensor Allocation for mem_area Dram, of mem_type_set (Permanent), using allocator Greedy, in NPU subgraph:\n"
           "Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : Name\n"
           "0 - 3: 0x1000 - 0x1010: 16: 16: Weights: w\n";
    const auto yours = good(planAlone(good(planFromVela(two, "two.txt"))));
    QVERIFY(yours->isValid());
    QCOMPARE(yours->plan.regionSizes, (std::vector<Bytes>{384, 0x1010}));
    const Plan best = good(bestPlanFor(*yours, shortSearch()));
    QCOMPARE(best.regionSizes, (std::vector<Bytes>{256, 16}));
    QCOMPARE(best.arenaSize, Bytes(272));
    QVERIFY(validatePlan(yours->study->problem, best).isValid());
}

void TestPlanImport::challengeComesBack()
{
    const QString path = QString(ARENASCOPE_SHARED_DIR) + "/problems/solutions/D.1031168.csv";
    if (!QFileInfo::exists(path))
        QSKIP("the shared problems are needed: solutions/D.1031168.csv");
    const ForeignPlan plan = good(importPlan(path.toStdString()));
    QVERIFY(plan.hasOffsets);
    const auto alone = good(planAlone(plan));
    QVERIFY(alone->isValid());
    QCOMPARE(alone->plan.arenaSize, Bytes(1031168));
    QCOMPARE(alone->study->lowerBound(), Bytes(986112));
    const auto again = good(planFromCsv(good(planToMiniMalloc(*alone)), "again.csv"));
    QCOMPARE(placesOf(*good(planAlone(again))), placesOf(*alone));
}

void TestPlanImport::hostileFiles_data()
{
    QTest::addColumn<QString>("format");
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* format, const QByteArray& content, const char* message) {
        QTest::newRow(name) << QString(format) << content << QString(message);
    };
    const QByteArray head = "Start Time - End Time: Start Addr - End Addr: Tensor Size: Memory Usage: Purpose: Name\n";
    row("vela: nothing", "vela", "", "no table of tensor allocations");
    row("vela: cut off in a row", "vela", head + "0 - 1: 0x0 - 0x", "line 2, 2 columns instead of 6");
    row("vela: no number", "vela", head + "0 - x: 0x0 - 0x8: 8: 8: F: a", "line 2, column 'Time': 'x' is no whole number");
    row("vela: negative", "vela", head + "0 - -1: 0x0 - 0x8: 8: 8: F: a", "line 2, column 'Time'");
    row("vela: no dash", "vela", head + "0: 0x0 - 0x8: 8: 8: F: a", "line 2, column 'Time' has no '-'");
    row("vela: 64 bits", "vela", head + "0 - 1: 0x0 - 0x8: 18446744073709551616: 8: F: a", "line 2, column 'Tensor Size'");
    row("vela: addresses of 64 bits", "vela", head + "0 - 1: 0xffffffffffffffff - 0x8: 8: 8: F: a", "line 2, column 'Addr'");
    row("vela: many steps", "vela", head + "0 - 99999999: 0x0 - 0x8: 8: 8: F: a", "step 99999999 is larger than the limit of 16777216 steps");
    row("vela: turned round", "vela", head + "7 - 2: 0x0 - 0x8: 8: 8: F: a", "line 2, the end is before the begin");
    row("vela: wrong size", "vela", head + "0 - 2: 0x0 - 0x80: 8: 8: F: a", "line 2, addresses are further apart");
    row("vela: sizes that add up too high", "vela", head + "0 - 2: 0x0 - 0x0: 1152921504606846976: 8: F: a\n0 - 2: 0x0 - 0x0: 1152921504606846975: 8: F: b", "The sum of the sizes up to 'b' is larger");
    row("vela: a huge offset", "vela", head + "0 - 2: 0x7fffffffffffff00 - 0x7fffffffffffff08: 8: 8: F: a", "The offset of 'a' is larger");
    row("vela: header without names", "vela", "Start Time - End Time: Start Addr\n", "line 1, the header has no columns");
    row("csv: nothing", "csv", "", "line 1, the file is empty");
    row("csv: no size", "csv", "id,lower,upper,offset\na,0,1,0\n", "there is no column 'size'");
    row("csv: twice", "csv", "id,lower,upper,size,offset\na,0,1,8,0\na,0,1,8,8\n", "'a'");
    row("csv: a huge offset", "csv", "id,lower,upper,size,offset\na,0,1,8,9223372036854775807\n", "line 2, column 'offset'");
    row("csv: a large offset", "csv", "id,lower,upper,size,offset\na,0,1,8,2305843009213693952\n", "The offset of 'a' is larger");
    row("csv: many steps", "csv", "id,lower,upper,size,offset\na,0,16777216,8,0\n", "step 16777216");
    row("xla: nothing", "xla", "|", "buffer-assignment.txt has no line 'allocation N: size S, ...:'");
    row("xla: no ranges", "xla", "allocation 0: size 8, t:\n value: <1 a @0> (size=8,offset=0): f32[2]\n|", "live-range.txt has no line 'BufferLiveRange:'");
    row("xla: a value before", "xla", " value: <1 a @0> (size=8,offset=0): f32[2]\n|", "buffer-assignment.txt, line 1, a value comes before");
    row("xla: no size", "xla", "allocation 0: 8 bytes\n|", "line 1, 'allocation 0: 8 bytes' is not of the form");
    row("xla: no offset", "xla", "allocation 0: size 8, t:\n value: <1 a @0> (size=8): f32[2]\n|", "line 2, 'value: <1 a @0> (size=8): f32[2]' is not of the form");
    row("xla: outside", "xla", "allocation 0: size 8, t:\n value: <1 a @0> (size=8,offset=4): f32[2]\n|", "line 2, value 'a{}' does not fit its allocation of 8 bytes");
    row("xla: huge allocations", "xla", "allocation 0: size 9223372036854775807, t:\n|", "The sum of the allocations up to line 1 is larger");
    row("xla: nothing joined", "xla", "allocation 0: size 8, t:\n value: <1 a @0> (size=8,offset=0): f32[2]\n|BufferLiveRange:\n b{}:0-1\n", "no value of buffer-assignment.txt has a live range");
    row("xla: range turned round", "xla", "allocation 0: size 8, t:\n value: <1 a @0> (size=8,offset=0): f32[2]\n|BufferLiveRange:\n a{}:4-1\n", "live-range.txt, line 2, 'a{}:4-1' is not of the form");
    row("xla: range twice", "xla", "allocation 0: size 8, t:\n value: <1 a @0> (size=8,offset=0): f32[2]\n|BufferLiveRange:\n a{}:1-4\n a:1-4\n", "a{}");
    row("xla: many steps", "xla", "allocation 0: size 8, t:\n value: <1 a @0> (size=8,offset=0): f32[2]\n|BufferLiveRange:\n a{}:1-99999999\n", "step 99999999 is larger");
}

Result<ForeignPlan> readAs(const QString& format, const QByteArray& content)
{
    const std::string whole = content.toStdString();
    if (format == "vela")
        return planFromVela(whole, "file");
    if (format == "csv")
        return planFromCsv(whole, "file");
    const std::size_t middle = std::min(whole.find('|'), whole.size());
    return planFromXla(whole.substr(0, middle), middle < whole.size() ? whole.substr(middle + 1) : "", "file");
}

void TestPlanImport::hostileFiles()
{
    QFETCH(QString, format);
    QFETCH(QByteArray, content);
    QFETCH(QString, message);
    const auto plan = readAs(format, content);
    QVERIFY(!plan);
    QVERIFY2(text(plan.error()).contains(message), qPrintable(text(plan.error())));
    QVERIFY(text(plan.error()).startsWith("file: "));
    QVERIFY(!text(plan.error()).contains('\n'));
}

void TestPlanImport::damagedFilesNeverCrash()
{
    const auto graph = squeezeNet11();
    const auto outcome = planned(graph, {}, "greedy-by-size");
    const std::pair<QString, std::string> files[] = {{"csv", planToCsv(*outcome)}, {"vela", good(planToVela(*outcome))}, {"vela", kVela}, {"xla", std::string(kAssignment) + "|" + kRanges}};
    static constexpr char kBytes[] = "0123456789-:,@<>{}() x\n\xff";
    Random random(7);
    int readable = 0;
    for (int round = 0; round < 2000; ++round) {
        const auto& [format, content] = files[round % 4];
        std::string damaged = content;
        for (std::int64_t i = random.below(3); i >= 0; --i) {
            const auto at = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(damaged.size())));
            if (random.chance(0.5))
                damaged[at] = kBytes[random.below(sizeof kBytes - 1)];
            else if (random.chance(0.5))
                damaged.erase(at, static_cast<std::size_t>(random.below(50)));
            else
                damaged.insert(at, 1, kBytes[random.below(sizeof kBytes - 1)]);
        }
        const auto plan = readAs(format, QByteArray::fromStdString(damaged));
        if (!plan)
            continue;
        ++readable;
        if (plan->document.problem.stepCount > 100'000)
            continue; // read, and its operators would take the test's time
        if (const auto alone = planAlone(*plan, shortSearch(50))) {
            planToCsv(**alone);
            QVERIFY(planToVela(**alone).hasValue());
            QVERIFY(planToTrace(**alone).hasValue());
        }
        if (round % 50 == 0)
            static_cast<void>(attachForeignPlan(*plan, graph));
    }
    QVERIFY2(readable > 100, QByteArray::number(readable));
}

void TestPlanImport::sparseFilesEndSoon()
{
    QTemporaryDir dir;
    for (const char* name : {"a.csv", "a.vela.txt", "a.json", "a-live-range.txt", "a"}) {
        QFile file(dir.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.resize(qint64(1) << 30));
        file.close();
        const auto plan = importPlan(dir.filePath(name).toStdString());
        QVERIFY(!plan);
        QVERIFY2(!text(plan.error()).contains('\n'), qPrintable(text(plan.error())));
        QVERIFY(file.remove());
    }
}

void TestPlanImport::listsWithoutEndAreBounded()
{
    std::string csv = "id,lower,upper,size,offset\n";
    for (int i = 0; i <= 1 << 20; ++i)
        csv += std::to_string(i) + ",0,1,1,0\n";
    const auto plan = planFromCsv(csv, "endless.csv");
    QVERIFY(!plan);
    QCOMPARE(text(plan.error()), QString("endless.csv: The list of buffers is larger than the limit of 1048576. Make it smaller or split it."));
    std::string vela = "Start Time - End Time: Start Addr - End Addr: Tensor Size: Memory Usage: Name\n";
    for (int i = 0; i <= 1 << 20; ++i)
        vela += "0 - 0: 0x0 - 0x1: 1: 1: x\n"; // all one buffer, of which no list of names may grow without end
    QCOMPARE(planFromVela(vela, "endless.txt").error().code, ErrorCode::TooLarge);
}

QTEST_GUILESS_MAIN(TestPlanImport)
#include "tst_plan_import.moc"
