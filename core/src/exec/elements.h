// SPDX-License-Identifier: MIT
// From element types at run time to C++ types.
#pragma once

#include <arenascope/graph.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace arenascope::exec {

[[noreturn]] inline void failForType(ElementType type)
{
    throw std::runtime_error("there is no loop for elements of type " + std::string(elementTypeName(type)));
}

/// Calls `use(T())` with the C++ type of the elements: all plain numbers, and bool as std::uint8_t.
template <class Use>
decltype(auto) withNumber(ElementType type, Use&& use)
{
    switch (type) {
    case ElementType::Float32: return use(float());
    case ElementType::Float64: return use(double());
    case ElementType::Int8: return use(std::int8_t());
    case ElementType::UInt8:
    case ElementType::Bool: return use(std::uint8_t());
    case ElementType::Int16: return use(std::int16_t());
    case ElementType::UInt16: return use(std::uint16_t());
    case ElementType::Int32: return use(std::int32_t());
    case ElementType::UInt32: return use(std::uint32_t());
    case ElementType::Int64: return use(std::int64_t());
    case ElementType::UInt64: return use(std::uint64_t());
    default: failForType(type);
    }
}

inline bool isNumber(ElementType type)
{
    switch (type) {
    case ElementType::Float32:
    case ElementType::Float64:
    case ElementType::Int8:
    case ElementType::UInt8:
    case ElementType::Bool:
    case ElementType::Int16:
    case ElementType::UInt16:
    case ElementType::Int32:
    case ElementType::UInt32:
    case ElementType::Int64:
    case ElementType::UInt64: return true;
    default: return false;
    }
}

inline bool isFloating(ElementType type)
{
    return type == ElementType::Float32 || type == ElementType::Float64;
}

/// Bytes of one element of a type that takes whole bytes; 0 for others.
inline std::int64_t elementBytes(ElementType type)
{
    const int bits = bitsPerElement(type);
    return bits % 8 == 0 ? bits / 8 : 0;
}

/// Calls `use(T())` with an unsigned type of the element's size, for what only moves elements.
template <class Use>
decltype(auto) withSize(ElementType type, Use&& use)
{
    switch (elementBytes(type)) {
    case 1: return use(std::uint8_t());
    case 2: return use(std::uint16_t());
    case 4: return use(std::uint32_t());
    case 8: return use(std::uint64_t());
    default: failForType(type);
    }
}

} // namespace arenascope::exec
