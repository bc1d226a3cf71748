// SPDX-License-Identifier: MIT
// Reductions along any dimensions, arg-reductions and running sums.
#include "core/src/exec/elements.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace arenascope::exec {

namespace {

enum class Reduction { Sum, Mean, Max, Min, Product, L1, L2, SumSquare, LogSum, LogSumExp };

/// Alternating runs of kept and reduced dimensions, joined where neighbours are alike.
struct ReductionLoops {
    Dims kept, keptStrides;
    Dims reduced, reducedStrides;
};

ReductionLoops loopsOf(const Dims& dims, const std::vector<bool>& isReduced)
{
    ReductionLoops loops;
    const Dims strides = stridesOf(dims);
    for (std::size_t d = 0; d < dims.size(); ++d) {
        Dims& extents = isReduced[d] ? loops.reduced : loops.kept;
        Dims& steps = isReduced[d] ? loops.reducedStrides : loops.keptStrides;
        const bool joins = d > 0 && isReduced[d] == isReduced[d - 1];
        if (joins) {
            extents.back() *= dims[d];
            steps.back() = strides[d];
        } else {
            extents.push_back(dims[d]);
            steps.push_back(strides[d]);
        }
    }
    return loops;
}

/// Sums are kept in double; integers exactly as long as they stay below 2^53.
template <class T>
class ReduceKernel : public Kernel {
public:
    ReduceKernel(Reduction reduction, ReductionLoops loops) : m_reduction(reduction), m_loops(std::move(loops)) {}

    void run(const KernelIo& io) override
    {
        Dims at(m_loops.kept.size(), 0);
        T* out = io.out[0].as<T>();
        for (std::int64_t i = 0; i < io.out[0].count; ++i) {
            std::int64_t start = 0;
            for (std::size_t d = 0; d < at.size(); ++d)
                start += at[d] * m_loops.keptStrides[d];
            out[i] = reduce(io.in[0].as<T>() + start);
            nextIndex(at, m_loops.kept);
        }
    }

private:
    template <class Use>
    void forEach(const T* in, Use&& use) const
    {
        if (product(m_loops.reduced) == 0)
            return;
        if (m_loops.reduced.empty())
            return use(static_cast<double>(*in));
        const std::size_t last = m_loops.reduced.size() - 1;
        const auto outer = std::span(m_loops.reduced).first(last);
        Dims at(last, 0);
        do {
            const T* row = in;
            for (std::size_t d = 0; d < last; ++d)
                row += at[d] * m_loops.reducedStrides[d];
            for (std::int64_t i = 0; i < m_loops.reduced[last]; ++i)
                use(static_cast<double>(row[i * m_loops.reducedStrides[last]]));
        } while (nextIndex(at, outer));
    }

    T reduce(const T* in) const
    {
        double value = 0.0;
        switch (m_reduction) {
        case Reduction::Max: return extreme(in, [](T a, T b) { return a > b; }, std::numeric_limits<T>::lowest());
        case Reduction::Min: return extreme(in, [](T a, T b) { return a < b; }, std::numeric_limits<T>::max());
        case Reduction::Product:
            value = 1.0;
            forEach(in, [&](double x) { value *= x; });
            break;
        case Reduction::L1: forEach(in, [&](double x) { value += std::abs(x); }); break;
        case Reduction::L2:
        case Reduction::SumSquare: forEach(in, [&](double x) { value += x * x; }); break;
        case Reduction::LogSumExp: return static_cast<T>(logSumExp(in));
        default: forEach(in, [&](double x) { value += x; });
        }
        if (m_reduction == Reduction::Mean)
            value /= static_cast<double>(product(m_loops.reduced));
        if (m_reduction == Reduction::L2)
            value = std::sqrt(value);
        if (m_reduction == Reduction::LogSum)
            value = std::log(value);
        return static_cast<T>(value);
    }

    double logSumExp(const T* in) const
    {
        double top = -std::numeric_limits<double>::infinity();
        forEach(in, [&](double x) { top = std::max(top, x); });
        if (!std::isfinite(top))
            return top;
        double sum = 0.0;
        forEach(in, [&](double x) { sum += std::exp(x - top); });
        return top + std::log(sum);
    }

    template <class Better>
    T extreme(const T* in, Better better, T fallback) const
    {
        bool isFirst = true;
        T best = fallback;
        forEach(in, [&](double x) {
            const T value = static_cast<T>(x);
            if (isFirst || better(value, best) || value != value)
                best = value;
            isFirst = false;
        });
        return best;
    }

    Reduction m_reduction;
    ReductionLoops m_loops;
};

template <Reduction reduction>
std::unique_ptr<Kernel> makeReduce(const Request& request)
{
    const std::size_t rank = request.rank(0);
    const auto axes = request.listFrom("axes", 1).value_or(Dims());
    const bool isNothing = axes.empty() && request.integer("noop_with_empty_axes", 0) != 0;
    std::vector<bool> isReduced(rank, axes.empty() && !isNothing);
    for (const std::int64_t axis : axes)
        isReduced[request.axis(axis, rank)] = true;
    const ReductionLoops loops = loopsOf(request.dims(0), isReduced);
    if (product(loops.kept) != product(request.outputDims()))
        request.refuse("its axes do not fit its output");
    const ElementType type = request.input(0).type;
    if (!isNumber(type) || request.output(0).type != type)
        request.refuse("'" + request.input(0).name + "' is " + std::string(elementTypeName(type)));
    return withNumber(type, [&](auto number) -> std::unique_ptr<Kernel> {
        return std::make_unique<ReduceKernel<decltype(number)>>(reduction, loops);
    });
}

template <bool isMax>
class ArgKernel : public Kernel {
public:
    ArgKernel(const Lines& lines, bool takesLast) : m_lines(lines), m_takesLast(takesLast) {}
    void run(const KernelIo& io) override
    {
        auto* out = io.out[0].as<std::int64_t>();
        withNumber(io.in[0].type, [&](auto number) {
            using T = decltype(number);
            for (std::int64_t line = 0; line < m_lines.count(); ++line) {
                const T* in = io.in[0].as<T>() + m_lines.start(line);
                std::int64_t best = 0;
                for (std::int64_t i = 1; i < m_lines.length; ++i) {
                    const T value = in[i * m_lines.inner];
                    const T top = in[best * m_lines.inner];
                    if ((isMax ? value > top : value < top) || (m_takesLast && value == top))
                        best = i;
                }
                out[line] = best;
            }
        });
    }

private:
    Lines m_lines;
    bool m_takesLast;
};

template <bool isMax>
std::unique_ptr<Kernel> makeArg(const Request& request)
{
    const Dims& dims = request.dims(0);
    const std::size_t axis = request.axis(request.integer("axis", 0), dims.size());
    if (!isNumber(request.input(0).type) || request.output(0).type != ElementType::Int64)
        request.refuse("its operand is no tensor of numbers");
    const Lines lines = Lines::along(dims, axis);
    request.requireCount(lines.count());
    return std::make_unique<ArgKernel<isMax>>(lines, request.integer("select_last_index", 0) != 0);
}

class CumSumKernel : public Kernel {
public:
    CumSumKernel(const Lines& lines, bool isExclusive, bool isReverse)
        : m_lines(lines), m_isExclusive(isExclusive), m_isReverse(isReverse)
    {
    }
    void run(const KernelIo& io) override
    {
        withNumber(io.in[0].type, [&](auto number) {
            using T = decltype(number);
            for (std::int64_t line = 0; line < m_lines.count(); ++line) {
                const std::int64_t start = m_lines.start(line);
                T sum = T(0);
                for (std::int64_t i = 0; i < m_lines.length; ++i) {
                    const std::int64_t at = start + (m_isReverse ? m_lines.length - 1 - i : i) * m_lines.inner;
                    const T value = io.in[0].as<T>()[at];
                    const T with = static_cast<T>(sum + value);
                    io.out[0].as<T>()[at] = m_isExclusive ? sum : with;
                    sum = with;
                }
            }
        });
    }

private:
    Lines m_lines;
    bool m_isExclusive;
    bool m_isReverse;
};

std::unique_ptr<Kernel> makeCumSum(const Request& request)
{
    if (!isNumber(request.input(0).type))
        request.refuse("its operand is no tensor of numbers");
    request.requireLike(0);
    const std::size_t axis = request.axis(request.constantIntegers(1).at(0), request.rank(0));
    return std::make_unique<CumSumKernel>(Lines::along(request.dims(0), axis), request.integer("exclusive", 0) != 0,
                                          request.integer("reverse", 0) != 0);
}

constexpr KernelEntry kEntries[] = {
    {"ReduceSum", makeReduce<Reduction::Sum>},
    {"ReduceMean", makeReduce<Reduction::Mean>},
    {"ReduceMax", makeReduce<Reduction::Max>},
    {"ReduceMin", makeReduce<Reduction::Min>},
    {"ReduceProd", makeReduce<Reduction::Product>},
    {"ReduceL1", makeReduce<Reduction::L1>},
    {"ReduceL2", makeReduce<Reduction::L2>},
    {"ReduceSumSquare", makeReduce<Reduction::SumSquare>},
    {"ReduceLogSum", makeReduce<Reduction::LogSum>},
    {"ReduceLogSumExp", makeReduce<Reduction::LogSumExp>},
    {"ArgMax", makeArg<true>},
    {"ArgMin", makeArg<false>},
    {"CumSum", makeCumSum},
};

} // namespace

std::span<const KernelEntry> reductionKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
