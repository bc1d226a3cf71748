// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/tensor_message.h"

#include "core/src/import/onnx/wire.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

/// Where TensorProto keeps elements of a type that are not in raw_data (its comments in onnx.proto3), and how many bytes
/// each number of that field stands for.
struct TypedField {
    std::uint32_t number = 0; ///< 0: none
    int width = 0;
};

TypedField fieldOf(ElementType type)
{
    using enum ElementType;
    using T = onnx::TensorProto;
    switch (type) {
    case Float32:
    case Complex64: return {T::kFloatDataFieldNumber, 4};
    case Float64:
    case Complex128: return {T::kDoubleDataFieldNumber, 8};
    case Int64: return {T::kInt64DataFieldNumber, 8};
    case UInt64: return {T::kUint64DataFieldNumber, 8};
    case UInt32: return {T::kUint64DataFieldNumber, 4};
    case Int32: return {T::kInt32DataFieldNumber, 4};
    case Int16:
    case UInt16:
    case Float16:
    case BFloat16: return {T::kInt32DataFieldNumber, 2};
    case Int8:
    case UInt8:
    case Bool:
    case Float8:
    case Int4: // two elements in each number
    case UInt4: return {T::kInt32DataFieldNumber, 1};
    default: return {};
    }
}

class MessageReader {
public:
    MessageReader(ByteSource& file, ElementType type, Bytes limit)
        : m_file(file), m_field(fieldOf(type)), m_limit(limit)
    {
    }

    Result<std::vector<std::byte>> read(std::int64_t begin, std::int64_t end);

private:
    bool isFull() const { return std::ssize(m_elements) >= m_limit; }
    bool copy(std::int64_t at, std::int64_t length);
    bool typed(const WireField& found);
    bool packed(const WireField& found);
    void append(std::uint64_t number);
    Error problemAt(std::int64_t at, const char* problem) const;

    ByteSource& m_file;
    TypedField m_field;
    Bytes m_limit;
    std::vector<std::byte> m_elements;
};

Error MessageReader::problemAt(std::int64_t at, const char* problem) const
{
    const std::string where = "byte " + std::to_string(at);
    if (m_file.failure())
        return {m_file.failure()->code, where, m_file.failure()->args};
    return {ErrorCode::FileCorrupt, where, {problem}};
}

bool MessageReader::copy(std::int64_t at, std::int64_t length)
{
    length = std::clamp<std::int64_t>(m_limit - std::ssize(m_elements), 0, length);
    const auto add = [this](std::span<const std::byte> piece) {
        m_elements.insert(m_elements.end(), piece.begin(), piece.end());
    };
    return m_file.forEachPiece(at, length, add);
}

void MessageReader::append(std::uint64_t number)
{
    // Negative numbers are written with all 64 bits; the low ones are the element's.
    for (int i = 0; i < m_field.width; ++i)
        m_elements.push_back(static_cast<std::byte>(number >> (8 * i)));
}

bool MessageReader::packed(const WireField& found)
{
    WireReader numbers(m_file, found.at, found.at + found.length);
    while (!numbers.atEnd() && !isFull()) {
        const auto number = numbers.varint();
        if (!number)
            return false;
        append(*number);
    }
    return true;
}

bool MessageReader::typed(const WireField& found)
{
    const bool isFixed = m_field.number == onnx::TensorProto::kFloatDataFieldNumber
        || m_field.number == onnx::TensorProto::kDoubleDataFieldNumber;
    if (isFixed)
        return found.type != WireType::Varint && copy(found.at, found.length);
    if (found.type == WireType::Bytes)
        return packed(found);
    if (found.type != WireType::Varint)
        return false;
    if (!isFull())
        append(found.value);
    return true;
}

Result<std::vector<std::byte>> MessageReader::read(std::int64_t begin, std::int64_t end)
{
    if (begin < 0 || end < begin || end > m_file.size())
        return Error{ErrorCode::FileTruncated, "byte " + std::to_string(begin), {"the tensor lies beyond its end"}};
    std::optional<WireField> raw;
    WireReader fields(m_file, begin, end);
    while (!fields.atEnd()) {
        const std::int64_t at = fields.position();
        const auto found = fields.next();
        if (!found)
            return problemAt(at, fields.problem());
        if (found->number == onnx::TensorProto::kRawDataFieldNumber && found->type == WireType::Bytes)
            raw = found; // of several the last one counts
        else if (found->number == m_field.number && !typed(*found))
            return problemAt(at, "a tensor's numbers are not of its type");
    }
    if (raw) {
        m_elements.clear();
        if (!copy(raw->at, raw->length))
            return problemAt(raw->at, "");
    }
    return std::move(m_elements);
}

} // namespace

Result<std::vector<std::byte>> readTensorMessage(ByteSource& file, std::int64_t begin, std::int64_t end,
                                                 ElementType type, Bytes limit)
{
    return MessageReader(file, type, limit).read(begin, end);
}

} // namespace arenascope::onnx_import
