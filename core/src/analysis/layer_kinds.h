// SPDX-License-Identifier: MIT
// What the layers of Caffe, ncnn and Darknet do with bytes; their names mean other things than ONNX's.
#pragma once

#include <arenascope/graph.h>

#include <cstdint>

namespace arenascope::detail {

enum class LayerFormat { None, Caffe, Ncnn, Darknet };

/// By ModelInfo::format; None for all others.
LayerFormat layerFormatOf(const Graph& graph);

enum class LayerBytes : std::uint8_t {
    Own,     ///< its outputs are new bytes
    View,    ///< every output is the first input under another name or shape
    InPlace, ///< element by element: may write over what it reads
    Concat,  ///< inputs end to end along attribute `axis`
    Slice,   ///< outputs end to end, in the first input, along attribute `axis`
    Group,   ///< the output is group `group_id` of `groups` equal ones along dimension 1
};
LayerBytes layerBytes(LayerFormat format, const Operator& op);

} // namespace arenascope::detail
