// SPDX-License-Identifier: MIT
// Element by element with one operand: OpenCV's activation layers for float32, and loops for what they lack. All of them
// may write over what they read.
#include "core/src/exec/elements.h"
#include "core/src/exec/layer_kernel.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace arenascope::exec {

namespace {

/// f(element) for all elements of a type; input and output of one type.
template <class T, class Function>
class UnaryLoop : public Kernel {
public:
    explicit UnaryLoop(Function function) : m_function(std::move(function)) {}
    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        const T* in = io.in[0].as<T>();
        T* out = io.out[0].as<T>();
        for (std::int64_t i = 0; i < io.out[0].count; ++i)
            out[i] = static_cast<T>(m_function(in[i]));
    }

private:
    Function m_function;
};

template <class T, class Function>
std::unique_ptr<Kernel> unaryLoop(Function function)
{
    return std::make_unique<UnaryLoop<T, Function>>(std::move(function));
}

/// A loop for the input's element type; `function` works for all plain numbers (or refuses none).
template <class Function>
std::unique_ptr<Kernel> numberLoop(const Request& request, Function function)
{
    const ElementType type = request.input(0).type;
    request.requireLike(0);
    if (!isNumber(type))
        request.refuse("'" + request.input(0).name + "' is " + std::string(elementTypeName(type)));
    return withNumber(type, [&](auto number) { return unaryLoop<decltype(number)>(function); });
}

/// A loop for float32 and float64.
template <class Function>
std::unique_ptr<Kernel> realLoop(const Request& request, Function function)
{
    request.requireLike(0);
    if (request.input(0).type == ElementType::Float64)
        return unaryLoop<double>(function);
    request.requireFloatInput(0);
    return unaryLoop<float>(function);
}

/// A layer over all elements as one plane: what an element becomes does not depend on where it is, and OpenCV goes through
/// planes at full speed.
LayerSpec elementLayer(const Request& request, const char* type)
{
    request.requireFloatInput(0);
    LayerSpec spec;
    spec.type = type;
    const Dims plane{1, 1, product(request.outputDims())};
    spec.operands = {{0, matShape(plane)}};
    spec.outputs = {matShape(plane)};
    spec.inPlaceInputs = {0};
    return spec;
}

using ParamsFn = void (*)(const Request&, cv::dnn::LayerParams&);

void noParams(const Request&, cv::dnn::LayerParams&) {}

/// For OpenCV's layers, which compute in float32, and what computes other types; null: nothing does.
struct Activation {
    std::string_view kind;
    const char* layer;
    ParamsFn params = noParams;
    KernelMaker others = nullptr;
};

constexpr Activation kActivations[] = {
    {"Relu", "ReLU", noParams, [](const Request& r) { return numberLoop(r, [](auto x) { return x < 0 ? decltype(x)(0) : x; }); }},
    {"LeakyRelu", "ReLU", [](const Request& r, cv::dnn::LayerParams& p) { p.set("negative_slope", r.real("alpha", 0.01)); },
     [](const Request& r) {
         const double alpha = r.real("alpha", 0.01);
         return realLoop(r, [alpha](auto x) { return x < 0 ? static_cast<decltype(x)>(alpha) * x : x; });
     }},
    {"Elu", "ELU", [](const Request& r, cv::dnn::LayerParams& p) { p.set("alpha", r.real("alpha", 1.0)); }},
    {"Selu", "Selu",
     [](const Request& r, cv::dnn::LayerParams& p) {
         p.set("alpha", r.real("alpha", 1.67326319217681884765625));
         p.set("gamma", r.real("gamma", 1.05070102214813232421875));
     }},
    {"Celu", "Celu", [](const Request& r, cv::dnn::LayerParams& p) { p.set("alpha", r.real("alpha", 1.0)); }},
    {"Sigmoid", "Sigmoid", noParams,
     [](const Request& r) { return realLoop(r, [](auto x) { return decltype(x)(1) / (decltype(x)(1) + std::exp(-x)); }); }},
    {"HardSigmoid", "HardSigmoid",
     [](const Request& r, cv::dnn::LayerParams& p) {
         p.set("alpha", r.real("alpha", 0.2));
         p.set("beta", r.real("beta", 0.5));
     }},
    {"HardSwish", "HardSwish"},
    {"Swish", "Swish"},
    {"Mish", "Mish"},
    {"Tanh", "TanH", noParams, [](const Request& r) { return realLoop(r, [](auto x) { return std::tanh(x); }); }},
    {"Softsign", "Softsign"},
    {"ThresholdedRelu", "ThresholdedRelu",
     [](const Request& r, cv::dnn::LayerParams& p) { p.set("alpha", r.real("alpha", 1.0)); }},
    {"Exp", "Exp", noParams, [](const Request& r) { return realLoop(r, [](auto x) { return std::exp(x); }); }},
    {"Log", "Log", noParams, [](const Request& r) { return realLoop(r, [](auto x) { return std::log(x); }); }},
    {"Sqrt", "Sqrt", noParams, [](const Request& r) { return realLoop(r, [](auto x) { return std::sqrt(x); }); }},
};

std::unique_ptr<Kernel> makeActivation(const Request& request)
{
    const auto* activation = std::ranges::find(kActivations, request.op().kind, &Activation::kind);
    request.requireLike(0);
    if (request.input(0).type != ElementType::Float32 && activation->others != nullptr)
        return activation->others(request);
    LayerSpec spec = elementLayer(request, activation->layer);
    activation->params(request, spec.params);
    return std::make_unique<LayerKernel>(std::move(spec), request.op());
}

/// log(1 + e^x) without overflow for large x.
double softplus(double x)
{
    return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

std::unique_ptr<Kernel> makeSoftplus(const Request& request)
{
    return realLoop(request, [](auto x) { return static_cast<decltype(x)>(softplus(x)); });
}

std::unique_ptr<Kernel> makeErf(const Request& request)
{
    return realLoop(request, [](auto x) { return std::erf(x); });
}

/// Gelu as in ONNX opset 20 and in com.microsoft: exact, or with the tanh approximation.
std::unique_ptr<Kernel> makeGelu(const Request& request)
{
    if (request.text("approximate", "none") == "tanh")
        return realLoop(request, [](auto x) {
            using T = decltype(x);
            return T(0.5) * x * (T(1) + std::tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
        });
    return realLoop(request, [](auto x) {
        using T = decltype(x);
        return T(0.5) * x * (T(1) + std::erf(x * T(0.7071067811865476)));
    });
}

std::unique_ptr<Kernel> makeAbs(const Request& request)
{
    return numberLoop(request, [](auto x) { return x < 0 ? static_cast<decltype(x)>(-x) : x; });
}

std::unique_ptr<Kernel> makeNeg(const Request& request)
{
    return numberLoop(request, [](auto x) { return static_cast<decltype(x)>(-x); });
}

std::unique_ptr<Kernel> makeSign(const Request& request)
{
    return numberLoop(request, [](auto x) { return static_cast<decltype(x)>((x > 0) - (x < 0)); });
}

std::unique_ptr<Kernel> makeNot(const Request& request)
{
    request.requireLike(0);
    if (request.input(0).type != ElementType::Bool)
        request.refuse("it is for booleans");
    return unaryLoop<std::uint8_t>([](std::uint8_t x) { return x == 0; });
}

/// A question about each element, answered with a bool.
template <class T, class Function>
class QuestionLoop : public Kernel {
public:
    explicit QuestionLoop(Function function) : m_function(std::move(function)) {}
    void run(const KernelIo& io) override
    {
        std::transform(io.in[0].as<T>(), io.in[0].as<T>() + io.out[0].count, io.out[0].as<std::uint8_t>(), m_function);
    }

private:
    Function m_function;
};

template <class Function>
std::unique_ptr<Kernel> question(const Request& request, Function function)
{
    request.requireCount(product(request.dims(0)));
    if (request.input(0).type == ElementType::Float64)
        return std::make_unique<QuestionLoop<double, Function>>(function);
    request.requireFloatInput(0);
    return std::make_unique<QuestionLoop<float, Function>>(function);
}

std::unique_ptr<Kernel> makeIsNan(const Request& request)
{
    return question(request, [](auto x) { return static_cast<std::uint8_t>(std::isnan(x)); });
}

std::unique_ptr<Kernel> makeIsInf(const Request& request)
{
    const bool negative = request.integer("detect_negative", 1) != 0;
    const bool positive = request.integer("detect_positive", 1) != 0;
    return question(request, [negative, positive](auto x) {
        return static_cast<std::uint8_t>(std::isinf(x) && (x < 0 ? negative : positive));
    });
}

/// alpha * x + beta (experimental operator of ONNX 1.0 to 1.4).
std::unique_ptr<Kernel> makeAffine(const Request& request)
{
    const double alpha = request.real("alpha", 1.0);
    const double beta = request.real("beta", 0.0);
    return realLoop(request, [alpha, beta](auto x) {
        using T = decltype(x);
        return static_cast<T>(alpha) * x + static_cast<T>(beta);
    });
}

/// x * scale + bias of the channel (experimental operator of ONNX 1.0 to 1.4).
class ImageScaler : public Kernel {
public:
    ImageScaler(double scale, std::vector<double> bias, std::int64_t plane)
        : m_scale(static_cast<float>(scale)), m_bias(bias.begin(), bias.end()), m_plane(plane)
    {
    }
    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        for (std::int64_t at = 0; at < io.out[0].count; at += m_plane) {
            const float* in = io.in[0].as<float>() + at;
            float* out = io.out[0].as<float>() + at;
            const float bias = m_bias[static_cast<std::size_t>(at / m_plane) % m_bias.size()];
            for (std::int64_t i = 0; i < m_plane; ++i)
                out[i] = m_scale * in[i] + bias;
        }
    }

private:
    float m_scale;
    std::vector<float> m_bias;
    std::int64_t m_plane;
};

std::unique_ptr<Kernel> makeImageScaler(const Request& request)
{
    request.requireFloatInput(0);
    request.requireLike(0);
    const Dims& dims = request.dims(0);
    const std::vector<double> bias = request.reals("bias");
    if (dims.size() < 2 || std::ssize(bias) != dims[1] || bias.empty())
        request.refuse("its bias does not fit");
    return std::make_unique<ImageScaler>(request.real("scale", 1.0), bias, product(dims, 2, dims.size()));
}

std::unique_ptr<Kernel> makeShrink(const Request& request)
{
    const double bias = request.real("bias", 0.0);
    const double lambda = request.real("lambd", 0.5);
    return numberLoop(request, [bias, lambda](auto x) {
        const auto value = static_cast<double>(x);
        return static_cast<decltype(x)>(value < -lambda ? value + bias : value > lambda ? value - bias : 0.0);
    });
}

/// A limit of Clip: an attribute up to opset 6, an input from 11 on. Absent: nothing is cut on that side.
std::optional<double> limitOf(const Request& request, const char* attribute, std::size_t input)
{
    if (request.has(attribute))
        return request.real(attribute, 0.0);
    if (!request.hasInput(input))
        return std::nullopt;
    return request.constantReals(input).at(0);
}

class ClipLoop : public Kernel {
public:
    explicit ClipLoop(ElementType type) : m_type(type) {}
    bool runsInPlace(std::size_t i) const override { return i == 0; }
    void run(const KernelIo& io) override
    {
        withNumber(m_type, [&](auto number) {
            using T = decltype(number);
            const T low = limit<T>(io, 1, std::numeric_limits<T>::lowest());
            const T high = limit<T>(io, 2, std::numeric_limits<T>::max());
            const T* in = io.in[0].as<T>();
            T* out = io.out[0].as<T>();
            for (std::int64_t i = 0; i < io.out[0].count; ++i)
                out[i] = std::min(std::max(in[i], low), high);
        });
    }

private:
    template <class T>
    static T limit(const KernelIo& io, std::size_t i, T fallback)
    {
        return i < io.in.size() && io.in[i].isGiven() ? *io.in[i].as<T>() : fallback;
    }
    ElementType m_type;
};

std::unique_ptr<Kernel> makeClip(const Request& request)
{
    request.requireLike(0);
    for (const std::size_t limit : {std::size_t{1}, std::size_t{2}}) {
        if (!request.hasInput(limit))
            continue;
        request.requireInputCount(limit, 1);
        if (request.input(limit).type != request.input(0).type)
            request.refuse("its limits are of another type");
    }
    const bool isKnown = (!request.hasInput(1) || request.isConstant(1)) && (!request.hasInput(2) || request.isConstant(2));
    if (request.input(0).type != ElementType::Float32 || !isKnown) {
        if (!isNumber(request.input(0).type) || request.has("min") || request.has("max"))
            request.refuse("it clips numbers between inputs only");
        return std::make_unique<ClipLoop>(request.input(0).type);
    }
    const auto low = static_cast<float>(limitOf(request, "min", 1).value_or(std::numeric_limits<float>::lowest()));
    const auto high = static_cast<float>(limitOf(request, "max", 2).value_or(std::numeric_limits<float>::max()));
    if (low > high) // OpenCV's layer refuses that; ONNX gives the upper limit
        return unaryLoop<float>([high](float) { return high; });
    LayerSpec spec = elementLayer(request, "ReLU6");
    spec.params.set("min_value", low);
    spec.params.set("max_value", high);
    return std::make_unique<LayerKernel>(std::move(spec), request.op());
}

/// Kinds that are one function of the C++ library.
template <double (*function)(double)>
std::unique_ptr<Kernel> makeFunction(const Request& request)
{
    return realLoop(request, [](auto x) { return static_cast<decltype(x)>(function(static_cast<double>(x))); });
}

template <float (*single)(float), double (*twice)(double)>
std::unique_ptr<Kernel> makeRounding(const Request& request)
{
    request.requireLike(0);
    if (request.input(0).type == ElementType::Float64)
        return unaryLoop<double>(twice);
    request.requireFloatInput(0);
    return unaryLoop<float>(single);
}

constexpr KernelEntry kEntries[] = {
    {"Relu", makeActivation},
    {"LeakyRelu", makeActivation},
    {"Elu", makeActivation},
    {"Selu", makeActivation},
    {"Celu", makeActivation},
    {"Sigmoid", makeActivation},
    {"HardSigmoid", makeActivation},
    {"HardSwish", makeActivation},
    {"Swish", makeActivation},
    {"Mish", makeActivation},
    {"Tanh", makeActivation},
    {"Softsign", makeActivation},
    {"ThresholdedRelu", makeActivation},
    {"Exp", makeActivation},
    {"Log", makeActivation},
    {"Sqrt", makeActivation},
    {"Softplus", makeSoftplus},
    {"Erf", makeErf},
    {"Gelu", makeGelu},
    {"Gelu", makeGelu, "com.microsoft"},
    {"Clip", makeClip},
    {"Shrink", makeShrink},
    {"Abs", makeAbs},
    {"Neg", makeNeg},
    {"Sign", makeSign},
    {"Not", makeNot},
    {"Affine", makeAffine},
    {"ImageScaler", makeImageScaler},
    {"IsNaN", makeIsNan},
    {"IsInf", makeIsInf},
    {"Floor", makeRounding<std::floor, std::floor>},
    {"Ceil", makeRounding<std::ceil, std::ceil>},
    {"Round", makeRounding<std::nearbyint, std::nearbyint>},
    {"Reciprocal", [](const Request& r) { return realLoop(r, [](auto x) { return decltype(x)(1) / x; }); }},
    {"Sin", makeFunction<std::sin>},
    {"Cos", makeFunction<std::cos>},
    {"Tan", makeFunction<std::tan>},
    {"Asin", makeFunction<std::asin>},
    {"Acos", makeFunction<std::acos>},
    {"Atan", makeFunction<std::atan>},
    {"Sinh", makeFunction<std::sinh>},
    {"Cosh", makeFunction<std::cosh>},
    {"Asinh", makeFunction<std::asinh>},
    {"Acosh", makeFunction<std::acosh>},
    {"Atanh", makeFunction<std::atanh>},
};

} // namespace

std::span<const KernelEntry> unaryKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
