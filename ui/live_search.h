// SPDX-License-Identifier: MIT
// Where a running search leaves its plans, and where the window takes them from.
#pragma once

#include "ui/buffer_colours.h"

#include <arenascope/plan.h>

#include <mutex>
#include <optional>

namespace arenascope::ui {

/// Keeps the newest plan only: what was not taken before a better one came is never shown. All functions from any thread.
class LiveSearch {
public:
    explicit LiveSearch(ColourKeeper::Before before) : m_shown(std::move(before)) {}

    void offer(const Plan& plan);
    /// The plan offered last, once.
    std::optional<Plan> take();

    /// What is seen now: the next plan keeps its colours where it can.
    void setShown(ColourKeeper::Before shown);
    ColourKeeper::Before shown() const;

private:
    mutable std::mutex m_mutex;
    std::optional<Plan> m_newest;
    ColourKeeper::Before m_shown;
};

} // namespace arenascope::ui
