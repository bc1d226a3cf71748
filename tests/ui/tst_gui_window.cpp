// SPDX-License-Identifier: MIT
// The window as its user meets it: files, panels, looks and what is kept.
#include "support/gui_fixture.h"
#include "support/ui_graphs.h"

#include "ui/commands.h"
#include "ui/dialogs/shapes_dialog.h"
#include "ui/panels/headline.h"
#include "ui/panels/message_area.h"
#include "ui/panels/start_page.h"
#include "ui/views/network_view.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QToolButton>

#include <cstdlib>

using namespace arenascope;
using namespace arenascope::ui;

class TestGuiWindow : public QObject, private test::GuiFixture {
    Q_OBJECT
private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void startsWithSamplesAndOpensOneByClick();
    void opensADroppedFile();
    void brokenFileShowsABarThatCloses();
    void brokenFileLeavesTheModel();
    void headlineTellsTheAnswer();
    void budgetIsComparedInTheHeadline();
    void unknownShapesOfferTheDialog();
    void shapesDialogChecksItsFields();
    void cancelWhileOpening();
    void themeSwitches();
    void settingsAreKept();
    void panelsShareTheWindowAsSet();
    void defaultLayoutBringsClosedPanelsBack();
    void networkPanelClosesAndReturns();
    void minimapIsSwitchedFromTheMenu();
    void recentFilesAreListed();
    void closesWhileJobsRun();
};

void TestGuiWindow::startsWithSamplesAndOpensOneByClick()
{
    auto* start = find<StartPage>("startPage");
    QVERIFY(start->isVisible());
    QVERIFY(!m_window->dock(QStringLiteral("arenaDock"))->isVisible());
    QVERIFY(start->samples().size() >= 4);
    auto* button = find<QToolButton>("sample:chain");
    QVERIFY(button);
    QTRY_VERIFY_WITH_TIMEOUT(!button->icon().isNull(), 20'000);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(settle());
    QCOMPARE(m_window->document()->path(), sample("chain.onnx"));
    QVERIFY(!start->isVisible());
    QVERIFY(m_window->networkView()->isVisible());
    QVERIFY(m_window->dock(QStringLiteral("arenaDock"))->isVisible());
    QVERIFY(m_window->windowTitle().startsWith(QLatin1String("chain.onnx")));
}

void TestGuiWindow::opensADroppedFile()
{
    QMimeData data;
    data.setUrls({ QUrl::fromLocalFile(sample("residual.onnx")) });
    QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_window.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_window.get(), &drop);
    QVERIFY(settle());
    QCOMPARE(m_window->document()->path(), sample("residual.onnx"));

    QMimeData words;
    words.setText(QStringLiteral("no file"));
    QDragEnterEvent other(QPoint(100, 100), Qt::CopyAction, &words, Qt::LeftButton, Qt::NoModifier);
    other.ignore();
    QCoreApplication::sendEvent(m_window.get(), &other);
    QVERIFY(!other.isAccepted());
}

void TestGuiWindow::brokenFileShowsABarThatCloses()
{
    m_window->open(sample("broken.onnx"));
    QVERIFY(settle());
    MessageArea* messages = m_window->messages();
    QVERIFY(messages->isVisible());
    QCOMPARE(messages->bars().size(), 1u);
    QCOMPARE(messages->bars()[0]->severity(), Severity::Error);
    QVERIFY2(messages->bars()[0]->text().contains(QLatin1String("broken.onnx")), qPrintable(messages->bars()[0]->text()));
    QVERIFY(find<StartPage>("startPage")->isVisible());
    QTest::mouseClick(messages->bars()[0]->findChild<QToolButton*>(QStringLiteral("closeMessage")), Qt::LeftButton);
    QVERIFY(messages->bars().empty());
    QVERIFY(!messages->isVisible());
}

void TestGuiWindow::brokenFileLeavesTheModel()
{
    QVERIFY(openSample("chain.onnx"));
    m_window->open(sample("broken.onnx"));
    QVERIFY(settle());
    QCOMPARE(m_window->messages()->bars().size(), 1u);
    QCOMPARE(m_window->document()->path(), sample("chain.onnx"));
    QVERIFY(m_window->networkView()->isVisible());
    // The next file that opens takes the message away.
    QVERIFY(openSample("residual.onnx"));
    QVERIFY(m_window->messages()->bars().empty());
}

void TestGuiWindow::headlineTellsTheAnswer()
{
    m_window->document()->setStudyOptions(test::unaligned());
    m_window->document()->setGraph(test::residualGraph(), QStringLiteral("residual.onnx"));
    QVERIFY(settle());
    const QString text = find<Headline>("headline")->text();
    for (const char* words : { "residual.onnx", "2.93 KiB arena", "= bound (proven)", "17 % of naive" })
        QVERIFY2(text.contains(QLatin1String(words)), qPrintable(text));
    m_window->document()->setStrategy(QStringLiteral("naive"));
    QVERIFY(settle());
    QVERIFY2(find<Headline>("headline")->text().contains(QLatin1String("20 % above the bound")), qPrintable(find<Headline>("headline")->text()));
}

void TestGuiWindow::budgetIsComparedInTheHeadline()
{
    m_window->document()->setStudyOptions(test::unaligned());
    m_window->document()->setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle());
    m_window->document()->setBudget(2000);
    QVERIFY2(find<Headline>("headline")->text().contains(QLatin1String("1000 B over budget")), qPrintable(find<Headline>("headline")->text()));
    m_window->document()->setBudget(4096);
    QVERIFY(find<Headline>("headline")->text().contains(QLatin1String("fits the budget")));
}

void TestGuiWindow::unknownShapesOfferTheDialog()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape { true, { kUnknownDim, 3 }, { "batch", "" } });
    builder.addOutput(builder.addSimple("Relu", { x }, "y", kUnknownBytes));
    m_window->document()->setGraph(*std::move(builder).build(), QStringLiteral("dynamic"));
    QVERIFY(settle());
    QCOMPARE(m_window->messages()->bars().size(), 1u);
    auto* action = m_window->messages()->bars()[0]->findChild<QPushButton*>(QStringLiteral("messageAction"));
    QVERIFY(action);
    QTest::mouseClick(action, Qt::LeftButton);
    auto* dialog = m_window->findChild<ShapesDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QVERIFY(dialog->findChild<QLineEdit*>(QStringLiteral("dim:batch")));
    QVERIFY(dialog->findChild<QLineEdit*>(QStringLiteral("shape:x")));
    dialog->reject();
}

void TestGuiWindow::shapesDialogChecksItsFields()
{
    GraphBuilder builder;
    const TensorId x = builder.addInput("x", ElementType::Float32, Shape { true, { kUnknownDim, 3 }, { "batch", "" } });
    builder.addOutput(builder.addSimple("Relu", { x }, "y", kUnknownBytes));
    const auto graph = *std::move(builder).build();
    ShapesDialog dialog(*graph, {});
    auto* dim = dialog.findChild<QLineEdit*>(QStringLiteral("dim:batch"));
    auto* shape = dialog.findChild<QLineEdit*>(QStringLiteral("shape:x"));
    auto* ok = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
    QVERIFY(ok->isEnabled());
    dim->setText(QStringLiteral("zero"));
    QVERIFY(!ok->isEnabled());
    dim->setText(QStringLiteral("4"));
    QVERIFY(ok->isEnabled());
    shape->setText(QStringLiteral("4xx"));
    QVERIFY(!ok->isEnabled());
    shape->setText(QStringLiteral("4x3"));
    QVERIFY(ok->isEnabled());
    const ImportOptions options = dialog.importOptions();
    QCOMPARE(options.dims.at("batch"), 4);
    QCOMPARE(options.shapes.at("x"), (std::vector<std::int64_t> { 4, 3 }));
}

void TestGuiWindow::cancelWhileOpening()
{
    m_window->open(sample("mobilenet_v2.onnx"));
    m_window->document()->cancel(Stage::Import);
    QVERIFY(settle());
    QVERIFY(m_window->messages()->bars().empty());
    // Whatever came first, the window goes on working.
    QVERIFY(openSample("chain.onnx"));
}

void TestGuiWindow::themeSwitches()
{
    m_window->setTheme(ThemeChoice::Light);
    QVERIFY(!m_window->theme().dark);
    QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(m_window->theme().dark);
    QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::darkTheme().window);
    QCOMPARE(m_settings->theme(), ThemeChoice::Dark);
}

void TestGuiWindow::settingsAreKept()
{
    QVERIFY(openSample("chain.onnx"));
    m_window->document()->setStrategy(QStringLiteral("greedy-by-size"));
    m_window->commands()->themeDark->trigger();
    m_window->commands()->colourByBranch->trigger();
    m_window->dock(QStringLiteral("curveDock"))->close();
    QVERIFY(settle());
    m_window->close();
    openWindow();
    QVERIFY(m_window->theme().dark);
    QCOMPARE(m_window->document()->strategy(), QStringLiteral("greedy-by-size"));
    QCOMPARE(m_window->networkView()->colourBy(), ColourBy::Branch);
    QVERIFY(openSample("chain.onnx"));
    QVERIFY(!m_window->dock(QStringLiteral("curveDock"))->isVisible());
    QVERIFY(m_window->dock(QStringLiteral("arenaDock"))->isVisible());
}

void TestGuiWindow::panelsShareTheWindowAsSet()
{
    m_window->resize(1280, 800);
    QVERIFY(openSample("residual.onnx"));
    const auto width = [this](const char* name) { return m_window->dock(QLatin1String(name))->width(); };
    QVERIFY2(std::abs(width("networkDock") - 461) < 40, qPrintable(QString::number(width("networkDock"))));
    QVERIFY2(std::abs(width("arenaDock") - 819) < 40, qPrintable(QString::number(width("arenaDock"))));
    const int network = width("networkDock");
    // The start page in between changes nothing.
    m_window->document()->close();
    QVERIFY(settle());
    QVERIFY(openSample("chain.onnx"));
    QCOMPARE(width("networkDock"), network);
    // Nor does another start, also of what the user has set.
    m_window->resizeDocks({ m_window->dock(QStringLiteral("networkDock")) }, { 600 }, Qt::Horizontal);
    QTRY_VERIFY(width("networkDock") > network + 40);
    const int chosen = width("networkDock");
    const int height = m_window->dock(QStringLiteral("curveDock"))->height();
    m_window->close();
    openWindow();
    QVERIFY(openSample("chain.onnx"));
    QCOMPARE(m_window->width(), 1280);
    QCOMPARE(width("networkDock"), chosen);
    QCOMPARE(m_window->dock(QStringLiteral("curveDock"))->height(), height);
}

void TestGuiWindow::defaultLayoutBringsClosedPanelsBack()
{
    QVERIFY(openSample("chain.onnx"));
    m_window->dock(QStringLiteral("curveDock"))->close();
    m_window->dock(QStringLiteral("arenaDock"))->setFloating(true);
    m_window->commands()->defaultLayout->trigger();
    QVERIFY(m_window->dock(QStringLiteral("curveDock"))->isVisible());
    QVERIFY(!m_window->dock(QStringLiteral("arenaDock"))->isFloating());
    QVERIFY(m_window->dock(QStringLiteral("ladderDock"))->isVisible());
}

void TestGuiWindow::networkPanelClosesAndReturns()
{
    QVERIFY(openSample("chain.onnx"));
    QDockWidget* dock = m_window->dock(QStringLiteral("networkDock"));
    QVERIFY(dock && dock->isVisible());
    QVERIFY(find<QMenu>("panelsMenu")->actions().contains(dock->toggleViewAction()));
    dock->close();
    QVERIFY(!m_window->networkView()->isVisible());
    m_window->close();
    openWindow(); // closed stays closed
    QVERIFY(openSample("chain.onnx"));
    dock = m_window->dock(QStringLiteral("networkDock"));
    QVERIFY(!dock->isVisible());
    dock->toggleViewAction()->trigger();
    QVERIFY(m_window->networkView()->isVisible());
    QVERIFY(!m_window->networkView()->sceneBounds().isEmpty());
    m_window->document()->close(); // the start page takes the place of all panels
    QVERIFY(!dock->isVisible());
    QVERIFY(find<StartPage>("startPage")->isVisible());
}

void TestGuiWindow::minimapIsSwitchedFromTheMenu()
{
    m_window->document()->setGraph(test::chainGraph(200), QStringLiteral("chain"));
    QVERIFY(settle());
    NetworkView* network = m_window->networkView();
    m_window->resize(1600, 900);
    m_window->commands()->defaultLayout->trigger();
    QTRY_VERIFY(network->viewport()->width() > 450);
    network->fitWidth();
    QTRY_VERIFY(!network->minimapRect().isEmpty());
    QTest::keyClick(m_window.get(), Qt::Key_M);
    QVERIFY(network->minimapRect().isEmpty());
    QVERIFY(!m_settings->minimapVisible());
    m_window->commands()->minimap->trigger();
    QVERIFY(!network->minimapRect().isEmpty());
}

void TestGuiWindow::recentFilesAreListed()
{
    QVERIFY(openSample("chain.onnx"));
    QVERIFY(openSample("residual.onnx"));
    m_window->open(sample("broken.onnx"));
    QVERIFY(settle());
    QCOMPARE(m_settings->recentFiles(), (QStringList { sample("residual.onnx"), sample("chain.onnx") }));
}

void TestGuiWindow::closesWhileJobsRun()
{
    m_window->document()->setGraph(test::chainGraph(3000), QStringLiteral("chain"));
    QCoreApplication::processEvents();
    m_window->close();
    m_window.reset();
}

int main(int argc, char** argv)
{
    return test::runGuiTest<TestGuiWindow>(argc, argv);
}
#include "tst_gui_window.moc"
