// SPDX-License-Identifier: MIT
// Messages in the window: bars over the view that they concern, until closed.
#pragma once

#include "ui/theme.h"

#include <arenascope/result.h>

#include <QFrame>
#include <QWidget>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace arenascope::ui {

/// One message with its severity, the buttons that help, and one that closes it.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    MessageBar(Severity severity, const QString& text, QWidget* parent = nullptr);

    Severity severity() const { return m_severity; }
    QString text() const;
    void addAction(const QString& label, std::function<void()> action);
    void setTheme(const Theme& theme);
    /// Bars of one group replace each other; "" stands alone.
    QString group() const { return m_group; }
    void setGroup(const QString& group) { m_group = group; }

signals:
    void closed();

private:
    Severity m_severity;
    QString m_group;
    QLabel* m_sign;
    QLabel* m_text;
    QHBoxLayout* m_buttons;
};

/// Bars one below the other, at most kMaxBars: the oldest gives way (the log keeps all).
class MessageArea : public QWidget {
    Q_OBJECT
public:
    static constexpr int kMaxBars = 3;

    explicit MessageArea(QWidget* parent = nullptr);
    void setTheme(const Theme& theme);

    /// Shows a bar; one of the same text is not shown twice, one of the same group is replaced.
    MessageBar* show(Severity severity, const QString& text, const QString& group = {});
    void clearGroup(const QString& group);
    void clear();
    const std::vector<MessageBar*>& bars() const { return m_bars; }

private:
    void remove(MessageBar* bar);

    Theme m_theme;
    QVBoxLayout* m_layout;
    std::vector<MessageBar*> m_bars;
};

} // namespace arenascope::ui
