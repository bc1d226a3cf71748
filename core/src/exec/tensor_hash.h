// SPDX-License-Identifier: MIT
// A 64-bit digest of a tensor's bytes, to notice that they have changed. Runs as fast as memory is read (four lanes of
// multiply and rotate), since guarded runs take it of everything alive at each step. No defence against forgery.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace arenascope::exec {

inline std::uint64_t tensorHash(std::span<const std::byte> bytes)
{
    constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15; // 2^64 divided by the golden ratio, odd
    std::uint64_t lanes[4] = {1, 2, 3, 4};
    const auto mix = [](std::uint64_t lane, std::uint64_t word) { return std::rotl((lane ^ word) * kMultiplier, 29); };
    const std::byte* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= sizeof lanes; left -= sizeof lanes, at += sizeof lanes) {
        std::uint64_t words[4];
        std::memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; ++i)
            lanes[i] = mix(lanes[i], words[i]);
    }
    std::uint64_t rest[4] = {};
    if (left > 0)
        std::memcpy(rest, at, left);
    std::uint64_t hash = bytes.size();
    for (int i = 0; i < 4; ++i)
        hash = mix(mix(hash, lanes[i]), rest[i]);
    return hash ^ (hash >> 32);
}

} // namespace arenascope::exec
