// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/wire.h"

#include <algorithm>

namespace arenascope::onnx_import {

namespace {

constexpr int kMaxVarintBytes = 10;
constexpr std::uint32_t kMaxFieldNumber = (1U << 29) - 1;

} // namespace

std::optional<WireField> WireReader::fail(const char* problem, bool endedEarly)
{
    m_problem = problem;
    m_endedEarly = endedEarly;
    return std::nullopt;
}

std::optional<std::uint64_t> WireReader::varint()
{
    const auto bytes = m_source.read(m_at, std::min<std::int64_t>(kMaxVarintBytes, m_end - m_at));
    if (!bytes) {
        fail("it cannot be read");
        return std::nullopt;
    }
    std::uint64_t value = 0;
    int shift = 0;
    for (const std::byte byte : *bytes) {
        // The tenth byte holds bit 63 only; libprotobuf drops what does not fit, and so do we.
        value |= (std::to_integer<std::uint64_t>(byte) & 0x7F) << shift;
        shift += 7;
        if ((byte & std::byte{0x80}) != std::byte{0})
            continue;
        m_at += shift / 7;
        return value;
    }
    if (std::ssize(*bytes) < kMaxVarintBytes)
        fail("a number is cut off", true);
    else
        fail("a number has more than ten bytes");
    return std::nullopt;
}

bool WireReader::take(WireField& field, std::uint64_t length)
{
    if (length > static_cast<std::uint64_t>(m_end - m_at)) {
        fail("a length goes beyond the end", true);
        return false;
    }
    field.at = m_at;
    field.length = static_cast<std::int64_t>(length);
    m_at += field.length;
    return true;
}

std::optional<WireField> WireReader::next()
{
    const auto key = varint();
    if (!key)
        return std::nullopt;
    if ((*key >> 3) == 0 || (*key >> 3) > kMaxFieldNumber)
        return fail("a field has an impossible number");

    WireField field;
    field.number = static_cast<std::uint32_t>(*key >> 3);
    field.type = static_cast<WireType>(*key & 7);
    switch (field.type) {
    case WireType::Varint: {
        field.at = m_at;
        const auto value = varint();
        if (!value)
            return std::nullopt;
        field.value = *value;
        field.length = m_at - field.at;
        return field;
    }
    case WireType::Fixed64:
        return take(field, 8) ? std::optional(field) : std::nullopt;
    case WireType::Fixed32:
        return take(field, 4) ? std::optional(field) : std::nullopt;
    case WireType::Bytes: {
        const auto length = varint();
        if (!length || !take(field, *length))
            return std::nullopt;
        return field;
    }
    case WireType::GroupBegin:
    case WireType::GroupEnd:
        break; // ONNX has never had groups, so this is another format or noise
    }
    return fail("a field has an impossible type");
}

void appendVarint(std::string& out, std::uint64_t value)
{
    while (value >= 0x80) {
        out.push_back(static_cast<char>((value & 0x7F) | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<char>(value));
}

void appendKey(std::string& out, std::uint32_t number, WireType type)
{
    appendVarint(out, (std::uint64_t{number} << 3) | static_cast<std::uint64_t>(type));
}

void appendBytesField(std::string& out, std::uint32_t number, std::span<const std::byte> content)
{
    appendKey(out, number, WireType::Bytes);
    appendVarint(out, content.size());
    out.append(reinterpret_cast<const char*>(content.data()), content.size());
}

} // namespace arenascope::onnx_import
