// SPDX-License-Identifier: MIT
#include <arenascope/plan_io.h>
#include <arenascope/tensor_file.h>

#include "core/src/import/byte_source.h"
#include "core/src/import/onnx/tensor_proto_file.h"
#include "core/src/io/npy.h"

#include <algorithm>
#include <new>

namespace arenascope {

namespace {

Result<TensorContent> readAny(const std::filesystem::path& path)
{
    const auto head = readHead(path, 16);
    if (!head)
        return head.error();
    auto file = ByteSource::open(path);
    if (!file)
        return file.error();
    if (io::looksLikeNpy(*head))
        return io::readNpy(*file, kMostTensorFileBytes);
    if (onnx_import::looksLikeTensorProto(*head))
        return onnx_import::readTensorProto(*file, kMostTensorFileBytes);
    return Error{ErrorCode::FormatUnsupported, {}, {"Such", "Give NumPy's .npy, an onnx.TensorProto (.pb) or a picture."}};
}

} // namespace

Result<TensorContent> readTensorFile(const std::filesystem::path& path)
{
    try {
        auto content = readAny(path);
        if (content)
            return content;
        Error error = content.error();
        if (error.where.find(path.string()) == std::string::npos)
            error.where = path.string() + (error.where.empty() ? "" : ", " + error.where);
        return error;
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, path.string(), {"the tensor"}};
    }
}

Status writeNpy(const std::filesystem::path& path, const TensorContent& content)
{
    auto text = io::npyHeader(content);
    if (!text) {
        Error error = text.error();
        error.where = path.string();
        return error;
    }
    text->append(reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size());
    return writeFileAtomically(path, *text);
}

} // namespace arenascope
