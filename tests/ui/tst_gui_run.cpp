// SPDX-License-Identifier: MIT
#include "support/gui_fixture.h"

#include "ui/commands.h"
#include "ui/panels/message_area.h"
#include "ui/panels/picture_strip.h"
#include "ui/views/network_view.h"
#include "ui/views/timeline_bar.h"

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

using namespace arenascope;
using namespace arenascope::ui;

// Runs sample networks with the real program.
class TestGuiRun : public QObject, test::GuiFixture {
    Q_OBJECT
private slots:
    void init()
    {
        qputenv("ARENASCOPE_CLI", ARENASCOPE_BIN_DIR "/arenascope-cli");
        openWindow();
    }
    void cleanup() { closeWindow(); }
    void runsAndProves();
    void guardedRun();
    void picturesFollowThePlayhead();
    void coloursByTime();
    void playsMeasuredTime();
    void anotherPlanForgetsTheRun();
    void stopEndsTheRun();
    void aCrashLeavesTheWindow();
    void aBrokenPlanIsCaught();

private:
    Document* document() const { return m_window->document(); }
    bool run()
    {
        m_window->commands()->run->trigger();
        return document()->isBusy(Stage::Run) && settle() && document()->run();
    }
    QString verdict() const { return find<QLabel>("runVerdict")->text(); }
    void useScript(const QByteArray& lines)
    {
        QFile file(m_folder->filePath(QStringLiteral("runner")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + lines + "\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("ARENASCOPE_CLI", file.fileName().toUtf8());
    }
};

void TestGuiRun::runsAndProves()
{
    QVERIFY(openSample("residual.onnx"));
    QVERIFY(!find<QLabel>("runVerdict")->isVisible());
    QVERIFY(run());
    const auto record = document()->run();
    QVERIFY2(record->end == RunRecord::End::Finished, qPrintable(record->message));
    QCOMPARE(record->isIdentical, std::optional(true));
    QVERIFY(record->violations.empty());
    QCOMPARE(record->arena, document()->outcome()->plan.arenaSize);
    QVERIFY(record->secondsArena > 0.0 && record->secondsUnplanned > 0.0);
    QVERIFY(find<QLabel>("runVerdict")->isVisible());
    QVERIFY2(record->peakArena == 0 || find<QLabel>("runMemory")->text().contains(QLatin1String("process")),
        qPrintable(find<QLabel>("runMemory")->text()));
    QVERIFY2(verdict().contains(QLatin1String("bit for bit")), qPrintable(verdict()));
    QTableView* table = find<QTableView>("runTable");
    QVERIFY(table->isVisible());
    QCOMPARE(table->model()->rowCount(), static_cast<int>(document()->graph()->operators().size()));
    clickRow(table, 2);
    QCOMPARE(selection()->selected().kind, Item::Kind::Operator);
}

void TestGuiRun::guardedRun()
{
    QVERIFY(openSample("inception.onnx"));
    find<QCheckBox>("runGuard")->setChecked(true);
    QVERIFY(run());
    QVERIFY2(document()->run()->end == RunRecord::End::Finished, qPrintable(document()->run()->message));
    QVERIFY(document()->run()->violations.empty());
    QVERIFY(!document()->run()->hasTimes());
    QVERIFY2(verdict().contains(QLatin1String("Guarded")), qPrintable(verdict()));
}

void TestGuiRun::picturesFollowThePlayhead()
{
    QVERIFY(openSample("residual.onnx"));
    auto* strip = find<PictureStrip>("pictureStrip");
    QVERIFY(!strip->isVisible());
    QVERIFY(run());
    QVERIFY(strip->isVisible());
    selection()->setPlayhead(1);
    const auto& order = document()->outcome()->study->schedule.order;
    QCOMPARE(strip->shown().size(), std::size_t(1));
    QCOMPARE(strip->shown()[0], document()->graph()->op(order[1]).outputs[0]);
    QTest::mouseClick(strip, Qt::LeftButton, {}, QPoint(20, 20));
    QCOMPARE(selection()->selected(), Item::of(strip->shown()[0]));
}

void TestGuiRun::coloursByTime()
{
    QVERIFY(openSample("residual.onnx"));
    QVERIFY(run());
    const QImage before = m_window->networkView()->viewport()->grab().toImage();
    m_window->commands()->colourByTime->trigger();
    QCOMPARE(m_window->networkView()->colourBy(), ColourBy::Time);
    QTRY_VERIFY(m_window->networkView()->isSettled());
    const QImage after = m_window->networkView()->viewport()->grab().toImage();
    QVERIFY(before != after);
    // The colours of times go with the run.
    document()->setStrategy(QStringLiteral("naive"));
    QVERIFY(settle());
    const QImage without = m_window->networkView()->viewport()->grab().toImage();
    QVERIFY(without != after);
}

void TestGuiRun::playsMeasuredTime()
{
    QVERIFY(openSample("residual.onnx"));
    auto* timeline = m_window->findChild<TimelineBar*>();
    timeline->setSpeed(60);
    auto* button = find<QToolButton>("measuredTime");
    QVERIFY(!button->isEnabled());
    QVERIFY(run());
    QVERIFY(button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(timeline->playsMeasuredTime());
    QVERIFY2(timeline->stepText().contains(QLatin1String(" of ")), qPrintable(timeline->stepText()));
    selection()->setPlayhead(0);
    timeline->play();
    const Step last = selection()->stepCount() - 1;
    QTRY_COMPARE_WITH_TIMEOUT(selection()->playhead(), last, 20'000);
    QTRY_VERIFY(!timeline->isPlaying());
}

void TestGuiRun::anotherPlanForgetsTheRun()
{
    QVERIFY(openSample("residual.onnx"));
    QVERIFY(run());
    document()->setStrategy(QStringLiteral("naive"));
    QVERIFY(settle());
    QVERIFY(!document()->run());
    QVERIFY(!find<QLabel>("runVerdict")->isVisible());
    QCOMPARE(find<QTableView>("runTable")->model()->rowCount(), 0);
    QVERIFY(!find<QToolButton>("measuredTime")->isEnabled());
}

void TestGuiRun::stopEndsTheRun()
{
    QVERIFY(openSample("residual.onnx"));
    useScript("exec sleep 60");
    auto* button = find<QPushButton>("runButton");
    m_window->dock(QStringLiteral("runDock"))->raise();
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(document()->isBusy(Stage::Run));
    QCOMPARE(button->text(), QStringLiteral("Stop"));
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(settle());
    QCOMPARE(button->text(), QStringLiteral("Run"));
    QVERIFY(!document()->run());
}

void TestGuiRun::aCrashLeavesTheWindow()
{
    QVERIFY(openSample("residual.onnx"));
    const QString first = QString::fromStdString(document()->graph()->op(document()->outcome()->study->schedule.order[0]).name);
    useScript(QStringLiteral(R"(echo '{"event":"start","passes":["arena"]}'; echo '{"event":"begin","pass":"arena","step":0,"operator":"%1"}'; kill -SEGV $$)").arg(first).toUtf8());
    QVERIFY(run());
    QCOMPARE(document()->run()->end, RunRecord::End::Crashed);
    QVERIFY2(verdict().contains(first), qPrintable(verdict()));
    QCOMPARE(selection()->selected(), Item::of(document()->outcome()->study->schedule.order[0]));
    QVERIFY(document()->outcome());
    qputenv("ARENASCOPE_CLI", ARENASCOPE_BIN_DIR "/arenascope-cli");
    QVERIFY(run()); // and the next one is as good as ever
    QCOMPARE(document()->run()->isIdentical, std::optional(true));
}

void TestGuiRun::aBrokenPlanIsCaught()
{
    QVERIFY(openSample("residual.onnx"));
    const Study& study = *document()->outcome()->study;
    const QString op = QString::fromStdString(study.graph->op(study.schedule.order[3]).name);
    const QString tensor = QString::fromStdString(study.graph->tensor(study.graph->op(study.schedule.order[1]).outputs[0]).name);
    useScript(QStringLiteral(R"(echo '{"event":"report","report":{"violations":[{"kind":"overwritten","step":3,"operator":"%1",)"
                             R"("tensor":"%2","by":"x","message":"step 3 writes over %2"}]}}'; exit 1)")
                  .arg(op, tensor).toUtf8());
    QVERIFY(run());
    QCOMPARE(selection()->playhead(), Step(3));
    QCOMPARE(selection()->selected(), Item::of(study.graph->findTensor(tensor.toStdString())));
    QVERIFY2(verdict().contains(QLatin1String("writes over")), qPrintable(verdict()));
}

QTEST_MAIN(TestGuiRun)
#include "tst_gui_run.moc"
