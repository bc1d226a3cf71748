// SPDX-License-Identifier: MIT
#include "tests/support/tiny_plan.h"
#include "ui/matches.h"
#include "ui/views/network_scene.h"
#include "ui/views/network_view.h"

#include <QApplication>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::ui;

class TstNetworkView : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void firstViewIsReadable();
    void longChainStartsReadableFromTheTop();
    void clickSelectsAndEmptyGroundLetsGo();
    void hoverIsShared();
    void wheelZoomsAtThePointer();
    void draggingPans();
    void doubleClickFitsTheBox();
    void keyFFitsAll();
    void playheadIsFollowedUnlessTheUserHasJustPanned();
    void revealBringsItIntoView();
    void minimapMovesTheView();
    void minimapGivesWayInNarrowViews();
    void whatIsSearchedForStaysInFullColour();
    void boxesAreAsWideAsTheirWords();
    void manyOperatorsAreBuiltOnAWorker();
    void snapshotsThatDoNotBelongTogetherShowNothing();

private:
    void wheel(QPointF at, int angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    QPointF middleOf(std::size_t node) const;

    std::shared_ptr<const PlanOutcome> m_outcome;
    test::TinyDrawing m_drawing;
    std::unique_ptr<NetworkView> m_view;
};

void TstNetworkView::init()
{
    m_outcome = test::tinyOutcome();
    m_drawing = test::columnOf(*m_outcome->study);
    m_view = std::make_unique<NetworkView>(nullptr);
    m_view->setMotion(false);
    m_view->setLegendVisible(false);
    m_view->resize(500, 700);
    m_view->show();
    m_view->setSnapshot({m_outcome->study->graph, m_drawing.drawn, m_drawing.layout, m_outcome});
    m_view->selection()->setStepCount(3);
}

void TstNetworkView::cleanup()
{
    m_view.reset();
}

void TstNetworkView::wheel(QPointF at, int angle, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event(at, m_view->viewport()->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(m_view->viewport(), &event);
}

QPointF TstNetworkView::middleOf(std::size_t node) const
{
    const Rect& place = m_drawing.layout->nodes[node];
    return m_view->toView({place.x + place.width / 2, place.y + place.height / 2});
}

void TstNetworkView::firstViewIsReadable()
{
    QCOMPARE(m_view->zoom(), 1.0); // it fits: all of it, not larger than life
    QVERIFY(m_view->visibleScene().contains(QRectF(0, 0, 120, 460)));
}

void TstNetworkView::longChainStartsReadableFromTheTop()
{
    GraphBuilder builder;
    TensorId last = builder.addInput("x", ElementType::Float32, Shape::of({4}));
    for (int i = 0; i < 400; ++i)
        last = builder.addSimple("Relu", {last}, "t" + std::to_string(i), 16);
    builder.addOutput(last);
    const auto study = makeStudy(*std::move(builder).build(), {});
    const auto drawing = test::columnOf(**study);
    m_view->setSnapshot({(*study)->graph, drawing.drawn, drawing.layout, nullptr});
    QVERIFY(m_view->zoom() >= 0.6);
    QVERIFY(m_view->visibleScene().contains(QRectF(0, 0, 120, 60)));
    QVERIFY(m_view->visibleScene().bottom() < 2000);
}

void TstNetworkView::clickSelectsAndEmptyGroundLetsGo()
{
    QSignalSpy selected(m_view->selection(), &Selection::selectedChanged);
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, middleOf(1).toPoint());
    QCOMPARE(selected.count(), 1);
    QCOMPARE(m_view->selection()->selected(), Item::of(m_outcome->study->schedule.order[0]));
    const QPointF onEdge = m_view->toView({60, 80}); // between box 0 and box 1: the tensor x
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, onEdge.toPoint());
    QCOMPARE(m_view->selection()->selected(), Item::of(m_outcome->study->graph->findTensor("x")));
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(4, 4));
    QVERIFY(m_view->selection()->selected().isNone());
}

void TstNetworkView::hoverIsShared()
{
    QTest::mouseMove(m_view->viewport(), middleOf(2).toPoint());
    QTRY_COMPARE(m_view->selection()->hovered(), Item::of(m_outcome->study->schedule.order[1]));
    QTest::mouseMove(m_view->viewport(), QPoint(3, 3));
    QTRY_VERIFY(m_view->selection()->hovered().isNone());
}

void TstNetworkView::wheelZoomsAtThePointer()
{
    const QPointF at(250, 300);
    const QPointF below = m_view->toScene(at);
    wheel(at, 120);
    QVERIFY(m_view->zoom() > 1.1);
    QVERIFY((m_view->toScene(at) - below).manhattanLength() < 0.01);
    wheel(at, -120);
    QVERIFY(std::abs(m_view->zoom() - 1.0) < 1e-9);
    for (int i = 0; i < 100; ++i)
        wheel(at, 120);
    QVERIFY(m_view->zoom() <= 4.0);
}

void TstNetworkView::draggingPans()
{
    const QPointF before = m_view->toView({0, 0});
    QWidget* canvas = m_view->viewport();
    QTest::mousePress(canvas, Qt::LeftButton, {}, QPoint(20, 300));
    QTest::mouseMove(canvas, QPoint(60, 320));
    QTest::mouseMove(canvas, QPoint(90, 340));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, QPoint(90, 340));
    QCOMPARE(m_view->toView({0, 0}) - before, QPointF(70, 40));
    QVERIFY(m_view->selection()->selected().isNone()); // a drag is no click
}

void TstNetworkView::doubleClickFitsTheBox()
{
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, middleOf(3).toPoint());
    QVERIFY(m_view->zoom() > 1.05); // 120 x 60 with 1.2 x 120 around it, in 500 x 700
    QVERIFY((middleOf(3) - QRectF(m_view->viewport()->rect()).center()).manhattanLength() < 2);
    QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(3, 3));
    QVERIFY(m_view->visibleScene().contains(QRectF(0, 0, 120, 460)));
}

void TstNetworkView::keyFFitsAll()
{
    m_view->zoomBy(3);
    QVERIFY(!m_view->visibleScene().contains(QRectF(0, 0, 120, 460)));
    QTest::keyClick(m_view.get(), Qt::Key_F);
    QVERIFY(m_view->visibleScene().contains(QRectF(0, 0, 120, 460)));
}

void TstNetworkView::playheadIsFollowedUnlessTheUserHasJustPanned()
{
    m_view->zoomBy(4);
    m_view->reveal(Item::of(m_outcome->study->schedule.order[0]));
    m_view->selection()->setPlayhead(2);
    QVERIFY(m_view->visibleScene().contains(QRectF(0, 300, 120, 60))); // box of the last operator
    wheel({250, 300}, 1200);                                            // the user looks at something himself
    QTest::keyClick(m_view.get(), Qt::Key_Plus);
    const QRectF seen = m_view->visibleScene();
    m_view->selection()->setPlayhead(0);
    QCOMPARE(m_view->visibleScene(), seen);
}

void TstNetworkView::revealBringsItIntoView()
{
    m_view->zoomBy(4);
    m_view->reveal(Item::of(m_outcome->study->schedule.order[2]));
    QVERIFY(m_view->visibleScene().contains(QRectF(0, 300, 120, 60)));
    emit m_view->selection()->revealRequested(Item::of(test::bufferNamed(*m_outcome, "a")));
    QVERIFY(m_view->visibleScene().contains(QRectF(0, 100, 120, 60))); // the operator that writes it
}

void TstNetworkView::minimapMovesTheView()
{
    m_view->zoomBy(1.7);
    m_view->grab();
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(m_view->viewport()->width() - 30, 18));
    QVERIFY(m_view->visibleScene().center().y() < 150);
}

void TstNetworkView::minimapGivesWayInNarrowViews()
{
    QVERIFY(m_view->minimapRect().isEmpty()); // everything is in sight
    m_view->zoomBy(1.7);
    QVERIFY(!m_view->minimapRect().isEmpty()); // beside boxes of 204 pixels
    m_view->zoomBy(1.9);
    QVERIFY(m_view->minimapRect().isEmpty()); // it would cover them
    m_view->resize(1000, 700);
    m_view->zoomBy(1.9);
    QVERIFY(!m_view->minimapRect().isEmpty()); // enough of them is in sight
    m_view->resize(360, 700);
    QVERIFY(m_view->minimapRect().isEmpty());
    m_view->resize(1000, 700);
    QVERIFY(!m_view->minimapRect().isEmpty());
    m_view->setMinimapVisible(false);
    QVERIFY(m_view->minimapRect().isEmpty());
}

void TstNetworkView::whatIsSearchedForStaysInFullColour()
{
    const auto graph = m_outcome->study->graph;
    const auto show = [&](const QString& text) {
        m_view->setSnapshot({graph, m_drawing.drawn, m_drawing.layout, m_outcome, findMatches(graph, text)});
        return m_view->viewport()->grab().toImage();
    };
    // Beside the words of a box.
    const auto groundOf = [&](std::size_t node) {
        const Rect& place = m_drawing.layout->nodes[node];
        return m_view->toView({place.x + 5, place.y + place.height / 2}).toPoint();
    };
    const QImage all = show({});
    const QImage found = show(QStringLiteral("relu"));
    QCOMPARE(found.pixel(groundOf(2)), all.pixel(groundOf(2)));
    QVERIFY(found.pixel(groundOf(1)) != all.pixel(groundOf(1)));
    QVERIFY(found.pixel(groundOf(3)) != all.pixel(groundOf(3)));
    // Also while the playhead stands elsewhere: what is found is seen, alive or not.
    m_view->selection()->setPlayhead(0);
    m_view->selection()->setPlayhead(2);
    QCOMPARE(m_view->viewport()->grab().toImage().pixel(groundOf(2)), all.pixel(groundOf(2)));
    QVERIFY(show(QStringLiteral("/[/")).pixel(groundOf(3)) == all.pixel(groundOf(3))); // no pattern: nothing is searched for
}

void TstNetworkView::boxesAreAsWideAsTheirWords()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape::of({1, 3, 224, 224}));
    Operator shortOne, longOne;
    shortOne.kind = longOne.kind = "Relu";
    shortOne.name = "a";
    longOne.name = std::string(300, 'n');
    shortOne.inputs = longOne.inputs = {x};
    shortOne.outputs = {builder.tensor("p")};
    longOne.outputs = {builder.tensor("q")};
    for (const char* name : {"p", "q"})
        builder.describe(builder.tensor(name), ElementType::Float32, Shape::of({1, 3, 224, 224}));
    builder.addOperator(shortOne);
    builder.addOperator(longOne);
    builder.addOutput(builder.tensor("p"));
    builder.addOutput(builder.tensor("q"));
    const auto graph = *std::move(builder).build();
    LayoutNode node;
    node.op = OpId(0);
    const arenascope::Size narrow = nodeSizeFor(node, *graph);
    node.op = OpId(1);
    const arenascope::Size wide = nodeSizeFor(node, *graph);
    QVERIFY(narrow.width < wide.width);
    QVERIFY(wide.width <= 240); // long names are shortened, not the window
    QCOMPARE(narrow.height, wide.height);
    QCOMPARE(outputWords(*graph, node).shape, QStringLiteral("1x3x224x224"));
    QCOMPARE(outputWords(*graph, node).bytes, QStringLiteral("588 KiB"));
}

void TstNetworkView::manyOperatorsAreBuiltOnAWorker()
{
    GraphBuilder builder;
    TensorId last = builder.addInput("x", ElementType::Float32, Shape::of({4}));
    for (int i = 0; i < 3000; ++i)
        last = builder.addSimple("Relu", {last}, "t" + std::to_string(i), 16);
    builder.addOutput(last);
    const auto study = makeStudy(*std::move(builder).build(), {});
    const auto drawing = test::columnOf(**study);
    m_view->setSnapshot({(*study)->graph, drawing.drawn, drawing.layout, nullptr});
    QVERIFY(m_view->sceneBounds().isEmpty());
    m_view->grab(); // says that it is laying out, and does not fall over
    QTRY_VERIFY(!m_view->sceneBounds().isEmpty());
    QVERIFY(m_view->zoom() >= 0.6);
    m_view->fitAll();
    const QImage before = m_view->grab().toImage();
    QTRY_VERIFY(m_view->isSettled()); // painted there as well
    QVERIFY(m_view->grab().toImage() != before);
    m_view->zoomBy(1.5);
    m_view->grab();
    m_view->setSnapshot({}); // what is still being painted is of yesterday
    QTRY_VERIFY(m_view->isSettled());
    const QImage nothing = m_view->viewport()->grab().toImage();
    QImage blank(nothing.size(), nothing.format());
    blank.fill(Theme::light().canvas);
    QCOMPARE(nothing, blank);
}

void TstNetworkView::snapshotsThatDoNotBelongTogetherShowNothing()
{
    const auto other = test::tinyOutcome(); // another graph object of the same shape
    auto half = std::make_shared<GraphLayout>(*m_drawing.layout);
    half->nodes.pop_back();
    m_view->setSnapshot({other->study->graph, m_drawing.drawn, half, m_outcome});
    QVERIFY(m_view->sceneBounds().isEmpty());
    m_view->selection()->setPlayhead(1);
    m_view->grab();
    m_view->setSnapshot({});
    m_view->grab();
    QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(100, 100));
}

QTEST_MAIN(TstNetworkView)
#include "tst_network_view.moc"
