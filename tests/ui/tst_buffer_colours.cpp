// SPDX-License-Identifier: MIT
#include "tests/support/tiny_plan.h"
#include "ui/buffer_colours.h"

#include <QtTest>

#include <random>

using namespace arenascope;
using namespace arenascope::ui;

class TstBufferColours : public QObject {
    Q_OBJECT
private slots:
    void neighboursOfTheTinyPlan();
    void neighboursNeverShareAColour();
    void pingPongTonesSayWhichMemory();
    void coloursStayWhileThePlanChanges();
    void keeperGivesTheSameToAll();
};

namespace {

/// Any plan will do: buffers at random, each at the lowest place that is free while it lives.
PlanOutcome randomOutcome(unsigned seed, int count)
{
    std::mt19937 random(seed);
    auto study = std::make_shared<Study>();
    study->graph = *test::TextGraph::parse("in: x 4\nx -> Relu -> y 4\nout: y\n");
    study->bufferOf.assign(study->graph->tensors().size(), BufferId());
    study->schedule.order = {OpId(0)};
    study->schedule.stepOf = {0};
    study->branches.branchOf = {BranchId(0)};
    study->branches.unitOf = {0};
    study->branches.branches.push_back({});
    study->branches.branches[0].units.push_back({{OpId(0)}, {}, 4, PingPongSide::None});
    PlanOutcome outcome;
    for (int i = 0; i < count; ++i) {
        Buffer buffer;
        buffer.name = "b" + std::to_string(i);
        buffer.size = 1 + static_cast<Bytes>(random() % 40);
        buffer.live.begin = static_cast<Step>(random() % static_cast<unsigned>(count));
        buffer.live.end = buffer.live.begin + 1 + static_cast<Step>(random() % 12);
        Placement placement;
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t other = 0; other < study->problem.buffers.size(); ++other) {
                const Buffer& o = study->problem.buffers[other];
                const Offset low = outcome.plan.placements[other].offset;
                if (o.live.meets(buffer.live) && placement.offset < low + o.size && low < placement.offset + buffer.size) {
                    placement.offset = low + o.size;
                    moved = true;
                }
            }
        }
        study->problem.buffers.push_back(buffer);
        outcome.plan.placements.push_back(placement);
    }
    study->problem.alignment = 1;
    outcome.study = study;
    return outcome;
}

} // namespace

void TstBufferColours::neighboursOfTheTinyPlan()
{
    // step 0: x below a; step 1: a below b; step 2: y below b with a gap; y takes over the bytes of x
    const auto outcome = test::tinyOutcome();
    const auto id = [&](const char* name) { return test::bufferNamed(*outcome, name); };
    std::vector<std::pair<BufferId, BufferId>> expected{{id("x"), id("a")}, {id("a"), id("b")}, {id("b"), id("y")}, {id("x"), id("y")}};
    for (auto& [a, b] : expected) {
        if (b < a)
            std::swap(a, b);
    }
    std::sort(expected.begin(), expected.end());
    QCOMPARE(arenaNeighbours(outcome->study->problem, outcome->plan), expected);
}

void TstBufferColours::neighboursNeverShareAColour()
{
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const PlanOutcome outcome = randomOutcome(seed, 250);
        const BufferColours colours = bufferColours(outcome);
        for (const auto& [a, b] : arenaNeighbours(outcome.study->problem, outcome.plan))
            QVERIFY(!(colours.buffers[a.index()] == colours.buffers[b.index()]));
        QCOMPARE(bufferColours(outcome).buffers, colours.buffers); // same input, same colours
    }
}

void TstBufferColours::pingPongTonesSayWhichMemory()
{
    const auto graph = test::TextGraph::parse("in: x 64\nx -> Conv -> a 640\na -> Conv -> b 64\nb -> Conv -> c 128\nout: c\n");
    const auto study = makeStudy(*graph, StudyOptions{});
    const auto outcome = planStudy(*study, "pingpong");
    QVERIFY(outcome.hasValue());
    const BufferColours colours = bufferColours(**outcome);
    QVERIFY(colours.isPingPong);
    const auto keyOf = [&](const char* name) { return colours.buffers[(*study)->bufferOf[(*graph)->findTensor(name).index()].index()]; };
    QCOMPARE(keyOf("a").tone, 1); // the largest: first memory, dark
    QCOMPARE(keyOf("b").tone, 2);
    QCOMPARE(keyOf("c").tone, 1);
    QCOMPARE(keyOf("a").hue, keyOf("b").hue); // one branch
    QCOMPARE(keyOf("x").hue, -1);             // a network input lies beside the memories
    QVERIFY(colours.designated[(*graph)->tensor((*graph)->findTensor("a")).producer.index()]);
    QVERIFY(!colours.designated[(*graph)->tensor((*graph)->findTensor("b")).producer.index()]);
}

void TstBufferColours::coloursStayWhileThePlanChanges()
{
    const PlanOutcome before = randomOutcome(5, 120);
    PlanOutcome after = before;
    after.plan.placements.back().offset += 5000; // one buffer moved away from all others
    const BufferColours old = bufferColours(before);
    const BufferColours fresh = bufferColours(after, &old, &before);
    int changed = 0;
    for (std::size_t i = 0; i < old.buffers.size(); ++i)
        changed += old.buffers[i] == fresh.buffers[i] ? 0 : 1;
    QVERIFY2(changed <= 3, qPrintable(QString::number(changed)));
}

void TstBufferColours::keeperGivesTheSameToAll()
{
    QObject document;
    const auto outcome = test::tinyOutcome();
    const auto one = ColourKeeper::of(&document)->coloursOf(outcome);
    QCOMPARE(ColourKeeper::of(&document), ColourKeeper::of(&document));
    QCOMPARE(ColourKeeper::of(&document)->coloursOf(outcome).get(), one.get());
    QVERIFY(ColourKeeper::of(&document)->coloursOf(nullptr)->buffers.empty());
}

QTEST_GUILESS_MAIN(TstBufferColours)
#include "tst_buffer_colours.moc"
