// SPDX-License-Identifier: MIT
// Symbolic dimensions: what they are bound to, and what had to be assumed.
#pragma once

#include "core/src/import/onnx/inference.h"

#include <arenascope/importer.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace arenascope::onnx_import {

/// Turns declared types into values, with symbols bound by the options, by the shapes given for inputs, or by default.
class DimBinder {
public:
    DimBinder(const ImportOptions& options, Diagnostics& diagnostics);

    /// First pass: binds the symbols of an input whose shape the options give. Errors: BadShape (wrong rank).
    Status bindFromInput(const std::string& name, const onnx::TypeProto& type);
    /// Type and shape of a network input; every open dimension is bound by default and reported.
    /// Errors: BadShape, SizeOverflow.
    Result<ValueInfo> input(const std::string& name, const onnx::TypeProto& type);
    /// A declared type; symbols that nothing binds stay unknown.
    ValueInfo declared(const onnx::TypeProto& type);
    /// The shape that the options give for a tensor of this name.
    std::optional<Shape> given(const std::string& name);

    /// Whether an option changed a dimension that the file fixes: what the file declares elsewhere may be stale then.
    bool overridesFile() const { return m_overridesFile; }
    /// Errors: UnknownName for options that name no tensor and no dimension. Call when all has been declared.
    Status checkNames(const std::vector<std::string>& inputs) const;

private:
    std::optional<std::int64_t> lookUp(const std::string& symbol);
    void bind(const std::string& symbol, std::int64_t value, const std::string& input);
    void assume(const std::string& input, std::size_t axis, const std::string& symbol, const Shape& shape);

    const ImportOptions& m_options;
    Diagnostics& m_diagnostics;
    struct Binding {
        std::int64_t value = 0;
        std::string source; ///< what gave it: "--dim", "input 'x'", "" (assumed)
    };
    std::map<std::string, Binding> m_bindings;
    std::set<std::string> m_symbols;     ///< all that the file declares
    std::set<std::string> m_usedShapes;  ///< names in the options that were found
    bool m_overridesFile = false;
};

} // namespace arenascope::onnx_import
