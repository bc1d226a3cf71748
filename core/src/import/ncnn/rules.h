// SPDX-License-Identifier: MIT
// What each kind of ncnn layer makes of its input. Source: https://github.com/Tencent/ncnn (src/layer) and
// https://github.com/Tencent/ncnn/wiki/operators. Shapes have no batch: W, HxW, CxHxW or CxDxHxW.
#pragma once

#include "core/src/import/ncnn/param_file.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace arenascope::ncnn {

struct NcnnLayer : layered::Layer {
    const Params& params;

    std::int64_t number(int id, std::int64_t usual, const std::string& name, std::int64_t low = 0,
                        std::int64_t high = layered::kLargestExtent) const
    {
        return inRange(name + " (" + std::to_string(id) + "=)", params.integer(id, usual), low, high);
    }
    /// All outputs have this shape.
    std::vector<Shape> all(const Shape& shape) const { return std::vector<Shape>(outputs.size(), shape); }
};

/// One shape an output.
using Rule = std::vector<Shape> (*)(NcnnLayer&);
using RuleEntry = std::pair<std::string_view, Rule>;

/// Nothing where the kind is not known.
Rule findRule(std::string_view kind);

// Families of layers, one a file.
std::span<const RuleEntry> windowRules();   ///< convolutions and pooling
std::span<const RuleEntry> movementRules(); ///< what moves, joins and cuts
std::span<const RuleEntry> otherRules();    ///< element by element, matrices, recurrent, detection

/// The three extents of a picture; one channel where there are two dimensions.
struct Picture {
    std::int64_t c = kUnknownDim;
    std::int64_t h = kUnknownDim;
    std::int64_t w = kUnknownDim;
    Shape shape() const { return Shape::of({c, h, w}); }
};
Picture pictureOf(const NcnnLayer& layer, std::size_t input = 0);

} // namespace arenascope::ncnn
