// SPDX-License-Identifier: MIT
// Tensors out of nothing but shapes and a few numbers, and other element types.
#include "core/src/exec/elements.h"
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"
#include "core/src/exec/strided.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace arenascope::exec {

namespace {

/// What only depends on shapes: ConstantOfShape, Shape, Size.
class FilledKernel : public Kernel {
public:
    explicit FilledKernel(std::vector<std::byte> element) : m_element(std::move(element)) {}
    void run(const KernelIo& io) override
    {
        fillElements(io.out[0].data, io.out[0].count, m_element.data(), std::ssize(m_element));
    }

private:
    std::vector<std::byte> m_element;
};

std::unique_ptr<Kernel> makeConstantOfShape(const Request& request)
{
    const std::int64_t size = elementBytes(request.output(0).type);
    if (size == 0)
        request.refuse("'" + request.output(0).name + "' is " + std::string(elementTypeName(request.output(0).type)));
    std::vector<std::byte> element(static_cast<std::size_t>(size));
    if (const TensorValue* value = request.tensor("value")) {
        if (std::ssize(value->source.inlineBytes) < size)
            request.refuse("its value is missing");
        std::copy_n(value->source.inlineBytes.begin(), size, element.begin());
    }
    return std::make_unique<FilledKernel>(std::move(element));
}

class GivenKernel : public Kernel {
public:
    explicit GivenKernel(std::vector<std::int64_t> numbers) : m_numbers(std::move(numbers)) {}
    void run(const KernelIo& io) override
    {
        std::memcpy(io.out[0].data, m_numbers.data(), m_numbers.size() * sizeof(std::int64_t));
    }

private:
    std::vector<std::int64_t> m_numbers;
};

void requireIntegers(const Request& request, std::int64_t count)
{
    request.requireCount(count);
    if (request.output(0).type != ElementType::Int64)
        request.refuse("its output is no int64");
}

std::unique_ptr<Kernel> makeShape(const Request& request)
{
    const Dims& dims = request.dims(0);
    const auto rank = static_cast<std::int64_t>(dims.size());
    const auto bound = [rank](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t from = bound(request.integer("start", 0));
    const std::int64_t to = std::max(bound(request.integer("end", rank)), from);
    requireIntegers(request, to - from);
    return std::make_unique<GivenKernel>(std::vector(dims.begin() + from, dims.begin() + to));
}

std::unique_ptr<Kernel> makeSize(const Request& request)
{
    requireIntegers(request, 1);
    return std::make_unique<GivenKernel>(std::vector{product(request.dims(0))});
}

template <class From, class To>
To cast(From value)
{
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // Out of range is undefined in C++ and in ONNX: keep to the ends.
        if (!(value >= static_cast<From>(std::numeric_limits<To>::lowest())))
            return std::numeric_limits<To>::lowest();
        if (value >= static_cast<From>(std::numeric_limits<To>::max()))
            return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
}

class CastKernel : public Kernel {
public:
    void run(const KernelIo& io) override
    {
        if (io.in[0].type == io.out[0].type) {
            std::memmove(io.out[0].data, io.in[0].data, static_cast<std::size_t>(io.out[0].bytes));
            return;
        }
        const bool toBool = io.out[0].type == ElementType::Bool;
        withNumber(io.in[0].type, [&](auto from) {
            withNumber(io.out[0].type, [&](auto to) {
                using From = decltype(from);
                using To = decltype(to);
                const From* in = io.in[0].as<From>();
                To* out = io.out[0].as<To>();
                for (std::int64_t i = 0; i < io.out[0].count; ++i)
                    out[i] = toBool ? static_cast<To>(in[i] != From(0)) : cast<From, To>(in[i]);
            });
        });
    }
};

std::unique_ptr<Kernel> makeCast(const Request& request)
{
    request.requireCount(product(request.dims(0)));
    const ElementType from = request.input(0).type;
    const ElementType to = request.output(0).type;
    if (from != to && (!isNumber(from) || !isNumber(to)))
        request.refuse("it casts " + std::string(elementTypeName(from)) + " to " + std::string(elementTypeName(to)));
    return std::make_unique<CastKernel>();
}

class RangeKernel : public Kernel {
public:
    void run(const KernelIo& io) override
    {
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            const T start = *io.in[0].as<T>();
            const T delta = *io.in[2].as<T>();
            for (std::int64_t i = 0; i < io.out[0].count; ++i)
                io.out[0].as<T>()[i] = static_cast<T>(start + static_cast<T>(i) * delta);
        });
    }
};

std::unique_ptr<Kernel> makeRange(const Request& request)
{
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
        if (!isNumber(request.output(0).type) || request.input(i).type != request.output(0).type)
            request.refuse("its operands are no numbers of one type");
        request.requireInputCount(i, 1);
    }
    return std::make_unique<RangeKernel>();
}

class EyeKernel : public Kernel {
public:
    EyeKernel(std::int64_t columns, std::int64_t k) : m_columns(columns), m_k(k) {}
    void run(const KernelIo& io) override
    {
        withNumber(io.out[0].type, [&](auto number) {
            using T = decltype(number);
            for (std::int64_t i = 0; i < io.out[0].count; ++i)
                io.out[0].as<T>()[i] = i % m_columns - i / m_columns == m_k ? T(1) : T(0);
        });
    }

private:
    std::int64_t m_columns;
    std::int64_t m_k;
};

std::unique_ptr<Kernel> makeEyeLike(const Request& request)
{
    if (!isNumber(request.output(0).type) || request.outputDims().size() != 2)
        request.refuse("its output is no matrix of numbers");
    return std::make_unique<EyeKernel>(request.outputDims()[1], request.integer("k", 0));
}

constexpr KernelEntry kEntries[] = {
    {"ConstantOfShape", makeConstantOfShape},
    {"Shape", makeShape},
    {"Size", makeSize},
    {"Range", makeRange},
    {"EyeLike", makeEyeLike},
    {"Cast", makeCast},
    {"CastLike", makeCast},
};

} // namespace

std::span<const KernelEntry> creationKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
