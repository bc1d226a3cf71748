// SPDX-License-Identifier: MIT
#include "core/src/io/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>

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

} // namespace arenascope::io
