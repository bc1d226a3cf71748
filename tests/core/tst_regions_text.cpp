// SPDX-License-Identifier: MIT
#include <arenascope/regions.h>

#include <QtTest>

using namespace arenascope;

class TestRegionsText : public QObject {
    Q_OBJECT
private slots:
    void memoriesAreRead_data();
    void memoriesAreRead();
    void firstIsTheCheapest();
    void whatIsWrongIsNamed_data();
    void whatIsWrongIsNamed();
    void stackPutsOneMemoryOnTheOther();
    void oneMemoryIsNotMoved();
};

void TestRegionsText::memoriesAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("again");
    QTest::newRow("none") << "" << "";
    QTest::newRow("only blanks") << " ,, " << "";
    QTest::newRow("one without a limit") << "flash" << "flash";
    QTest::newRow("several, with commas and blanks") << "sram=256K,psram=8M  flash" << "sram=256K, psram=8M, flash";
    QTest::newRow("bytes stay exact") << "sram=262145" << "sram=262145";
    QTest::newRow("the largest unit that is exact") << "a=1024M, b=1536M, c=0" << "a=1G, b=1536M, c=0";
}

void TestRegionsText::memoriesAreRead()
{
    QFETCH(QString, text);
    QFETCH(QString, again);
    const auto regions = regionsFromText(text.toStdString());
    QVERIFY(regions);
    QCOMPARE(QString::fromStdString(regionsText(*regions)), again);
    const auto twice = regionsFromText(again.toStdString());
    QVERIFY(twice && *twice == *regions);
}

void TestRegionsText::firstIsTheCheapest()
{
    const auto regions = regionsFromText("sram=256K, psram");
    QVERIFY(regions && regions->size() == 2);
    QCOMPARE((*regions)[0].name, std::string("sram"));
    QCOMPARE(*(*regions)[0].capacity, Bytes(256 << 10));
    QVERIFY(!(*regions)[1].capacity);
    QVERIFY((*regions)[0].cost < (*regions)[1].cost);
}

void TestRegionsText::whatIsWrongIsNamed_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    QTest::newRow("no size") << "a=1K, b=lots" << "b=lots";
    QTest::newRow("no name") << "=4K" << "=4K";
    QTest::newRow("twice") << "a=1K, a=2K" << "a=2K";
    QTest::newRow("beyond 63 bits") << "a=9999999999G" << "a=9999999999G";
    QTest::newRow("empty size") << "a=" << "a=";
}

void TestRegionsText::whatIsWrongIsNamed()
{
    QFETCH(QString, text);
    QFETCH(QString, part);
    const auto regions = regionsFromText(text.toStdString());
    QVERIFY(!regions);
    QCOMPARE(regions.error().code, ErrorCode::BadOption);
    QCOMPARE(QString::fromStdString(regions.error().args.at(1)), part);
}

void TestRegionsText::stackPutsOneMemoryOnTheOther()
{
    Plan plan;
    plan.regionSizes = {100, 40, 7};
    plan.placements.resize(3);
    plan.placements[0].offset = 5;
    plan.placements[1].offset = 5;
    plan.placements[1].region = RegionId(1);
    plan.placements[2].region = RegionId(2);
    QCOMPARE(stackedOffset(plan, BufferId(0)), Offset(5));
    QCOMPARE(stackedOffset(plan, BufferId(1)), Offset(105));
    QCOMPARE(stackedOffset(plan, BufferId(2)), Offset(140));
    QCOMPARE(regionBase(plan, RegionId(0)), Offset(0));
}

void TestRegionsText::oneMemoryIsNotMoved()
{
    Plan plan;
    plan.placements.resize(1);
    plan.placements[0].offset = 64;
    QCOMPARE(stackedOffset(plan, BufferId(0)), Offset(64));
    plan.regionSizes = {128};
    QCOMPARE(stackedOffset(plan, BufferId(0)), Offset(64));
}

QTEST_APPLESS_MAIN(TestRegionsText)
#include "tst_regions_text.moc"
