// SPDX-License-Identifier: MIT
#include <arenascope/tensor_file.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace arenascope {

namespace {

/// IEEE 754 half precision, whose bits fit a float's.
double halfValue(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    double value = 0.0;
    if (exponent == 0)
        value = std::ldexp(fraction, -24);
    else if (exponent == 0x1f)
        value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else
        value = std::ldexp(0x400 + fraction, exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

template <class T, class Convert>
std::vector<ElementValue> valuesOf(const std::vector<std::byte>& bytes, Convert convert)
{
    std::vector<ElementValue> values;
    values.reserve(bytes.size() / sizeof(T));
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        T element;
        std::memcpy(&element, bytes.data() + at, sizeof(T));
        values.push_back({static_cast<std::int64_t>(at / sizeof(T)), convert(element)});
    }
    return values;
}

template <class T>
std::vector<ElementValue> numbersOf(const std::vector<std::byte>& bytes)
{
    return valuesOf<T>(bytes, [](T element) { return static_cast<double>(element); });
}

std::vector<ElementValue> elementsOf(const TensorContent& content)
{
    switch (content.type) {
    case ElementType::Float32: return numbersOf<float>(content.bytes);
    case ElementType::Float64: return numbersOf<double>(content.bytes);
    case ElementType::Float16: return valuesOf<std::uint16_t>(content.bytes, halfValue);
    case ElementType::Int8: return numbersOf<std::int8_t>(content.bytes);
    case ElementType::UInt8:
    case ElementType::Bool: return numbersOf<std::uint8_t>(content.bytes);
    case ElementType::Int16: return numbersOf<std::int16_t>(content.bytes);
    case ElementType::UInt16: return numbersOf<std::uint16_t>(content.bytes);
    case ElementType::Int32: return numbersOf<std::int32_t>(content.bytes);
    case ElementType::UInt32: return numbersOf<std::uint32_t>(content.bytes);
    case ElementType::Int64: return numbersOf<std::int64_t>(content.bytes);
    case ElementType::UInt64: return numbersOf<std::uint64_t>(content.bytes);
    default: return {};
    }
}

bool isLarger(const ElementValue& a, const ElementValue& b)
{
    if (std::isnan(a.value) || std::isnan(b.value))
        return std::isnan(a.value) == std::isnan(b.value) ? a.index < b.index : std::isnan(b.value);
    return a.value != b.value ? a.value > b.value : a.index < b.index;
}

} // namespace

std::vector<ElementValue> largestElements(const TensorContent& content, std::size_t count)
{
    std::vector<ElementValue> values = elementsOf(content);
    count = std::min(count, values.size());
    std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), isLarger);
    values.resize(count);
    return values;
}

} // namespace arenascope
