// SPDX-License-Identifier: MIT
// The window: views and panels around one document.
#pragma once

#include "ui/document.h"
#include "ui/settings.h"
#include "ui/theme.h"

#include "ui/export/picture.h"

#include <QMainWindow>

#include <map>
#include <memory>

class QDockWidget;
class QMenu;
class QToolBar;

namespace arenascope::ui {

class ArenaView;
class Commands;
class CurveView;
class DetailPanel;
class FindBar;
class Headline;
class LadderPanel;
class LogPanel;
class MessageArea;
class NetworkView;
class PeakPanel;
class RunPanel;
class StartPage;
class TablePanel;
class TensorsModel;
class TimelineBar;
class ViewFrame;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// `settings` outlives the window. Options and looks are taken from it, and kept in it.
    explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    Document* document() const { return m_document; }
    Commands* commands() const { return m_commands; }
    NetworkView* networkView() const { return m_network; }
    ArenaView* arenaView() const { return m_arena; }
    TimelineBar* timeline() const { return m_timeline; }
    MessageArea* messages() const { return m_messages; }
    /// The dock of that object name, such as "ladderDock"; null when there is none.
    QDockWidget* dock(const QString& name) const;
    /// Nothing is being worked out, or waits to be shown.
    bool isSettled() const;

    /// Off for pictures and tests.
    void setMotion(bool on);
    void setTheme(ThemeChoice choice);
    const Theme& theme() const { return *m_theme; }

public slots:
    void open(const QString& path);
    void applyDefaultLayout();
    /// Exports on a worker; what happened is said in the window.
    void exportTo(const arenascope::ui::PictureRequest& request, const QString& path);

signals:
    void exported(const QString& path, bool succeeded);

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp
    void connectDocument();
    void connectCommands();
    void showModel();
    void showPlan();
    void updateTitle();
    void applyTheme();
    void askForFile();
    void askForShapes();
    void askForExport(PictureContent content, const QString& suffix);
    PictureRequest pictureRequest(PictureContent content) const;
    void keepOptions();
    void enableCommands();

    // main_window_build.cpp
    void buildViews();
    void buildTables();
    void buildToolBar();
    void buildMenus();
    void addExports(QMenu* menu);
    void fillRecentFiles(QMenu* menu);
    QDockWidget* addDock(const QString& name, const QString& title, QWidget* widget);
    void setDocksVisible(bool on);
    void placeDocks();
    void shareWindow();
    void revealNext();
    void explainKeys();
    void explainProgram();

    // main_window_messages.cpp
    void showFailure(Stage stage, const Error& error);
    void showDiagnostics();
    void showValidity();
    void showRun();
    MessageArea* areaOf(Stage stage) const;

    Settings& m_settings;
    Document* m_document;
    Commands* m_commands;
    const Theme* m_theme;
    ThemeChoice m_themeChoice = ThemeChoice::System;

    QWidget* m_top = nullptr; ///< menus, toolbar, headline and messages, above the docks
    QToolBar* m_toolBar = nullptr;
    QToolBar* m_timelineBar = nullptr;
    Headline* m_headline = nullptr;
    MessageArea* m_messages = nullptr;
    FindBar* m_find = nullptr;
    StartPage* m_start = nullptr; ///< in the middle; gives way to the docks
    NetworkView* m_network = nullptr;
    ViewFrame* m_networkFrame = nullptr;
    ArenaView* m_arena = nullptr;
    ViewFrame* m_arenaFrame = nullptr;
    CurveView* m_curve = nullptr;
    TimelineBar* m_timeline = nullptr;
    LadderPanel* m_ladder = nullptr;
    PeakPanel* m_peak = nullptr;
    RunPanel* m_runPanel = nullptr;
    DetailPanel* m_details = nullptr;
    LogPanel* m_log = nullptr;
    TensorsModel* m_tensorsModel = nullptr;
    std::map<QString, QDockWidget*> m_docks;
    std::vector<QDockWidget*> m_tabs; ///< in the order of their tabs
    QByteArray m_hiddenDocks;         ///< their state while the start page covers them
    QWidget* m_dropFrame = nullptr;
    std::vector<QWidget*> m_contents; ///< of the docks, in the order in which they were made
    std::vector<QWidget*> m_covered;  ///< those that are still to be shown, one a turn
    bool m_areDocksVisible = true;
    bool m_wasShown = false;
    bool m_isExporting = false;
};

} // namespace arenascope::ui
