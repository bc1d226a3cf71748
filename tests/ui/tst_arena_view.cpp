// SPDX-License-Identifier: MIT
#include "tests/support/tiny_plan.h"
#include "tests/support/ui_graphs.h"
#include "ui/views/arena_view.h"
#include "ui/views/curve_view.h"
#include "ui/views/time_axis.h"

#include <QApplication>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::ui;

class TstArenaView : public QObject {
    Q_OBJECT
private slots:
    void init();
    void rectanglesAreWhereThePlanSays();
    void clickSelectsTheBufferAndMovesThePlayhead();
    void budgetLineIsDragged();
    void wheelZoomsTimeAtThePointerAndCtrlTheAddress();
    void doubleClickFitsAStay();
    void curveSharesTheAxisAndTheColumns();
    void clickInTheCurveMovesThePlayhead();
    void keyFFitsAll();
    void playheadLeavesTheCachedPictureAlone();
    void largePlansArePaintedOnAWorker();
    void nothingToShowIsShownToo();

private:
    void wheel(QWidget* widget, QPointF at, int angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier);

    std::shared_ptr<const PlanOutcome> m_outcome;
    std::unique_ptr<ArenaView> m_arena;
    std::unique_ptr<CurveView> m_curve;
};

void TstArenaView::init()
{
    m_outcome = test::tinyOutcome();
    m_curve.reset();
    m_arena = std::make_unique<ArenaView>(nullptr);
    m_arena->setMotion(false);
    m_arena->resize(700, 300);
    m_arena->show();
    m_arena->setOutcome(m_outcome);
    m_curve = std::make_unique<CurveView>(nullptr);
    m_curve->resize(700, 160);
    m_curve->setTimeAxis(m_arena->timeAxis());
    m_curve->setOutcome(m_outcome);
    m_curve->show();
    m_arena->grab();
}

void TstArenaView::wheel(QWidget* widget, QPointF at, int angle, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
    m_arena->grab();
}

void TstArenaView::rectanglesAreWhereThePlanSays()
{
    const QRectF plot = m_arena->plotArea();
    const double step = plot.width() / 3, perByte = plot.height() / (320 * 1.05);
    const QRectF b = m_arena->bufferRect(test::bufferNamed(*m_outcome, "b"));
    QVERIFY(std::abs(b.left() - (plot.left() + step)) < 0.01);
    QVERIFY(std::abs(b.right() - plot.right()) < 0.01);
    QVERIFY(std::abs(b.bottom() - (plot.bottom() - 192 * perByte)) < 0.01);
    QVERIFY(std::abs(b.height() - 128 * perByte) < 0.01);
}

void TstArenaView::clickSelectsTheBufferAndMovesThePlayhead()
{
    const BufferId b = test::bufferNamed(*m_outcome, "b");
    const QRectF rect = m_arena->bufferRect(b);
    QSignalSpy playhead(m_arena->selection(), &Selection::playheadChanged);
    QTest::mouseClick(m_arena.get(), Qt::LeftButton, {}, QPointF(rect.left() + rect.width() * 0.75, rect.center().y()).toPoint());
    QCOMPARE(m_arena->selection()->selected(), Item::of(b));
    QCOMPARE(m_arena->selection()->playhead(), Step(2));
    QCOMPARE(playhead.count(), 1);
}

void TstArenaView::budgetLineIsDragged()
{
    m_arena->setBudget(160);
    m_arena->grab();
    const QRectF plot = m_arena->plotArea();
    const double perByte = plot.height() / (320 * 1.05);
    const QPoint line(static_cast<int>(plot.left()) + 200, qRound(plot.bottom() - 160 * perByte));
    QSignalSpy changed(m_arena.get(), &ArenaView::budgetChanged);
    QTest::mousePress(m_arena.get(), Qt::LeftButton, {}, line);
    QTest::mouseMove(m_arena.get(), line - QPoint(0, 40));
    QTest::mouseRelease(m_arena.get(), Qt::LeftButton, {}, line - QPoint(0, 40));
    QVERIFY(changed.count() >= 1);
    QVERIFY(m_arena->budget().has_value());
    QVERIFY(*m_arena->budget() >= 160);
    QVERIFY(m_arena->selection()->selected().isNone());
    m_arena->setBudget(std::nullopt);
    QVERIFY(!m_arena->budget());
}

void TstArenaView::wheelZoomsTimeAtThePointerAndCtrlTheAddress()
{
    const QRectF plot = m_arena->plotArea();
    TimeAxis* axis = m_arena->timeAxis();
    QCOMPARE(axis->last(), 3.0);
    wheel(m_arena.get(), {plot.left(), plot.center().y()}, 120);
    QCOMPARE(axis->first(), 0.0);
    QVERIFY(axis->last() < 2.6 && axis->last() > 2.4);
    const double height = m_arena->bufferRect(test::bufferNamed(*m_outcome, "a")).height();
    wheel(m_arena.get(), {plot.center().x(), plot.bottom()}, 120, Qt::ControlModifier);
    QVERIFY(m_arena->bufferRect(test::bufferNamed(*m_outcome, "a")).height() > 1.1 * height);
}

void TstArenaView::doubleClickFitsAStay()
{
    const BufferId y = test::bufferNamed(*m_outcome, "y");
    const double before = m_arena->bufferRect(y).height();
    QTest::mouseDClick(m_arena.get(), Qt::LeftButton, {}, m_arena->bufferRect(y).center().toPoint());
    QVERIFY(m_arena->bufferRect(y).height() > 1.5 * before);
    m_arena->fitAll();
    QVERIFY(std::abs(m_arena->bufferRect(y).height() - before) < 0.01);
}

void TstArenaView::curveSharesTheAxisAndTheColumns()
{
    QCOMPARE(m_curve->plotArea().left(), m_arena->plotArea().left());
    QCOMPARE(m_curve->plotArea().right(), m_arena->plotArea().right());
    wheel(m_curve.get(), m_curve->plotArea().center(), 240);
    QVERIFY(m_arena->timeAxis()->last() - m_arena->timeAxis()->first() < 2.5);
}

void TstArenaView::clickInTheCurveMovesThePlayhead()
{
    const QRectF plot = m_curve->plotArea();
    const auto at = [&](double step) { return QPointF(plot.left() + (step + 0.5) * plot.width() / 3, plot.center().y()).toPoint(); };
    QTest::mousePress(m_curve.get(), Qt::LeftButton, {}, at(1));
    QCOMPARE(m_curve->selection()->playhead(), Step(1));
    QTest::mouseMove(m_curve.get(), at(2));
    QTest::mouseRelease(m_curve.get(), Qt::LeftButton, {}, at(2));
    QCOMPARE(m_curve->selection()->playhead(), Step(2));
}

void TstArenaView::keyFFitsAll()
{
    wheel(m_arena.get(), m_arena->plotArea().center(), 480);
    QTest::keyClick(m_arena.get(), Qt::Key_F);
    QVERIFY(m_arena->timeAxis()->isFitted());
}

void TstArenaView::playheadLeavesTheCachedPictureAlone()
{
    const QImage before = m_arena->grab().toImage();
    m_arena->selection()->setPlayhead(1);
    const QImage during = m_arena->grab().toImage();
    QVERIFY(before != during);
    // Step 1 holds a and b: x (step 0) is pale now, a still in its colour.
    const QPoint a = m_arena->bufferRect(test::bufferNamed(*m_outcome, "a")).topLeft().toPoint() + QPoint(12, 12);
    const QPoint x = m_arena->bufferRect(test::bufferNamed(*m_outcome, "x")).topLeft().toPoint() + QPoint(12, 12);
    QCOMPARE(during.pixel(a), before.pixel(a));
    QVERIFY(during.pixel(x) != before.pixel(x));
}

void TstArenaView::largePlansArePaintedOnAWorker()
{
    const auto large = test::planned(test::chainGraph(4000));
    m_arena->setOutcome(large);
    const QImage before = m_arena->grab().toImage();
    QTRY_VERIFY(m_arena->isSettled());
    const QImage painted = m_arena->grab().toImage();
    QVERIFY(painted != before);
    m_arena->timeAxis()->zoomAt(0, 8);
    m_arena->grab();
    m_arena->setOutcome(nullptr); // what is still being painted is of yesterday
    const QImage nothing = m_arena->grab().toImage();
    QVERIFY(nothing != painted);
    QTRY_VERIFY(m_arena->isSettled());
    QCOMPARE(m_arena->grab().toImage(), nothing);
}

void TstArenaView::nothingToShowIsShownToo()
{
    m_arena->setOutcome(nullptr);
    m_curve->setOutcome(nullptr);
    m_arena->grab();
    m_curve->grab();
    QTest::mouseClick(m_arena.get(), Qt::LeftButton, {}, QPoint(200, 100));
    QTest::mouseClick(m_curve.get(), Qt::LeftButton, {}, QPoint(200, 100));
    QVERIFY(m_arena->selection()->selected().isNone());
}

QTEST_MAIN(TstArenaView)
#include "tst_arena_view.moc"
