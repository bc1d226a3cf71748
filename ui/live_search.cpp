// SPDX-License-Identifier: MIT
#include "ui/live_search.h"

#include <utility>

namespace arenascope::ui {

void LiveSearch::offer(const Plan& plan)
{
    Plan copy = plan; // before the lock: nobody waits for it
    const std::lock_guard lock(m_mutex);
    m_newest = std::move(copy);
}

std::optional<Plan> LiveSearch::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_newest, std::nullopt);
}

void LiveSearch::setShown(ColourKeeper::Before shown)
{
    const std::lock_guard lock(m_mutex);
    std::swap(m_shown, shown);
}

ColourKeeper::Before LiveSearch::shown() const
{
    const std::lock_guard lock(m_mutex);
    return m_shown;
}

} // namespace arenascope::ui
