// SPDX-License-Identifier: MIT
#include "tests/support/gui_fixture.h"
#include "tests/support/ui_graphs.h"
#include "ui/alternatives.h"

#include <QLabel>
#include <QPushButton>
#include <QTest>

using namespace arenascope;
using namespace arenascope::ui;

// The residual block of ui_graphs.h, alignment 1: 3000 bytes are alive at the Add. In place its sum takes over the bytes of
// an operand, and the peak is a, b and c: 2500. It joins no parts, so that `all` does no more; its order is the only one.
class TestSmallerStrip : public QObject, test::GuiFixture {
    Q_OBJECT
private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void changesEachOptionAlone();
    void whatIsChosenIsNotOffered_data();
    void whatIsChosenIsNotOffered();
    void stoppedGivesWhatIsDone();
    void provenByTheSearchAboveThePeak();
    void isWorkedOutOnlyWhenSeen();
    void showsAndAppliesABound();

private:
    using Change = Alternative::Change;
    QPushButton* button(Change change) const { return find<QPushButton>(qPrintable(QStringLiteral("smaller%1").arg(static_cast<int>(change)))); }
    static std::shared_ptr<const Study> study(StudyOptions options) { return *makeStudy(test::residualGraph(), options); }
};

void TestSmallerStrip::changesEachOptionAlone()
{
    const StudyOptions options = test::unaligned();
    const auto found = findAlternatives(*study(options));
    QCOMPARE(found.size(), std::size_t(3));
    QCOMPARE(found[0].change, Change::AliasInPlace);
    QCOMPARE(found[0].bound, std::optional<Bytes>(2500));
    QCOMPARE(found[1].change, Change::AliasAll);
    QCOMPARE(found[1].bound, std::optional<Bytes>(2500));
    QCOMPARE(found[2].change, Change::OrderMinPeak);
    QCOMPARE(found[2].bound, std::optional<Bytes>(3000));
    StudyOptions expected = options;
    expected.alias = AliasMode::InPlace;
    QVERIFY(found[0].options == expected);
    expected = options;
    expected.schedule = ScheduleKind::MinPeak;
    QVERIFY(found[2].options == expected);
}

void TestSmallerStrip::whatIsChosenIsNotOffered_data()
{
    QTest::addColumn<int>("alias");
    QTest::addColumn<int>("order");
    QTest::addColumn<QList<int>>("changes");
    const auto row = [](const char* name, AliasMode alias, ScheduleKind order, QList<Change> changes) {
        QList<int> numbers;
        for (const Change change : changes)
            numbers << static_cast<int>(change);
        QTest::newRow(name) << static_cast<int>(alias) << static_cast<int>(order) << numbers;
    };
    row("views", AliasMode::Views, ScheduleKind::File, { Change::AliasInPlace, Change::AliasAll, Change::OrderMinPeak });
    row("in place", AliasMode::InPlace, ScheduleKind::File, { Change::AliasAll, Change::OrderMinPeak });
    row("all", AliasMode::All, ScheduleKind::DepthFirst, { Change::OrderMinPeak });
    row("smallest peak", AliasMode::None, ScheduleKind::MinPeak, { Change::AliasInPlace, Change::AliasAll });
    row("everything", AliasMode::All, ScheduleKind::MinPeak, {});
}

void TestSmallerStrip::whatIsChosenIsNotOffered()
{
    QFETCH(int, alias);
    QFETCH(int, order);
    QFETCH(QList<int>, changes);
    StudyOptions options = test::unaligned();
    options.alias = static_cast<AliasMode>(alias);
    options.schedule = static_cast<ScheduleKind>(order);
    QList<int> found;
    for (const Alternative& alternative : findAlternatives(*study(options)))
        found << static_cast<int>(alternative.change);
    QCOMPARE(found, changes);
}

void TestSmallerStrip::stoppedGivesWhatIsDone()
{
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(findAlternatives(*study(test::unaligned()), stop.get_token()).empty());
}

void TestSmallerStrip::provenByTheSearchAboveThePeak()
{
    PlanOutcome outcome;
    outcome.study = study(test::unaligned());
    outcome.plan.arenaSize = 3200;
    outcome.plan.provenBound = 3000;
    QCOMPARE(provenBoundOf(outcome), 3000);
    QVERIFY(!isProvenSmallest(outcome));
    outcome.plan.provenBound = 3200;
    QCOMPARE(provenBoundOf(outcome), 3200);
    QVERIFY(isProvenSmallest(outcome));
    outcome.plan.provenBound = 0; // a strategy that knows nothing: the peak still holds
    QCOMPARE(provenBoundOf(outcome), 3000);
}

void TestSmallerStrip::isWorkedOutOnlyWhenSeen()
{
    Document* document = m_window->document();
    document->setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle());
    QVERIFY(document->alternatives().empty()); // the ladder is in front
    m_window->dock(QStringLiteral("peakDock"))->raise();
    QTRY_COMPARE(document->alternatives().size(), std::size_t(3));
}

void TestSmallerStrip::showsAndAppliesABound()
{
    Document* document = m_window->document();
    document->setStudyOptions(test::unaligned());
    document->setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle());
    m_window->dock(QStringLiteral("peakDock"))->raise();
    QTRY_COMPARE(document->alternatives().size(), std::size_t(3));
    QVERIFY(settle());
    QVERIFY2(find<QLabel>("smallerVerdict")->text().startsWith(QLatin1String("Proven smallest")), qPrintable(find<QLabel>("smallerVerdict")->text()));
    QVERIFY(button(Change::AliasInPlace)->isEnabled());
    QVERIFY2(button(Change::AliasInPlace)->text().contains(QLatin1String("17 %")), qPrintable(button(Change::AliasInPlace)->text()));
    QVERIFY(button(Change::AliasInPlace)->toolTip().contains(QLatin1String("2,500 bytes")));
    QVERIFY(!button(Change::OrderMinPeak)->isEnabled());
    QVERIFY(button(Change::OrderMinPeak)->text().endsWith(QLatin1String("no change")));

    QTest::mouseClick(button(Change::AliasInPlace), Qt::LeftButton);
    QCOMPARE(document->studyOptions().alias, AliasMode::InPlace);
    QVERIFY(settle());
    QCOMPARE(document->study()->profile.peak, 2500);
    QTRY_COMPARE(document->alternatives().size(), std::size_t(2));
    QVERIFY(!button(Change::AliasInPlace)->isVisible());
    QVERIFY(button(Change::AliasAll)->isVisible());
    QVERIFY(!button(Change::AliasAll)->isEnabled());
}

QTEST_MAIN(TestSmallerStrip)
#include "tst_smaller_strip.moc"
