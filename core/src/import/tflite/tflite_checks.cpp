// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_file.h"

#include <algorithm>
#include <limits>

namespace arenascope::tflite_import {

namespace {

// Vectors and strings may be shared, so that a small file can claim any number of operands and names. Honest files share
// little: what is copied out of a file may be a few times as large as the file.
constexpr std::int64_t kCopiesOfFile = 8;
constexpr std::int64_t kFreeCopies = std::int64_t{1} << 20;

class Checker {
public:
    explicit Checker(const TfliteFile& file)
        : m_file(file), m_left(static_cast<std::int64_t>(file.bytes().size()) * kCopiesOfFile + kFreeCopies)
    {
    }

    Status run()
    {
        if (auto sound = checkBuffers(); !sound)
            return sound;
        if (m_file.firstTensor(m_file.subgraphCount()) > kMostItems)
            return tooMany("tensors");
        for (std::size_t i = 0; i < m_file.subgraphCount(); ++i) {
            if (auto sound = checkSubgraph(i); !sound)
                return sound;
        }
        return Ok{};
    }

private:
    static constexpr std::size_t kMostItems = std::size_t{1} << 24; ///< tensors, and operators

    static Status tooMany(const char* what)
    {
        return Error{ErrorCode::TooLarge, "model", {std::string("the number of ") + what, std::to_string(kMostItems)}};
    }
    static Status corrupt(std::string where, std::string what)
    {
        return Error{ErrorCode::FileCorrupt, std::move(where), {std::move(what)}};
    }

    /// Counts what will be copied; false where it has become absurd.
    bool take(std::size_t bytes)
    {
        m_left -= static_cast<std::int64_t>(bytes);
        return m_left >= 0;
    }

    // Content behind the part that FlatBuffers addresses is named by 64-bit positions that no verifier looks at.
    Status checkBuffers()
    {
        const auto size = static_cast<std::uint64_t>(m_file.bytes().size());
        for (std::uint32_t i = 0; i < sizeOf(m_file.model().buffers()); ++i) {
            const auto* buffer = m_file.model().buffers()->Get(i);
            if (sizeOf(buffer->data()) > 0 || buffer->offset() <= 1)
                continue;
            if (buffer->offset() > size || buffer->size() > size - buffer->offset())
                return Error{ErrorCode::FileTruncated, "buffer " + std::to_string(i),
                             {"its content should be at byte " + std::to_string(buffer->offset()) + ", "
                              + std::to_string(buffer->size()) + " bytes long"}};
        }
        return Ok{};
    }

    Status checkSubgraph(std::size_t index)
    {
        const auto& subgraph = m_file.subgraph(index);
        const std::string where = "subgraph " + std::to_string(index);
        for (std::size_t i = 0; i < sizeOf(subgraph.tensors()); ++i) {
            if (auto sound = checkTensor(index, i); !sound)
                return sound;
        }
        if (auto sound = checkIndices(subgraph.inputs(), index, 0, where + ", inputs"); !sound)
            return sound;
        if (auto sound = checkIndices(subgraph.outputs(), index, 0, where + ", outputs"); !sound)
            return sound;
        m_operators += sizeOf(subgraph.operators());
        if (m_operators > kMostItems)
            return tooMany("operators");
        for (std::size_t i = 0; i < sizeOf(subgraph.operators()); ++i) {
            if (auto sound = checkOperator(index, i); !sound)
                return sound;
        }
        return Ok{};
    }

    Status checkTensor(std::size_t subgraph, std::size_t index)
    {
        const auto& tensor = m_file.tensor(subgraph, index);
        const auto where = [&] { return placeOfTensor(m_file, subgraph, index); };
        const auto* quantization = tensor.quantization();
        const std::size_t numbers = sizeOf(tensor.shape()) + sizeOf(tensor.shape_signature())
            + (quantization == nullptr ? 0 : sizeOf(quantization->scale()) + sizeOf(quantization->zero_point()));
        if (!take(numbers * sizeof(std::int64_t) + sizeOf(tensor.name())))
            return absurd(where());
        // The format wants an empty buffer in front, for tensors without content: runtimes read it unasked.
        if (tensor.buffer() >= sizeOf(m_file.model().buffers()))
            return corrupt(where(), "its content is buffer " + std::to_string(tensor.buffer()) + ", and the file has "
                                        + std::to_string(sizeOf(m_file.model().buffers())) + " buffers");
        for (std::size_t i = 0; i < sizeOf(tensor.shape()); ++i) {
            if (const std::int32_t dim = tensor.shape()->Get(static_cast<flatbuffers::uoffset_t>(i)); dim < 0)
                return corrupt(where(), "dimension " + std::to_string(i) + " of its shape is " + std::to_string(dim));
        }
        for (std::size_t i = 0; i < sizeOf(tensor.shape_signature()); ++i) {
            if (const std::int32_t dim = tensor.shape_signature()->Get(static_cast<flatbuffers::uoffset_t>(i)); dim < -1)
                return corrupt(where(), "dimension " + std::to_string(i) + " of its shape signature is " + std::to_string(dim));
        }
        return Ok{};
    }

    Status checkOperator(std::size_t subgraph, std::size_t index)
    {
        const auto& op = *m_file.subgraph(subgraph).operators()->Get(static_cast<flatbuffers::uoffset_t>(index));
        if (op.opcode_index() >= sizeOf(m_file.model().operator_codes()))
            return corrupt(placeOfOperator(m_file, subgraph, index),
                           "its kind is number " + std::to_string(op.opcode_index()) + " of "
                               + std::to_string(sizeOf(m_file.model().operator_codes())));
        const std::size_t indices = sizeOf(op.inputs()) + sizeOf(op.outputs()) + sizeOf(op.intermediates());
        const std::size_t kind = sizeOf(m_file.model().operator_codes()->Get(op.opcode_index())->custom_code());
        const auto* reshape = op.options_as_Reshape(); // null where it is another kind, or empty
        const auto* squeeze = op.options_as_Squeeze();
        const std::size_t attributes = (reshape ? sizeOf(reshape->new_shape()) : 0) + (squeeze ? sizeOf(squeeze->squeeze_dims()) : 0);
        if (!take((indices + attributes) * sizeof(std::int64_t) + kind))
            return absurd(placeOfOperator(m_file, subgraph, index));
        const std::string where = placeOfOperator(m_file, subgraph, index);
        if (auto sound = checkIndices(op.inputs(), subgraph, -1, where + ", inputs"); !sound)
            return sound;
        if (auto sound = checkIndices(op.outputs(), subgraph, -1, where + ", outputs"); !sound)
            return sound;
        if (auto sound = checkIndices(op.intermediates(), subgraph, 0, where + ", intermediates"); !sound)
            return sound;
        return checkCalls(op, where);
    }

    Status checkCalls(const tflite_file::Operator& op, const std::string& where) const
    {
        const auto code = static_cast<Builtin>(m_file.codeOf(op));
        const std::size_t wanted = code == Builtin::If || code == Builtin::While ? 2 : code == Builtin::CallOnce ? 1 : 0;
        const std::vector<std::int32_t> calls = m_file.callsOf(op);
        if (calls.size() != wanted)
            return corrupt(where, "it does not say which sub-graphs it runs");
        for (const std::int32_t called : calls) {
            if (called < 0 || static_cast<std::size_t>(called) >= m_file.subgraphCount())
                return corrupt(where, "it runs sub-graph " + std::to_string(called) + " of "
                                          + std::to_string(m_file.subgraphCount()));
        }
        return Ok{};
    }

    Status checkIndices(const flatbuffers::Vector<std::int32_t>* indices, std::size_t subgraph, std::int32_t least,
                        const std::string& where) const
    {
        const auto count = static_cast<std::int64_t>(m_file.tensorCount(subgraph));
        for (std::size_t i = 0; i < sizeOf(indices); ++i) {
            const std::int32_t index = indices->Get(static_cast<flatbuffers::uoffset_t>(i));
            if (index < least || index >= count)
                return corrupt(where, "number " + std::to_string(i) + " is tensor " + std::to_string(index) + " of "
                                          + std::to_string(count));
        }
        return Ok{};
    }

    static Status absurd(std::string where)
    {
        return corrupt(std::move(where), "the lists and names up to here would be many times as long as the file");
    }

    const TfliteFile& m_file;
    std::int64_t m_left;
    std::size_t m_operators = 0;
};

} // namespace

Status checkTfliteFile(const TfliteFile& file)
{
    return Checker(file).run();
}

} // namespace arenascope::tflite_import
