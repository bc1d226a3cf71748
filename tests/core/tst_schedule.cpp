// SPDX-License-Identifier: MIT
#include <arenascope/schedule.h>

#include "support/names.h"
#include "support/random_graph.h"
#include "support/text_graph.h"

#include <QTest>

using namespace arenascope;
using namespace arenascope::test;

class TestSchedule : public QObject {
    Q_OBJECT

private slots:
    void orders_data();
    void orders();
    void refusesBadOrders_data();
    void refusesBadOrders();
    void acceptsEveryTopologicalOrder();
    void isTopologicalOnRandomGraphs();
    void keepsTheOrderOfSortedFiles();
    void stopsOnRequest();
    void namesRoundTrip();
};

void TestSchedule::orders_data()
{
    QTest::addColumn<QString>("picture");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QString>("order");
    const auto row = [](const char* name, const char* picture, ScheduleKind kind, const char* order) {
        QTest::newRow(name) << QString(picture) << static_cast<int>(kind) << QString(order);
    };

    // Two arms of a fork, written alternately.
    const char* inception = R"(
        in: x 8
        x    -> Conv stem -> s 4
        s    -> Conv a1   -> a 4
        s    -> Conv b1   -> b 4
        a    -> Conv a2   -> c 4
        b    -> Conv b2   -> d 4
        c, d -> Add  join -> e 4
        out: e
    )";
    row("file order is kept where it is topological", inception, ScheduleKind::File, "stem a1 b1 a2 b2 join");
    row("depth-first finishes an arm before the next", inception, ScheduleKind::DepthFirst, "stem a1 a2 b1 b2 join");

    const char* unsorted = R"(
        in: x 8
        b    -> Conv third  -> c 4
        a    -> Conv second -> b 4
        x    -> Conv first  -> a 4
        x    -> Conv side   -> d 4
        c, d -> Add  join   -> e 4
        out: e
    )";
    // Ready at once: first and side. After first, second (index 1) is smaller than side (index 3), then third (index 0).
    row("an unsorted file: always the smallest index that is ready", unsorted, ScheduleKind::File,
        "first second third side join");
    row("depth-first does not mind the file's order", unsorted, ScheduleKind::DepthFirst, "first second third side join");

    const char* captured = R"(
        in: x 8
        x     -> Conv early -> a 4
        x | b -> If   body  -> c 4
        a     -> Conv late  -> b 4
        out: c
    )";
    row("what a body captures runs before it", captured, ScheduleKind::File, "early late body");

    const char* independent = R"(
        in: x 8
        x -> Conv a1 -> a 4
        x -> Conv b1 -> b 4
        a -> Conv a2 -> c 4
        b -> Conv b2 -> d 4
        out: c, d
    )";
    row("depth-first begins with the first source", independent, ScheduleKind::DepthFirst, "a1 a2 b1 b2");
}

void TestSchedule::orders()
{
    QFETCH(QString, picture);
    QFETCH(int, kind);
    QFETCH(QString, order);
    const auto graph = textGraph(picture.toStdString());
    const Schedule made = test::schedule(*graph, static_cast<ScheduleKind>(kind));
    QCOMPARE(names(*graph, made.order), order);
    QVERIFY(isTopological(*graph, made));
    for (Step step = 0; step < made.stepCount(); ++step)
        QCOMPARE(made.stepOf[made.order[static_cast<std::size_t>(step)].index()], step);
}

void TestSchedule::refusesBadOrders_data()
{
    QTest::addColumn<QList<int>>("order");
    QTest::newRow("too short") << QList<int>{0, 1};
    QTest::newRow("too long") << QList<int>{0, 1, 2, 2};
    QTest::newRow("one operator twice") << QList<int>{0, 1, 1};
    QTest::newRow("an operator that does not exist") << QList<int>{0, 1, 3};
    QTest::newRow("an invalid id") << QList<int>{0, 1, -1};
    QTest::newRow("a reader before its writer") << QList<int>{1, 0, 2};
}

void TestSchedule::refusesBadOrders()
{
    QFETCH(QList<int>, order);
    const auto graph = textGraph("in: x 4\nx -> A -> a 4\na -> B -> b 4\nx -> C -> c 4");
    std::vector<OpId> ids;
    for (const int value : order)
        ids.push_back(OpId(value));
    const auto schedule = scheduleFromOrder(*graph, ids);
    QVERIFY(!schedule);
    QVERIFY(schedule.error().code == ErrorCode::InvalidPlan);
}

void TestSchedule::acceptsEveryTopologicalOrder()
{
    const auto graph = textGraph("in: x 4\nx -> A -> a 4\na -> B -> b 4\nx -> C -> c 4");
    const std::vector<std::vector<OpId>> good = {{OpId(0), OpId(1), OpId(2)}, {OpId(0), OpId(2), OpId(1)}, {OpId(2), OpId(0), OpId(1)}};
    for (const auto& order : good) {
        const auto schedule = scheduleFromOrder(*graph, order);
        QVERIFY(schedule);
        QVERIFY(schedule->order == order);
    }
}

void TestSchedule::isTopologicalOnRandomGraphs()
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 30, .inputs = 2, .shuffled = seed % 2 == 0});
        for (const ScheduleKind kind : {ScheduleKind::File, ScheduleKind::DepthFirst, ScheduleKind::MinPeak})
            QVERIFY(isTopological(*graph, test::schedule(*graph, kind)));
    }
}

void TestSchedule::keepsTheOrderOfSortedFiles()
{
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto graph = randomGraph(seed, {.operators = 40});
        const Schedule made = test::schedule(*graph);
        for (std::size_t i = 0; i < made.order.size(); ++i)
            QCOMPARE(made.order[i], OpId::fromIndex(i));
    }
}

void TestSchedule::stopsOnRequest()
{
    std::stop_source source;
    source.request_stop();
    const auto graph = chainGraph(3);
    const auto schedule = makeSchedule(*graph, ScheduleKind::File, source.get_token());
    QVERIFY(!schedule && schedule.error().code == ErrorCode::Cancelled);
}

void TestSchedule::namesRoundTrip()
{
    for (const ScheduleKind kind : {ScheduleKind::File, ScheduleKind::DepthFirst, ScheduleKind::MinPeak})
        QVERIFY(scheduleFromName(scheduleName(kind)) == kind);
    QVERIFY(!scheduleFromName("fastest"));
}

QTEST_APPLESS_MAIN(TestSchedule)
#include "tst_schedule.moc"
