// SPDX-License-Identifier: MIT
#include "ui/views/time_axis.h"

#include <algorithm>
#include <cmath>

namespace arenascope::ui {

namespace {
constexpr double kFewestSteps = 2.0;
}

void TimeAxis::setStepCount(Step count)
{
    count = std::max<Step>(0, count);
    if (count == m_stepCount)
        return;
    m_stepCount = count;
    m_first = 0.0;
    m_last = static_cast<double>(extent());
    emit rangeChanged();
}

void TimeAxis::setRange(double first, double last)
{
    const double all = static_cast<double>(extent());
    if (!std::isfinite(first) || !std::isfinite(last))
        return;
    const double length = std::clamp(last - first, std::min(kFewestSteps, all), all);
    const double begin = std::clamp(first, 0.0, all - length);
    if (begin == m_first && begin + length == m_last)
        return;
    m_first = begin;
    m_last = begin + length;
    emit rangeChanged();
}

void TimeAxis::zoomAt(double step, double factor)
{
    if (!(factor > 0.0))
        return;
    const double all = static_cast<double>(extent());
    const double length = m_last - m_first;
    const double wanted = std::clamp(length / factor, std::min(kFewestSteps, all), all);
    const double share = length > 0 ? (step - m_first) / length : 0.5;
    const double begin = step - share * wanted;
    setRange(begin, begin + wanted);
}

void TimeAxis::pan(double steps)
{
    setRange(m_first + steps, m_last + steps);
}

void TimeAxis::reveal(double first, double last)
{
    if (first >= m_first && last <= m_last)
        return;
    const double length = m_last - m_first;
    if (last - first > length) {
        setRange(first, last);
        return;
    }
    const double begin = first < m_first ? first : last - length;
    setRange(begin, begin + length);
}

void TimeAxis::fitAll()
{
    setRange(0.0, static_cast<double>(extent()));
}

} // namespace arenascope::ui
