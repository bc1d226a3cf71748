// SPDX-License-Identifier: MIT
// Order and filter of a table, worked out without holding up the window.
#pragma once

#include "ui/models/row_model.h"

#include <QAbstractProxyModel>
#include <QBasicTimer>
#include <QFutureWatcher>

#include <memory>
#include <vector>

namespace arenascope::ui {

/// Sorts by raw value (a missing one comes first) and filters by the shared text. Ties keep the table's own order.
/// Small tables follow at once. A large one is read in slices, arranged on a worker, and taken over in one go: until then
/// the rows stay as they were.
class RowProxy : public QAbstractProxyModel {
    Q_OBJECT
public:
    explicit RowProxy(RowModel* model, QObject* parent = nullptr);
    ~RowProxy() override;

    RowModel* model() const { return m_model; }
    void setMatcher(const TextMatcher& matcher);
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;
    /// The visible row of an item, or -1.
    int rowOf(Item item) const;
    Item itemAt(int row) const;
    /// Rows are still to come in the order and filter that were asked for last.
    bool isBusy() const { return m_slices.isActive() || m_arranging.isRunning(); }

    QModelIndex mapToSource(const QModelIndex& index) const override;
    QModelIndex mapFromSource(const QModelIndex& index) const override;
    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    /// Rows up to which everything happens at once.
    static constexpr int kMostAtOnce = 2000;

protected:
    void timerEvent(QTimerEvent* event) override;

private:
    /// What order and filter look at, by row of the table; read from the model once for each content.
    struct Keys {
        int column = -1;
        bool isNumeric = false;
        std::vector<long double> numbers; ///< holds any 63-bit size without rounding
        std::vector<QString> words;       ///< case-folded
        std::size_t size() const { return isNumeric ? numbers.size() : words.size(); }
    };
    using Texts = std::vector<QString>;
    /// All that a worker needs to arrange the rows.
    struct Order {
        std::shared_ptr<const Keys> keys;   ///< null: the table's own order
        std::shared_ptr<const Texts> texts; ///< null: no filter
        TextMatcher matcher;
        bool isDescending = false;
        int rows = 0;
    };
    static std::vector<int> arranged(const Order& order);

    void forget();
    void arrange();
    bool read(qint64 milliseconds); ///< whether all is read
    void readKey(Keys& keys, int row) const;
    Order order() const;
    void takeOver(std::vector<int> rows);
    void setRows(std::vector<int> rows);

    RowModel* m_model;
    TextMatcher m_matcher;
    int m_column = -1;
    bool m_isDescending = false;
    std::vector<int> m_rows;   ///< of the table, by visible row
    std::vector<int> m_places; ///< visible row by row of the table; -1: filtered out
    std::shared_ptr<Keys> m_keys;
    std::shared_ptr<Texts> m_texts;
    QBasicTimer m_slices;
    QFutureWatcher<std::vector<int>> m_arranging;
};

} // namespace arenascope::ui
