// SPDX-License-Identifier: MIT
// Names from files made safe for terminals.
#include <arenascope/report.h>

#include <fmt/format.h>

namespace arenascope {

namespace {

struct CodePoint {
    char32_t value = 0;
    std::size_t length = 0; ///< bytes; 0: the byte begins no valid sequence
};

/// Bytes that a sequence beginning with `lead` has, 0 where none does.
std::size_t sequenceLength(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if ((lead & 0xf0) == 0xe0)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/// The code point at the beginning of `text`, by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint decode(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = sequenceLength(lead);
    if (length == 0 || length > text.size())
        return {};
    if (length == 1)
        return {lead, 1};
    char32_t value = lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0) != 0x80)
            return {};
        value = (value << 6) | (byte & 0x3fU);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (overlong || surrogate || value > 0x10ffff)
        return {};
    return {value, length};
}

/// Whether a terminal may act on it, or hide what stands beside it.
bool isUnsafe(char32_t c)
{
    const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
    return c < 0x20 || within(0x7f, 0x9f) || c == 0x61c || within(0x200b, 0x200f) || within(0x2028, 0x202e)
        || within(0x2060, 0x206f) || c == 0xfeff || within(0xfff9, 0xfffb) || within(0xe0000, 0xe007f);
}

std::string escaped(char32_t c)
{
    switch (c) {
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    default: break;
    }
    const auto value = static_cast<std::uint32_t>(c);
    if (value < 0x80)
        return fmt::format("\\x{:02x}", value);
    return value < 0x10000 ? fmt::format("\\u{:04x}", value) : fmt::format("\\U{:08x}", value);
}

} // namespace

std::string printable(std::string_view text)
{
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const CodePoint point = decode(text);
        if (point.length == 0) {
            safe += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
            text.remove_prefix(1);
            continue;
        }
        if (isUnsafe(point.value))
            safe += escaped(point.value);
        else
            safe += text.substr(0, point.length);
        text.remove_prefix(point.length);
    }
    return safe;
}

} // namespace arenascope
