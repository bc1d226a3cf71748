// SPDX-License-Identifier: MIT
#pragma once

#include "core/src/report/json.h"

#include <arenascope/budget.h>

namespace arenascope::report {

/// bytes, fits, over_by_bytes, ways_to_fit (the cheapest three), tried (all).
Json budgetJson(const BudgetReport& report);

} // namespace arenascope::report
