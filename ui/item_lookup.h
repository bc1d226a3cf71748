// SPDX-License-Identifier: MIT
// What belongs to what: operator -> the tensor it makes -> the buffer that holds it -> the branch.
#pragma once

#include "ui/selection.h"

#include <arenascope/study.h>

namespace arenascope::ui {

/// The item of `kind` that stands for `item` in a table of that kind, or none: an operator's first output, a tensor's
/// producer, the buffer that a tensor lives in, the branch of an operator. `study` may be null: then only what the graph
/// itself tells.
Item counterpart(const Graph& graph, const Study* study, Item item, Item::Kind kind);

/// The step at which to show an item: of the operator, of the tensor's or buffer's first write, of the branch's first
/// operator. -1: none.
Step stepOf(const Graph& graph, const Study& study, Item item);

/// The name of an item as tables call it.
QString nameOf(const Graph& graph, const Study* study, Item item);

} // namespace arenascope::ui
