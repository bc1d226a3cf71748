// SPDX-License-Identifier: MIT
#include "core/src/analysis/ping_pong.h"

#include <algorithm>

namespace arenascope::detail {

PingPong pingPong(std::span<const Bytes> sizes)
{
    PingPong result;
    // Claim 3: the two largest sizes, ties counted, are the sizes of the two memories.
    Step designated = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (i == 0 || sizes[i] > result.first) {
            result.second = i == 0 ? 0 : result.first;
            result.first = sizes[i];
            designated = static_cast<Step>(i);
        } else {
            result.second = std::max(result.second, sizes[i]);
        }
    }
    // Claim 1: with equal memories the turn begins with the first unit; else an even distance from the designated unit
    // means the first memory. Claim 4 follows: a unit reads the memory that the one before it wrote.
    const bool hasDesignated = result.first > result.second;
    result.designated = hasDesignated ? static_cast<std::int32_t>(designated) : -1;
    const Step origin = hasDesignated ? designated : 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool isEven = (static_cast<Step>(i) - origin) % 2 == 0;
        result.sides.push_back(isEven ? PingPongSide::First : PingPongSide::Second);
    }
    return result;
}

} // namespace arenascope::detail
