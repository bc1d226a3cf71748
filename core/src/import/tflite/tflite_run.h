// SPDX-License-Identifier: MIT
// What runs of a .tflite file, in order: the main sub-graph, and wherever an operator calls others, those.
//
//     step   operator             writes                      reads
//       0    conv                 x                           input
//       1    if                   y, a (input of "then")      x, condition
//       2    ... operators of "then", then of its own calls
//       3    if/then end                                      outputs of "then"
//       4    if/else              b (input of "else")
//       5    ... operators of "else"
//       6    if/end                                           outputs of "else", x, condition, y
//       7    what follows in the main sub-graph
//
// So that lifetimes are those of TensorFlow Lite Micro (AllocationInfoBuilder): what the call reads and writes is kept through
// the whole call, the inputs of a called sub-graph are born when it begins, its outputs are kept until it ends. That nothing
// of before or after may run in between is said by Operator::runsAfter.
//
// Network inputs that nobody reads are read by an operator before the first one: they are not needed while that runs.
//
// A sub-graph has one set of tensors, however often it is called. Later calls are operators that read all that the first
// ones read and wrote: their tensors are kept from the first call to the last, as in that runtime.
#pragma once

#include "core/src/import/tflite/tflite_file.h"

#include <arenascope/graph_builder.h>

#include <string>
#include <vector>

namespace arenascope::tflite_import {

/// Domain of the operators that mark begin and end of sub-graphs: no file has them.
inline constexpr std::string_view kControlDomain = "arenascope";

/// Adds all that runs. The tensors must have been added; what nobody makes becomes Scratch. Operators of sub-graphs that
/// never run are listed as omissions. Errors: FileCorrupt (a sub-graph that calls itself), TooLarge (calls that repeat
/// others), naming the place.
Status addOperators(const TfliteFile& file, const std::vector<std::string>& names, GraphBuilder& builder);

} // namespace arenascope::tflite_import
