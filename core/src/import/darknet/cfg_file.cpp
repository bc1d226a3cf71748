// SPDX-License-Identifier: MIT
#include "core/src/import/darknet/cfg_file.h"

#include "core/src/import/layered/failure.h"
#include "core/src/import/layered/text_file.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace arenascope::darknet {

namespace {

using layered::fail;

/// Darknet removes blanks everywhere, also inside of values.
std::string withoutBlanks(std::string_view line)
{
    std::string text;
    std::ranges::copy_if(line, std::back_inserter(text), [](char c) { return c != ' ' && c != '\t' && c != '\r'; });
    return text;
}

std::optional<std::int64_t> wholeNumber(std::string_view text)
{
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
    if (error != std::errc() || stopped != end || text.empty())
        return std::nullopt;
    return value;
}

std::int64_t checkedNumber(std::string_view text, const Section::Option& option)
{
    const auto value = wholeNumber(text);
    if (!value || *value < -layered::kLargestExtent || *value > layered::kLargestExtent)
        fail(ErrorCode::FileCorrupt, "line " + std::to_string(option.line),
             {"'" + option.key + "=" + option.value.substr(0, 40) + "' should have a whole number of at most 31 bits"});
    return *value;
}

void addOption(Section& section, const std::string& line, int number)
{
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || equals == 0)
        fail(ErrorCode::FileCorrupt, "line " + std::to_string(number),
             {"'" + line.substr(0, 40) + "' is neither a [section] nor key=value"});
    std::string value = line.substr(equals + 1);
    value.resize(std::min(value.find('#'), value.size()));
    section.options.push_back({line.substr(0, equals), std::move(value), number});
}

} // namespace

std::vector<Section> readSections(std::string_view text)
{
    std::vector<Section> sections;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string line = withoutBlanks(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#' || line.front() == ';')
            continue;
        if (line.front() != '[') {
            if (sections.empty())
                fail(ErrorCode::FileCorrupt, "line " + std::to_string(number), {"it begins with no [section]"});
            addOption(sections.back(), line, number);
            continue;
        }
        const std::size_t close = line.find(']');
        if (close == std::string::npos || close < 2)
            fail(ErrorCode::FileCorrupt, "line " + std::to_string(number), {"'" + line.substr(0, 40) + "' is no [section]"});
        layered::checkLayerCount(sections.size());
        sections.push_back({line.substr(1, close - 1), number, {}});
    }
    return sections;
}

const Section::Option* Section::find(std::string_view key) const
{
    const auto found = std::ranges::find(options, key, &Option::key);
    return found == options.end() ? nullptr : &*found;
}

std::int64_t Section::integer(std::string_view key, std::int64_t usual) const
{
    const Option* option = find(key);
    return option ? checkedNumber(option->value, *option) : usual;
}

layered::Dims Section::integers(std::string_view key) const
{
    layered::Dims values;
    const Option* option = find(key);
    if (option == nullptr)
        return values;
    std::string_view rest = option->value;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        values.push_back(checkedNumber(rest.substr(0, end), *option));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return values;
}

std::string Section::text(std::string_view key, std::string_view usual) const
{
    const Option* option = find(key);
    return option ? option->value : std::string(usual);
}

Attributes Section::attributes() const
{
    Attributes all;
    for (const Option& option : options) {
        if (const auto number = wholeNumber(option.value))
            all.try_emplace(option.key, *number);
        else
            all.try_emplace(option.key, option.value);
    }
    return all;
}

} // namespace arenascope::darknet
