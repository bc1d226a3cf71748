// SPDX-License-Identifier: MIT
#include <arenascope/tensor_data.h>

#include "core/src/import/byte_source.h"
#include "core/src/import/onnx/tensor_message.h"

#include <algorithm>
#include <cassert>
#include <new>

namespace arenascope {

namespace {

Error tooShort(const std::string& where, std::size_t got, Bytes bytes)
{
    return {ErrorCode::FileCorrupt, where,
            {"a tensor of " + std::to_string(bytes) + " bytes has only " + std::to_string(got) + " in it"}};
}

Result<std::vector<std::byte>> readElements(ByteSource& file, const TensorSource& source, Bytes bytes)
{
    const std::string where = "byte " + std::to_string(source.offset);
    if (source.offset < 0 || source.length < 0 || source.length > file.size() - source.offset)
        return Error{ErrorCode::FileTruncated, where, {"the tensor lies beyond its end"}};
    std::vector<std::byte> content;
    const Bytes length = std::min(bytes, source.length);
    content.reserve(static_cast<std::size_t>(length));
    const auto add = [&content](std::span<const std::byte> piece) {
        content.insert(content.end(), piece.begin(), piece.end());
    };
    if (!file.forEachPiece(source.offset, length, add))
        return Error{file.failure()->code, where, file.failure()->args};
    return content;
}

Result<std::vector<std::byte>> readFromFile(const TensorSource& source, ElementType type, Bytes bytes)
{
    auto file = ByteSource::open(source.file);
    if (!file)
        return file.error();
    auto content = source.encoding == TensorEncoding::Elements
        ? readElements(*file, source, bytes)
        : onnx_import::readTensorMessage(*file, source.offset, source.offset + source.length, type, bytes);
    if (content)
        return content;
    Error error = content.error();
    error.where = source.file + ", " + error.where;
    return error;
}

} // namespace

Result<std::vector<std::byte>> readTensorData(const TensorSource& source, ElementType type, Bytes bytes)
{
    assert(bytes >= 0 && "the size of the tensor must be known");
    try {
        auto content = source.file.empty() ? Result(source.inlineBytes) : readFromFile(source, type, bytes);
        if (!content)
            return content;
        if (std::ssize(*content) < bytes)
            return tooShort(source.file.empty() ? "tensor" : source.file, content->size(), bytes);
        content->resize(static_cast<std::size_t>(bytes));
        return content;
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, source.file, {std::to_string(bytes) + " bytes of a weight"}};
    }
}

} // namespace arenascope
