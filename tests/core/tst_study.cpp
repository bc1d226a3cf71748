// SPDX-License-Identifier: MIT
#include <arenascope/study.h>

#include "support/names.h"
#include "support/parts_graph.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

#include <ctime>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::shared_ptr<const Study> studyOf(std::shared_ptr<const Graph> graph, const StudyOptions& options = {})
{
    auto study = makeStudy(std::move(graph), options);
    if (!study)
        qFatal("%s", describe(study.error()).c_str());
    return *std::move(study);
}

const char* const kResidual = R"(
    in: x 100
    x    -> Conv a   -> a 60
    a    -> Conv b   -> b 40
    b    -> Relu r   -> c 40
    c    -> Conv d   -> d 60
    d, a -> Add  sum -> e 60
    e    -> Relu out -> f 60
    out: f
)";

} // namespace

class TestStudy : public QObject {
    Q_OBJECT

private slots:
    void gathersEveryStage();
    void refusesUnknownStrategies();
    void passesErrorsOn();
    void plansAndProves();
    void tensorOffsetsFollowTheGroup();
    void gapOfNothingIsZero();
    void comparesOptions();
    void reportsProgressAndStops();
    void minPeakKnowsTheOptions();
    void minPeakIsNeverWorseThanOtherOrders();
    void takesLargeNetworks_data();
    void takesLargeNetworks();
};

void TestStudy::gathersEveryStage()
{
    const auto graph = textGraph(kResidual);
    const auto study = studyOf(graph, {.alias = AliasMode::InPlace, .problem = {.alignment = 1, .io = {false, true}}});
    QVERIFY(study->graph == graph);
    QCOMPARE(names(*graph, study->schedule.order), QString("a b r d sum out"));
    // Buffers: a; b and c; d, e and f.
    QCOMPARE(study->problem.buffers.size(), std::size_t(3));
    QCOMPARE(study->naive, Bytes(60 + 40 + 60));
    QCOMPARE(study->profile.peak, Bytes(60 + 40 + 60)); // while d runs
    QCOMPARE(study->profile.peakStep, Step(3));
    QCOMPARE(study->branches.branches.size(), std::size_t(2)); // the fork a ends the first
    QCOMPARE(names(*graph, study->cuts.forks), QString("a"));
    QVERIFY(!study->bufferOf[graph->findTensor("x").index()].isValid());
    QCOMPARE(study->bufferOf[graph->findTensor("b").index()], study->bufferOf[graph->findTensor("c").index()]);
    QCOMPARE(study->problem.buffer(study->bufferOf[graph->findTensor("f").index()]).name, std::string("d"));
}

void TestStudy::refusesUnknownStrategies()
{
    const auto outcome = planStudy(studyOf(chainGraph(3)), "magic");
    QVERIFY(!outcome);
    QVERIFY(outcome.error().code == ErrorCode::UnknownName);
    const QString message = QString::fromStdString(describe(outcome.error()));
    for (const Planner* planner : planners())
        QVERIFY2(message.contains(text(planner->info().id)), qPrintable(message));
}


void TestStudy::passesErrorsOn()
{
    const auto unknown = makeStudy(textGraph("in: x 8\nx -> NonZero -> a\nout: a"), {});
    QVERIFY(!unknown && unknown.error().code == ErrorCode::UnknownShape);
    for (const ScheduleKind kind : {ScheduleKind::File, ScheduleKind::MinPeak}) {
        const auto odd = makeStudy(chainGraph(3), {.schedule = kind, .problem = {.alignment = 3}});
        QVERIFY(!odd && odd.error().code == ErrorCode::BadOption);
        const auto huge = makeStudy(textGraph("in: x 9223372036854775807\nx -> C -> a 9223372036854775807\nout: a"),
                                    {.schedule = kind, .problem = {.alignment = 1}});
        QVERIFY(!huge && huge.error().code == ErrorCode::SizeOverflow);
    }
}

void TestStudy::plansAndProves()
{
    const auto study = studyOf(textGraph(kResidual));
    for (const Planner* planner : planners()) {
        const auto outcome = planStudy(study, planner->info().id);
        QVERIFY2(outcome, planner->info().id.data());
        QVERIFY2((*outcome)->isValid(), planner->info().id.data());
        QVERIFY((*outcome)->optimalityGap() >= 0.0);
        QCOMPARE((*outcome)->study, study);
    }
}

void TestStudy::tensorOffsetsFollowTheGroup()
{
    const auto graph = textGraph(kResidual);
    const auto study = studyOf(graph, {.alias = AliasMode::InPlace, .problem = {.alignment = 64, .io = {false, true}}});
    const auto outcome = planStudy(study, "naive");
    QVERIFY(outcome);
    const auto offsetOf = [&](std::string_view name) { return tensorOffset(*study, (*outcome)->plan, graph->findTensor(name)); };
    QVERIFY(!offsetOf("x"));
    QVERIFY(offsetOf("a") && offsetOf("b") && offsetOf("d"));
    QVERIFY(offsetOf("b") == offsetOf("c"));
    QVERIFY(offsetOf("d") == offsetOf("e") && offsetOf("e") == offsetOf("f"));
    QVERIFY(offsetOf("a") != offsetOf("b") && offsetOf("b") != offsetOf("d") && offsetOf("a") != offsetOf("d"));
    QVERIFY(!tensorOffset(*study, Plan{}, graph->findTensor("a"))); // a plan of nothing places nothing
}

void TestStudy::gapOfNothingIsZero()
{
    const auto study = studyOf(textGraph("in: x 8\nx -> C -> a 0\nout: a"), {.problem = {.io = {false, true}}});
    const auto outcome = planStudy(study, "naive");
    QVERIFY(outcome);
    QCOMPARE((*outcome)->optimalityGap(), 0.0);
}

void TestStudy::comparesOptions()
{
    const StudyOptions base;
    QVERIFY(base == StudyOptions{});
    QList<StudyOptions> others(8, base);
    others[0].schedule = ScheduleKind::DepthFirst;
    others[1].alias = AliasMode::Views;
    others[2].branches.join = JoinRule::None;
    others[3].branches.style = BranchStyle::Path;
    others[4].problem.alignment = 16;
    others[5].problem.io.inputsInArena = false;
    others[6].problem.io.outputsInArena = false;
    others[7].problem.countWorkspace = true;
    for (const StudyOptions& other : others)
        QVERIFY(!(other == base));
}

void TestStudy::reportsProgressAndStops()
{
    double last = -1.0;
    bool isRising = true;
    const auto watch = [&](double fraction, std::string_view) {
        isRising = isRising && fraction >= last;
        last = fraction;
    };
    QVERIFY(makeStudy(chainGraph(10), {}, {}, watch));
    QVERIFY(isRising);
    QCOMPARE(last, 1.0);

    std::stop_source source;
    const auto stopAtFirst = [&](double, std::string_view) { source.request_stop(); };
    const auto stopped = makeStudy(chainGraph(10), {}, source.get_token(), stopAtFirst);
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
}

// What min-peak claims is what the profile of the study says, whatever counts.
void TestStudy::minPeakKnowsTheOptions()
{
    int proven = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 15, .inputs = 2, .nearness = 4, .viewChance = 0.3, .workspaceChance = 0.3});
        StudyOptions options{.schedule = ScheduleKind::MinPeak,
                             .alias = seed % 2 ? AliasMode::Views : AliasMode::None,
                             .problem = {.alignment = 16, .io = {seed % 3 != 0, seed % 5 != 0}, .countWorkspace = seed % 4 == 0}};
        const auto best = studyOf(graph, options);
        QCOMPARE(best->schedule.provenMinPeak, best->schedule.peakBound == best->profile.peak);
        proven += best->schedule.provenMinPeak;
        options.schedule = ScheduleKind::DepthFirst;
        QVERIFY(best->profile.peak <= studyOf(graph, options)->profile.peak);
    }
    QCOMPARE(proven, 120);
}

void TestStudy::minPeakIsNeverWorseThanOtherOrders()
{
    int better = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const bool hasParts = seed % 3 == 0;
        const auto graph = hasParts ? partsGraph(seed, 25) : randomGraph(seed, {.operators = 25, .nearness = 4, .inPlaceChance = 0.6});
        StudyOptions options{.schedule = ScheduleKind::MinPeak, .alias = hasParts ? AliasMode::All : AliasMode::InPlace, .problem = {.alignment = 1}};
        const auto best = studyOf(graph, options);
        QVERIFY(best->schedule.kind == ScheduleKind::MinPeak);
        QVERIFY(isTopological(*graph, best->schedule));
        QVERIFY(!best->schedule.provenMinPeak && best->schedule.peakBound == 0);
        for (const ScheduleKind kind : {ScheduleKind::File, ScheduleKind::DepthFirst}) {
            options.schedule = kind;
            const auto other = studyOf(graph, options);
            QVERIFY(best->profile.peak <= other->profile.peak);
            better += kind == ScheduleKind::File && best->profile.peak < other->profile.peak;
        }
    }
    QVERIFY(better > 30);
}

void TestStudy::takesLargeNetworks_data()
{
    QTest::addColumn<std::shared_ptr<const Graph>>("graph");
    QTest::addColumn<int>("alias");
    const auto inPlace = static_cast<int>(AliasMode::InPlace);
    QTest::newRow("a chain of 20,000") << chainGraph(20000) << static_cast<int>(AliasMode::None);
    QTest::newRow("a chain of 100,000 views and element-wise operators")
        << randomGraph(1, {.operators = 100000, .joinChance = 0.0, .farChance = 0.0, .viewChance = 0.5, .inPlaceChance = 1.0}) << inPlace;
    QTest::newRow("100,000 operators with skips and joins") << randomGraph(2, {.operators = 100000}) << inPlace;
    // One tensor that every operator reads.
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Undefined, {});
    builder.setBytes(x, 4);
    TensorId mask = builder.addSimple("Conv", {x}, "mask", 4);
    TensorId last = mask;
    for (int i = 0; i < 50000; ++i)
        last = builder.addSimple("Add", {last, mask}, "t" + std::to_string(i), 4);
    builder.addOutput(last);
    QTest::newRow("a mask that 50,000 operators read") << *std::move(builder).build() << inPlace;
}

void TestStudy::takesLargeNetworks()
{
    QFETCH(std::shared_ptr<const Graph>, graph);
    QFETCH(int, alias);
    const std::clock_t begin = std::clock();
    const auto study = studyOf(graph, {.alias = static_cast<AliasMode>(alias)});
    qInfo("makeStudy: %.3f s of CPU", static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    QCOMPARE(study->schedule.order.size(), graph->operators().size());
    QVERIFY(study->profile.peak > 0);
}

QTEST_APPLESS_MAIN(TestStudy)
#include "tst_study.moc"
