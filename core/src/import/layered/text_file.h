// SPDX-License-Identifier: MIT
// Model files that are text: read whole, within limits.
#pragma once

#include <arenascope/graph.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace arenascope::layered {

/// Descriptions of networks are far smaller: the largest ones that are known have about a megabyte.
inline constexpr std::int64_t kLargestText = std::int64_t{64} << 20;
/// Layers of one network, so that a hostile file of short lines cannot make millions of objects.
inline constexpr std::size_t kMostLayers = 200'000;

struct TextFile {
    std::string text;  ///< without a byte-order mark
    std::string hash;  ///< 16 hex digits, of all bytes
    Bytes fileBytes = 0;
};

/// Throws Failure: as ByteSource::open, TooLarge, FileCorrupt (bytes of value 0).
TextFile readTextFile(const std::filesystem::path& path);

/// What every layered format says about its file.
ModelInfo infoOf(const std::filesystem::path& path, const TextFile& file, std::string_view format);

/// Throws TooLarge.
void checkLayerCount(std::size_t count);

std::string_view trimmed(std::string_view text);

} // namespace arenascope::layered
