// SPDX-License-Identifier: MIT
// Contents of operators that pick, place, find or sort elements.
#include "core/src/import/onnx/eval.h"

#include <algorithm>
#include <numeric>

namespace arenascope::onnx_import {

namespace {

/// An index along an axis, counted from the end where negative; fails outside.
std::size_t positionOf(std::int64_t index, std::int64_t extent)
{
    if (index < 0)
        index += extent;
    if (index < 0 || index >= extent)
        failInference("an index is outside its tensor");
    return static_cast<std::size_t>(index);
}

void copyCell(const Cells& from, std::size_t i, Cells& to, std::size_t k)
{
    to.bits[k] = from.bits[i];
    if (!from.isKnownAt(i))
        to.setUnknown(k);
    else if (!to.known.empty())
        to.known[k] = true;
}

/// Extents before and after an axis multiplied out, and the extent along it.
struct AxisView {
    std::size_t outer, extent, inner;
};

AxisView viewAlong(const Cells& cells, std::size_t axis)
{
    const std::span<const std::int64_t> dims = cells.dims;
    return {static_cast<std::size_t>(productOf(dims.first(axis))), static_cast<std::size_t>(dims[axis]),
            static_cast<std::size_t>(productOf(dims.subspan(axis + 1)))};
}

void evaluateGather(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const Cells& source = e.in(0);
    const auto indices = e.in(1).integers();
    if (!indices)
        return;
    const std::size_t axis = normalizedAxis(e.node.intAttribute("axis", 0), source.dims.size());
    Cells result = zeroCells(source.type, dims);
    if (result.size() > 0) {
        const AxisView view = viewAlong(source, axis);
        std::size_t to = 0;
        for (std::size_t outer = 0; outer < view.outer; ++outer) {
            for (const std::int64_t index : *indices) {
                const std::size_t row = outer * view.extent + positionOf(index, source.dims[axis]);
                for (std::size_t inner = 0; inner < view.inner; ++inner)
                    copyCell(source, row * view.inner + inner, result, to++);
            }
        }
    }
    e.outputs[0] = std::move(result);
}

/// Calls back with each position of `indices` and the position in `source` that it names along the axis.
template <class Visitor>
void visitElements(const Cells& indices, const std::vector<std::int64_t>& values, const Cells& source, std::size_t axis,
                   Visitor&& visit)
{
    if (indices.dims.size() != source.dims.size())
        failInference("indices have another rank than the data");
    const auto strides = stridesOf(source.dims);
    std::vector<std::int64_t> at(indices.dims.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::size_t position = 0;
        for (std::size_t d = 0; d < at.size(); ++d) {
            const std::int64_t coordinate = d == axis ? values[i] : at[d];
            position += positionOf(coordinate, source.dims[d]) * static_cast<std::size_t>(strides[d]);
        }
        visit(i, position);
        for (std::size_t d = at.size(); d-- > 0;) {
            if (++at[d] < indices.dims[d])
                break;
            at[d] = 0;
        }
    }
}

void evaluateGatherElements(Evaluation& e)
{
    const Cells& source = e.in(0);
    const auto indices = e.in(1).integers();
    if (!indices)
        return;
    const std::size_t axis = normalizedAxis(e.node.intAttribute("axis", 0), source.dims.size());
    Cells result = zeroCells(source.type, e.outputDims(0));
    if (result.size() != indices->size())
        return;
    visitElements(e.in(1), *indices, source, axis,
                  [&](std::size_t i, std::size_t position) { copyCell(source, position, result, i); });
    e.outputs[0] = std::move(result);
}

void evaluateScatterElements(Evaluation& e)
{
    if (e.node.stringAttribute("reduction", "none") != "none" || !e.has(2))
        return;
    const auto indices = e.in(1).integers();
    if (!indices || e.in(2).size() != indices->size() || e.in(2).type != e.in(0).type)
        return;
    const std::size_t axis = normalizedAxis(e.node.intAttribute("axis", 0), e.in(0).dims.size());
    Cells result = e.in(0);
    visitElements(e.in(1), *indices, e.in(0), axis,
                  [&](std::size_t i, std::size_t position) { copyCell(e.in(2), i, result, position); });
    e.outputs[0] = std::move(result);
}

/// Calls back with each index tuple's number and the first element that it names; `inner` elements follow each.
template <class Visitor>
void visitTuples(const Cells& indices, const std::vector<std::int64_t>& values, const Cells& source,
                 std::size_t batchDims, Visitor&& visit)
{
    if (indices.dims.empty())
        failInference("indices need at least one dimension");
    const auto width = static_cast<std::size_t>(indices.dims.back());
    if (batchDims + width > source.dims.size() || batchDims >= indices.dims.size())
        failInference("an index has more parts than the data has dimensions");
    const auto strides = stridesOf(source.dims);
    const std::size_t tuples = width == 0 ? 0 : values.size() / width;
    const auto batches = static_cast<std::size_t>(productOf(std::span(indices.dims).first(batchDims)));
    const std::size_t batchSize = batchDims == 0 ? 0 : static_cast<std::size_t>(strides[batchDims - 1]);
    for (std::size_t t = 0; t < tuples; ++t) {
        std::size_t position = t / std::max<std::size_t>(tuples / std::max<std::size_t>(batches, 1), 1) * batchSize;
        for (std::size_t d = 0; d < width; ++d) {
            position += positionOf(values[t * width + d], source.dims[batchDims + d])
                * static_cast<std::size_t>(strides[batchDims + d]);
        }
        visit(t, position);
    }
}

std::size_t sliceSize(const Cells& source, std::size_t leading)
{
    return static_cast<std::size_t>(productOf(std::span(source.dims).subspan(leading)));
}

void evaluateGatherNd(Evaluation& e)
{
    const Cells& source = e.in(0);
    const auto indices = e.in(1).integers();
    const std::int64_t batchDims = e.node.intAttribute("batch_dims", 0);
    if (!indices || e.in(1).dims.empty() || batchDims < 0 || batchDims > static_cast<std::int64_t>(kMaxRank))
        return;
    Cells result = zeroCells(source.type, e.outputDims(0));
    const auto leading = static_cast<std::size_t>(batchDims + e.in(1).dims.back());
    if (leading > source.dims.size())
        return;
    const std::size_t inner = sliceSize(source, leading);
    visitTuples(e.in(1), *indices, source, static_cast<std::size_t>(batchDims), [&](std::size_t t, std::size_t at) {
        for (std::size_t k = 0; k < inner; ++k) {
            if (at + k >= source.size() || t * inner + k >= result.size())
                failInference("an index is outside its tensor");
            copyCell(source, at + k, result, t * inner + k);
        }
    });
    e.outputs[0] = std::move(result);
}

void evaluateScatterNd(Evaluation& e)
{
    if (e.node.stringAttribute("reduction", "none") != "none" || !e.has(2))
        return;
    const auto indices = e.in(1).integers();
    if (!indices || e.in(1).dims.empty() || e.in(2).type != e.in(0).type
        || e.in(1).dims.back() > static_cast<std::int64_t>(e.in(0).dims.size()))
        return;
    Cells result = e.in(0);
    const Cells& updates = e.in(2);
    const std::size_t inner = sliceSize(result, static_cast<std::size_t>(e.in(1).dims.back()));
    visitTuples(e.in(1), *indices, e.in(0), 0, [&](std::size_t t, std::size_t at) {
        for (std::size_t k = 0; k < inner; ++k) {
            if (at + k >= result.size() || t * inner + k >= updates.size())
                failInference("an index is outside its tensor");
            copyCell(updates, t * inner + k, result, at + k);
        }
    });
    e.outputs[0] = std::move(result);
}

bool isNonZero(const Cells& cells, std::size_t i)
{
    return isRealType(cells.type) ? cells.real(i) != 0 : cells.bits[i] != 0;
}

bool isComputable(const Cells& cells)
{
    return isRealType(cells.type) || isIntegerType(cells.type);
}

void evaluateNonZero(Evaluation& e)
{
    const Cells& source = e.in(0);
    if (!source.isAllKnown() || !isComputable(source))
        return;
    Cells result = zeroCells(ElementType::Int64, e.outputDims(0));
    const std::size_t rank = source.dims.size();
    const auto strides = stridesOf(source.dims);
    const std::size_t found = rank == 0 ? 0 : result.size() / rank;
    std::size_t next = 0;
    for (std::size_t i = 0; i < source.size() && next < found; ++i) {
        if (!isNonZero(source, i))
            continue;
        for (std::size_t d = 0; d < rank; ++d)
            result.bits[d * found + next] = static_cast<std::int64_t>(i) / strides[d] % source.dims[d];
        ++next;
    }
    e.outputs[0] = std::move(result);
}

void evaluateCompress(Evaluation& e)
{
    const Cells& source = e.in(0);
    const auto condition = e.in(1).integers();
    const Dims& dims = e.outputDims(0);
    if (!condition || dims.empty())
        return;
    const bool flat = !e.node.attribute("axis");
    const std::size_t axis = flat ? 0 : normalizedAxis(e.node.intAttribute("axis", 0), source.dims.size());
    const AxisView view = flat ? AxisView{1, source.size(), 1} : viewAlong(source, axis);
    Cells result = zeroCells(source.type, dims);
    std::size_t to = 0;
    for (std::size_t row = 0; row < view.outer * view.extent; ++row) {
        const std::size_t along = row % view.extent;
        if (along >= condition->size() || (*condition)[along] == 0)
            continue;
        for (std::size_t k = 0; k < view.inner && to < result.size(); ++k)
            copyCell(source, row * view.inner + k, result, to++);
    }
    e.outputs[0] = std::move(result);
}

void evaluateTopK(Evaluation& e)
{
    const Cells& source = e.in(0);
    if (!source.isAllKnown() || !isComputable(source) || source.dims.empty() || e.outputs.size() < 2)
        return;
    const Dims& dims = e.outputDims(0);
    const std::size_t axis = normalizedAxis(e.node.intAttribute("axis", -1), source.dims.size());
    const bool largest = e.node.intAttribute("largest", 1) != 0;
    const auto less = [&source](std::size_t a, std::size_t b) {
        return isRealType(source.type) ? source.real(a) < source.real(b) : source.bits[a] < source.bits[b];
    };
    Cells values = zeroCells(source.type, dims);
    Cells indices = zeroCells(ElementType::Int64, dims);
    const AxisView view = viewAlong(source, axis);
    const auto kept = static_cast<std::size_t>(dims[axis]);
    if (kept > view.extent)
        return;
    std::vector<std::size_t> order(view.extent);
    for (std::size_t line = 0; line < view.outer * view.inner; ++line) {
        const std::size_t outer = line / view.inner;
        const std::size_t inner = line % view.inner;
        const auto at = [&](std::size_t i) { return (outer * view.extent + i) * view.inner + inner; };
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return largest ? less(at(b), at(a)) : less(at(a), at(b));
        });
        for (std::size_t i = 0; i < kept; ++i) {
            const std::size_t to = (outer * kept + i) * view.inner + inner;
            values.bits[to] = source.bits[at(order[i])];
            indices.bits[to] = static_cast<std::int64_t>(order[i]);
        }
    }
    e.outputs[0] = std::move(values);
    e.outputs[1] = std::move(indices);
}

constexpr EvaluatorEntry kEntries[] = {
    {"Gather", evaluateGather},
    {"GatherElements", evaluateGatherElements},
    {"GatherND", evaluateGatherNd},
    {"Scatter", evaluateScatterElements},
    {"ScatterElements", evaluateScatterElements},
    {"ScatterND", evaluateScatterNd},
    {"NonZero", evaluateNonZero},
    {"Compress", evaluateCompress},
    {"TopK", evaluateTopK},
};

} // namespace

std::span<const EvaluatorEntry> indexingEvaluators()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
