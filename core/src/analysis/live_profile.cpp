// SPDX-License-Identifier: MIT
#include <arenascope/problem.h>

#include <algorithm>
#include <numeric>

namespace arenascope {

namespace {

// Counts how many of the intervals added so far cover each point, and the most that cover one: a segment tree whose
// nodes keep what was added to all of their points, so that nothing is pushed down.
class CoverTree {
public:
    explicit CoverTree(std::size_t points)
    {
        while (m_leaves < points)
            m_leaves *= 2;
        m_added.assign(2 * m_leaves, 0);
        m_most.assign(2 * m_leaves, 0);
    }

    void add(std::size_t begin, std::size_t end) { add(1, 0, m_leaves, begin, end); }
    std::int64_t most() const { return m_most[1]; }

private:
    // Depth is the logarithm of the number of points.
    void add(std::size_t node, std::size_t low, std::size_t high, std::size_t begin, std::size_t end)
    {
        if (end <= low || high <= begin)
            return;
        if (begin <= low && high <= end) {
            ++m_added[node];
            ++m_most[node];
            return;
        }
        const std::size_t middle = low + (high - low) / 2;
        add(2 * node, low, middle, begin, end);
        add(2 * node + 1, middle, high, begin, end);
        m_most[node] = m_added[node] + std::max(m_most[2 * node], m_most[2 * node + 1]);
    }

    std::size_t m_leaves = 1;
    std::vector<std::int64_t> m_added;
    std::vector<std::int64_t> m_most;
};

std::vector<BufferId> largestFirst(const PlacementProblem& problem)
{
    std::vector<BufferId> ids;
    ids.reserve(problem.buffers.size());
    for (std::size_t i = 0; i < problem.buffers.size(); ++i)
        ids.push_back(BufferId::fromIndex(i));
    std::stable_sort(ids.begin(), ids.end(),
        [&problem](BufferId a, BufferId b) { return problem.reserved(a) > problem.reserved(b); });
    return ids;
}

// Changes of the live bytes by step; the running sum is the profile.
class ProfileDeltas {
public:
    explicit ProfileDeltas(Step stepCount) : m_delta(static_cast<std::size_t>(std::max<Step>(stepCount, 0)) + 1, 0) {}

    void add(LiveRange range, Bytes bytes)
    {
        const Step last = static_cast<Step>(m_delta.size()) - 1;
        const Step begin = std::clamp<Step>(range.begin, 0, last);
        const Step end = std::clamp<Step>(range.end, begin, last);
        m_delta[static_cast<std::size_t>(begin)] += bytes;
        m_delta[static_cast<std::size_t>(end)] -= bytes;
    }

    std::vector<Bytes> sums() &&
    {
        std::partial_sum(m_delta.begin(), m_delta.end(), m_delta.begin());
        m_delta.pop_back();
        return std::move(m_delta);
    }

private:
    std::vector<Bytes> m_delta;
};

} // namespace

Bytes PlacementProblem::reserved(BufferId id) const
{
    const auto rounded = checkedAlignUp(buffer(id).size, alignment);
    assert(rounded && "sizes are checked when a problem is made");
    return rounded.value_or(buffer(id).size);
}

Bytes PlacementProblem::alignmentOf(BufferId id) const
{
    return buffer(id).alignment > 0 ? buffer(id).alignment : alignment;
}

LiveProfile liveProfile(const PlacementProblem& problem)
{
    ProfileDeltas deltas(problem.stepCount);
    for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
        const Buffer& buffer = problem.buffers[i];
        const Bytes reserved = problem.reserved(BufferId::fromIndex(i));
        deltas.add(buffer.live, reserved);
        // In a gap only a part is needed: rounding does not count there.
        for (const BufferGap& gap : buffer.gaps)
            deltas.add(gap.steps, std::clamp<Bytes>(gap.high - gap.low, 0, reserved) - reserved);
    }
    LiveProfile profile;
    profile.liveBytes = std::move(deltas).sums();
    const auto peak = std::max_element(profile.liveBytes.begin(), profile.liveBytes.end());
    if (peak == profile.liveBytes.end())
        return profile;
    profile.peak = *peak;
    profile.peakStep = peak - profile.liveBytes.begin();
    for (const BufferId id : largestFirst(problem)) {
        if (problem.buffer(id).live.contains(profile.peakStep))
            profile.alive.push_back(id);
    }
    return profile;
}

Bytes neededAt(const PlacementProblem& problem, BufferId id, Step step)
{
    const Bytes reserved = problem.reserved(id);
    for (const BufferGap& gap : problem.buffer(id).gaps) {
        if (gap.steps.contains(step))
            return std::clamp<Bytes>(gap.high - gap.low, 0, reserved);
    }
    return reserved;
}

Bytes naiveBytes(const PlacementProblem& problem)
{
    Bytes sum = 0;
    for (std::size_t i = 0; i < problem.buffers.size(); ++i)
        sum += problem.reserved(BufferId::fromIndex(i));
    return sum;
}

// The k-th largest size alive at once is the largest size s such that k buffers of size s or more are alive at one step.
// So: add the buffers from large to small, and whenever the most that are alive at once grows to k, the buffer just added
// is the k-th term (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, call the terms
// positional maxima). One segment tree over the distinct ends of live ranges: O(n log n), independent of the steps.
std::vector<Bytes> positionalMaxima(const PlacementProblem& problem)
{
    std::vector<Step> ends;
    for (const Buffer& buffer : problem.buffers) {
        ends.push_back(buffer.live.begin);
        ends.push_back(buffer.live.end);
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    const auto indexOf = [&ends](Step step) {
        return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), step) - ends.begin());
    };
    CoverTree cover(ends.size());
    std::vector<Bytes> maxima;
    for (const BufferId id : largestFirst(problem)) {
        const std::int64_t before = cover.most();
        const LiveRange live = problem.buffer(id).live;
        cover.add(indexOf(live.begin), indexOf(live.end));
        if (cover.most() > before)
            maxima.push_back(problem.reserved(id));
    }
    return maxima;
}

Bytes sharedObjectBound(const PlacementProblem& problem)
{
    const std::vector<Bytes> maxima = positionalMaxima(problem);
    return std::accumulate(maxima.begin(), maxima.end(), Bytes(0));
}

} // namespace arenascope
