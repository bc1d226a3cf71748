// SPDX-License-Identifier: MIT
// Formats that are known by sight only: what they are, and how to get to one that can be read.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace arenascope {

struct RecognisedFormat {
    std::string_view title;  ///< "PyTorch"; begins the sentence "... files cannot be read."
    std::string_view remedy; ///< one sentence that says what to do
    int certainty = 0;       ///< as Importer::probe
};

/// The best match by first bytes and name; nothing where the file is none of them.
std::optional<RecognisedFormat> recogniseFormat(std::string_view head, const std::filesystem::path& path);
/// The same for a folder (a TensorFlow SavedModel, a Core ML package).
std::optional<RecognisedFormat> recogniseFolder(const std::filesystem::path& path);

} // namespace arenascope
