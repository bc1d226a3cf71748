// SPDX-License-Identifier: MIT
#include "tests/support/gui_fixture.h"
#include "tests/support/hard_graph.h"
#include "tests/support/tiny_plan.h"
#include "ui/alternatives.h"
#include "ui/live_search.h"
#include "ui/panels/headline.h"

#include <QAbstractButton>
#include <QDoubleSpinBox>
#include <QSignalSpy>
#include <QTest>

using namespace arenascope;
using namespace arenascope::ui;

class TestLiveSearch : public QObject, test::GuiFixture {
    Q_OBJECT
private slots:
    void initTestCase();
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void onlyTheNewestPlanIsTaken();
    void plansArriveValidAndGetSmaller();
    void stopKeepsTheBestPlan();
    void theTimeBudgetEndsASearch();
    void whatIsProvenAtOnceShowsNoSearch();
    void anotherStrategyEndsTheSearch();
    void closingEndsTheSearch();
    void budgetIsKeptAndShown();
    void provenPlansAreNotSearchedAgain();

private:
    Document* document() const { return m_window->document(); }
    void search(double seconds)
    {
        document()->setStrategy(QStringLiteral("exact"));
        document()->setSearchSeconds(seconds);
        document()->setGraph(m_hard, QStringLiteral("hard"));
    }

    std::shared_ptr<const Graph> m_hard;
};

void TestLiveSearch::initTestCase()
{
    m_hard = test::hardGraph();
    QVERIFY2(m_hard, "the search has become too good for this test: make the networks harder");
}

void TestLiveSearch::onlyTheNewestPlanIsTaken()
{
    LiveSearch search({});
    QVERIFY(!search.take());
    Plan plan;
    plan.arenaSize = 300;
    search.offer(plan);
    plan.arenaSize = 200;
    search.offer(plan);
    const auto taken = search.take();
    QVERIFY(taken.has_value());
    QCOMPARE(taken->arenaSize, 200);
    QVERIFY(!search.take());
}

void TestLiveSearch::plansArriveValidAndGetSmaller()
{
    std::vector<std::shared_ptr<const PlanOutcome>> shown;
    connect(document(), &Document::outcomeChanged, this, [&] {
        if (document()->isSearching())
            shown.push_back(document()->outcome());
    });
    search(60);
    QTRY_VERIFY_WITH_TIMEOUT(!shown.empty(), 30'000);
    QVERIFY(document()->isBusy(Stage::Plan));
    document()->cancel(Stage::Plan);
    document()->cancel(Stage::Ladder);
    QVERIFY(settle());
    shown.push_back(document()->outcome());
    for (std::size_t i = 0; i < shown.size(); ++i) {
        QVERIFY(shown[i]->isValid());
        QVERIFY(shown[i]->plan.arenaSize >= provenBoundOf(*shown[i]));
        QVERIFY(i == 0 || shown[i]->plan.arenaSize <= shown[i - 1]->plan.arenaSize);
        QCOMPARE(shown[i]->study, document()->study());
    }
    QVERIFY(document()->trace());
}

void TestLiveSearch::stopKeepsTheBestPlan()
{
    search(60);
    auto* stop = find<QAbstractButton>("stopSearch");
    QVERIFY(!stop->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(document()->isSearching() && document()->outcome(), 30'000);
    QVERIFY(stop->isVisible());
    const Bytes before = document()->outcome()->plan.arenaSize;
    QTest::mouseClick(stop, Qt::LeftButton);
    document()->cancel(Stage::Ladder);
    QVERIFY(settle());
    QCOMPARE(document()->outcome()->plan.completion, Completion::Interrupted);
    QVERIFY(document()->outcome()->isValid());
    QVERIFY(document()->outcome()->plan.arenaSize <= before);
    QVERIFY(!document()->isSearching());
    QVERIFY(!stop->isVisible());
    const QString text = find<Headline>("headline")->text();
    QVERIFY2(text.contains(QLatin1String("stopped early")), qPrintable(text));
    QVERIFY2(!text.contains(QLatin1String("searching")), qPrintable(text));
}

void TestLiveSearch::theTimeBudgetEndsASearch()
{
    search(0.4);
    QVERIFY(settle());
    QCOMPARE(document()->outcome()->plan.completion, Completion::BestKnown);
    QVERIFY(!document()->isSearching());
}

void TestLiveSearch::whatIsProvenAtOnceShowsNoSearch()
{
    QSignalSpy searching(document(), &Document::searchingChanged);
    QSignalSpy outcomes(document(), &Document::outcomeChanged);
    document()->setGraph(test::tinyOutcome()->study->graph, QStringLiteral("tiny"));
    QVERIFY(settle());
    QCOMPARE(searching.size(), 0);
    QCOMPARE(outcomes.size(), 2); // none of the new network, then its plan
}

void TestLiveSearch::anotherStrategyEndsTheSearch()
{
    search(60);
    QTRY_VERIFY_WITH_TIMEOUT(document()->isSearching(), 30'000);
    document()->cancel(Stage::Ladder);
    document()->setStrategy(QStringLiteral("naive"));
    QVERIFY(!document()->isSearching());
    QVERIFY(settle());
    QCOMPARE(document()->outcome()->plan.strategy, std::string("naive"));
    QTest::qWait(300); // nothing of the search comes late
    QCOMPARE(document()->outcome()->plan.strategy, std::string("naive"));
}

void TestLiveSearch::closingEndsTheSearch()
{
    search(60);
    QTRY_VERIFY_WITH_TIMEOUT(document()->isSearching(), 30'000);
    document()->close();
    QVERIFY(!document()->isSearching());
    QTest::qWait(300);
    QVERIFY(!document()->outcome());
}

void TestLiveSearch::budgetIsKeptAndShown()
{
    auto* spin = find<QDoubleSpinBox>("searchSecondsSpin");
    QVERIFY(spin->isEnabled());
    QCOMPARE(spin->text(), QStringLiteral("2 s (default)"));
    document()->setStrategy(QStringLiteral("exact"));
    QCOMPARE(spin->text(), QStringLiteral("10 s (default)"));
    document()->setStrategy(QStringLiteral("naive"));
    QVERIFY(!spin->isEnabled());
    document()->setStrategy(QStringLiteral("auto"));
    spin->setValue(7.5);
    QCOMPARE(document()->searchSeconds(), std::optional(7.5));
    openWindow(); // another start
    QCOMPARE(document()->searchSeconds(), std::optional(7.5));
    QCOMPARE(find<QDoubleSpinBox>("searchSecondsSpin")->value(), 7.5);
    find<QDoubleSpinBox>("searchSecondsSpin")->setValue(0.0);
    QVERIFY(!document()->searchSeconds());
}

void TestLiveSearch::provenPlansAreNotSearchedAgain()
{
    document()->setGraph(test::tinyOutcome()->study->graph, QStringLiteral("tiny"));
    QVERIFY(settle());
    const auto outcome = document()->outcome();
    document()->setSearchSeconds(5.0);
    QVERIFY(settle());
    QCOMPARE(document()->outcome(), outcome);
}

QTEST_MAIN(TestLiveSearch)
#include "tst_live_search.moc"
