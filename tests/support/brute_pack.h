// SPDX-License-Identifier: MIT
// The smallest arena of tiny problems by trying every offset: no theory that could be shared with a planner.
#pragma once

#include <arenascope/problem.h>

#include <algorithm>
#include <random>
#include <vector>

namespace arenascope::test {

/// Bytes [low, high) that a buffer needs at a step.
struct Need {
    Bytes low = 0;
    Bytes high = 0;
};

inline Need neededAt(const Buffer& buffer, Step step)
{
    if (!buffer.live.contains(step))
        return {};
    for (const BufferGap& gap : buffer.gaps) {
        if (gap.steps.contains(step))
            return {gap.low, gap.high};
    }
    return {0, buffer.size};
}

/// Whether all buffers fit below `arena`; alignment 1 for sizes, each buffer's own for offsets.
class BrutePacker {
public:
    BrutePacker(const PlacementProblem& problem, Bytes arena)
        : m_problem(problem)
        , m_arena(arena)
    {
    }

    bool fits(std::size_t next = 0)
    {
        if (next == m_problem.buffers.size())
            return true;
        const Buffer& buffer = m_problem.buffers[next];
        const Bytes alignment = std::max<Bytes>(buffer.alignment, 1);
        for (Offset offset = 0; offset + buffer.size <= m_arena; offset += alignment) {
            if (buffer.fixedOffset && *buffer.fixedOffset != offset)
                continue;
            m_offsets.push_back(offset);
            if (isFree(next) && fits(next + 1))
                return true;
            m_offsets.pop_back();
        }
        return false;
    }

private:
    bool isFree(std::size_t index) const
    {
        const Buffer& mine = m_problem.buffers[index];
        for (std::size_t other = 0; other < index; ++other) {
            const Buffer& its = m_problem.buffers[other];
            if (!mine.live.meets(its.live) || m_offsets[index] + mine.size <= m_offsets[other]
                || m_offsets[other] + its.size <= m_offsets[index])
                continue;
            if (mine.gaps.empty() && its.gaps.empty())
                return false;
            for (Step step = 0; step < m_problem.stepCount; ++step) {
                const Need a = neededAt(mine, step);
                const Need b = neededAt(its, step);
                if (a.low < a.high && b.low < b.high && m_offsets[index] + a.low < m_offsets[other] + b.high
                    && m_offsets[other] + b.low < m_offsets[index] + a.high)
                    return false;
            }
        }
        return true;
    }

    const PlacementProblem& m_problem;
    Bytes m_arena;
    std::vector<Offset> m_offsets;
};

inline Bytes smallestArena(const PlacementProblem& problem)
{
    Bytes arena = liveProfile(problem).peak;
    while (!BrutePacker(problem, arena).fits())
        ++arena;
    return arena;
}

struct TinyOptions {
    bool alignments = false;
    bool fixed = false; ///< one buffer, at a random offset
    bool gaps = false;  ///< nothing, or only the lower bytes, needed for some steps
};

/// Five to seven buffers of one to five bytes within seven steps.
inline PlacementProblem tinyProblem(std::uint32_t seed, TinyOptions options = {})
{
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t limit) { return static_cast<Bytes>(random() % limit); };
    PlacementProblem problem;
    problem.name = "tiny " + std::to_string(seed);
    problem.stepCount = 7;
    const auto count = static_cast<std::size_t>(5 + below(3));
    for (std::size_t i = 0; i < count; ++i) {
        Buffer buffer;
        buffer.name = "b" + std::to_string(i);
        buffer.size = 1 + below(5);
        buffer.live.begin = below(6);
        buffer.live.end = std::min<Step>(buffer.live.begin + 1 + below(4), problem.stepCount);
        if (options.alignments && below(3) == 0)
            buffer.alignment = 2 + below(2);
        if (options.fixed && i == 0)
            buffer.fixedOffset = below(4);
        if (options.gaps && buffer.live.length() > 1 && below(2) == 0) {
            const Step begin = buffer.live.begin + below(static_cast<std::uint32_t>(buffer.live.length()));
            buffer.gaps.push_back({{begin, begin + 1}, 0, below(static_cast<std::uint32_t>(buffer.size))});
        }
        if (buffer.fixedOffset)
            buffer.alignment = 1;
        problem.buffers.push_back(buffer);
    }
    return problem;
}

/// At every step exactly 24 bytes are alive: from step to step three buffers give way to two or three of the same sum. Many
/// such problems have no packing at the bound, which is next to never so where lives are random.
inline PlacementProblem fullProblem(std::uint32_t seed)
{
    std::mt19937 random(seed);
    PlacementProblem problem;
    problem.name = "full " + std::to_string(seed);
    problem.stepCount = 9;
    const auto begin = [&problem](Bytes size, Step step) {
        Buffer buffer;
        buffer.name = "b" + std::to_string(problem.buffers.size());
        buffer.size = size;
        buffer.live = {step, problem.stepCount};
        problem.buffers.push_back(buffer);
        return problem.buffers.size() - 1;
    };
    std::vector<std::size_t> alive;
    for (const Bytes size : {3, 1, 4, 2, 5, 2, 7})
        alive.push_back(begin(size, 0));
    for (Step step = 1; step < problem.stepCount; ++step) {
        Bytes sum = 0;
        for (int i = 0; i < 3 && alive.size() > 1; ++i) {
            const auto leaves = alive.begin() + static_cast<std::ptrdiff_t>(random() % alive.size());
            problem.buffers[*leaves].live.end = step;
            sum += problem.buffers[*leaves].size;
            alive.erase(leaves);
        }
        const Bytes first = 1 + static_cast<Bytes>(random()) % (sum - 1);
        const Bytes second = static_cast<Bytes>(random()) % (sum - first);
        for (const Bytes size : {first, second, sum - first - second}) {
            if (size > 0)
                alive.push_back(begin(size, step));
        }
    }
    return problem;
}

} // namespace arenascope::test
