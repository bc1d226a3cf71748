// SPDX-License-Identifier: MIT
// Stepping, selecting, filtering, finding and choosing, by clicks and keys.
#include "support/gui_fixture.h"
#include "support/ui_graphs.h"

#include "ui/matches.h"
#include "ui/models/row_model.h"
#include "ui/panels/find_bar.h"
#include "ui/panels/headline.h"
#include "ui/text.h"
#include "ui/views/arena_view.h"
#include "ui/views/network_view.h"
#include "ui/views/timeline_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>

using namespace arenascope;
using namespace arenascope::ui;

class TestGuiSelection : public QObject, private test::GuiFixture {
    Q_OBJECT
private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void keysWalkTheSchedule();
    void spacePlaysAndPauses();
    void escapeLetsGo();
    void clickInATableSelectsEverywhere();
    void selectionElsewhereIsFollowedByTheTable();
    void doubleClickShowsTheOperator();
    void filterIsSharedByTheTables();
    void filterLightsUpTheArena();
    void findAndFiltersShareOneText();
    void strategyComboPlansAnew();
    void ladderClickTakesTheStrategy();
    void aliasComboChangesTheStudy();
    void concurrencyComboChangesTheBound();
    void findWalksThroughHits();
    void findTakesRegularExpressions();
};

void TestGuiSelection::keysWalkTheSchedule()
{
    QVERIFY(openSample("chain.onnx"));
    const Step last = selection()->stepCount() - 1;
    QTest::keyClick(m_window.get(), Qt::Key_Home);
    QCOMPARE(selection()->playhead(), 0);
    QTest::keyClick(m_window.get(), Qt::Key_Right);
    QTest::keyClick(m_window.get(), Qt::Key_Right);
    QCOMPARE(selection()->playhead(), 2);
    QTest::keyClick(m_window.get(), Qt::Key_Left);
    QCOMPARE(selection()->playhead(), 1);
    QTest::keyClick(m_window.get(), Qt::Key_End);
    QCOMPARE(selection()->playhead(), last);
    QTest::keyClick(m_window.get(), Qt::Key_P);
    QCOMPARE(selection()->playhead(), m_window->document()->study()->profile.peakStep);
}

void TestGuiSelection::spacePlaysAndPauses()
{
    QVERIFY(openSample("mobilenet_v2.onnx"));
    m_window->timeline()->setSpeed(60);
    QTest::keyClick(m_window.get(), Qt::Key_Home);
    QTest::keyClick(m_window.get(), Qt::Key_Space);
    QVERIFY(m_window->timeline()->isPlaying());
    QTRY_VERIFY(selection()->playhead() >= 3);
    QTest::keyClick(m_window.get(), Qt::Key_Space);
    QVERIFY(!m_window->timeline()->isPlaying());
}

void TestGuiSelection::escapeLetsGo()
{
    QVERIFY(openSample("chain.onnx"));
    selection()->select(Item::of(OpId(1)));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(selection()->selected().isNone());
}

void TestGuiSelection::clickInATableSelectsEverywhere()
{
    QVERIFY(openSample("residual.onnx"));
    QTableView* operators = showTable("operatorsDock", "operatorsTable");
    QVERIFY(operators && operators->isVisible());
    clickRow(operators, 2);
    QCOMPARE(selection()->selected().kind, Item::Kind::Operator);
    const OpId op(selection()->selected().id);
    QCOMPARE(m_window->document()->study()->schedule.stepOf[op.index()], 2);

    // The tensors table stands on what that operator makes.
    QTableView* tensors = showTable("tensorsDock", "tensorsTable");
    const QModelIndex current = tensors->currentIndex();
    QVERIFY(current.isValid());
    QCOMPARE(current.data(ItemRole).value<Item>(), Item::of(m_window->document()->graph()->op(op).outputs.front()));
    // Following is no selecting.
    QCOMPARE(selection()->selected(), Item::of(op));
}

void TestGuiSelection::selectionElsewhereIsFollowedByTheTable()
{
    QVERIFY(openSample("residual.onnx"));
    QTableView* operators = showTable("operatorsDock", "operatorsTable");
    selection()->select(Item::of(OpId(3)));
    QCOMPARE(operators->currentIndex().data(ItemRole).value<Item>(), Item::of(OpId(3)));
    selection()->clear();
    QVERIFY(!operators->currentIndex().isValid());
}

void TestGuiSelection::doubleClickShowsTheOperator()
{
    QVERIFY(openSample("residual.onnx"));
    QTableView* operators = showTable("operatorsDock", "operatorsTable");
    QSignalSpy revealed(selection(), &Selection::revealRequested);
    clickRow(operators, 3);
    const QRect cell = operators->visualRect(operators->model()->index(3, 0));
    QTest::mouseDClick(operators->viewport(), Qt::LeftButton, {}, cell.center());
    QCOMPARE(revealed.size(), 1);
    QCOMPARE(selection()->playhead(), 3);
}

void TestGuiSelection::filterIsSharedByTheTables()
{
    QVERIFY(openSample("residual.onnx"));
    QTableView* operators = showTable("operatorsDock", "operatorsTable");
    const int all = operators->model()->rowCount();
    auto* edit = find<QLineEdit>("operatorsTableFilter");
    QTest::keyClicks(edit, QStringLiteral("relu"));
    QVERIFY(operators->model()->rowCount() > 0 && operators->model()->rowCount() < all);
    QCOMPARE(find<QLineEdit>("tensorsTableFilter")->text(), QStringLiteral("relu"));
    edit->clear();
    QCOMPARE(operators->model()->rowCount(), all);
}

void TestGuiSelection::filterLightsUpTheArena()
{
    m_window->document()->setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle());
    ArenaView* arena = m_window->arenaView();
    const auto outcome = m_window->document()->outcome();
    const auto cornerOf = [&](const char* tensor) {
        const BufferId id = outcome->study->bufferOf[outcome->study->graph->findTensor(tensor).index()];
        return (arena->bufferRect(id).topLeft() + QPointF(5, 5)).toPoint();
    };
    const QImage all = arena->grab().toImage();
    selection()->setFilter(QStringLiteral("relu"));
    const QImage found = arena->grab().toImage();
    QCOMPARE(found.pixel(cornerOf("b")), all.pixel(cornerOf("b"))); // what the Relu writes
    QVERIFY(found.pixel(cornerOf("c")) != all.pixel(cornerOf("c")));
    selection()->setFilter({});
    QCOMPARE(arena->grab().toImage(), all);
}

void TestGuiSelection::findAndFiltersShareOneText()
{
    QVERIFY(openSample("residual.onnx"));
    QTableView* operators = showTable("operatorsDock", "operatorsTable");
    const int all = operators->model()->rowCount();
    auto* edit = find<QLineEdit>("findEdit");
    QTest::keyClicks(edit, QStringLiteral("Relu"));
    QCOMPARE(find<QLineEdit>("operatorsTableFilter")->text(), QStringLiteral("Relu"));
    QVERIFY(operators->model()->rowCount() < all);
    QTest::keyClick(edit, Qt::Key_Escape);
    QCOMPARE(operators->model()->rowCount(), all);
    QVERIFY(!m_window->document()->matches()->isActive);
    // Esc lets go of what is selected first, then of what is searched for.
    selection()->setFilter(QStringLiteral("Conv"));
    QCOMPARE(edit->text(), QStringLiteral("Conv"));
    selection()->select(Item::of(OpId(0)));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QCOMPARE(selection()->filter(), QStringLiteral("Conv"));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(selection()->filter().isEmpty());
    // Found nothing, then looking for nothing: these are not the same.
    selection()->setFilter(QStringLiteral("no such name"));
    QCOMPARE(find<QLabel>("findCount")->text(), QStringLiteral("none"));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QCOMPARE(find<QLabel>("findCount")->text(), QString());
}

void TestGuiSelection::strategyComboPlansAnew()
{
    QVERIFY(openSample("residual.onnx"));
    auto* combo = find<QComboBox>("strategyCombo");
    QCOMPARE(combo->currentData().toString(), QStringLiteral("auto"));
    const Bytes before = m_window->document()->outcome()->plan.arenaSize;
    const int naive = combo->findData(QStringLiteral("naive"));
    QVERIFY(naive >= 0);
    combo->setFocus();
    while (combo->currentIndex() < naive)
        QTest::keyClick(combo, Qt::Key_Down);
    QVERIFY(settle());
    QCOMPARE(m_window->document()->outcome()->plan.strategy, std::string("naive"));
    QVERIFY(m_window->document()->outcome()->plan.arenaSize > before);
}

void TestGuiSelection::ladderClickTakesTheStrategy()
{
    QVERIFY(openSample("residual.onnx"));
    QTableView* ladder = showTable("ladderDock", "ladderTable");
    QVERIFY(ladder->isVisible());
    int row = 0;
    while (row < ladder->model()->rowCount() && !ladder->model()->index(row, 0).data(Qt::ToolTipRole).toString().startsWith(QLatin1String("pingpong:")))
        ++row;
    QVERIFY(row < ladder->model()->rowCount());
    clickRow(ladder, row);
    QVERIFY(settle());
    QCOMPARE(m_window->document()->strategy(), QStringLiteral("pingpong"));
    QCOMPARE(m_window->document()->outcome()->plan.strategy, std::string("pingpong"));
    QCOMPARE(find<QComboBox>("strategyCombo")->currentData().toString(), QStringLiteral("pingpong"));
}

void TestGuiSelection::aliasComboChangesTheStudy()
{
    QVERIFY(openSample("residual.onnx"));
    const auto buffers = m_window->document()->study()->problem.buffers.size();
    auto* combo = find<QComboBox>("aliasCombo");
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_Down);
    QTest::keyClick(combo, Qt::Key_Down);
    QVERIFY(settle());
    QCOMPARE(m_window->document()->studyOptions().alias, AliasMode::InPlace);
    QVERIFY(m_window->document()->study()->problem.buffers.size() < buffers);
}

void TestGuiSelection::concurrencyComboChangesTheBound()
{
    QVERIFY(openSample("inception.onnx"));
    Document* document = m_window->document();
    const Bytes before = document->study()->lowerBound();
    auto* combo = find<QComboBox>("concurrencyCombo");
    m_window->dock(QStringLiteral("optionsDock"))->raise();
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_Down);
    QVERIFY(settle());
    QCOMPARE(document->studyOptions().problem.concurrency, Concurrency::Parallel);
    const Bytes after = document->study()->lowerBound();
    QVERIFY(after > before);
    QVERIFY(document->outcome()->isValid());
    QVERIFY(document->outcome()->plan.arenaSize >= after);
    const QString summary = find<QLabel>("ladderSummary")->text();
    QVERIFY2(summary.contains(sizeText(after)) && summary.contains(QLatin1String("in some order")), qPrintable(summary));
    const QString headline = find<Headline>("headline")->text();
    QVERIFY2(headline.contains(QLatin1String("= bound (proven)")) == (document->outcome()->plan.arenaSize == after), qPrintable(headline));
}

void TestGuiSelection::findWalksThroughHits()
{
    QVERIFY(openSample("residual.onnx"));
    QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* edit = find<QLineEdit>("findEdit");
    QTRY_VERIFY(edit->hasFocus());
    QTest::keyClicks(edit, QStringLiteral("Relu"));
    QSignalSpy revealed(selection(), &Selection::revealRequested);
    QTest::keyClick(edit, Qt::Key_Return);
    QCOMPARE(revealed.size(), 1);
    const Item first = selection()->selected();
    QCOMPARE(first.kind, Item::Kind::Operator);
    QCOMPARE(m_window->document()->graph()->op(OpId(first.id)).kind, std::string("Relu"));
    QTest::keyClick(m_window.get(), Qt::Key_F3);
    const Item second = selection()->selected();
    QVERIFY(second != first);
    QTest::keyClick(m_window.get(), Qt::Key_F3, Qt::ShiftModifier);
    QCOMPARE(selection()->selected(), first);
    // Letters that are shortcuts elsewhere are letters here.
    edit->clear();
    QTest::keyClicks(edit, QStringLiteral("pf "));
    QCOMPARE(edit->text(), QStringLiteral("pf "));
}

void TestGuiSelection::findTakesRegularExpressions()
{
    const auto graph = test::residualGraph();
    QCOMPARE(findItems(*graph, TextMatcher(QStringLiteral("/^[bc] /"))).size(), 2u);
    QVERIFY(findItems(*graph, TextMatcher()).empty());
    QVERIFY(findItems(*graph, TextMatcher(QStringLiteral("/[/"))).empty());
}

int main(int argc, char** argv)
{
    return test::runGuiTest<TestGuiSelection>(argc, argv);
}
#include "tst_gui_selection.moc"
