// SPDX-License-Identifier: MIT
#include "core/src/io/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace arenascope::io {

std::string validUtf8(std::string_view text)
{
    using Json = nlohmann::json;
    const auto isAscii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::all_of(text.begin(), text.end(), isAscii))
        return std::string(text);
    // Out and in again through the library that writes the files: the same bytes are repaired in the same way.
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

std::string dotQuoted(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : validUtf8(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            quoted += '\\';
        if (c == '\n')
            quoted += "\\n";
        else
            quoted += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    return quoted + "\"";
}

std::string percentEncoded(std::string_view name, std::string_view unfit)
{
    constexpr std::string_view kHex = "0123456789ABCDEF";
    if (name.empty())
        return "%";
    std::string field;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        const bool isEnd = i == 0 || i + 1 == name.size();
        const bool isUnfit = byte < 0x20 || byte == 0x7f || byte == '%' || (byte == ' ' && isEnd)
            || unfit.find(name[i]) != std::string_view::npos;
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

std::string percentDecoded(std::string_view text, std::string_view unfit)
{
    if (text.find('%') == std::string_view::npos)
        return std::string(text);
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        const bool isCode = text[i] == '%' && i + 2 < text.size()
            && std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3;
        name += isCode ? static_cast<char>(byte) : text[i];
        i += isCode ? 2 : 0;
    }
    if (text == "%")
        name.clear();
    return percentEncoded(name, unfit) == text ? name : std::string(text);
}

} // namespace arenascope::io
