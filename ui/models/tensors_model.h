// SPDX-License-Identifier: MIT
#pragma once

#include "ui/models/row_model.h"

#include <arenascope/study.h>

#include <memory>

namespace arenascope::ui {

/// The tensors of a network: activations, and weights and constants on request.
class TensorsModel : public RowModel {
    Q_OBJECT
public:
    enum ColumnIndex { NameColumn, TypeColumn, ShapeColumn, SizeColumn, RoleColumn, FirstColumn, LastColumn, OffsetColumn, SharesColumn, ReadersColumn };

    explicit TensorsModel(QObject* parent = nullptr);
    /// Any may be null; an outcome of another graph is ignored.
    void setContent(std::shared_ptr<const Graph> graph, std::shared_ptr<const PlanOutcome> outcome);
    bool showsWeights() const { return m_showsWeights; }
    void setShowsWeights(bool on);

    Item itemAt(int row) const override;
    int rowOf(Item item) const override;
    Item::Kind itemKind() const override { return Item::Kind::Tensor; }
    QVariant raw(int row, int column) const override;

protected:
    int rows() const override { return static_cast<int>(m_ids.size()); }
    QString toolTip(int row, int column) const override;

private:
    void collect();
    QVariant planned(TensorId id, int column) const;

    std::shared_ptr<const Graph> m_graph;
    std::shared_ptr<const PlanOutcome> m_outcome;
    std::vector<LiveRange> m_ranges; ///< by TensorId
    std::vector<TensorId> m_ids;     ///< by row
    std::vector<int> m_rowOf;        ///< by TensorId
    bool m_showsWeights = false;
};

} // namespace arenascope::ui
