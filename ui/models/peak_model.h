// SPDX-License-Identifier: MIT
#pragma once

#include "ui/models/row_model.h"

#include <arenascope/study.h>

#include <memory>

namespace arenascope::ui {

/// What is alive at one step and why, largest first: the answer to "why so much".
class PeakModel : public RowModel {
    Q_OBJECT
public:
    enum ColumnIndex { NameColumn, SizeColumn, ShareColumn, WhyColumn, MadeByColumn, FirstColumn, LastColumn };

    explicit PeakModel(QObject* parent = nullptr);
    /// `step` in [0, steps); a null study empties the table.
    void setContent(std::shared_ptr<const Study> study, Step step);
    Step step() const { return m_step; }

    Item itemAt(int row) const override;
    int rowOf(Item item) const override;
    Item::Kind itemKind() const override { return Item::Kind::Buffer; }
    QVariant raw(int row, int column) const override;

protected:
    int rows() const override { return static_cast<int>(m_buffers.size()); }

private:
    QString why(const Buffer& buffer) const;

    std::shared_ptr<const Study> m_study;
    Step m_step = 0;
    std::vector<BufferId> m_buffers;
};

} // namespace arenascope::ui
