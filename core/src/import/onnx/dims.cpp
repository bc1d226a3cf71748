// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/dims.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

/// The tensor part of a type; null for sequences, maps and optionals.
const onnx::TensorShapeProto* shapeOf(const onnx::TypeProto& type)
{
    if (type.has_tensor_type() && type.tensor_type().has_shape())
        return &type.tensor_type().shape();
    if (type.has_sparse_tensor_type() && type.sparse_tensor_type().has_shape())
        return &type.sparse_tensor_type().shape();
    return nullptr;
}

std::string joined(const std::set<std::string>& names, std::size_t limit = 20)
{
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (count++ == limit)
            return text + " ...";
        text += (text.empty() ? "'" : ", '") + name + "'";
    }
    return text.empty() ? "none" : text;
}

/// "Nx3x224x224": the shape with a letter where the user has to fill in.
std::string pattern(const Shape& shape)
{
    std::string text;
    for (const std::int64_t dim : shape.dims)
        text += (text.empty() ? "" : "x") + (dim > 0 ? std::to_string(dim) : std::string("N"));
    return text;
}

} // namespace

DimBinder::DimBinder(const ImportOptions& options, Diagnostics& diagnostics)
    : m_options(options), m_diagnostics(diagnostics)
{
    for (const auto& [name, value] : options.dims)
        m_bindings[name] = {value, "--dim"};
}

std::optional<std::int64_t> DimBinder::lookUp(const std::string& symbol)
{
    m_symbols.insert(symbol);
    const auto it = m_bindings.find(symbol);
    return it == m_bindings.end() ? std::nullopt : std::optional(it->second.value);
}

void DimBinder::bind(const std::string& symbol, std::int64_t value, const std::string& input)
{
    const auto [it, isNew] = m_bindings.try_emplace(symbol, Binding{value, "input '" + input + "'"});
    if (isNew || it->second.value == value)
        return;
    m_diagnostics.push_back({Severity::Warning,
                             Error{ErrorCode::BadShape, "input '" + input + "'",
                                   {input, "dimension '" + symbol + "' is " + std::to_string(value) + " here and "
                                               + std::to_string(it->second.value) + " by " + it->second.source}}});
}

std::optional<Shape> DimBinder::given(const std::string& name)
{
    const auto it = m_options.shapes.find(name);
    if (it == m_options.shapes.end())
        return std::nullopt;
    m_usedShapes.insert(name);
    return Shape::of(it->second);
}

Status DimBinder::bindFromInput(const std::string& name, const onnx::TypeProto& type)
{
    const auto shape = given(name);
    if (!shape)
        return Ok{};
    const auto isNegative = [](std::int64_t dim) { return dim < 0; };
    if (std::ranges::any_of(shape->dims, isNegative))
        return Error{ErrorCode::BadShape, "input '" + name + "'", {name, "a dimension is negative"}};
    const onnx::TensorShapeProto* declared = shapeOf(type);
    if (declared == nullptr)
        return Ok{};
    if (declared->dim_size() != static_cast<int>(shape->dims.size()))
        return Error{ErrorCode::BadShape, "input '" + name + "'",
                     {name, "it has " + std::to_string(declared->dim_size()) + " dimensions in the file and "
                                + std::to_string(shape->dims.size()) + " were given"}};
    for (int i = 0; i < declared->dim_size(); ++i) {
        const auto& dim = declared->dim(i);
        const std::int64_t value = shape->dims[static_cast<std::size_t>(i)];
        if (!dim.dim_param().empty()) {
            m_symbols.insert(dim.dim_param());
            bind(dim.dim_param(), value, name);
        } else if (dim.dim_value() > 0 && dim.dim_value() != value) {
            m_overridesFile = true;
        }
    }
    return Ok{};
}

void DimBinder::assume(const std::string& input, std::size_t axis, const std::string& symbol, const Shape& shape)
{
    const std::string value = std::to_string(*m_options.defaultDim);
    const bool isNamed = !symbol.empty();
    const std::string what = isNamed ? "'" + symbol + "' of input '" + input + "'"
                                     : std::to_string(axis) + " of input '" + input + "'";
    const std::string option = isNamed ? "--dim " + symbol + "=N" : "--shape " + input + "=" + pattern(shape);
    m_diagnostics.push_back(
        {Severity::Note, Error{ErrorCode::AssumedDim, "input '" + input + "'", {what, value, option}}});
}

Result<ValueInfo> DimBinder::input(const std::string& name, const onnx::TypeProto& type)
{
    ValueInfo info = declared(type);
    if (auto shape = given(name)) {
        if (info.shape.rankKnown)
            shape->symbols = info.shape.symbols;
        info.shape = std::move(*shape);
    }
    const Shape open = info.shape;
    for (std::size_t i = 0; i < open.dims.size() && m_options.defaultDim; ++i) {
        // An extent of 0 would make an empty input; exporters write it for "any".
        const bool isGiven = m_options.shapes.contains(name);
        if (open.dims[i] > 0 || (open.dims[i] == 0 && isGiven))
            continue;
        const std::string symbol = open.symbols.empty() ? std::string() : open.symbols[i];
        if (!symbol.empty()) {
            if (const auto known = lookUp(symbol)) { // an earlier axis of the same name
                info.shape.dims[i] = *known;
                continue;
            }
            m_bindings[symbol] = {*m_options.defaultDim, "default"};
        }
        assume(name, i, symbol, open);
        info.shape.dims[i] = *m_options.defaultDim;
    }
    if (info.shape.isStatic() && !info.shape.elementCount())
        return Error{ErrorCode::SizeOverflow, "input '" + name + "'", {name}};
    return info;
}

ValueInfo DimBinder::declared(const onnx::TypeProto& type)
{
    ValueInfo info;
    if (type.has_tensor_type())
        info.type = elementTypeFromOnnx(type.tensor_type().elem_type());
    else if (type.has_sparse_tensor_type())
        info.type = elementTypeFromOnnx(type.sparse_tensor_type().elem_type());
    if (type.has_sequence_type())
        info.otherKind = "sequence";
    else if (type.has_map_type())
        info.otherKind = "map";
    else if (type.has_optional_type())
        info.otherKind = "optional";
    else if (type.has_sparse_tensor_type())
        info.otherKind = "sparse tensor";

    const onnx::TensorShapeProto* shape = shapeOf(type);
    if (shape == nullptr)
        return info;
    info.shape.rankKnown = true;
    bool hasSymbols = false;
    for (const auto& dim : shape->dim()) {
        std::int64_t extent = dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : kUnknownDim;
        if (!dim.dim_param().empty()) {
            hasSymbols = true;
            extent = lookUp(dim.dim_param()).value_or(kUnknownDim);
        }
        info.shape.dims.push_back(extent);
        info.shape.symbols.push_back(dim.dim_param());
    }
    if (!hasSymbols)
        info.shape.symbols.clear();
    return info;
}

Status DimBinder::checkNames(const std::vector<std::string>& inputs) const
{
    for (const auto& [name, shape] : m_options.shapes) {
        if (!m_usedShapes.contains(name))
            return Error{ErrorCode::UnknownName, "--shape",
                         {"input or tensor", name, joined(std::set<std::string>(inputs.begin(), inputs.end()))}};
    }
    for (const auto& [name, value] : m_options.dims) {
        if (!m_symbols.contains(name))
            return Error{ErrorCode::UnknownName, "--dim", {"dimension", name, joined(m_symbols)}};
        if (value < 0)
            return Error{ErrorCode::BadOption, "--dim", {name, std::to_string(value), "a number from 0 on"}};
    }
    return Ok{};
}

} // namespace arenascope::onnx_import
