// SPDX-License-Identifier: MIT
#include "ui/panels/table_panel.h"

#include "ui/item_lookup.h"
#include "ui/panels/table_style.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>

namespace arenascope::ui {

namespace {

void dress(QTableView* table, const RowModel& model)
{
    dressTable(table);
    // Numbers in a stretched column would stand far from their neighbours.
    table->horizontalHeader()->setStretchLastSection(!model.isNumeric(model.columnCount() - 1));
    for (int column = 0; column < model.columnCount(); ++column)
        table->setColumnWidth(column, model.column(column).width);
}

} // namespace

TablePanel::TablePanel(RowModel* model, Document* document, const QString& name, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_model(model)
    , m_proxy(new RowProxy(model, this))
    , m_table(new QTableView(this))
    , m_filter(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_empty(new QLabel(m_table->viewport()))
    , m_bar(new QHBoxLayout)
{
    model->setParent(this);
    m_table->setObjectName(name);
    m_table->setModel(m_proxy);
    dress(m_table, *model);
    m_table->setSortingEnabled(true);
    m_table->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
    m_filter->setObjectName(name + QStringLiteral("Filter"));
    m_filter->setPlaceholderText(tr("Filter by words or /regular expression/"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setText(document->selection()->filter());
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_empty->setForegroundRole(QPalette::PlaceholderText);

    m_bar->setContentsMargins(4, 2, 8, 2);
    m_bar->setSpacing(8);
    m_bar->addWidget(m_filter, 1);
    m_bar->addWidget(m_count);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_bar);
    layout->addWidget(m_table, 1);

    Selection* selection = document->selection();
    connect(m_filter, &QLineEdit::textChanged, selection, &Selection::setFilter);
    connect(selection, &Selection::filterChanged, this, &TablePanel::showFilter);
    connect(selection, &Selection::selectedChanged, this, &TablePanel::followSelection);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &TablePanel::selectFromTable);
    connect(m_table, &QTableView::doubleClicked, this, &TablePanel::activate);
    connect(m_proxy, &QAbstractItemModel::modelReset, this, [this] {
        showCount();
        followSelection();
    });
    showFilter(selection->filter());
}

void TablePanel::sortBy(int column, Qt::SortOrder order)
{
    m_table->sortByColumn(column, order);
}

void TablePanel::setSource(std::function<void(bool)> fill)
{
    m_fill = std::move(fill);
    refill();
}

void TablePanel::refill()
{
    if (!m_fill)
        return;
    if (isVisible()) {
        m_isStale = false;
        m_fill(true);
        return;
    }
    if (m_isStale)
        return;
    m_isStale = true;
    m_fill(false);
}

void TablePanel::setEmptyText(const QString& text)
{
    m_empty->setText(text);
    showCount();
}

void TablePanel::showFilter(const QString& text)
{
    if (m_filter->text() != text)
        m_filter->setText(text);
    const TextMatcher matcher(text);
    m_filter->setToolTip(matcher.isValid() ? tr("Rows whose words contain all of these") : tr("Not a regular expression"));
    m_proxy->setMatcher(matcher);
    showCount();
    followSelection();
}

void TablePanel::showCount()
{
    const int shown = m_proxy->rowCount();
    const int all = m_model->rowCount();
    m_count->setText(shown == all ? countText(all, tr("1 row"), tr("%1 rows")) : tr("%1 of %2 rows").arg(shown).arg(all));
    m_empty->setVisible(all == 0 && !m_empty->text().isEmpty());
    m_empty->setGeometry(m_table->viewport()->rect().adjusted(16, 8, -16, -8));
}

void TablePanel::selectFromTable(const QModelIndex& current)
{
    if (m_isFollowing || !current.isValid())
        return;
    const Item item = m_proxy->itemAt(current.row());
    if (!item.isNone())
        m_document->selection()->select(item);
}

void TablePanel::followSelection()
{
    // A hidden tab follows when it is shown.
    if (!isVisible() || !m_document->graph())
        return;
    const Item selected = m_document->selection()->selected();
    const auto study = m_document->outcome() ? m_document->outcome()->study : m_document->study();
    const Item item = counterpart(*m_document->graph(), study.get(), selected, m_model->itemKind());
    const int row = item.isNone() ? -1 : m_proxy->rowOf(item);
    const QScopedValueRollback following(m_isFollowing, true);
    if (row < 0) {
        m_table->clearSelection();
        m_table->setCurrentIndex({});
        return;
    }
    if (m_table->currentIndex().row() == row && m_table->selectionModel()->isRowSelected(row))
        return;
    const int column = std::max(0, m_table->currentIndex().column());
    m_table->setCurrentIndex(m_proxy->index(row, column));
    m_table->scrollTo(m_proxy->index(row, column));
}

void TablePanel::activate(const QModelIndex& index)
{
    const Item item = m_proxy->itemAt(index.row());
    if (item.isNone() || !m_document->graph())
        return;
    if (const auto study = m_document->study()) {
        const Step step = stepOf(*m_document->graph(), *study, item);
        if (step >= 0)
            m_document->selection()->setPlayhead(step);
    }
    emit m_document->selection()->revealRequested(item);
}

void TablePanel::copySelection() const
{
    const QModelIndex current = m_table->currentIndex();
    if (!current.isValid())
        return;
    QStringList cells;
    for (int column = 0; column < m_proxy->columnCount(); ++column)
        cells << m_proxy->index(current.row(), column).data().toString();
    QApplication::clipboard()->setText(cells.join(u'\t'));
}

void TablePanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    // Docks are all shown for a moment while they are arranged: only what then is still seen is worth filling.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!isVisible())
                return;
            if (m_isStale)
                refill();
            followSelection();
            showCount();
        },
        Qt::QueuedConnection);
}

bool TablePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_table->viewport() && event->type() == QEvent::Resize)
        m_empty->setGeometry(m_table->viewport()->rect().adjusted(16, 8, -16, -8));
    if (watched != m_table || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
        copySelection();
        return true;
    }
    if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && m_table->currentIndex().isValid()) {
        activate(m_table->currentIndex());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace arenascope::ui
