// SPDX-License-Identifier: MIT
// The window as its user meets it: clicks, keys, drops.
#include "ui/commands.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/shapes_dialog.h"
#include "ui/main_window.h"
#include "ui/models/ladder_model.h"
#include "ui/panels/find_bar.h"
#include "ui/panels/headline.h"
#include "ui/panels/ladder_panel.h"
#include "ui/panels/message_area.h"
#include "ui/panels/start_page.h"
#include "ui/panels/table_panel.h"
#include "ui/panels/view_frame.h"
#include "ui/selection.h"
#include "ui/views/network_view.h"
#include "ui/views/timeline_bar.h"

#include "support/ui_graphs.h"

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace arenascope;
using namespace arenascope::ui;

class TestGui : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();

    void startsWithSamplesAndOpensOneByClick();
    void opensADroppedFile();
    void brokenFileShowsABarThatCloses();
    void brokenFileLeavesTheModel();
    void headlineTellsTheAnswer();
    void keysWalkTheSchedule();
    void spacePlaysAndPauses();
    void escapeLetsGo();
    void clickInATableSelectsEverywhere();
    void selectionElsewhereIsFollowedByTheTable();
    void doubleClickShowsTheOperator();
    void filterIsSharedByTheTables();
    void strategyComboPlansAnew();
    void ladderClickTakesTheStrategy();
    void aliasComboChangesTheStudy();
    void findWalksThroughHits();
    void findTakesRegularExpressions();
    void exportsToEachFormat_data();
    void exportsToEachFormat();
    void exportFailureStaysInTheWindow();
    void exportDialogFollowsContentAndFormat();
    void unknownShapesOfferTheDialog();
    void shapesDialogChecksItsFields();
    void cancelWhileOpening();
    void themeSwitches();
    void settingsAreKept();
    void defaultLayoutBringsClosedPanelsBack();
    void recentFilesAreListed();
    void closesWhileJobsRun();
    void budgetIsComparedInTheHeadline();

private:
    QString sample(const char* name) const { return QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples/") + QLatin1String(name); }
    void openWindow();
    bool settle() { return QTest::qWaitFor([this] { return !m_window->document()->isBusy(); }, 20'000); }
    bool openSample(const char* name)
    {
        m_window->open(sample(name));
        return settle() && m_window->document()->outcome();
    }
    Selection* selection() const { return m_window->document()->selection(); }
    template <class T> T* find(const char* name) const { return m_window->findChild<T*>(QLatin1String(name)); }
    QTableView* showTable(const char* dockName, const char* tableName)
    {
        m_window->dock(QLatin1String(dockName))->raise();
        QCoreApplication::processEvents();
        return find<QTableView>(tableName);
    }
    void clickRow(QTableView* table, int row)
    {
        const QRect cell = table->visualRect(table->model()->index(row, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void TestGui::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    openWindow();
}

void TestGui::cleanup()
{
    m_window.reset();
    m_settings.reset();
}

void TestGui::openWindow()
{
    m_window.reset();
    m_settings = std::make_unique<Settings>(m_folder->filePath(QStringLiteral("settings.ini")));
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->setMotion(false);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    m_window->activateWindow();
}

// ---- Opening

void TestGui::startsWithSamplesAndOpensOneByClick()
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

void TestGui::opensADroppedFile()
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

void TestGui::brokenFileShowsABarThatCloses()
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

void TestGui::brokenFileLeavesTheModel()
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

void TestGui::headlineTellsTheAnswer()
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

// ---- Stepping

void TestGui::keysWalkTheSchedule()
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

void TestGui::spacePlaysAndPauses()
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

void TestGui::escapeLetsGo()
{
    QVERIFY(openSample("chain.onnx"));
    selection()->select(Item::of(OpId(1)));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(selection()->selected().isNone());
}

// ---- Tables

void TestGui::clickInATableSelectsEverywhere()
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

void TestGui::selectionElsewhereIsFollowedByTheTable()
{
    QVERIFY(openSample("residual.onnx"));
    QTableView* operators = showTable("operatorsDock", "operatorsTable");
    selection()->select(Item::of(OpId(3)));
    QCOMPARE(operators->currentIndex().data(ItemRole).value<Item>(), Item::of(OpId(3)));
    selection()->clear();
    QVERIFY(!operators->currentIndex().isValid());
}

void TestGui::doubleClickShowsTheOperator()
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

void TestGui::filterIsSharedByTheTables()
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

// ---- Options

void TestGui::strategyComboPlansAnew()
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

void TestGui::ladderClickTakesTheStrategy()
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

void TestGui::aliasComboChangesTheStudy()
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

// ---- Find

void TestGui::findWalksThroughHits()
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

void TestGui::findTakesRegularExpressions()
{
    const auto graph = test::residualGraph();
    QCOMPARE(findItems(*graph, TextMatcher(QStringLiteral("/^[bc] /"))).size(), 2u);
    QVERIFY(findItems(*graph, TextMatcher()).empty());
    QVERIFY(findItems(*graph, TextMatcher(QStringLiteral("/[/"))).empty());
}

// ---- Export

void TestGui::exportsToEachFormat_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QByteArray>("begin");
    QTest::newRow("SVG") << "svg" << QByteArray("<?xml");
    QTest::newRow("PDF") << "pdf" << QByteArray("%PDF");
    QTest::newRow("PNG") << "png" << QByteArray("\x89PNG");
    QTest::newRow("DOT") << "dot" << QByteArray();
    QTest::newRow("CSV") << "csv" << QByteArray();
    QTest::newRow("JSON") << "json" << QByteArray("{");
}

void TestGui::exportsToEachFormat()
{
    QFETCH(QString, suffix);
    QVERIFY(openSample("residual.onnx"));
    QTest::keyClick(m_window.get(), Qt::Key_E, Qt::ControlModifier);
    auto* dialog = m_window->findChild<ExportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    auto* format = dialog->findChild<QComboBox*>(QStringLiteral("exportFormat"));
    format->setCurrentIndex(format->findData(suffix));
    const QString path = m_folder->filePath(QStringLiteral("out.") + suffix);
    auto* edit = dialog->findChild<QLineEdit*>(QStringLiteral("exportPath"));
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, path);
    QSignalSpy exported(m_window.get(), &MainWindow::exported);
    QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save), Qt::LeftButton);
    QVERIFY(exported.wait(20'000));
    QVERIFY(exported[0][1].toBool());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.size() > 0);
    QFETCH(QByteArray, begin);
    QVERIFY(file.read(64).startsWith(begin));
    QCOMPARE(m_window->messages()->bars().back()->severity(), Severity::Note);
}

void TestGui::exportFailureStaysInTheWindow()
{
    QVERIFY(openSample("chain.onnx"));
    PictureRequest request;
    request.outcome = m_window->document()->outcome();
    QSignalSpy exported(m_window.get(), &MainWindow::exported);
    m_window->exportTo(request, QStringLiteral("/nowhere/at/all.svg"));
    QVERIFY(exported.wait(20'000));
    QVERIFY(!exported[0][1].toBool());
    QCOMPARE(m_window->messages()->bars().back()->severity(), Severity::Error);
}

void TestGui::exportDialogFollowsContentAndFormat()
{
    PictureRequest request;
    request.content = PictureContent::Arena;
    ExportDialog dialog(request, QStringLiteral("/folder/net"), QStringLiteral("svg"));
    QCOMPARE(dialog.path(), QStringLiteral("/folder/net-arena.svg"));
    auto* format = dialog.findChild<QComboBox*>(QStringLiteral("exportFormat"));
    format->setCurrentIndex(format->findData(QStringLiteral("json")));
    QCOMPARE(dialog.path(), QStringLiteral("/folder/net-plan.json"));
    format->setCurrentIndex(format->findData(QStringLiteral("png")));
    QVERIFY(dialog.request().pixelSize.isEmpty());
    auto* edit = dialog.findChild<QLineEdit*>(QStringLiteral("exportPath"));
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, QStringLiteral("/mine.png"));
    auto* content = dialog.findChild<QComboBox*>(QStringLiteral("exportContent"));
    content->setCurrentIndex(content->findData(static_cast<int>(PictureContent::Curve)));
    QCOMPARE(dialog.path(), QStringLiteral("/mine.png"));
    QCOMPARE(dialog.request().content, PictureContent::Curve);
}

// ---- Shapes

void TestGui::unknownShapesOfferTheDialog()
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

void TestGui::shapesDialogChecksItsFields()
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

// ---- The rest

void TestGui::cancelWhileOpening()
{
    m_window->open(sample("mobilenet_v2.onnx"));
    m_window->document()->cancel(Stage::Import);
    QVERIFY(settle());
    QVERIFY(m_window->messages()->bars().empty());
    // Whatever came first, the window goes on working.
    QVERIFY(openSample("chain.onnx"));
}

void TestGui::themeSwitches()
{
    m_window->setTheme(ThemeChoice::Light);
    QVERIFY(!m_window->theme().dark);
    QTest::keyClick(m_window.get(), Qt::Key_T, Qt::ControlModifier);
    QVERIFY(m_window->theme().dark);
    QCOMPARE(QApplication::palette().color(QPalette::Window), Theme::darkTheme().window);
    QCOMPARE(m_settings->theme(), ThemeChoice::Dark);
}

void TestGui::settingsAreKept()
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

void TestGui::defaultLayoutBringsClosedPanelsBack()
{
    QVERIFY(openSample("chain.onnx"));
    m_window->dock(QStringLiteral("curveDock"))->close();
    m_window->dock(QStringLiteral("arenaDock"))->setFloating(true);
    m_window->commands()->defaultLayout->trigger();
    QVERIFY(m_window->dock(QStringLiteral("curveDock"))->isVisible());
    QVERIFY(!m_window->dock(QStringLiteral("arenaDock"))->isFloating());
    QVERIFY(m_window->dock(QStringLiteral("ladderDock"))->isVisible());
}

void TestGui::recentFilesAreListed()
{
    QVERIFY(openSample("chain.onnx"));
    QVERIFY(openSample("residual.onnx"));
    m_window->open(sample("broken.onnx"));
    QVERIFY(settle());
    QCOMPARE(m_settings->recentFiles(), (QStringList { sample("residual.onnx"), sample("chain.onnx") }));
}

void TestGui::closesWhileJobsRun()
{
    m_window->document()->setGraph(test::chainGraph(3000), QStringLiteral("chain"));
    QCoreApplication::processEvents();
    m_window->close();
    m_window.reset();
}

void TestGui::budgetIsComparedInTheHeadline()
{
    m_window->document()->setStudyOptions(test::unaligned());
    m_window->document()->setGraph(test::residualGraph(), QStringLiteral("residual"));
    QVERIFY(settle());
    m_window->document()->setBudget(2000);
    QVERIFY2(find<Headline>("headline")->text().contains(QLatin1String("1000 B over budget")), qPrintable(find<Headline>("headline")->text()));
    m_window->document()->setBudget(4096);
    QVERIFY(find<Headline>("headline")->text().contains(QLatin1String("fits the budget")));
}

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setStyle(QStringLiteral("Fusion"));
    TestGui test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_gui.moc"
