// SPDX-License-Identifier: MIT
#include "ui/panels/message_area.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace arenascope::ui {

namespace {

// A sign beside the colour: nothing is said by colour alone.
QString signOf(Severity severity)
{
    switch (severity) {
    case Severity::Note:
        return QStringLiteral("i");
    case Severity::Warning:
        return QStringLiteral("!");
    case Severity::Error:
        return QStringLiteral("\u2715");
    }
    return {};
}

QColor strokeOf(Severity severity, const Theme& theme)
{
    switch (severity) {
    case Severity::Note:
        return theme.edgeHighlight;
    case Severity::Warning:
        return theme.peak;
    case Severity::Error:
        return theme.clash;
    }
    return theme.border;
}

QColor tint(const QColor& colour, const QColor& background)
{
    constexpr double kShare = 0.12;
    const auto channel = [](int a, int b) { return static_cast<int>(b + (a - b) * kShare); };
    return QColor(channel(colour.red(), background.red()), channel(colour.green(), background.green()),
        channel(colour.blue(), background.blue()));
}

} // namespace

MessageBar::MessageBar(Severity severity, const QString& text, QWidget* parent)
    : QFrame(parent)
    , m_severity(severity)
    , m_sign(new QLabel(signOf(severity), this))
    , m_text(new QLabel(text, this))
    , m_buttons(new QHBoxLayout)
{
    setObjectName(QStringLiteral("messageBar"));
    setAccessibleName(text);
    QFont bold = m_sign->font();
    bold.setBold(true);
    m_sign->setFont(bold);
    m_sign->setAlignment(Qt::AlignCenter);
    m_sign->setFixedWidth(18);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);

    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("closeMessage"));
    close->setText(QStringLiteral("\u2715"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this message"));
    connect(close, &QToolButton::clicked, this, &MessageBar::closed);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->addWidget(m_sign, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1);
    layout->addLayout(m_buttons);
    layout->addWidget(close, 0, Qt::AlignTop);
    setTheme(Theme::light());
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::addAction(const QString& label, std::function<void()> action)
{
    auto* button = new QPushButton(label, this);
    button->setObjectName(QStringLiteral("messageAction"));
    connect(button, &QPushButton::clicked, this, [action = std::move(action)] { action(); });
    m_buttons->addWidget(button);
}

void MessageBar::setTheme(const Theme& theme)
{
    const QColor stroke = strokeOf(m_severity, theme);
    setStyleSheet(QStringLiteral("#messageBar { background: %1; border: 0; border-left: 4px solid %2; } #messageBar > QLabel { color: %3; background: transparent; }")
                      .arg(tint(stroke, theme.panel).name(), stroke.name(), theme.text.name()));
}

MessageArea::MessageArea(QWidget* parent)
    : QWidget(parent)
    , m_theme(Theme::light())
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(1);
    hide();
}

void MessageArea::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (MessageBar* bar : m_bars)
        bar->setTheme(theme);
}

MessageBar* MessageArea::show(Severity severity, const QString& text, const QString& group)
{
    for (MessageBar* bar : m_bars) {
        if (bar->text() == text && bar->severity() == severity)
            return bar;
    }
    if (!group.isEmpty())
        clearGroup(group);
    if (static_cast<int>(m_bars.size()) == kMaxBars)
        remove(m_bars.front());
    auto* bar = new MessageBar(severity, text, this);
    bar->setGroup(group);
    bar->setTheme(m_theme);
    connect(bar, &MessageBar::closed, this, [this, bar] { remove(bar); });
    m_bars.push_back(bar);
    m_layout->addWidget(bar);
    bar->QWidget::show();
    QWidget::show();
    return bar;
}

void MessageArea::clearGroup(const QString& group)
{
    const std::vector<MessageBar*> bars = m_bars;
    for (MessageBar* bar : bars) {
        if (bar->group() == group)
            remove(bar);
    }
}

void MessageArea::clear()
{
    while (!m_bars.empty())
        remove(m_bars.back());
}

void MessageArea::remove(MessageBar* bar)
{
    m_bars.erase(std::remove(m_bars.begin(), m_bars.end(), bar), m_bars.end());
    bar->hide();
    m_layout->removeWidget(bar);
    bar->deleteLater();
    setVisible(!m_bars.empty());
}

} // namespace arenascope::ui
