// SPDX-License-Identifier: MIT
// Why an arena is not smaller: what is proven, and which other option would allow less.
#pragma once

#include <arenascope/study.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace arenascope::ui {

/// One option changed, all others as they are.
struct Alternative {
    enum class Change { AliasInPlace, AliasAll, OrderMinPeak } change = Change::AliasInPlace;
    StudyOptions options;       ///< with the change
    std::optional<Bytes> bound; ///< the lower bound with it; nothing where it cannot be worked out
};

/// Alias in place, alias all, and the order with the smallest peak, in this order, without what is chosen already or is part
/// of it (in place under all). Stopped: those that were finished. As long as makeStudy() for each.
std::vector<Alternative> findAlternatives(const Study& present, std::stop_token stop = {});

/// No valid arena is smaller: the live bytes at the peak, or what a search has proven.
Bytes provenBoundOf(const PlanOutcome& outcome);
/// The arena is as small as its bound, or its strategy has proven that there is no smaller one.
bool isProvenSmallest(const PlanOutcome& outcome);

} // namespace arenascope::ui
