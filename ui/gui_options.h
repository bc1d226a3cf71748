// SPDX-License-Identifier: MIT
// The command line of the program with the window.
#pragma once

#include "ui/settings.h"

#include <QObject>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QTimer>

#include <optional>

namespace arenascope::ui {

class MainWindow;

struct GuiOptions {
    QString error; ///< what is wrong with the arguments; empty: nothing
    QString model;
    std::optional<QString> strategy;
    std::optional<AliasMode> alias;
    std::optional<ScheduleKind> schedule;
    std::optional<Concurrency> concurrency;
    std::optional<Bytes> alignment;
    std::optional<bool> ioInArena;
    std::optional<Bytes> budget;
    std::optional<std::vector<MemoryRegion>> regions;
    std::optional<ThemeChoice> theme;
    QString screenshot; ///< the window is painted into this file once all is settled
    std::optional<QSize> size;
    std::optional<Step> step;
    QString select; ///< name of an operator or tensor
    QString panel;  ///< "peak": the tab to show
};

/// `arguments` begin with the program. --help and --version print and exit.
GuiOptions parseGuiOptions(const QStringList& arguments);

/// All but the model and the screenshot.
void applyGuiOptions(const GuiOptions& options, MainWindow& window);

/// Waits until nothing moves any more, paints the window into a file and ends the program: 0, or 1 when the model did not
/// open or the file could not be written.
class ScreenshotTaker : public QObject {
    Q_OBJECT
public:
    ScreenshotTaker(const GuiOptions& options, MainWindow& window);

private:
    void look();
    void prepare();
    void take();

    const GuiOptions& m_options;
    MainWindow& m_window;
    QTimer m_timer;
    int m_quietLooks = 0;
    bool m_isPrepared = false;
};

} // namespace arenascope::ui
