// SPDX-License-Identifier: MIT
#include "core/src/io/csv_text.h"

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
    constexpr std::string_view kHex = "0123456789ABCDEF";
    if (name.empty())
        return "%";
    std::string field;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        const bool isEnd = i == 0 || i + 1 == name.size();
        const bool isUnfit
            = byte < 0x20 || byte == 0x7f || byte == ',' || byte == '"' || byte == '%' || (byte == ' ' && isEnd);
        if (!isUnfit) {
            field += name[i];
            continue;
        }
        field += '%';
        field += kHex[byte >> 4];
        field += kHex[byte & 15];
    }
    return field;
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
