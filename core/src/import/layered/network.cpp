// SPDX-License-Identifier: MIT
#include "core/src/import/layered/network.h"

#include "core/src/import/layered/failure.h"

#include <algorithm>

namespace arenascope::layered {

namespace {

std::string joined(const std::set<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text.empty() ? "none" : text;
}

/// How the shape is typed: "1x3xNxN (with numbers for N)".
std::string pattern(const Shape& shape)
{
    if (!shape.rankKnown || shape.dims.empty())
        return "NxNxN (with numbers for N)";
    std::string text;
    for (const std::int64_t dim : shape.dims)
        text += (text.empty() ? "" : "x") + (dim >= 0 ? std::to_string(dim) : std::string("N"));
    return text + " (with numbers for N)";
}

void checkExtents(const std::string& name, const Shape& shape)
{
    for (const std::int64_t dim : shape.dims) {
        if (dim != kUnknownDim && (dim < 0 || dim > kLargestExtent))
            fail(ErrorCode::BadShape, "tensor '" + name + "'",
                 {name, "an extent is " + std::to_string(dim) + ", not from 0 to " + std::to_string(kLargestExtent)});
    }
    if (shape.isStatic() && !shape.elementCount())
        fail(ErrorCode::SizeOverflow, "tensor '" + name + "'", {name});
}

} // namespace

std::string Network::uniqueName(const std::string& wanted)
{
    std::string name = wanted;
    for (int& copy = m_copies.try_emplace(wanted, 1).first->second; !m_taken.insert(name).second;)
        name = wanted + '#' + std::to_string(++copy);
    return name;
}

TensorId Network::add(const std::string& name, const Shape& shape, ElementType type)
{
    checkExtents(name, shape);
    const TensorId id = m_builder.tensor(name);
    m_builder.describe(id, type, shape);
    m_shapes.push_back(shape);
    m_names.push_back(name);
    m_isRead.push_back(false);
    m_isMade.push_back(false);
    return id;
}

void Network::applyGiven(const std::string& name, Shape& shape)
{
    const auto given = m_options.shapes.find(name);
    if (given == m_options.shapes.end())
        return;
    if (shape.rankKnown && shape.dims.size() != given->second.size())
        fail(ErrorCode::BadShape, "--shape",
             {name, "it has " + std::to_string(shape.dims.size()) + " dimensions in the file and "
                        + std::to_string(given->second.size()) + " were given"});
    std::vector<std::string> symbols = std::move(shape.symbols);
    shape = Shape::of(given->second);
    shape.symbols = std::move(symbols);
}

void Network::assumeOpenDims(const std::string& name, Shape& shape, const std::string& where, FirstDim first)
{
    for (std::size_t i = 0; i < shape.dims.size(); ++i) {
        const std::string symbol = i < shape.symbols.size() ? shape.symbols[i] : std::string();
        if (!symbol.empty())
            m_symbols.insert(symbol);
        const auto given = symbol.empty() || isGiven(name) ? m_options.dims.end() : m_options.dims.find(symbol);
        if (given != m_options.dims.end())
            shape.dims[i] = given->second;
        if (shape.dims[i] >= 0)
            continue;
        const bool isBatch = first == FirstDim::Batch && i == 0 && shape.dims.size() > 1;
        if (!m_options.defaultDim || (symbol.empty() && !isBatch))
            continue;
        const std::string what = symbol.empty() ? "0 of input '" + name + "'" : "'" + symbol + "' of input '" + name + "'";
        const std::string option = symbol.empty() ? "--shape " + name + "=" + pattern(shape) : "--dim " + symbol + "=N";
        m_findings.add(Severity::Note,
                       {ErrorCode::AssumedDim, where, {what, std::to_string(*m_options.defaultDim), option}});
        shape.dims[i] = *m_options.defaultDim;
    }
}

TensorId Network::addInput(const std::string& blob, Shape shape, const std::string& where, FirstDim first)
{
    if (m_blobs.contains(blob))
        fail(ErrorCode::DuplicateName, where, {"network input", blob});
    const std::string name = uniqueName(blob);
    applyGiven(name, shape);
    assumeOpenDims(name, shape, where, first);
    const TensorId id = add(name, shape, ElementType::Float32);
    m_builder.addInput(name, ElementType::Float32, shape);
    m_inputNames.insert(name);
    m_blobs[blob] = id;
    if (!shape.isStatic())
        reportUnknown(id, "Input");
    return id;
}

TensorId Network::addResult(const std::string& blob, Shape shape, ElementType type, bool isBound)
{
    const std::string name = uniqueName(blob);
    const auto given = m_options.shapes.find(name);
    if (given != m_options.shapes.end()) {
        if (shape.isStatic() && !isBound && shape.dims != given->second)
            fail(ErrorCode::BadShape, "--shape", {name, "the layers before it make it " + toString(shape)});
        applyGiven(name, shape);
        m_inputNames.insert(name);
    }
    const TensorId id = add(name, shape, type);
    m_blobs[blob] = id;
    m_isMade[id.index()] = true;
    return id;
}

TensorId Network::addWeight(const std::string& wanted, const std::vector<std::int64_t>& dims, ElementType type)
{
    const std::string name = uniqueName(wanted);
    const Shape shape = Shape::of(dims);
    const TensorId id = add(name, shape, type);
    m_builder.setRole(id, TensorRole::Weight);
    if (!shape.isStatic())
        return id;
    const auto bytes = checkedMultiply(*shape.elementCount(), bitsPerElement(type) / 8);
    const auto sum = bytes ? checkedAdd(m_weightBytes, *bytes) : std::nullopt;
    if (!sum)
        fail(ErrorCode::SizeOverflow, "weights", {name});
    m_weightBytes = *sum;
    return id;
}

TensorId Network::addVariable(const std::string& wanted, const std::vector<std::int64_t>& dims)
{
    const TensorId id = add(uniqueName(wanted), Shape::of(dims), ElementType::Float32);
    m_builder.setRole(id, TensorRole::Variable);
    return id;
}

TensorId Network::addWeightBlob(const std::string& blob, const std::vector<std::int64_t>& dims)
{
    return m_blobs[blob] = addWeight(blob, dims);
}

void Network::addOperator(Operator op)
{
    const auto isKnown = [this](TensorId id) { return !id.isValid() || shapeOf(id).isStatic(); };
    const bool isRoot = std::ranges::all_of(op.inputs, isKnown);
    for (const TensorId input : op.inputs) {
        if (input.isValid())
            m_isRead[input.index()] = true;
    }
    for (const TensorId output : op.outputs) {
        if (isRoot && !isKnown(output))
            reportUnknown(output, op.name.empty() ? op.kind : op.name);
    }
    m_builder.addOperator(std::move(op));
}

void Network::reportUnknown(TensorId id, const std::string& maker)
{
    const std::string& name = nameOf(id);
    m_findings.add(Severity::Warning, {ErrorCode::UnknownShape, "tensor '" + name + "'",
                                       {name, maker, "--shape " + name + "=" + pattern(shapeOf(id))}});
}

TensorId Network::find(const std::string& blob) const
{
    const auto found = m_blobs.find(blob);
    return found == m_blobs.end() ? TensorId() : found->second;
}

void Network::addOutput(TensorId id)
{
    m_builder.addOutput(id);
}

void Network::omit(std::string name, std::string kind, std::string reason)
{
    m_builder.addOmission({Omission::What::Operator, std::move(name), std::move(kind), std::move(reason), kUnknownBytes});
}

void Network::addUnreadOutputs()
{
    for (std::size_t i = 0; i < m_shapes.size(); ++i) {
        if (m_isMade[i] && !m_isRead[i])
            addOutput(TensorId::fromIndex(i));
    }
}

void Network::checkNames() const
{
    for (const auto& [name, shape] : m_options.shapes) {
        if (!m_inputNames.contains(name))
            fail(ErrorCode::UnknownName, "--shape", {"input or tensor", name, joined(m_inputNames)});
    }
    for (const auto& [name, value] : m_options.dims) {
        if (!m_symbols.contains(name))
            fail(ErrorCode::UnknownName, "--dim", {"dimension", name, joined(m_symbols)});
        if (value < 0)
            fail(ErrorCode::BadOption, "--dim", {name, std::to_string(value), "a number from 0 on"});
    }
}

ImportedModel Network::finish(ModelInfo info, std::int64_t layersInFile)
{
    checkNames();
    info.weightBytes = m_weightBytes;
    info.operatorsInFile = layersInFile;
    m_builder.setInfo(std::move(info));
    auto graph = std::move(m_builder).build();
    if (!graph)
        throw Failure{graph.error()};
    return {std::move(*graph), m_findings.take()};
}

} // namespace arenascope::layered
