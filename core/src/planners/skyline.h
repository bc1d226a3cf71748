// SPDX-License-Identifier: MIT
// The outline of what has been stacked so far, seen over time.
#pragma once

#include <arenascope/types.h>

#include <map>
#include <set>

namespace arenascope::planning {

/// A step function of time, in as few segments as possible:
///
///     height
///        7 |      +--+
///        4 |---+  |  |      three segments above 0, and two at it
///        0 |   +--+  +---   -> section
///
/// All operations are O(log segments).
class Skyline {
public:
    struct Segment {
        std::size_t begin;
        std::size_t end;
        Bytes height;
    };

    /// Height 0 over sections [0, sections), at least one.
    explicit Skyline(std::size_t sections);

    /// Of the lowest segments the earliest.
    Segment lowest() const;
    /// Raises the part [begin, end) of a segment to a height above its own.
    void raise(const Segment& segment, std::size_t begin, std::size_t end, Bytes height);
    /// Raises a whole segment to its lower neighbour; false if it has none.
    bool fill(const Segment& segment);

private:
    void cut(std::size_t at);
    void joinAt(std::size_t at);

    std::map<std::size_t, Bytes> m_heights;             // by begin
    std::set<std::pair<Bytes, std::size_t>> m_byHeight; // height, begin
    std::size_t m_end;
};

} // namespace arenascope::planning
