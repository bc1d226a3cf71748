// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/tensor_proto_file.h"

#include "core/src/import/onnx/inference.h"
#include "core/src/import/onnx/tensor_message.h"
#include "core/src/import/onnx/wire.h"

#include <onnx/onnx_pb.h>

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

constexpr std::size_t kMostDims = 64;

/// What stands beside a tensor's elements.
struct Header {
    std::vector<std::int64_t> dims;
    int dataType = 0;
    bool isExternal = false;
};

std::string placeOf(std::int64_t at)
{
    return "byte " + std::to_string(at);
}

Error corrupt(std::int64_t at, const ByteSource& file, const char* problem)
{
    if (file.failure())
        return {file.failure()->code, placeOf(at), file.failure()->args};
    return {ErrorCode::FileCorrupt, placeOf(at), {problem}};
}

/// False where the numbers of a field cannot be read.
bool addDims(ByteSource& file, const WireField& field, std::vector<std::int64_t>& dims)
{
    if (field.type == WireType::Varint) {
        dims.push_back(static_cast<std::int64_t>(field.value));
        return true;
    }
    if (field.type != WireType::Bytes)
        return false;
    WireReader numbers(file, field.at, field.at + field.length);
    while (!numbers.atEnd() && dims.size() <= kMostDims) {
        const auto number = numbers.varint();
        if (!number)
            return false;
        dims.push_back(static_cast<std::int64_t>(*number));
    }
    return true;
}

Result<Header> readHeader(ByteSource& file)
{
    using T = onnx::TensorProto;
    Header header;
    WireReader fields(file);
    while (!fields.atEnd()) {
        const std::int64_t at = fields.position();
        const auto field = fields.next();
        if (!field)
            return corrupt(at, file, fields.problem());
        if (field->number == T::kDimsFieldNumber && !addDims(file, *field, header.dims))
            return corrupt(at, file, "its dimensions are no numbers");
        if (field->number == T::kDataTypeFieldNumber && field->type == WireType::Varint)
            header.dataType = static_cast<int>(field->value);
        if (field->number == T::kDataLocationFieldNumber && field->type == WireType::Varint)
            header.isExternal = field->value == static_cast<std::uint64_t>(T::EXTERNAL);
        if (header.dims.size() > kMostDims)
            return corrupt(at, file, "it has too many dimensions");
    }
    return header;
}

/// Bytes of all elements. 4-bit elements lie two a byte.
std::optional<Bytes> bytesOf(const Shape& shape, ElementType type)
{
    const auto count = shape.elementCount();
    const auto bits = count ? checkedMultiply(*count, bitsPerElement(type)) : std::nullopt;
    const auto padded = bits ? checkedAdd(*bits, 7) : std::nullopt;
    return padded ? std::optional(*padded / 8) : std::nullopt;
}

} // namespace

bool looksLikeTensorProto(std::string_view head)
{
    // Keys of fields 1 to 16 and their wire types; a text or a picture begins with none of them.
    if (head.empty())
        return false;
    const auto key = static_cast<unsigned char>(head.front());
    const unsigned type = key & 7u;
    return key >= 8 && (type == 0 || type == 1 || type == 2 || type == 5);
}

Result<TensorContent> readTensorProto(ByteSource& file, Bytes limit)
{
    const auto header = readHeader(file);
    if (!header)
        return header.error();
    TensorContent content{elementTypeFromOnnx(header->dataType), Shape::of(header->dims), {}};
    if (header->isExternal)
        return Error{ErrorCode::Unsupported, {}, {"A tensor whose content lies in another file", "Write the tensor with its content, or as .npy."}};
    if (bitsPerElement(content.type) == 0)
        return Error{ErrorCode::Unsupported, {}, {"A tensor of this element type", "Give one of numbers."}};
    const bool isNegative = std::any_of(header->dims.begin(), header->dims.end(), [](std::int64_t dim) { return dim < 0; });
    const auto bytes = isNegative ? std::nullopt : bytesOf(content.shape, content.type);
    if (!bytes)
        return Error{ErrorCode::FileCorrupt, placeOf(0), {"its dimensions make no size"}};
    if (*bytes > limit)
        return Error{ErrorCode::TooLarge, {}, {"the tensor", std::to_string(limit) + " bytes"}};
    auto elements = readTensorMessage(file, 0, file.size(), content.type, *bytes);
    if (!elements)
        return elements.error();
    if (std::ssize(*elements) < *bytes)
        return Error{ErrorCode::FileCorrupt, placeOf(file.size()),
                     {"it says " + std::to_string(*bytes) + " bytes and has only " + std::to_string(elements->size())}};
    elements->resize(static_cast<std::size_t>(*bytes));
    content.bytes = *std::move(elements);
    return content;
}

} // namespace arenascope::onnx_import
