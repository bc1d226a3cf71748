// SPDX-License-Identifier: MIT
// The protobuf wire format, read with 64-bit positions.
// Source: https://protobuf.dev/programming-guides/encoding/
#pragma once

#include "core/src/import/byte_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace arenascope::onnx_import {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, GroupBegin = 3, GroupEnd = 4, Fixed32 = 5 };

/// One field of a message. Its payload is what follows the key (for Bytes: without the length).
struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::Varint;
    std::uint64_t value = 0; ///< Varint: its value
    std::int64_t at = 0;     ///< where the payload begins in the source
    std::int64_t length = 0; ///< of the payload; Varint: as it is encoded
};

/// Walks the fields of one message. Reads keys, lengths and varints only, never the content of a Bytes field.
class WireReader {
public:
    explicit WireReader(ByteSource& source) : WireReader(source, 0, source.size()) {}
    /// The message at [begin, end) of the source.
    WireReader(ByteSource& source, std::int64_t begin, std::int64_t end) : m_source(source), m_at(begin), m_end(end) {}

    bool atEnd() const { return m_at == m_end; }
    std::int64_t position() const { return m_at; }
    /// The next field, or nothing where the message is damaged (see problem()) or the source fails.
    std::optional<WireField> next();
    /// The next number of a packed field (whose payload is the message); nothing as for next().
    std::optional<std::uint64_t> varint();
    /// Why next() gave nothing; in the tone of "a length goes beyond the end".
    const char* problem() const { return m_problem; }
    /// Whether the message ended in the middle of a field.
    bool endedEarly() const { return m_endedEarly; }

private:
    std::optional<WireField> fail(const char* problem, bool endedEarly = false);
    bool take(WireField& field, std::uint64_t length);

    ByteSource& m_source;
    std::int64_t m_at;
    std::int64_t m_end;
    const char* m_problem = "";
    bool m_endedEarly = false;
};

/// Appends the base-128 form of `value`.
void appendVarint(std::string& out, std::uint64_t value);
/// Appends a field's key.
void appendKey(std::string& out, std::uint32_t number, WireType type);
/// Appends key, length and content.
void appendBytesField(std::string& out, std::uint32_t number, std::span<const std::byte> content);

} // namespace arenascope::onnx_import
