// SPDX-License-Identifier: MIT
#include "tests/support/tiny_plan.h"
#include "ui/views/timeline_bar.h"

#include <QAction>
#include <QLineEdit>
#include <QMainWindow>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::ui;

class TstTimeline : public QObject {
    Q_OBJECT
private slots:
    void init();
    void stepsThroughWithButtons();
    void keysWork();
    void tablesKeepTheirKeys();
    void playsToTheEndAndStops();
    void speedIsKeptInBounds();
    void wordsOfAStep();
    void sliderAndPlayheadGoTogether();
    void withoutAPlanNothingCanBePressed();

private:
    Step playhead() const { return m_bar->selection()->playhead(); }

    std::unique_ptr<QWidget> m_window;
    TimelineBar* m_bar = nullptr;
    QTableWidget* m_table = nullptr;
    QWidget* m_ground = nullptr;
};

void TstTimeline::init()
{
    m_window = std::make_unique<QWidget>();
    auto* layout = new QVBoxLayout(m_window.get());
    m_bar = new TimelineBar(nullptr, m_window.get());
    m_table = new QTableWidget(3, 3, m_window.get());
    m_ground = new QWidget(m_window.get());
    m_ground->setFocusPolicy(Qt::StrongFocus);
    layout->addWidget(m_ground);
    layout->addWidget(m_bar);
    layout->addWidget(m_table);
    m_bar->setOutcome(test::tinyOutcome(), nullptr);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_ground->setFocus();
}

void TstTimeline::stepsThroughWithButtons()
{
    const auto buttons = m_bar->findChildren<QToolButton*>();
    QCOMPARE(buttons.size(), 7); // with that for measured time
    const auto press = [&](QAction* action) {
        for (QToolButton* button : buttons) {
            if (button->defaultAction() == action)
                QTest::mouseClick(button, Qt::LeftButton);
        }
    };
    QVERIFY(!m_bar->backAction()->isEnabled()); // at the start
    press(m_bar->stepAction());
    QCOMPARE(playhead(), Step(1));
    press(m_bar->lastAction());
    QCOMPARE(playhead(), Step(2));
    QVERIFY(!m_bar->stepAction()->isEnabled());
    press(m_bar->backAction());
    QCOMPARE(playhead(), Step(1));
    press(m_bar->firstAction());
    QCOMPARE(playhead(), Step(0));
    press(m_bar->peakAction());
    QCOMPARE(playhead(), Step(1)); // 192, 256, 192
}

void TstTimeline::keysWork()
{
    QTest::keyClick(m_ground, Qt::Key_Right);
    QCOMPARE(playhead(), Step(1));
    QTest::keyClick(m_ground, Qt::Key_End);
    QCOMPARE(playhead(), Step(2));
    QTest::keyClick(m_ground, Qt::Key_Left);
    QCOMPARE(playhead(), Step(1));
    QTest::keyClick(m_ground, Qt::Key_Home);
    QCOMPARE(playhead(), Step(0));
    QTest::keyClick(m_ground, Qt::Key_P);
    QCOMPARE(playhead(), Step(1));
    QTest::keyClick(m_ground, Qt::Key_Space);
    QVERIFY(m_bar->isPlaying());
    QTest::keyClick(m_ground, Qt::Key_Space);
    QVERIFY(!m_bar->isPlaying());
}

void TstTimeline::tablesKeepTheirKeys()
{
    m_table->setFocus();
    m_table->setCurrentCell(0, 0);
    QTest::keyClick(m_table, Qt::Key_Right);
    QCOMPARE(m_table->currentColumn(), 1);
    QCOMPARE(playhead(), Step(0));
}

void TstTimeline::playsToTheEndAndStops()
{
    QSignalSpy playing(m_bar, &TimelineBar::playingChanged);
    m_bar->setSpeed(60);
    m_bar->play();
    QTRY_COMPARE(playhead(), Step(2));
    QTRY_VERIFY(!m_bar->isPlaying());
    QCOMPARE(playing.count(), 2);
    m_bar->play(); // from the end: again from the start
    QVERIFY(playhead() < 2);
    m_bar->pause();
}

void TstTimeline::speedIsKeptInBounds()
{
    QCOMPARE(m_bar->speed(), 8);
    QSignalSpy speed(m_bar, &TimelineBar::speedChanged);
    m_bar->setSpeed(1000);
    QCOMPARE(m_bar->speed(), 60);
    m_bar->setSpeed(0);
    QCOMPARE(m_bar->speed(), 1);
    QCOMPARE(speed.count(), 2);
}

void TstTimeline::wordsOfAStep()
{
    m_bar->selection()->setPlayhead(1);
    QCOMPARE(m_bar->stepText().section(QLatin1Char(':'), 1), QStringLiteral(" reads a → writes b"));
    QVERIFY(m_bar->stepText().startsWith(QStringLiteral("step 1 / 2 ")));

    const auto graph = test::TextGraph::parse("in: x 64\nx -> Conv -> a 640\na -> Conv second -> b 64\nout: b\n");
    const auto study = makeStudy(*graph, StudyOptions{});
    const auto outcome = planStudy(*study, "pingpong");
    QVERIFY(outcome.hasValue());
    m_bar->setOutcome(*outcome, nullptr);
    m_bar->selection()->setPlayhead(1);
    QCOMPARE(m_bar->stepText(), QStringLiteral("step 1 / 1   second: reads a (first memory) → writes b (second memory)"));
}

void TstTimeline::sliderAndPlayheadGoTogether()
{
    auto* slider = m_bar->findChild<QSlider*>();
    QCOMPARE(slider->maximum(), 2);
    slider->setValue(2);
    QCOMPARE(playhead(), Step(2));
    m_bar->selection()->setPlayhead(0);
    QCOMPARE(slider->value(), 0);
}

void TstTimeline::withoutAPlanNothingCanBePressed()
{
    m_bar->setOutcome(nullptr, nullptr);
    for (const QAction* action : m_bar->timelineActions())
        QVERIFY(!action->isEnabled());
    m_bar->play();
    QVERIFY(!m_bar->isPlaying());
    QVERIFY(m_bar->stepText().isEmpty());
}

QTEST_MAIN(TstTimeline)
#include "tst_timeline.moc"
