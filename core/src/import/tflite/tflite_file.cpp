// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_file.h"

#include <algorithm>

namespace arenascope::tflite_import {

namespace {

// Models nest four tables deep. Each table costs at least four bytes of the file, unless many offsets lead to the same one:
// the limit is on visits.
constexpr flatbuffers::uoffset_t kMaxDepth = 32;
constexpr flatbuffers::uoffset_t kMaxTables = 4'000'000;
constexpr std::size_t kSmallestFile = 8; // offset of the root, and the identifier

Error corrupt(std::string what)
{
    return {ErrorCode::FileCorrupt, "model", {std::move(what)}};
}

Status verify(std::span<const std::byte> bytes)
{
    if (bytes.size() < kSmallestFile)
        return Error{ErrorCode::FileTruncated, "model", {"a model has at least 8 bytes"}};
    if (!tflite_file::ModelBufferHasIdentifier(bytes.data()))
        return corrupt("it does not have the identifier TFL3 at byte 4");
    // Models above 2 GB keep their buffers behind the part that FlatBuffers can address.
    const std::size_t addressed = std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), addressed, kMaxDepth, kMaxTables);
    if (!tflite_file::VerifyModelBuffer(verifier))
        return corrupt("its FlatBuffers structure is broken (an offset or a length leads out of the file)");
    return Ok{};
}

} // namespace

Result<TfliteFile> TfliteFile::open(const std::filesystem::path& path)
{
    auto map = MappedFile::open(path);
    if (!map)
        return std::move(map).error();
    TfliteFile file(*std::move(map));
    if (auto sound = verify(file.bytes()); !sound)
        return sound.error();
    const auto& model = file.model();
    if (model.version() != 3)
        return Error{ErrorCode::FormatUnsupported, "model",
                     {"TensorFlow Lite schema version " + std::to_string(model.version()),
                      "Convert the original model again; every converter since 2017 writes version 3."}};
    if (sizeOf(model.subgraphs()) == 0)
        return corrupt("it holds no sub-graph");
    std::size_t tensors = 0;
    for (std::size_t i = 0; i < file.subgraphCount(); ++i) {
        file.m_firstTensor.push_back(tensors);
        tensors += file.tensorCount(i);
    }
    file.m_firstTensor.push_back(tensors);
    if (auto sound = checkTfliteFile(file); !sound)
        return sound.error();
    return file;
}

const tflite_file::Tensor& TfliteFile::tensor(std::size_t subgraphIndex, std::size_t index) const
{
    return *subgraph(subgraphIndex).tensors()->Get(static_cast<flatbuffers::uoffset_t>(index));
}

// Codes above 127 did not fit the field that codes had first.
std::int32_t TfliteFile::codeOf(const tflite_file::Operator& op) const
{
    const auto* code = model().operator_codes()->Get(op.opcode_index());
    return std::max<std::int32_t>(code->short_code(), code->code());
}

std::string TfliteFile::kindOf(const tflite_file::Operator& op) const
{
    const std::int32_t code = codeOf(op);
    const auto* custom = model().operator_codes()->Get(op.opcode_index())->custom_code();
    if (code == static_cast<std::int32_t>(Builtin::Custom) && sizeOf(custom) > 0)
        return custom->str();
    return builtinName(code);
}

std::int32_t TfliteFile::versionOf(const tflite_file::Operator& op) const
{
    return model().operator_codes()->Get(op.opcode_index())->version();
}

std::vector<std::int32_t> TfliteFile::callsOf(const tflite_file::Operator& op) const
{
    switch (static_cast<Builtin>(codeOf(op))) {
    case Builtin::If:
        if (const auto* calls = op.options_as_If())
            return {calls->first(), calls->second()};
        return {};
    case Builtin::While:
        if (const auto* calls = op.options_as_While())
            return {calls->first(), calls->second()};
        return {};
    case Builtin::CallOnce:
        if (const auto* call = op.options_as_CallOnce())
            return {call->called()};
        return {};
    case Builtin::Custom: break;
    }
    return {};
}

FileRange TfliteFile::contentOf(std::uint32_t index) const
{
    if (index >= sizeOf(model().buffers()))
        return {};
    const auto* buffer = model().buffers()->Get(index);
    if (sizeOf(buffer->data()) > 0) {
        const auto* begin = reinterpret_cast<const std::byte*>(buffer->data()->data());
        return {begin - bytes().data(), static_cast<std::int64_t>(buffer->data()->size())};
    }
    if (buffer->offset() > 1) // 0 and 1 stand for none
        return {static_cast<std::int64_t>(buffer->offset()), static_cast<std::int64_t>(buffer->size())};
    return {};
}

std::string placeOfOperator(const TfliteFile& file, std::size_t subgraph, std::size_t op)
{
    const auto* operation = file.subgraph(subgraph).operators()->Get(static_cast<flatbuffers::uoffset_t>(op));
    const bool hasKind = operation->opcode_index() < sizeOf(file.model().operator_codes());
    return "subgraph " + std::to_string(subgraph) + ", operator " + std::to_string(op)
        + (hasKind ? " (" + file.kindOf(*operation) + ")" : std::string());
}

std::string placeOfTensor(const TfliteFile& file, std::size_t subgraph, std::size_t tensor)
{
    constexpr std::size_t kLongestName = 80;
    const auto* name = file.tensor(subgraph, tensor).name();
    return "subgraph " + std::to_string(subgraph) + ", tensor " + std::to_string(tensor)
        + (sizeOf(name) > 0 ? " '" + name->str().substr(0, kLongestName) + "'" : std::string());
}

} // namespace arenascope::tflite_import
