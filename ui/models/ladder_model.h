// SPDX-License-Identifier: MIT
#pragma once

#include "ui/models/row_model.h"

#include <arenascope/report.h>

#include <memory>

namespace arenascope::ui {

/// The strategies compared, one row a rung in the order of the ladder.
class LadderModel : public RowModel {
    Q_OBJECT
public:
    enum ColumnIndex { StrategyColumn, ArenaColumn, GapColumn, NaiveColumn, TimeColumn, StateColumn };

    explicit LadderModel(QObject* parent = nullptr);
    void setRungs(std::vector<LadderRung> rungs);
    /// The chosen strategy is shown in bold; `chosen` is what `auto` chose.
    void setCurrent(const QString& strategy, const QString& chosen);

    QString strategyAt(int row) const;
    int rowOfStrategy(const QString& id) const;
    Item itemAt(int) const override { return {}; }
    int rowOf(Item) const override { return -1; }
    Item::Kind itemKind() const override { return Item::Kind::None; }
    QVariant raw(int row, int column) const override;

protected:
    int rows() const override { return static_cast<int>(m_rungs.size()); }
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;
    bool isEmphasised(int row) const override;

private:
    QString stateText(const LadderRung& rung) const;

    std::vector<LadderRung> m_rungs;
    QString m_strategy;
    QString m_chosen;
};

} // namespace arenascope::ui
