// SPDX-License-Identifier: MIT
#include "ui/selection.h"

#include <algorithm>

namespace arenascope::ui {

void Selection::setPlayhead(Step step)
{
    const Step clamped = std::clamp<Step>(step, 0, std::max<Step>(0, m_stepCount - 1));
    if (clamped == m_playhead)
        return;
    m_playhead = clamped;
    emit playheadChanged(m_playhead);
}

void Selection::setStepCount(Step count)
{
    if (count == m_stepCount)
        return;
    m_stepCount = count;
    emit stepCountChanged(m_stepCount);
    setPlayhead(m_playhead);
}

void Selection::select(Item item)
{
    if (item == m_selected)
        return;
    m_selected = item;
    emit selectedChanged(m_selected);
}

void Selection::hover(Item item)
{
    if (item == m_hovered)
        return;
    m_hovered = item;
    emit hoveredChanged(m_hovered);
}

void Selection::setFilter(const QString& text)
{
    if (text == m_filter)
        return;
    m_filter = text;
    emit filterChanged(m_filter);
}

void Selection::clear()
{
    select({});
    hover({});
}

} // namespace arenascope::ui
