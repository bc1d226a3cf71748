// SPDX-License-Identifier: MIT
#include "ui/panels/log_panel.h"

#include <QPlainTextEdit>
#include <QTime>
#include <QVBoxLayout>

namespace arenascope::ui {

namespace {

constexpr int kMaxLines = 5000;

QString severityText(Severity severity)
{
    switch (severity) {
    case Severity::Note:
        return LogPanel::tr("note");
    case Severity::Warning:
        return LogPanel::tr("warning");
    case Severity::Error:
        return LogPanel::tr("error");
    }
    return {};
}

} // namespace

LogPanel::LogPanel(QWidget* parent)
    : QWidget(parent)
    , m_edit(new QPlainTextEdit(this))
{
    m_edit->setObjectName(QStringLiteral("logText"));
    m_edit->setReadOnly(true);
    m_edit->setMaximumBlockCount(kMaxLines);
    m_edit->setFrameShape(QFrame::NoFrame);
    m_edit->setPlaceholderText(tr("Nothing has been said yet."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_edit);
}

void LogPanel::add(Severity severity, const QString& text)
{
    m_edit->appendPlainText(
        QStringLiteral("%1  %2  %3").arg(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")), severityText(severity), text));
}

QString LogPanel::text() const
{
    return m_edit->toPlainText();
}

} // namespace arenascope::ui
