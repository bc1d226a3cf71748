// SPDX-License-Identifier: MIT
// The protobuf wire format, read in place with 64-bit positions.
// Source: https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace arenascope::onnx_import {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, GroupBegin = 3, GroupEnd = 4, Fixed32 = 5 };

/// One field of a message. `payload` is what follows the key (for Bytes: without the length).
struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::Varint;
    std::uint64_t value = 0;            ///< Varint: its value
    std::span<const std::byte> payload; ///< all types; Varint: as it is encoded
};

/// Walks the fields of one message. Touches keys, lengths and varints only, never the content of a Bytes field.
class WireReader {
public:
    explicit WireReader(std::span<const std::byte> message) : m_rest(message) {}

    bool atEnd() const { return m_rest.empty(); }
    const std::byte* position() const { return m_rest.data(); }
    /// The next field, or nothing where the message is damaged (see problem()).
    std::optional<WireField> next();
    /// Why next() gave nothing; in the tone of "a length goes beyond the end".
    const char* problem() const { return m_problem; }
    /// Whether the message ended in the middle of a field.
    bool endedEarly() const { return m_endedEarly; }

private:
    std::optional<std::uint64_t> varint();
    std::optional<WireField> fail(const char* problem, bool endedEarly = false);
    bool take(WireField& field, std::uint64_t length);

    std::span<const std::byte> m_rest;
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
