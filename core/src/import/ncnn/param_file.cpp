// SPDX-License-Identifier: MIT
#include "core/src/import/ncnn/param_file.h"

#include "core/src/import/layered/failure.h"
#include "core/src/import/layered/text_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace arenascope::ncnn {

namespace {

using layered::fail;

constexpr std::int64_t kMagic = 7767517;
constexpr int kFirstArray = -23300;
constexpr int kMostIds = 64; // ncnn has 32 numbers a layer, and one above them for notes on shapes

template <class Number>
std::optional<Number> numberIn(std::string_view text)
{
    Number value = {};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

class Words {
public:
    explicit Words(std::string_view line) : m_rest(line) {}
    std::string_view next()
    {
        m_rest = layered::trimmed(m_rest);
        const std::string_view word = m_rest.substr(0, std::min(m_rest.find_first_of(" \t\r\v\f"), m_rest.size()));
        m_rest.remove_prefix(word.size());
        return word;
    }

private:
    std::string_view m_rest;
};

std::string placeOf(int line)
{
    return "line " + std::to_string(line);
}

std::int64_t counted(Words& words, int line, const std::string& what)
{
    const std::string_view word = words.next();
    const auto value = numberIn<std::int64_t>(word);
    if (!value || *value < 0 || *value > layered::kLargestExtent)
        fail(ErrorCode::FileCorrupt, placeOf(line),
             {what + " should be a number from 0 on, not '" + std::string(word.substr(0, 40)) + "'"});
    return *value;
}

std::vector<std::string> names(Words& words, std::int64_t count, int line)
{
    std::vector<std::string> found;
    for (std::int64_t i = 0; i < count; ++i) { // ends with the line, whatever it says
        const std::string_view word = words.next();
        if (word.empty())
            fail(ErrorCode::FileTruncated, placeOf(line),
                 {"the layer names " + std::to_string(i) + " of its " + std::to_string(count) + " blobs"});
        found.emplace_back(word);
    }
    return found;
}

LayerLine layerIn(std::string_view text, int line)
{
    Words words(text);
    LayerLine layer;
    layer.line = line;
    layer.kind = words.next();
    layer.name = words.next();
    if (layer.name.empty())
        fail(ErrorCode::FileTruncated, placeOf(line), {"the layer has no name"});
    const std::int64_t bottoms = counted(words, line, "the number of blobs that it reads");
    const std::int64_t tops = counted(words, line, "the number of blobs that it writes");
    layer.bottoms = names(words, bottoms, line);
    layer.tops = names(words, tops, line);
    for (std::string_view word = words.next(); !word.empty(); word = words.next())
        layer.params.add(word, layer.where());
    return layer;
}

/// Lines with something on them, with their numbers.
class Lines {
public:
    explicit Lines(std::string_view text) : m_rest(text) {}
    std::optional<std::string_view> next()
    {
        while (!m_rest.empty()) {
            const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
            const std::string_view line = layered::trimmed(m_rest.substr(0, end));
            m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
            ++m_number;
            if (!line.empty())
                return line;
        }
        return std::nullopt;
    }
    int number() const { return m_number; }

private:
    std::string_view m_rest;
    int m_number = 0;
};

void checkMagic(Lines& lines)
{
    const auto line = lines.next();
    if (line && numberIn<std::int64_t>(*line) == kMagic)
        return;
    Words words(line.value_or(std::string_view()));
    const bool areCounts = numberIn<std::int64_t>(words.next()) && numberIn<std::int64_t>(words.next());
    fail(ErrorCode::FileCorrupt, placeOf(std::max(lines.number(), 1)),
         {areCounts ? "it is written in ncnn's format before 2017, without the number 7767517 in front; upgrade it with ncnn's tools"
                    : "it does not begin with the number 7767517"});
}

} // namespace

void Params::add(std::string_view text, const std::string& where)
{
    m_where = where;
    const std::size_t equals = text.find('=');
    const auto id = numberIn<int>(text.substr(0, std::min(equals, text.size())));
    if (!id || equals == std::string_view::npos)
        fail(ErrorCode::FileCorrupt, where, {"'" + std::string(text.substr(0, 40)) + "' is no parameter (number=value)"});
    const bool isArray = *id <= kFirstArray;
    const int key = isArray ? kFirstArray - *id : *id;
    if (key < 0 || key >= kMostIds)
        fail(ErrorCode::FileCorrupt, where, {"there is no parameter " + std::to_string(*id)});
    std::vector<std::string> values;
    for (std::string_view rest = text.substr(equals + 1); !rest.empty();) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        values.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (isArray) {
        const auto count = values.empty() ? std::nullopt : numberIn<std::int64_t>(values.front());
        if (!count || *count != std::ssize(values) - 1)
            fail(ErrorCode::FileCorrupt, where,
                 {"array " + std::to_string(*id) + " does not have as many values as it says in front"});
        values.erase(values.begin());
    }
    m_values[key] = std::move(values);
}

double Params::real(int id, double usual) const
{
    const auto found = m_values.find(id);
    if (found == m_values.end())
        return usual;
    const auto value = found->second.empty() ? std::nullopt : numberIn<double>(found->second.front());
    if (!value || !std::isfinite(*value))
        fail(ErrorCode::FileCorrupt, m_where, {"parameter " + std::to_string(id) + " is no number"});
    return *value;
}

std::int64_t Params::integer(int id, std::int64_t usual) const
{
    const double value = real(id, static_cast<double>(usual));
    if (std::abs(value) > static_cast<double>(layered::kLargestExtent))
        fail(ErrorCode::FileCorrupt, m_where, {"parameter " + std::to_string(id) + " does not fit 32 bits"});
    return static_cast<std::int64_t>(value);
}

layered::Dims Params::integers(int id) const
{
    layered::Dims values;
    const auto found = m_values.find(id);
    if (found == m_values.end())
        return values;
    for (const std::string& text : found->second) {
        const auto value = numberIn<double>(text);
        if (!value || !(std::abs(*value) <= static_cast<double>(layered::kLargestExtent)))
            fail(ErrorCode::FileCorrupt, m_where, {"'" + text.substr(0, 40) + "' in array " + std::to_string(id) + " is no number"});
        values.push_back(static_cast<std::int64_t>(*value));
    }
    return values;
}

std::size_t Params::count(int id) const
{
    const auto found = m_values.find(id);
    return found == m_values.end() ? 0 : found->second.size();
}

Attributes Params::attributes() const
{
    Attributes all;
    for (const auto& [id, values] : m_values) {
        const auto whole = values.size() == 1 ? numberIn<std::int64_t>(values.front()) : std::nullopt;
        if (whole)
            all[std::to_string(id)] = *whole;
        else
            all[std::to_string(id)] = values;
    }
    return all;
}

std::vector<LayerLine> readLayers(std::string_view text)
{
    Lines lines(text);
    checkMagic(lines);
    const auto counts = lines.next();
    if (!counts)
        fail(ErrorCode::FileTruncated, {}, {"the numbers of layers and blobs are missing"});
    const std::string promise = placeOf(lines.number());
    Words words(*counts);
    const std::int64_t layerCount = counted(words, lines.number(), "the number of layers");
    const std::int64_t blobCount = counted(words, lines.number(), "the number of blobs");
    std::vector<LayerLine> layers;
    std::int64_t blobs = 0;
    while (const auto line = lines.next()) {
        layered::checkLayerCount(layers.size());
        layers.push_back(layerIn(*line, lines.number()));
        blobs += std::ssize(layers.back().tops);
    }
    if (std::ssize(layers) < layerCount)
        fail(ErrorCode::FileTruncated, placeOf(lines.number()),
             {"it has " + std::to_string(layers.size()) + " of the " + std::to_string(layerCount) + " layers that " + promise + " promises"});
    if (std::ssize(layers) > layerCount || blobs != blobCount)
        fail(ErrorCode::FileCorrupt, promise,
             {"it promises " + std::to_string(layerCount) + " layers and " + std::to_string(blobCount) + " blobs, there are "
              + std::to_string(layers.size()) + " and " + std::to_string(blobs)});
    return layers;
}

} // namespace arenascope::ncnn
