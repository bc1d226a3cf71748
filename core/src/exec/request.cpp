// SPDX-License-Identifier: MIT
#include "core/src/exec/request.h"

#include "core/src/exec/constants.h"
#include "core/src/exec/elements.h"

#include <algorithm>

namespace arenascope::exec {

const Tensor& Request::input(std::size_t i) const
{
    if (!hasInput(i))
        refuse("input " + std::to_string(i) + " is left out");
    return m_graph.tensor(m_op.inputs[i]);
}

const Tensor& Request::output(std::size_t i) const
{
    if (!hasOutput(i))
        refuse("output " + std::to_string(i) + " is left out");
    return m_graph.tensor(m_op.outputs[i]);
}

template <class T>
const T* Request::find(std::string_view attribute) const
{
    const auto it = m_op.attributes.find(attribute);
    return it == m_op.attributes.end() ? nullptr : std::get_if<T>(&it->second);
}

bool Request::has(std::string_view attribute) const
{
    return m_op.attributes.find(attribute) != m_op.attributes.end();
}

std::int64_t Request::integer(std::string_view attribute, std::int64_t fallback) const
{
    const auto* value = find<std::int64_t>(attribute);
    return value != nullptr ? *value : fallback;
}

double Request::real(std::string_view attribute, double fallback) const
{
    const auto* value = find<double>(attribute);
    return value != nullptr ? *value : fallback;
}

std::string Request::text(std::string_view attribute, std::string_view fallback) const
{
    const auto* value = find<std::string>(attribute);
    return value != nullptr ? *value : std::string(fallback);
}

std::vector<std::int64_t> Request::integers(std::string_view attribute) const
{
    const auto* value = find<std::vector<std::int64_t>>(attribute);
    return value != nullptr ? *value : std::vector<std::int64_t>();
}

std::vector<double> Request::reals(std::string_view attribute) const
{
    const auto* value = find<std::vector<double>>(attribute);
    return value != nullptr ? *value : std::vector<double>();
}

std::vector<std::string> Request::texts(std::string_view attribute) const
{
    const auto* value = find<std::vector<std::string>>(attribute);
    return value != nullptr ? *value : std::vector<std::string>();
}

const TensorValue* Request::tensor(std::string_view attribute) const
{
    return find<TensorValue>(attribute);
}

View Request::constantNumbers(std::size_t i) const
{
    const Tensor& tensor = input(i);
    if (tensor.isActivation())
        refuse("input " + std::to_string(i) + " ('" + tensor.name + "') is only known while the network runs");
    if (!isNumber(tensor.type))
        refuse("input " + std::to_string(i) + " is of type " + std::string(elementTypeName(tensor.type)));
    return m_constants.view(m_op.inputs[i]);
}

std::vector<std::int64_t> Request::constantIntegers(std::size_t i) const
{
    return integersOf(constantNumbers(i));
}

std::vector<double> Request::constantReals(std::size_t i) const
{
    return realsOf(constantNumbers(i));
}

std::optional<std::vector<std::int64_t>> Request::listFrom(std::string_view attribute, std::size_t index) const
{
    if (has(attribute))
        return integers(attribute);
    if (hasInput(index))
        return constantIntegers(index);
    return std::nullopt;
}

std::size_t Request::axis(std::int64_t value, std::size_t rank) const
{
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (value < -signedRank || value >= signedRank)
        refuse("axis " + std::to_string(value) + " is outside of " + std::to_string(rank) + " dimensions");
    return static_cast<std::size_t>(value < 0 ? value + signedRank : value);
}

void Request::requireFloatInput(std::size_t i) const
{
    if (input(i).type != ElementType::Float32)
        refuse("it computes in float32, and '" + input(i).name + "' is " + std::string(elementTypeName(input(i).type)));
}

void Request::requireFloatOutput(std::size_t i) const
{
    if (output(i).type != ElementType::Float32)
        refuse("it computes in float32, and '" + output(i).name + "' is " + std::string(elementTypeName(output(i).type)));
}

void Request::requireCount(std::int64_t count, std::size_t o) const
{
    if (output(o).shape.elementCount() != count)
        refuse("'" + output(o).name + "' is " + toString(output(o).shape) + ", which is not what it makes");
}

void Request::requireLike(std::size_t i, std::size_t o) const
{
    requireCount(input(i).shape.elementCount().value_or(-1), o);
    if (input(i).type != output(o).type)
        refuse("'" + output(o).name + "' is " + std::string(elementTypeName(output(o).type)) + " instead of "
               + std::string(elementTypeName(input(i).type)));
}

void Request::requireInputCount(std::size_t i, std::int64_t count) const
{
    if (input(i).shape.elementCount() != count)
        refuse("'" + input(i).name + "' is " + toString(input(i).shape) + ", which does not fit");
}

namespace {

template <class To>
void copyConverted(const View& view, To* to)
{
    withNumber(view.type, [&](auto number) {
        using T = decltype(number);
        std::transform(view.as<T>(), view.as<T>() + view.count, to, [](T value) { return static_cast<To>(value); });
    });
}

} // namespace

void copyIntegers(const View& view, std::int64_t* to)
{
    copyConverted(view, to);
}

void copyReals(const View& view, double* to)
{
    copyConverted(view, to);
}

std::vector<std::int64_t> integersOf(const View& view)
{
    std::vector<std::int64_t> list(static_cast<std::size_t>(view.count));
    copyIntegers(view, list.data());
    return list;
}

std::vector<double> realsOf(const View& view)
{
    std::vector<double> list(static_cast<std::size_t>(view.count));
    copyReals(view, list.data());
    return list;
}

} // namespace arenascope::exec
