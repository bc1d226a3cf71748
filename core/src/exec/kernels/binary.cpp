// SPDX-License-Identifier: MIT
// Element by element with two or more operands, stretched to a common shape. An operand that has the output's shape may
// be written over: each element is read before it is written.
#include "core/src/exec/broadcast.h"
#include "core/src/exec/elements.h"
#include "core/src/exec/registry.h"

#include <opencv2/core/utility.hpp>

#include <algorithm>
#include <cmath>

namespace arenascope::exec {

namespace {

/// Below this many elements starting threads costs more than it saves.
constexpr std::int64_t kParallelElements = 1 << 16;

/// Splits [0, count) over the threads. What an element becomes must not depend on where a part begins.
template <class Part>
void inParts(std::int64_t count, Part&& part)
{
    if (count < kParallelElements)
        return part(std::int64_t{0}, count);
    const int parts = std::max(cv::getNumThreads(), 1);
    cv::parallel_for_(cv::Range(0, parts), [&](const cv::Range& range) {
        for (int i = range.start; i < range.end; ++i)
            part(count * i / parts, count * (i + 1) / parts);
    }, parts);
}

template <class T, class R, class Function>
class BinaryLoop : public Kernel {
public:
    BinaryLoop(const Request& request, Function function, const Dims& second)
        : m_function(std::move(function)),
          m_loops(broadcastLoops(request, std::vector<Dims>{request.dims(0), second}, request.outputDims()))
    {
        for (std::size_t i = 0; i < 2; ++i)
            m_isWhole[i] = sizeof(T) == sizeof(R) && product(request.dims(i)) == product(request.outputDims());
    }
    bool runsInPlace(std::size_t i) const override { return i < 2 && m_isWhole[i]; }

    void run(const KernelIo& io) override
    {
        const T* a = io.in[0].as<T>();
        const T* b = io.in[1].as<T>();
        R* out = io.out[0].as<R>();
        if (m_loops.extents.size() <= 1) // a single row
            return inParts(io.out[0].count, [&](std::int64_t from, std::int64_t to) { row(a, b, out, from, to); });
        forEachRow<2>(m_loops, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
            row(a + offsets[0], b + offsets[1], out + at, 0, length);
        });
    }

private:
    void row(const T* a, const T* b, R* out, std::int64_t from, std::int64_t to) const
    {
        const std::int64_t strideA = m_loops.rowStride(0);
        const std::int64_t strideB = m_loops.rowStride(1);
        if (strideA == 1 && strideB == 1) {
            for (std::int64_t i = from; i < to; ++i)
                out[i] = static_cast<R>(m_function(a[i], b[i]));
        } else if (strideA == 1 && strideB == 0) {
            const T right = b[0];
            for (std::int64_t i = from; i < to; ++i)
                out[i] = static_cast<R>(m_function(a[i], right));
        } else if (strideA == 0 && strideB == 1) {
            const T left = a[0];
            for (std::int64_t i = from; i < to; ++i)
                out[i] = static_cast<R>(m_function(left, b[i]));
        } else {
            for (std::int64_t i = from; i < to; ++i)
                out[i] = static_cast<R>(m_function(a[i * strideA], b[i * strideB]));
        }
    }

    Function m_function;
    BroadcastLoops m_loops;
    bool m_isWhole[2] = {false, false};
};

void requireSameType(const Request& request)
{
    const ElementType type = request.input(0).type;
    if (!isNumber(type) || request.input(1).type != type)
        request.refuse("its operands are " + std::string(elementTypeName(type)) + " and "
                       + std::string(elementTypeName(request.input(1).type)));
}

/// The second operand's extents as NumPy would stretch them. Up to opset 6 an axis says where it belongs (with broadcast=1),
/// and the slopes of a PRelu are those of the channels.
Dims secondDims(const Request& request)
{
    Dims dims = request.dims(1);
    if (request.opset() == 0 || request.opset() >= 7)
        return dims;
    const bool isSlope = request.op().kind == "PRelu" && dims.size() == 1 && request.rank(0) > 1 && dims[0] == request.dims(0)[1];
    if (!isSlope && (request.integer("broadcast", 0) == 0 || !request.has("axis")))
        return dims;
    const std::size_t axis = isSlope ? 1 : request.axis(request.integer("axis", 0), request.rank(0));
    if (axis + dims.size() <= request.rank(0))
        dims.resize(request.rank(0) - axis, 1);
    return dims;
}

template <class Function>
std::unique_ptr<Kernel> numbers(const Request& request, Function function)
{
    requireSameType(request);
    if (request.output(0).type != request.input(0).type)
        request.refuse("its output is of another type than its operands");
    return withNumber(request.input(0).type, [&](auto number) -> std::unique_ptr<Kernel> {
        using T = decltype(number);
        return std::make_unique<BinaryLoop<T, T, Function>>(request, function, secondDims(request));
    });
}

template <class Function>
std::unique_ptr<Kernel> comparison(const Request& request, Function function)
{
    requireSameType(request);
    if (elementBytes(request.output(0).type) != 1)
        request.refuse("its output is no bool");
    return withNumber(request.input(0).type, [&](auto number) -> std::unique_ptr<Kernel> {
        return std::make_unique<BinaryLoop<decltype(number), std::uint8_t, Function>>(request, function, secondDims(request));
    });
}

/// And, Or, Xor: of bools only.
template <class Function>
std::unique_ptr<Kernel> logic(const Request& request, Function function)
{
    requireSameType(request);
    if (request.input(0).type != ElementType::Bool || elementBytes(request.output(0).type) != 1)
        request.refuse("its operands or its output are no bools");
    return std::make_unique<BinaryLoop<std::uint8_t, std::uint8_t, Function>>(request, function, secondDims(request));
}

template <class T>
T quotient(T a, T b)
{
    if constexpr (std::is_integral_v<T>) {
        if (b == 0) // undefined in ONNX: anything but the end of the program
            return T(0);
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1))
                return static_cast<T>(T(0) - static_cast<T>(a));
        }
        return static_cast<T>(a / b);
    } else {
        return a / b;
    }
}

/// fmod=0: the sign of the divisor, integers only; fmod=1: as C does (ONNX Mod, opset 13).
template <class T>
T remainder(T a, T b, bool asC)
{
    if constexpr (std::is_floating_point_v<T>) {
        const T rest = std::fmod(a, b);
        return !asC && rest != T(0) && (rest < T(0)) != (b < T(0)) ? rest + b : rest;
    } else {
        if (b == 0)
            return T(0);
        if constexpr (std::is_signed_v<T>) {
            if (b == T(-1))
                return T(0);
            const T rest = static_cast<T>(a % b);
            return !asC && rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
        } else {
            return static_cast<T>(a % b);
        }
    }
}

std::unique_ptr<Kernel> makeMod(const Request& request)
{
    const bool asC = request.integer("fmod", 0) != 0;
    return numbers(request, [asC](auto a, auto b) { return remainder(a, b, asC); });
}

/// Base and exponent of different types: the power in double, as the base's type.
class MixedPower : public Kernel {
public:
    explicit MixedPower(const Request& request)
        : m_loops(broadcastLoops(request, std::vector<Dims>{request.dims(0), request.dims(1)}, request.outputDims())),
          m_exponents(product(request.dims(1)))
    {
    }
    Bytes scratchBytes() const override { return simdAligned(m_exponents * static_cast<Bytes>(sizeof(double))); }
    void run(const KernelIo& io) override
    {
        // As doubles first: a loop for each pair of types would be a hundred.
        auto* exponents = reinterpret_cast<double*>(io.scratch);
        copyReals(io.in[1], exponents);
        withNumber(io.in[0].type, [&](auto base) {
            using T = decltype(base);
            forEachRow<2>(m_loops, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
                const T* a = io.in[0].as<T>() + offsets[0];
                const double* b = exponents + offsets[1];
                for (std::int64_t i = 0; i < length; ++i)
                    io.out[0].as<T>()[at + i]
                        = static_cast<T>(std::pow(static_cast<double>(a[i * m_loops.rowStride(0)]), b[i * m_loops.rowStride(1)]));
            });
        });
    }

private:
    BroadcastLoops m_loops;
    std::int64_t m_exponents;
};

std::unique_ptr<Kernel> makePow(const Request& request)
{
    const ElementType base = request.input(0).type;
    const ElementType exponent = request.input(1).type;
    if (!isNumber(base) || !isNumber(exponent))
        request.refuse("its operands are no numbers");
    if (base == exponent)
        return numbers(request, [](auto a, auto b) {
            using T = decltype(a);
            if (b == T(2)) // what nearly all networks ask for
                return static_cast<T>(a * a);
            if constexpr (std::is_floating_point_v<T>)
                return std::pow(a, b);
            else
                return static_cast<T>(std::pow(static_cast<double>(a), static_cast<double>(b)));
        });
    if (request.output(0).type != base)
        request.refuse("its output is of another type than its base");
    return std::make_unique<MixedPower>(request);
}

template <class T, class Function>
class VariadicLoop : public Kernel {
public:
    VariadicLoop(const Request& request, Function function, bool isMean) : m_function(function), m_isMean(isMean)
    {
        for (std::size_t i = 0; i < request.inputCount(); ++i) {
            m_loops.push_back(broadcastLoops(request, std::vector<Dims>{request.dims(i)}, request.outputDims()));
            m_isSame &= request.dims(i) == request.outputDims();
        }
    }
    bool runsInPlace(std::size_t) const override { return m_isSame; }

    void run(const KernelIo& io) override
    {
        if (m_isSame)
            return runSame(io);
        T* out = io.out[0].as<T>();
        for (std::size_t k = 0; k < io.in.size(); ++k) {
            const T* in = io.in[k].as<T>();
            const std::int64_t stride = m_loops[k].rowStride(0);
            forEachRow<1>(m_loops[k], [&](const auto& offsets, std::int64_t at, std::int64_t length) {
                const T* row = in + offsets[0];
                for (std::int64_t i = 0; i < length; ++i)
                    out[at + i] = k == 0 ? row[i * stride] : static_cast<T>(m_function(out[at + i], row[i * stride]));
            });
        }
        if (m_isMean)
            std::transform(out, out + io.out[0].count, out, [&](T x) { return static_cast<T>(x / static_cast<T>(io.in.size())); });
    }

private:
    void runSame(const KernelIo& io) const
    {
        T* out = io.out[0].as<T>();
        for (std::int64_t i = 0; i < io.out[0].count; ++i) {
            T value = io.in[0].as<T>()[i];
            for (std::size_t k = 1; k < io.in.size(); ++k)
                value = static_cast<T>(m_function(value, io.in[k].as<T>()[i]));
            out[i] = m_isMean ? static_cast<T>(value / static_cast<T>(io.in.size())) : value;
        }
    }

    Function m_function;
    std::vector<BroadcastLoops> m_loops;
    bool m_isMean;
    bool m_isSame = true;
};

template <class Function>
std::unique_ptr<Kernel> variadic(const Request& request, Function function, bool isMean = false)
{
    const ElementType type = request.input(0).type;
    for (std::size_t i = 0; i < request.inputCount(); ++i) {
        if (!isNumber(type) || request.input(i).type != type || request.output(0).type != type)
            request.refuse("its operands are no numbers of one type");
    }
    if (request.inputCount() == 2 && !isMean)
        return numbers(request, function);
    return withNumber(type, [&](auto number) -> std::unique_ptr<Kernel> {
        return std::make_unique<VariadicLoop<decltype(number), Function>>(request, function, isMean);
    });
}

/// NaN where either is, as NumPy has it.
constexpr auto kLarger = [](auto a, auto b) {
    if constexpr (std::is_floating_point_v<decltype(a)>)
        return a != a ? a : (a < b || b != b ? b : a);
    else
        return a < b ? b : a;
};
constexpr auto kSmaller = [](auto a, auto b) {
    if constexpr (std::is_floating_point_v<decltype(a)>)
        return a != a ? a : (b < a || b != b ? b : a);
    else
        return b < a ? b : a;
};
constexpr auto kSum = [](auto a, auto b) { return a + b; };

std::unique_ptr<Kernel> makePRelu(const Request& request)
{
    return numbers(request, [](auto x, auto slope) { return x < 0 ? static_cast<decltype(x)>(x * slope) : x; });
}

std::unique_ptr<Kernel> makeBitShift(const Request& request)
{
    const ElementType type = request.input(0).type;
    if (isFloating(type) || !isNumber(type))
        request.refuse("it is for integers");
    const bool isLeft = request.text("direction", "") == "LEFT";
    return numbers(request, [isLeft](auto a, auto b) {
        using T = decltype(a);
        const auto bits = static_cast<std::uint64_t>(b);
        if (bits >= 8 * sizeof(T))
            return T(0);
        const auto wide = static_cast<std::uint64_t>(a);
        return static_cast<T>(isLeft ? wide << bits : wide >> bits);
    });
}

/// Where: condition, then two operands; moves elements of any type.
class WhereKernel : public Kernel {
public:
    explicit WhereKernel(const Request& request)
        : m_loops(broadcastLoops(request, std::vector<Dims>{request.dims(0), request.dims(1), request.dims(2)}, request.outputDims()))
    {
        for (std::size_t i = 0; i < 3; ++i)
            m_isWhole[i] = product(request.dims(i)) == product(request.outputDims())
                && elementBytes(request.input(i).type) == elementBytes(request.output(0).type);
    }
    bool runsInPlace(std::size_t i) const override { return i < 3 && m_isWhole[i]; }
    void run(const KernelIo& io) override
    {
        withSize(io.out[0].type, [&](auto element) {
            using T = decltype(element);
            forEachRow<3>(m_loops, [&](const auto& offsets, std::int64_t at, std::int64_t length) {
                const auto* condition = io.in[0].as<std::uint8_t>() + offsets[0];
                const T* yes = io.in[1].as<T>() + offsets[1];
                const T* no = io.in[2].as<T>() + offsets[2];
                T* out = io.out[0].as<T>() + at;
                for (std::int64_t i = 0; i < length; ++i)
                    out[i] = condition[i * m_loops.rowStride(0)] != 0 ? yes[i * m_loops.rowStride(1)] : no[i * m_loops.rowStride(2)];
            });
        });
    }

private:
    BroadcastLoops m_loops;
    bool m_isWhole[3] = {false, false, false};
};

std::unique_ptr<Kernel> makeWhere(const Request& request)
{
    const ElementType type = request.output(0).type;
    if (request.input(0).type != ElementType::Bool || elementBytes(type) == 0 || request.input(1).type != type
        || request.input(2).type != type)
        request.refuse("its operands are no plain tensors of one type");
    return std::make_unique<WhereKernel>(request);
}

constexpr KernelEntry kEntries[] = {
    {"Add", [](const Request& r) { return numbers(r, kSum); }},
    {"Sub", [](const Request& r) { return numbers(r, [](auto a, auto b) { return a - b; }); }},
    {"Mul", [](const Request& r) { return numbers(r, [](auto a, auto b) { return a * b; }); }},
    {"Div", [](const Request& r) { return numbers(r, [](auto a, auto b) { return quotient(a, b); }); }},
    {"Mod", makeMod},
    {"Pow", makePow},
    {"PRelu", makePRelu},
    {"BitShift", makeBitShift},
    {"Sum", [](const Request& r) { return variadic(r, kSum); }},
    {"Mean", [](const Request& r) { return variadic(r, kSum, true); }},
    {"Max", [](const Request& r) { return variadic(r, kLarger); }},
    {"Min", [](const Request& r) { return variadic(r, kSmaller); }},
    {"Equal", [](const Request& r) { return comparison(r, [](auto a, auto b) { return a == b; }); }},
    {"Greater", [](const Request& r) { return comparison(r, [](auto a, auto b) { return a > b; }); }},
    {"GreaterOrEqual", [](const Request& r) { return comparison(r, [](auto a, auto b) { return a >= b; }); }},
    {"Less", [](const Request& r) { return comparison(r, [](auto a, auto b) { return a < b; }); }},
    {"LessOrEqual", [](const Request& r) { return comparison(r, [](auto a, auto b) { return a <= b; }); }},
    {"And", [](const Request& r) { return logic(r, [](auto a, auto b) { return a != 0 && b != 0; }); }},
    {"Or", [](const Request& r) { return logic(r, [](auto a, auto b) { return a != 0 || b != 0; }); }},
    {"Xor", [](const Request& r) { return logic(r, [](auto a, auto b) { return (a != 0) != (b != 0); }); }},
    {"Where", makeWhere},
};

} // namespace

std::span<const KernelEntry> binaryKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
