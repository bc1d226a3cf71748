// SPDX-License-Identifier: MIT
#pragma once

#include "ui/models/row_model.h"
#include "ui/network_run.h"

#include <memory>

namespace arenascope::ui {

/// Where the time of a run went, one row an operator, by step.
class RunModel : public RowModel {
    Q_OBJECT
public:
    enum ColumnIndex {
        StepColumn, NameColumn, KindColumn, TimeColumn, ShareColumn, UnplannedColumn, ReadColumn, WrittenColumn, WorkspaceColumn,
        EngineColumn
    };

    explicit RunModel(QObject* parent = nullptr);
    void setRun(std::shared_ptr<const RunRecord> run); ///< may be null

    Item itemAt(int row) const override;
    int rowOf(Item item) const override;
    Item::Kind itemKind() const override { return Item::Kind::Operator; }
    QVariant raw(int row, int column) const override;

protected:
    int rows() const override;

private:
    OpId opAt(int row) const;

    std::shared_ptr<const RunRecord> m_run;
    double m_total = 0.0; ///< seconds of all operators in the arena
};

} // namespace arenascope::ui
