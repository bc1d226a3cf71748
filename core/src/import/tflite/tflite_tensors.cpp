// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_tensors.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace arenascope::tflite_import {

namespace {

// Axes, shapes and bounds of slices are short; their values say what an operator does, so they are kept.
constexpr std::int64_t kLongestInline = 256;

std::optional<Quantization> quantizationOf(const tflite_file::Tensor& tensor)
{
    const auto* from = tensor.quantization();
    if (from == nullptr || sizeOf(from->scale()) == 0)
        return std::nullopt;
    Quantization made;
    made.scales.assign(from->scale()->begin(), from->scale()->end());
    if (from->zero_point() != nullptr)
        made.zeroPoints.assign(from->zero_point()->begin(), from->zero_point()->end());
    made.zeroPoints.resize(made.scales.size(), made.zeroPoints.size() == 1 ? made.zeroPoints.front() : 0);
    made.axis = made.scales.size() > 1 ? from->quantized_dimension() : -1;
    return made;
}

/// Elements in an arena may take more than their bits; content in a file may take less than its shape says (sparse tensors)
/// or have no size by shape (strings).
std::optional<Bytes> bytesInArena(ElementType type, const Shape& shape)
{
    const auto each = bytesPerElementInArena(type);
    const auto count = shape.elementCount();
    return each && count ? checkedMultiply(*count, *each) : std::nullopt;
}

class TensorAdder {
public:
    TensorAdder(const TensorContext& context, GraphBuilder& builder) : m_context(context), m_builder(builder) {}

    Bytes run()
    {
        const TfliteFile& file = m_context.file;
        for (std::size_t s = 0; s < file.subgraphCount(); ++s) {
            for (std::size_t i = 0; i < file.tensorCount(s); ++i)
                add(s, i);
        }
        return m_weightBytes;
    }

private:
    void add(std::size_t subgraph, std::size_t index)
    {
        const TfliteFile& file = m_context.file;
        const std::size_t position = file.firstTensor(subgraph) + index;
        const auto& tensor = file.tensor(subgraph, index);
        const ElementType type = elementTypeFromTflite(tensor.type());
        const Shape& shape = m_context.shapes[position];
        const TensorId id = m_builder.tensor(m_context.names[position]);
        m_builder.describe(id, type, shape);
        m_builder.setPlace(id, static_cast<std::int32_t>(subgraph), static_cast<std::int32_t>(index));
        if (auto quantization = quantizationOf(tensor))
            m_builder.setQuantization(id, *std::move(quantization));
        if (tensor.is_variable())
            m_builder.setRole(id, TensorRole::Variable);
        if (file.isConstant(tensor))
            addContent(id, tensor, shape);
        else if (const auto bytes = bytesInArena(type, shape))
            m_builder.setBytes(id, *bytes);
    }

    void addContent(TensorId id, const tflite_file::Tensor& tensor, const Shape& shape)
    {
        const FileRange range = m_context.file.contentOf(tensor.buffer());
        const ElementType type = elementTypeFromTflite(tensor.type());
        if (!tensor.is_variable())
            m_builder.setRole(id, TensorRole::Weight);
        if (m_counted.insert(range.offset).second)
            m_weightBytes += range.length;
        const int bits = bitsPerElement(type);
        const auto count = shape.elementCount();
        const auto needed = count && bits > 0 && !tensor.sparsity() ? checkedMultiply(*count, bits) : std::nullopt;
        if (!needed)
            m_builder.setBytes(id, range.length);
        else if ((*needed + 7) / 8 > range.length)
            m_context.diagnostics.push_back({Severity::Warning,
                {ErrorCode::MissingData, "tensor '" + m_context.names[id.index()] + "'", {m_context.names[id.index()], m_context.path}}});
        TensorSource source;
        source.file = m_context.path;
        source.offset = range.offset;
        source.length = range.length;
        const bool isIndex = type == ElementType::Int32 || type == ElementType::Int64;
        if (isIndex && range.length <= kLongestInline) {
            const auto bytes = m_context.file.bytes().subspan(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(range.length));
            source.inlineBytes.assign(bytes.begin(), bytes.end());
        }
        m_builder.setSource(id, std::move(source));
    }

    const TensorContext& m_context;
    GraphBuilder& m_builder;
    std::set<std::int64_t> m_counted; ///< where content begins that was counted
    Bytes m_weightBytes = 0;
};

} // namespace

std::vector<std::string> uniqueNames(const TfliteFile& file)
{
    struct Open {
        std::size_t position;
        std::string wanted;
    };
    std::vector<std::string> names;
    std::unordered_set<std::string> taken;
    std::vector<Open> open; // names that the file gives win over names made up
    for (std::size_t s = 0; s < file.subgraphCount(); ++s) {
        for (std::size_t i = 0; i < file.tensorCount(s); ++i) {
            const auto* name = file.tensor(s, i).name();
            std::string wanted = sizeOf(name) > 0 ? name->str() : std::string();
            const bool isFree = !wanted.empty() && taken.insert(wanted).second;
            if (wanted.empty())
                wanted = (s == 0 ? std::string() : "subgraph_" + std::to_string(s) + "/") + "tensor_" + std::to_string(i);
            if (!isFree)
                open.push_back({names.size(), wanted});
            names.push_back(isFree ? std::move(wanted) : std::string());
        }
    }
    std::unordered_map<std::string, int> copies;
    for (const auto& [position, wanted] : open) {
        std::string name = wanted;
        for (int& copy = copies.try_emplace(wanted, 1).first->second; !taken.insert(name).second;)
            name = wanted + '#' + std::to_string(++copy);
        names[position] = std::move(name);
    }
    return names;
}

Shape storedShape(const tflite_file::Tensor& tensor)
{
    Shape shape;
    shape.rankKnown = true;
    if (tensor.shape() != nullptr)
        shape.dims.assign(tensor.shape()->begin(), tensor.shape()->end());
    return shape;
}

Bytes addTensors(const TensorContext& context, GraphBuilder& builder)
{
    return TensorAdder(context, builder).run();
}

} // namespace arenascope::tflite_import
