// SPDX-License-Identifier: MIT
// Stretches of time in which objects are free.
#pragma once

#include <arenascope/types.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace arenascope::planning {

/// Finds, among gaps that hold a whole life, the one that begins latest. All operations are O(log n).
class GapIndex {
public:
    struct Found {
        Step begin;
        std::size_t object;
    };

    /// `begins`: every step at which a gap will ever begin.
    explicit GapIndex(std::vector<Step> begins);

    void add(LiveRange gap, std::size_t object);
    void remove(LiveRange gap, std::size_t object);
    /// Of the gaps with gap.begin <= life.begin and life.end <= gap.end the one that begins latest; of these the one that
    /// ends earliest, then the object of the lowest number.
    std::optional<Found> latestAround(LiveRange life) const;

private:
    std::size_t leafOf(Step begin) const;
    void update(std::size_t leaf);
    std::size_t lastReaching(std::size_t node, std::size_t begin, std::size_t end, std::size_t limit, Step least) const;

    std::vector<Step> m_begins;
    std::size_t m_leaves;
    std::vector<std::set<std::pair<Step, std::size_t>>> m_gaps; // by begin: end, object
    std::vector<Step> m_mostEnd;                                // by node of a tree over begins
};

/// Where objects are free, seen from both sides.
class FreeGaps {
public:
    struct Found {
        std::size_t object;
        Step distance; ///< to the nearest use before or after
    };
    static constexpr Step kNever = -(Step(1) << 62);
    static constexpr Step kForever = Step(1) << 62;

    /// `lives`: everything that will ever take an object.
    explicit FreeGaps(const std::vector<LiveRange>& lives);

    void add(LiveRange gap, std::size_t object);
    void remove(LiveRange gap, std::size_t object);
    /// The object that is free during the whole life and whose next use on either side is nearest.
    std::optional<Found> nearest(LiveRange life) const;

private:
    GapIndex m_before;
    GapIndex m_after; // time runs backwards
};

} // namespace arenascope::planning
