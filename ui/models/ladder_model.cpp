// SPDX-License-Identifier: MIT
#include "ui/models/ladder_model.h"

#include "ui/opened_plan.h"

#include <algorithm>

namespace arenascope::ui {

namespace {

double naiveChange(const PlanOutcome& outcome)
{
    const Bytes naive = outcome.study->naive;
    return naive > 0 ? static_cast<double>(outcome.plan.arenaSize) / static_cast<double>(naive) - 1.0 : 0.0;
}

} // namespace

LadderModel::LadderModel(QObject* parent)
    : RowModel(
        {
            { tr("Strategy"), Format::Text, {}, 190, true },
            { tr("Arena"), Format::Size, {}, 96 },
            { tr("Above bound"), Format::Change, tr("How much larger than the lower bound of any arena"), 96 },
            { tr("Of naive"), Format::Change, tr("How much smaller than every buffer having its own bytes"), 84 },
            { tr("Time"), Format::Duration, tr("Planning time"), 84 },
            { tr("Result"), Format::Text, tr("Whether the plan is valid, and what is known of smaller ones"), 200 },
        },
        parent)
{
}

void LadderModel::setRungs(std::vector<LadderRung> rungs)
{
    const auto isSame = [](const LadderRung& a, const LadderRung& b) {
        return a.strategy == b.strategy && a.outcome == b.outcome && a.error.has_value() == b.error.has_value();
    };
    if (std::equal(rungs.begin(), rungs.end(), m_rungs.begin(), m_rungs.end(), isSame))
        return;
    beginRows();
    m_rungs = std::move(rungs);
    endRows();
}

void LadderModel::setCurrent(const QString& strategy, const QString& chosen)
{
    if (strategy == m_strategy && chosen == m_chosen)
        return;
    m_strategy = strategy;
    m_chosen = chosen;
    if (rows() > 0)
        emit dataChanged(index(0, 0), index(rows() - 1, columnCount() - 1));
}

QString LadderModel::strategyAt(int row) const
{
    return toQString(m_rungs[static_cast<std::size_t>(row)].strategy);
}

int LadderModel::rowOfStrategy(const QString& id) const
{
    for (int row = 0; row < rows(); ++row) {
        if (strategyAt(row) == id)
            return row;
    }
    return -1;
}

QVariant LadderModel::raw(int row, int column) const
{
    const LadderRung& rung = m_rungs[static_cast<std::size_t>(row)];
    if (column == StrategyColumn)
        return strategyTitle(strategyAt(row));
    if (column == StateColumn)
        return stateText(rung);
    if (!rung.outcome)
        return {};
    switch (column) {
    case ArenaColumn:
        return static_cast<qlonglong>(rung.outcome->plan.arenaSize);
    case GapColumn:
        return rung.outcome->optimalityGap();
    case NaiveColumn:
        return naiveChange(*rung.outcome);
    case TimeColumn:
        if (rung.strategy == kOpenedStrategy)
            return {}; // nobody knows how long others took
        return rung.outcome->plan.planningSeconds;
    default:
        return {};
    }
}

QString LadderModel::stateText(const LadderRung& rung) const
{
    if (!rung.outcome)
        return rung.error ? messageText(*rung.error) : QString();
    const PlanOutcome& outcome = *rung.outcome;
    if (!outcome.isValid())
        return countText(outcome.placement.clashCount + outcome.replay.clashCount, tr("not valid: 1 clash"), tr("not valid: %1 clashes"));
    if (outcome.plan.arenaSize == outcome.study->lowerBound())
        return tr("= bound, proven smallest");
    switch (outcome.plan.completion) {
    case Completion::Optimal:
        return tr("proven smallest");
    case Completion::BestKnown:
        return tr("best known");
    case Completion::Interrupted:
        return tr("stopped; best so far");
    case Completion::Heuristic:
        return tr("valid");
    }
    return {};
}

QString LadderModel::text(int row, int column) const
{
    if (column == StrategyColumn && isEmphasised(row))
        return QStringLiteral("\u25b8 ") + raw(row, column).toString();
    if (column == GapColumn) {
        const QVariant gap = raw(row, column);
        return gap.isValid() && gap.toDouble() == 0.0 ? QStringLiteral("0 %") : RowModel::text(row, column);
    }
    return RowModel::text(row, column);
}

QString LadderModel::toolTip(int row, int column) const
{
    if (column == StrategyColumn)
        return QStringLiteral("%1: %2").arg(strategyAt(row), strategySummary(strategyAt(row)));
    return RowModel::toolTip(row, column);
}

bool LadderModel::isEmphasised(int row) const
{
    const QString id = strategyAt(row);
    return id == m_strategy || id == m_chosen;
}

} // namespace arenascope::ui
