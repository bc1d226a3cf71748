// SPDX-License-Identifier: MIT
// A .tflite file with other metadata, all else untouched.
//
// Offsets in FlatBuffers lead forward only, so what is new comes in front of the old bytes, which are shifted as a whole and
// otherwise kept: they go on referring to each other. Only the root table is made anew:
//
//     old file    |root|TFL3|  Model, sub-graphs, tensors, buffers, weights ...  |
//     new file    |root|TFL3| new Model | list of buffers | list of metadata | plan |root|TFL3|  all of the old file  |
//                                |              |  |            |                     ^  ^
//                                +--------------|--+------------+---------------------+--+
//
// Fields of the root table that this program does not know are kept, too: nobody can tell whether such a field is a number
// or leads somewhere, so that it must stay where it is. The new table's list of fields simply points to the old place.
#pragma once

#include "core/src/import/tflite/tflite_file.h"

#include <cstdint>
#include <span>
#include <string>

namespace arenascope::tflite_import {

/// The new file. `offsets` belong to all tensors of all sub-graphs. Errors: Unsupported (unknown fields too far away, or
/// a file too large for FlatBuffers).
Result<std::string> withOfflinePlan(const TfliteFile& file, std::span<const std::int32_t> offsets);

} // namespace arenascope::tflite_import
