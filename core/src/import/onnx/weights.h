// SPDX-License-Identifier: MIT
// Where the content of an ONNX tensor lies.
#pragma once

#include "core/src/import/findings.h"
#include "core/src/import/onnx/slim_model.h"

#include <arenascope/graph.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace arenascope::onnx_import {

/// Finds the bytes of tensors without reading them.
class WeightLocator {
public:
    WeightLocator(std::filesystem::path modelPath, const SlimModel& model, Findings& findings);

    /// Where the tensor's content lies: in the model file, in an external one or inline where it is short. Nothing
    /// where it is missing or of strings. Missing external files and paths out of the model's folder become findings.
    std::optional<TensorSource> locate(const onnx::TensorProto& tensor, const std::string& name);

private:
    std::optional<TensorSource> external(const onnx::TensorProto& tensor, const std::string& name);
    std::int64_t sizeOf(const std::filesystem::path& file);

    std::filesystem::path m_path;
    const SlimModel& m_model;
    Findings& m_findings;
    std::map<std::filesystem::path, std::int64_t> m_sizes; ///< -1: no such file
};

} // namespace arenascope::onnx_import
