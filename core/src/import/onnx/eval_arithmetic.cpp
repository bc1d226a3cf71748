// SPDX-License-Identifier: MIT
// Contents of element-wise operators. 32-bit floats are computed as doubles and rounded once: for + - * / and the
// square root that gives the same bits as 32-bit arithmetic.
#include "core/src/import/onnx/eval.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::onnx_import {

namespace {

using std::int64_t;
using std::uint64_t;

bool isUnsigned64(ElementType type)
{
    return type == ElementType::UInt64;
}

/// The double as an integer, clamped: conversions outside the range are undefined in C++ (and in ONNX).
int64_t toInteger(double value)
{
    constexpr double limit = 9223372036854775808.0;
    if (std::isnan(value))
        return 0;
    if (value >= limit)
        return std::numeric_limits<int64_t>::max();
    if (value < -limit)
        return std::numeric_limits<int64_t>::min();
    return static_cast<int64_t>(value);
}

double toReal(const Cells& cells, std::size_t i)
{
    if (isRealType(cells.type))
        return cells.real(i);
    return isUnsigned64(cells.type) ? static_cast<double>(static_cast<uint64_t>(cells.bits[i]))
                                    : static_cast<double>(cells.bits[i]);
}

// Integer arithmetic wraps, as the types' own would.
int64_t wrapAdd(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrapSub(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t wrapMul(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t integerDivide(int64_t a, int64_t b, bool asUnsigned)
{
    if (b == 0)
        failInference("division by zero");
    if (asUnsigned)
        return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
    return b == -1 ? wrapSub(0, a) : a / b;
}

/// Remainder with the sign of the divisor (fmod = 0) or of the dividend (fmod = 1).
int64_t integerModulo(int64_t a, int64_t b, bool asUnsigned, bool likeC)
{
    if (b == 0)
        failInference("division by zero");
    if (asUnsigned)
        return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
    if (b == -1)
        return 0;
    const int64_t remainder = a % b;
    return !likeC && remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

bool lessThan(const Cells& a, const Cells& b, std::size_t i)
{
    if (isRealType(a.type))
        return a.real(i) < b.real(i);
    if (isUnsigned64(a.type))
        return static_cast<uint64_t>(a.bits[i]) < static_cast<uint64_t>(b.bits[i]);
    return a.bits[i] < b.bits[i];
}

bool equalAt(const Cells& a, const Cells& b, std::size_t i)
{
    return isRealType(a.type) ? a.real(i) == b.real(i) : a.bits[i] == b.bits[i];
}

double powered(double base, double exponent) { return std::pow(base, exponent); }

int64_t integerPower(int64_t base, int64_t exponent)
{
    if (exponent < 0)
        return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    int64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 == 1)
            result = wrapMul(result, base);
        base = wrapMul(base, base);
    }
    return result;
}

/// Result of one cell from operands of one type; `to` has the output's type.
void combineReal(std::string_view kind, double a, double b, bool likeC, Cells& to, std::size_t i)
{
    double value = 0;
    if (kind == "Add")
        value = a + b;
    else if (kind == "Sub")
        value = a - b;
    else if (kind == "Mul")
        value = a * b;
    else if (kind == "Div")
        value = a / b;
    else if (kind == "Mod" && likeC)
        value = std::fmod(a, b);
    else
        failInference("an operator that is not evaluated");
    to.setReal(i, value);
}

void combineInteger(std::string_view kind, int64_t a, int64_t b, bool likeC, Cells& to, std::size_t i)
{
    const bool asUnsigned = isUnsigned64(to.type);
    int64_t value = 0;
    if (kind == "Add")
        value = wrapAdd(a, b);
    else if (kind == "Sub")
        value = wrapSub(a, b);
    else if (kind == "Mul")
        value = wrapMul(a, b);
    else if (kind == "Div")
        value = integerDivide(a, b, asUnsigned);
    else if (kind == "Mod")
        value = integerModulo(a, b, asUnsigned, likeC);
    else if (kind == "BitwiseAnd")
        value = a & b;
    else if (kind == "BitwiseOr")
        value = a | b;
    else if (kind == "BitwiseXor")
        value = a ^ b;
    else
        failInference("an operator that is not evaluated");
    to.bits[i] = value;
}

/// Both operands stretched to the output's extents; nothing where they cannot be computed with.
std::optional<std::pair<Cells, Cells>> operands(Evaluation& e, const Dims& dims)
{
    if (!e.has(0) || !e.has(1) || (!isRealType(e.in(0).type) && !isIntegerType(e.in(0).type)))
        return std::nullopt;
    return std::pair(broadcastTo(e.in(0), dims), broadcastTo(e.in(1), dims));
}

void evaluateArithmetic(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const auto both = operands(e, dims);
    if (!both || both->first.type != both->second.type || both->first.type != e.outputType(0))
        return;
    const auto& [a, b] = *both;
    const bool likeC = e.node.intAttribute("fmod", 0) != 0;
    Cells result = zeroCells(a.type, dims);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!a.isKnownAt(i) || !b.isKnownAt(i)) {
            result.setUnknown(i);
            continue;
        }
        if (isRealType(a.type))
            combineReal(e.node.kind(), a.real(i), b.real(i), likeC, result, i);
        else
            combineInteger(e.node.kind(), a.bits[i], b.bits[i], likeC, result, i);
        normalize(result, i);
    }
    e.outputs[0] = std::move(result);
}

void evaluatePow(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const auto both = operands(e, dims);
    if (!both || both->first.type != e.outputType(0))
        return;
    const auto& [a, b] = *both;
    if (!isRealType(b.type) && !isIntegerType(b.type))
        return;
    Cells result = zeroCells(a.type, dims);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!a.isKnownAt(i) || !b.isKnownAt(i))
            result.setUnknown(i);
        else if (isRealType(a.type))
            result.setReal(i, powered(a.real(i), toReal(b, i)));
        else
            result.bits[i] = isRealType(b.type) ? toInteger(powered(toReal(a, i), b.real(i)))
                                                : integerPower(a.bits[i], b.bits[i]);
        normalize(result, i);
    }
    e.outputs[0] = std::move(result);
}

bool compared(std::string_view kind, const Cells& a, const Cells& b, std::size_t i)
{
    if (kind == "Equal")
        return equalAt(a, b, i);
    if (kind == "Less")
        return lessThan(a, b, i);
    if (kind == "Greater")
        return lessThan(b, a, i);
    if (kind == "LessOrEqual")
        return lessThan(a, b, i) || equalAt(a, b, i);
    if (kind == "GreaterOrEqual")
        return lessThan(b, a, i) || equalAt(a, b, i);
    if (kind == "And")
        return a.bits[i] != 0 && b.bits[i] != 0;
    if (kind == "Or")
        return a.bits[i] != 0 || b.bits[i] != 0;
    return (a.bits[i] != 0) != (b.bits[i] != 0); // Xor
}

void evaluateComparison(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const auto both = operands(e, dims);
    if (!both || both->first.type != both->second.type)
        return;
    const auto& [a, b] = *both;
    Cells result = zeroCells(ElementType::Bool, dims);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!a.isKnownAt(i) || !b.isKnownAt(i))
            result.setUnknown(i);
        else
            result.bits[i] = compared(e.node.kind(), a, b, i);
    }
    e.outputs[0] = std::move(result);
}

/// Max, Min, Sum, Mean over any number of operands.
void evaluateVariadic(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const ElementType type = e.outputType(0);
    const bool isSum = e.node.kind() == "Sum" || e.node.kind() == "Mean";
    std::optional<Cells> result;
    for (std::size_t k = 0; k < e.inputs.size(); ++k) {
        if (!e.has(k) || e.in(k).type != type || (!isRealType(type) && (isSum || !isIntegerType(type))))
            return;
        const Cells operand = broadcastTo(e.in(k), dims);
        if (!result) {
            result = operand;
            continue;
        }
        for (std::size_t i = 0; i < operand.size(); ++i) {
            if (!operand.isKnownAt(i) || !result->isKnownAt(i))
                result->setUnknown(i);
            else if (isSum)
                result->setReal(i, result->real(i) + operand.real(i));
            else if (e.node.kind() == "Max" ? lessThan(*result, operand, i) : lessThan(operand, *result, i))
                result->bits[i] = operand.bits[i];
        }
    }
    for (std::size_t i = 0; result && isSum && i < result->size(); ++i) {
        if (e.node.kind() == "Mean")
            result->setReal(i, result->real(i) / static_cast<double>(e.inputs.size()));
        normalize(*result, i);
    }
    e.outputs[0] = std::move(result);
}

void evaluateWhere(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    if (!e.has(0) || !e.has(1) || !e.has(2) || e.in(1).type != e.in(2).type)
        return;
    const Cells condition = broadcastTo(e.in(0), dims);
    Cells result = broadcastTo(e.in(1), dims);
    const Cells other = broadcastTo(e.in(2), dims);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const bool same = result.isKnownAt(i) && other.isKnownAt(i) && result.bits[i] == other.bits[i];
        if (!condition.isKnownAt(i)) {
            if (!same)
                result.setUnknown(i);
            continue;
        }
        if (condition.bits[i] != 0)
            continue;
        result.bits[i] = other.bits[i];
        if (!other.isKnownAt(i))
            result.setUnknown(i);
        else if (!result.known.empty())
            result.known[i] = true;
    }
    e.outputs[0] = std::move(result);
}

using RealFunction = double (*)(double);

struct RealUnary {
    std::string_view kind;
    RealFunction function;
};

constexpr RealUnary kRealUnary[] = {
    {"Abs", [](double x) { return std::abs(x); }},
    {"Neg", [](double x) { return -x; }},
    {"Floor", [](double x) { return std::floor(x); }},
    {"Ceil", [](double x) { return std::ceil(x); }},
    {"Round", [](double x) { return std::nearbyint(x); }}, // halves to even, as ONNX wants
    {"Sqrt", [](double x) { return std::sqrt(x); }},
    {"Reciprocal", [](double x) { return 1.0 / x; }},
    {"Exp", [](double x) { return std::exp(x); }},
    {"Log", [](double x) { return std::log(x); }},
    {"Sin", [](double x) { return std::sin(x); }},
    {"Cos", [](double x) { return std::cos(x); }},
    {"Relu", [](double x) { return std::max(x, 0.0); }},
    {"Sign", [](double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }},
};

int64_t integerUnary(std::string_view kind, int64_t x)
{
    if (kind == "Abs")
        return x < 0 ? wrapSub(0, x) : x;
    if (kind == "Neg")
        return wrapSub(0, x);
    if (kind == "Sign")
        return (x > 0) - (x < 0);
    if (kind == "Relu")
        return std::max<int64_t>(x, 0);
    if (kind == "BitwiseNot")
        return ~x;
    if (kind == "Not")
        return x == 0;
    failInference("an operator that is not evaluated");
}

void evaluateUnary(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    if (!e.has(0) || e.in(0).dims != dims)
        return;
    Cells result = e.in(0);
    const auto* real = std::find_if(std::begin(kRealUnary), std::end(kRealUnary),
                                    [&e](const RealUnary& entry) { return entry.kind == e.node.kind(); });
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (!result.isKnownAt(i))
            continue;
        if (isRealType(result.type) && real != std::end(kRealUnary))
            result.setReal(i, real->function(result.real(i)));
        else if (isUnsigned64(result.type) && e.node.kind() != "BitwiseNot")
            return;
        else if (isIntegerType(result.type))
            result.bits[i] = integerUnary(e.node.kind(), result.bits[i]);
        else
            return;
        normalize(result, i);
    }
    e.outputs[0] = std::move(result);
}

void evaluateCast(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    const ElementType to = e.outputType(0);
    const Cells& source = e.in(0);
    if (source.dims != dims || (!isRealType(to) && !isIntegerType(to))
        || (!isRealType(source.type) && !isIntegerType(source.type)))
        return;
    Cells result = zeroCells(to, dims);
    result.known = source.known;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (isRealType(to))
            result.setReal(i, toReal(source, i));
        else if (to == ElementType::Bool)
            result.bits[i] = isRealType(source.type) ? source.real(i) != 0 : source.bits[i] != 0;
        else
            result.bits[i] = isRealType(source.type) ? toInteger(source.real(i)) : source.bits[i];
        normalize(result, i);
    }
    e.outputs[0] = std::move(result);
}

void evaluateClip(Evaluation& e)
{
    const Dims& dims = e.outputDims(0);
    if (e.in(0).dims != dims || e.node.opset() < 11 || isUnsigned64(e.in(0).type)
        || (!isRealType(e.in(0).type) && !isIntegerType(e.in(0).type)))
        return;
    Cells result = e.in(0);
    for (const std::size_t bound : {std::size_t{1}, std::size_t{2}}) {
        if (!e.node.hasInput(bound))
            continue;
        if (e.in(bound).type != result.type || e.in(bound).size() != 1 || !e.in(bound).isAllKnown())
            return;
        const Cells limit = broadcastTo(e.in(bound), dims);
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (bound == 1 ? lessThan(result, limit, i) : lessThan(limit, result, i))
                result.bits[i] = limit.bits[i];
        }
    }
    e.outputs[0] = std::move(result);
}

constexpr EvaluatorEntry kEntries[] = {
    {"Add", evaluateArithmetic},
    {"Sub", evaluateArithmetic},
    {"Mul", evaluateArithmetic},
    {"Div", evaluateArithmetic},
    {"Mod", evaluateArithmetic},
    {"BitwiseAnd", evaluateArithmetic},
    {"BitwiseOr", evaluateArithmetic},
    {"BitwiseXor", evaluateArithmetic},
    {"Pow", evaluatePow},
    {"Equal", evaluateComparison},
    {"Less", evaluateComparison},
    {"Greater", evaluateComparison},
    {"LessOrEqual", evaluateComparison},
    {"GreaterOrEqual", evaluateComparison},
    {"And", evaluateComparison},
    {"Or", evaluateComparison},
    {"Xor", evaluateComparison},
    {"Max", evaluateVariadic},
    {"Min", evaluateVariadic},
    {"Sum", evaluateVariadic},
    {"Mean", evaluateVariadic},
    {"Where", evaluateWhere},
    {"Abs", evaluateUnary},
    {"Neg", evaluateUnary},
    {"Floor", evaluateUnary},
    {"Ceil", evaluateUnary},
    {"Round", evaluateUnary},
    {"Sqrt", evaluateUnary},
    {"Reciprocal", evaluateUnary},
    {"Exp", evaluateUnary},
    {"Log", evaluateUnary},
    {"Sin", evaluateUnary},
    {"Cos", evaluateUnary},
    {"Relu", evaluateUnary},
    {"Sign", evaluateUnary},
    {"Not", evaluateUnary},
    {"BitwiseNot", evaluateUnary},
    {"Cast", evaluateCast},
    {"CastLike", evaluateCast},
    {"Clip", evaluateClip},
};

} // namespace

std::span<const EvaluatorEntry> arithmeticEvaluators()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
