// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/shape_dynamic.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace arenascope::onnx_import {

namespace {

struct ShapeOperands {
    std::string_view kind;
    std::uint32_t mask; ///< bit i: operand i
};

constexpr std::uint32_t kAll = ~0U;
constexpr std::uint32_t kFromSecond = ~1U;

// Sorted by name. Operands that are attributes in old opsets are simply not there.
constexpr std::array kShapeOperands = {
    ShapeOperands{"AffineGrid", kFromSecond},
    ShapeOperands{"BlackmanWindow", kAll},
    ShapeOperands{"CenterCropPad", kFromSecond},
    ShapeOperands{"Col2Im", kFromSecond},
    ShapeOperands{"ConstantOfShape", kAll},
    ShapeOperands{"DFT", kFromSecond},
    ShapeOperands{"Expand", kFromSecond},
    ShapeOperands{"HammingWindow", kAll},
    ShapeOperands{"HannWindow", kAll},
    ShapeOperands{"MaxUnpool", 1U << 2},
    ShapeOperands{"MelWeightMatrix", kAll},
    ShapeOperands{"OneHot", 1U << 1},
    ShapeOperands{"Pad", (1U << 1) | (1U << 3)},
    ShapeOperands{"Range", kAll},
    ShapeOperands{"ReduceL1", kFromSecond},
    ShapeOperands{"ReduceL2", kFromSecond},
    ShapeOperands{"ReduceLogSum", kFromSecond},
    ShapeOperands{"ReduceLogSumExp", kFromSecond},
    ShapeOperands{"ReduceMax", kFromSecond},
    ShapeOperands{"ReduceMean", kFromSecond},
    ShapeOperands{"ReduceMin", kFromSecond},
    ShapeOperands{"ReduceProd", kFromSecond},
    ShapeOperands{"ReduceSum", kFromSecond},
    ShapeOperands{"ReduceSumSquare", kFromSecond},
    ShapeOperands{"Reshape", kFromSecond},
    ShapeOperands{"Resize", kFromSecond},
    ShapeOperands{"STFT", (1U << 1) | (1U << 3)},
    ShapeOperands{"Slice", kFromSecond},
    ShapeOperands{"Split", kFromSecond},
    ShapeOperands{"SplitToSequence", kFromSecond},
    ShapeOperands{"Squeeze", kFromSecond},
    ShapeOperands{"Tile", kFromSecond},
    ShapeOperands{"TopK", kFromSecond},
    ShapeOperands{"Unsqueeze", kFromSecond},
    ShapeOperands{"Upsample", kFromSecond},
};
static_assert(std::ranges::is_sorted(kShapeOperands, {}, &ShapeOperands::kind));

constexpr std::array<std::string_view, 11> kDataDependent = {
    "NonZero", "NonMaxSuppression", "Unique", "Compress", "If", "Loop", "Scan", "SequenceMap", "StringSplit",
    "StringNormalizer", "ImageDecoder"};

} // namespace

bool isShapeGiving(std::string_view kind, std::size_t index)
{
    const auto it = std::ranges::lower_bound(kShapeOperands, kind, {}, &ShapeOperands::kind);
    return it != kShapeOperands.end() && it->kind == kind && index < 32 && ((it->mask >> index) & 1) != 0;
}

bool hasDataDependentShape(std::string_view kind)
{
    return std::ranges::find(kDataDependent, kind) != kDataDependent.end();
}

} // namespace arenascope::onnx_import
