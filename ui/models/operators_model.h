// SPDX-License-Identifier: MIT
#pragma once

#include "ui/models/row_model.h"

#include <arenascope/study.h>

#include <memory>

namespace arenascope::ui {

/// The operators of a network, one row an OpId. Columns that need a study are empty without one.
class OperatorsModel : public RowModel {
    Q_OBJECT
public:
    enum ColumnIndex { StepColumn, NameColumn, KindColumn, ShapeColumn, WritesColumn, ReadsColumn, LiveColumn, BranchColumn, SideColumn };

    explicit OperatorsModel(QObject* parent = nullptr);
    /// Any may be null; `study` belongs to `graph`.
    void setContent(std::shared_ptr<const Graph> graph, std::shared_ptr<const Study> study);

    Item itemAt(int row) const override;
    int rowOf(Item item) const override;
    Item::Kind itemKind() const override { return Item::Kind::Operator; }
    QVariant raw(int row, int column) const override;

protected:
    int rows() const override;
    QString toolTip(int row, int column) const override;

private:
    std::shared_ptr<const Graph> m_graph;
    std::shared_ptr<const Study> m_study;
};

} // namespace arenascope::ui
