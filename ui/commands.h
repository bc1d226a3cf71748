// SPDX-License-Identifier: MIT
// Everything that can be done from menus, toolbar and keyboard, in one place.
#pragma once

#include "ui/theme.h"

#include <QObject>

class QAction;
class QActionGroup;

namespace arenascope::ui {

/// The window's actions with words, icons and shortcuts. What they do is connected by the window.
/// Those of the timeline belong to the timeline bar.
class Commands : public QObject {
    Q_OBJECT
public:
    explicit Commands(QObject* parent = nullptr);
    void setTheme(const Theme& theme);
    /// Those that need a model, or a plan.
    void setHasModel(bool hasModel, bool hasPlan);

    QAction* open;
    QAction* closeModel;
    QAction* shapes;
    QAction* exportSheet;
    QAction* exportNetwork;
    QAction* exportArena;
    QAction* exportCurve;
    QAction* exportPlan;
    QAction* quit;
    QAction* run;
    QAction* find;
    QAction* findNext;
    QAction* findPrevious;
    QAction* letGo;
    QAction* fitAll;
    QAction* zoomIn;
    QAction* zoomOut;
    QActionGroup* colourGroup;
    QAction* colourByBuffer;
    QAction* colourByBranch;
    QAction* colourByTime;
    QActionGroup* themeGroup;
    QAction* themeSystem;
    QAction* themeLight;
    QAction* themeDark;
    QAction* toggleTheme;
    QAction* minimap;
    QAction* reducedMotion;
    QAction* defaultLayout;
    QAction* shortcuts;
    QAction* about;

private:
    QAction* make(const QString& name, const QString& text, const QKeySequence& shortcut, const QString& toolTip = {});
};

} // namespace arenascope::ui
