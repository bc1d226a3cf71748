// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_hash.h"

#include "core/src/import/fnv1a.h"

#include <algorithm>
#include <vector>

namespace arenascope::tflite_import {

namespace {

constexpr std::size_t kSmallFile = std::size_t{4} << 20;

} // namespace

std::string hashOf(const TfliteFile& file)
{
    Fnv1a hash;
    if (file.bytes().size() <= kSmallFile) {
        hash.add(file.bytes());
        return hash.hex();
    }
    std::vector<FileRange> contents;
    for (std::uint32_t i = 0; i < sizeOf(file.model().buffers()); ++i)
        contents.push_back(file.contentOf(i));
    std::sort(contents.begin(), contents.end(), [](const FileRange& a, const FileRange& b) { return a.offset < b.offset; });
    std::int64_t at = 0;
    const auto addUpTo = [&](std::int64_t end) {
        if (end > at)
            hash.add(file.bytes().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(end - at)));
    };
    for (const FileRange& content : contents) {
        if (content.length == 0)
            continue;
        addUpTo(content.offset);
        at = std::max(at, content.offset + content.length);
    }
    addUpTo(std::ssize(file.bytes()));
    return hash.hex();
}

} // namespace arenascope::tflite_import
