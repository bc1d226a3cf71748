// SPDX-License-Identifier: MIT
// The text of a Darknet configuration: sections of key=value lines.
#pragma once

#include "core/src/import/layered/layer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::darknet {

/// "[convolutional]" with what follows it. The first value of a key counts, as in Darknet.
struct Section {
    struct Option {
        std::string key;
        std::string value;
        int line = 0;
    };
    std::string kind;
    int line = 0;
    std::vector<Option> options;

    std::string where() const { return "line " + std::to_string(line) + " [" + kind + "]"; }
    const Option* find(std::string_view key) const;
    bool has(std::string_view key) const { return find(key) != nullptr; }
    /// Numbers must be whole and fit 32 bits; FileCorrupt with the line otherwise.
    std::int64_t integer(std::string_view key, std::int64_t usual) const;
    layered::Dims integers(std::string_view key) const; ///< comma-separated; empty where the key is missing
    std::string text(std::string_view key, std::string_view usual) const;
    /// All options, numbers as such.
    Attributes attributes() const;
};

/// Blanks do not count anywhere; lines that begin with # or ; are comments, and so is what follows a # in a value. Throws
/// Failure: FileCorrupt with the line, TooLarge.
std::vector<Section> readSections(std::string_view text);

} // namespace arenascope::darknet
