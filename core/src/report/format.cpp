// SPDX-License-Identifier: MIT
// Sizes and names as text.
#include <arenascope/report.h>

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <limits>

namespace arenascope {

namespace {

constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

/// Three significant digits of a value below 1024, four from 1000 on.
std::string threeDigits(double value)
{
    // The limits are where the next shorter form begins after rounding: 9.995 is written 10.0, not 10.00.
    if (value < 9.995)
        return fmt::format("{:.2f}", value);
    if (value < 99.95)
        return fmt::format("{:.1f}", value);
    return fmt::format("{:.0f}", value);
}

std::string formatMagnitude(std::uint64_t bytes)
{
    if (bytes < 1024)
        return fmt::format("{} B", bytes);
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < kUnits.size()) { // 1023.5 KiB would be written 1024 KiB
        value /= 1024.0;
        ++unit;
    }
    return fmt::format("{} {}", threeDigits(value), kUnits[unit]);
}

std::uint64_t magnitude(Bytes bytes)
{
    return bytes < 0 ? std::uint64_t(0) - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
}

constexpr std::string_view kSizeForms = "bytes, or a number with K, M, G or T (binary), such as 4096, 256K or 1.5M";

Error badSize(std::string_view text)
{
    return {ErrorCode::BadOption, {}, {"size", std::string(text), std::string(kSizeForms)}};
}

/// Bytes in one of the unit written behind a number; nothing for no unit.
std::optional<Bytes> unitBytes(std::string_view unit)
{
    if (unit.empty() || unit == "b" || unit == "B")
        return 1;
    constexpr std::string_view kLetters = "kmgt";
    const auto letter = kLetters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(unit[0]))));
    if (letter == std::string_view::npos)
        return std::nullopt;
    std::string rest;
    for (const char c : unit.substr(1))
        rest += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!rest.empty() && rest != "b" && rest != "ib")
        return std::nullopt;
    return Bytes(1) << (10 * (letter + 1));
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string_view takeDigits(std::string_view& text)
{
    std::size_t n = 0;
    while (n < text.size() && isDigit(text[n]))
        ++n;
    const std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    return digits;
}

std::optional<Bytes> numberOf(std::string_view digits)
{
    Bytes value = 0;
    for (const char c : digits) {
        const auto shifted = checkedMultiply(value, 10);
        const auto sum = shifted ? checkedAdd(*shifted, c - '0') : std::nullopt;
        if (!sum)
            return std::nullopt;
        value = *sum;
    }
    return value;
}

/// floor(0.digits * unit); digits beyond the sixth change less than a byte up to M and are dropped.
Bytes fractionOf(std::string_view digits, Bytes unit)
{
    Bytes value = 0;
    Bytes scale = 1;
    for (const char c : digits.substr(0, 6)) {
        value = value * 10 + (c - '0');
        scale *= 10;
    }
    return unit / scale * value + unit % scale * value / scale;
}

} // namespace

std::string formatBytes(Bytes bytes)
{
    if (bytes == kUnknownBytes)
        return "unknown";
    return (bytes < 0 ? "-" : "") + formatMagnitude(magnitude(bytes));
}

std::string formatExact(Bytes bytes)
{
    if (bytes == kUnknownBytes)
        return "unknown";
    std::string digits = std::to_string(magnitude(bytes));
    for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    return (bytes < 0 ? "-" : "") + digits;
}

std::string formatPercent(double fraction)
{
    const double percent = fraction * 100.0;
    if (percent == 0.0)
        return "0 %";
    if (std::abs(percent) < 0.05)
        return percent < 0 ? ">-0.1 %" : "<0.1 %";
    return fmt::format("{:.1f} %", percent);
}

Result<Bytes> parseBytes(std::string_view text)
{
    std::string_view rest = text;
    const std::string_view whole = takeDigits(rest);
    std::string_view fraction;
    if (!rest.empty() && rest[0] == '.') {
        rest.remove_prefix(1);
        fraction = takeDigits(rest);
        if (fraction.empty())
            return badSize(text);
    }
    if (whole.empty())
        return badSize(text);
    if (rest.size() > 1 && rest[0] == ' ')
        rest.remove_prefix(1);
    const auto unit = unitBytes(rest);
    if (!unit)
        return badSize(text);
    const auto number = numberOf(whole);
    const auto scaled = number ? checkedMultiply(*number, *unit) : std::nullopt;
    const auto sum = scaled ? checkedAdd(*scaled, fractionOf(fraction, *unit)) : std::nullopt;
    if (!sum)
        return badSize(text);
    return *sum;
}

} // namespace arenascope
