// SPDX-License-Identifier: MIT
// Model files in.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/progress.h>
#include <arenascope/result.h>

#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>

namespace arenascope {

struct ImportOptions {
    /// Shapes of network inputs by name; override what the file says.
    std::map<std::string, std::vector<std::int64_t>> shapes;
    /// Values of symbolic dimensions by name ("batch" -> 1).
    std::map<std::string, std::int64_t> dims;
    /// For symbolic or unknown dimensions of network inputs that neither map names. Nothing: they stay unknown.
    std::optional<std::int64_t> defaultDim = 1;
};

struct ImportedModel {
    std::shared_ptr<const Graph> graph;
    Diagnostics diagnostics; ///< what was assumed, what is odd, which shapes stayed unknown
};

struct ImporterInfo {
    std::string_view id;    ///< "onnx"
    std::string_view title; ///< "ONNX"
    std::vector<std::string_view> extensions; ///< with the dot, lower case
};

/// One file format.
class Importer {
public:
    virtual ~Importer() = default;
    virtual ImporterInfo info() const = 0;
    /// How sure it is that the file is of its format, from the first bytes (at most 4 KiB) and the name: 0 no .. 100 certain.
    virtual int probe(std::string_view head, const std::filesystem::path& path) const = 0;
    /// The graph is always viewable; tensors of unknown size are reported as diagnostics and by Graph::tensorsOfUnknownSize().
    virtual Result<ImportedModel> read(const std::filesystem::path& path, const ImportOptions& options,
                                       std::stop_token stop, const ProgressFn& progress) const = 0;
};

std::span<const Importer* const> importers();

/// Finds the importer by probing and reads. Errors name the file, the place in it and the remedy.
Result<ImportedModel> importModel(const std::filesystem::path& path, const ImportOptions& options = {},
                                  std::stop_token stop = {}, const ProgressFn& progress = {});

} // namespace arenascope
