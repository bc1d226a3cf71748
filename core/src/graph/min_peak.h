// SPDX-License-Identifier: MIT
#pragma once

#include <arenascope/schedule.h>

namespace arenascope::detail {

/// The order of the smallest peak, as makeSchedule() says; `file` and `others` are orders that it must not be worse than.
Result<Schedule> minPeakSchedule(const Graph& graph, const Schedule& file, const Schedule& other, const PeakOptions& options,
                                 const std::stop_token& stop, const ProgressFn& progress);

} // namespace arenascope::detail
