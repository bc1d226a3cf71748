// SPDX-License-Identifier: MIT
// What one item means to the others: the bytes of an operator, the operators of a buffer, and all of it in words.
#pragma once

#include "ui/selection.h"

#include <arenascope/study.h>

#include <QString>

#include <vector>

namespace arenascope::ui {

/// What is lit together with an item, each list sorted and distinct.
struct Related {
    std::vector<OpId> operators;  ///< that write it
    std::vector<TensorId> tensors;
    std::vector<BufferId> buffers;
};
/// `outcome` may be null: then buffers and branches mean nothing yet.
Related relatedTo(const Graph& graph, const PlanOutcome* outcome, Item item);

/// Name, kind, shape, bytes, buffer, offset and live range as rich text; empty for None. Names are escaped.
QString itemTooltip(const Graph& graph, const PlanOutcome* outcome, Item item);

/// "5.74 MiB"
QString bytesText(Bytes bytes);
/// "5.74 MiB (6,021,120 B)"; the second part only where it tells more.
QString exactBytesText(Bytes bytes);
QString textOf(std::string_view words);

} // namespace arenascope::ui
