// SPDX-License-Identifier: MIT
#include "ui/views/axes.h"
#include "ui/views/time_axis.h"

#include <QSignalSpy>
#include <QtTest>

#include <random>

using namespace arenascope;
using namespace arenascope::ui;

class TstAxes : public QObject {
    Q_OBJECT
private slots:
    void stepsGoToColumnsAndBackExactly();
    void offsetsGoToHeightsAndBack();
    void byteTicksArePowersOfTwo();
    void stepTicksAreRoundNumbers();
    void zoomKeepsTheStepUnderThePointer();
    void rangeStaysInTheSchedule();
};

void TstAxes::stepsGoToColumnsAndBackExactly()
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const Step steps = 1 + static_cast<Step>(random() % 5000);
        const double first = static_cast<double>(random() % static_cast<unsigned>(steps)) * 0.37;
        const double last = first + 1.0 + static_cast<double>(random() % 4000) * 0.11;
        const TimeMap map = timeMapFor(QRectF(66.5, 10, 1 + random() % 2000, 100), first, last);
        for (Step step = 0; step < steps; step += 1 + steps / 50) {
            QCOMPARE(map.stepAt(map.x(static_cast<double>(step)), steps), step);
            QVERIFY(std::abs(map.step(map.x(static_cast<double>(step))) - static_cast<double>(step)) < 1e-6);
        }
    }
    const TimeMap map = timeMapFor(QRectF(0, 0, 100, 10), 0, 10);
    QCOMPARE(map.x(3), 30.0);
    QCOMPARE(map.stepAt(29.999, 10), Step(2));
    QCOMPARE(map.stepAt(30.0, 10), Step(3));
    QCOMPARE(map.stepAt(-5.0, 10), Step(0)); // beside the plot: the nearest step
    QCOMPARE(map.stepAt(500.0, 10), Step(9));
}

void TstAxes::offsetsGoToHeightsAndBack()
{
    const OffsetMap map = offsetMapFor(QRectF(0, 20, 10, 200), 0, 400);
    QCOMPARE(map.y(0), 220.0); // addresses grow upwards
    QCOMPARE(map.y(400), 20.0);
    QCOMPARE(map.y(100), 170.0);
    for (const double offset : {0.0, 1.0, 64.0, 399.0, 1e12})
        QVERIFY(std::abs(map.offset(map.y(offset)) - offset) <= 1e-9 * std::max(1.0, offset));
}

void TstAxes::byteTicksArePowersOfTwo()
{
    QCOMPARE(niceByteTicks(0, 1000, 4), (std::vector<double>{0, 256, 512, 768}));
    QCOMPARE(niceByteTicks(0, 3.0 * 1048576, 4), (std::vector<double>{0, 1048576, 2097152, 3145728}));
    QCOMPARE(niceByteTicks(100, 200, 10).front(), 112.0); // 16 apart
    QVERIFY(niceByteTicks(0, 9e18, 8).size() <= 8);
    QVERIFY(niceByteTicks(5, 1, 8).empty());
}

void TstAxes::stepTicksAreRoundNumbers()
{
    QCOMPARE(niceTicks(0, 22.9, 6), (std::vector<double>{0, 5, 10, 15, 20}));
    QCOMPARE(niceTicks(0, 2, 10), (std::vector<double>{0, 1, 2})); // no half steps
    QCOMPARE(niceTicks(0, 1e6, 5).size(), std::size_t(3));         // 0, 500,000, 1,000,000
}

void TstAxes::zoomKeepsTheStepUnderThePointer()
{
    TimeAxis axis;
    axis.setStepCount(100);
    QCOMPARE(axis.last(), 100.0);
    QSignalSpy changed(&axis, &TimeAxis::rangeChanged);
    axis.zoomAt(25, 4);
    QCOMPARE(changed.count(), 1);
    QCOMPARE(axis.last() - axis.first(), 25.0);
    QCOMPARE((25.0 - axis.first()) / (axis.last() - axis.first()), 0.25); // where it was
    QVERIFY(!axis.isFitted());
    axis.fitAll();
    QVERIFY(axis.isFitted());
}

void TstAxes::rangeStaysInTheSchedule()
{
    TimeAxis axis;
    axis.setStepCount(50);
    axis.setRange(-20, 10);
    QCOMPARE(axis.first(), 0.0);
    QCOMPARE(axis.last(), 30.0);
    axis.pan(1000);
    QCOMPARE(axis.last(), 50.0);
    axis.reveal(3, 5);
    QCOMPARE(axis.first(), 3.0);
    axis.zoomAt(3, 1e9);
    QCOMPARE(axis.last() - axis.first(), 2.0); // two steps are the least
    axis.setStepCount(0);
    QCOMPARE(axis.last(), 1.0);
}

QTEST_GUILESS_MAIN(TstAxes)
#include "tst_axes.moc"
