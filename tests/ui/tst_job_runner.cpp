// SPDX-License-Identifier: MIT
#include "ui/job_runner.h"

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <atomic>
#include <semaphore>

using namespace arenascope::ui;

class TestJobRunner : public QObject {
    Q_OBJECT
private slots:
    void resultArrivesInThisThread();
    void workRunsElsewhere();
    void newerJobMakesOlderStale();
    void cancelledJobStillDelivers();
    void droppedJobDeliversNothing();
    void partialResultsArriveInOrderBeforeTheResult();
    void kindsDoNotDisturbEachOther();
    void progressIsThrottled();
    void destructionEndsRunningJobs();
    void destructionDeliversNothing();
    void snapshotsAreFreedElsewhere();
    void jobMayStartItsSuccessor();
};

namespace {

// Work that ends only when it is asked to.
bool waitForStop(const JobContext& context)
{
    while (!context.stop.stop_requested())
        QThread::msleep(1);
    return true;
}

} // namespace

void TestJobRunner::resultArrivesInThisThread()
{
    JobRunner runner;
    QSignalSpy busy(&runner, &JobRunner::busyChanged);
    QThread* where = nullptr;
    int value = 0;
    runner.start(3, [](const JobContext&) { return 42; }, [&](int result) {
        value = result;
        where = QThread::currentThread();
    });
    QVERIFY(runner.isBusy(3));
    QTRY_VERIFY(!runner.isBusy(3));
    QCOMPARE(value, 42);
    QCOMPARE(where, thread());
    QTRY_COMPARE(busy.size(), 2);
    QCOMPARE(busy[0], (QVariantList { 3, true }));
    QCOMPARE(busy[1], (QVariantList { 3, false }));
}

void TestJobRunner::workRunsElsewhere()
{
    JobRunner runner;
    QThread* where = nullptr;
    runner.start(0, [](const JobContext&) { return QThread::currentThread(); }, [&](QThread* thread) { where = thread; });
    QTRY_VERIFY(where);
    QVERIFY(where != thread());
}

void TestJobRunner::newerJobMakesOlderStale()
{
    JobRunner runner;
    QStringList arrived;
    std::atomic<bool> oldStopped = false;
    runner.start(
        0,
        [&](const JobContext& context) {
            oldStopped = waitForStop(context);
            return QStringLiteral("old");
        },
        [&](const QString& text) { arrived << text; });
    runner.start(0, [](const JobContext&) { return QStringLiteral("new"); }, [&](const QString& text) { arrived << text; });
    QTRY_COMPARE(arrived, QStringList { QStringLiteral("new") });
    QTRY_VERIFY(oldStopped);
    QTest::qWait(20);
    QCOMPARE(arrived.size(), 1);
    QVERIFY(!runner.isBusy(0));
}

void TestJobRunner::cancelledJobStillDelivers()
{
    JobRunner runner;
    bool delivered = false;
    runner.start(0, [](const JobContext& context) { return waitForStop(context); }, [&](bool stopped) { delivered = stopped; });
    QVERIFY(!delivered);
    runner.cancel(0);
    QTRY_VERIFY(delivered);
    QVERIFY(!runner.isBusy(0));
}

void TestJobRunner::droppedJobDeliversNothing()
{
    JobRunner runner;
    bool delivered = false;
    std::atomic<bool> ended = false;
    runner.start(
        0, [&](const JobContext& context) { return ended = waitForStop(context); }, [&](bool) { delivered = true; });
    runner.drop(0);
    QVERIFY(!runner.isBusy(0));
    QTRY_VERIFY(ended);
    QTest::qWait(20);
    QVERIFY(!delivered);
}

void TestJobRunner::partialResultsArriveInOrderBeforeTheResult()
{
    JobRunner runner;
    QList<int> arrived;
    runner.start(
        0,
        [&](const JobContext& context) {
            for (int i = 0; i < 5; ++i)
                context.post([&arrived, i] { arrived << i; });
            return 5;
        },
        [&](int last) { arrived << last; });
    QTRY_COMPARE(arrived.size(), 6);
    QCOMPARE(arrived, (QList<int> { 0, 1, 2, 3, 4, 5 }));
}

void TestJobRunner::kindsDoNotDisturbEachOther()
{
    JobRunner runner;
    int sum = 0;
    for (int kind = 0; kind < 6; ++kind)
        runner.start(kind, [kind](const JobContext& context) { return context.stop.stop_requested() ? 1000 : kind; }, [&](int value) { sum += value; });
    QTRY_COMPARE(sum, 15);
}

void TestJobRunner::progressIsThrottled()
{
    JobRunner runner;
    QSignalSpy progress(&runner, &JobRunner::progressChanged);
    bool done = false;
    runner.start(
        0,
        [](const JobContext& context) {
            // Far more calls than may be seen, in far less than one interval each.
            for (int i = 0; i < 100'000; ++i)
                context.progress(i / 100'000.0, "counting");
            return true;
        },
        [&](bool) { done = true; });
    QTRY_VERIFY(done);
    QVERIFY(progress.size() >= 1);
    QVERIFY2(progress.size() < 1000, qPrintable(QString::number(progress.size())));
    QCOMPARE(progress[0][2].toString(), QStringLiteral("counting"));
}

void TestJobRunner::destructionEndsRunningJobs()
{
    std::atomic<int> ended = 0;
    {
        JobRunner runner;
        for (int kind = 0; kind < 3; ++kind) {
            runner.start(
                kind,
                [&](const JobContext& context) {
                    waitForStop(context);
                    ++ended;
                    return true;
                },
                [](bool) {});
        }
    }
    QCOMPARE(ended.load(), 3);
}

void TestJobRunner::destructionDeliversNothing()
{
    bool delivered = false;
    {
        JobRunner runner;
        runner.start(0, [](const JobContext&) { return 1; }, [&](int) { delivered = true; });
    }
    QCoreApplication::processEvents();
    QVERIFY(!delivered);
}

void TestJobRunner::snapshotsAreFreedElsewhere()
{
    std::atomic<QThread*> where = nullptr;
    JobRunner runner;
    auto snapshot = std::shared_ptr<int>(new int(1), [&](int* value) {
        delete value;
        where = QThread::currentThread();
    });
    runner.dispose(std::move(snapshot));
    QTRY_VERIFY(where.load());
    QVERIFY(where.load() != thread());
}

void TestJobRunner::jobMayStartItsSuccessor()
{
    JobRunner runner;
    QSignalSpy busy(&runner, &JobRunner::busyChanged);
    int second = 0;
    runner.start(0, [](const JobContext&) { return 1; }, [&](int first) {
        runner.start(0, [first](const JobContext&) { return first + 1; }, [&](int value) { second = value; });
    });
    QTRY_COMPARE(second, 2);
    QTRY_VERIFY(!runner.isBusy(0));
    QCOMPARE(busy.last(), (QVariantList { 0, false }));
}

QTEST_GUILESS_MAIN(TestJobRunner)
#include "tst_job_runner.moc"
