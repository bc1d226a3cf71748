// SPDX-License-Identifier: MIT
// Contents of operators that run along axes: Reduce..., ArgMax, ArgMin, CumSum.
#include "core/src/import/onnx/eval.h"

#include <cmath>
#include <limits>

namespace arenascope::onnx_import {

namespace {

using std::int64_t;
using std::uint64_t;

/// Position in the reduced tensor of each element of the source: strides that are 0 along reduced axes.
std::vector<int64_t> reducedStrides(const Dims& dims, const std::vector<bool>& reduced)
{
    Dims kept = dims;
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
        kept[axis] = reduced[axis] ? 1 : dims[axis];
    auto strides = stridesOf(kept);
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
        strides[axis] = reduced[axis] ? 0 : strides[axis];
    return strides;
}

/// Calls back with each element of the source and its place in the reduced tensor.
template <class Visitor>
void visitReduced(const Cells& source, const std::vector<bool>& reduced, Visitor&& visit)
{
    const auto own = stridesOf(source.dims);
    const auto target = reducedStrides(source.dims, reduced);
    for (std::size_t i = 0; i < source.size(); ++i) {
        int64_t place = 0;
        for (std::size_t axis = 0; axis < source.dims.size(); ++axis)
            place += static_cast<int64_t>(i) / own[axis] % source.dims[axis] * target[axis];
        visit(i, static_cast<std::size_t>(place));
    }
}

std::optional<std::vector<bool>> reducedAxes(Evaluation& e, std::size_t rank)
{
    auto axes = e.node.intsAttribute("axes");
    if (e.node.hasInput(1)) {
        axes = e.node.integersOf(1);
        if (!axes)
            return std::nullopt;
    }
    if (!axes || axes->empty()) {
        const bool none = e.node.intAttribute("noop_with_empty_axes", 0) != 0;
        return std::vector<bool>(rank, !none);
    }
    return axisMask(*axes, rank);
}

bool isMaximum(std::string_view kind) { return kind == "ReduceMax"; }
bool isExtreme(std::string_view kind) { return kind == "ReduceMax" || kind == "ReduceMin"; }

/// The result so far with one more element; `first`: there is no result yet.
int64_t combined(std::string_view kind, int64_t result, int64_t element, bool first)
{
    if (kind == "ReduceProd")
        return static_cast<int64_t>(static_cast<uint64_t>(result) * static_cast<uint64_t>(element));
    if (isExtreme(kind))
        return first || (isMaximum(kind) ? element > result : element < result) ? element : result;
    return static_cast<int64_t>(static_cast<uint64_t>(result) + static_cast<uint64_t>(element));
}

double combined(std::string_view kind, double result, double element, bool first)
{
    if (kind == "ReduceProd")
        return result * element;
    if (isExtreme(kind))
        return first || (isMaximum(kind) ? element > result : element < result) ? element : result;
    return result + element;
}

/// ReduceSum, ReduceMean (floating point), ReduceProd, ReduceMax, ReduceMin.
void evaluateReduce(Evaluation& e)
{
    const Cells& source = e.in(0);
    const std::string_view kind = e.node.kind();
    const bool real = isRealType(source.type);
    if ((!real && (!isIntegerType(source.type) || kind == "ReduceMean")) || source.type == ElementType::UInt64)
        return;
    const auto axes = reducedAxes(e, source.dims.size());
    if (!axes || (source.size() == 0 && isExtreme(kind)))
        return;
    Cells result = zeroCells(source.type, e.outputDims(0));
    if (kind == "ReduceProd") {
        for (std::size_t i = 0; i < result.size(); ++i)
            real ? result.setReal(i, 1.0) : void(result.bits[i] = 1);
    }
    std::vector<std::size_t> counts(result.size(), 0);
    visitReduced(source, *axes, [&](std::size_t from, std::size_t to) {
        if (to >= result.size())
            failInference("the output is smaller than the reduction");
        const bool first = counts[to]++ == 0;
        if (!source.isKnownAt(from))
            result.setUnknown(to);
        else if (real)
            result.setReal(to, combined(kind, result.real(to), source.real(from), first));
        else
            result.bits[to] = combined(kind, result.bits[to], source.bits[from], first);
    });
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (kind == "ReduceMean")
            result.setReal(i, result.real(i) / static_cast<double>(counts[i]));
        normalize(result, i);
    }
    e.outputs[0] = std::move(result);
}

void evaluateArg(Evaluation& e)
{
    const Cells& source = e.in(0);
    if (!source.isAllKnown() || source.type == ElementType::UInt64 || source.size() == 0
        || (!isRealType(source.type) && !isIntegerType(source.type)))
        return;
    const std::size_t axis = normalizedAxis(e.node.intAttribute("axis", 0), source.dims.size());
    const bool last = e.node.intAttribute("select_last_index", 0) != 0;
    const bool maximum = e.node.kind() == "ArgMax";
    std::vector<bool> reduced(source.dims.size(), false);
    reduced[axis] = true;
    Cells result = zeroCells(ElementType::Int64, e.outputDims(0));
    std::vector<std::size_t> best(result.size(), source.size());
    const int64_t stride = stridesOf(source.dims)[axis];
    const auto before = [&](std::size_t a, std::size_t b) {
        return isRealType(source.type) ? source.real(a) < source.real(b) : source.bits[a] < source.bits[b];
    };
    visitReduced(source, reduced, [&](std::size_t from, std::size_t to) {
        if (to >= result.size())
            failInference("the output is smaller than the reduction");
        const bool first = best[to] == source.size();
        const bool better = !first && (maximum ? before(best[to], from) : before(from, best[to]));
        const bool worse = !first && (maximum ? before(from, best[to]) : before(best[to], from));
        if (first || better || (last && !worse)) {
            best[to] = from;
            result.bits[to] = static_cast<int64_t>(from) / stride % source.dims[axis];
        }
    });
    e.outputs[0] = std::move(result);
}

void evaluateCumSum(Evaluation& e)
{
    const Cells& source = e.in(0);
    const auto axisInput = e.node.integerOf(1);
    if (!axisInput || !source.isAllKnown() || (!isRealType(source.type) && !isIntegerType(source.type)))
        return;
    const std::size_t axis = normalizedAxis(*axisInput, source.dims.size());
    const bool exclusive = e.node.intAttribute("exclusive", 0) != 0;
    const bool reverse = e.node.intAttribute("reverse", 0) != 0;
    Cells result = zeroCells(source.type, e.outputDims(0));
    const auto stride = static_cast<std::size_t>(stridesOf(source.dims)[axis]);
    const auto extent = static_cast<std::size_t>(source.dims[axis]);
    const auto along = [&](std::size_t i) { return i / stride % extent; };
    for (std::size_t n = 0; n < source.size(); ++n) {
        const std::size_t i = reverse ? source.size() - 1 - n : n;
        const bool first = reverse ? along(i) == extent - 1 : along(i) == 0;
        const std::size_t previous = first ? i : reverse ? i + stride : i - stride;
        // What comes before i: the running sum, with the element there where it is not in it.
        const std::size_t added = exclusive ? previous : i;
        const bool nothing = exclusive && first;
        if (isRealType(source.type)) {
            result.setReal(i, (first ? 0.0 : result.real(previous)) + (nothing ? 0.0 : source.real(added)));
        } else {
            const auto sum = static_cast<uint64_t>(first ? 0 : result.bits[previous])
                + static_cast<uint64_t>(nothing ? 0 : source.bits[added]);
            result.bits[i] = static_cast<int64_t>(sum);
        }
        normalize(result, i);
    }
    e.outputs[0] = std::move(result);
}

constexpr EvaluatorEntry kEntries[] = {
    {"ReduceSum", evaluateReduce},
    {"ReduceMean", evaluateReduce},
    {"ReduceProd", evaluateReduce},
    {"ReduceMax", evaluateReduce},
    {"ReduceMin", evaluateReduce},
    {"ArgMax", evaluateArg},
    {"ArgMin", evaluateArg},
    {"CumSum", evaluateCumSum},
};

} // namespace

std::span<const EvaluatorEntry> reductionEvaluators()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
