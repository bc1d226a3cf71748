// SPDX-License-Identifier: MIT
// How the window is put together.
#include "ui/main_window.h"

#include "ui/commands.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/models/branches_model.h"
#include "ui/models/buffers_model.h"
#include "ui/models/operators_model.h"
#include "ui/models/tensors_model.h"
#include "ui/panels/detail_panel.h"
#include "ui/panels/find_bar.h"
#include "ui/panels/headline.h"
#include "ui/panels/ladder_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/option_controls.h"
#include "ui/panels/options_panel.h"
#include "ui/panels/peak_panel.h"
#include "ui/panels/run_panel.h"
#include "ui/panels/start_page.h"
#include "ui/panels/view_frame.h"
#include "ui/views/arena_view.h"
#include "ui/views/curve_view.h"
#include "ui/views/network_view.h"
#include "ui/views/timeline_bar.h"

#include <arenascope/version.h>

#include <QAction>
#include <QActionGroup>
#include <QCheckBox>
#include <QDockWidget>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace arenascope::ui {

namespace {

QWidget* labelled(const QString& text, QWidget* control)
{
    auto* box = new QWidget;
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(4, 0, 4, 0);
    layout->setSpacing(4);
    auto* label = new QLabel(text, box);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setBuddy(control);
    layout->addWidget(label);
    layout->addWidget(control);
    return box;
}

// Covers the window while a file is held over it.
class DropFrame : public QLabel {
public:
    explicit DropFrame(QWidget* parent)
        : QLabel(tr("Drop to open"), parent)
    {
        setAlignment(Qt::AlignCenter);
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAutoFillBackground(false);
        setStyleSheet(QStringLiteral("background: rgba(0, 90, 170, 60); border: 3px dashed palette(highlight); font-size: 22px;"));
        hide();
    }
};

} // namespace

QDockWidget* MainWindow::dock(const QString& name) const
{
    const auto found = m_docks.find(name);
    return found == m_docks.end() ? nullptr : found->second;
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* widget)
{
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    // A dock whose own widget is hidden shrinks to its title: revealNext() needs one between.
    auto* frame = new QWidget;
    auto* layout = new QVBoxLayout(frame);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(widget);
    dock->setWidget(frame);
    addDockWidget(Qt::RightDockWidgetArea, dock);
    m_docks[name] = dock;
    m_contents.push_back(widget);
    return dock;
}

void MainWindow::buildViews()
{
    m_start = new StartPage(m_document, this);
    m_network = new NetworkView(m_document, this);
    m_network->setObjectName(QStringLiteral("network"));
    m_networkFrame = new ViewFrame(m_network, m_document, { Stage::Import, Stage::Layout }, this);
    setCentralWidget(m_start);
    addDock(QStringLiteral("networkDock"), tr("Network"), m_networkFrame);

    m_arena = new ArenaView(m_document, this);
    m_arena->setObjectName(QStringLiteral("arena"));
    m_arenaFrame = new ViewFrame(m_arena, m_document, { Stage::Study, Stage::Plan }, this);
    m_curve = new CurveView(m_document, this);
    m_curve->setObjectName(QStringLiteral("curve"));
    m_curve->setTimeAxis(m_arena->timeAxis());
    addDock(QStringLiteral("arenaDock"), tr("Arena"), m_arenaFrame);
    addDock(QStringLiteral("curveDock"), tr("Live memory"), m_curve);

    m_timeline = new TimelineBar(m_document, this);
    m_timelineBar = new QToolBar(tr("Timeline"), this);
    m_timelineBar->setObjectName(QStringLiteral("timelineBar"));
    m_timelineBar->setMovable(false);
    m_timelineBar->addWidget(m_timeline);
    m_timeline->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addToolBar(Qt::BottomToolBarArea, m_timelineBar);
    m_dropFrame = new DropFrame(this);
}

void MainWindow::buildTables()
{
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    m_ladder = new LadderPanel(m_document);
    m_peak = new PeakPanel(m_document);
    m_runPanel = new RunPanel(m_document);
    m_details = new DetailPanel(m_document);
    m_log = new LogPanel;
    auto* operators = new OperatorsModel;
    m_tensorsModel = new TensorsModel;
    auto* buffers = new BuffersModel;
    auto* branches = new BranchesModel;
    auto* operatorsPanel = new TablePanel(operators, m_document, QStringLiteral("operatorsTable"));
    auto* tensorsPanel = new TablePanel(m_tensorsModel, m_document, QStringLiteral("tensorsTable"));
    auto* buffersPanel = new TablePanel(buffers, m_document, QStringLiteral("buffersTable"));
    auto* branchesPanel = new TablePanel(branches, m_document, QStringLiteral("branchesTable"));
    operatorsPanel->sortBy(OperatorsModel::StepColumn, Qt::AscendingOrder);
    tensorsPanel->sortBy(TensorsModel::SizeColumn, Qt::DescendingOrder);
    buffersPanel->sortBy(BuffersModel::OffsetColumn, Qt::AscendingOrder);
    branchesPanel->sortBy(BranchesModel::NumberColumn, Qt::AscendingOrder);
    for (TablePanel* panel : { buffersPanel, branchesPanel })
        panel->setEmptyText(tr("Nothing is planned yet."));
    auto* weights = new QCheckBox(tr("Weights too"));
    weights->setObjectName(QStringLiteral("weightsCheck"));
    connect(weights, &QCheckBox::toggled, m_tensorsModel, &TensorsModel::setShowsWeights);
    tensorsPanel->bar()->addWidget(weights);

    operatorsPanel->setSource([this, operators](bool on) {
        operators->setContent(on ? m_document->graph() : nullptr, on ? m_document->study() : nullptr);
    });
    branchesPanel->setSource([this, branches](bool on) { branches->setStudy(on ? m_document->study() : nullptr); });
    tensorsPanel->setSource([this](bool on) {
        m_tensorsModel->setContent(on ? m_document->graph() : nullptr, on ? m_document->outcome() : nullptr);
    });
    buffersPanel->setSource([this, buffers](bool on) { buffers->setOutcome(on ? m_document->outcome() : nullptr); });
    for (TablePanel* panel : { operatorsPanel, branchesPanel })
        connect(m_document, &Document::studyChanged, panel, &TablePanel::refill);
    for (TablePanel* panel : { tensorsPanel, buffersPanel })
        connect(m_document, &Document::outcomeChanged, panel, &TablePanel::refill);

    m_tabs = {
        addDock(QStringLiteral("ladderDock"), tr("Ladder"), m_ladder),
        addDock(QStringLiteral("peakDock"), tr("Peak"), m_peak),
        addDock(QStringLiteral("runDock"), tr("Run"), m_runPanel),
        addDock(QStringLiteral("operatorsDock"), tr("Operators"), operatorsPanel),
        addDock(QStringLiteral("tensorsDock"), tr("Tensors"), tensorsPanel),
        addDock(QStringLiteral("buffersDock"), tr("Buffers"), buffersPanel),
        addDock(QStringLiteral("branchesDock"), tr("Branches"), branchesPanel),
        addDock(QStringLiteral("detailsDock"), tr("Details"), m_details),
        addDock(QStringLiteral("optionsDock"), tr("Options"), new OptionsPanel(m_document)),
        addDock(QStringLiteral("logDock"), tr("Log"), m_log),
    };
}

/// Pictures, and plans by whom they are for; each leads to the dialog.
void MainWindow::addExports(QMenu* menu)
{
    menu->addActions({ m_commands->exportSheet, m_commands->exportNetwork, m_commands->exportArena, m_commands->exportCurve });
    menu->addSeparator();
    for (const ExportFormat::Group group : { ExportFormat::Group::Runtime, ExportFormat::Group::Tool }) {
        QMenu* submenu = menu->addMenu(groupTitle(group));
        submenu->setToolTipsVisible(true);
        for (const ExportFormat& format : exportFormats()) {
            if (format.group != group)
                continue;
            QAction* action = submenu->addAction(tr("%1 (.%2) \u2026").arg(format.title, format.suffix));
            action->setToolTip(format.summary);
            connect(action, &QAction::triggered, this, [this, suffix = format.suffix] { askForExport(PictureContent::Sheet, suffix); });
        }
        const auto enable = [this, submenu] { submenu->setEnabled(m_commands->exportPlan->isEnabled()); };
        connect(m_commands->exportPlan, &QAction::changed, submenu, enable);
        enable();
    }
}

void MainWindow::buildToolBar()
{
    m_toolBar = new QToolBar(tr("Tools"), this);
    m_toolBar->setObjectName(QStringLiteral("toolBar"));
    m_toolBar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toolBar->setIconSize(QSize(18, 18));
    m_toolBar->setMovable(false);
    m_toolBar->addAction(m_commands->open);

    auto* exports = new QToolButton(m_toolBar);
    exports->setObjectName(QStringLiteral("exportButton"));
    exports->setText(tr("Export"));
    exports->setToolTip(tr("Export pictures and plans"));
    exports->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    exports->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(exports);
    addExports(menu);
    exports->setMenu(menu);
    connect(m_commands->exportSheet, &QAction::changed, exports, [this, exports] {
        exports->setEnabled(m_commands->exportSheet->isEnabled());
        exports->setIcon(m_commands->exportSheet->icon());
    });
    exports->setEnabled(false);
    m_toolBar->addWidget(exports);
    m_toolBar->addSeparator();
    m_toolBar->addWidget(labelled(tr("Strategy"), makeStrategyCombo(m_document)));
    m_toolBar->addWidget(labelled(tr("Alias"), makeAliasCombo(m_document)));
    m_toolBar->addWidget(labelled(tr("Order"), makeScheduleCombo(m_document)));
    m_toolBar->addWidget(labelled(tr("I/O"), makeIoCombo(m_document)));
    m_toolBar->addAction(m_commands->run);
    m_toolBar->addSeparator();
    m_find = new FindBar(m_document);
    m_find->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_toolBar->addWidget(m_find);
    m_toolBar->addAction(m_commands->toggleTheme);
    if (auto* button = qobject_cast<QToolButton*>(m_toolBar->widgetForAction(m_commands->toggleTheme)))
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);

    m_headline = new Headline(m_document);
    m_messages = new MessageArea;
    m_messages->setObjectName(QStringLiteral("windowMessages"));
    m_top = new QWidget(this);
    auto* layout = new QVBoxLayout(m_top);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* menus = new QMenuBar(m_top);
    menus->setObjectName(QStringLiteral("menuBar"));
    layout->addWidget(menus);
    layout->addWidget(m_toolBar);
    layout->addWidget(m_headline);
    layout->addWidget(m_messages);
    setMenuWidget(m_top);
}

void MainWindow::buildMenus()
{
    auto* bar = m_top->findChild<QMenuBar*>(QStringLiteral("menuBar"));
    const Commands& c = *m_commands;
    QMenu* file = bar->addMenu(tr("&File"));
    file->addAction(c.open);
    QMenu* recent = file->addMenu(tr("Open &recent"));
    recent->setObjectName(QStringLiteral("recentMenu"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecentFiles(recent); });
    file->addAction(c.shapes);
    file->addSeparator();
    addExports(file->addMenu(tr("&Export")));
    file->addSeparator();
    file->addAction(c.closeModel);
    file->addAction(c.quit);

    QMenu* edit = bar->addMenu(tr("&Edit"));
    edit->addActions({ c.find, c.findNext, c.findPrevious, c.letGo });

    QMenu* view = bar->addMenu(tr("&View"));
    view->addActions({ c.fitAll, c.zoomIn, c.zoomOut });
    view->addSeparator();
    view->addActions(c.colourGroup->actions());
    view->addAction(c.minimap);
    view->addSeparator();
    QMenu* panels = view->addMenu(tr("&Panels"));
    panels->setObjectName(QStringLiteral("panelsMenu"));
    for (const auto& name : { "networkDock", "arenaDock", "curveDock" })
        panels->addAction(dock(QLatin1String(name))->toggleViewAction());
    for (QDockWidget* tab : m_tabs)
        panels->addAction(tab->toggleViewAction());
    view->addAction(c.defaultLayout);
    view->addSeparator();
    QMenu* themes = view->addMenu(tr("&Theme"));
    themes->addActions(c.themeGroup->actions());
    themes->addSeparator();
    themes->addAction(c.toggleTheme);
    view->addAction(c.reducedMotion);

    QMenu* run = bar->addMenu(tr("&Run"));
    run->addAction(c.run);
    run->addSeparator();
    run->addActions(m_timeline->timelineActions());
    QMenu* help = bar->addMenu(tr("&Help"));
    help->addActions({ c.shortcuts, c.about });
}

void MainWindow::fillRecentFiles(QMenu* menu)
{
    menu->clear();
    const QStringList files = m_settings.recentFiles();
    for (const QString& path : files) {
        QAction* action = menu->addAction(QFileInfo(path).fileName(), this, [this, path] { open(path); });
        action->setToolTip(path);
        action->setStatusTip(path);
    }
    menu->setToolTipsVisible(true);
    if (files.isEmpty()) {
        menu->addAction(tr("None"))->setEnabled(false);
        return;
    }
    menu->addSeparator();
    menu->addAction(tr("Forget all"), this, [this] { m_settings.clearRecentFiles(); });
}

void MainWindow::applyDefaultLayout()
{
    placeDocks();
    shareWindow();
}

/// Where the docks are, seen or not.
void MainWindow::placeDocks()
{
    QDockWidget* network = dock(QStringLiteral("networkDock"));
    QDockWidget* arena = dock(QStringLiteral("arenaDock"));
    QDockWidget* curve = dock(QStringLiteral("curveDock"));
    for (const auto& [name, each] : m_docks) {
        each->setFloating(false);
        removeDockWidget(each);
    }
    addDockWidget(Qt::LeftDockWidgetArea, network);
    addDockWidget(Qt::RightDockWidgetArea, arena);
    splitDockWidget(arena, curve, Qt::Vertical);
    splitDockWidget(curve, m_tabs.front(), Qt::Vertical);
    for (std::size_t i = 1; i < m_tabs.size(); ++i)
        tabifyDockWidget(m_tabs[i - 1], m_tabs[i]);
}

/// All docks are seen, and each has its part of the window.
void MainWindow::shareWindow()
{
    QDockWidget* network = dock(QStringLiteral("networkDock"));
    QDockWidget* arena = dock(QStringLiteral("arenaDock"));
    QDockWidget* curve = dock(QStringLiteral("curveDock"));
    for (const auto& [name, each] : m_docks)
        each->show();
    m_tabs.front()->raise();
    const int height = this->height() - m_top->height() - m_timelineBar->height();
    resizeDocks({ network, arena }, { width() * 36 / 100, width() * 64 / 100 }, Qt::Horizontal);
    resizeDocks({ arena, curve, m_tabs.front() }, { height * 42 / 100, height * 22 / 100, height * 36 / 100 }, Qt::Vertical);
}

void MainWindow::setDocksVisible(bool on)
{
    m_headline->setVisible(on);
    m_timelineBar->setVisible(on);
    if (std::exchange(m_areDocksVisible, on) == on)
        return;
    if (!on) {
        // Only a window that was shown has a layout worth keeping.
        if (m_wasShown)
            m_hiddenDocks = saveState();
        for (const auto& [name, each] : m_docks)
            each->hide();
    }
    m_start->setVisible(!on); // never beside the docks: the window would grow to hold all of them
    if (!on)
        return;
    m_covered.assign(m_contents.rbegin(), m_contents.rend()); // the last comes first
    for (QWidget* content : m_covered)
        content->hide();
    // They were placed when the window was made: only to show them takes less than a frame.
    if (m_hiddenDocks.isEmpty())
        shareWindow();
    else if (!restoreState(m_hiddenDocks))
        applyDefaultLayout();
    m_timelineBar->show();
    QMetaObject::invokeMethod(this, &MainWindow::revealNext, Qt::QueuedConnection);
}

/// The contents of the docks come one by one, those in front first, each laid out in a turn of its own.
void MainWindow::revealNext()
{
    if (m_covered.empty())
        return;
    m_covered.back()->show();
    m_covered.pop_back();
    QMetaObject::invokeMethod(this, &MainWindow::revealNext, Qt::QueuedConnection);
}

void MainWindow::explainKeys()
{
    const QString text = tr("<table cellpadding=\"3\">"
                            "<tr><td><b>Space</b></td><td>play, pause</td></tr>"
                            "<tr><td><b>Left, Right</b></td><td>one step back, on</td></tr>"
                            "<tr><td><b>Home, End</b></td><td>first, last step</td></tr>"
                            "<tr><td><b>P</b></td><td>to the peak</td></tr>"
                            "<tr><td><b>F</b></td><td>fit all</td></tr>"
                            "<tr><td><b>M</b></td><td>minimap</td></tr>"
                            "<tr><td><b>Ctrl+F, F3, Shift+F3</b></td><td>find, next, previous</td></tr>"
                            "<tr><td><b>Ctrl+O, Ctrl+E</b></td><td>open, export</td></tr>"
                            "<tr><td><b>Ctrl+D</b></td><td>shapes and dimensions</td></tr>"
                            "<tr><td><b>Ctrl+T</b></td><td>dark or light</td></tr>"
                            "<tr><td><b>Esc</b></td><td>select nothing, then find nothing</td></tr>"
                            "<tr><td><b>Wheel, drag</b></td><td>zoom at the pointer, pan</td></tr>"
                            "</table>");
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Keys"), text, QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::explainProgram()
{
    const QString text = tr("<h3>Arenascope %1</h3><p>How much memory a neural network needs while it runs, why, and how to make it less.</p>"
                            "<p>MIT licence.</p>")
                             .arg(QLatin1String(kVersion));
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("About Arenascope"), text, QMessageBox::Close, this);
    box->setIconPixmap(windowIcon().pixmap(64));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

} // namespace arenascope::ui
