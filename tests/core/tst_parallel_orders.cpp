// SPDX-License-Identifier: MIT
// Plans for concurrency parallel in other orders of the operators and with operators side by side; plans for one order fail.
#include "support/byte_machine.h"
#include "support/interleave.h"
#include "support/parallel.h"
#include "support/parts_graph.h"
#include "support/problems.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

namespace {

/// Clashes that a walk in another order sees, whatever the problem says of concurrency.
std::int64_t clashesInOrder(const PlanOutcome& outcome, const Schedule& order)
{
    PlacementProblem problem = outcome.study->problem;
    problem.concurrency = Concurrency::Sequential;
    return replayPlan(*outcome.study->graph, order, problem, outcome.plan).clashCount;
}

} // namespace

class TestParallelOrders : public QObject {
    Q_OBJECT

private slots:
    void anyOrderOfAnyPlan();
    void sequentialPlansFailInOtherOrders();
    void partsInAnyOrder();
    void operatorsAtTheSameTime();
    void racesAreJustWhatSomeOrderShows();
};

void TestParallelOrders::anyOrderOfAnyPlan()
{
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const auto study = *makeStudy(randomGraph(seed, broadGraph(seed)), optionsFor(seed, Concurrency::Parallel));
        const std::string strategy = kHonouring[seed % kHonouring.size()];
        const auto outcome = planStudy(study, strategy, shortSearch());
        if (!outcome && outcome.error().code == ErrorCode::Unsupported)
            continue;
        QVERIFY2((*outcome)->isValid(), qPrintable(QString("seed %1").arg(seed)));
        for (std::uint64_t other = 0; other < 12; ++other) {
            const Schedule order = randomOrder(*study->graph, seed * 100 + other);
            QVERIFY2(clashesInOrder(**outcome, order) == 0, qPrintable(QString("seed %1, order %2").arg(seed).arg(other)));
        }
    }
}

void TestParallelOrders::sequentialPlansFailInOtherOrders()
{
    int failing = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const auto study = *makeStudy(randomGraph(seed, broadGraph(seed)), optionsFor(seed, Concurrency::Sequential));
        const auto outcome = planStudy(study, "greedy-by-size");
        bool fails = false;
        for (std::uint64_t other = 0; other < 12; ++other)
            fails = fails || clashesInOrder(**outcome, randomOrder(*study->graph, seed * 100 + other)) > 0;
        failing += fails;
    }
    QVERIFY2(failing > 20, qPrintable(QString::number(failing)));
}

void TestParallelOrders::partsInAnyOrder()
{
    int elided = 0;
    int failing = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const auto graph = partsGraph(seed, 4 + static_cast<int>(seed % 20));
        for (const Concurrency concurrency : {Concurrency::Parallel, Concurrency::Sequential}) {
            StudyOptions options = optionsOf(AliasMode::All, concurrency);
            options.problem.alignment = seed % 2 == 0 ? 4 : 1;
            const auto study = *makeStudy(graph, options);
            const auto outcome = planStudy(study, "greedy-by-size");
            QVERIFY(outcome && (*outcome)->isValid());
            elided += concurrency == Concurrency::Parallel && !study->aliases.elisions.empty();
            bool isGood = true;
            for (std::uint64_t other = 0; other < 8; ++other) {
                Study reordered = *study;
                reordered.schedule = randomOrder(*graph, seed * 100 + other);
                isGood = isGood && ByteMachine(reordered, study->problem, (*outcome)->plan).runs()
                    && clashesInOrder(**outcome, reordered.schedule) == 0;
            }
            QVERIFY2(isGood || concurrency == Concurrency::Sequential, qPrintable(QString("seed %1").arg(seed)));
            failing += !isGood;
        }
    }
    QVERIFY2(elided > 40 && failing > 20, qPrintable(QString("%1 %2").arg(elided).arg(failing)));
}

void TestParallelOrders::operatorsAtTheSameTime()
{
    int failing = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const auto graph = randomGraph(seed, broadGraph(seed));
        for (const Concurrency concurrency : {Concurrency::Parallel, Concurrency::Sequential}) {
            const auto study = *makeStudy(graph, optionsFor(seed, concurrency));
            const auto outcome = planStudy(study, "greedy-by-size");
            bool isGood = true;
            for (std::uint64_t run = 0; run < 12; ++run)
                isGood = isGood && SideBySide(*study, (*outcome)->plan, seed * 100 + run).runs();
            QVERIFY2(isGood || concurrency == Concurrency::Sequential, qPrintable(QString("seed %1").arg(seed)));
            failing += !isGood;
        }
    }
    QVERIFY2(failing > 40, qPrintable(QString::number(failing)));
}

void TestParallelOrders::racesAreJustWhatSomeOrderShows()
{
    int racing = 0;
    int shown = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const auto study = *makeStudy(randomGraph(seed, broadGraph(seed)), optionsFor(seed, Concurrency::Sequential));
        const auto outcome = planStudy(study, "greedy-by-size");
        PlacementProblem problem = study->problem;
        problem.concurrency = Concurrency::Parallel; // the plan was made for a schedule
        const bool races = !replayPlan(*study->graph, study->schedule, problem, (*outcome)->plan).isValid();
        bool isShown = false;
        for (std::uint64_t run = 0; run < 60 && !isShown; ++run)
            isShown = !SideBySide(*study, (*outcome)->plan, seed * 100 + run).runs();
        QVERIFY2(races || !isShown, qPrintable(QString("seed %1").arg(seed)));
        racing += races;
        shown += isShown;
    }
    // Some races take luck to be seen; most do not.
    QVERIFY2(racing > 60 && shown * 10 >= racing * 8, qPrintable(QString("%1 of %2").arg(shown).arg(racing)));
}

QTEST_APPLESS_MAIN(TestParallelOrders)
#include "tst_parallel_orders.moc"
