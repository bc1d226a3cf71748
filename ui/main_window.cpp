// SPDX-License-Identifier: MIT
#include "ui/main_window.h"

#include "ui/commands.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/shapes_dialog.h"
#include "ui/icons.h"
#include "ui/job_runner.h"
#include "ui/panels/find_bar.h"
#include "ui/panels/headline.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/message_area.h"
#include "ui/panels/run_panel.h"
#include "ui/panels/start_page.h"
#include "ui/panels/view_frame.h"
#include "ui/selection.h"
#include "ui/text.h"
#include "ui/usual_alignment.h"
#include "ui/views/arena_view.h"
#include "ui/views/curve_view.h"
#include "ui/views/network_scene.h"
#include "ui/views/network_view.h"
#include "ui/views/timeline_bar.h"

#include <arenascope/plan_import.h>

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QStandardPaths>
#include <QStyle>
#include <QStyleHints>
#include <QToolBar>
#include <QToolTip>
#include <QUrl>

namespace arenascope::ui {

namespace {

// Kinds of jobs beyond the document's stages.
constexpr int kExportJob = 100;

bool systemIsDark()
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark;
#else
    // The palette that the desktop gave, read once, before ours takes its place.
    static const bool isDark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    return isDark;
#endif
}

QString firstFileOf(const QMimeData* data)
{
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile())
            return url.toLocalFile();
    }
    return {};
}

} // namespace

MainWindow::MainWindow(Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_document(new Document(this))
    , m_commands(new Commands(this))
    , m_theme(&Theme::light())
{
    systemIsDark();
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(programIcon());
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    m_document->setNodeSizer([](const Graph& graph, const LayoutNode& node) { return nodeSizeFor(node, graph); });
    m_document->setStrategy(settings.strategy());
    m_document->setStudyOptions(settings.studyOptions());
    UsualAlignment::of(m_document);
    m_document->setSearchSeconds(settings.searchSeconds());

    buildViews();
    buildTables();
    buildToolBar();
    buildMenus();
    connectDocument();
    connectCommands();
    qApp->installEventFilter(this);

    m_timeline->setSpeed(settings.playSpeed());
    // The system's wish for less motion reaches a program as a style without animations.
    const bool systemMoves = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
    setMotion(systemMoves && !settings.reducedMotion());
    m_commands->reducedMotion->setChecked(settings.reducedMotion());
    m_commands->minimap->setChecked(settings.minimapVisible());
    m_network->setMinimapVisible(settings.minimapVisible());
    (settings.colourByBranch() ? m_commands->colourByBranch : m_commands->colourByBuffer)->trigger();
    setTheme(settings.theme());
    resize(1280, 800);
    if (!settings.windowGeometry().isEmpty())
        restoreGeometry(settings.windowGeometry());
    placeDocks();
    setDocksVisible(false);
    showModel();
}

MainWindow::~MainWindow()
{
    // Jobs end while everything that they report to is still there.
    delete m_document;
}

void MainWindow::connectDocument()
{
    connect(m_document, &Document::graphChanged, this, &MainWindow::showModel);
    connect(m_document, &Document::outcomeChanged, this, &MainWindow::showPlan);
    connect(m_document, &Document::pathChanged, this, [this](const QString& path) {
        if (!path.isEmpty())
            m_settings.addRecentFile(path);
    });
    connect(m_document, &Document::optionsChanged, this, &MainWindow::keepOptions);
    connect(m_document, &Document::failed, this, &MainWindow::showFailure);
    connect(m_document, &Document::runChanged, this, &MainWindow::showRun);
    connect(m_document, &Document::budgetChanged, m_arena, &ArenaView::setBudget);
    connect(m_document, &Document::budgetChanged, m_curve, &CurveView::setBudget);
    connect(m_arena, &ArenaView::budgetChanged, m_document, &Document::setBudget);
    connect(m_timeline, &TimelineBar::speedChanged, this, [this](int speed) { m_settings.setPlaySpeed(speed); });
    connect(m_start, &StartPage::openRequested, this, &MainWindow::open);
    connect(m_start, &StartPage::browseRequested, this, &MainWindow::askForFile);
}

void MainWindow::connectCommands()
{
    const Commands& c = *m_commands;
    connect(c.open, &QAction::triggered, this, &MainWindow::askForFile);
    connect(c.closeModel, &QAction::triggered, m_document, &Document::close);
    connect(c.shapes, &QAction::triggered, this, &MainWindow::askForShapes);
    connect(c.quit, &QAction::triggered, this, &QWidget::close);
    connect(c.exportSheet, &QAction::triggered, this, [this] { askForExport(PictureContent::Sheet, QStringLiteral("svg")); });
    connect(c.exportNetwork, &QAction::triggered, this, [this] { askForExport(PictureContent::Network, QStringLiteral("svg")); });
    connect(c.exportArena, &QAction::triggered, this, [this] { askForExport(PictureContent::Arena, QStringLiteral("svg")); });
    connect(c.exportCurve, &QAction::triggered, this, [this] { askForExport(PictureContent::Curve, QStringLiteral("svg")); });
    connect(c.exportPlan, &QAction::triggered, this, [this] { askForExport(PictureContent::Sheet, QStringLiteral("json")); });
    connect(c.find, &QAction::triggered, m_find, &FindBar::start);
    connect(c.findNext, &QAction::triggered, m_find, &FindBar::next);
    connect(c.findPrevious, &QAction::triggered, m_find, &FindBar::previous);
    connect(c.letGo, &QAction::triggered, this, [this] {
        m_timeline->pause();
        Selection* selection = m_document->selection();
        if (selection->selected().isNone())
            selection->setFilter({});
        selection->clear();
    });
    connect(c.fitAll, &QAction::triggered, this, [this] {
        m_network->fitAll();
        m_arena->fitAll();
    });
    constexpr double kZoomStep = 1.25;
    connect(c.zoomIn, &QAction::triggered, this, [this] { m_network->zoomBy(kZoomStep); });
    connect(c.zoomOut, &QAction::triggered, this, [this] { m_network->zoomBy(1.0 / kZoomStep); });
    connect(c.colourByBuffer, &QAction::triggered, this, [this] {
        m_network->setColourBy(ColourBy::Buffer);
        m_settings.setColourByBranch(false);
    });
    connect(c.colourByBranch, &QAction::triggered, this, [this] {
        m_network->setColourBy(ColourBy::Branch);
        m_settings.setColourByBranch(true);
    });
    connect(c.run, &QAction::triggered, this, [this] {
        dock(QStringLiteral("runDock"))->show();
        dock(QStringLiteral("runDock"))->raise();
        m_runPanel->start();
    });
    connect(c.colourByTime, &QAction::triggered, this, [this] { m_network->setColourBy(ColourBy::Time); });
    const auto choose = [this](ThemeChoice choice) {
        m_settings.setTheme(choice);
        setTheme(choice);
    };
    connect(c.themeSystem, &QAction::triggered, this, [choose] { choose(ThemeChoice::System); });
    connect(c.themeLight, &QAction::triggered, this, [choose] { choose(ThemeChoice::Light); });
    connect(c.themeDark, &QAction::triggered, this, [choose] { choose(ThemeChoice::Dark); });
    connect(c.toggleTheme, &QAction::triggered, this,
        [this, choose] { choose(m_theme->dark ? ThemeChoice::Light : ThemeChoice::Dark); });
    connect(c.reducedMotion, &QAction::triggered, this, [this](bool on) {
        m_settings.setReducedMotion(on);
        setMotion(!on);
    });
    connect(c.minimap, &QAction::toggled, this, [this](bool on) {
        m_settings.setMinimapVisible(on);
        m_network->setMinimapVisible(on);
    });
    connect(c.defaultLayout, &QAction::triggered, this, &MainWindow::applyDefaultLayout);
    connect(c.shortcuts, &QAction::triggered, this, &MainWindow::explainKeys);
    connect(c.about, &QAction::triggered, this, &MainWindow::explainProgram);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
    connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, [this] {
        if (m_themeChoice == ThemeChoice::System)
            applyTheme();
    });
#endif
}

// ---- What is shown

void MainWindow::showModel()
{
    const bool hasModel = m_document->graph() != nullptr;
    // Laying out all panels takes turns of its own.
    if (hasModel)
        QMetaObject::invokeMethod(this, [this] { setDocksVisible(m_document->graph() != nullptr); }, Qt::QueuedConnection);
    else
        setDocksVisible(false);
    enableCommands();
    m_networkFrame->messages()->clear();
    m_arenaFrame->messages()->clear();
    m_messages->clearGroup(QStringLiteral("import"));
    m_messages->clearGroup(QStringLiteral("study"));
    updateTitle();
    if (hasModel)
        showDiagnostics();
}

void MainWindow::showPlan()
{
    const auto outcome = m_document->outcome();
    enableCommands();
    m_arenaFrame->messages()->clearGroup(QStringLiteral("plan"));
    if (!outcome)
        return;
    m_messages->clearGroup(QStringLiteral("study"));
    if (m_document->isSearching())
        return; // its last plan is the one to tell about
    const QString chosen = toQString(outcome->plan.chosen.empty() ? outcome->plan.strategy : outcome->plan.chosen);
    m_log->add(Severity::Note,
        tr("%1: arena %2 with %3, planned in %4")
            .arg(QFileInfo(m_document->path()).fileName(), sizeText(outcome->plan.arenaSize), strategyTitle(chosen),
                durationText(outcome->plan.planningSeconds)));
    showValidity();
}

void MainWindow::updateTitle()
{
    const QString path = m_document->path();
    setWindowTitle(path.isEmpty() ? tr("Arenascope") : tr("%1 \u2014 Arenascope").arg(QFileInfo(path).fileName()));
    setWindowFilePath(path);
}

bool MainWindow::isSettled() const
{
    return !m_document->isBusy() && !m_isExporting && m_covered.empty() && m_start->isSettled() && m_network->isSettled()
        && m_arena->isSettled();
}

void MainWindow::enableCommands()
{
    m_commands->setHasModel(m_document->graph() != nullptr, m_document->outcome() != nullptr);
    // Shapes are those that the plan was made for, and without a network there is nothing to run.
    const auto opened = m_document->openedPlan();
    if (opened && !opened->isFromModel)
        m_commands->shapes->setEnabled(false);
    if (m_document->isBare())
        m_commands->run->setEnabled(false);
}

void MainWindow::keepOptions()
{
    const auto opened = m_document->openedPlan();
    if (opened && (!opened->isFromModel || m_document->strategy() == toQString(kOpenedStrategy)))
        return; // what a plan was made with is no choice of the user's
    m_settings.setStrategy(m_document->strategy());
    m_settings.setStudyOptions(UsualAlignment::of(m_document)->optionsToKeep());
    m_settings.setSearchSeconds(m_document->searchSeconds());
}

// ---- Looks

void MainWindow::setMotion(bool on)
{
    m_network->setMotion(on);
    m_arena->setMotion(on);
    setAnimated(on);
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_themeChoice = choice;
    const Commands& c = *m_commands;
    (choice == ThemeChoice::System ? c.themeSystem : choice == ThemeChoice::Light ? c.themeLight : c.themeDark)->setChecked(true);
    applyTheme();
}

void MainWindow::applyTheme()
{
    const bool isDark = m_themeChoice == ThemeChoice::Dark || (m_themeChoice == ThemeChoice::System && systemIsDark());
    m_theme = isDark ? &Theme::darkTheme() : &Theme::light();
    QApplication::setPalette(m_theme->palette());
    QToolTip::setPalette(m_theme->palette());
    m_commands->setTheme(*m_theme);
    m_headline->setTheme(*m_theme);
    for (MessageArea* area : { m_messages, m_networkFrame->messages(), m_arenaFrame->messages() })
        area->setTheme(*m_theme);
    m_start->setTheme(*m_theme);
    m_network->setTheme(*m_theme);
    m_arena->setTheme(*m_theme);
    m_curve->setTheme(*m_theme);
    m_timeline->setTheme(*m_theme);
}

// ---- Files

void MainWindow::open(const QString& path)
{
    m_messages->clearGroup(QStringLiteral("import"));
    m_document->open(path);
}

void MainWindow::askForFile()
{
    QString folder = QFileInfo(m_document->path()).path();
    if (m_document->path().isEmpty())
        folder = m_settings.recentFiles().isEmpty() ? QString() : QFileInfo(m_settings.recentFiles().first()).path();
    QStringList models;
    for (const Importer* importer : importers()) {
        for (const std::string_view extension : importer->info().extensions)
            models << QStringLiteral("*%1").arg(toQString(extension));
    }
    QStringList plans;
    for (const PlanImporter& importer : planImporters())
        plans << QStringLiteral("*%1").arg(toQString(importer.suffix));
    const QStringList filters { tr("Models and plans (%1)").arg((models + plans).join(u' ')), tr("Models (%1)").arg(models.join(u' ')),
        tr("Plans and problems (%1)").arg(plans.join(u' ')), tr("All files (*)") };
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a model or a plan"), folder, filters.join(QStringLiteral(";;")));
    if (!path.isEmpty())
        open(path);
}

void MainWindow::askForShapes()
{
    const auto graph = m_document->graph();
    if (!graph)
        return;
    auto* dialog = new ShapesDialog(*graph, m_document->importOptions(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { m_document->setImportOptions(dialog->importOptions()); });
    dialog->open();
}

// ---- Export

PictureRequest MainWindow::pictureRequest(PictureContent content) const
{
    PictureRequest request;
    request.outcome = m_document->outcome();
    request.imported = m_document->importOptions();
    // A layout that still grows is not for keeps: the exporter makes its own.
    if (!m_document->isBusy(Stage::Layout)) {
        request.drawn = m_document->drawnGraph();
        request.layout = m_document->layout();
    }
    request.content = content;
    request.colourBy = m_network->colourBy();
    request.run = m_document->run();
    request.budget = m_document->budget();
    request.playhead = m_network->isPlayheadActive() ? m_document->selection()->playhead() : -1;
    request.colours = ColourKeeper::of(m_document)->coloursOf(request.outcome);
    return request;
}

void MainWindow::askForExport(PictureContent content, const QString& suffix)
{
    if (!m_document->outcome())
        return;
    QString folder = m_settings.exportFolder();
    if (folder.isEmpty() || !QFileInfo(folder).isDir())
        folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    if (folder.isEmpty() || !QFileInfo(folder).isDir())
        folder = QFileInfo(m_document->path()).path();
    const QString stem = folder + u'/' + QFileInfo(m_document->path()).completeBaseName();
    auto* dialog = new ExportDialog(pictureRequest(content), stem, suffix, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_settings.setExportFolder(QFileInfo(dialog->path()).absolutePath());
        exportTo(dialog->request(), dialog->path());
    });
    dialog->open();
}

void MainWindow::exportTo(const PictureRequest& request, const QString& path)
{
    m_isExporting = true;
    m_messages->clearGroup(QStringLiteral("export"));
    m_document->jobs()->start(
        kExportJob, [request, path](const JobContext&) { return exportFile(request, path); },
        [this, path](const Status& status) {
            m_isExporting = false;
            if (status) {
                const QString text = tr("%1 is written.").arg(path);
                m_log->add(Severity::Note, text);
                m_messages->show(Severity::Note, text, QStringLiteral("export"));
            } else {
                m_log->add(Severity::Error, errorText(status.error()));
                m_messages->show(Severity::Error, errorText(status.error()), QStringLiteral("export"));
            }
            emit exported(path, status.hasValue());
        });
}

// ---- Events

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (m_wasShown)
        return;
    m_wasShown = true;
    m_hiddenDocks = m_settings.dockState();
    if (m_document->graph()) {
        m_areDocksVisible = false;
        setDocksVisible(true);
    }
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_settings.setWindowGeometry(saveGeometry());
    const QByteArray docks = m_areDocksVisible ? saveState() : m_hiddenDocks;
    if (!docks.isEmpty())
        m_settings.setDockState(docks);
    for (const Stage stage : { Stage::Import, Stage::Study, Stage::Plan, Stage::Ladder, Stage::Layout, Stage::Run })
        m_document->cancel(stage);
    QMainWindow::closeEvent(event);
}

bool MainWindow::event(QEvent* event)
{
    const bool handled = QMainWindow::event(event);
    if (event->type() == QEvent::Resize && m_dropFrame)
        m_dropFrame->setGeometry(rect());
    return handled;
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    // Space, arrows, Home and End belong to the timeline, except where the focused control lives by them.
    if (event->type() != QEvent::ShortcutOverride)
        return QMainWindow::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() & ~Qt::KeypadModifier)
        return QMainWindow::eventFilter(watched, event);
    const bool isButton = qobject_cast<QAbstractButton*>(watched) && key->key() == Qt::Key_Space;
    const bool isCombo = qobject_cast<QComboBox*>(watched) && key->key() != Qt::Key_Escape;
    if (isButton || isCombo) {
        event->accept();
        return true;
    }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (firstFileOf(event->mimeData()).isEmpty())
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
    m_dropFrame->setGeometry(rect());
    m_dropFrame->raise();
    m_dropFrame->show();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* event)
{
    m_dropFrame->hide();
    QMainWindow::dragLeaveEvent(event);
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_dropFrame->hide();
    const QString path = firstFileOf(event->mimeData());
    if (path.isEmpty())
        return;
    event->acceptProposedAction();
    open(path);
}

} // namespace arenascope::ui
