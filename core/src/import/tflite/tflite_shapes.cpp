// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_shapes.h"

#include "core/src/import/tflite/tflite_inference.h"
#include "core/src/import/tflite/tflite_options.h"
#include "core/src/import/tflite/tflite_tensors.h"

#include <algorithm>
#include <set>

namespace arenascope::tflite_import {

namespace {

constexpr std::int64_t kLongestValues = 64; ///< axes, shapes and paddings are shorter

std::string joined(const std::set<std::string>& names)
{
    constexpr std::size_t kMost = 20;
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (count++ == kMost)
            return text + " ...";
        text += (text.empty() ? "'" : ", '") + name + "'";
    }
    return text.empty() ? "none" : text;
}

class ShapeResolver {
public:
    ShapeResolver(const TfliteFile& file, const std::vector<std::string>& names, const ImportOptions& options,
                  Diagnostics& diagnostics)
        : m_file(file), m_names(names), m_options(options), m_diagnostics(diagnostics)
    {
        for (std::size_t s = 0; s < file.subgraphCount(); ++s) {
            for (std::size_t i = 0; i < file.tensorCount(s); ++i)
                m_shapes.push_back(storedShape(file.tensor(s, i)));
        }
        m_isChanged.assign(m_shapes.size(), false);
    }

    Result<std::vector<Shape>> run()
    {
        const auto* inputs = m_file.subgraph(0).inputs();
        for (std::size_t i = 0; i < sizeOf(inputs); ++i) {
            if (auto done = bindInput(static_cast<std::size_t>(inputs->Get(static_cast<flatbuffers::uoffset_t>(i)))); !done)
                return done.error();
        }
        if (auto done = findOtherShapes(); !done)
            return done.error();
        if (auto done = checkDims(); !done)
            return done.error();
        if (std::find(m_isChanged.begin(), m_isChanged.end(), true) != m_isChanged.end() || !m_given.empty())
            inferAll();
        return std::move(m_shapes);
    }

private:
    /// Extents that the file leaves open, by axis.
    std::vector<bool> openAxes(std::size_t tensor) const
    {
        const auto& from = m_file.tensor(0, tensor);
        std::vector<bool> open(m_shapes[tensor].dims.size(), false);
        if (sizeOf(from.shape_signature()) != open.size())
            return open;
        for (std::size_t i = 0; i < open.size(); ++i)
            open[i] = from.shape_signature()->Get(static_cast<flatbuffers::uoffset_t>(i)) < 0;
        return open;
    }

    /// The shape that the options give for an input, by its own name or by the one that a signature has for it.
    const std::vector<std::int64_t>* givenFor(std::size_t tensor)
    {
        std::vector<std::string> names = {m_names[tensor]};
        for (std::size_t s = 0; s < sizeOf(m_file.model().signature_defs()); ++s) {
            const auto* signature = m_file.model().signature_defs()->Get(static_cast<flatbuffers::uoffset_t>(s));
            for (std::size_t i = 0; signature->subgraph_index() == 0 && i < sizeOf(signature->inputs()); ++i) {
                const auto* entry = signature->inputs()->Get(static_cast<flatbuffers::uoffset_t>(i));
                if (entry->tensor_index() == tensor && entry->name() != nullptr)
                    names.push_back(entry->name()->str());
            }
        }
        for (const std::string& name : names) {
            m_inputNames.insert(name);
            if (const auto found = m_options.shapes.find(name); found != m_options.shapes.end()) {
                m_usedShapes.insert(name);
                return &found->second;
            }
        }
        return nullptr;
    }

    Status bindInput(std::size_t tensor)
    {
        Shape& shape = m_shapes[tensor];
        const Dims before = shape.dims;
        const std::vector<bool> open = openAxes(tensor);
        const auto* given = givenFor(tensor);
        if (given) {
            if (auto fits = checkGiven(tensor, *given); !fits)
                return fits;
            m_changesFixed |= changesFixed(open, before, *given);
            shape.dims = *given;
        }
        if (std::find(open.begin(), open.end(), true) != open.end()) {
            shape.symbols.resize(open.size());
            for (std::size_t i = 0; i < open.size(); ++i) {
                if (!open[i])
                    continue;
                shape.symbols[i] = symbolOfAxis(i);
                m_symbols.insert(shape.symbols[i]);
                if (!given)
                    shape.dims[i] = openExtent(tensor, i, before[i]);
            }
        }
        m_isChanged[tensor] = shape.dims != before;
        return Ok{};
    }

    static bool changesFixed(const std::vector<bool>& open, const Dims& before, const Dims& given)
    {
        for (std::size_t i = 0; i < open.size() && i < given.size(); ++i) {
            if (!open[i] && before[i] != given[i])
                return true;
        }
        return before.size() != given.size();
    }

    Status checkGiven(std::size_t tensor, const Dims& given) const
    {
        const std::string where = "input '" + m_names[tensor] + "'";
        const auto isBad = [](std::int64_t dim) { return dim < 0 || dim > kLargestExtent; };
        if (std::any_of(given.begin(), given.end(), isBad))
            return Error{ErrorCode::BadShape, where, {m_names[tensor], "a dimension is negative or above 2147483647"}};
        const std::size_t rank = m_shapes[tensor].dims.size();
        if (rank != given.size())
            return Error{ErrorCode::BadShape, where,
                         {m_names[tensor], "it has " + std::to_string(rank) + " dimensions in the file and "
                                               + std::to_string(given.size()) + " were given"}};
        return Ok{};
    }

    /// By name, by the default where that is not the usual 1, or as the file stores it, which is 1 mostly.
    std::int64_t openExtent(std::size_t tensor, std::size_t axis, std::int64_t stored)
    {
        const std::string symbol = symbolOfAxis(axis);
        if (const auto named = m_options.dims.find(symbol); named != m_options.dims.end())
            return named->second;
        if (!m_options.defaultDim)
            return kUnknownDim;
        const std::int64_t extent = *m_options.defaultDim == 1 ? stored : *m_options.defaultDim;
        const std::string input = "input '" + m_names[tensor] + "'";
        m_diagnostics.push_back({Severity::Note,
                                 {ErrorCode::AssumedDim, input,
                                  {"'" + symbol + "' of " + input, std::to_string(extent), "--dim " + symbol + "=N"}}});
        return extent;
    }

    /// Shapes may be given for other tensors, too: where they cannot be worked out.
    Status findOtherShapes()
    {
        for (const auto& [name, dims] : m_options.shapes) {
            if (m_usedShapes.contains(name))
                continue;
            const auto found = std::find(m_names.begin(), m_names.end(), name);
            if (found == m_names.end())
                return Error{ErrorCode::UnknownName, "--shape", {"input or tensor", name, joined(m_inputNames)}};
            const auto tensor = static_cast<std::size_t>(found - m_names.begin());
            if (auto fits = checkGiven(tensor, dims); !fits)
                return fits;
            m_given[tensor] = dims;
            apply(tensor);
        }
        return Ok{};
    }

    /// Whether the options say what shape the tensor has.
    bool apply(std::size_t tensor)
    {
        const auto found = m_given.find(tensor);
        if (found == m_given.end())
            return false;
        m_isChanged[tensor] = m_isChanged[tensor] || m_shapes[tensor].dims != found->second;
        m_shapes[tensor] = Shape::of(found->second);
        return true;
    }

    Status checkDims() const
    {
        for (const auto& [name, value] : m_options.dims) {
            if (!m_symbols.contains(name))
                return Error{ErrorCode::UnknownName, "--dim", {"dimension", name, joined(m_symbols)}};
            if (value < 0 || value > kLargestExtent)
                return Error{ErrorCode::BadOption, "--dim", {name, std::to_string(value), "a number from 0 to 2147483647"}};
        }
        return Ok{};
    }

    void inferAll()
    {
        const auto* operators = m_file.subgraph(0).operators();
        for (std::size_t i = 0; i < sizeOf(operators); ++i)
            infer(*operators->Get(static_cast<flatbuffers::uoffset_t>(i)));
    }

    void infer(const tflite_file::Operator& from)
    {
        const auto isChanged = [this](std::int32_t tensor) { return tensor >= 0 && m_isChanged[static_cast<std::size_t>(tensor)]; };
        if (from.inputs() == nullptr || from.outputs() == nullptr || std::none_of(from.inputs()->begin(), from.inputs()->end(), isChanged))
            return;
        for (const std::int32_t called : m_file.callsOf(from))
            openSubgraph(static_cast<std::size_t>(called));
        const auto shapes = ask(from);
        for (std::size_t i = 0; i < sizeOf(from.outputs()); ++i) {
            const std::int32_t index = from.outputs()->Get(static_cast<flatbuffers::uoffset_t>(i));
            if (index < 0)
                continue;
            const auto tensor = static_cast<std::size_t>(index);
            const Dims before = m_shapes[tensor].dims;
            if (shapes)
                m_shapes[tensor] = Shape::of((*shapes)[i]);
            else
                leaveOpen(tensor, 0, tensor);
            m_isChanged[tensor] = !shapes || m_shapes[tensor].dims != before;
            apply(tensor);
        }
    }

    std::optional<std::vector<Dims>> ask(const tflite_file::Operator& from)
    {
        Operator op;
        op.kind = m_file.kindOf(from);
        readOptions(from, op);
        ShapeQuestion question{op, {}, {}, {}};
        for (const std::int32_t input : *from.inputs()) {
            const bool isThere = input >= 0;
            if (isThere && !m_shapes[static_cast<std::size_t>(input)].isStatic())
                return std::nullopt;
            question.inputs.push_back(isThere ? m_shapes[static_cast<std::size_t>(input)].dims : Dims());
            question.values.push_back(isThere ? valuesOf(static_cast<std::size_t>(input)) : std::nullopt);
        }
        for (const std::int32_t output : *from.outputs())
            question.stored.push_back(output >= 0 ? m_shapes[static_cast<std::size_t>(output)].dims : Dims());
        return inferShapes(question);
    }

    std::optional<Dims> valuesOf(std::size_t tensor) const
    {
        const auto& from = m_file.tensor(0, tensor);
        const FileRange range = m_file.contentOf(from.buffer());
        const ElementType type = elementTypeFromTflite(from.type());
        const std::int64_t each = type == ElementType::Int32 ? 4 : type == ElementType::Int64 ? 8 : 0;
        if (each == 0 || range.length == 0 || range.length > kLongestValues * each)
            return std::nullopt;
        Dims values;
        for (std::int64_t at = range.offset; at + each <= range.offset + range.length; at += each) {
            const std::byte* begin = m_file.bytes().data() + at;
            values.push_back(each == 4 ? flatbuffers::ReadScalar<std::int32_t>(begin) : flatbuffers::ReadScalar<std::int64_t>(begin));
        }
        return values;
    }

    /// What the file leaves open stays so; what it fixes holds, unless something else that it fixes was given another extent.
    void leaveOpen(std::size_t position, std::size_t subgraph, std::size_t index)
    {
        const auto* signature = m_file.tensor(subgraph, index).shape_signature();
        Shape& shape = m_shapes[position];
        if (m_changesFixed || sizeOf(signature) != shape.dims.size()) {
            std::fill(shape.dims.begin(), shape.dims.end(), kUnknownDim);
            return;
        }
        for (std::size_t i = 0; i < shape.dims.size(); ++i) {
            if (signature->Get(static_cast<flatbuffers::uoffset_t>(i)) < 0)
                shape.dims[i] = kUnknownDim;
        }
    }

    /// Nothing is worked out in called sub-graphs.
    void openSubgraph(std::size_t subgraph)
    {
        for (std::size_t i = 0; i < m_file.tensorCount(subgraph); ++i) {
            const std::size_t position = m_file.firstTensor(subgraph) + i;
            if (!m_file.isConstant(m_file.tensor(subgraph, i)) && !apply(position))
                leaveOpen(position, subgraph, i);
        }
    }

    const TfliteFile& m_file;
    const std::vector<std::string>& m_names;
    const ImportOptions& m_options;
    Diagnostics& m_diagnostics;
    std::vector<Shape> m_shapes;    ///< of all tensors
    std::vector<bool> m_isChanged;  ///< by tensor: other than the file's
    std::map<std::size_t, Dims> m_given; ///< by tensor that is no input
    std::set<std::string> m_inputNames;
    std::set<std::string> m_usedShapes;
    std::set<std::string> m_symbols;
    bool m_changesFixed = false;
};

} // namespace

std::string symbolOfAxis(std::size_t axis)
{
    return axis == 0 ? "batch" : "dim" + std::to_string(axis);
}

Result<std::vector<Shape>> resolveShapes(const TfliteFile& file, const std::vector<std::string>& names,
                                         const ImportOptions& options, Diagnostics& diagnostics)
{
    return ShapeResolver(file, names, options, diagnostics).run();
}

} // namespace arenascope::tflite_import
