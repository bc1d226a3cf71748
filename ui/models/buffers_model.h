// SPDX-License-Identifier: MIT
#pragma once

#include "ui/models/row_model.h"

#include <arenascope/study.h>

#include <memory>

namespace arenascope::ui {

/// The buffers of a plan with where they live, one row a BufferId.
class BuffersModel : public RowModel {
    Q_OBJECT
public:
    enum ColumnIndex { NameColumn, SizeColumn, ReservedColumn, OffsetColumn, EndColumn, FirstColumn, LastColumn, StepsColumn, TensorsColumn, BranchColumn, SideColumn };

    explicit BuffersModel(QObject* parent = nullptr);
    void setOutcome(std::shared_ptr<const PlanOutcome> outcome);

    Item itemAt(int row) const override;
    int rowOf(Item item) const override;
    Item::Kind itemKind() const override { return Item::Kind::Buffer; }
    QVariant raw(int row, int column) const override;

protected:
    int rows() const override;
    QString toolTip(int row, int column) const override;

private:
    std::shared_ptr<const PlanOutcome> m_outcome;
};

} // namespace arenascope::ui
