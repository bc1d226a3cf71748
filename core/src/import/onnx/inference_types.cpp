// SPDX-License-Identifier: MIT
// Element types and small tensor contents, to and from libonnx's classes.
#include "core/src/import/onnx/inference.h"

#include <array>
#include <cstring>
#include <utility>

namespace arenascope::onnx_import {

namespace {

using enum ElementType;

// By number, as in onnx.proto: libonnx 1.12 has no names for those above 16.
constexpr std::array kByOnnxNumber = {
    Undefined, Float32, UInt8, Int8, UInt16, Int16, Int32, Int64, String, Bool, Float16, Float64, UInt32, UInt64,
    Complex64, Complex128, BFloat16,
    Float8, Float8, Float8, Float8, // 17..20: E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ
    UInt4, Int4,                    // 21, 22
    Undefined,                      // 23: FLOAT4E2M1
    Float8,                         // 24: E8M0
};

using ByteVector = std::vector<std::byte>;

template <class Stored, class Field>
std::shared_ptr<const ByteVector> fromField(const Field& field, std::int64_t count)
{
    if (field.size() != count)
        return nullptr;
    ByteVector bytes(static_cast<std::size_t>(count) * sizeof(Stored));
    for (int i = 0; i < field.size(); ++i) {
        const auto element = static_cast<Stored>(field.Get(i));
        std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(Stored), &element, sizeof(Stored));
    }
    return std::make_shared<const ByteVector>(std::move(bytes));
}

std::shared_ptr<const ByteVector> fromTypedField(const onnx::TensorProto& tensor, ElementType type, std::int64_t count)
{
    switch (type) {
    case Float32: return fromField<float>(tensor.float_data(), count);
    case Float64: return fromField<double>(tensor.double_data(), count);
    case Int64: return fromField<std::int64_t>(tensor.int64_data(), count);
    case UInt64: return fromField<std::uint64_t>(tensor.uint64_data(), count);
    case UInt32: return fromField<std::uint32_t>(tensor.uint64_data(), count);
    case Int32: return fromField<std::int32_t>(tensor.int32_data(), count);
    case Int16:
    case UInt16:
    case Float16:
    case BFloat16: return fromField<std::uint16_t>(tensor.int32_data(), count);
    case Int8:
    case UInt8:
    case Bool:
    case Float8: return fromField<std::uint8_t>(tensor.int32_data(), count);
    default: return nullptr;
    }
}

template <class Stored>
std::vector<std::int64_t> widened(const ByteVector& bytes)
{
    std::vector<std::int64_t> result(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < result.size(); ++i) {
        Stored element;
        std::memcpy(&element, bytes.data() + i * sizeof(Stored), sizeof(Stored));
        result[i] = static_cast<std::int64_t>(element);
    }
    return result;
}

} // namespace

ElementType elementTypeFromOnnx(int dataType)
{
    if (dataType < 0 || dataType >= static_cast<int>(kByOnnxNumber.size()))
        return Undefined;
    return kByOnnxNumber[static_cast<std::size_t>(dataType)];
}

int onnxFromElementType(ElementType type)
{
    for (std::size_t number = 1; number < kByOnnxNumber.size(); ++number) {
        if (kByOnnxNumber[number] == type && type != Undefined)
            return static_cast<int>(number);
    }
    return 0;
}

std::shared_ptr<const std::vector<std::byte>> tensorBytes(const onnx::TensorProto& tensor)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.dims()) {
        if (extent < 0 || extent > kMaxKeptElements)
            return nullptr;
        count *= extent;
        if (count > kMaxKeptElements)
            return nullptr;
    }
    const ElementType type = elementTypeFromOnnx(tensor.data_type());
    const int bits = bitsPerElement(type);
    if (bits < 8 || tensor.data_location() == onnx::TensorProto::EXTERNAL)
        return nullptr;
    if (!tensor.has_raw_data())
        return fromTypedField(tensor, type, count);
    if (tensor.raw_data().size() != static_cast<std::size_t>(count) * static_cast<std::size_t>(bits / 8))
        return nullptr;
    const auto* raw = reinterpret_cast<const std::byte*>(tensor.raw_data().data());
    return std::make_shared<const ByteVector>(raw, raw + tensor.raw_data().size());
}

std::optional<std::vector<std::int64_t>> integers(const ValueInfo& value)
{
    if (!value.value)
        return std::nullopt;
    switch (value.type) {
    case Int64: return widened<std::int64_t>(*value.value);
    case UInt64: return widened<std::uint64_t>(*value.value);
    case Int32: return widened<std::int32_t>(*value.value);
    case UInt32: return widened<std::uint32_t>(*value.value);
    case Int16: return widened<std::int16_t>(*value.value);
    case UInt16: return widened<std::uint16_t>(*value.value);
    case Int8: return widened<std::int8_t>(*value.value);
    case UInt8:
    case Bool: return widened<std::uint8_t>(*value.value);
    default: return std::nullopt;
    }
}

} // namespace arenascope::onnx_import
