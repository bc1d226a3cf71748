// SPDX-License-Identifier: MIT
// The text of an ncnn network (.param). Source: https://github.com/Tencent/ncnn/wiki/param-and-model-file-structure.
#pragma once

#include "core/src/import/layered/layer.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::ncnn {

/// The parameters of a layer by their number: a value, or the values of an array (written under -23300 - number).
class Params {
public:
    /// Throws Failure: FileCorrupt. `where` is named in it.
    void add(std::string_view text, const std::string& where);

    bool has(int id) const { return m_values.contains(id); }
    /// The whole part of a number; FileCorrupt where it is none or does not fit 32 bits.
    std::int64_t integer(int id, std::int64_t usual) const;
    double real(int id, double usual) const;
    layered::Dims integers(int id) const; ///< empty where it is missing
    std::size_t count(int id) const;      ///< of an array's values
    Attributes attributes() const;        ///< by number

private:
    std::map<int, std::vector<std::string>> m_values;
    std::string m_where;
};

struct LayerLine {
    int line = 0;
    std::string kind;
    std::string name;
    std::vector<std::string> bottoms;
    std::vector<std::string> tops;
    Params params;

    std::string where() const { return "line " + std::to_string(line) + ", layer '" + name + "'"; }
};

/// Throws Failure: FileCorrupt and FileTruncated with the line, TooLarge.
std::vector<LayerLine> readLayers(std::string_view text);

} // namespace arenascope::ncnn
