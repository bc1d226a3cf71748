// SPDX-License-Identifier: MIT
// Formats that are known by sight only: what they are, and how to get to one that can be read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace arenascope {

struct RecognisedFormat {
    std::string_view title;  ///< "PyTorch"; begins the sentence "... files cannot be read."
    std::string_view remedy; ///< one sentence that says what to do; see remedyOf()
    int certainty = 0;       ///< as Importer::probe
    std::string_view networkSuffix = {}; ///< of weights: of the file with the network, which lies beside them under the same name
};

/// What to do, with the name of the file to open where that follows from this one's.
std::string remedyOf(const RecognisedFormat& format, const std::filesystem::path& path);

/// The best match by first bytes and name; nothing where the file is none of them.
std::optional<RecognisedFormat> recogniseFormat(std::string_view head, const std::filesystem::path& path);
/// The same for a folder (a TensorFlow SavedModel, a Core ML package).
std::optional<RecognisedFormat> recogniseFolder(const std::filesystem::path& path);

} // namespace arenascope
