// SPDX-License-Identifier: MIT
#include "ui/models/row_proxy.h"

#include <QElapsedTimer>
#include <QTimerEvent>
#include <QtConcurrent>

#include <algorithm>
#include <limits>
#include <numeric>

namespace arenascope::ui {

namespace {

constexpr qint64 kSliceMs = 4; // leaves most of a frame to everything else
constexpr qint64 kNoLimit = std::numeric_limits<qint64>::max();

} // namespace

RowProxy::RowProxy(RowModel* model, QObject* parent)
    : QAbstractProxyModel(parent)
    , m_model(model)
{
    setSourceModel(model);
    connect(model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
    connect(model, &QAbstractItemModel::modelReset, this, [this] {
        forget();
        endResetModel();
        arrange();
    });
    connect(model, &QAbstractItemModel::dataChanged, this, [this] {
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
    connect(&m_arranging, &QFutureWatcherBase::finished, this, [this] {
        if (!m_slices.isActive() && m_arranging.future().resultCount() > 0) // nothing else was asked for since
            takeOver(m_arranging.result());
    });
    forget();
}

RowProxy::~RowProxy() = default;

/// Other content: in the table's own order until the asked-for one is known; nothing where some may be filtered out.
void RowProxy::forget()
{
    m_keys.reset();
    m_texts.reset();
    std::vector<int> rows(m_matcher.isEmpty() ? static_cast<std::size_t>(m_model->rowCount()) : 0);
    std::iota(rows.begin(), rows.end(), 0);
    setRows(std::move(rows));
}

void RowProxy::setRows(std::vector<int> rows)
{
    m_rows = std::move(rows);
    m_places.assign(static_cast<std::size_t>(m_model->rowCount()), -1);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        m_places[static_cast<std::size_t>(m_rows[i])] = static_cast<int>(i);
}

void RowProxy::setMatcher(const TextMatcher& matcher)
{
    if (matcher.isEmpty() && m_matcher.isEmpty())
        return;
    m_matcher = matcher;
    arrange();
}

void RowProxy::sort(int column, Qt::SortOrder order)
{
    m_column = column;
    m_isDescending = order == Qt::DescendingOrder;
    arrange();
}

// ---- From what was asked for to rows

void RowProxy::arrange()
{
    m_slices.stop();
    if (m_model->rowCount() <= kMostAtOnce) {
        m_arranging.setFuture({}); // what still runs is of no use
        read(kNoLimit);
        takeOver(arranged(order()));
        return;
    }
    m_slices.start(0, this);
}

void RowProxy::timerEvent(QTimerEvent* event)
{
    if (event->timerId() != m_slices.timerId()) {
        QAbstractProxyModel::timerEvent(event);
        return;
    }
    if (!read(kSliceMs))
        return;
    m_slices.stop();
    const auto run = [wanted = order()] { return arranged(wanted); };
    m_arranging.setFuture(QtConcurrent::run(run));
}

void RowProxy::readKey(Keys& keys, int row) const
{
    const QVariant value = m_model->raw(row, keys.column);
    if (!keys.isNumeric)
        keys.words.push_back(value.toString().toCaseFolded());
    else if (!value.isValid())
        keys.numbers.push_back(-std::numeric_limits<long double>::infinity());
    else if (value.typeId() == QMetaType::Double)
        keys.numbers.push_back(value.toDouble());
    else
        keys.numbers.push_back(static_cast<long double>(value.toLongLong()));
}

bool RowProxy::read(qint64 milliseconds)
{
    constexpr int kBetweenLooks = 64; // at the clock
    if (m_column < 0)
        m_keys.reset();
    else if (!m_keys || m_keys->column != m_column)
        m_keys = std::make_shared<Keys>(Keys { m_column, m_model->isNumeric(m_column), {}, {} });
    if (!m_texts && !m_matcher.isEmpty())
        m_texts = std::make_shared<Texts>();
    QElapsedTimer clock;
    clock.start();
    const auto all = static_cast<std::size_t>(m_model->rowCount());
    const auto fill = [&](auto size, auto readRow) {
        for (int i = 1; size() < all; ++i) {
            readRow(static_cast<int>(size()));
            if (i % kBetweenLooks == 0 && clock.elapsed() >= milliseconds)
                return false;
        }
        return true;
    };
    if (m_keys && !fill([this] { return m_keys->size(); }, [this](int row) { readKey(*m_keys, row); }))
        return false;
    return !m_texts || fill([this] { return m_texts->size(); }, [this](int row) { m_texts->push_back(m_model->filterText(row)); });
}

RowProxy::Order RowProxy::order() const
{
    return { m_keys, m_matcher.isEmpty() ? nullptr : m_texts, m_matcher, m_isDescending, m_model->rowCount() };
}

std::vector<int> RowProxy::arranged(const Order& order)
{
    std::vector<int> rows;
    for (int row = 0; row < order.rows; ++row) {
        if (!order.texts || order.matcher.matches((*order.texts)[static_cast<std::size_t>(row)]))
            rows.push_back(row);
    }
    if (!order.keys)
        return rows;
    const auto sortBy = [&](const auto& keys) {
        std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
            const auto& left = keys[static_cast<std::size_t>(order.isDescending ? b : a)];
            const auto& right = keys[static_cast<std::size_t>(order.isDescending ? a : b)];
            return left < right;
        });
    };
    if (order.keys->isNumeric)
        sortBy(order.keys->numbers);
    else
        sortBy(order.keys->words);
    return rows;
}

/// One change for the view, however many rows come and go: it need not follow each.
void RowProxy::takeOver(std::vector<int> rows)
{
    if (rows == m_rows)
        return;
    const auto isShown = [this](int row) { return m_places[static_cast<std::size_t>(row)] >= 0; };
    if (rows.size() != m_rows.size() || !std::all_of(rows.begin(), rows.end(), isShown)) {
        beginResetModel();
        setRows(std::move(rows));
        endResetModel();
        return;
    }
    emit layoutAboutToBeChanged({}, QAbstractItemModel::VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<int> kept;
    for (const QModelIndex& each : before)
        kept.push_back(m_rows[static_cast<std::size_t>(each.row())]);
    setRows(std::move(rows));
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after << index(m_places[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])], before[i].column());
    changePersistentIndexList(before, after);
    emit layoutChanged({}, QAbstractItemModel::VerticalSortHint);
}

// ---- The model

int RowProxy::rowOf(Item item) const
{
    const int row = m_model->rowOf(item);
    return row < 0 ? -1 : m_places[static_cast<std::size_t>(row)];
}

Item RowProxy::itemAt(int row) const
{
    return row < 0 || row >= rowCount() ? Item() : m_model->itemAt(m_rows[static_cast<std::size_t>(row)]);
}

QModelIndex RowProxy::mapToSource(const QModelIndex& index) const
{
    return index.isValid() ? m_model->index(m_rows[static_cast<std::size_t>(index.row())], index.column()) : QModelIndex();
}

QModelIndex RowProxy::mapFromSource(const QModelIndex& index) const
{
    return index.isValid() ? this->index(m_places[static_cast<std::size_t>(index.row())], index.column()) : QModelIndex();
}

QModelIndex RowProxy::index(int row, int column, const QModelIndex& parent) const
{
    const bool exists = !parent.isValid() && row >= 0 && row < rowCount() && column >= 0 && column < columnCount();
    return exists ? createIndex(row, column) : QModelIndex();
}

QModelIndex RowProxy::parent(const QModelIndex&) const
{
    return {};
}

int RowProxy::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int RowProxy::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : m_model->columnCount();
}

QVariant RowProxy::headerData(int section, Qt::Orientation orientation, int role) const
{
    return m_model->headerData(section, orientation, role); // also while no row is left
}

} // namespace arenascope::ui
