// SPDX-License-Identifier: MIT
#include "core/src/io/csv_text.h"

#include "core/src/io/names.h"

#include <algorithm>
#include <charconv>

namespace arenascope::io {

std::optional<std::string_view> takeLine(std::string_view& text)
{
    if (text.empty())
        return std::nullopt;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
    return line;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string_view> splitFields(std::string_view line)
{
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0;;) {
        const std::size_t comma = line.find(',', begin);
        fields.push_back(trimmed(line.substr(begin, comma == std::string_view::npos ? comma : comma - begin)));
        if (comma == std::string_view::npos)
            return fields;
        begin = comma + 1;
    }
}

std::vector<std::string_view> splitWords(std::string_view text)
{
    std::vector<std::string_view> words;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
        const std::size_t blank = std::min(text.find_first_of(" \t"), text.size());
        words.push_back(text.substr(0, blank));
        text.remove_prefix(blank);
    }
    return words;
}

std::optional<std::int64_t> parseWhole(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::string csvField(std::string_view name)
{
    return percentEncoded(name, ",\"");
}

std::string nameFromField(std::string_view field)
{
    return percentDecoded(field, ",\"");
}

std::string csvWord(std::string_view name)
{
    return percentEncoded(name, ",\" ");
}

std::string nameFromWord(std::string_view word)
{
    return percentDecoded(word, ",\" ");
}

std::string gapsField(std::span<const BufferGap> gaps)
{
    std::string text;
    for (const BufferGap& gap : gaps) {
        if (!text.empty())
            text += ' ';
        text += std::to_string(gap.steps.begin) + '-' + std::to_string(gap.steps.end);
        if (gap.low < gap.high)
            text += '@' + std::to_string(gap.low) + ':' + std::to_string(gap.high);
    }
    return text;
}

} // namespace arenascope::io
