// SPDX-License-Identifier: MIT
#pragma once

#include "ui/models/row_model.h"

#include <arenascope/study.h>

#include <memory>

namespace arenascope::ui {

/// The branches of a network with their two memories, one row a BranchId.
class BranchesModel : public RowModel {
    Q_OBJECT
public:
    enum ColumnIndex { NumberColumn, FromColumn, ToColumn, OperatorsColumn, UnitsColumn, FirstColumn, SecondColumn, DesignatedColumn };

    explicit BranchesModel(QObject* parent = nullptr);
    void setStudy(std::shared_ptr<const Study> study);

    Item itemAt(int row) const override;
    int rowOf(Item item) const override;
    Item::Kind itemKind() const override { return Item::Kind::Branch; }
    QVariant raw(int row, int column) const override;

protected:
    int rows() const override;

private:
    QVariant nameOf(OpId id) const;

    std::shared_ptr<const Study> m_study;
};

} // namespace arenascope::ui
