// SPDX-License-Identifier: MIT
// A short digest that tells one model file from another; no protection against forgery.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace arenascope {

/// FNV-1a with 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
class Fnv1a {
public:
    void add(std::span<const std::byte> bytes)
    {
        for (const std::byte b : bytes)
            m_state = (m_state ^ std::to_integer<std::uint64_t>(b)) * 0x100000001B3ULL;
    }
    /// 16 hex digits.
    std::string hex() const
    {
        std::string digits(16, '0');
        for (std::size_t i = 0; i < digits.size(); ++i)
            digits[i] = "0123456789abcdef"[(m_state >> (60 - 4 * i)) & 15];
        return digits;
    }

private:
    std::uint64_t m_state = 0xCBF29CE484222325ULL;
};

} // namespace arenascope
