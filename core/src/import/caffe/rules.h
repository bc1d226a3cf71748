// SPDX-License-Identifier: MIT
// What each kind of Caffe layer makes of its input. Source: https://github.com/BVLC/caffe (src/caffe/layers) and, for detection
// layers, https://github.com/weiliu89/caffe/tree/ssd.
#pragma once

#include "core/src/import/layered/layer.h"

#include <caffe_net.pb.h>

#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arenascope::caffe {

struct CaffeLayer : layered::Layer {
    const LayerParameter& p;
    std::unordered_map<std::string, TensorId>& shared; ///< weights that several layers use, by the name they have in `param`
    std::size_t weights = 0;                           ///< how many the layer has

    /// The next weight; its name in `param` may say that it is another layer's.
    void nextWeight(const std::string& suffix, const layered::Dims& dims);
    std::vector<Shape> all(const Shape& shape) const { return std::vector<Shape>(outputs.size(), shape); }
    /// Of the usual rank where it is not known.
    Shape blob(std::size_t i, std::size_t usualRank = 4) const;
    /// A blob of four dimensions; mismatch() where it has others.
    Shape picture(std::size_t i) const;
};

/// One shape an output.
using Rule = std::vector<Shape> (*)(CaffeLayer&);
using RuleEntry = std::pair<std::string_view, Rule>;

/// Nothing where the kind is not known.
Rule findRule(std::string_view kind);
/// Whether a layer that names no output has one all the same, under its own name.
bool isLoss(std::string_view kind);

// Families of layers, one a file.
std::span<const RuleEntry> windowRules();
std::span<const RuleEntry> movementRules();
std::span<const RuleEntry> otherRules();

/// What a layer without inputs feeds into the network, by its outputs; nothing where it holds a weight (Parameter).
std::vector<Shape> fedShapes(const layered::Layer& layer, const LayerParameter& p);

} // namespace arenascope::caffe
