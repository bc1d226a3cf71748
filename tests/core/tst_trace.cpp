// SPDX-License-Identifier: MIT
#include "support/problems.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <arenascope/study.h>
#include <arenascope/trace.h>

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

std::shared_ptr<const Study> studyOf(std::shared_ptr<const Graph> graph, AliasMode alias = AliasMode::None, Bytes alignment = 1)
{
    StudyOptions options;
    options.alias = alias;
    options.problem.alignment = alignment;
    return *makeStudy(std::move(graph), options);
}

std::string text(const Study& study, const TraceStep& step)
{
    const auto nameOf = [&study](BufferId id) { return study.problem.buffer(id).name; };
    std::string all;
    for (const TraceEvent& event : step.events) {
        const std::string range = "[" + std::to_string(event.begin) + "," + std::to_string(event.end) + ")";
        const std::string side = event.side == PingPongSide::First ? "1" : event.side == PingPongSide::Second ? "2" : "";
        all += all.empty() ? "" : " ";
        switch (event.kind) {
        case EventKind::Allocate: all += "alloc" + side + ":" + nameOf(event.buffer) + range; break;
        case EventKind::Reuse: all += "reuse" + side + ":" + nameOf(event.buffer) + "<" + nameOf(event.other) + range; break;
        case EventKind::Read: all += "read" + side + ":" + study.graph->tensor(event.tensor).name + range; break;
        case EventKind::Write: all += "write" + side + ":" + study.graph->tensor(event.tensor).name + range; break;
        case EventKind::Free: all += "free" + side + ":" + nameOf(event.buffer) + range; break;
        }
    }
    return all;
}

} // namespace

class TestTrace : public QObject {
    Q_OBJECT

private slots:
    void aChainStepByStep();
    void viewsAreReadInPlace();
    void reuseNamesEveryPreviousOwner();
    void agreesWithTheProfile();
    void plansWithHolesAreTraced();
    void aliveIsLargestFirst();
};

void TestTrace::aChainStepByStep()
{
    // x 2 | a 10 | b 1 | c 9: first memory [0,10) for a and c, second [10,19) for b, the input above.
    const auto study = studyOf(textGraph(R"(
        in: x 2
        x -> Conv A -> a 10
        a -> Conv B -> b 1
        b -> Conv C -> c 9
        out: c
    )"));
    const auto outcome = *planStudy(study, "pingpong");
    const Trace trace = makeTrace(*study->graph, study->schedule, study->problem, outcome->plan);
    QCOMPARE(trace.steps.size(), std::size_t(3));
    QCOMPARE(text(*study, trace.steps[0]), std::string("alloc:x[19,21) alloc1:a[0,10) read:x[19,21) write1:a[0,10) free:x[19,21)"));
    QCOMPARE(text(*study, trace.steps[1]), std::string("alloc2:b[10,11) read1:a[0,10) write2:b[10,11) free1:a[0,10)"));
    QCOMPARE(text(*study, trace.steps[2]),
             std::string("alloc1:c[0,9) reuse1:c<a[0,9) read2:b[10,11) write1:c[0,9) free2:b[10,11) free1:c[0,9)"));
    QCOMPARE(trace.steps[0].liveBytes, Bytes(12));
    QCOMPARE(trace.steps[1].liveBytes, Bytes(11));
    QCOMPARE(trace.steps[2].liveBytes, Bytes(10));
    QCOMPARE(trace.steps[0].arenaTop, Offset(21));
    QCOMPARE(trace.steps[1].arenaTop, Offset(11));
    QCOMPARE(trace.steps[2].arenaTop, Offset(11));
    QCOMPARE(trace.peakBytes, Bytes(12));
    QCOMPARE(trace.peakStep, Step(0));
    QCOMPARE(study->graph->op(trace.steps[1].op).name, std::string("B"));
}

void TestTrace::viewsAreReadInPlace()
{
    const auto study = studyOf(textGraph(R"(
        in: x 4
        x -> Conv A    -> a 4
        a -> Reshape V -> v 4
        v, v -> Add B  -> b 4
        out: b
    )"), AliasMode::Views);
    const auto outcome = *planStudy(study, "naive");
    const Trace trace = makeTrace(*study->graph, study->schedule, study->problem, outcome->plan);
    QCOMPARE(text(*study, trace.steps[1]), std::string("read:a[4,8) write:v[4,8)"));
    QCOMPARE(text(*study, trace.steps[2]), std::string("alloc:b[8,12) read:v[4,8) write:b[8,12) free:a[4,8) free:b[8,12)"));
}

void TestTrace::reuseNamesEveryPreviousOwner()
{
    const auto study = studyOf(textGraph(R"(
        in: x 4
        x -> Split A -> a 4, b 4
        a, b -> Concat B -> c 8
        c -> Conv C -> d 8
        out: d
    )"));
    Plan plan;
    for (const Offset offset : {16, 0, 4, 8, 2})
        plan.placements.push_back({offset, RegionId(0), {}, {}});
    plan.arenaSize = 20;
    const Trace trace = makeTrace(*study->graph, study->schedule, study->problem, plan);
    QVERIFY(text(*study, trace.steps[2]).starts_with("alloc:d[2,10) reuse:d<a[2,4) reuse:d<b[4,8) reuse:d<c[8,10) read:c[8,16)"));
}

void TestTrace::agreesWithTheProfile()
{
    RandomGraphOptions options;
    options.operators = 40;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto study = studyOf(randomGraph(seed, options), AliasMode::InPlace, seed % 2 == 0 ? 1 : 16);
        const auto outcome = *planStudy(study, "auto");
        const Trace trace = makeTrace(*study->graph, study->schedule, study->problem, outcome->plan);
        QCOMPARE(trace.peakBytes, study->profile.peak);
        QCOMPARE(trace.peakStep, study->profile.peakStep);
        std::int64_t allocated = 0;
        std::int64_t freed = 0;
        for (std::size_t i = 0; i < trace.steps.size(); ++i) {
            QCOMPARE(trace.steps[i].liveBytes, study->profile.liveBytes[i]);
            QVERIFY(trace.steps[i].arenaTop <= outcome->plan.arenaSize);
            QVERIFY(trace.steps[i].arenaTop >= trace.steps[i].liveBytes);
            EventKind last = EventKind::Allocate;
            for (const TraceEvent& event : trace.steps[i].events) {
                const EventKind kind = event.kind == EventKind::Reuse ? EventKind::Allocate : event.kind;
                QVERIFY(kind >= last);
                last = kind;
                allocated += event.kind == EventKind::Allocate;
                freed += event.kind == EventKind::Free;
            }
        }
        QCOMPARE(allocated, static_cast<std::int64_t>(study->problem.buffers.size()));
        QCOMPARE(freed, allocated);
    }
}

void TestTrace::plansWithHolesAreTraced()
{
    const auto study = studyOf(randomGraph(3));
    Plan plan = (*planStudy(study, "naive"))->plan;
    plan.placements.pop_back();
    plan.placements.front().region = RegionId(9);
    plan.placements[1].offset = std::numeric_limits<Offset>::max();
    const Trace trace = makeTrace(*study->graph, study->schedule, study->problem, plan);
    QCOMPARE(trace.steps.size(), study->schedule.order.size());
    QCOMPARE(makeTrace(*study->graph, study->schedule, study->problem, Plan{}).peakBytes, Bytes(0));
}

void TestTrace::aliveIsLargestFirst()
{
    const PlacementProblem problem = problemOf({{0, 2, 5}, {1, 3, 9}, {1, 2, 5}, {2, 4, 7}});
    QCOMPARE(buffersAliveAt(problem, 1), (std::vector<BufferId>{BufferId(1), BufferId(0), BufferId(2)}));
    QCOMPARE(buffersAliveAt(problem, 3), (std::vector<BufferId>{BufferId(3)}));
    QVERIFY(buffersAliveAt(problem, 4).empty());
}

QTEST_APPLESS_MAIN(TestTrace)
#include "tst_trace.moc"
