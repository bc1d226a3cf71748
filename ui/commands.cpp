// SPDX-License-Identifier: MIT
#include "ui/commands.h"

#include "ui/icons.h"

#include <QAction>
#include <QActionGroup>

namespace arenascope::ui {

QAction* Commands::make(const QString& name, const QString& text, const QKeySequence& shortcut, const QString& toolTip)
{
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcut(shortcut);
    const QString plain = QString(text).remove(u'&').remove(u'\u2026').trimmed();
    const QString words = toolTip.isEmpty() ? plain : toolTip;
    action->setToolTip(shortcut.isEmpty() ? words : QStringLiteral("%1 (%2)").arg(words, shortcut.toString(QKeySequence::NativeText)));
    return action;
}

Commands::Commands(QObject* parent)
    : QObject(parent)
    , open(make(QStringLiteral("open"), tr("&Open \u2026"), QKeySequence::Open, tr("Open a model")))
    , closeModel(make(QStringLiteral("closeModel"), tr("&Close"), QKeySequence(Qt::CTRL | Qt::Key_W)))
    , shapes(make(QStringLiteral("shapes"), tr("&Shapes and dimensions \u2026"), QKeySequence(Qt::CTRL | Qt::Key_D)))
    , exportSheet(make(QStringLiteral("exportSheet"), tr("&All on one sheet \u2026"), QKeySequence(Qt::CTRL | Qt::Key_E)))
    , exportNetwork(make(QStringLiteral("exportNetwork"), tr("&Network \u2026"), {}))
    , exportArena(make(QStringLiteral("exportArena"), tr("A&rena map \u2026"), {}))
    , exportCurve(make(QStringLiteral("exportCurve"), tr("&Memory curve \u2026"), {}))
    , exportPlan(make(QStringLiteral("exportPlan"), tr("&Plan \u2026"), {}))
    , quit(make(QStringLiteral("quit"), tr("&Quit"), QKeySequence::Quit))
    , run(make(QStringLiteral("run"), tr("&Run"), QKeySequence(Qt::CTRL | Qt::Key_R), tr("Run the network in its arena, and prove the plan by it")))
    , find(make(QStringLiteral("find"), tr("&Find"), QKeySequence::Find))
    , findNext(make(QStringLiteral("findNext"), tr("Find &next"), QKeySequence(Qt::Key_F3)))
    , findPrevious(make(QStringLiteral("findPrevious"), tr("Find &previous"), QKeySequence(Qt::SHIFT | Qt::Key_F3)))
    , letGo(make(QStringLiteral("letGo"), tr("&Select nothing"), QKeySequence(Qt::Key_Escape)))
    , fitAll(make(QStringLiteral("fitAll"), tr("&Fit all"), QKeySequence(Qt::Key_F)))
    , zoomIn(make(QStringLiteral("zoomIn"), tr("Zoom &in"), QKeySequence(Qt::CTRL | Qt::Key_Plus)))
    , zoomOut(make(QStringLiteral("zoomOut"), tr("Zoom &out"), QKeySequence(Qt::CTRL | Qt::Key_Minus)))
    , colourGroup(new QActionGroup(this))
    , colourByBuffer(make(QStringLiteral("colourByBuffer"), tr("Colour by &buffer"), {}))
    , colourByBranch(make(QStringLiteral("colourByBranch"), tr("Colour by b&ranch"), {}))
    , colourByTime(make(QStringLiteral("colourByTime"), tr("Colour by &time"), {}, tr("Measured time of each operator, once the network has been run")))
    , themeGroup(new QActionGroup(this))
    , themeSystem(make(QStringLiteral("themeSystem"), tr("As the &system"), {}))
    , themeLight(make(QStringLiteral("themeLight"), tr("&Light"), {}))
    , themeDark(make(QStringLiteral("themeDark"), tr("&Dark"), {}))
    , toggleTheme(make(QStringLiteral("toggleTheme"), tr("Theme"), QKeySequence(Qt::CTRL | Qt::Key_T), tr("Dark or light")))
    , minimap(make(QStringLiteral("minimap"), tr("&Minimap"), QKeySequence(Qt::Key_M)))
    , reducedMotion(make(QStringLiteral("reducedMotion"), tr("&Reduced motion"), {}))
    , defaultLayout(make(QStringLiteral("defaultLayout"), tr("&Default layout"), {}))
    , shortcuts(make(QStringLiteral("shortcuts"), tr("&Keys"), QKeySequence(Qt::Key_F1)))
    , about(make(QStringLiteral("about"), tr("&About Arenascope"), {}))
{
    for (QAction* action : { colourByBuffer, colourByBranch, colourByTime }) {
        action->setCheckable(true);
        colourGroup->addAction(action);
    }
    colourByBuffer->setChecked(true);
    for (QAction* action : { themeSystem, themeLight, themeDark }) {
        action->setCheckable(true);
        themeGroup->addAction(action);
    }
    minimap->setCheckable(true);
    reducedMotion->setCheckable(true);
    open->setIconText(tr("Open"));
    run->setIconText(tr("Run"));
    setHasModel(false, false);
}

void Commands::setTheme(const Theme& theme)
{
    open->setIcon(themedIcon(QStringLiteral("open"), theme));
    exportSheet->setIcon(themedIcon(QStringLiteral("export"), theme));
    run->setIcon(themedIcon(QStringLiteral("run"), theme));
    find->setIcon(themedIcon(QStringLiteral("find"), theme));
    fitAll->setIcon(themedIcon(QStringLiteral("fit"), theme));
    shapes->setIcon(themedIcon(QStringLiteral("shapes"), theme));
    toggleTheme->setIcon(themedIcon(theme.dark ? QStringLiteral("sun") : QStringLiteral("moon"), theme));
}

void Commands::setHasModel(bool hasModel, bool hasPlan)
{
    for (QAction* action : { closeModel, shapes, find, findNext, findPrevious, letGo, fitAll, zoomIn, zoomOut })
        action->setEnabled(hasModel);
    for (QAction* action : { exportSheet, exportNetwork, exportArena, exportCurve, exportPlan, run })
        action->setEnabled(hasPlan);
}

} // namespace arenascope::ui
