// SPDX-License-Identifier: MIT
// What the window says when something is wrong or was assumed.
#include "ui/main_window.h"

#include "ui/commands.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/message_area.h"
#include "ui/panels/view_frame.h"
#include "ui/selection.h"
#include "ui/text.h"

#include <QAction>
#include <QDockWidget>
#include <QFileInfo>

#include <algorithm>

namespace arenascope::ui {

namespace {

bool isAboutShapes(ErrorCode code)
{
    switch (code) {
    case ErrorCode::UnknownShape:
    case ErrorCode::BadShape:
    case ErrorCode::ShapeMismatch:
    case ErrorCode::AssumedDim:
        return true;
    default:
        return false;
    }
}

QString groupOf(Stage stage)
{
    switch (stage) {
    case Stage::Import:
        return QStringLiteral("import");
    case Stage::Study:
        return QStringLiteral("study");
    case Stage::Plan:
        return QStringLiteral("plan");
    case Stage::Ladder:
        return QStringLiteral("ladder");
    case Stage::Layout:
        return QStringLiteral("layout");
    case Stage::Run:
        return QStringLiteral("run");
    }
    return {};
}

} // namespace

MessageArea* MainWindow::areaOf(Stage stage) const
{
    switch (stage) {
    case Stage::Layout:
        return m_networkFrame->messages();
    case Stage::Plan:
    case Stage::Ladder:
    case Stage::Run:
        return m_arenaFrame->messages();
    case Stage::Import:
    case Stage::Study:
        break;
    }
    return m_messages;
}

void MainWindow::showFailure(Stage stage, const Error& error)
{
    const QString text = errorText(error);
    m_log->add(Severity::Error, text);
    MessageBar* bar = areaOf(stage)->show(Severity::Error, text, groupOf(stage));
    if (m_document->graph() && stage == Stage::Study && isAboutShapes(error.code))
        bar->addAction(tr("Shapes and dimensions \u2026"), [this] { m_commands->shapes->trigger(); });
}

void MainWindow::showDiagnostics()
{
    const Diagnostics& diagnostics = m_document->diagnostics();
    if (diagnostics.empty())
        return;
    for (const Diagnostic& diagnostic : diagnostics)
        m_log->add(diagnostic.severity, errorText(diagnostic.error));

    // The gravest is shown whole; what else there is stands in the log.
    const auto worst = std::max_element(diagnostics.begin(), diagnostics.end(),
        [](const Diagnostic& a, const Diagnostic& b) { return a.severity < b.severity; });
    QString text = errorText(worst->error);
    const bool hasMore = diagnostics.size() > 1;
    if (hasMore)
        text += u' ' + tr("(and %1 more in the log)").arg(diagnostics.size() - 1);
    MessageBar* bar = m_networkFrame->messages()->show(worst->severity, text, QStringLiteral("diagnostics"));
    const bool concernsShapes = std::any_of(diagnostics.begin(), diagnostics.end(),
        [](const Diagnostic& diagnostic) { return isAboutShapes(diagnostic.error.code); });
    if (concernsShapes)
        bar->addAction(tr("Shapes \u2026"), [this] { m_commands->shapes->trigger(); });
    if (hasMore) {
        bar->addAction(tr("Log"), [this] {
            dock(QStringLiteral("logDock"))->show();
            dock(QStringLiteral("logDock"))->raise();
        });
    }
}

void MainWindow::showValidity()
{
    const auto outcome = m_document->outcome();
    if (!outcome || outcome->isValid())
        return;
    const auto& clashes = outcome->placement.clashes.empty() ? outcome->replay.clashes : outcome->placement.clashes;
    const auto count = outcome->placement.clashCount + outcome->replay.clashCount;
    QString text = countText(count, tr("This plan is not valid: 1 clash."), tr("This plan is not valid: %1 clashes."));
    if (!clashes.empty())
        text += u' ' + toQString(describe(clashes.front(), outcome->study->problem, outcome->study->graph.get()));
    m_log->add(Severity::Error, text);
    m_arenaFrame->messages()->show(Severity::Error, text, QStringLiteral("plan"));
}

void MainWindow::showRun()
{
    areaOf(Stage::Run)->clearGroup(groupOf(Stage::Run));
    const auto run = m_document->run();
    if (!run)
        return;
    QString text;
    Selection* selection = m_document->selection();
    if (run->end != RunRecord::End::Finished) {
        text = run->message;
        if (run->crashedAt.isValid())
            selection->select(Item::of(run->crashedAt));
    } else if (!run->violations.empty()) {
        // To the step, with the tensor that lost its bytes: what overwrote it is marked there as written.
        const RunViolation& first = run->violations.front();
        text = first.text;
        selection->setPlayhead(first.step);
        if (first.tensor.isValid())
            selection->select(Item::of(first.tensor));
    } else if (run->isIdentical && !*run->isIdentical) {
        text = tr("The run in the arena differs from the unplanned one; %1 is the first tensor that does.").arg(run->firstDifference);
        if (run->differsAt.isValid())
            selection->select(Item::of(run->differsAt));
    }
    if (text.isEmpty()) {
        m_log->add(Severity::Note, tr("Run: %1 operators, %2 in the arena").arg(run->operatorsRun).arg(durationText(run->secondsArena)));
        return;
    }
    m_log->add(Severity::Error, text);
    areaOf(Stage::Run)->show(Severity::Error, text, groupOf(Stage::Run));
}

} // namespace arenascope::ui
