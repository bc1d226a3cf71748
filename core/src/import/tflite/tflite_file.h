// SPDX-License-Identifier: MIT
// A .tflite file that may be walked without fear: mapped, verified, every index in range.
#pragma once

#include "core/src/import/tflite/tflite_names.h"
#include "core/src/io/mapped_file.h"

#include "tflite_generated.h"

#include <string>
#include <vector>

namespace arenascope::tflite_import {

/// Elements of a vector that may be left out.
template <class Vector>
std::size_t sizeOf(const Vector* vector)
{
    return vector == nullptr ? 0 : vector->size();
}

/// Where a constant's bytes lie in the file.
struct FileRange {
    std::int64_t offset = 0;
    std::int64_t length = 0; ///< 0: no content
};

/// Everything that the accessors give is valid as long as the object lives. That holds for the file as it was when it was
/// checked: see MappedFile for files that others write to meanwhile.
class TfliteFile {
public:
    /// Errors: those of MappedFile::open(), FileCorrupt and FormatUnsupported (`where` names the place in the file), TooLarge.
    static Result<TfliteFile> open(const std::filesystem::path& path);

    const tflite_file::Model& model() const { return *tflite_file::GetModel(m_map.bytes().data()); }
    std::span<const std::byte> bytes() const { return m_map.bytes(); }

    std::size_t subgraphCount() const { return model().subgraphs()->size(); }
    const tflite_file::SubGraph& subgraph(std::size_t index) const
    {
        return *model().subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(index));
    }
    const tflite_file::Tensor& tensor(std::size_t subgraph, std::size_t index) const;
    std::size_t tensorCount(std::size_t subgraphIndex) const { return sizeOf(subgraph(subgraphIndex).tensors()); }
    /// Position of a sub-graph's first tensor in a list of the tensors of all sub-graphs; of subgraphCount(): their number.
    std::size_t firstTensor(std::size_t subgraph) const { return m_firstTensor[subgraph]; }

    std::int32_t codeOf(const tflite_file::Operator& op) const;
    /// "CONV_2D", or the name of a custom operator.
    std::string kindOf(const tflite_file::Operator& op) const;
    /// Of the operator's kind, from 1 on.
    std::int32_t versionOf(const tflite_file::Operator& op) const;
    /// Sub-graphs that the operator runs, in the order in which TensorFlow Lite Micro plans them.
    std::vector<std::int32_t> callsOf(const tflite_file::Operator& op) const;

    /// Content of one of the model's buffers.
    FileRange contentOf(std::uint32_t buffer) const;
    bool isConstant(const tflite_file::Tensor& tensor) const { return contentOf(tensor.buffer()).length > 0; }

private:
    explicit TfliteFile(MappedFile map) : m_map(std::move(map)) {}

    MappedFile m_map;
    std::vector<std::size_t> m_firstTensor; ///< by sub-graph; and one more
};

/// "subgraph 1, operator 3 (ADD)".
std::string placeOfOperator(const TfliteFile& file, std::size_t subgraph, std::size_t op);
/// "subgraph 0, tensor 7 'conv'".
std::string placeOfTensor(const TfliteFile& file, std::size_t subgraph, std::size_t tensor);

/// What the FlatBuffers verifier does not know: indices, shapes and sums. Errors: FileCorrupt, BadShape, TooLarge.
Status checkTfliteFile(const TfliteFile& file);

} // namespace arenascope::tflite_import
