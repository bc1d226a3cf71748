// SPDX-License-Identifier: MIT
// Normalisations, and reductions along axes.
#include "core/src/import/onnx/shape_rules.h"

namespace arenascope::onnx_import {

void layerNormalization(NodeContext& c, std::int64_t axis, std::size_t mean, std::size_t count)
{
    c.copyInput(0, 0);
    const ElementType statistics = typeAttribute(c, "stash_type", ElementType::Float32);
    for (std::size_t o = mean; o < mean + count; ++o)
        c.setType(o, statistics);
    if (!c.hasShape(0))
        return;
    Dims dims = c.dims(0);
    for (std::size_t d = normalizedAxis(axis, dims.size()); d < dims.size(); ++d)
        dims[d] = 1;
    for (std::size_t o = mean; o < mean + count; ++o)
        c.setDims(o, dims);
}

bool layerNormalizationRule(NodeContext& c)
{
    layerNormalization(c, c.intAttribute("axis", -1), 1, 2);
    return true;
}

namespace {

using enum ElementType;

/// The running and the saved statistics have one element a channel.
bool batchNormalization(NodeContext& c)
{
    c.copyInput(0, 0);
    std::int64_t channels = kUnknownDim;
    if (c.hasShape(0) && c.rank(0) > 1)
        channels = c.dims(0)[1];
    if (c.hasShape(1) && c.rank(1) == 1)
        channels = mergeExtents(channels, c.dims(1)[0]);
    for (std::size_t o = 1; o < c.outputCount(); ++o)
        c.set(o, c.opset() >= 14 && c.type(3) != Undefined ? c.type(3) : c.type(0), {channels});
    return true;
}

bool rmsNormalization(NodeContext& c)
{
    c.copyInput(0, 0);
    if (c.type(1) != Undefined)
        c.setType(0, c.type(1));
    return true;
}

/// The axes that a reduction runs along, by dimension; nothing where they are not known.
std::optional<std::vector<bool>> reducedAxes(NodeContext& c, std::size_t rank)
{
    auto axes = c.intsAttribute("axes");
    if (c.hasInput(1)) {
        axes = c.integersOf(1);
        if (!axes)
            return std::nullopt;
    }
    if (!axes || axes->empty()) {
        const bool none = c.intAttribute("noop_with_empty_axes", 0) != 0;
        return std::vector<bool>(rank, !none);
    }
    return axisMask(*axes, rank);
}

Dims reducedDims(const Dims& dims, const std::vector<bool>& reduced, bool keep)
{
    Dims result;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        if (!reduced[d])
            result.push_back(dims[d]);
        else if (keep)
            result.push_back(1);
    }
    return result;
}

bool reduce(NodeContext& c)
{
    c.setType(0, c.type(0));
    const bool keep = c.intAttribute("keepdims", 1) != 0;
    if (!c.hasShape(0)) {
        // All of it into a scalar, whatever it was.
        if (!keep && !c.attribute("axes") && !c.hasInput(1) && c.intAttribute("noop_with_empty_axes", 0) == 0)
            c.setDims(0, {});
        return true;
    }
    const auto reduced = reducedAxes(c, c.rank(0));
    if (reduced)
        c.setDims(0, reducedDims(c.dims(0), *reduced, keep));
    else if (keep)
        c.setDims(0, Dims(c.rank(0), kUnknownDim));
    return true;
}

bool argumentOf(NodeContext& c)
{
    c.setType(0, Int64);
    if (!c.hasShape(0))
        return true;
    std::vector<bool> reduced(c.rank(0), false);
    reduced[normalizedAxis(c.intAttribute("axis", 0), c.rank(0))] = true;
    c.setDims(0, reducedDims(c.dims(0), reduced, c.intAttribute("keepdims", 1) != 0));
    return true;
}

constexpr ShapeRuleEntry kNormalizations[] = {
    {"BatchNormalization", batchNormalization},
    {"InstanceNormalization", sameAsFirstInput},
    {"GroupNormalization", sameAsFirstInput},
    {"LpNormalization", sameAsFirstInput},
    {"MeanVarianceNormalization", sameAsFirstInput},
    {"LRN", sameAsFirstInput},
    {"LayerNormalization", layerNormalizationRule},
    {"SimplifiedLayerNormalization", layerNormalizationRule}, // ONNX Runtime's, in the standard domain
    {"RMSNormalization", rmsNormalization},
};

constexpr ShapeRuleEntry kReductions[] = {
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceSum", reduce},
    {"ReduceSumSquare", reduce},
    {"ArgMax", argumentOf},
    {"ArgMin", argumentOf},
};

} // namespace

std::span<const ShapeRuleEntry> normalizationRules()
{
    return kNormalizations;
}

std::span<const ShapeRuleEntry> reductionRules()
{
    return kReductions;
}

} // namespace arenascope::onnx_import
