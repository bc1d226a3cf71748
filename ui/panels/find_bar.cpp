// SPDX-License-Identifier: MIT
#include "ui/panels/find_bar.h"

#include "ui/item_lookup.h"
#include "ui/matches.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

#include <utility>

namespace arenascope::ui {

FindBar::FindBar(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_edit(new QLineEdit(this))
    , m_count(new QLabel(this))
{
    m_edit->setObjectName(QStringLiteral("findEdit"));
    m_edit->setPlaceholderText(tr("Find"));
    m_edit->setToolTip(tr("Operators and tensors by name, kind, type or shape: words, or /regular expression/. Tables show what is found, pictures light it up. Enter: next, Shift+Enter: previous, Esc: everything again."));
    m_edit->setClearButtonEnabled(true);
    m_edit->setMinimumWidth(110);
    m_edit->setMaximumWidth(230);
    m_edit->installEventFilter(this);
    m_count->setObjectName(QStringLiteral("findCount"));
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(QStringLiteral("88 of 888")));
    m_count->setForegroundRole(QPalette::PlaceholderText);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 0, 4, 0);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_count);

    Selection* selection = document->selection();
    connect(m_edit, &QLineEdit::textChanged, selection, &Selection::setFilter);
    connect(selection, &Selection::filterChanged, this, [this](const QString& text) {
        if (m_edit->text() != text)
            m_edit->setText(text);
        showCount(); // what is found may have come before this text
    });
    connect(document, &Document::matchesChanged, this, &FindBar::takeMatches);
    showCount();
}

const std::vector<Item>& FindBar::hits() const
{
    return m_document->matches()->items;
}

bool FindBar::isSearching() const
{
    return m_document->matches()->text != m_document->selection()->filter();
}

void FindBar::start()
{
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void FindBar::takeMatches()
{
    m_current = -1;
    showCount();
    if (const int step = std::exchange(m_wanted, 0))
        go(step);
}

void FindBar::next()
{
    go(1);
}

void FindBar::previous()
{
    go(-1);
}

void FindBar::go(int step)
{
    if (isSearching()) {
        m_wanted = step;
        return;
    }
    if (hits().empty())
        return;
    const int count = static_cast<int>(hits().size());
    m_current = m_current < 0 ? (step > 0 ? 0 : count - 1) : (m_current + step + count) % count;
    const Item item = hits()[static_cast<std::size_t>(m_current)];
    Selection* selection = m_document->selection();
    selection->select(item);
    if (const auto study = m_document->study()) {
        const Step at = stepOf(*m_document->graph(), *study, item);
        if (at >= 0)
            selection->setPlayhead(at);
    }
    emit selection->revealRequested(item);
    showCount();
}

void FindBar::showCount()
{
    if (m_edit->text().trimmed().isEmpty()) {
        m_count->clear();
        return;
    }
    if (!TextMatcher(m_edit->text()).isValid()) {
        m_count->setText(tr("bad pattern"));
        return;
    }
    if (hits().empty()) {
        m_count->setText(tr("none"));
        return;
    }
    m_count->setText(m_current < 0 ? tr("%1 found").arg(hits().size()) : tr("%1 of %2").arg(m_current + 1).arg(hits().size()));
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_edit || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        key->modifiers() & Qt::ShiftModifier ? previous() : next();
        return true;
    }
    if (key->key() == Qt::Key_Escape) {
        m_edit->clear();
        if (QWidget* window = this->window())
            window->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace arenascope::ui
