// SPDX-License-Identifier: MIT
#include "ui/panels/find_bar.h"

#include "ui/item_lookup.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

namespace arenascope::ui {

std::vector<Item> findItems(const Graph& graph, const TextMatcher& matcher)
{
    std::vector<Item> hits;
    if (matcher.isEmpty() || !matcher.isValid())
        return hits;
    const auto operators = graph.operators();
    for (std::size_t i = 0; i < operators.size(); ++i) {
        if (matcher.matches(toQString(operators[i].name) + u' ' + toQString(operators[i].kind)))
            hits.push_back(Item::of(OpId::fromIndex(i)));
    }
    const auto tensors = graph.tensors();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = tensors[i];
        const QString words = QStringLiteral("%1 %2 %3").arg(toQString(tensor.name), toQString(elementTypeName(tensor.type)), toQString(toString(tensor.shape)));
        if (tensor.isActivation() && matcher.matches(words))
            hits.push_back(Item::of(TensorId::fromIndex(i)));
    }
    return hits;
}

FindBar::FindBar(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_edit(new QLineEdit(this))
    , m_count(new QLabel(this))
{
    m_edit->setObjectName(QStringLiteral("findEdit"));
    m_edit->setPlaceholderText(tr("Find"));
    m_edit->setToolTip(tr("Operators and tensors by name, kind, type or shape: words, or /regular expression/. Enter: next, Shift+Enter: previous."));
    m_edit->setClearButtonEnabled(true);
    m_edit->setMinimumWidth(110);
    m_edit->setMaximumWidth(230);
    m_edit->installEventFilter(this);
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(QStringLiteral("88 of 888")));
    m_count->setForegroundRole(QPalette::PlaceholderText);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 0, 4, 0);
    layout->addWidget(m_edit, 1);
    layout->addWidget(m_count);

    connect(m_edit, &QLineEdit::textChanged, this, [this] {
        m_isStale = true;
        search();
    });
    connect(document, &Document::graphChanged, this, [this] {
        m_isStale = true;
        m_hits.clear();
        m_current = -1;
        showCount();
    });
    showCount();
}

void FindBar::start()
{
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void FindBar::search()
{
    m_isStale = false;
    m_current = -1;
    const TextMatcher matcher(m_edit->text());
    m_hits = m_document->graph() ? findItems(*m_document->graph(), matcher) : std::vector<Item>();
    showCount();
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
    if (m_isStale)
        search();
    if (m_hits.empty())
        return;
    const int count = static_cast<int>(m_hits.size());
    m_current = m_current < 0 ? (step > 0 ? 0 : count - 1) : (m_current + step + count) % count;
    const Item item = m_hits[static_cast<std::size_t>(m_current)];
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
    if (m_hits.empty()) {
        m_count->setText(tr("none"));
        return;
    }
    m_count->setText(m_current < 0 ? tr("%1 found").arg(m_hits.size()) : tr("%1 of %2").arg(m_current + 1).arg(m_hits.size()));
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
